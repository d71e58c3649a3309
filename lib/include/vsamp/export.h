/* SPDX-License-Identifier: MIT */
/* vsamp/export.h: recordings in the formats of other tools */
#ifndef VSAMP_EXPORT_H
#define VSAMP_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vsamp/filter.h>
#include <vsamp/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_export_format {
	const char *name; /* "folded" */
	const char *what; /* who reads it */
	bool binary;	  /* nothing for a terminal */
	bool seeks;	  /* has to be written to a file, from its start */
	bool one_event;	  /* has room for one event only */
	bool counters;	  /* has counters by time, too */
};

struct vsamp_export_options {
	const size_t *event; /* indices of the events wanted */
	size_t events;	     /* 0: all, or the first where there is room for one only */
	struct vsamp_filter filter;
};

/** vsamp_export_formats - the formats there are; returns how many. Thread-safe */
size_t vsamp_export_formats(const struct vsamp_export_format **formats);

/**
 * vsamp_export - write a recording in another format
 * @rec: read from its start
 * @format: name of one
 * @out: written and flushed
 *
 * Samples have the weights and the names that vsamp_profile_rows() gives them. Errors: -EINVAL: no
 * such format, no such event, several where there is room for one, or @out can't seek and must;
 * those of vsamp_profile_new(); those of writing. What was written until then is no use.
 */
int vsamp_export(struct vsamp_recording *rec, const char *format,
		 const struct vsamp_export_options *options, FILE *out, struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
