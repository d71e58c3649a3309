// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: an open /dev/vsamp, from open to the last close
 *
 * Whoever holds the file holds the session: when the last reference goes, however that comes about,
 * the counters stop and all is given back. One session runs at a time, and runs once.
 *
 * DOC: locking
 *
 * session_mutex is held around whatever changes a session, and inside of it cpus_read_lock() around
 * what changes session_running, a session's state or its rings. The hotplug callbacks, which have
 * that lock for writing, need no other. Tracepoints can't be registered under it, so the scope is
 * started before the PMU and stopped after it.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "ring.h"
#include "scope.h"
#include "session.h"

static unsigned long ring_mb_max;
module_param(ring_mb_max, ulong, 0644);
MODULE_PARM_DESC(ring_mb_max, "memory of all rings together, MB (0: a quarter of the machine's)");

static DEFINE_MUTEX(session_mutex);
static struct session *session_running;	/* running or paused */
static unsigned long session_ring_pages;	/* of all sessions */
static int session_hotplug;

static void session_verify(struct work_struct *work);
static DECLARE_DELAYED_WORK(session_verify_work, session_verify);

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

/* Rings */

static unsigned long session_pages_of_ring(const struct session *session)
{
	return (session->config.ring_size >> PAGE_SHIFT) + 1;
}

static bool session_ring_fits(struct session *session)
{
	unsigned long max = ring_mb_max << (20 - PAGE_SHIFT);

	if (!ring_mb_max)
		max = totalram_pages() / 4;
	return session_ring_pages + session_pages_of_ring(session) <= max;
}

static void session_remove_cpu(struct session *session, int cpu)
{
	ring_free(session->cpu[cpu]->ring);
	kfree(session->cpu[cpu]);
	session->cpu[cpu] = NULL;
	session_ring_pages -= session_pages_of_ring(session);
}

static int session_add_cpu(struct session *session, int cpu, struct netlink_ext_ack *extack)
{
	struct session_cpu *sc;

	if (session->cpu[cpu])
		return 0;
	if (!session_ring_fits(session)) {
		NL_SET_ERR_MSG(extack,
			       "the rings would be larger than the module's parameter ring_mb_max allows");
		return -ENOMEM;
	}
	sc = kzalloc(sizeof(*sc), GFP_KERNEL_ACCOUNT);
	if (!sc)
		goto err_memory;
	sc->ring = ring_alloc(cpu, session->config.ring_size, session->config.watermark,
			      &session->wait);
	if (!sc->ring)
		goto err_memory;
	session_ring_pages += session_pages_of_ring(session);
	smp_store_release(&session->cpu[cpu], sc);	/* whole, see session_cpu() */
	return 0;

err_memory:
	kfree(sc);
	NL_SET_ERR_MSG_FMT(extack, "no memory for the ring of CPU %d", cpu);
	return -ENOMEM;
}

/* Nobody may use a ring; a refused start gives them back */
static void session_remove_cpus(struct session *session)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (session->cpu[cpu])
			session_remove_cpu(session, cpu);
}

/* For mmap and poll, which hold no lock: once it has started, a session's rings stay */
static struct session_cpu *session_cpu(struct session *session, unsigned long cpu)
{
	/* pairs with session_set_state(), and with session_add_cpu() for a CPU that came later */
	if (cpu >= nr_cpu_ids || smp_load_acquire(&session->state) < VSAMP_SESSION_RUNNING)
		return NULL;
	return smp_load_acquire(&session->cpu[cpu]);	/* likewise */
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
	int err;

	err = session_check_start(session, extack);
	if (err)
		return err;
	err = scope_start(session, extack);
	if (err)
		return err;
	cpus_read_lock();
	err = session_start_cpus(session, extack);
	cpus_read_unlock();
	if (err)
		scope_stop();
	else
		schedule_delayed_work(&session_verify_work, HZ);
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
	session->config.pmu->pause(session, pause);
	session_set_state(session, pause ? VSAMP_SESSION_PAUSED : VSAMP_SESSION_RUNNING);
	cpus_read_unlock();
	return 0;
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
	return true;
}

