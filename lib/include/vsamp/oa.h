/* SPDX-License-Identifier: MIT */
/*
 * vsamp/oa.h: what Intel GPUs report of themselves: reports of the OA unit, and metrics made of them
 *
 * A report holds counters as of an instant; what happened is the difference between two. Nothing here
 * changes after it is made: all functions are thread-safe for distinct results.
 */
#ifndef VSAMP_OA_H
#define VSAMP_OA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/error.h>

#include "vsamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layouts of a report, each of VSAMP_OA_REPORT_SIZE bytes: those of enum vsamp_gpu_format, and more */
enum vsamp_oa_format {
	VSAMP_OA_FORMAT_NONE, /* of the GPU no layout is known here */
	VSAMP_OA_FORMAT_A32U40_A4U32_B8_C8 =
		VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8, /* Gen8 to 12.10 */
	VSAMP_OA_FORMAT_A24U40_A14U32_B8_C8 = 2,     /* 12.55 to 12.74: by drivers' streams alone */
};

#define VSAMP_OA_REPORT_SIZE 256

/* Why a report was made; there may be several reasons */
enum {
	VSAMP_OA_TIMER = 1 << 0,
	VSAMP_OA_TRIGGER1 = 1 << 1,
	VSAMP_OA_TRIGGER2 = 1 << 2,
	VSAMP_OA_CONTEXT_SWITCH = 1 << 3,
	VSAMP_OA_GO = 1 << 4,	       /* the unit went on or off */
	VSAMP_OA_CLOCK_RATIO = 1 << 5, /* the GPU's clock changed */
	VSAMP_OA_MMIO_TRIGGER = 1 << 6,
};

struct vsamp_oa_head {
	uint32_t reason;
	uint32_t timestamp; /* ticks of the unit, they wrap */
	uint32_t context;   /* what ran; on an idle GPU it means nothing */
	bool context_valid;
	uint32_t clock; /* clocks of the GPU's core, they wrap */
};

/**
 * vsamp_oa_head_read - what a report is
 * @head: receives it
 * @report: VSAMP_OA_REPORT_SIZE bytes
 * @version: of the GPU, as in struct vsamp_oa_platform; at least 900
 */
void vsamp_oa_head_read(struct vsamp_oa_head *head, const void *report, unsigned int version);

/* Places of a struct vsamp_oa_deltas: the timestamp, the clock, counters A0... B0... C0... */
enum {
	VSAMP_OA_TIME,
	VSAMP_OA_CLOCK,
	VSAMP_OA_A,
	VSAMP_OA_B = VSAMP_OA_A + 38,
	VSAMP_OA_C = VSAMP_OA_B + 8,
	VSAMP_OA_DELTAS = VSAMP_OA_C + 8,
};

struct vsamp_oa_deltas {
	uint64_t value[VSAMP_OA_DELTAS];
};

/**
 * vsamp_oa_accumulate - adds what happened between two reports
 * @deltas: added to; counters that @format hasn't got stay
 * @format: of both, not VSAMP_OA_FORMAT_NONE
 * @before: VSAMP_OA_REPORT_SIZE bytes
 * @after: likewise; made so soon after @before that no counter wrapped twice
 */
void vsamp_oa_accumulate(struct vsamp_oa_deltas *deltas, enum vsamp_oa_format format,
			 const void *before, const void *after);

/* A register and what is written to it */
struct vsamp_oa_reg {
	uint32_t address, value;
};

struct vsamp_oa_regs {
	const struct vsamp_oa_reg *reg;
	unsigned int n;
};

struct vsamp_oa_op;

struct vsamp_oa_metric {
	const char *name;
	const char *unit; /* ns, cycles, Hz, percent, bytes, messages, events... */
	const char *what; /* in words */
	/* programs, for vsamp_oa_evaluate(); max and need may be NULL */
	const struct vsamp_oa_op *value, *max, *need;
};

/* A way to configure the unit, and what its counters then mean */
struct vsamp_oa_set {
	const char *name;
	const char *what; /* in words */
	const char *uuid; /* by which drivers know the configuration */
	const struct vsamp_oa_metric *metric;
	unsigned int metrics;
	struct vsamp_oa_regs mux, boolean, flex; /* to be written in this order */
};

struct vsamp_oa_platform {
	const char *name;     /* kblgt2 */
	const char *title;    /* Kaby Lake GT2 */
	unsigned int version; /* of the GPU: 900 is 9.0, 1270 is 12.70 */
	const uint16_t *id;   /* PCI's device ids */
	unsigned int ids;
	const struct vsamp_oa_set *set;
	unsigned int sets; /* 0: its metrics are not known here */
};

/** vsamp_oa_platform_find - the platform of a PCI device id of Intel's, NULL: it is not known */
const struct vsamp_oa_platform *vsamp_oa_platform_find(uint32_t id);

/** vsamp_oa_platform_name - the platform of a name, NULL: there is none */
const struct vsamp_oa_platform *vsamp_oa_platform_name(const char *name);

/** vsamp_oa_platform_format - the layout of its reports, of the unit that all engines share */
enum vsamp_oa_format vsamp_oa_platform_format(const struct vsamp_oa_platform *platform);

/** vsamp_oa_set_find - a platform's set, in any case, NULL: it has none of this name */
const struct vsamp_oa_set *vsamp_oa_set_find(const struct vsamp_oa_platform *platform,
					     const char *name);

/* What equations need to know of a GPU; what is not known is 0 */
struct vsamp_oa_device {
	uint64_t timestamp_hz; /* of the timestamps in reports; command streamers' may differ */
	uint64_t gpu_max_hz;
	uint64_t eus, eu_threads; /* execution units, and threads that each may have */
	uint64_t slices, subslices;
	uint64_t slice_mask;
	uint64_t subslice_mask; /* 3 bits a slice before Gen11, 8 from there on */
};

struct drm_i915_query_topology_info;

/**
 * vsamp_oa_device_topology - fills in what a GPU consists of
 * @device: its counts and masks of slices, subslices and execution units are set
 * @version: of the GPU
 * @topology: as i915 tells it
 * @size: bytes of it
 * @err: receives why it is refused; may be NULL
 *
 * 0; -EINVAL: it is no topology, and @device is as it was.
 */
int vsamp_oa_device_topology(struct vsamp_oa_device *device, unsigned int version,
			     const struct drm_i915_query_topology_info *topology, size_t size,
			     struct vsamp_error *err);

/* A number of an equation */
struct vsamp_oa_number {
	bool is_real;
	uint64_t whole; /* of a real number, rounded down; what is beyond 64 bits is UINT64_MAX */
	double real;
};

struct vsamp_oa_value {
	struct vsamp_oa_number value;
	struct vsamp_oa_number max; /* 0: there is none, or it is not known */
	bool available;		    /* the GPU has what is counted */
};

/**
 * vsamp_oa_evaluate - the metrics of a set
 * @value: receives as many as @set has metrics
 * @set: what the unit was configured for
 * @device: the GPU
 * @deltas: what happened
 *
 * What is divided by 0 is 0.
 */
void vsamp_oa_evaluate(struct vsamp_oa_value *value, const struct vsamp_oa_set *set,
		       const struct vsamp_oa_device *device, const struct vsamp_oa_deltas *deltas);

#ifdef __cplusplus
}
#endif

#endif
