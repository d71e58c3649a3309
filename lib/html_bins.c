// SPDX-License-Identifier: MIT
/*
 * html_bins.c: samples by time, in slices of equal length, by event and CPU. A row of slices is a
 * list of numbers: of samples, or, below zero, of slices without any.
 */
#include <inttypes.h>

#include "html.h"

#define BINS_MAX    2000
#define NUMBERS_MAX (1U << 19) /* of all rows together, as far as slices can be fewer */
#define BINS_MIN    50

struct bins {
	struct html *h;
	size_t count, cpus;
	uint32_t *samples; /* by event wanted, CPU and slice */
	uint16_t row[VSAMP_CPUS_MAX];
};

static int bins_init(struct bins *b, struct html *h)
{
	const struct vsamp_recording *rec = h->x->rec;
	size_t rows = rec->cpus * h->x->events;

	*b = (struct bins){ .h = h, .count = BINS_MAX, .cpus = rec->cpus };
	while (b->count > BINS_MIN && rows * b->count > NUMBERS_MAX)
		b->count /= 2;
	for (size_t i = 0; i < rec->cpus; i++)
		b->row[rec->cpu[i].cpu] = i;
	b->samples = calloc(rows * b->count + 1, sizeof(*b->samples));
	return b->samples ? 0 : export_no_memory(h->x);
}

static void add_sample(struct bins *b, const struct vsamp_trace_sample *sample)
{
	const struct html *h = b->h;
	uint64_t length = h->end > h->begin ? h->end - h->begin : 1;
	size_t event = export_event(h->x, sample->event), slice = 0;

	if (sample->time > h->begin)
		slice = (double)(sample->time - h->begin) / length * b->count;
	if (slice >= b->count)
		slice = b->count - 1;
	b->samples[(event * b->cpus + b->row[sample->cpu]) * b->count + slice]++;
}

static int add_all(struct bins *b, struct vsamp_trace *trace)
{
	struct vsamp_trace_sample sample;
	struct vsamp_item item;
	int ret;

	while ((ret = vsamp_trace_next(trace, &item, &sample, b->h->x->err)) > 0) {
		if (ret == 2 && export_wants(b->h->x, &sample))
			add_sample(b, &sample);
		else if (item.sideband && threads_take(&b->h->threads, item.sideband))
			b->h->no_memory = true;
	}
	return ret;
}

static void put_row(const struct bins *b, size_t row)
{
	const uint32_t *samples = b->samples + row * b->count;
	const char *comma = "";

	fputs(row % b->cpus ? ",[" : "[", b->h->out);
	for (size_t i = 0, none; i < b->count; i++, comma = ",") {
		for (none = 0; i + none < b->count && !samples[i + none]; none++)
			;
		if (none) {
			fprintf(b->h->out, "%s-%zu", comma, none);
			i += none - 1;
		} else {
			fprintf(b->h->out, "%s%" PRIu32, comma, samples[i]);
		}
	}
	putc(']', b->h->out);
}

int html_put_bins(struct html *h)
{
	struct vsamp_trace *trace = NULL;
	struct bins b;
	int ret = bins_init(&b, h);

	if (!ret)
		ret = vsamp_trace_new(&trace, h->x->rec, 0, h->x->err);
	if (!ret)
		ret = add_all(&b, trace);
	vsamp_trace_free(trace);
	fprintf(h->out, ",\n\"length\":%" PRIu64 ",\"slices\":%zu,\"cpus\":[",
		h->end > h->begin ? h->end - h->begin : 0, b.count);
	for (size_t i = 0; i < b.cpus; i++)
		fprintf(h->out, "%s%" PRIu32, i ? "," : "", h->x->rec->cpu[i].cpu);
	fputs("],\n\"samples\":[", h->out);
	for (size_t e = 0; e < h->x->events && !ret; e++) {
		fputs(e ? ",\n[" : "[", h->out);
		for (size_t i = 0; i < b.cpus; i++)
			put_row(&b, e * b.cpus + i);
		putc(']', h->out);
	}
	putc(']', h->out);
	free(b.samples);
	return ret;
}
