// SPDX-License-Identifier: MIT
/*
 * ticks N NAME: runs a loop of 2 N user instructions and prints the TSC before and after. Where one
 * instruction is one tick, the difference between two runs is what sampling cost, in instructions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint64_t tsc(void)
{
	uint32_t lo, hi;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

int main(int argc, char **argv)
{
	uint64_t n, begin, end;

	if (argc != 3) {
		fprintf(stderr, "usage: ticks N NAME\n");
		return 2;
	}
	n = strtoull(argv[1], NULL, 0);
	begin = tsc();
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
	end = tsc();
	printf("%s begin %" PRIu64 " end %" PRIu64 " ticks %" PRIu64 "\n", argv[2], begin, end,
	       end - begin);
	return 0;
}
