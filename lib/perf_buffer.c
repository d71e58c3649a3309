// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock_record.h"
#include "perf_buffer.h"
#include "perf_record.h"

struct sample_record {
	struct perf_event_header h;
	uint64_t id;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	/* with stacks: the call chain's count, and its entries */
};

/* Behind every record that is no sample */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct throttle_record {
	struct perf_event_header h;
	uint64_t time, id, stream_id;
	struct sample_id sample_id;
};

struct lost_sample_id_record {
	struct lost_record lost;
	struct sample_id sample_id;
};

struct lost_samples_record {
	struct perf_event_header h;
	uint64_t lost;
	struct sample_id sample_id;
};

int perf_buffer_map(struct perf_buffer *b, int fd, uint64_t size)
{
	void *map = mmap(NULL, sysconf(_SC_PAGESIZE) + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0);

	if (map == MAP_FAILED)
		return -errno;
	b->page = map;
	b->size = size;
	b->tail = __atomic_load_n(&b->page->data_tail, __ATOMIC_RELAXED);
	return 0;
}

void perf_buffer_unmap(struct perf_buffer *b)
{
	if (b->page)
		munmap(b->page, sysconf(_SC_PAGESIZE) + b->size);
	b->page = NULL;
}

void perf_buffer_free(struct perf_buffer *b)
{
	perf_buffer_unmap(b);
	free(b->ids);
	buf_free(&b->copy);
	buf_free(&b->out);
}

int perf_buffer_add_id(struct perf_buffer *b, uint64_t id, uint16_t event)
{
	struct perf_buffer_id *more = reallocarray(b->ids, b->n_ids + 1, sizeof(*more));
	unsigned int at = b->n_ids;

	if (!more)
		return -ENOMEM;
	b->ids = more;
	/* The kernel counts them up: there is seldom one to move */
	for (; at && more[at - 1].id > id; at--)
		more[at] = more[at - 1];
	more[at] = (struct perf_buffer_id){ id, event };
	b->n_ids++;
	return 0;
}

static const struct perf_buffer_id *id_find(const struct perf_buffer *b, uint64_t id)
{
	unsigned int low = 0, high = b->n_ids;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (b->ids[middle].id == id)
			return &b->ids[middle];
		if (b->ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Room is there: no record grows */
static void out_add(struct perf_buffer *b, const void *record, size_t size)
{
	memcpy(b->out.data + b->out.size, record, size);
	b->out.size += size;
}

static uint16_t sample_flags(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_USER:
		return VSAMP_SAMPLE_USER;
	case PERF_RECORD_MISC_GUEST_USER:
		return VSAMP_SAMPLE_GUEST | VSAMP_SAMPLE_USER;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return VSAMP_SAMPLE_GUEST;
	default:
		return 0;
	}
}

/* The stack behind a sample, which it is then a part of; its bytes, or -EBADMSG */
static int convert_stack(struct perf_buffer *b, struct vsamp_record_sample *sample,
			 const char *chain, size_t size)
{
	int ret = perf_stack_convert(&b->stacks, !(sample->h.flags & VSAMP_SAMPLE_USER), chain,
				     size, (void *)(b->out.data + b->out.size + sizeof(*sample)));

	if (ret < 0)
		return ret;
	sample->h.flags |= VSAMP_SAMPLE_STACK;
	sample->h.size += ret;
	return ret;
}

static int convert_sample(struct perf_buffer *b, const char *at, uint16_t size,
			  struct vsamp_error *err)
{
	const struct perf_buffer_id *id;
	struct sample_record from;
	struct vsamp_record_sample to;
	int stack = 0;

	if (size < sizeof(from))
		return vsamp_fail(err, -EBADMSG, "perf's buffer of CPU %u: a sample of %u bytes",
				  b->cpu, size);
	memcpy(&from, at, sizeof(from));
	id = id_find(b, from.id);
	if (!id)
		return vsamp_fail(err, -EBADMSG,
				  "perf's buffer of CPU %u: a sample of event %" PRIu64
				  ", which isn't ours",
				  b->cpu, from.id);
	to = (struct vsamp_record_sample){
		.h = { VSAMP_RECORD_SAMPLE, sizeof(to), id->event, sample_flags(from.h.misc) },
		.time = from.time,
		.ip = from.ip,
		.pid = from.pid,
		.tid = from.tid,
	};
	if (b->stacks.sides) {
		stack = convert_stack(b, &to, at + sizeof(from), size - sizeof(from));
		if (stack < 0)
			return vsamp_fail(
				err, stack,
				"perf's buffer of CPU %u: a sample of %u bytes, whose call chain is longer",
				b->cpu, size);
	}
	out_add(b, &to, sizeof(to));
	b->out.size += stack;
	b->samples[id->event]++;
	b->written++;
	return 0;
}

static void out_lost(struct perf_buffer *b, uint64_t time, uint64_t count)
{
	struct vsamp_record_lost to = {
		.h = { VSAMP_RECORD_LOST, sizeof(to), 0, 0 },
		.time = time,
		.count = count,
	};

	if (__builtin_add_overflow(b->lost, count, &b->lost))
		b->lost = UINT64_MAX;
	out_add(b, &to, sizeof(to));
}

static int convert_lost(struct perf_buffer *b, const char *at, uint16_t size,
			struct vsamp_error *err)
{
	struct lost_sample_id_record from;

	if (size < sizeof(from))
		return vsamp_fail(err, -EBADMSG,
				  "perf's buffer of CPU %u: a record of losses of %u bytes", b->cpu,
				  size);
	memcpy(&from, at, sizeof(from));
	out_lost(b, from.sample_id.time, from.lost.lost);
	return 0;
}

static int convert_lost_samples(struct perf_buffer *b, const char *at, uint16_t size,
				struct vsamp_error *err)
{
	struct lost_samples_record from;

	if (size < sizeof(from))
		return vsamp_fail(err, -EBADMSG,
				  "perf's buffer of CPU %u: a record of lost samples of %u bytes",
				  b->cpu, size);
	memcpy(&from, at, sizeof(from));
	/* The processor's, not the buffer's: the kernel's total doesn't have them */
	b->lost_before += from.lost;
	out_lost(b, from.sample_id.time, from.lost);
	return 0;
}

static int convert_throttle(struct perf_buffer *b, const char *at, uint16_t size, uint16_t type,
			    struct vsamp_error *err)
{
	struct vsamp_record_throttle to = { .h = { type, sizeof(to), 0, 0 } };
	struct throttle_record from;

	if (size < sizeof(from))
		return vsamp_fail(err, -EBADMSG,
				  "perf's buffer of CPU %u: a record of throttling of %u bytes",
				  b->cpu, size);
	memcpy(&from, at, sizeof(from));
	to.time = from.time;
	out_add(b, &to, sizeof(to));
	b->throttled += type == VSAMP_RECORD_THROTTLE;
	b->written++;
	return 0;
}

static int convert_record(struct perf_buffer *b, const struct perf_event_header *h, const char *at,
			  struct vsamp_error *err)
{
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		return convert_sample(b, at, h->size, err);
	case PERF_RECORD_LOST:
		return convert_lost(b, at, h->size, err);
	case PERF_RECORD_LOST_SAMPLES:
		return convert_lost_samples(b, at, h->size, err);
	case PERF_RECORD_THROTTLE:
		return convert_throttle(b, at, h->size, VSAMP_RECORD_THROTTLE, err);
	case PERF_RECORD_UNTHROTTLE:
		return convert_throttle(b, at, h->size, VSAMP_RECORD_UNTHROTTLE, err);
	default:
		return 0; /* not asked for */
	}
}

