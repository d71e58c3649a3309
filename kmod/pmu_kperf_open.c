// SPDX-License-Identifier: GPL-2.0
/*
 * The kperf backend: how perf is asked to count, and what it refuses
 *
 * DOC: processes
 *
 * Each thread that a process has gets an event of its own, which what it creates later inherits:
 * other threads always, other processes with VSAMP_FLAG_INHERIT. A thread may be created while this
 * goes on, by one that has no event yet, or by one that has. So the threads are looked through
 * again and again, for one event after the other, until each has the event or has inherited it.
 *
 * DOC: kinds of core
 *
 * Where a processor has kinds of core, perf has a PMU for each, which counts on its own CPUs only.
 * For an event of a CPU it takes that CPU's; an event that follows a process would get the first.
 * So the CPUs' PMUs are found by opening the event on each, and a process has an event of each PMU.
 * An event that names its PMU is of one kind.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/xarray.h>

#include "compat.h"
#include "pmu_kperf.h"
#include "session.h"

/* perf runs its clocks by timers of no shorter period */
#define KPERF_CLOCK_SAV_MIN 10000

#define KPERF_KINDS_MAX	8

struct kperf_kinds {
	u32 count;
	u32 type[KPERF_KINDS_MAX];	/* of the PMUs */
};

bool kperf_is_counted(const struct session_config *config, u32 index)
{
	return config->events[index].set == config->set;
}

/* Whether an event is one of perf's clocks, which count ns */
static bool kperf_is_clock(const struct pmu_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						     event->config == PERF_COUNT_SW_TASK_CLOCK);
}

static struct perf_event_attr kperf_attr(const struct pmu_event *event)
{
	return (struct perf_event_attr) {
		.type = event->type,
		.size = sizeof(struct perf_event_attr),
		.config = event->config,
		.sample_period = event->sav,
		.exclude_user = !(event->flags & VSAMP_EVENT_USER),
		.exclude_kernel = !(event->flags & VSAMP_EVENT_KERNEL),
		.exclude_hv = !(event->flags & VSAMP_EVENT_KERNEL),
		.disabled = 1,
	};
}

/* One that counts from now on, or from its task's exec on */
static struct perf_event_attr kperf_attr_of_process(const struct session_config *config, u32 index)
{
	struct perf_event_attr attr = kperf_attr(&config->events[index]);

	attr.enable_on_exec = !!(config->flags & VSAMP_FLAG_ON_EXEC);
	attr.disabled = attr.enable_on_exec;
	attr.inherit = 1;
	attr.inherit_thread = !(config->flags & VSAMP_FLAG_INHERIT);
	return attr;
}

static struct perf_event *kperf_event_open(struct perf_event_attr *attr, u32 index, int cpu,
					   struct task_struct *task)
{
	struct perf_event *event;

	event = perf_event_create_kernel_counter(attr, cpu, task, kperf_overflow,
						 (void *)(unsigned long)index);
	if (!IS_ERR(event) && attr->sample_period &&
	    event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) {
		perf_event_release_kernel(event);
		event = ERR_PTR(-EOPNOTSUPP);
	}
	return event;
}

static int kperf_counter_open(struct perf_event_attr *attr, u32 index, u32 kind, int cpu,
			      struct task_struct *task, struct list_head *counters)
{
	struct kperf_counter *counter = kzalloc(sizeof(*counter), GFP_KERNEL_ACCOUNT);
	int err;

	if (!counter)
		return -ENOMEM;
	counter->index = index;
	counter->kind = kind;
	counter->event = kperf_event_open(attr, index, cpu, task);
	if (IS_ERR(counter->event)) {
		err = PTR_ERR(counter->event);
		kfree(counter);
		return err;
	}
	list_add_tail(&counter->node, counters);
	return 0;
}

/* Nobody may hold CPUs */
void kperf_close_counters(struct list_head *counters)
{
	struct kperf_counter *counter, *next;

	list_for_each_entry_safe(counter, next, counters, node) {
		perf_event_release_kernel(counter->event);
		kfree(counter);
	}
	INIT_LIST_HEAD(counters);
}

/* Refusals */

static const char *kperf_reason(int err)
{
	switch (err) {
	case -ENOENT:
		return "no PMU here has it";
	case -EINVAL:
		return "its PMU doesn't know it, or can't count it so";
	case -EBUSY:
		return "somebody else than perf has reserved the counters";
	case -EOPNOTSUPP:
		return "its PMU has no interrupt, or a virtual machine has the PMU";
	case -ESRCH:
		return "the process has ended";
	case -EXDEV:
		return "of processes this kernel's perf counts it on one kind of core only";
	case -ENOMEM:
		return "no memory";
	case -EACCES:
	case -EPERM:
		return "a security policy forbids it";
	default:
		return "perf refuses it";
	}
}

void kperf_refuse(const struct session_config *config, u32 index, int err,
		  struct netlink_ext_ack *extack)
{
	const struct pmu_event *event = &config->events[index];

