// SPDX-License-Identifier: MIT
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_watch.h"

/* Of a kernel whose clock is a timer's tick */
#define TICK_US 10000

int perf_watch_open(uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_WATCH_FORMAT,
		.exclude_kernel = 1, /* asks for less permission */
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

uint64_t perf_watch_time(int fd)
{
	struct {
		uint64_t value;
		uint64_t enabled;
	} reading;

	return read(fd, &reading, sizeof(reading)) == sizeof(reading) ? reading.enabled : 0;
}

bool perf_watch_gone(int fd)
{
	uint64_t before = perf_watch_time(fd);

	if (!before || perf_watch_time(fd) != before)
		return false;
	usleep(TICK_US);
	return perf_watch_time(fd) == before;
}
