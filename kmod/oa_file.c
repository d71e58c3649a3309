// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/vsamp_gpu
 *
 * Whoever holds the file holds the stream, as it is with /dev/vsamp.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>

#include "oa.h"
#include "ring.h"

static int oa_file_open(struct inode *inode, struct file *file)
{
	struct oa_stream *stream;

	if (!perfmon_capable())
		return -EACCES;
	if (security_locked_down(LOCKDOWN_PERF))
		return -EPERM;
	stream = kzalloc(sizeof(*stream), GFP_KERNEL_ACCOUNT);
	if (!stream)
		return -ENOMEM;
	oa_stream_init(stream);
	file->private_data = stream;
	return nonseekable_open(inode, file);
}

static int oa_file_release(struct inode *inode, struct file *file)
{
	oa_stream_free(file->private_data);
	return 0;
}

/* Once it has started, a stream's ring stays */
static struct ring *oa_file_ring(struct oa_stream *stream)
{
	/* pairs with oa_stream_set_state() */
	return smp_load_acquire(&stream->state) < VSAMP_SESSION_RUNNING ? NULL : stream->ring;
}

static int oa_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ring *ring = oa_file_ring(file->private_data);

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (!ring)
		return -ENXIO;
	if (vma->vm_pgoff == VSAMP_MMAP_CTRL(0) >> PAGE_SHIFT)
		return ring_mmap_page(ring, vma);
	if (vma->vm_pgoff == VSAMP_MMAP_DATA(0) >> PAGE_SHIFT)
		return ring_mmap_data(ring, vma);
	return -EINVAL;
}

static __poll_t oa_file_poll(struct file *file, poll_table *wait)
{
	struct oa_stream *stream = file->private_data;
	struct ring *ring;
	__poll_t mask = 0;
	bool ended;

	poll_wait(file, &stream->wait, wait);
	ring = oa_file_ring(stream);
	ended = READ_ONCE(stream->state) == VSAMP_SESSION_ENDED;
	if (ended)
		mask |= EPOLLHUP;
	if (ring && (ring_wants_reader(ring) || (ended && ring_has_data(ring))))
		mask |= EPOLLIN | EPOLLRDNORM;
	return mask;
}

const struct file_operations oa_fops = {
	.owner = THIS_MODULE,
	.open = oa_file_open,
	.release = oa_file_release,
	.mmap = oa_file_mmap,
	.poll = oa_file_poll,
	.llseek = noop_llseek,
};

static struct miscdevice oa_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vsamp_gpu",
	.fops = &oa_fops,
	.mode = 0600,
};

int oa_file_init(void)
{
	return misc_register(&oa_device);
}

void oa_file_exit(void)
{
	misc_deregister(&oa_device);
}
