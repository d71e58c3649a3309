// SPDX-License-Identifier: MIT
/*
 * perf.data files, as tools/perf/Documentation/perf.data-file-format.txt of the kernel's sources has
 * them: the sideband's records as the kernel gave them, with samples among them. A sample's period is
 * the events that it stands for. What perf can't know by itself, the kernel's symbols, are a format
 * of their own.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>

#include "export.h"
#include "export_perf.h"
#include "file_private.h"
#include "perf_record.h"
#include "record.h"

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
/* The sample's fields up to the chain, the chain's contexts and its own address, its frames */
#define SAMPLE_WORDS	      (8 + 3 + 2 * VSAMP_STACK_DEPTH_MAX)

/* Of perf's own making: no more records come that are earlier than those before the last of it */
#define RECORD_FINISHED_ROUND 68
#define ROUND		      10000 /* records */

struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct perf_section attrs, data, event_types;
	uint64_t features[4];
};

struct attr {
	uint8_t attr[PERF_ATTR_SIZE_VER7];
	struct perf_section ids;
};

void perf_attr_fill(const struct export *x, size_t event, uint8_t attr[PERF_ATTR_SIZE_VER7])
{
	const struct vsamp_recording_event *e = &x->rec->event[event];
	struct perf_event_attr a = {
		.type = PERF_TYPE_RAW,
		.size = PERF_ATTR_SIZE_VER7,
		.config = recording_meta_config(x->rec, event),
		.sample_period = e->sav,
		.sample_type = SAMPLE_TYPE | (x->rec->totals.stacks ? PERF_SAMPLE_CALLCHAIN : 0),
		.exclude_user = !e->user,
		.exclude_kernel = !e->kernel,
		.mmap = 1,
		.comm = 1,
		.task = 1,
		.sample_id_all = 1,
		.mmap2 = 1,
		.comm_exec = 1,
		.build_id = 1,
	};

	memcpy(attr, &a, PERF_ATTR_SIZE_VER7);
}

static void put(const struct export *x, const void *data, size_t size)
{
	fwrite(data, 1, size, x->out);
}

/* Behind a record that is no sample: what sample_id_all asks for */
static void put_trailer(const struct export *x, const struct sideband_id *id)
{
	uint64_t identifier = 1;

	put(x, id, sizeof(*id));
	put(x, &identifier, sizeof(identifier));
}

/* A record of the kernel's, whose trailer is to have the identifier, too */
static void put_sideband(const struct export *x, const struct vsamp_item *item)
{
	struct perf_event_header h = *item->sideband;
	struct sideband_id id;

	if (h.size > UINT16_MAX - sizeof(uint64_t))
		return;
	memcpy(&id, (const char *)item->sideband + h.size - sizeof(id), sizeof(id));
	h.size += sizeof(uint64_t);
	put(x, &h, sizeof(h));
	put(x, item->sideband + 1, item->sideband->size - sizeof(h) - sizeof(id));
	put_trailer(x, &id);
}

static void put_lost(const struct export *x, const struct vsamp_item *item)
{
	struct sideband_id id = {
		.time = vsamp_clock_fit_raw(x->rec->clock, item->time),
		.cpu = item->cpu,
	};
	struct lost_record lost = {
		.h = { PERF_RECORD_LOST, 0, sizeof(lost) + sizeof(id) + sizeof(uint64_t) },
		.id = 1,
		.lost = ((const struct vsamp_record_lost *)item->record)->count,
	};

	put(x, &lost, sizeof(lost));
	put_trailer(x, &id);
}

/* The chain begins with where the sample fell; words say of which side what follows is */
static size_t add_chain(const struct vsamp_trace_sample *s, uint64_t *word)
{
	const struct vsamp_stack *stack = record_stack(s->record);
	bool user = s->user;
	size_t n = 0;

	if (s->guest)
		return 0;
	word[n++] = user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL;
	word[n++] = s->frame[0].ip;
	for (unsigned int i = 0; stack && i < (unsigned int)stack->kernel + stack->user; i++) {
		if (!user && i == stack->kernel) {
			word[n++] = PERF_CONTEXT_USER;
			user = true;
		}
		word[n++] = stack->ip[i];
	}
	return n;
}

