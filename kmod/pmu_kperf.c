// SPDX-License-Identifier: GPL-2.0
/*
 * The kperf backend: events of the kernel's own perf, which shares the PMU with whoever else uses
 * perf, and knows processors that this module doesn't
 *
 * A session of CPUs has an event on each CPU; one of processes has them on its threads, and perf
 * hands them on to what these create. Records are the same as of the intel backend, and so are a
 * CPU's rings.
 *
 * DOC: pauses
 *
 * Events of CPUs are disabled in a pause. Those of processes go on, as there's no telling perf to
 * disable what was inherited: their samples aren't taken, and what they count in the meantime is
 * taken off. So it is between the first event that is opened and the start.
 *
 * DOC: CPUs that come and go
 *
 * With a CPU perf's events on it go, for good. In the callbacks nothing of perf's can be made or
 * freed, as that may wait for the end of the callbacks (perf's static keys): events of a CPU that
 * goes are read, and wait in kperf_dead; those of a CPU that came are opened by kperf_refresh().
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "compat.h"
#include "pmu_kperf.h"
#include "ring.h"
#include "session.h"

/* Of one event, and all processes */
struct kperf_sum {
	u64 count;
	u64 enabled;
	u64 running;
};

static LIST_HEAD(kperf_processes);		/* the counters of processes */
static LIST_HEAD(kperf_dead);			/* those of CPUs that went */
static bool kperf_waits;			/* the processes' events aren't counted now, */
static struct kperf_sum kperf_before[VSAMP_EVENTS_MAX];	/* stood there when that began, */
static struct kperf_sum kperf_less[VSAMP_EVENTS_MAX];	/* and counted so much in such times */

static bool kperf_has_processes(const struct session *session)
{
	return session->config.pid_count;
}

/* Counters of a CPU, or of processes */

static void kperf_enable(struct list_head *counters)
{
	struct kperf_counter *counter;

	list_for_each_entry(counter, counters, node)
		perf_event_enable(counter->event);
}

static void kperf_disable(struct list_head *counters)
{
	struct kperf_counter *counter;

	list_for_each_entry(counter, counters, node)
		perf_event_disable(counter->event);
}

/* perf drops a CPU's events as the CPU goes */
static bool kperf_is_alive(struct list_head *counters)
{
	struct kperf_counter *counter;

	list_for_each_entry(counter, counters, node)
		if (!(READ_ONCE(counter->event->attach_state) & PERF_ATTACH_CONTEXT))
			return false;
	return true;
}

static void kperf_read_cpu(struct kperf_cpu *c, struct pmu_stats *stats)
{
	struct kperf_counter *counter;
	u64 enabled, running;

	list_for_each_entry(counter, &c->counters, node) {
		stats->count[counter->index] +=
			perf_event_read_value(counter->event, &enabled, &running);
		stats->enabled[counter->index] += enabled;
		stats->running[counter->index] += running;
	}
}

/* Processes: what they count on all CPUs together */

static void kperf_sum(struct kperf_sum *sum)
{
	struct kperf_counter *counter;
	u64 enabled, running;

	memset(sum, 0, VSAMP_EVENTS_MAX * sizeof(*sum));
	list_for_each_entry(counter, &kperf_processes, node) {
		sum[counter->index].count +=
			perf_event_read_value(counter->event, &enabled, &running);
		/* of all kinds of core at the same time */
		if (!counter->kind)
			sum[counter->index].enabled += enabled;
		sum[counter->index].running += running;
	}
}

static void kperf_wait(void)
{
	kperf_sum(kperf_before);
	kperf_waits = true;
}

static void kperf_wait_end(void)
{
	struct kperf_sum now[VSAMP_EVENTS_MAX];
	int i;

	kperf_sum(now);
	for (i = 0; i < VSAMP_EVENTS_MAX; i++) {
		kperf_less[i].count += now[i].count - kperf_before[i].count;
		kperf_less[i].enabled += now[i].enabled - kperf_before[i].enabled;
		kperf_less[i].running += now[i].running - kperf_before[i].running;
	}
	kperf_waits = false;
}

