/* SPDX-License-Identifier: MIT */
/*
 * vsamp/profile.h: where the samples of a recording fell
 *
 * A profile belongs to one thread at a time, and holds what it needs of the recording, which must
 * outlive it.
 */
#ifndef VSAMP_PROFILE_H
#define VSAMP_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include <vsamp/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_profile;

/* What rows are told apart by */
#define VSAMP_BY_PROCESS (1U << 0)
#define VSAMP_BY_MODULE	 (1U << 1)
#define VSAMP_BY_SYMBOL	 (1U << 2)

/* What isn't told apart is 0 or NULL */
struct vsamp_profile_row {
	uint32_t pid;
	const char *comm;   /* "" where no record tells it */
	const char *module; /* path, "[kernel]", "[MODULE]" of the kernel, "[vdso]", "[unknown]" */
	const char *build_id;	 /* hex, "" if not recorded */
	const char *note;	 /* why the module's symbols are missing; NULL: they aren't */
	const char *symbol;	 /* "[unknown]" where there is none */
	const uint64_t *samples; /* by event */
};

/**
 * vsamp_profile_new - fold a recording, which is read from its start
 * @profile: receives the profile
 * @pids: processes wanted
 * @n_pids: how many; 0 = all
 *
 * Kernel addresses are named by the recording's own symbols, user ones by the files that it names,
 * as far as they still are what was mapped. Errors: those of vsamp_recording_next().
 */
int vsamp_profile_new(struct vsamp_profile **profile, struct vsamp_recording *rec,
		      const uint32_t *pids, size_t n_pids, struct vsamp_error *err);

/**
 * vsamp_profile_rows - sums
 * @by: VSAMP_BY_*, at least one
 * @event: most samples of this event first; at equal numbers by those of the events in order, then
 *	   by module, symbol, name, pid
 * @rows: receives the rows, to be freed by free(3); what they point to is the profile's, and their
 *	  samples are good until the next call
 * @count: receives how many
 *
 * 0 or -ENOMEM.
 */
int vsamp_profile_rows(struct vsamp_profile *profile, unsigned int by, size_t event,
		       struct vsamp_profile_row **rows, size_t *count, struct vsamp_error *err);

/** vsamp_profile_free - @profile may be NULL */
void vsamp_profile_free(struct vsamp_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
