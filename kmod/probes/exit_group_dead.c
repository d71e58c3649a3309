// SPDX-License-Identifier: GPL-2.0
/* the sched_process_exit tracepoint says whether the process's last task is leaving (7.0) */
#include <trace/events/sched.h>

static void probe_exit(void *data, struct task_struct *task, bool group_dead)
{
}

void probe(void);
void probe(void)
{
	check_trace_callback_type_sched_process_exit(probe_exit);
}