static void kperf_read_processes(struct pmu_stats *stats)
{
	struct kperf_sum sum[VSAMP_EVENTS_MAX];
	int i;

	if (kperf_waits)
		memcpy(sum, kperf_before, sizeof(sum));
	else
		kperf_sum(sum);
	for (i = 0; i < VSAMP_EVENTS_MAX; i++) {
		stats->count[i] += sum[i].count - kperf_less[i].count;
		stats->enabled[i] += sum[i].enabled - kperf_less[i].enabled;
		stats->running[i] += sum[i].running - kperf_less[i].running;
	}
}

/* The statistics in which they stand: of the first CPU that has a ring */
static bool kperf_is_first(const struct session *session, int cpu)
{
	int i;

	for_each_possible_cpu(i)
		if (session->cpu[i])
			return i == cpu;
	return false;
}

/* All of the session's CPUs */

static void kperf_enable_cpus(const struct session *session)
{
	int cpu;

	for_each_cpu_and(cpu, session->config.cpus, cpu_online_mask)
		kperf_enable(&per_cpu_ptr(kperf_cpu, cpu)->counters);
}

static void kperf_disable_cpus(const struct session *session)
{
	int cpu;

	for_each_cpu_and(cpu, session->config.cpus, cpu_online_mask)
		kperf_disable(&per_cpu_ptr(kperf_cpu, cpu)->counters);
}

/* pmu_ops */

static void kperf_caps(int cpu, struct pmu_caps *caps)
{
	*caps = (struct pmu_caps) { .sav_max = S64_MAX };
}

static void kperf_prepare(const struct session_config *config)
{
	struct kperf_cpu *c;
	int i, cpu;

	for (i = 0; i < config->event_count; i++) {
		kperf_header[i] = ring_header(VSAMP_RECORD_SAMPLE,
					      sizeof(struct vsamp_record_sample), i);
		if (!(config->events[i].flags & VSAMP_EVENT_KERNEL))
			kperf_header[i] |= RING_USER;
	}
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(kperf_cpu, cpu);
		memset(c, 0, sizeof(*c));
		c->held = true;
		INIT_LIST_HEAD(&c->counters);
	}
	memset(kperf_before, 0, sizeof(kperf_before));
	memset(kperf_less, 0, sizeof(kperf_less));
	kperf_waits = config->pid_count;
}

/* An event that no CPU has is a refusal; the events of CPUs that come later aren't missed */
static int kperf_open_cpus(const struct session_config *config, struct netlink_ext_ack *extack)
{
	unsigned long found = 0;
	struct kperf_counter *counter;
	struct kperf_cpu *c;
	int i, cpu, err;

	for_each_cpu_and(cpu, config->cpus, cpu_online_mask) {
		c = per_cpu_ptr(kperf_cpu, cpu);
		err = kperf_open_cpu(config, cpu, &c->counters, extack);
		if (err)
			return err;
		c->open = true;
		list_for_each_entry(counter, &c->counters, node)
			found |= BIT(counter->index);
	}
	for (i = 0; i < config->event_count; i++) {
		if (kperf_is_counted(config, i) && !(found & BIT(i))) {
			kperf_refuse(config, i, -ENOENT, extack);
			return -ENOENT;
		}
	}
	return 0;
}

static void kperf_close(struct session *session)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kperf_close_counters(&per_cpu_ptr(kperf_cpu, cpu)->counters);
	kperf_close_counters(&kperf_processes);
	kperf_close_counters(&kperf_dead);
}

static int kperf_open(struct session *session, struct netlink_ext_ack *extack)
{
	int err;

	kperf_prepare(&session->config);
	if (kperf_has_processes(session))
		err = kperf_open_processes(&session->config, &kperf_processes, extack);
	else
		err = kperf_open_cpus(&session->config, extack);
	if (err)
		kperf_close(session);
	return err;
}

