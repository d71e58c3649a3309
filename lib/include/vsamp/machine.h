/* SPDX-License-Identifier: MIT */
/* vsamp/machine.h: what this machine is, as far as a recording must know. Thread-safe. */
#ifndef VSAMP_MACHINE_H
#define VSAMP_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_machine {
	char hostname[65];
	char kernel_release[65];
	char machine[65]; /* architecture */
	char boot_id[40];
	char cpus_online[4096];
	uint64_t pid_namespace; /* inode */
};

/** vsamp_machine_get - fills what can be found; what can't is empty or 0 */
void vsamp_machine_get(struct vsamp_machine *m);

/**
 * vsamp_machine_frequency - nominal frequency of the core clock
 * @clock_khz: of the TSC, taken on x86 where nothing better is known; 0: unknown
 * @source: receives where it is from; static storage
 *
 * Returns Hz, 0 if unknown.
 */
uint64_t vsamp_machine_frequency(uint64_t clock_khz, const char **source);

/**
 * vsamp_machine_line - first line of a small file
 * @out: receives it without the newline; "" where there is none
 *
 * Returns whether the file could be read.
 */
bool vsamp_machine_line(const char *path, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
