// SPDX-License-Identifier: MIT
#include <stddef.h>

#include <vsamp/progress.h>

#include "file_progress.h"

static __thread struct {
	void (*tell)(void *arg, uint64_t done, uint64_t total);
	void *arg;
} watch;

void vsamp_progress_watch(void (*tell)(void *arg, uint64_t done, uint64_t total), void *arg)
{
	watch.tell = tell;
	watch.arg = arg;
}

void progress_tell(uint64_t done, uint64_t total)
{
	if (watch.tell)
		watch.tell(watch.arg, done, total);
}
