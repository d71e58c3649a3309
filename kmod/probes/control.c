// SPDX-License-Identifier: GPL-2.0
/* compiles on every kernel */
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/hrtimer.h>
#include <net/genetlink.h>
#include <trace/events/sched.h>

int probe(void);
int probe(void)
{
	return 0;
}
