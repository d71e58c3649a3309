/* SPDX-License-Identifier: MIT */
/*
 * oa_oracle.h: libi915_perf of Debian's intel-gpu-tools, which has no headers there: its interface
 * as of 1.5, as far as tests need it
 */
#ifndef OA_ORACLE_H
#define OA_ORACLE_H

#include <dlfcn.h>
#include <libdrm/i915_drm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ORACLE_LIBRARY "libi915_perf.so.1.5"

struct oracle_list {
	struct oracle_list *prev, *next;
};

struct oracle_regs {
	const struct {
		uint32_t address, value;
	} * reg;
	uint32_t n;
};

enum oracle_storage {
	ORACLE_UINT64,
	ORACLE_UINT32,
	ORACLE_DOUBLE,
	ORACLE_FLOAT,
	ORACLE_BOOL,
};

struct oracle_perf;
struct oracle_set;

union oracle_read {
	uint64_t (*whole)(const struct oracle_perf *perf, const struct oracle_set *set,
			  uint64_t *deltas);
	double (*real)(const struct oracle_perf *perf, const struct oracle_set *set,
		       uint64_t *deltas);
};

struct oracle_counter {
	const struct oracle_set *set;
	const char *title, *name, *what;
	enum oracle_storage storage;
	int type;
	int unit;
	union oracle_read max, read;
	struct oracle_list link;
};

struct oracle_set {
	const char *title, *name, *uuid;
	struct oracle_counter *counter;
	int counters;
	uint64_t id;
	int format, size;
	int offset[6]; /* in deltas: time, clock, A, B, C, others */
	struct oracle_regs boolean, mux, flex;
	struct oracle_list link;
};

struct oracle_perf {
	const char *name;
	void *groups;
	struct oracle_list sets; /* by their link */
};

/* A record of i915's stream */
struct oracle_record {
	struct {
		uint32_t type;
		uint16_t pad;
		uint16_t size;
	} header;
	uint8_t report[256];
};

struct oracle {
	void *library;
	struct oracle_perf *(*for_devinfo)(uint32_t id, uint32_t revision, uint64_t timestamp_hz,
					   uint64_t min_hz, uint64_t max_hz,
					   const struct drm_i915_query_topology_info *topology);
	void (*free)(struct oracle_perf *perf);
	void (*accumulate)(uint64_t deltas[64], const struct oracle_perf *perf,
			   const struct oracle_set *set, const struct oracle_record *before,
			   const struct oracle_record *after);
	uint64_t (*timestamp)(const struct oracle_perf *perf, const struct oracle_set *set,
			      const struct oracle_record *record);
	const char *(*reason)(const struct oracle_perf *perf, const struct oracle_record *record);
};

static inline bool oracle_open(struct oracle *o)
{
	o->library = dlopen(ORACLE_LIBRARY, RTLD_NOW);
	if (!o->library)
		return false;
	*(void **)&o->for_devinfo = dlsym(o->library, "intel_perf_for_devinfo");
	*(void **)&o->free = dlsym(o->library, "intel_perf_free");
	*(void **)&o->accumulate = dlsym(o->library, "intel_perf_accumulate_reports");
	*(void **)&o->timestamp = dlsym(o->library, "intel_perf_read_record_timestamp");
	*(void **)&o->reason = dlsym(o->library, "intel_perf_read_report_reason");
	return true;
}

static inline const struct oracle_set *oracle_set(const struct oracle_perf *perf, const char *name)
{
	for (struct oracle_list *l = perf->sets.next; l != &perf->sets; l = l->next) {
		const struct oracle_set *s = (void *)((char *)l -
						      offsetof(struct oracle_set, link));

		if (!strcmp(s->name, name))
			return s;
	}
	return NULL;
}

#endif
