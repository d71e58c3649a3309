/* SPDX-License-Identifier: MIT */
/*
 * storm FILE: without FILE it makes it, and sleeps for 0.3 s: 14 instructions, 4 of them branches.
 * With FILE it runs for ever, and each instruction is a branch.
 */
	.text
	.globl _start
	.type _start, %function
_start:
	ldr x1, [sp, #16]
	mov w0, #-100			/* AT_FDCWD */
	mov w2, #(0100 | 0200)		/* O_CREAT | O_EXCL */
	mov w3, #0600
	mov w8, #56			/* openat */
	svc #0
	tbnz w0, #31, storm
	adr x0, time
	mov x1, #0
	mov w8, #101			/* nanosleep */
	svc #0
	mov w8, #93			/* exit */
	mov w0, #0
	svc #0
	.size _start, . - _start

	.globl storm
	.type storm, %function
storm:
	b storm
	.size storm, . - storm

	.balign 8
time:
	.quad 0, 300000000

	.section .note.GNU-stack, "", %progbits
