// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: what becomes of them between the open and the last close of /dev/vsamp
 *
 * One session runs at a time, and runs once.
 *
 * DOC: locking
 *
 * session_mutex is held around whatever changes a session, and inside of it cpus_read_lock() around
 * what changes session_running, a session's state, its rings or the sum of all rings. The hotplug
 * callbacks, which have that lock for writing, need no other. Tracepoints can't be registered under
 * it, so the scope is started before the PMU and stopped after it; nor can perf's counters be made
 * or freed, which is what a PMU's open, close and refresh are for.
 */
#include <linux/cpu.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "compat.h"
#include "ring.h"
#include "scope.h"
#include "session.h"

static DEFINE_MUTEX(session_mutex);
static struct session *session_running;	/* running or paused */
static int session_hotplug;
static const char *session_refusal;	/* why none may start now */

static void session_verify(struct work_struct *work);
static DECLARE_DELAYED_WORK(session_verify_work, session_verify);

/* Look after the session that runs: soon, if its PMU has something to do as CPUs come and go */
static void session_verify_soon(const struct session *session)
{
	if (session->config.pmu->refresh)
		mod_delayed_work(compat_system_wq(), &session_verify_work, 0);
	else
		queue_delayed_work(compat_system_wq(), &session_verify_work, HZ);
}

void session_lock(void)
{
	mutex_lock(&session_mutex);
}

void session_unlock(void)
{
	mutex_unlock(&session_mutex);
}

static void session_set_state(struct session *session, enum vsamp_session_state state)
{
	smp_store_release(&session->state, state);	/* behind the rings, see session_cpu() */
	WRITE_ONCE(session->changes, session->changes + 1);
	wake_up_interruptible_poll(&session->wait, EPOLLPRI |
				   (state == VSAMP_SESSION_ENDED ? EPOLLHUP | EPOLLIN : 0));
}

void session_config_free(struct session_config *config)
{
	unsigned int i;

	for (i = 0; i < config->pid_count; i++)
		put_pid(config->pids[i]);
	kfree(config->pids);
	scope_cgroups_free(config);
	free_cpumask_var(config->cpus);
}

/*
 * session_configure() - take over a configuration that was checked; it owns @config's parts then
 */
void session_configure(struct session *session, struct session_config *config)
{
	session_config_free(&session->config);
	session->config = *config;
	cpus_read_lock();
	session_set_state(session, VSAMP_SESSION_READY);
	cpus_read_unlock();
}

/* Running */

static int session_check_start(struct session *session, struct netlink_ext_ack *extack)
{
	if (session->state != VSAMP_SESSION_READY) {
		if (session->state == VSAMP_SESSION_OPEN)
			NL_SET_ERR_MSG(extack, "this session isn't configured");
		else if (session->state == VSAMP_SESSION_ENDED)
			NL_SET_ERR_MSG(extack, "this session has ended; open /dev/vsamp again");
		else
			NL_SET_ERR_MSG(extack, "this session has been started");
		return -EBADFD;
	}
	if (session_refusal) {
		NL_SET_ERR_MSG_FMT(extack, "%s", session_refusal);
		return -EBUSY;
	}
	if (session_running) {
		NL_SET_ERR_MSG_FMT(extack,
				   "performance counters are in use by another vsamp session, of process %d",
				   session_running->owner);
		return -EBUSY;
	}
	return 0;
}

/* The rings and the PMU; CPUs neither come nor go */
static int session_start_cpus(struct session *session, struct netlink_ext_ack *extack)
{
	int cpu, err;

	if (!cpumask_intersects(session->config.cpus, cpu_online_mask)) {
		NL_SET_ERR_MSG(extack, "none of the session's CPUs is online");
		return -ENODEV;
	}
	for_each_cpu_and(cpu, session->config.cpus, cpu_online_mask) {
		err = session_add_cpu(session, cpu, extack);
		if (err)
			goto err_remove;
	}
	err = session->config.pmu->start(session, extack);
	if (err)
		goto err_remove;
	session->owner = task_tgid_nr(current);
	session_running = session;
	session_set_state(session, VSAMP_SESSION_RUNNING);
	return 0;

err_remove:
	session_remove_cpus(session);
	return err;
}

/*
 * session_start() - begin the session's run
 */
