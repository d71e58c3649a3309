/* SPDX-License-Identifier: MIT */
/*
 * vsamp/doctor.h: what keeps sampling from working here
 *
 * vsamp_facts_get() looks at the machine, vsamp_doctor_judge() says what follows from what was
 * found: a pure function. Thread-safe.
 */
#ifndef VSAMP_DOCTOR_H
#define VSAMP_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/holder.h>
#include <vsamp/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vsamp_signature {
	VSAMP_SIGNATURE_NONE,
	VSAMP_SIGNATURE_THERE,
	VSAMP_SIGNATURE_UNKNOWN, /* the file is compressed, or there is none */
};

#define VSAMP_FACTS_HOLDERS_MAX 8

/* What perf_event_open(2) was asked for: to sample ... */
enum vsamp_perf_try {
	VSAMP_PERF_CLOCK,	    /* this process by time, user mode */
	VSAMP_PERF_CLOCK_KERNEL,    /* and the kernel */
	VSAMP_PERF_HARDWARE,	    /* by clock cycles, user mode */
	VSAMP_PERF_HARDWARE_KERNEL, /* and the kernel */
	VSAMP_PERF_CPU,		    /* a whole CPU, by time, user mode */
	VSAMP_PERF_TRIES,
};

struct vsamp_facts {
	char kernel_release[65];
	bool module_installed;
	bool module_loaded;
	char module_version[32];
	enum vsamp_signature module_signature;
	bool secure_boot;
	char signing_key[128]; /* that DKMS signs with; "" = there is none */
	char lockdown[16];     /* "none", "integrity", "confidentiality"; "": not built in */
	bool pid_namespace_initial;
	bool cap_perfmon;
	bool cap_sys_admin;
	int device_errno;	      /* of opening /dev/vsamp; 0: it opened */
	unsigned int perfmon_version; /* CPUID leaf 0AH */
	bool intel;
	bool hypervisor;
	bool clock_invariant;
	int perf_event_paranoid;
	int trial; /* what vsamp_facts_try_counters() gave: 0 or a negative errno value */
	char trial_text[256];	    /* why that was refused */
	bool vm_counters;	    /* a virtual machine runs that has the counters for itself */
	int kperf;		    /* what the module said of kperf: 0 or a negative errno value */
	char kperf_text[256];	    /* why that was refused */
	int perf[VSAMP_PERF_TRIES]; /* 0 or a negative errno value */
	size_t n_pmus;
	struct vsamp_pmu pmu[VSAMP_PMUS_MAX];
	size_t n_holders; /* may be more than there is room for */
	struct vsamp_holder holder[VSAMP_FACTS_HOLDERS_MAX];
};

/**
 * vsamp_facts_get - look at this machine
 *
 * Whether the counters are free for intel, only vsamp_facts_try_counters() tells.
 *
 * @root: where /proc, /sys, /lib and /var are looked for, "" = here. The processor, the
 *	  capabilities, the device and perf_event_open(2) are those of this machine and process
 *	  anyway.
 */
void vsamp_facts_get(struct vsamp_facts *facts, const char *root);

/**
 * vsamp_facts_try_counters - see whether intel can have the counters, by taking them for a moment
 *
 * Does nothing where what vsamp_facts_get() found stands in the way. Others' hardware events that
 * begin in that moment are refused, so don't where no counter is wanted.
 */
void vsamp_facts_try_counters(struct vsamp_facts *facts);

enum vsamp_check_status {
	VSAMP_CHECK_OK,
	VSAMP_CHECK_WARN,    /* sampling works, but not all of it */
	VSAMP_CHECK_FAIL,    /* keeps it from working */
	VSAMP_CHECK_UNKNOWN, /* can't be told before an earlier check is good */
};

/* Exit codes of the doctor command, one a check; they don't change meaning */
enum vsamp_check_code {
	VSAMP_CHECK_INSTALLED = 10,
	VSAMP_CHECK_SIGNATURE = 11,
	VSAMP_CHECK_LOADED = 12,
	VSAMP_CHECK_LOCKDOWN = 13,
	VSAMP_CHECK_PID_NAMESPACE = 14,
	VSAMP_CHECK_CAPABILITY = 15,
	VSAMP_CHECK_DEVICE = 16,
	VSAMP_CHECK_PROCESSOR = 17,
	VSAMP_CHECK_HYPERVISOR = 18,
	VSAMP_CHECK_WATCHDOG = 19,
	VSAMP_CHECK_HOLDERS = 20,
	VSAMP_CHECK_SIDEBAND = 21,
	VSAMP_CHECK_CLOCK = 22, /* never fails */
	VSAMP_CHECK_PERF = 23,
	VSAMP_CHECK_BACKEND = 24,
};

#define VSAMP_CHECKS 15

struct vsamp_check {
	const char *name;
	enum vsamp_check_code code;
	enum vsamp_check_status status;
	char text[1024];
	char remedy[256]; /* "" = none needed */
};

/**
 * vsamp_doctor_judge - fill VSAMP_CHECKS checks
 *
 * They come in the order in which they block: the first that fails is the one to mend first. What
 * keeps intel alone from counting (processor, hypervisor, nmi-watchdog, holders) is no failure where
 * kperf counts. Not thread-safe: takes vsamp/event.h.
 */
void vsamp_doctor_judge(const struct vsamp_facts *facts, struct vsamp_check *checks);

/** vsamp_doctor_code - code of the first check that fails, 0 = none */
int vsamp_doctor_code(const struct vsamp_check *checks);

#ifdef __cplusplus
}
#endif

#endif