	NL_SET_ERR_MSG_FMT(extack, "event %u (type %u, config 0x%llx): %s", index, event->type,
			   event->config, kperf_reason(err));
}

/* CPUs */

/* Not every CPU has every PMU, nor is a CPU online for sure: those are none's fault */
static bool kperf_is_elsewhere(int err)
{
	return err == -ENOENT || err == -ENODEV;
}

/*
 * kperf_open_cpu() - open those of the session's events that this CPU can count; CPUs may come and
 *	go
 */
int kperf_open_cpu(const struct session_config *config, int cpu, struct list_head *counters,
		   struct netlink_ext_ack *extack)
{
	struct perf_event_attr attr;
	int err;
	u32 i;

	for (i = 0; i < config->event_count; i++) {
		if (!kperf_is_counted(config, i))
			continue;
		attr = kperf_attr(&config->events[i]);
		err = kperf_counter_open(&attr, i, 0, cpu, NULL, counters);
		if (err && !kperf_is_elsewhere(err)) {
			kperf_refuse(config, i, err, extack);
			return err;
		}
	}
	return 0;
}

/* Kinds of core */

static void kperf_kinds_add(struct kperf_kinds *kinds, u32 type)
{
	u32 i;

	for (i = 0; i < kinds->count; i++)
		if (kinds->type[i] == type)
			return;
	if (kinds->count < KPERF_KINDS_MAX)
		kinds->type[kinds->count++] = type;
}

/* The PMUs that perf takes for an event, one of CPUs' cores, on the CPUs that are online */
static void kperf_kinds(const struct session_config *config, u32 index, struct kperf_kinds *kinds)
{
	struct perf_event_attr attr = kperf_attr(&config->events[index]);
	struct perf_event *event;
	int cpu;

	kinds->count = 0;
	if (attr.type != PERF_TYPE_HARDWARE && attr.type != PERF_TYPE_HW_CACHE &&
	    attr.type != PERF_TYPE_RAW)
		return;
	for_each_online_cpu(cpu) {
		event = kperf_event_open(&attr, index, cpu, NULL);
		if (IS_ERR(event))
			continue;
		kperf_kinds_add(kinds, event->pmu->type);
		perf_event_release_kernel(event);
	}
}

/* An event of any kind becomes one of this kind */
static void kperf_set_kind(struct perf_event_attr *attr, const struct kperf_kinds *kinds, u32 kind)
{
	if (kinds->count < 2)
		return;
	if (attr->type == PERF_TYPE_RAW)
		attr->type = kinds->type[kind];
	else
		attr->config |= (u64)kinds->type[kind] << PERF_PMU_TYPE_SHIFT;
}

/* Processes */

/* The next thread that isn't dying and isn't in @seen; a reference is taken */
static struct task_struct *kperf_next_thread(struct pid *pid, struct xarray *seen)
{
	struct task_struct *leader, *thread, *found = NULL;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, thread) {
			if (!(thread->flags & PF_EXITING) &&
			    xa_load(seen, thread->pid) != thread) {
				found = get_task_struct(thread);
				break;
			}
		}
	}
	rcu_read_unlock();
	return found;
}

static bool kperf_has_child_of(struct perf_event *event, const struct task_struct *task)
{
	struct perf_event *child;
	bool found = false;

	mutex_lock(&event->child_mutex);
	list_for_each_entry(child, &event->child_list, child_list)
		if (child->hw.target == task)
			found = true;
	mutex_unlock(&event->child_mutex);
	return found;
}

/*
 * Whether a thread that wasn't seen has an event: one that it inherited since @begin, or its own,
 * if it wasn't seen under this number, which it has got by an exec
 */
static bool kperf_has_event(struct list_head *counters, u32 index, u32 kind,
			    struct task_struct *task, u64 begin)
{
	const struct kperf_counter *counter;

	if (task->start_time < begin && !thread_group_leader(task))
		return false;
	list_for_each_entry(counter, counters, node)
		if (counter->index == index && counter->kind == kind &&
		    (counter->event->hw.target == task ||
		     kperf_has_child_of(counter->event, task)))
			return true;
	return false;
}

/* All threads of a process, for one event and kind. One that ends meanwhile needs none. */
static int kperf_open_process(struct perf_event_attr *attr, u32 index, u32 kind, struct pid *pid,
			      struct list_head *counters)
{
	struct task_struct *task;
	u64 begin = ktime_get_ns();
	struct xarray seen;	/* by number */
	int err = -ESRCH;

	xa_init(&seen);
	while ((task = kperf_next_thread(pid, &seen))) {
		err = 0;
		if (!kperf_has_event(counters, index, kind, task, begin))
			err = kperf_counter_open(attr, index, kind, -1, task, counters);
		if (err == -ESRCH)
			err = 0;
		if (!err)
			err = xa_err(xa_store(&seen, task->pid, task, GFP_KERNEL));
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		put_task_struct(task);
		if (err)
			break;
	}
	xa_destroy(&seen);
	return err;
}

