/* SPDX-License-Identifier: MIT */
/*
 * Functions whose callers are known to the byte: chain() calls chain_1, that chain_2 and so on, and the
 * last one a leaf. All have frame pointers, of which the outermost is 0.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <stdint.h>

#define CHAIN 8 /* callers of a leaf */

/* So many take at least 10 million instructions of the kernel's */
#ifdef __x86_64__
#define CHAIN_SYSCALLS 300000
#else
#define CHAIN_SYSCALLS 30000
#endif

extern const char chain_loop_begin[], chain_loop_end[]; /* where chain_loop() loops, */
extern const char chain_on_begin[], chain_on_end[];	/* and chain_on() */
extern const char chain_deep_begin[], chain_deep_end[];
extern const char chain_after_syscall[], chain_deep_return[];
extern const uint64_t chain_returns[CHAIN]; /* return addresses, innermost first */

__asm__(".globl chain, chain_loop, chain_getpid, chain_deep, chain_on, chain_returns\n"
	".globl chain_loop_begin, chain_loop_end, chain_on_begin, chain_on_end\n"
	".globl chain_deep_begin, chain_deep_end, chain_after_syscall, chain_deep_return\n");

/* Call @leaf, with @n, through the chain */
void chain(uint64_t n, void (*leaf)(void));

/* Leaves: 2 n instructions; n system calls. Not to be called but through the chain. */
void chain_loop(void);
void chain_getpid(void);

/* 2 n instructions at @depth calls of itself, one by one above chain_deep() */
void chain_deep(uint64_t n, uint64_t depth);

/* 2 n instructions with this frame pointer on this stack */
void chain_on(uint64_t n, uint64_t fp, uint64_t sp);

#ifdef __x86_64__

__asm__(".pushsection .text\n"
	".macro link number, next\n"
	"chain_\\number: push %rbp; mov %rsp, %rbp; call \\next\n"
	"chain_return_\\number: pop %rbp; ret\n"
	".endm\n"
	"chain: push %rbp; xor %ebp, %ebp; call chain_1\n"
	"chain_return_0: pop %rbp; ret\n"
	"link 1, chain_2\n link 2, chain_3\n link 3, chain_4\n link 4, chain_5\n"
	"link 5, chain_6\n link 6, chain_7\n link 7, *%rsi\n"
	"chain_loop: push %rbp; mov %rsp, %rbp\n"
	"chain_loop_begin: dec %rdi; jnz chain_loop_begin\n"
	"chain_loop_end: pop %rbp; ret\n"
	"chain_getpid: push %rbp; mov %rsp, %rbp\n"
	"1: mov $39, %eax; syscall\n"
	"chain_after_syscall: dec %rdi; jnz 1b; pop %rbp; ret\n"
	"chain_deep: push %rbp; xor %ebp, %ebp; call 1f; pop %rbp; ret\n"
	"1: push %rbp; mov %rsp, %rbp; dec %rsi; jz chain_deep_begin; call 1b\n"
	"chain_deep_return: pop %rbp; ret\n"
	"chain_deep_begin: dec %rdi; jnz chain_deep_begin\n"
	"chain_deep_end: pop %rbp; ret\n"
	"chain_on: push %rbp; push %rbx; mov %rsp, %rbx; mov %rdx, %rsp; mov %rsi, %rbp\n"
	"chain_on_begin: dec %rdi; jnz chain_on_begin\n"
	"chain_on_end: mov %rbx, %rsp; pop %rbx; pop %rbp; ret\n"
	".popsection\n");

/*
 * The same in 32-bit code, which is to be copied to where 32 bits reach: chain32() runs 2 n instructions
 * there, on the stack that ends at @stack, as 2 calls. Its parts are at the same distances in the copy.
 */
extern const char chain32_code[], chain32_code_end[], chain32_return_0[], chain32_return_1[];
extern const char chain32_begin[], chain32_end[], chain32_back[];
void chain32(uint64_t n, uint64_t code, uint64_t stack, uint64_t back);
#define CHAIN32_AT(label) ((uintptr_t)(label) - (uintptr_t)chain32_code)

__asm__(".globl chain32, chain32_code, chain32_code_end, chain32_return_0, chain32_return_1\n"
	".globl chain32_begin, chain32_end, chain32_back\n"
	".pushsection .text\n"
	"chain32: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, -8(%rdx); movl $0x33, -12(%rdx); mov %ecx, -16(%rdx)\n"
	"movl $0x23, -20(%rdx); mov %esi, -24(%rdx); lea -16(%rdx), %rsp; ljmp *-24(%rdx)\n"
	"chain32_code: .code32\n"
	"xor %ebp, %ebp; call 1f\n"
	"chain32_return_0: ljmp *(%esp)\n"
	"1: push %ebp; mov %esp, %ebp; call 1f\n"
	"chain32_return_1: pop %ebp; ret\n"
	"1: push %ebp; mov %esp, %ebp\n"
	"chain32_begin: dec %edi; jnz chain32_begin\n"
	"chain32_end: pop %ebp; ret\n"
	".code64\n"
	"chain32_back: mov 8(%rsp), %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n"
	"chain32_code_end:\n"
	".popsection\n");

#else /* arm64 */

__asm__(".pushsection .text\n"
	".macro push\n stp x29, x30, [sp, #-16]!\n .endm\n"
	".macro pop\n ldp x29, x30, [sp], #16\n .endm\n"
	".macro link number, next:vararg\n"
	"chain_\\number: push; mov x29, sp; \\next\n"
	"chain_return_\\number: pop; ret\n"
	".endm\n"
	"chain: push; mov x29, #0; bl chain_1\n"
	"chain_return_0: pop; ret\n"
	"link 1, bl chain_2\n link 2, bl chain_3\n link 3, bl chain_4\n link 4, bl chain_5\n"
	"link 5, bl chain_6\n link 6, bl chain_7\n link 7, blr x1\n"
	"chain_loop: push; mov x29, sp\n"
	"chain_loop_begin: subs x0, x0, #1; b.ne chain_loop_begin\n"
	"chain_loop_end: pop; ret\n"
	"chain_getpid: push; mov x29, sp; mov x2, x0\n"
	"1: mov x8, #172; svc #0\n"
	"chain_after_syscall: subs x2, x2, #1; b.ne 1b; pop; ret\n"
	"chain_deep: push; mov x29, #0; bl 1f; pop; ret\n"
	"1: push; mov x29, sp; subs x1, x1, #1; b.eq chain_deep_begin; bl 1b\n"
	"chain_deep_return: pop; ret\n"
	"chain_deep_begin: subs x0, x0, #1; b.ne chain_deep_begin\n"
	"chain_deep_end: pop; ret\n"
	"chain_on: push; str x19, [sp, #-16]!; mov x19, sp; mov sp, x2; mov x29, x1\n"
	"chain_on_begin: subs x0, x0, #1; b.ne chain_on_begin\n"
	"chain_on_end: mov sp, x19; ldr x19, [sp], #16; pop; ret\n"
	".popsection\n");

#endif

__asm__(".pushsection .data\n"
	".balign 8\n"
	"chain_returns: .quad chain_return_7, chain_return_6, chain_return_5, chain_return_4\n"
	".quad chain_return_3, chain_return_2, chain_return_1, chain_return_0\n"
	".popsection\n");

#endif
