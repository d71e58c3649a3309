/* SPDX-License-Identifier: MIT */
/* 1000 page faults: 2 + 4 * 1000 + 3 = 4005 instructions, 1001 branches, in user mode */
	.globl _start
	.comm buf, 4096 * 1001, 4096
_start:	lea buf(%rip), %rdi
	mov $1000, %ebx
1:	movb $1, (%rdi)
	add $4096, %rdi
	dec %ebx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
