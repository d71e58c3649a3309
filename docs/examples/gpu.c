// SPDX-License-Identifier: MIT
/*
 * gpu DEVICE SET SECONDS: what a GPU did in a time, by its own reports each millisecond or so
 *
 *	cc gpu.c -o gpu $(pkg-config --cflags --libs libvsamp)
 *	./gpu 0000:00:02.0 RenderBasic 2
 *
 * 'vsamp gpu list' has the devices and their sets.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vsamp/gpu.h>
#include <vsamp/gpu_stream.h>
#include <vsamp/oa.h>
#include <vsamp/ring.h>

#define PERIOD_NS 1000000
#define READ_MS	  100

struct sum {
	const struct vsamp_gpu *gpu;
	struct vsamp_oa_deltas deltas;
	uint8_t last[VSAMP_OA_REPORT_SIZE]; /* report */
	uint64_t reports, lost, no_room;
};

static void add_report(struct sum *s, const void *report)
{
	if (s->reports++)
		vsamp_oa_accumulate(&s->deltas, vsamp_oa_platform_format(s->gpu->platform), s->last,
				    report);
	memcpy(s->last, report, sizeof(s->last));
}

static void add_record(struct sum *s, const struct vsamp_record_header *h)
{
	if (h->type == VSAMP_RECORD_OA &&
	    h->size >= sizeof(struct vsamp_record_oa) + VSAMP_OA_REPORT_SIZE)
		add_report(s, ((const struct vsamp_record_oa *)h)->report);
	else if (h->type == VSAMP_RECORD_OA_LOST && h->size >= sizeof(struct vsamp_record_oa_lost))
		s->lost += ((const struct vsamp_record_oa_lost *)h)->count;
	else if (h->type == VSAMP_RECORD_LOST)
		s->no_room += ((const struct vsamp_record_lost *)h)->count;
}

static int read_ring(struct sum *s, struct vsamp_ring *ring, struct vsamp_error *err)
{
	const void *data;
	size_t size;
	int ret;

	while ((ret = vsamp_ring_begin(ring, &data, &size, err)) > 0) {
		for (const char *at = data, *end = at + size; at < end;) {
			const struct vsamp_record_header *h = (const void *)at;

			add_record(s, h);
			at += h->size;
		}
		vsamp_ring_end(ring);
	}
	return ret;
}

/* Its own fd tells when there is something; it is looked at now and then anyway */
static int watch(struct sum *s, struct vsamp_gpu_stream *stream, time_t seconds,
		 struct vsamp_error *err)
{
	struct pollfd p = { .fd = vsamp_gpu_stream_fd(stream), .events = POLLIN };
	time_t end = time(NULL) + seconds;
	int ret, stopped;

	do {
		poll(&p, 1, READ_MS);
		ret = read_ring(s, vsamp_gpu_stream_ring(stream), err);
	} while (!ret && time(NULL) < end);
	stopped = vsamp_gpu_stream_stop(stream, ret ? NULL : err);
	if (ret || stopped)
		return ret ? ret : stopped;
	return read_ring(s, vsamp_gpu_stream_ring(stream), err);
}

static void print(const struct sum *s, const struct vsamp_oa_set *set,
		  const struct vsamp_oa_device *device)
{
	struct vsamp_oa_value *value = calloc(set->metrics, sizeof(*value));

	if (!value)
		return;
	vsamp_oa_evaluate(value, set, device, &s->deltas);
	printf("%" PRIu64 " reports, %" PRIu64 " lost by the GPU, %" PRIu64 " without room\n",
	       s->reports, s->lost, s->no_room);
	for (unsigned int i = 0; i < set->metrics; i++) {
		const struct vsamp_oa_metric *m = &set->metric[i];

		if (!value[i].available)
			continue;
		if (value[i].value.is_real)
			printf("%-28s %16.2f %-8s %s\n", m->name, value[i].value.real, m->unit,
			       m->what);
		else
			printf("%-28s %16" PRIu64 " %-8s %s\n", m->name, value[i].value.whole,
			       m->unit, m->what);
	}
	free(value);
}

static int run(const struct vsamp_gpu *gpu, const char *name, time_t seconds,
	       struct vsamp_error *err)
{
	const struct vsamp_oa_set *set = gpu->platform ? vsamp_oa_set_find(gpu->platform, name) :
							 NULL;
	struct sum sum = { .gpu = gpu };
	struct vsamp_gpu_stream *stream;
	int ret;

	if (!set)
		return vsamp_fail(err, -1, "%s: no set %s is known of it", gpu->slot, name);
	ret = vsamp_gpu_stream_open(&stream, gpu, err);
	if (ret)
		return ret;
	ret = vsamp_gpu_stream_start(stream, set, PERIOD_NS, err);
	if (!ret)
		ret = watch(&sum, stream, seconds, err);
	if (!ret)
		print(&sum, set, vsamp_gpu_stream_device(stream));
	vsamp_gpu_stream_close(stream);
	return ret;
}

int main(int argc, char **argv)
{
	struct vsamp_error err = { 0 };
	struct vsamp_gpu *gpu;
	size_t n, i = 0;
	int ret;

	if (argc != 4) {
		fputs("usage: gpu DEVICE SET SECONDS\n", stderr);
		return 2;
	}
	ret = vsamp_gpus_find(&gpu, &n, "", &err);
	if (!ret) {
		while (i < n && strcmp(gpu[i].slot, argv[1]))
			i++;
		ret = i < n ? run(&gpu[i], argv[2], atoi(argv[3]), &err) :
			      vsamp_fail(&err, -1, "%s: no GPU of Intel's", argv[1]);
		free(gpu);
	}
	if (ret)
		fprintf(stderr, "gpu: %s\n", err.text);
	return !!ret;
}
