/* SPDX-License-Identifier: MIT */
/*
 * vsamp/calibrate.h: the Sample-After value that takes as many samples as are wanted
 *
 * target = duration / interval samples. A calibration run counts and records nothing;
 * SAV = events counted / target, clamped to what the counter takes and nudged by at most 0.1 % to a
 * value coprime to 10. Clockticks need no run: SAV = clock frequency x interval; nor does cpu-clock,
 * whose frequency is its own, 1 GHz.
 *
 * struct vsamp_cal says what to do next: the caller does it and tells how it went.
 *
 *	vsamp_cal_begin(&cal, &options, events, n, sets, &err);
 *	while (vsamp_cal_next(&cal, &step)) {
 *		configure a session with the events as they are now, and step.set;
 *		launch the program, if there is one; start; wait; stop; stop the program;
 *		step.collect ? vsamp_cal_collected(&cal, &run) : vsamp_cal_counted(&cal, &run);
 *	}
 *
 * Nothing here looks at a clock or calls the system. Thread-safe for distinct objects. Times are
 * nanoseconds. A number that isn't known is NAN.
 */
#ifndef VSAMP_CALIBRATE_H
#define VSAMP_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/event.h>

#include "vsamp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum vsamp_cal_mode {
	VSAMP_CAL_NONE,
	VSAMP_CAL_ALL,	 /* all selected events */
	VSAMP_CAL_EVENT, /* by event property: on by default for Clockticks, Instructions Retired */
};

/** vsamp_cal_mode_name - "none", "all" or "event" */
const char *vsamp_cal_mode_name(enum vsamp_cal_mode mode);

/* How an event comes by its Sample-After value, and if it isn't calibrated, why not */
enum vsamp_cal_how {
	VSAMP_CAL_RUN,	     /* counted in a calibration run */
	VSAMP_CAL_FREQUENCY, /* calibrated without a run */
	VSAMP_CAL_OFF,	     /* not: no calibration was asked for */
	VSAMP_CAL_EXPLICIT,  /* not: a value was given */
	VSAMP_CAL_PROPERTY,  /* not: the event's property says so */
	VSAMP_CAL_ZERO,	     /* not: no event came in the calibration run */
};

/** vsamp_cal_how - what is to be done for an event; never VSAMP_CAL_ZERO */
enum vsamp_cal_how vsamp_cal_how(const struct vsamp_event *ev, enum vsamp_cal_mode mode);

/** vsamp_cal_how_name - "run", "frequency", "off", "explicit", "property" or "zero" */
const char *vsamp_cal_how_name(enum vsamp_cal_how how);

/** vsamp_cal_needs_runs - bit i: event i needs a calibration run; for vsamp_events_schedule() */
uint32_t vsamp_cal_needs_runs(const struct vsamp_event *events, unsigned int n,
			      enum vsamp_cal_mode mode);

/**
 * vsamp_cal_sav - the Sample-After value
 * @events: that must make one sample after another, at the rate counted (need not be whole)
 * @floor: smallest value allowed
 * @max: largest value allowed
 *
 * Returns @events rounded, clamped, and made coprime to 10 where that takes no more than 0.1 % and
 * stays within the limits.
 */
uint64_t vsamp_cal_sav(double events, uint64_t floor, uint64_t max);

/* What is asked for */
struct vsamp_cal_options {
	enum vsamp_cal_mode mode;
	uint64_t interval_ns;
	uint64_t duration_ns; /* of a set's collection; 0: until it is ended */
	uint64_t cal_ns;      /* of a calibration run, where it is to differ; 0: it isn't */
	bool launch;	      /* a program is launched for each run; its end ends the run */
	bool mux;	      /* all sets in one run, in time slices */
	unsigned int cpus;    /* sampled CPUs that have the target each; 0, 1: it is a total */
	uint64_t clock_hz;    /* of events that have none of their own; 0: not known */
	uint64_t floor;	      /* of Sample-After values; an event's own may be higher */
	uint64_t sav_max;
};

/* Counted without duration and program: for a rate */
#define VSAMP_CAL_NS_DEFAULT 2000000000ULL

/* What is to be done next */
struct vsamp_cal_step {
	bool collect;	      /* else it is a calibration run: counts, records nothing */
	uint32_t set;	      /* to be counted; with mux: 0, and all of them are */
	uint64_t duration_ns; /* 0: until it is ended, by the program or from outside */
	unsigned int run;     /* 1, 2, ... */
	unsigned int runs;    /* of all there are */
};

/* How it went: of the events of the step's set, what they counted */
struct vsamp_cal_run {
	uint64_t elapsed_ns;
	bool program_ended; /* by itself, which ended the run */
	/* scaled by what part of the time they were running, with mux */
	double counted[VSAMP_EVENTS_MAX];
};

/* What became of an event */
struct vsamp_cal_event {
	enum vsamp_cal_how how;
	double counted; /* by the calibration run; NAN: there was none */
	double target;	/* samples aimed at, in the whole collection; NAN: not calibrated, or not */
			/* known yet; VSAMP_CAL_ZERO does have one */
	double wanted;	/* events between samples, before it was clamped; NAN: not calibrated */
	uint64_t cal_ns; /* length of its calibration run */
};

