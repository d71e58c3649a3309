/* SPDX-License-Identifier: MIT */
#ifndef FACTS_GOOD_H
#define FACTS_GOOD_H

#include <vsamp/doctor.h>

/* Root, on an Intel server with the module, and no driver of perf's */
static inline struct vsamp_facts facts_good(void)
{
	return (struct vsamp_facts){
		.kernel_release = "6.1.0-57-amd64",
		.module_installed = true,
		.module_loaded = true,
		.module_signature = VSAMP_SIGNATURE_THERE,
		.lockdown = "none",
		.pid_namespace_initial = true,
		.cap_perfmon = true,
		.cap_sys_admin = true,
		.perfmon_version = 5,
		.intel = true,
		.clock_invariant = true,
		.perf_event_paranoid = 3,
	};
}

#endif
