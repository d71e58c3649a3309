/* SPDX-License-Identifier: MIT */
/* 1 + 2 * 10^7 + 3 = 20000004 instructions, 10^7 + 1 = 10000001 of them branches */
	.globl _start
_start:	mov $10000000, %ecx
1:	dec %ecx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
