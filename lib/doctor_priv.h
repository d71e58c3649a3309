/* SPDX-License-Identifier: MIT */
#ifndef DOCTOR_PRIV_H
#define DOCTOR_PRIV_H

#include <vsamp/doctor.h>

/* One check alone; not VSAMP_CHECK_BACKEND */
void doctor_look(const struct vsamp_facts *facts, enum vsamp_check_code code,
		 struct vsamp_check *check);

/* Whether the module's kperf can count hardware events */
bool backend_kperf_counts(const struct vsamp_facts *facts);

#endif