int session_start(struct session *session, struct netlink_ext_ack *extack)
{
	const struct pmu_ops *pmu = session->config.pmu;
	int err;

	err = session_check_start(session, extack);
	if (err)
		return err;
	if (pmu->open) {
		err = pmu->open(session, extack);
		if (err)
			return err;
	}
	err = scope_start(session, extack);
	if (err)
		goto err_close;
	cpus_read_lock();
	err = session_start_cpus(session, extack);
	cpus_read_unlock();
	if (err)
		goto err_scope;
	session_verify_soon(session);
	return 0;

err_scope:
	scope_stop();
err_close:
	if (pmu->close)
		pmu->close(session);
	return err;
}

static void session_end(struct session *session, enum vsamp_end_reason reason)
{
	cancel_delayed_work(&session_verify_work);
	cpus_read_lock();
	session->config.pmu->stop(session);
	session_running = NULL;
	session->end_reason = reason;
	session_set_state(session, VSAMP_SESSION_ENDED);
	cpus_read_unlock();
	scope_stop();
	if (session->config.pmu->close)
		session->config.pmu->close(session);
}

int session_stop(struct session *session, struct netlink_ext_ack *extack)
{
	if (session != session_running) {
		NL_SET_ERR_MSG(extack, "this session isn't running");
		return -EBADFD;
	}
	session_end(session, VSAMP_END_STOP);
	return 0;
}

int session_pause(struct session *session, bool pause, struct netlink_ext_ack *extack)
{
	enum vsamp_session_state from = pause ? VSAMP_SESSION_RUNNING : VSAMP_SESSION_PAUSED;

	if (session->state != from) {
		NL_SET_ERR_MSG_FMT(extack, "this session isn't %s", pause ? "running" : "paused");
		return -EBADFD;
	}
	cpus_read_lock();
	if (!session->asleep)
		session->config.pmu->pause(session, pause);
	session_set_state(session, pause ? VSAMP_SESSION_PAUSED : VSAMP_SESSION_RUNNING);
	cpus_read_unlock();
	return 0;
}

/*
 * session_set_sav() - change Sample-After values that were checked; also of CPUs that come later
 * @sav: by event; 0: as it is
 */
void session_set_sav(struct session *session, const u64 *sav)
{
	struct session_config *config = &session->config;
	unsigned int i;

	cpus_read_lock();
	for (i = 0; i < config->event_count; i++) {
		if (!sav[i])
			continue;
		config->events[i].sav = sav[i];
		config->events[i].changed = true;
	}
	config->pmu->sav(session);
	cpus_read_unlock();
}

struct session_stats_arg {
	struct session *session;
	struct session_cpu *sc;
	struct session_stats *stats;
	bool online;		/* and it may be running */
};

/* On the CPU, where only an NMI writes meanwhile; or anywhere if nothing runs there */
static void session_stats_read(void *data)
{
	struct session_stats_arg *arg = data;
	struct session_stats *stats = arg->stats;

	stats->pmu = arg->sc->stats;
	if (arg->online)
		arg->session->config.pmu->stats(&stats->pmu);
	ring_counts(arg->sc->ring, &stats->produced, &stats->written, &stats->lost);
}

/*
 * session_stats() - what became of a CPU's records, and what it counted; under cpus_read_lock()
 *
 * Return: whether the CPU is one of the session's
 */
bool session_stats(struct session *session, int cpu, struct session_stats *stats)
{
	struct session_stats_arg arg = {
		.session = session,
		.sc = session->cpu[cpu],
		.stats = stats,
		.online = session == session_running && cpu_online(cpu),
	};

	memset(stats, 0, sizeof(*stats));
	if (!arg.sc)
		return session->state == VSAMP_SESSION_READY && cpu_online(cpu) &&
		       cpumask_test_cpu(cpu, session->config.cpus);
	if (arg.online)
		smp_call_function_single(cpu, session_stats_read, &arg, 1);
	else
		session_stats_read(&arg);
	if (session == session_running && session->config.pmu->read)
		session->config.pmu->read(session, cpu, &stats->pmu);
	return true;
}

static bool session_is_good(struct session *session)
{
	bool good = true;

	cpus_read_lock();
	if (session->config.pmu->verify)
		good = session->config.pmu->verify(session);
	cpus_read_unlock();
	return good;
}