static int kperf_open_all(const struct session_config *config, u32 index, u32 kind,
			  const struct kperf_kinds *kinds, struct list_head *counters,
			  struct netlink_ext_ack *extack)
{
	struct perf_event_attr attr = kperf_attr_of_process(config, index);
	int i, err;

	kperf_set_kind(&attr, kinds, kind);
	for (i = 0; i < config->pid_count; i++) {
		err = kperf_open_process(&attr, index, kind, config->pids[i], counters);
		if (!err)
			continue;
		if (err == -ESRCH)
			NL_SET_ERR_MSG_FMT(extack, "process %d has ended", pid_nr(config->pids[i]));
		else
			kperf_refuse(config, index, err, extack);
		return err;
	}
	return 0;
}

/*
 * kperf_open_processes() - open the session's events for all threads of its processes
 */
int kperf_open_processes(const struct session_config *config, struct list_head *counters,
			 struct netlink_ext_ack *extack)
{
	struct kperf_kinds kinds;
	u32 index, kind;
	int err;

	for (index = 0; index < config->event_count; index++) {
		if (!kperf_is_counted(config, index))
			continue;
		kperf_kinds(config, index, &kinds);
		for (kind = 0; kind < max(kinds.count, 1U); kind++) {
			err = kperf_open_all(config, index, kind, &kinds, counters, extack);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Checks */

/* Open an event for a moment, as one of a process, of each kind of core */
static int kperf_try_process(const struct session_config *config, u32 index)
{
	struct perf_event_attr attr;
	struct kperf_kinds kinds;
	LIST_HEAD(counters);
	u32 kind;
	int err = 0;

	kperf_kinds(config, index, &kinds);
	for (kind = 0; kind < max(kinds.count, 1U) && !err; kind++) {
		attr = kperf_attr(&config->events[index]);
		kperf_set_kind(&attr, &kinds, kind);
		err = kperf_counter_open(&attr, index, kind, -1, current, &counters);
		/* perf of arm64 before 6.6 can't be asked for a kind */
		if (err == -ENOENT && kinds.count > 1)
			err = -EXDEV;
	}
	kperf_close_counters(&counters);
	return err;
}

/* The same, on the first CPU that has its PMU, or as one of a process */
static int kperf_try(const struct session_config *config, u32 index)
{
	struct perf_event_attr attr = kperf_attr(&config->events[index]);
	int cpu, err = -ENOENT;
	LIST_HEAD(counters);

	if (config->pid_count)
		return kperf_try_process(config, index);
	for_each_cpu_and(cpu, config->cpus, cpu_online_mask) {
		err = kperf_counter_open(&attr, index, 0, cpu, NULL, &counters);
		if (!kperf_is_elsewhere(err))
			break;
	}
	kperf_close_counters(&counters);
	return err;
}

static int kperf_check_sav(const struct session_config *config, u32 index,
			   struct netlink_ext_ack *extack)
{
	const struct pmu_event *event = &config->events[index];

	if (event->sav > S64_MAX) {
		NL_SET_ERR_MSG_FMT(extack, "event %u: SAV above %lld", index, S64_MAX);
		return -ERANGE;
	}
	if (event->sav && event->sav < KPERF_CLOCK_SAV_MIN && kperf_is_clock(event)) {
		NL_SET_ERR_MSG_FMT(extack, "event %u: perf's clocks have no SAV below %u ns", index,
				   KPERF_CLOCK_SAV_MIN);
		return -ERANGE;
	}
	return 0;
}

/* What perf takes for its own files only, and what has more to it than a config */
static bool kperf_is_strange(const struct pmu_event *event)
{
	return event->type == PERF_TYPE_TRACEPOINT || event->type == PERF_TYPE_BREAKPOINT;
}

/*
 * kperf_check() - whether perf would count the events; that others have the counters is no fault of
 *	the configuration's
 */
int kperf_check(const struct session_config *config, struct pmu_fault *fault,
		struct netlink_ext_ack *extack)
{
	int err;
	u32 i;

	for (i = 0; i < config->event_count; i++) {
		fault->event = i;
		fault->attr = VSAMP_EVENT_A_SAV;
		err = kperf_check_sav(config, i, extack);
		if (err)
			return err;
		fault->attr = VSAMP_EVENT_A_TYPE;
		if (kperf_is_strange(&config->events[i])) {
			NL_SET_ERR_MSG_FMT(extack,
					   "event %u: tracepoints and breakpoints aren't for kperf",
					   i);
			return -EOPNOTSUPP;
		}
		err = kperf_try(config, i);
		if (err && err != -EBUSY) {
			if (err == -EINVAL)
				fault->attr = VSAMP_EVENT_A_CONFIG;
			kperf_refuse(config, i, err, extack);
			return err == -EXDEV ? -EOPNOTSUPP : err;
		}
	}
	fault->event = -1;
	return 0;
}
