// SPDX-License-Identifier: MIT
/* What to run for calibrated Sample-After values, and what they are */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <vsamp/calibrate.h>

#define NS_PER_S 1e9

static const char *const mode_names[] = {
	[VSAMP_CAL_NONE] = "none",
	[VSAMP_CAL_ALL] = "all",
	[VSAMP_CAL_EVENT] = "event",
};

static const char *const how_names[] = {
	[VSAMP_CAL_RUN] = "run",	   [VSAMP_CAL_FREQUENCY] = "frequency",
	[VSAMP_CAL_OFF] = "off",	   [VSAMP_CAL_EXPLICIT] = "explicit",
	[VSAMP_CAL_PROPERTY] = "property", [VSAMP_CAL_ZERO] = "zero",
};

const char *vsamp_cal_mode_name(enum vsamp_cal_mode mode)
{
	return mode_names[mode];
}

const char *vsamp_cal_how_name(enum vsamp_cal_how how)
{
	return how_names[how];
}

enum vsamp_cal_how vsamp_cal_how(const struct vsamp_event *ev, enum vsamp_cal_mode mode)
{
	if (mode == VSAMP_CAL_NONE)
		return VSAMP_CAL_OFF;
	if (ev->sav_source == VSAMP_SAV_EXPLICIT)
		return VSAMP_CAL_EXPLICIT;
	if (mode == VSAMP_CAL_EVENT && !ev->calibrate)
		return VSAMP_CAL_PROPERTY;
	return ev->clockticks ? VSAMP_CAL_FREQUENCY : VSAMP_CAL_RUN;
}

uint32_t vsamp_cal_needs_runs(const struct vsamp_event *events, unsigned int n,
			      enum vsamp_cal_mode mode)
{
	uint32_t mask = 0;

	for (unsigned int i = 0; i < n; i++)
		if (vsamp_cal_how(&events[i], mode) == VSAMP_CAL_RUN)
			mask |= 1U << i;
	return mask;
}

static bool coprime_to_10(uint64_t n)
{
	return n % 2 && n % 5;
}

uint64_t vsamp_cal_sav(double events, uint64_t floor, uint64_t max)
{
	uint64_t sav, reach;

	if (!(events > floor))
		sav = floor;
	else if (events >= (double)max)
		sav = max;
	else
		sav = (uint64_t)(events + 0.5);

	/* Any number is within 2 of one that ends in 1, 3, 7 or 9 */
	reach = sav / 1000 < 2 ? sav / 1000 : 2;
	for (uint64_t step = 0; step <= reach; step++) {
		if (sav + step <= max && coprime_to_10(sav + step))
			return sav + step;
		if (sav - step >= floor && coprime_to_10(sav - step))
			return sav - step;
	}
	return sav;
}

/* Is the event counted by this set's runs? */
static bool cal_in_set(const struct vsamp_cal *cal, unsigned int i, uint32_t set)
{
	return cal->options.mux || cal->events[i].set == set;
}

static bool cal_set_has_run(const struct vsamp_cal *cal, uint32_t set)
{
	for (unsigned int i = 0; i < cal->n; i++) {
		enum vsamp_cal_how how = cal->event[i].how;

		if (cal_in_set(cal, i, set) && (how == VSAMP_CAL_RUN || how == VSAMP_CAL_ZERO))
			return true;
	}
	return false;
}

double vsamp_cal_target(const struct vsamp_cal *cal, unsigned int i, uint64_t ns)
{
	enum vsamp_cal_how how = cal->event[i].how;

	if (!ns || (how != VSAMP_CAL_RUN && how != VSAMP_CAL_ZERO && how != VSAMP_CAL_FREQUENCY))
		return NAN;
	return (double)ns / cal->options.interval_ns * cal->options.cpus;
}

/* Targets of a set, for a collection of this length; 0: not known */
static void cal_aim(struct vsamp_cal *cal, uint32_t set, uint64_t ns)
{
	for (unsigned int i = 0; i < cal->n; i++)
		if (cal_in_set(cal, i, set))
			cal->event[i].target = vsamp_cal_target(cal, i, ns);
}

static void cal_set_sav(struct vsamp_cal *cal, unsigned int i, double wanted,
			enum vsamp_sav_source source)
{
	uint64_t floor = vsamp_event_sav_floor(&cal->events[i], true);

	if (floor < cal->options.floor)
		floor = cal->options.floor;
	cal->event[i].wanted = wanted;
	cal->events[i].sav = vsamp_cal_sav(wanted, floor, cal->options.sav_max);
	cal->events[i].sav_source = source;
}

static uint64_t cal_clock_hz(const struct vsamp_cal_options *options, const struct vsamp_event *ev)
{
	return ev->clock_hz ? ev->clock_hz : options->clock_hz;
}

