// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pausing.h"
#include "say.h"

int options_take_itt_pause(struct options *o, const char *value, struct vsamp_error *err)
{
	if (strcmp(value, "session") && strcmp(value, "process"))
		return vsamp_fail(err, -EINVAL, "'%s': --itt-pause is session or process", value);
	o->itt_session = !strcmp(value, "session");
	return 0;
}

int options_take_start_paused(struct options *o, const char *value, struct vsamp_error *err)
{
	o->start_paused = true;
	return 0;
}

int pausing_begin(struct pausing *p, const struct options *o, const char *dir, uint32_t clock,
		  struct ends *ends, struct vsamp_error *err)
{
	int ret;

	*p = (struct pausing){ 0 };
	if (!o->itt_session && !o->start_paused)
		return 0;
	if (!*dir)
		return vsamp_fail(
			err, -EINVAL,
			"%s: no program can tell of pauses here: launch it by this command, or name the folder of those that run (--itt-dir)",
			o->start_paused ? "--start-paused" : "--itt-pause");
	if (!o->itt_session) {
		setenv("VSAMP_ITT_PAUSED", "1", 1);
		return 0;
	}
	ret = vsamp_itt_pauses_open(&p->all, dir, clock, o->start_paused, err);
	return ret ? ret : ends_watch(ends, vsamp_itt_pauses_fd(p->all), err);
}

void pausing_end(struct pausing *p)
{
	unsetenv("VSAMP_ITT_PAUSED");
	if (p->all)
		p->resumes = vsamp_itt_pauses_resumes(p->all);
	vsamp_itt_pauses_close(p->all);
	p->all = NULL;
}

void pausing_say(const struct pausing *p, const struct options *o,
		 const struct vsamp_itt_totals *told)
{
	if (!o->start_paused || p->resumes)
		return;
	if (o->itt_session)
		say("--start-paused: no program called __itt_resume(), so that everything was paused");
	else if (!told->processes)
		say("--start-paused: no program made an ITT call, so that nothing was paused");
	else if (!told->resumes)
		say("--start-paused: no program called __itt_resume(): all samples of those that make ITT calls are left out");
}