/* A CPU's events are dead: they wait to be freed, and new ones to be opened */
static void kperf_bury(struct kperf_cpu *c)
{
	list_splice_init(&c->counters, &kperf_dead);
	WRITE_ONCE(c->open, false);
}

static int kperf_start(struct session *session, struct netlink_ext_ack *extack)
{
	const struct cpumask *cpus = session->config.cpus;
	struct kperf_cpu *c;
	int cpu;

	/* of CPUs that have come and gone since kperf_open() */
	for_each_cpu(cpu, cpus) {
		c = per_cpu_ptr(kperf_cpu, cpu);
		if (!kperf_is_alive(&c->counters))
			kperf_bury(c);
	}
	on_each_cpu_mask(cpus, kperf_begin_ipi, session, true);
	if (kperf_has_processes(session))
		kperf_wait_end();
	on_each_cpu_mask(cpus, kperf_unhold_ipi, NULL, true);
	kperf_enable_cpus(session);
	return 0;
}

/* Those that were cut in a task have to end, too */
static void kperf_quiesce(struct session *session)
{
	kperf_disable_cpus(session);
	on_each_cpu_mask(session->config.cpus, kperf_hold_ipi, NULL, true);
	synchronize_rcu();
}

static void kperf_stop(struct session *session)
{
	struct kperf_cpu *c;
	int cpu;

	kperf_quiesce(session);
	if (kperf_has_processes(session) && !kperf_waits)
		kperf_wait();
	on_each_cpu_mask(session->config.cpus, kperf_end_ipi, session, true);
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(kperf_cpu, cpu);
		c->held = true;
		if (!session->cpu[cpu])
			continue;
		kperf_read_cpu(c, &session->cpu[cpu]->stats);
		kperf_settle(c, &session->cpu[cpu]->stats);
		if (kperf_has_processes(session) && kperf_is_first(session, cpu))
			kperf_read_processes(&session->cpu[cpu]->stats);
	}
}

static void kperf_pause(struct session *session, bool pause)
{
	if (pause) {
		kperf_disable_cpus(session);
		on_each_cpu_mask(session->config.cpus, kperf_pause_ipi, NULL, true);
		if (kperf_has_processes(session))
			kperf_wait();
	} else {
		if (kperf_has_processes(session))
			kperf_wait_end();
		on_each_cpu_mask(session->config.cpus, kperf_resume_ipi, NULL, true);
		kperf_enable_cpus(session);
	}
}

static bool kperf_is_counting(const struct session *session)
{
	return session->state == VSAMP_SESSION_RUNNING && !session->asleep;
}

/* perf itself takes its events through the machine's sleep, but for those of CPUs that go */
static void kperf_sleep(struct session *session)
{
	kperf_quiesce(session);
	if (kperf_has_processes(session) && !kperf_waits)
		kperf_wait();
	on_each_cpu_mask(session->config.cpus, kperf_sleep_ipi, NULL, true);
}

static int kperf_wake(struct session *session, struct netlink_ext_ack *extack)
{
	on_each_cpu_mask(session->config.cpus, kperf_wake_ipi, NULL, true);
	if (session->state != VSAMP_SESSION_RUNNING)
		return 0;
	if (kperf_has_processes(session))
		kperf_wait_end();
	on_each_cpu_mask(session->config.cpus, kperf_unhold_ipi, NULL, true);
	kperf_enable_cpus(session);
	return 0;
}

static int kperf_cpu_start(struct session *session)
{
	unsigned long flags;

	local_irq_save(flags);
	kperf_begin(session, VSAMP_STATE_ONLINE, !kperf_is_counting(session));
	local_irq_restore(flags);
	return 0;
}

