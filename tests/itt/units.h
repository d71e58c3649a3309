/* SPDX-License-Identifier: MIT */
/*
 * units.h: in the place of an example's work.h, a unit of work is a tick of a clock of the program's own, by
 * which its tasks are told: so their times are exact
 */
static unsigned long long now;

static void clock_look(__itt_clock_info *info, void *data)
{
	(void)data;
	info->clock_freq = 1000;
	info->clock_base = now;
}

static __itt_clock_domain *units(void)
{
	static __itt_clock_domain *clock;

	if (!clock)
		clock = __itt_clock_domain_create(clock_look, NULL);
	return clock;
}

#undef __itt_task_begin
#define __itt_task_begin(domain, id, parent, name) \
	__itt_task_begin_ex(domain, units(), now, id, parent, name)
#undef __itt_task_end
#define __itt_task_end(domain) __itt_task_end_ex(domain, units(), now)

static void work(int n)
{
	now += n;
}
