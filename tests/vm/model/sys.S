/* SPDX-License-Identifier: MIT */
/* getppid 10^5 times: 1 + 4 * 10^5 + 3 instructions, 2 * 10^5 + 1 branches, in user mode */
	.globl _start
_start:	mov $100000, %ebx
1:	mov $110, %eax
	syscall
	dec %ebx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
