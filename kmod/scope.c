// SPDX-License-Identifier: GPL-2.0
/*
 * Scope: which processes a session counts
 *
 * A process is a member if the bit of its tgid is set, or, of a session of cgroups, if it is in one
 * of them. The scheduler's tracepoints look at whoever comes next, and tell the PMU when that
 * changes what a CPU has to do. Only one session runs at a time, so there is one set of members.
 */
#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "scope.h"
#include "session.h"

static unsigned long *scope_members;	/* by tgid */
static unsigned long *scope_pending;	/* members after their next exec */
static const struct session_config *scope_config;	/* NULL: whatever runs */
static DEFINE_PER_CPU(bool, scope_inside);

/* Interrupts are off */
static void scope_move(bool inside)
{
	if (inside == __this_cpu_read(scope_inside))
		return;
	__this_cpu_write(scope_inside, inside);
	scope_config->pmu->scope(inside);
}

static bool scope_has(struct task_struct *task)
{
	if (scope_config->cgroup_count)
		return scope_cgroups_have(scope_config, task);
	return test_bit(task->tgid, scope_members);
}

static void scope_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	unsigned long flags;

	local_irq_save(flags);
	scope_move(scope_has(next));
	local_irq_restore(flags);
}

/* Before the child can run */
static void scope_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (test_bit(parent->tgid, scope_members))
		set_bit(child->tgid, scope_members);
}

static void scope_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	unsigned long flags;

	if (scope_pending && test_and_clear_bit(task->tgid, scope_pending))
		set_bit(task->tgid, scope_members);
	local_irq_save(flags);
	scope_move(scope_has(task));
	local_irq_restore(flags);
}

/* The last task of a process: its number may be given to another process from here on */
static void scope_leave(COMPAT_SCHED_EXIT_ARGS(void *data, struct task_struct *task))
{
	if (atomic_read(&task->signal->live))
		return;
	clear_bit(task->tgid, scope_members);
	clear_bit(task->tgid, scope_pending);
}

static struct scope_probe {
	const char *name;
	void *fn;
	struct tracepoint *tp;
	bool registered;
} scope_probes[] = {
	{ "sched_switch",	scope_switch },
	{ "sched_process_exec",	scope_exec },	/* of cgroups: these two */
	{ "sched_process_exit",	scope_leave },
	{ "sched_process_fork",	scope_fork },	/* last: not always wanted */
};

/* The tracepoints aren't exported, but known by name */
static void scope_find_probe(struct tracepoint *tp, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(scope_probes); i++)
		if (!strcmp(tp->name, scope_probes[i].name))
			scope_probes[i].tp = tp;
}

static void scope_unregister(void)
{
	struct scope_probe *probe;

	for (probe = scope_probes; probe < scope_probes + ARRAY_SIZE(scope_probes); probe++) {
		if (probe->registered)
			tracepoint_probe_unregister(probe->tp, probe->fn, NULL);
		probe->registered = false;
	}
	tracepoint_synchronize_unregister();
}

static int scope_register(int count, struct netlink_ext_ack *extack)
{
	struct scope_probe *probe;
	int err;

	for_each_kernel_tracepoint(scope_find_probe, NULL);
	for (probe = scope_probes; probe < scope_probes + count; probe++) {
		err = -ENOENT;
		if (probe->tp)
			err = tracepoint_probe_register(probe->tp, probe->fn, NULL);
		if (err) {
			NL_SET_ERR_MSG_FMT(extack,
					   "tracepoint %s, needed to follow processes, can't be used",
					   probe->name);
			return err;
		}
		probe->registered = true;
	}
	return 0;
}

/*
 * The bit is set first and the process looked at then: if it leaves in between, its exit clears
 * the bit, or it is found dead here.
 */
static int scope_add(struct pid *pid, unsigned long *set, struct netlink_ext_ack *extack)
{
	struct task_struct *task;
	pid_t nr = pid_nr(pid);
	int err = 0;

	set_bit(nr, set);
	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	if (!task || !atomic_read(&task->signal->live)) {
		clear_bit(nr, set);
		err = -ESRCH;
	}
	rcu_read_unlock();
	if (err)
		NL_SET_ERR_MSG_FMT(extack, "process %d has ended", nr);
	return err;
}

static int scope_start_pids(const struct session_config *config, struct netlink_ext_ack *extack)
{
	bool inherit = config->flags & VSAMP_FLAG_INHERIT;
	size_t size = BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long);
	int i, err;

	scope_members = vzalloc(size);
	scope_pending = vzalloc(size);
	if (!scope_members || !scope_pending)
		return -ENOMEM;
	err = scope_register(ARRAY_SIZE(scope_probes) - !inherit, extack);
	for (i = 0; i < config->pid_count && !err; i++)
		err = scope_add(config->pids[i], config->flags & VSAMP_FLAG_ON_EXEC ?
				scope_pending : scope_members, extack);
	return err;
}

/*
 * scope_start() - keep the session's processes or cgroups from here on; nothing if it has none, or
 *	its PMU does that
 */
int scope_start(struct session *session, struct netlink_ext_ack *extack)
{
	const struct session_config *config = &session->config;
	int cpu, err;

	if ((!config->pid_count && !config->cgroup_count) || !config->pmu->scope)
		return 0;
	for_each_possible_cpu(cpu)
		per_cpu(scope_inside, cpu) = false;
	scope_config = config;
	err = config->cgroup_count ? scope_register(2, extack) : scope_start_pids(config, extack);
	if (err)
		scope_stop();
	return err;
}

/*
 * scope_enter() - whether this CPU is to count what it now runs, as it begins; interrupts are off
 */
bool scope_enter(void)
{
	bool inside = !scope_config || scope_has(current);

	__this_cpu_write(scope_inside, inside);
	return inside;
}

/* scope_start()'s opposite; no harm if there was none */
void scope_stop(void)
{
	if (scope_config)
		scope_unregister();
	scope_config = NULL;
	vfree(scope_members);
	vfree(scope_pending);
	scope_members = NULL;
	scope_pending = NULL;
}
