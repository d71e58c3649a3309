/* SPDX-License-Identifier: MIT */
/*
 * vsamp/annotate.h: at which instructions of a symbol the samples fell
 *
 * Of the profile's thread.
 */
#ifndef VSAMP_ANNOTATE_H
#define VSAMP_ANNOTATE_H

#include <stddef.h>
#include <stdint.h>

#include <vsamp/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Samples at an address */
struct vsamp_code_count {
	uint64_t address;
	const uint64_t *samples; /* by event, as of a row */
	const double *events;
};

/* Code under the symbol's name: there may be several pieces, as of static functions */
struct vsamp_code_range {
	uint64_t start, end;
	const struct vsamp_code_count *counts; /* by rising address, from start on */
	size_t count;
};

/* Addresses are those that the file has; without a file, of the kernel's as it ran */
struct vsamp_code {
	int fd;	       /* a file with this very code, checked by build-id where that is known; -1 */
	char why[256]; /* there is none: why, and the remedy */
	char section
		[64]; /* that addresses are in, in a file that isn't linked: a module of the kernel; "" */
	const struct vsamp_code_range *ranges; /* by rising address */
	size_t count;
};

/**
 * vsamp_profile_code - where in the code that a row stands for samples fell
 * @profile: made with VSAMP_PROFILE_CODE
 * @row: number of a row of the last vsamp_profile_rows(), which told apart modules and symbols, and
 *	 nothing else
 * @vmlinux: of a kernel's symbol: the file of its code, uncompressed, which is taken if its build-id
 *	     is that of the recorded kernel, or module; NULL: looked for where distributions have it
 * @code: receives it; what it points to is its own
 *
 * What the counts are together is what the row has. 0; -EINVAL: no such row, or made without; -ENOENT: it has no
 * symbol; -ENOMEM; -EBADMSG for a damaged file.
 */
int vsamp_profile_code(struct vsamp_profile *profile, uint32_t row, const char *vmlinux,
		       struct vsamp_code **code, struct vsamp_error *err);

/** vsamp_code_free - closes the file, too; @code may be NULL */
void vsamp_code_free(struct vsamp_code *code);

#ifdef __cplusplus
}
#endif

#endif
