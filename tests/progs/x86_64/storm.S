/* SPDX-License-Identifier: MIT */
/*
 * storm FILE: without FILE it makes it, and sleeps for 0.3 s: 12 instructions, 3 of them branches.
 * With FILE it runs for ever, and each instruction is a branch.
 */
	.text
	.globl _start
	.type _start, @function
_start:
	mov 16(%rsp), %rdi
	mov $(0100 | 0200), %esi	/* O_CREAT | O_EXCL */
	mov $0600, %edx
	mov $2, %eax			/* open */
	syscall
	test %eax, %eax
	js storm
	lea time(%rip), %rdi
	xor %esi, %esi
	mov $35, %eax			/* nanosleep */
	syscall
	mov $60, %eax			/* exit */
	xor %edi, %edi
	syscall
	.size _start, . - _start

	.globl storm
	.type storm, @function
storm:
	jmp storm
	.size storm, . - storm

	.section .rodata
	.balign 8
time:
	.quad 0, 300000000

	.section .note.GNU-stack, "", @progbits
