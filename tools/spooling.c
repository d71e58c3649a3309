// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vsamp/itt_spool.h>
#include <vsamp/machine.h>

#include "clock.h"
#include "run.h"
#include "say.h"
#include "spooling.h"

#define LIBRARY	  "INTEL_LIBITTNOTIFY64"
#define BUSY_NS	  100000000ULL
#define IDLE_NS	  1000000000ULL
#define COLLECTOR "libvsamp-itt.so"

int options_take_itt(struct options *o, const char *value, struct vsamp_error *err)
{
	if (strcmp(value, "on") && strcmp(value, "off"))
		return vsamp_fail(err, -EINVAL, "'%s': --itt is on or off", value);
	o->no_itt = !strcmp(value, "off");
	return 0;
}

bool spooling_collector(char *path, size_t size)
{
	char real[PATH_MAX];
	const char *slash;
	Dl_info info;

	if (!dladdr((void *)vsamp_itt_spool_join, &info) || !realpath(info.dli_fname, real))
		return false;
	slash = strrchr(real, '/');
	return (size_t)snprintf(path, size, "%.*s/" COLLECTOR, (int)(slash - real), real) < size &&
	       !access(path, R_OK);
}

/* The command may run as another user, who is to make files in it */
static bool dir_make(struct spooling *s)
{
	struct vsamp_error err;

	if (vsamp_itt_spool_make(s->dir, sizeof(s->dir), &err)) {
		say("ITT: %s: without tasks and events", err.text);
		return false;
	}
	return geteuid() || !chmod(s->dir, 01733);
}

const char *spooling_clock(uint32_t clock)
{
	char source[32];

	vsamp_machine_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			   source, sizeof(source));
	if (clock == VSAMP_CLOCK_TSC || !strcmp(source, "tsc") ||
	    !strcmp(source, "arch_sys_counter"))
		return NULL;
	return clock == VSAMP_CLOCK_MONOTONIC ? "monotonic" : "monotonic-raw";
}

/*
 * Most programs tell nothing: a recorder that looked now and then would take their processor's time,
 * and read its buffers before they are worth it
 */
static void first_watch(struct spooling *s, struct ends *ends)
{
	struct vsamp_error why;
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return;
	if (inotify_add_watch(fd, s->dir, IN_CREATE) < 0 || ends_watch(ends, fd, &why))
		close(fd);
	else
		s->first = fd;
}

static void first_forget(struct spooling *s)
{
	if (s->first)
		close(s->first);
	s->first = 0;
}

/* Whether something has come, which is told once */
static bool first_came(struct spooling *s)
{
	char events[sizeof(struct inotify_event) + NAME_MAX + 1];

	if (!s->first || read(s->first, events, sizeof(events)) <= 0)
		return false;
	first_forget(s);
	return true;
}

void spooling_begin(struct spooling *s, const struct options *o, uint32_t clock, struct ends *ends)
{
	const char *own = getenv(LIBRARY), *name = spooling_clock(clock);
	char collector[SPOOLING_LIBRARY_MAX];
	struct vsamp_error err = { 0 };

	*s = (struct spooling){ .clock = clock };
	if (!run_is_launch(o) || o->no_itt)
		return;
	if (own && *own) {
		if (!o->quiet)
			say("ITT: " LIBRARY
			    " is set to %s, which the command keeps: without tasks and events",
			    own);
		return;
	}
	if (!spooling_collector(collector, sizeof(collector))) {
		if (o->verbose)
			say("ITT: there is no " COLLECTOR
			    " beside libvsamp.so: without tasks and events");
		return;
	}
	if (!dir_make(s))
		return;
	if (vsamp_itt_spool_open(&s->spool, s->dir, clock, VSAMP_ITT_SPOOL_TAKE, &err)) {
		say("ITT: %s: without tasks and events", err.text);
		return;
	}
	first_watch(s, ends);
	setenv(LIBRARY, collector, 1);
	setenv("VSAMP_ITT_DIR", s->dir, 1);
	if (name)
		setenv("VSAMP_ITT_CLOCK", name, 1);
}

/* Seldom while nothing comes; often while much does, so that programs needn't make their files longer */
static int spooling_drain(struct spooling *s, struct vsamp_error *err)
{
	uint64_t before = s->told.records;
	int ret = vsamp_itt_spool_drain(s->spool, err);

	s->told = vsamp_itt_spool_totals(s->spool);
	s->due = clock_ns(CLOCK_MONOTONIC) + (s->told.records == before ? IDLE_NS : BUSY_NS);
	return ret;
}

int spooling_start(struct spooling *s, struct vsamp_writer *w, struct vsamp_error *err)
{
	int ret = 0;

	if (!s->spool)
		return 0;
	if (s->due || s->joins)
		ret = spooling_drain(s, err);
	if (!s->first)
		s->due = clock_ns(CLOCK_MONOTONIC) + BUSY_NS;
	return ret ? ret : vsamp_itt_spool_start(s->spool, w, err);
}

uint64_t spooling_next(const struct spooling *s, uint64_t deadline)
{
	return s->due && (!deadline || s->due < deadline) ? s->due : deadline;
}

int spooling_step(struct spooling *s, struct vsamp_error *err)
{
	bool due = first_came(s) || (s->due && s->due <= clock_ns(CLOCK_MONOTONIC));

	return due ? spooling_drain(s, err) : 0;
}

void spooling_say(const struct vsamp_itt_totals *r)
{
	if (r->lost)
		say("ITT: %" PRIu64
		    " calls are lost: the disk is full, or a thread had more than VSAMP_ITT_LIMIT (1024 MiB)",
		    r->lost);
	if (r->bad)
		say("ITT: %u files of threads are damaged, and were read as far as they are whole",
		    r->bad);
	if (r->denied)
		say("ITT: %u files are of other users, and are left out: root, or CAP_DAC_OVERRIDE and CAP_FOWNER, takes them",
		    r->denied);
	if (r->others)
		say("ITT: %u files are of other users than the processes that they name, and are left out",
		    r->others);
	if (r->foreign)
		say("ITT: %u processes of another PID namespace had ended before their numbers could be told here: they have their own, and 2^30 added",
		    r->foreign);
	if (r->clocks)
		say("ITT: %u files of threads have times of another clock, and are left out",
		    r->clocks);
}

int spooling_end(struct spooling *s, struct vsamp_writer *w, int failed, struct vsamp_error *err)
{
	struct vsamp_error why = { 0 };
	int ret = failed;

	first_forget(s);
	if (!s->dir[0] && !s->spool)
		return failed;
	unsetenv(LIBRARY);
	unsetenv("VSAMP_ITT_DIR");
	unsetenv("VSAMP_ITT_CLOCK");
	if (w && s->spool) {
		ret = spooling_drain(s, err);
		if (!ret)
			ret = vsamp_writer_flush(w, err);
		if (!ret)
			spooling_say(&s->told);
		if (!ret && s->joins && !s->told.files)
			say("ITT: no program that is sampled tells anything in the folder of --itt-dir: 'vsamp itt env' prints what it is to be started with");
	}
	vsamp_itt_spool_close(s->spool);
	s->spool = NULL;
	if (s->joins)
		return ret;
	if (vsamp_itt_spool_remove(s->dir, &why))
		say("ITT: %s (a process that still runs may use it)", why.text);
	s->dir[0] = '\0';
	return ret;
}
