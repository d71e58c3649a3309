/* SPDX-License-Identifier: MIT */
/* A load: runs until it is killed. */
	.text
	.globl _start
	.type _start, %function
_start:
	b _start
	.size _start, . - _start

	.section .note.GNU-stack, "", %progbits
