// SPDX-License-Identifier: MIT
/*
 * phases STEP...: a load whose rate changes, at known numbers of instructions
 *
 * STEP is FUNCTION:TIMES:INSNS:US, FUNCTION being fast or slow. So often the function retires INSNS
 * user instructions (a multiple of 20) and one to return, and then it sleeps for US microseconds;
 * 0: it doesn't. All else takes some 10 000 instructions, and some 100 for each time.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "insns.h"

/* Two that differ by name only, so that samples tell them apart */
void fast(uint64_t twenties);
void slow(uint64_t twenties);

__asm__(".text; .globl fast, slow; .type fast, %function; .type slow, %function");
__asm__("fast: " INSNS_TWENTIES("fast") ".size fast, . - fast");
__asm__("slow: " INSNS_TWENTIES("slow") ".size slow, . - slow");

static int step(const char *text)
{
	unsigned long long times, insns, us;
	char name[8];
	int end = 0;
	struct timespec pause;

	if (sscanf(text, "%7[a-z]:%llu:%llu:%llu%n", name, &times, &insns, &us, &end) != 4 ||
	    text[end] || insns < 20)
		return -1;
	pause = (struct timespec){ .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
	for (; times; times--) {
		if (!strcmp(name, "fast"))
			fast(insns / 20);
		else
			slow(insns / 20);
		if (us)
			nanosleep(&pause, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (step(argv[i])) {
			fprintf(stderr, "usage: phases FUNCTION:TIMES:INSNS:US...\n");
			return 2;
		}
	return 0;
}
