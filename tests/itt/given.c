// SPDX-License-Identifier: MIT
/* A library that gives the address of a function which nobody else can name */
static __attribute__((noinline)) void hidden_work(void)
{
	__asm__ volatile("");
}

void *give(void);
void *give(void)
{
	return (void *)hidden_work;
}
