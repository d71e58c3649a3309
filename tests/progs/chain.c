// SPDX-License-Identifier: MIT
/*
 * chain: spends its time in known places, by known callers, with frame pointers
 *
 * Half of it in inner(), which middle(), which outer(), which main() called, and a quarter where
 * inner() was called by itself once more; the rest in the kernel, which fills a buffer with zeros for
 * fill(), called by middle().
 */
#include <fcntl.h>
#include <unistd.h>

#define ROUNDS 100
#define TURNS  100000

static char buffer[1 << 20];
static volatile unsigned long sum;

static __attribute__((noinline)) void inner(int again)
{
	for (int i = 0; i < TURNS; i++)
		sum += i;
	if (again)
		inner(again - 1);
	sum++;
}

static __attribute__((noinline)) void fill(int fd)
{
	if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
		_exit(1);
	sum++;
}

static __attribute__((noinline)) void middle(int fd, int round)
{
	inner(round % 2);
	fill(fd);
	sum++;
}

static __attribute__((noinline)) void outer(int fd, int round)
{
	middle(fd, round);
	sum++;
}

int main(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	for (int round = 0; round < ROUNDS; round++)
		outer(fd, round);
	return 0;
}
