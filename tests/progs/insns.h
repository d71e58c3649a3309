/* SPDX-License-Identifier: MIT */
/* What C can't say: loops of known numbers of instructions, and the clock of a recording */
#ifndef INSNS_H
#define INSNS_H

#include <stdint.h>

#ifdef __x86_64__

/* One more instruction than twenty times the first argument, as the body of a function */
#define INSNS_TWENTIES(name) ".rept 18; nop; .endr; dec %rdi; jnz " name "; ret\n"

static inline void insns_run(uint64_t n)
{
	uint64_t pairs = n / 2;

	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(pairs) : : "cc");
}

/* Each 20th is a branch: emulators do this much faster */
static inline void insns_run_twenties(uint64_t n)
{
	uint64_t twenties = n / 20;

	__asm__ volatile("1: .rept 18; nop; .endr; dec %0; jnz 1b" : "+r"(twenties) : : "cc");
}

/* Below 20 */
static inline void insns_run_few(uint64_t n)
{
	uint64_t to;

	__asm__ volatile("lea 1f(%%rip), %0; sub %1, %0; jmp *%0; .rept 19; nop; .endr; 1:"
			 : "=&r"(to)
			 : "r"(n));
}

static inline uint64_t tsc(void)
{
	uint32_t lo, hi;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

#else /* arm64 */

#define INSNS_TWENTIES(name) ".rept 18; nop; .endr; subs x0, x0, #1; b.ne " name "; ret\n"

static inline void insns_run(uint64_t n)
{
	uint64_t pairs = n / 2;

	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(pairs) : : "cc");
}

static inline void insns_run_twenties(uint64_t n)
{
	uint64_t twenties = n / 20;

	__asm__ volatile("1: .rept 18; nop; .endr; subs %0, %0, #1; b.ne 1b"
			 : "+r"(twenties)
			 :
			 : "cc");
}

static inline void insns_run_few(uint64_t n)
{
	uint64_t to;

	__asm__ volatile("adr %0, 1f; sub %0, %0, %1, lsl #2; br %0; .rept 19; nop; .endr; 1:"
			 : "=&r"(to)
			 : "r"(n));
}

static inline uint64_t tsc(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks));
	return ticks;
}

#endif

#endif
