// SPDX-License-Identifier: GPL-2.0
/* system_wq's name became system_percpu_wq (6.17, and in 6.12.y) */
#include <linux/workqueue.h>

struct workqueue_struct *probe(void);
struct workqueue_struct *probe(void)
{
	return system_percpu_wq;
}
