/* SPDX-License-Identifier: MIT */
/*
 * A static program without libc that retires exactly INSNS user instructions (even, at least 8),
 * all but the first of them in the function loop.
 */
	.text
	.globl _start
	.type _start, @function
_start:
	mov $((INSNS - 4) / 2), %ecx
	.size _start, . - _start

	.globl loop
	.type loop, @function
loop:
	dec %ecx
	jnz loop
	mov $60, %eax
	xor %edi, %edi
	syscall
	ud2
	.size loop, . - loop

	.section .note.GNU-stack, "", @progbits
