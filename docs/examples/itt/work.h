/* SPDX-License-Identifier: MIT */
/* work.h: so many units of work of the same length */
static void work(int units)
{
	for (long i = 0; i < units * 1000000L; i++)
		__asm__ volatile("" : : "r"(i));
}
