/* SPDX-License-Identifier: MIT */
/*
 * A static program without libc that retires exactly INSNS user instructions (even, at least 8),
 * all but the first two of them in the function loop.
 */
	.text
	.globl _start
	.type _start, %function
_start:
	movz w0, #(((INSNS - 6) / 2) & 0xffff)
	movk w0, #((INSNS - 6) / 2 >> 16), lsl #16
	.size _start, . - _start

	.globl loop
	.type loop, %function
loop:
	subs w0, w0, #1
	b.ne loop
	nop
	mov w8, #93			/* exit */
	mov w0, #0
	svc #0
	udf #0
	.size loop, . - loop

	.section .note.GNU-stack, "", %progbits
