/* SPDX-License-Identifier: MIT */
/* filter.h: which samples are wanted, by what is known of them so far */
#ifndef FILTER_PRIVATE_H
#define FILTER_PRIVATE_H

#include <vsamp/filter.h>

/* By what its record tells; the time, which takes a conversion, apart */
bool filter_wants_record(const struct vsamp_filter *f, uint32_t cpu, uint32_t pid, uint32_t tid);

static inline bool filter_needs_time(const struct vsamp_filter *f)
{
	return f->from || f->to;
}

/* @time: ns, CLOCK_MONOTONIC_RAW */
static inline bool filter_wants_time(const struct vsamp_filter *f, uint64_t time)
{
	return time >= f->from && (!f->to || time <= f->to);
}

/* By the thread's name */
bool filter_wants_comm(const struct vsamp_filter *f, const char *comm);

/* By where it fell */
bool filter_wants_code(const struct vsamp_filter *f, const char *module, const char *symbol);

#endif
