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

#include <vsamp/holder.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vsamp_signature {
	VSAMP_SIGNATURE_NONE,
	VSAMP_SIGNATURE_THERE,
	VSAMP_SIGNATURE_UNKNOWN, /* the file is compressed, or there is none */
};

#define VSAMP_FACTS_HOLDERS_MAX 8

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
	int trial; /* what taking the counters for a moment gave: 0 or a negative errno value */
	char trial_text[256]; /* why that was refused */
	size_t n_holders;     /* may be more than there is room for */
	struct vsamp_holder holder[VSAMP_FACTS_HOLDERS_MAX];
};

/**
 * vsamp_facts_get - look at this machine
 *
 * If nothing else stands in the way the counters are taken, for a moment, since only that tells
 * whether they are free.
 *
 * @root: where /proc, /sys, /lib and /var are looked for, "" = here. The processor, the
 *	  capabilities and the device are those of this machine and process anyway.
 */
void vsamp_facts_get(struct vsamp_facts *facts, const char *root);

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
};

#define VSAMP_CHECKS 13

struct vsamp_check {
	const char *name;
	enum vsamp_check_code code;
	enum vsamp_check_status status;
	char text[256];
	char remedy[256]; /* "" = none needed */
};

/**
 * vsamp_doctor_judge - fill VSAMP_CHECKS checks
 *
 * They come in the order in which they block: the first that fails is the one to mend first.
 */
void vsamp_doctor_judge(const struct vsamp_facts *facts, struct vsamp_check *checks);

/** vsamp_doctor_code - code of the first check that fails, 0 = none */
int vsamp_doctor_code(const struct vsamp_check *checks);

#ifdef __cplusplus
}
#endif

#endif