/* Once a second: is the PMU still as it was programmed? */
static void session_verify(struct work_struct *work)
{
	bool good;

	session_lock();
	if (session_running) {
		cpus_read_lock();
		good = session_running->config.pmu->verify(session_running);
		cpus_read_unlock();
		if (good)
			schedule_delayed_work(&session_verify_work, HZ);
		else
			session_end(session_running, VSAMP_END_FOREIGN);
	}
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
	if (err)
		pr_warn("vsamp: CPU %u came online, not sampled (%d)\n", cpu, err);
	else
		session_set_state(session, session->state);
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

/* The file */

static int session_open(struct inode *inode, struct file *file)
{
	struct session *session;

	if (!perfmon_capable())
		return -EACCES;
	if (security_locked_down(LOCKDOWN_PERF))
		return -EPERM;
	/* samples carry its numbers */
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EXDEV;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return -ENOMEM;
	session->cpu = kvcalloc(nr_cpu_ids, sizeof(*session->cpu), GFP_KERNEL_ACCOUNT);
	if (!session->cpu || !zalloc_cpumask_var(&session->config.cpus, GFP_KERNEL_ACCOUNT)) {
		kvfree(session->cpu);
		kfree(session);
		return -ENOMEM;
	}
	session->state = VSAMP_SESSION_OPEN;
	init_waitqueue_head(&session->wait);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int session_release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

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
	return 0;
}

static int session_mmap(struct file *file, struct vm_area_struct *vma)
{
	const unsigned int cpu_shift = VSAMP_MMAP_CPU_SHIFT - PAGE_SHIFT;
	const unsigned long data = VSAMP_MMAP_DATA(0) >> PAGE_SHIFT;
	unsigned long what = vma->vm_pgoff & (BIT(cpu_shift) - 1);
	struct session_cpu *sc;

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	sc = session_cpu(file->private_data, vma->vm_pgoff >> cpu_shift);
	if (!sc)
		return -ENXIO;
	if (what == 0)
		return ring_mmap_page(sc->ring, vma);
	if (what == data)
		return ring_mmap_data(sc->ring, vma);
	return -EINVAL;
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct session *session = file->private_data;
	struct session_cpu *sc;
	__poll_t mask = 0;
	bool ended;
	int cpu;

	poll_wait(file, &session->wait, wait);
	ended = READ_ONCE(session->state) == VSAMP_SESSION_ENDED;
	if (ended)
		mask |= EPOLLHUP;
	if (READ_ONCE(session->changes) != READ_ONCE(session->changes_seen))
		mask |= EPOLLPRI;
	for_each_possible_cpu(cpu) {
		sc = session_cpu(session, cpu);
		if (sc && (ring_wants_reader(sc->ring) || (ended && ring_has_data(sc->ring))))
			mask |= EPOLLIN | EPOLLRDNORM;
	}
	return mask;
}

const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = session_open,
	.release = session_release,
	.mmap = session_mmap,
	.poll = session_poll,
	.llseek = noop_llseek,
};

static struct miscdevice session_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vsamp",
	.fops = &session_fops,
	.mode = 0600,
};

int session_init(void)
{
	int err;

	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "vsamp:online", session_cpu_online,
					session_cpu_offline);
	if (err < 0)
		return err;
	session_hotplug = err;
	err = misc_register(&session_device);
	if (err)
		cpuhp_remove_state_nocalls(session_hotplug);
	return err;
}

/* No file is open any more: a session held the module */
void session_exit(void)
{
	misc_deregister(&session_device);
	cancel_delayed_work_sync(&session_verify_work);
	cpuhp_remove_state_nocalls(session_hotplug);
}