/* Once a second: is the PMU still as it was programmed? */
static void session_verify(struct work_struct *work)
{
	struct session *session;

	session_lock();
	session = session_running;
	if (session && session->config.pmu->refresh)
		session->config.pmu->refresh(session);
	if (session && !session_is_good(session))
		session_end(session, VSAMP_END_FOREIGN);
	else if (session)
		queue_delayed_work(compat_system_wq(), &session_verify_work, HZ);
	session_unlock();
}

/* The machine sleeps; it may have fewer CPUs while it does, and others when it wakes */

void session_sleep(void)
{
	struct session *session;

	session_lock();
	session_refusal = "the machine is about to sleep; try again when it has woken";
	session = session_running;
	if (session) {
		cpus_read_lock();
		session->config.pmu->sleep(session);
		session->asleep = true;
		cpus_read_unlock();
	}
	clock_sleep();
	session_unlock();
}

static int session_wake_cpus(struct session *session, struct netlink_ext_ack *extack)
{
	int cpu, err = 0;

	cpus_read_lock();
	clock_wake();
	for_each_cpu_and(cpu, session->config.cpus, cpu_online_mask)
		if (!err)
			err = session_add_cpu(session, cpu, extack);
	if (!err)
		err = session->config.pmu->wake(session, extack);
	session->asleep = false;
	session_set_state(session, session->state);
	cpus_read_unlock();
	return err;
}

void session_wake(void)
{
	struct netlink_ext_ack extack = {};
	struct session *session;

	session_lock();
	session_refusal = NULL;
	session = session_running;
	if (session && session->asleep) {
		if (session_wake_cpus(session, &extack)) {
			pr_warn("vsamp: sampling ended as the machine slept: %s\n", extack._msg);
			session_end(session, VSAMP_END_FOREIGN);
		} else {
			session_verify_soon(session);
		}
	}
	session_unlock();
}

/*
 * session_refused() - why nothing may start now; NULL: it may
 *
 * Set before the devices are put to sleep or shut down.
 */
const char *session_refused(void)
{
	const char *refusal;

	session_lock();
	refusal = session_refusal;
	session_unlock();
	return refusal;
}

/* For good: whatever runs next on the machine finds the counters free */
void session_shutdown(void)
{
	session_lock();
	session_refusal = "the machine is being shut down";
	if (session_running)
		session_end(session_running, VSAMP_END_REBOOT);
	session_unlock();
}

/* A CPU comes or goes; called on it */

static int session_cpu_online(unsigned int cpu)
{
	struct session *session = session_running;
	struct netlink_ext_ack extack = {};
	int err;

	if (!session || !cpumask_test_cpu(cpu, session->config.cpus))
		return 0;
	err = session_add_cpu(session, cpu, &extack);
	if (!err)
		err = session->config.pmu->cpu_start(session);
	if (err) {
		pr_warn("vsamp: CPU %u came online, not sampled (%d)\n", cpu, err);
		return 0;
	}
	session_set_state(session, session->state);
	session_verify_soon(session);
	return 0;
}

static int session_cpu_offline(unsigned int cpu)
{
	struct session *session = session_running;

	if (!session || !cpumask_test_cpu(cpu, session->config.cpus))
		return 0;
	session->config.pmu->cpu_stop(session);
	session_set_state(session, session->state);
	return 0;
}

/*
 * session_free() - end it if it runs, and free all that is its
 */
void session_free(struct session *session)
{
	session_lock();
	if (session == session_running)
		session_end(session, VSAMP_END_STOP);
	cpus_read_lock();
	session_remove_cpus(session);
	cpus_read_unlock();
	session_unlock();
	session_config_free(&session->config);
	kvfree(session->cpu);
	kfree(session);
}

int session_init(void)
{
	int err;

	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "vsamp:online", session_cpu_online,
					session_cpu_offline);
	if (err < 0)
		return err;
	session_hotplug = err;
	err = session_file_init();
	if (err)
		cpuhp_remove_state_nocalls(session_hotplug);
	return err;
}

/* No file is open any more: a session held the module */
void session_exit(void)
{
	session_file_exit();
	cancel_delayed_work_sync(&session_verify_work);
	cpuhp_remove_state_nocalls(session_hotplug);
}