static int cal_check(const struct vsamp_cal_options *options, const struct vsamp_event *events,
		     unsigned int n, unsigned int sets, struct vsamp_error *err)
{
	if (!options->interval_ns)
		return vsamp_fail(err, -EINVAL,
				  "the interval between samples is 0: give one above it");
	if (sets > 1 && !options->mux && !options->duration_ns && !options->launch)
		return vsamp_fail(
			err, -EINVAL,
			"the events form %u sets, which are counted one after the other, and the first would never end: give a duration or a command, or count them in time slices (--mux)",
			sets);
	for (unsigned int i = 0; i < n; i++)
		if (vsamp_cal_how(&events[i], options->mode) == VSAMP_CAL_FREQUENCY &&
		    !cal_clock_hz(options, &events[i]))
			return vsamp_fail(
				err, -ENODATA,
				"%s: this machine does not tell its clock frequency; give %s:sav=N",
				events[i].name, events[i].name);
	return 0;
}

int vsamp_cal_begin(struct vsamp_cal *cal, const struct vsamp_cal_options *options,
		    struct vsamp_event *events, unsigned int n, unsigned int sets,
		    struct vsamp_error *err)
{
	int ret = cal_check(options, events, n, sets, err);

	if (ret)
		return ret;
	memset(cal, 0, sizeof(*cal));
	cal->options = *options;
	if (!cal->options.cpus)
		cal->options.cpus = 1;
	cal->events = events;
	cal->n = n;
	cal->sets = options->mux ? 1 : sets;
	for (unsigned int i = 0; i < n; i++) {
		cal->event[i] = (struct vsamp_cal_event){
			.how = vsamp_cal_how(&events[i], options->mode),
			.counted = NAN,
			.target = NAN,
			.wanted = NAN,
		};
		if (cal->event[i].how == VSAMP_CAL_FREQUENCY)
			cal_set_sav(cal, i,
				    cal_clock_hz(options, &events[i]) / NS_PER_S *
					    options->interval_ns,
				    VSAMP_SAV_FREQUENCY);
	}
	for (unsigned int set = 0; set < cal->sets; set++)
		cal_aim(cal, set, options->duration_ns);
	return 0;
}

static uint64_t cal_run_ns(const struct vsamp_cal_options *options)
{
	if (options->cal_ns)
		return options->cal_ns;
	if (options->duration_ns || options->launch)
		return options->duration_ns;
	return VSAMP_CAL_NS_DEFAULT;
}

bool vsamp_cal_next(const struct vsamp_cal *cal, struct vsamp_cal_step *step)
{
	unsigned int runs = 0;

	*step = (struct vsamp_cal_step){ .run = cal->done + 1 };
	for (unsigned int set = 0; set < cal->sets; set++) {
		unsigned int last = runs + cal_set_has_run(cal, set);

		if (cal->done >= runs && cal->done <= last) {
			step->set = set;
			step->collect = cal->done == last;
		}
		runs = last + 1;
	}
	step->runs = runs;
	step->duration_ns = step->collect ? cal->options.duration_ns : cal_run_ns(&cal->options);
	return cal->done < runs;
}

/* No more than the duration, if there is one */
static uint64_t cal_length(const struct vsamp_cal *cal, uint64_t ns)
{
	uint64_t duration = cal->options.duration_ns;

	return duration && duration < ns ? duration : ns;
}

static void cal_count(struct vsamp_cal *cal, unsigned int i, const struct vsamp_cal_run *run)
{
	struct vsamp_cal_event *event = &cal->event[i];
	double counted = run->counted[i];
	double samples = (double)run->elapsed_ns / cal->options.interval_ns * cal->options.cpus;

	event->cal_ns = run->elapsed_ns;
	if (!isfinite(counted) || counted <= 0 || !run->elapsed_ns) {
		event->counted = 0;
		event->how = VSAMP_CAL_ZERO;
		return;
	}
	event->counted = counted;
	cal_set_sav(cal, i, counted / samples, VSAMP_SAV_CALIBRATED);
}

void vsamp_cal_counted(struct vsamp_cal *cal, const struct vsamp_cal_run *run)
{
	struct vsamp_cal_step step;

	if (!vsamp_cal_next(cal, &step) || step.collect)
		return;
	for (unsigned int i = 0; i < cal->n; i++)
		if (cal_in_set(cal, i, step.set) && cal->event[i].how == VSAMP_CAL_RUN)
			cal_count(cal, i, run);
	if (run->program_ended) {
		cal->program_ns = cal_length(cal, run->elapsed_ns);
		cal_aim(cal, step.set, cal->program_ns);
	}
	cal->done++;
}

void vsamp_cal_collected(struct vsamp_cal *cal, const struct vsamp_cal_run *run)
{
	struct vsamp_cal_step step;
	bool again = run->program_ended && cal->program_ns;

	if (!vsamp_cal_next(cal, &step) || !step.collect)
		return;
	cal_aim(cal, step.set, again ? cal->program_ns : cal_length(cal, run->elapsed_ns));
	cal->program_ns = 0;
	cal->done++;
}