static uint16_t sample_mode(const struct vsamp_trace_sample *s)
{
	if (s->guest)
		return s->user ? PERF_RECORD_MISC_GUEST_USER : PERF_RECORD_MISC_GUEST_KERNEL;
	return s->user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

static void put_sample(const struct export *x, const struct vsamp_trace_sample *s)
{
	uint64_t word[SAMPLE_WORDS] = {
		export_event(x, s->event) + 1,
		s->frame[0].ip,
		s->pid | (uint64_t)s->tid << 32,
		s->time,
		s->cpu,
		llround(s->events),
	};
	struct perf_event_header h = { PERF_RECORD_SAMPLE, sample_mode(s), 0 };
	size_t words = 6;

	if (x->rec->totals.stacks) {
		word[words] = add_chain(s, &word[words + 1]);
		words += 1 + word[words];
	}
	h.size = sizeof(h) + words * sizeof(word[0]);
	put(x, &h, sizeof(h));
	put(x, word, words * sizeof(word[0]));
}

/* All that comes is later than what came: perf need not gather the records, and sort them, any longer */
static void put_round(const struct export *x)
{
	struct perf_event_header h = { RECORD_FINISHED_ROUND, 0, sizeof(h) };

	put(x, &h, sizeof(h));
}

static int put_records(const struct export *x, struct vsamp_trace *trace)
{
	struct vsamp_trace_sample sample;
	struct vsamp_item item;
	unsigned int round = 0;
	int ret;

	while ((ret = vsamp_trace_next(trace, &item, &sample, x->err)) > 0) {
		if (item.sideband)
			put_sideband(x, &item);
		else if (ret == 2 && export_wants(x, &sample))
			put_sample(x, &sample);
		else if (item.record->type == VSAMP_RECORD_LOST)
			put_lost(x, &item);
		if (++round % ROUND == 0)
			put_round(x);
	}
	return ret;
}

/* Each event has one identifier: its number + 1 */
static void put_attrs(const struct export *x)
{
	for (uint64_t i = 0; i < x->events; i++) {
		struct attr attr = { .ids = { sizeof(struct header) + i * sizeof(i), sizeof(i) } };

		perf_attr_fill(x, x->event[i], attr.attr);
		put(x, &attr, sizeof(attr));
	}
}

int export_perf(const struct export *x)
{
	struct header h = {
		.magic = "PERFILE2",
		.size = sizeof(h),
		.attr_size = sizeof(struct attr),
		.attrs = { sizeof(h) + x->events * sizeof(uint64_t),
			   x->events * sizeof(struct attr) },
	};
	struct vsamp_trace *trace;
	int ret = vsamp_trace_new(&trace, x->rec, 0, x->err);

	if (ret)
		return ret;
	put(x, &h, sizeof(h));
	for (uint64_t id = 1; id <= x->events; id++)
		put(x, &id, sizeof(id));
	put_attrs(x);
	h.data.offset = h.attrs.offset + h.attrs.size;
	ret = perf_put_kernel(x);
	if (!ret)
		ret = put_records(x, trace);
	vsamp_trace_free(trace);
	if (ret)
		return ret;
	h.data.size = ftell(x->out) - h.data.offset;
	ret = perf_put_features(x, &h.features[0]);
	if (!ret && (fseek(x->out, 0, SEEK_SET) || fwrite(&h, sizeof(h), 1, x->out) != 1))
		ret = vsamp_fail(x->err, errno ? -errno : -EIO, "perf: cannot write: %s",
				 strerror(errno ? errno : EIO));
	return ret;
}
