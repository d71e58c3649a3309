/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels. probes.h is made by the build: VSAMP_HAVE_X is 1 where
 * probes/x.c compiles.
 */
#ifndef _VSAMP_COMPAT_H
#define _VSAMP_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>

#include "arch.h"
#include "probes.h"

static inline void compat_vm_flags(struct vm_area_struct *vma, unsigned long set,
				   unsigned long clear)
{
#if VSAMP_HAVE_VM_FLAGS_SET
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

static inline struct nlattr **compat_dump_attrs(struct netlink_callback *cb)
{
#if VSAMP_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* The parameters of a probe on sched_process_exit */
#if VSAMP_HAVE_EXIT_GROUP_DEAD
#define COMPAT_SCHED_EXIT_ARGS(args...) args, bool group_dead
#else
#define COMPAT_SCHED_EXIT_ARGS(args...) args
#endif

static inline void compat_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*fn)(struct hrtimer *))
{
#if VSAMP_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = fn;
#endif
}

/* The queue of work that is short and not in a hurry; by its old name newer kernels complain */
static inline struct workqueue_struct *compat_system_wq(void)
{
#if VSAMP_HAVE_SYSTEM_PERCPU_WQ
	return system_percpu_wq;
#else
	return system_wq;
#endif
}

/*
 * A refusal's text with numbers in it. Older kernels have no such macro, and that of newer ones
 * cuts the text at 80 characters. What is given out is a pointer, used until the answer is sent,
 * after the request's function has returned: the text stays in one of a few buffers that are used
 * in turn.
 */
#undef NL_SET_ERR_MSG_FMT
char *compat_text(void);
#define COMPAT_TEXT_SIZE 160
#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {			\
	struct netlink_ext_ack *__ack = (extack);			\
	char *__text = compat_text();					\
									\
	snprintf(__text, COMPAT_TEXT_SIZE, fmt, ##args);		\
	if (__ack)							\
		__ack->_msg = __text;					\
} while (0)

#endif /* _VSAMP_COMPAT_H */