static int convert_copy(struct perf_buffer *b, struct vsamp_error *err)
{
	struct perf_event_header h;
	int ret;

	for (size_t pos = 0; pos < b->copy.size; pos += h.size) {
		const char *at = (const char *)b->copy.data + pos;
		size_t left = b->copy.size - pos;

		if (left >= sizeof(h))
			memcpy(&h, at, sizeof(h));
		if (left < sizeof(h) || h.size < sizeof(h) || h.size % 8 || h.size > left)
			return vsamp_fail(
				err, -EBADMSG,
				"perf's buffer of CPU %u is damaged: a record, %zu bytes before the end",
				b->cpu, left);
		ret = convert_record(b, &h, at, err);
		if (ret)
			return ret;
	}
	return 0;
}

static int buffer_copy(struct perf_buffer *b, uint64_t size)
{
	const char *data = (const char *)b->page + sysconf(_SC_PAGESIZE);
	uint64_t at = b->tail & (b->size - 1);
	uint64_t first = size < b->size - at ? size : b->size - at;

	b->copy.size = 0;
	if (buf_reserve(&b->copy, size) || buf_reserve(&b->out, size))
		return -ENOMEM;
	buf_add(&b->copy, data + at, first);
	return buf_add(&b->copy, data, size - first);
}

int perf_buffer_convert(struct perf_buffer *b, bool all, struct vsamp_error *err)
{
	uint64_t head;

	if (!b->page || (!all && b->out.size > b->size))
		return 0;
	head = __atomic_load_n(&b->page->data_head, __ATOMIC_ACQUIRE);
	if (head == b->tail)
		return 0;
	if (head - b->tail > b->size)
		return vsamp_fail(err, -EBADMSG,
				  "perf's buffer of CPU %u: head %" PRIu64
				  " can't follow tail %" PRIu64,
				  b->cpu, head, b->tail);
	if (buffer_copy(b, head - b->tail))
		return vsamp_fail(err, -ENOMEM, "out of memory");
	b->tail = head;
	__atomic_store_n(&b->page->data_tail, head, __ATOMIC_RELEASE);
	return convert_copy(b, err);
}

static int out_put(struct perf_buffer *b, const void *record, size_t size)
{
	int ret = buf_add(&b->out, record, size);

	b->written += !ret;
	return ret;
}

int perf_buffer_put_state_of(struct perf_buffer *b, enum vsamp_state_code code, uint64_t time)
{
	struct vsamp_record_state state = {
		.h = { VSAMP_RECORD_STATE, sizeof(state), code, 0 },
		.time = time,
	};

	return out_put(b, &state, sizeof(state));
}

int perf_buffer_put_state(struct perf_buffer *b, enum vsamp_state_code code)
{
	return perf_buffer_put_state_of(b, code, clock_raw_now());
}

int perf_buffer_put_clock(struct perf_buffer *b)
{
	struct vsamp_record_clock clock;

	clock_record_make(&clock);
	b->clock_due = clock.time + CLOCK_RECORD_EVERY;
	return out_put(b, &clock, sizeof(clock));
}

int perf_buffer_put_sav(struct perf_buffer *b, uint16_t event, uint64_t sav)
{
	struct vsamp_record_sav record = {
		.h = { VSAMP_RECORD_SAV, sizeof(record), event, 0 },
		.time = clock_raw_now(),
		.sav = sav,
	};

	return out_put(b, &record, sizeof(record));
}

int perf_buffer_settle_lost(struct perf_buffer *b, uint64_t total)
{
	uint64_t told = b->lost - b->lost_before;

	if (total <= told)
		return 0;
	if (buf_reserve(&b->out, sizeof(struct vsamp_record_lost)))
		return -ENOMEM;
	out_lost(b, clock_raw_now(), total - told);
	return 0;
}
