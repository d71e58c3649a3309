/* SPDX-License-Identifier: MIT */
/* vsamp/holder.h: who has the performance counters, as far as /proc tells. Thread-safe. */
#ifndef VSAMP_HOLDER_H
#define VSAMP_HOLDER_H

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vsamp_holder_kind {
	VSAMP_HOLDER_NONE,
	VSAMP_HOLDER_WATCHDOG, /* the NMI watchdog */
	VSAMP_HOLDER_PERF,     /* a process with perf events */
	VSAMP_HOLDER_KVM,      /* a process with virtual machines */
	VSAMP_HOLDER_VSAMP,    /* a process with /dev/vsamp open */
};

struct vsamp_holder {
	enum vsamp_holder_kind kind;
	pid_t pid; /* 0 for the watchdog */
	char comm[32];
};

/**
 * vsamp_holders_find - list the possible holders
 * @proc: where procfs is, "/proc"
 * @holders: room for @max
 *
 * The watchdog comes first. The caller's own process is left out. Processes that can't be looked
 * into (no permission) are not found. Returns how many there are, which may be more than @max.
 */
size_t vsamp_holders_find(const char *proc, struct vsamp_holder *holders, size_t max);

/** vsamp_holder_text - e.g. "perf event of perf (pid 123)" */
void vsamp_holder_text(const struct vsamp_holder *holder, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
