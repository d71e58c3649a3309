/* SPDX-License-Identifier: MIT */
/*
 * 1000 invalid instructions, each skipped by a signal handler. UD2 itself doesn't retire:
 * 6 + 1 + 6 * 1000 + 3 = 6010 instructions, 1 + 3 * 1000 + 1 = 3002 branches, in user mode
 */
	.globl _start
_start:	mov $13, %eax			/* rt_sigaction(SIGILL, &act, NULL, 8) */
	mov $4, %edi
	lea act(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $1000, %ebx
1:	ud2
	dec %ebx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
handler:
	addq $2, 168(%rdx)		/* RIP in the ucontext */
	ret
restorer:
	mov $15, %eax			/* rt_sigreturn */
	syscall
	.data
	.balign 8
act:	.quad handler, 0x4000004, restorer, 0	/* SA_RESTORER | SA_SIGINFO */
