/* SPDX-License-Identifier: MIT */
/* Events of perf_event_open(2): opening them, and what it means where the kernel refuses */
#ifndef PERF_OPEN_H
#define PERF_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/perf_event.h>

#include <vsamp/event.h>

#include "perf_stack.h"

struct perf_wanted {
	const struct vsamp_event *ev;
	uint64_t sav; /* 0: count only */
	uint32_t cpu;
	pid_t tid;	   /* -1: whatever runs on the CPU */
	const int *cgroup; /* folder of that whose tasks are counted, tid is -1; NULL: any */
	bool children;	   /* with those of the process, else only with its threads to come */
	const struct perf_stacks *stacks;
	bool on_exec; /* counted from the next exec on */
};

struct perf_fd {
	int fd;
	int leader; /* switches it on and off in its place; -1: none */
	uint16_t event;
	uint64_t id;
};

/* What read(2) of an event gives */
struct perf_reading {
	uint64_t value;
	uint64_t enabled; /* ns */
	uint64_t running; /* ns */
	uint64_t id;
	uint64_t lost; /* records; 0 where the kernel doesn't count them (before 6.0) */
};

/* Opens one, not yet counting; -errno of what the kernel refused */
int perf_fd_open(struct perf_fd *f, const struct perf_wanted *wanted);
void perf_fd_close(struct perf_fd *f);
int perf_fd_switch(const struct perf_fd *f, bool on);
int perf_fd_read(const struct perf_fd *f, struct perf_reading *reading);

/* Makes a text of perf_fd_open()'s refusal; returns code */
int perf_refused(const struct perf_wanted *wanted, int code, struct vsamp_error *err);

/* The threads of a process, as they are now; *tids is freed by the caller; -ESRCH: there is none */
int perf_threads(pid_t pid, pid_t **tids, unsigned int *n);

/* kernel.perf_event_paranoid */
int perf_paranoid(void);

/* As many files as the hard limit allows */
void perf_files_limit_raise(void);

#endif
