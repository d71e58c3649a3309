/* SPDX-License-Identifier: MIT */
/*
 * vsamp/meta.h: the META and END chunks of a file that is being recorded (docs/file-format.md)
 *
 * Thread-safe for distinct objects.
 */
#ifndef VSAMP_META_H
#define VSAMP_META_H

#include <vsamp/calibrate.h>
#include <vsamp/control.h>
#include <vsamp/recorder.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_object;

enum vsamp_scope_kind {
	VSAMP_SCOPE_MACHINE,
	VSAMP_SCOPE_CPUS,
	VSAMP_SCOPE_PROCESS,
};

/* A number that may not be known is NAN */
struct vsamp_meta_event {
	double counted; /* by the calibration run */
	double target;	/* samples aimed at, in the whole run */
};

struct vsamp_meta {
	char *const *command_line; /* of vsamp itself, NULL at its end */
	const struct vsamp_cpu_caps *caps;
	const char *backend_reason;
	enum vsamp_scope_kind scope;
	const char *cpus; /* list of those sampled */
	const pid_t *pids;
	unsigned int n_pids;
	char *const *command; /* launched, NULL at its end; NULL: none */
	double interval_ms;
	double duration_s; /* NAN: until it is ended */
	enum vsamp_cal_mode cal_mode;
	bool cal_per_cpu;   /* the target is of each CPU */
	double cal_seconds; /* counted by the calibration run; NAN: there was none */
	unsigned int runs;  /* the recording included */
	const struct vsamp_event *events;
	const struct vsamp_meta_event *event; /* of each event */
	unsigned int n_events;
	uint32_t ring_size;	/* bytes a CPU */
	uint32_t sideband_size; /* bytes a CPU, as it turned out; 0: without a sideband */
};

/** vsamp_meta_json - the META chunk; json_object_put() it; NULL: no memory */
struct json_object *vsamp_meta_json(const struct vsamp_meta *meta);

struct vsamp_end {
	const char *reason; /* "duration", "signal", "exit", "foreign" or "error" */
	uint64_t elapsed_ns;
	int exit_status; /* of the launched command; negative: none */
	const struct vsamp_recorder_totals *totals;
	const double *target; /* of each event, samples; NAN: none */
	unsigned int n_events;
};

/** vsamp_end_json - the END chunk; json_object_put() it; NULL: no memory */
struct json_object *vsamp_end_json(const struct vsamp_end *end);

#ifdef __cplusplus
}
#endif

#endif
