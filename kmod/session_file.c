// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/vsamp
 *
 * Whoever holds the file holds the session: when the last reference goes, however that comes about,
 * the counters stop and all is given back.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>

#include <vsamp.h>

#include "ring.h"
#include "session.h"

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
	session_free(file->private_data);
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

int session_file_init(void)
{
	return misc_register(&session_device);
}

void session_file_exit(void)
{
	misc_deregister(&session_device);
}
