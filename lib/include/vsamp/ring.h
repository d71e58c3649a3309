/* SPDX-License-Identifier: MIT */
/*
 * vsamp/ring.h: reader of one CPU's ring: mapped, of the module; or what is made of perf's buffer
 *
 *	while (vsamp_ring_begin(ring, &data, &size, &err) > 0) {
 *		... whole records in data, checked ...
 *		vsamp_ring_end(ring);
 *	}
 *
 * What is mapped is not trusted: positions and sizes are read once and checked. One thread a ring.
 */
#ifndef VSAMP_RING_H
#define VSAMP_RING_H

#include <stddef.h>
#include <stdint.h>

#include <vsamp/error.h>

#include "vsamp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_ring;

/* What a reader has seen and released */
struct vsamp_ring_counts {
	uint64_t records; /* LOST records apart: what the kernel calls written */
	uint64_t samples[VSAMP_EVENTS_MAX];
	uint64_t lost; /* sum of the counts of LOST records */
	uint64_t lost_records;
	uint64_t throttles;
	uint64_t foreign; /* VSAMP_STATE_FOREIGN records */
};

/**
 * vsamp_ring_open - map the module's ring of a CPU; vsamp_session_ring() is for any backend
 * @fd: a running /dev/vsamp
 *
 * Errors: of mmap(2) (-ENXIO: the CPU has no ring); -EPROTO for a ring of another version or of an
 * impossible size.
 */
int vsamp_ring_open(struct vsamp_ring **ring, int fd, uint32_t cpu, struct vsamp_error *err);
void vsamp_ring_close(struct vsamp_ring *ring); /* NULL is nothing to do */

/**
 * vsamp_ring_begin - the records that wait, oldest first
 * @data: receives where they are; valid until vsamp_ring_end()
 * @size: receives bytes
 *
 * Returns 1 if there are any, 0 if not, -EBADMSG for a head or record that can't be: the ring is
 * then not read again.
 */
int vsamp_ring_begin(struct vsamp_ring *ring, const void **data, size_t *size,
		     struct vsamp_error *err);

/** vsamp_ring_end - count what vsamp_ring_begin() gave, and give its room back */
void vsamp_ring_end(struct vsamp_ring *ring);

uint32_t vsamp_ring_cpu(const struct vsamp_ring *ring);
uint64_t vsamp_ring_size(const struct vsamp_ring *ring); /* bytes of data */
const struct vsamp_ring_counts *vsamp_ring_counts(const struct vsamp_ring *ring);

#ifdef __cplusplus
}
#endif

#endif