struct vsamp_cal {
	struct vsamp_cal_options options;
	struct vsamp_event *events; /* the caller's; their sav and sav_source are set here */
	unsigned int n;
	unsigned int sets;
	unsigned int done;   /* runs */
	uint64_t program_ns; /* that the program took in the set's calibration run; 0: not known */
	struct vsamp_cal_event event[VSAMP_EVENTS_MAX];
};

/** vsamp_cal_target - samples aimed at in so many ns of collecting; NAN: 0 ns, or not calibrated */
double vsamp_cal_target(const struct vsamp_cal *cal, unsigned int event, uint64_t ns);

/**
 * vsamp_cal_begin - begin, with the events in their sets
 * @events: of vsamp_events_schedule(), at most VSAMP_EVENTS_MAX; stay the caller's, and must live as
 *	    long as @cal
 * @sets: how many sets; with options->mux they are run as one
 *
 * Sets what needs no run: Clockticks. Errors: -ENODATA for Clockticks of a clock that isn't known;
 * -EINVAL for several sets without mux, duration and program, since the first would never end, and
 * for an interval of 0; the texts have the remedy. No event is changed then.
 */
int vsamp_cal_begin(struct vsamp_cal *cal, const struct vsamp_cal_options *options,
		    struct vsamp_event *events, unsigned int n, unsigned int sets,
		    struct vsamp_error *err);

/**
 * vsamp_cal_next - what to do next
 *
 * Set after set: a calibration run if one of its events needs one, then its collection. False: all
 * is done. Depends on nothing but the options, the events' sets and how much was done.
 */
bool vsamp_cal_next(const struct vsamp_cal *cal, struct vsamp_cal_step *step);

/**
 * vsamp_cal_counted - a calibration run is over: set its events' Sample-After values and targets
 *
 * An event that counted nothing keeps its value (VSAMP_CAL_ZERO). Targets are for the duration, or
 * for as long as the program took where it ended earlier; without both they are NAN. Does nothing
 * where vsamp_cal_next() says otherwise than to calibrate.
 */
void vsamp_cal_counted(struct vsamp_cal *cal, const struct vsamp_cal_run *run);

/**
 * vsamp_cal_collected - a collection is over: settle its events' targets
 *
 * A program that ended by itself in both runs was to give as many samples as it got a target for
 * by the calibration run, since it does the same again, be it slower. All else is measured by what
 * it was: by the time it took, but no more than the duration. @run->counted is not used. Does
 * nothing where vsamp_cal_next() says otherwise than to collect.
 */
void vsamp_cal_collected(struct vsamp_cal *cal, const struct vsamp_cal_run *run);

/* A collection that is going on, for one event */
struct vsamp_cal_pace {
	double target;	      /* samples of the whole collection; of all CPUs */
	uint64_t duration_ns; /* that it is for; 0: as long as it lasts, target being the rate of */
	/* 1 s */
	uint64_t elapsed_ns;
	uint64_t idle_ns;   /* of that; kept by vsamp_cal_adapt(), begins as 0 */
	double taken;	    /* samples so far; of all CPUs */
	double counted;	    /* events in the last window */
	uint64_t window_ns; /* its length */
	uint64_t sav;	    /* that holds now */
	uint64_t sav_begin; /* that the collection began with */
	uint64_t floor, sav_max;
};

/**
 * vsamp_cal_adapt - the Sample-After value to go on with, so that the target is met
 *
 * Call it at the end of each window, always with the same @pace. What is still to be taken, of the
 * events that are to come in what is left of the time: at the rate of the last window, and idle for
 * as much of it as up to now. Within limits: a 32nd to 32 times @sav_begin, at most 8 times more or
 * less than now; @sav where the change would be below 2 % or make no more than half a percent of the
 * target, where the window was idle (nothing was counted, or less than the limits are for), the time
 * is over, or there is no target.
 */
uint64_t vsamp_cal_adapt(struct vsamp_cal_pace *pace);

/* How a collection went, for one event; what is not known is NAN */
struct vsamp_cal_outcome {
	double target;
	double taken;	/* samples, scaled by the running share with mux */
	double lost;	/* samples that found no room */
	double counted; /* events, in the calibration run */
	double cal_ns;	/* its length */
	double count;	/* events, in the collection; scaled likewise */
	double elapsed_ns;
	uint64_t sav;	    /* at the end */
	uint64_t floor;	    /* smallest allowed then */
	uint64_t throttled; /* times that sampling was held back */
	enum vsamp_cal_how how;
	bool adaptive;
};

/** vsamp_cal_deviation - of what was taken from the target, in percent; NAN: there is no target */
double vsamp_cal_deviation(const struct vsamp_cal_outcome *outcome);

/**
 * vsamp_cal_miss - why the target was missed
 * @text: receives it, a phrase without a full stop; "" where taken is within 2 % of the target, or
 *	  there is none
 *
 * The first that applies: what was lost and held back; the floor; no calibration run, or none that
 * counted; a rate, or a length of the program, that was another one than in the calibration run;
 * too few samples for 2 %.
 */
void vsamp_cal_miss(const struct vsamp_cal_outcome *outcome, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
