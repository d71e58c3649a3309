/* SPDX-License-Identifier: MIT */
/*
 * 64 KiB filled 1000 times: 1 + 6 * 1000 + 3 = 6004 instructions; and 65536 cycles more
 * for each REP, of which every iteration takes one: 65542004 cycles
 */
	.globl _start
	.comm buf, 65536
_start:	mov $1000, %ebx
1:	lea buf(%rip), %rdi
	xor %eax, %eax
	mov $65536, %ecx
	rep stosb
	dec %ebx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
