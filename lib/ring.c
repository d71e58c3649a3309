// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vsamp/ring.h>

#include "record.h"

struct vsamp_ring {
	struct vsamp_ring_page *page; /* shared with the kernel */
	const char *data;	      /* data_size bytes, twice in a row */
	uint64_t data_size;
	uint64_t tail;	/* ours; the page's is only told to the kernel */
	uint64_t batch; /* bytes given by ring_begin, 0: none */
	uint32_t cpu;
	int broken; /* error that ended reading */
	struct vsamp_ring_counts counts;
	struct vsamp_ring_counts after; /* counts once the batch is released */
};

static int ring_check_page(struct vsamp_ring *r, uint32_t version, struct vsamp_error *err)
{
	if (version != VSAMP_RING_VERSION)
		return vsamp_fail(
			err, -EPROTO,
			"ring of CPU %u has version %u, this vsamp reads %d: module and command don't match",
			r->cpu, version, VSAMP_RING_VERSION);
	if (r->data_size < VSAMP_RING_SIZE_MIN || r->data_size > VSAMP_RING_SIZE_MAX ||
	    r->data_size & (r->data_size - 1))
		return vsamp_fail(err, -EPROTO, "ring of CPU %u says it has %" PRIu64 " bytes",
				  r->cpu, r->data_size);
	return 0;
}

int vsamp_ring_open(struct vsamp_ring **ring, int fd, uint32_t cpu, struct vsamp_error *err)
{
	struct vsamp_ring *r = calloc(1, sizeof(*r));
	void *map;
	int ret;

	if (!r)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	r->cpu = cpu;
	map = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   VSAMP_MMAP_CTRL(cpu));
	if (map == MAP_FAILED) {
		ret = vsamp_fail(err, -errno, "ring of CPU %u can't be mapped: %s", cpu,
				 strerror(errno));
		goto err_free;
	}
	r->page = map;
	r->data_size = __atomic_load_n(&r->page->data_size, __ATOMIC_RELAXED);
	ret = ring_check_page(r, __atomic_load_n(&r->page->version, __ATOMIC_RELAXED), err);
	if (ret)
		goto err_unmap;
	map = mmap(NULL, 2 * r->data_size, PROT_READ, MAP_SHARED, fd, VSAMP_MMAP_DATA(cpu));
	if (map == MAP_FAILED) {
		ret = vsamp_fail(err, -errno, "data of CPU %u's ring can't be mapped: %s", cpu,
				 strerror(errno));
		goto err_unmap;
	}
	r->data = map;
	r->tail = __atomic_load_n(&r->page->tail, __ATOMIC_RELAXED);
	*ring = r;
	return 0;

err_unmap:
	munmap(r->page, sysconf(_SC_PAGESIZE));
err_free:
	free(r);
	return ret;
}

void vsamp_ring_close(struct vsamp_ring *r)
{
	if (!r)
		return;
	munmap((void *)r->data, 2 * r->data_size);
	munmap(r->page, sysconf(_SC_PAGESIZE));
	free(r);
}

static void counts_add(struct vsamp_ring_counts *c, const struct vsamp_record_header *h)
{
	const struct vsamp_record_lost *lost = (const void *)h;

	if (h->type == VSAMP_RECORD_LOST) {
		c->lost_records++;
		if (__builtin_add_overflow(c->lost, lost->count, &c->lost))
			c->lost = UINT64_MAX;
		return;
	}
	c->records++;
	c->throttles += h->type == VSAMP_RECORD_THROTTLE;
	if (h->type == VSAMP_RECORD_SAMPLE)
		c->samples[h->event]++;
	else if (h->type == VSAMP_RECORD_STATE)
		c->foreign += h->event == VSAMP_STATE_FOREIGN;
}

static int ring_check_records(struct vsamp_ring *r, const char *data, uint64_t size,
			      struct vsamp_error *err)
{
	r->after = r->counts;
	for (uint64_t pos = 0; pos < size;) {
		struct vsamp_record_header h;

		memcpy(&h, data + pos, sizeof(h));
		if (h.size < sizeof(h) || h.size < record_size_min(h.type) || h.size % 8 ||
		    h.size > size - pos)
			return vsamp_fail(
				err, -EBADMSG,
				"ring of CPU %u: a record of type %u says it has %u bytes, at %" PRIu64
				" of %" PRIu64,
				r->cpu, h.type, h.size, r->tail + pos, r->tail + size);
		if (h.type == VSAMP_RECORD_SAMPLE && h.event >= VSAMP_EVENTS_MAX)
			return vsamp_fail(err, -EBADMSG, "ring of CPU %u: a sample of event %u",
					  r->cpu, h.event);
		counts_add(&r->after, (const void *)(data + pos));
		pos += h.size;
	}
	return 0;
}

int vsamp_ring_begin(struct vsamp_ring *r, const void **data, size_t *size, struct vsamp_error *err)
{
	const char *first = r->data + (r->tail & (r->data_size - 1));
	uint64_t head;

	if (r->broken)
		return vsamp_fail(err, r->broken, "ring of CPU %u was damaged before", r->cpu);
	head = __atomic_load_n(&r->page->head, __ATOMIC_ACQUIRE);
	r->batch = head - r->tail;
	if (!r->batch)
		return 0;
	if (r->batch > r->data_size)
		r->broken = vsamp_fail(err, -EBADMSG,
				       "ring of CPU %u: head %" PRIu64
				       " can't follow tail %" PRIu64,
				       r->cpu, head, r->tail);
	else
		r->broken = ring_check_records(r, first, r->batch, err);
	if (r->broken) {
		r->batch = 0;
		return r->broken;
	}
	*data = first;
	*size = r->batch;
	return 1;
}

void vsamp_ring_end(struct vsamp_ring *r)
{
	if (!r->batch)
		return;
	r->counts = r->after;
	r->tail += r->batch;
	r->batch = 0;
	__atomic_store_n(&r->page->tail, r->tail, __ATOMIC_RELEASE);
}

uint32_t vsamp_ring_cpu(const struct vsamp_ring *r)
{
	return r->cpu;
}

uint64_t vsamp_ring_size(const struct vsamp_ring *r)
{
	return r->data_size;
}

const struct vsamp_ring_counts *vsamp_ring_counts(const struct vsamp_ring *r)
{
	return &r->counts;
}
