// SPDX-License-Identifier: MIT
/* Reads the counter that perf gave it twice, with five instructions between (and the first RDPMC); prints the difference */
#include <err.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};
	struct perf_event_mmap_page *p;
	unsigned int first, second, high;
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		err(1, "perf_event_open");
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	if (!p->index)
		errx(1, "no counter");
	asm volatile("rdpmc\n\tmov %%eax, %0\n\tmov %%edx, %2\n\tnop\n\tnop\n\tnop\n\trdpmc"
		     : "=&r"(first), "=&a"(second), "=&d"(high)
		     : "c"(p->index - 1));
	printf("%u\n", second - first);
	return 0;
}
