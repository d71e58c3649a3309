// SPDX-License-Identifier: MIT
/*
 * ticks N NAME: runs a loop of 2 N user instructions and prints the clock (x86: the TSC) before and after. Where one
 * instruction is one tick, the difference between two runs is what sampling cost, in instructions.
 * ticks N NAME CALLS: the same with N system calls, in that many functions' calls of the next.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "insns.h"

__attribute__((noinline, optimize("no-omit-frame-pointer"))) static void run_calls(uint64_t n,
										   int calls)
{
	if (calls > 1)
		run_calls(n, calls - 1);
	else
		for (; n; n--)
			syscall(SYS_getppid);
	__asm__ volatile("" : : : "memory"); /* comes back here */
}

int main(int argc, char **argv)
{
	uint64_t n, begin, end;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: ticks N NAME [CALLS]\n");
		return 2;
	}
	n = strtoull(argv[1], NULL, 0);
	begin = tsc();
	if (argc == 4)
		run_calls(n, atoi(argv[3]));
	else
		insns_run(2 * n);
	end = tsc();
	printf("%s begin %" PRIu64 " end %" PRIu64 " ticks %" PRIu64 "\n", argv[2], begin, end,
	       end - begin);
	return 0;
}
