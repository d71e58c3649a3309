/* SPDX-License-Identifier: MIT */
/* The samples of a recording as lines: what is asked, and its parts */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <vsamp/trace.h>

#include "filter.h"

/* Fields of a line, in their order */
#define SCRIPT_COMM   (1U << 0)
#define SCRIPT_PID    (1U << 1)
#define SCRIPT_TID    (1U << 2)
#define SCRIPT_CPU    (1U << 3)
#define SCRIPT_TIME   (1U << 4)
#define SCRIPT_PERIOD (1U << 5)
#define SCRIPT_EVENT  (1U << 6)
#define SCRIPT_IP     (1U << 7)
#define SCRIPT_SYMBOL (1U << 8)
#define SCRIPT_MODULE (1U << 9)
#define SCRIPT_ALL    ((1U << 10) - 1)

struct script {
	struct vsamp_recording *rec;
	const struct vsamp_recording_event *event;
	struct filter filter;
	unsigned int fields;
	bool callers;
	bool json;
};

/* script_print.c: lines for people, and for what reads perf script's; they come with the last call */
void script_print_sample(const struct script *s, const struct vsamp_trace_sample *sample);
void script_print_lost(const struct script *s, uint32_t cpu, uint64_t time, uint64_t count);
void script_print_end(void);

/* script_json.c: docs/json.md */
void script_json_sample(const struct script *s, const struct vsamp_trace_sample *sample);
void script_json_lost(uint32_t cpu, uint64_t time, uint64_t count);

#endif
