// SPDX-License-Identifier: GPL-2.0
/*
 * Two core PMUs, as of a processor that has two kinds of core: cpu_big of CPU 0 and cpu_little of
 * CPU 1. Whatever event it is, they count the ns for which it is on its CPU, and make no samples.
 * For Linux 6.1 on a machine for whose counters the kernel has no driver; "extended=0": as older
 * drivers, they can't be chosen by a hardware event's config.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>

static bool extended = true;
module_param(extended, bool, 0400);

static struct pmu kinds_pmu[2];

static bool kinds_has_cpu(const struct pmu *pmu, int cpu)
{
	return pmu == &kinds_pmu[cpu];
}

static int kinds_init_event(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type && event->attr.type != PERF_TYPE_HARDWARE &&
	    event->attr.type != PERF_TYPE_RAW)
		return -ENOENT;
	if (event->cpu != -1 && !kinds_has_cpu(event->pmu, event->cpu))
		return -ENOENT;
	return 0;
}

static void kinds_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, local_clock());
	event->hw.state = 0;
}

static void kinds_read(struct perf_event *event)
{
	u64 now = local_clock();

	if (!(event->hw.state & PERF_HES_STOPPED))
		local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void kinds_stop(struct perf_event *event, int flags)
{
	kinds_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int kinds_add(struct perf_event *event, int flags)
{
	if (!kinds_has_cpu(event->pmu, smp_processor_id()))
		return -ENOENT;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		kinds_start(event, flags);
	return 0;
}

static void kinds_del(struct perf_event *event, int flags)
{
	kinds_stop(event, flags);
}

static int kinds_filter(struct perf_event *event)
{
	return kinds_has_cpu(event->pmu, smp_processor_id());
}

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", dev_get_drvdata(dev) == &kinds_pmu[1]);
}

static DEVICE_ATTR_RO(cpus);

static struct attribute *kinds_attrs[] = { &dev_attr_cpus.attr, NULL };

static const struct attribute_group kinds_group = { .attrs = kinds_attrs };

static const struct attribute_group *kinds_groups[] = { &kinds_group, NULL };

static int kinds_register(struct pmu *pmu, const char *name)
{
	*pmu = (struct pmu) {
		.module = THIS_MODULE,
		.attr_groups = kinds_groups,
		.task_ctx_nr = perf_hw_context,
		.event_init = kinds_init_event,
		.add = kinds_add,
		.del = kinds_del,
		.start = kinds_start,
		.stop = kinds_stop,
		.read = kinds_read,
		.capabilities = PERF_PMU_CAP_HETEROGENEOUS_CPUS |
				(extended ? PERF_PMU_CAP_EXTENDED_HW_TYPE : 0),
		.filter_match = kinds_filter,
	};
	return perf_pmu_register(pmu, name, -1);
}

static int __init kinds_init(void)
{
	int err;

	err = kinds_register(&kinds_pmu[0], "cpu_big");
	if (err)
		return err;
	err = kinds_register(&kinds_pmu[1], "cpu_little");
	if (err)
		perf_pmu_unregister(&kinds_pmu[0]);
	return err;
}

static void __exit kinds_exit(void)
{
	perf_pmu_unregister(&kinds_pmu[1]);
	perf_pmu_unregister(&kinds_pmu[0]);
}

module_init(kinds_init);
module_exit(kinds_exit);
MODULE_DESCRIPTION("two core PMUs");
MODULE_LICENSE("GPL");
