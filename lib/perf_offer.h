/* SPDX-License-Identifier: MIT */
/* perf_offer.h: what perf_event_open(2) gives this user, and why it doesn't give more */
#ifndef PERF_OFFER_H
#define PERF_OFFER_H

#include <vsamp/doctor.h>

/* Opens and closes an event for each try */
void perf_offer_get(struct vsamp_facts *facts);

struct perf_refusal {
	char text[256];
	char remedy[256]; /* "" = none */
};

/* Fills why a try failed: returns its error, 0: it didn't fail */
int perf_offer_refusal(const struct vsamp_facts *facts, enum vsamp_perf_try what,
		       struct perf_refusal *why);

/* Why nothing counts on the host where facts->vm_counters is set */
void perf_offer_refusal_vm(struct perf_refusal *why);

#endif
