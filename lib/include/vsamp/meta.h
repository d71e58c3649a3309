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
#include <vsamp/gpu_recorded.h>
#include <vsamp/recorder.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_object;

enum vsamp_scope_kind {
	VSAMP_SCOPE_MACHINE,
	VSAMP_SCOPE_CPUS,
	VSAMP_SCOPE_PROCESS,
	VSAMP_SCOPE_CGROUP,
};

/* A number that may not be known is NAN */
struct vsamp_meta {
	char *const *command_line; /* of vsamp itself, NULL at its end */
	const struct vsamp_cpu_caps *caps;
	uint32_t backend; /* VSAMP_BACKEND_x */
	const char *backend_reason;
	enum vsamp_scope_kind scope;
	const char *cpus; /* list of those sampled */
	const pid_t *pids;
	unsigned int n_pids;
	bool children;	      /* those that the processes fork are sampled, too */
	char *const *cgroups; /* names below the tree's mount point */
	unsigned int n_cgroups;
	char *const *command; /* launched, NULL at its end; NULL: none */
	double interval_ms;
	double duration_s; /* NAN: until it is ended */
	enum vsamp_cal_mode cal_mode;
	bool cal_per_cpu;   /* the target is of each CPU */
	bool adaptive;	    /* Sample-After values go on changing */
	uint64_t sav_floor; /* smallest Sample-After value allowed */
	unsigned int runs;  /* the calibration runs and the collections of all sets */
	unsigned int sets;
	uint32_t mux_ms; /* 0: set after set */
	const struct vsamp_event *events;
	const struct vsamp_cal_event *event; /* of each event; what is known so far */
	unsigned int n_events;
	uint32_t stacks;	/* VSAMP_STACKS_* that samples have */
	uint32_t stack_depth;	/* frames of either side, at most */
	uint32_t ring_size;	/* bytes a CPU */
	uint32_t sideband_size; /* bytes a CPU, as it turned out; 0: without a sideband */
	unsigned int part;	/* of a recording in several files: from 1; 0: it is in one */
	const struct vsamp_record_clock *clock_before; /* told of in the file before; NULL: none */
};

/** vsamp_meta_json - the META chunk; json_object_put() it; NULL: no memory */
struct json_object *vsamp_meta_json(const struct vsamp_meta *meta);

/** vsamp_run_json - a RUN chunk: as META, of the events of @set only; for each set but the first */
struct json_object *vsamp_run_json(const struct vsamp_meta *meta, uint32_t set);

/* How the collection of a set went */
struct vsamp_end_run {
	/* "duration", "signal", "exit", "foreign", "reboot" or "error"; "rotate": another file goes on */
	const char *reason;
	uint64_t elapsed_ns;
	int exit_status;    /* of the launched command; negative: none */
	uint64_t throttled; /* times that sampling was held back in it */
};

struct vsamp_end {
	const struct vsamp_end_run *run; /* by set; of time slices: one */
	unsigned int runs; /* sets that were collected, the last one perhaps in part */
	const struct vsamp_recorder_totals
		*totals;		  /* of all of them: vsamp_recorder_totals_add() */
	const struct vsamp_event *events; /* with the values that held at the end */
	const struct vsamp_cal_event *event;
	unsigned int n_events;
	const struct vsamp_gpu_recorded *gpus;
	unsigned int n_gpus;
};

/** vsamp_end_json - the END chunk; json_object_put() it; NULL: no memory */
struct json_object *vsamp_end_json(const struct vsamp_end *end);

#ifdef __cplusplus
}
#endif

#endif