/*
 * A process may still run here for a moment, and its samples are taken: they, too, have their place
 * in the ring
 */
static void kperf_cpu_stop(struct session *session)
{
	struct kperf_cpu *c = this_cpu_ptr(kperf_cpu);
	unsigned long flags;

	kperf_disable(&c->counters);
	if (session->cpu[smp_processor_id()])
		kperf_read_cpu(c, &session->cpu[smp_processor_id()]->stats);
	kperf_bury(c);
	local_irq_save(flags);
	if (!kperf_has_processes(session))
		WRITE_ONCE(c->held, true);
	kperf_end(session, VSAMP_STATE_OFFLINE);
	local_irq_restore(flags);
}

/* Whether the events were taken over; not, if the CPU has gone again meanwhile */
static bool kperf_adopt(struct session *session, int cpu, struct list_head *counters)
{
	struct kperf_cpu *c = per_cpu_ptr(kperf_cpu, cpu);

	if (!cpu_online(cpu) || !kperf_is_alive(counters))
		return false;
	list_splice_init(counters, &c->counters);
	WRITE_ONCE(c->open, true);
	if (kperf_is_counting(session))
		kperf_enable(&c->counters);
	return true;
}

static void kperf_refresh_cpu(struct session *session, int cpu)
{
	struct netlink_ext_ack extack = {};
	LIST_HEAD(counters);
	int err;

	err = kperf_open_cpu(&session->config, cpu, &counters, &extack);
	if (err) {
		pr_warn("vsamp: CPU %d isn't sampled: %s\n", cpu, extack._msg);
		WRITE_ONCE(per_cpu_ptr(kperf_cpu, cpu)->open, true);	/* don't try again */
	} else {
		cpus_read_lock();
		kperf_adopt(session, cpu, &counters);
		cpus_read_unlock();
	}
	kperf_close_counters(&counters);
}

static void kperf_refresh(struct session *session)
{
	struct kperf_cpu *c;
	LIST_HEAD(dead);
	int cpu;

	cpus_read_lock();
	list_splice_init(&kperf_dead, &dead);
	cpus_read_unlock();
	kperf_close_counters(&dead);
	if (kperf_has_processes(session))
		return;
	for_each_cpu_and(cpu, session->config.cpus, cpu_online_mask) {
		c = per_cpu_ptr(kperf_cpu, cpu);
		if (READ_ONCE(c->ring) && !READ_ONCE(c->open))
			kperf_refresh_cpu(session, cpu);
	}
}

static void kperf_stats(struct pmu_stats *stats)
{
	kperf_add_stats(this_cpu_ptr(kperf_cpu), stats);
}

static void kperf_read(struct session *session, int cpu, struct pmu_stats *stats)
{
	kperf_read_cpu(per_cpu_ptr(kperf_cpu, cpu), stats);
	if (kperf_has_processes(session) && kperf_is_first(session, cpu))
		kperf_read_processes(stats);
}

const struct pmu_ops pmu_kperf = {
	.backend = VSAMP_BACKEND_KPERF,
	.caps = kperf_caps,
	.check = kperf_check,
	.open = kperf_open,
	.close = kperf_close,
	.refresh = kperf_refresh,
	.start = kperf_start,
	.stop = kperf_stop,
	.pause = kperf_pause,
	.sleep = kperf_sleep,
	.wake = kperf_wake,
	.cpu_start = kperf_cpu_start,
	.cpu_stop = kperf_cpu_stop,
	.stats = kperf_stats,
	.read = kperf_read,
};

int __init pmu_kperf_init(void)
{
	struct kperf_cpu *c;
	int cpu;

	kperf_cpu = alloc_percpu(struct kperf_cpu);
	if (!kperf_cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(kperf_cpu, cpu);
		c->held = true;
		INIT_LIST_HEAD(&c->counters);
	}
	return 0;
}

void pmu_kperf_exit(void)
{
	free_percpu(kperf_cpu);
}
