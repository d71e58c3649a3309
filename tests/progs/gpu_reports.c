// SPDX-License-Identifier: MIT
/*
 * gpu_reports DEVICE SET MS PERIOD_NS START PHASES [COMMAND]
 *
 * Reads reports of the emulated GPU through the library, for so many ms, and prints how they are:
 * against the load that tests/vm/README.md tells, and their times against the model's clock, which
 * is the TSC's, START ticks ahead. COMMAND is run in the middle, while nobody reads.
 *
 * The file PHASES has each metric's value from each report to the next, by where in the load's
 * period that is: the same to the last bit whoever read the reports.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#include <vsamp/gpu.h>
#include <vsamp/gpu_stream.h>
#include <vsamp/gpu_tracks.h>

#include "../vm/gpu/load.h"

#define READ_MS	    50
#define REPORTS_MAX 65536
#define BESIDE_MAX  4096
#define LOAD_TICKS  65536 /* its period */

/* The same instant on both clocks */
struct beside {
	uint64_t tsc, raw, bracket;
};

static struct run {
	const struct vsamp_gpu *gpu;
	const struct vsamp_oa_set *set;
	uint64_t hz, start, period; /* ticks */
	struct vsamp_gpu_tracks *tracks;
	uint64_t stamp[REPORTS_MAX]; /* all 64 bits */
	uint64_t reports, lost, spacing, wrong, holes;
	uint64_t base, end; /* periods: before the first that is accounted for, and the last */
	struct beside beside[BESIDE_MAX];
	size_t besides;
} run;

static uint64_t raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void read_beside(void)
{
	struct beside *best = &run.beside[run.besides];

	if (run.besides == BESIDE_MAX)
		return;
	best->bracket = UINT64_MAX;
	for (int i = 0; i < 5; i++) {
		uint64_t before = __rdtsc(), raw = raw_ns(), bracket = __rdtsc() - before;

		if (bracket < best->bracket)
			*best = (struct beside){ before + bracket / 2, raw, bracket };
	}
	run.besides++;
}

/* The GPU's clock at a time of the TSC, and the other way round: its first ns */
static uint64_t ticks_at(uint64_t tsc)
{
	return run.start + (uint64_t)((unsigned __int128)tsc * run.hz / 1000000000);
}

static uint64_t tsc_at(uint64_t ticks)
{
	return ((unsigned __int128)(ticks - run.start) * 1000000000 + run.hz - 1) / run.hz;
}

/* All bits of a timestamp of about now */
static uint64_t unwrap(uint32_t stamp)
{
	uint64_t now = ticks_at(__rdtsc());

	return now + (int32_t)(stamp - (uint32_t)now);
}

static void account(uint64_t from, uint64_t to)
{
	if (!run.reports && !run.holes)
		run.base = from / run.period;
	run.end = to / run.period;
}

static void add_report(const uint8_t *bytes)
{
	uint32_t report[VSAMP_OA_REPORT_SIZE / 4];
	uint64_t t;

	memcpy(report, bytes, sizeof(report));
	t = unwrap(report[1]);
	account(t - run.period, t);
	run.wrong += !!load_wrong(report, t);
	if (run.reports && t - run.stamp[(run.reports - 1) % REPORTS_MAX] != run.period)
		run.spacing++;
	run.stamp[run.reports++ % REPORTS_MAX] = t;
}

static void add_record(const struct vsamp_record_header *h)
{
	const struct vsamp_record_oa_lost *l = (const void *)h;

	if (h->type == VSAMP_RECORD_OA) {
		add_report(((const struct vsamp_record_oa *)h)->report);
	} else if (h->type == VSAMP_RECORD_OA_LOST) {
		account(unwrap(l->from), unwrap(l->to));
		run.lost += l->count;
		run.holes++;
	}
}

static int drain(struct vsamp_ring *ring, struct vsamp_error *err)
{
	const void *data;
	size_t size;
	int ret;

	read_beside();
	while ((ret = vsamp_ring_begin(ring, &data, &size, err)) > 0) {
		for (const char *at = data, *end = at + size; at < end;) {
			const struct vsamp_record_header *h = (const void *)at;

			add_record(h);
			at += h->size;
		}
		ret = vsamp_gpu_tracks_add(run.tracks, data, size);
		vsamp_ring_end(ring);
		if (ret)
			return vsamp_fail(err, ret, "out of memory");
	}
	return ret;
}

static int watch(struct vsamp_gpu_stream *s, int ms, struct vsamp_error *err)
{
	struct pollfd p = { .fd = vsamp_gpu_stream_fd(s), .events = POLLIN };
	uint64_t end = raw_ns() + ms * 1000000ULL;
	int ret;

	do {
		poll(&p, 1, READ_MS);
		ret = drain(vsamp_gpu_stream_ring(s), err);
	} while (!ret && raw_ns() < end);
	return ret;
}

static int stream(struct vsamp_gpu_stream *s, int ms, uint64_t period_ns, const char *command,
		  struct vsamp_error *err)
{
	const struct vsamp_oa_device *device = vsamp_gpu_stream_device(s);
	uint64_t actual;
	int ret;

	run.hz = device->timestamp_hz;
	run.period = 2ULL << vsamp_gpu_exponent(run.hz, period_ns, &actual);
	ret = vsamp_gpu_tracks_new(&run.tracks, run.gpu->platform, run.set, device,
				   vsamp_gpu_stream_bits(s), 0, err);
	read_beside();
	if (!ret)
		ret = vsamp_gpu_stream_start(s, run.set, period_ns, err);
	if (!ret)
		ret = watch(s, ms / 2, err);
	if (!ret && command && system(command))
		ret = vsamp_fail(err, -1, "%s: failed", command);
	if (!ret)
		ret = watch(s, ms - ms / 2, err);
	if (!ret)
		ret = vsamp_gpu_stream_stop(s, err);
	if (!ret)
		ret = drain(vsamp_gpu_stream_ring(s), err);
	return ret ? ret : vsamp_gpu_tracks_end(run.tracks, err);
}

/* ns of CLOCK_MONOTONIC_RAW, on the line between the readings around it */
static double truth(uint64_t ticks)
{
	const struct beside *b = run.beside;
	uint64_t tsc = tsc_at(ticks);
	size_t i = 1;

	while (i < run.besides - 1 && b[i].tsc < tsc)
		i++;
	return b[i - 1].raw + (double)(b[i].raw - b[i - 1].raw) / (b[i].tsc - b[i - 1].tsc) *
				      ((double)tsc - b[i - 1].tsc);
}

/* The farthest that a report's time is off; points are reports, where nothing was lost */
static double time_error(void)
{
	const uint64_t *time;
	size_t n = vsamp_gpu_tracks_points(run.tracks, &time);
	double most = 0;

	for (size_t i = 0; i < n && i < run.reports && !run.lost; i++) {
		double off = truth(run.stamp[i]) - time[i];

		off = off < 0 ? -off : off;
		most = off > most ? off : most;
	}
	return most;
}

/* How many values differ from the first of their phase */
static uint64_t phases_write(const char *path)
{
	unsigned int phases = run.period < LOAD_TICKS ? LOAD_TICKS / run.period : 1;
	double *value = calloc(run.reports + 2, sizeof(*value));
	FILE *f = fopen(path, "w");
	uint64_t differ = 0;

	for (unsigned int m = 0; value && f && m < run.set->metrics; m++) {
		double of[LOAD_TICKS] = { 0 };

		vsamp_gpu_tracks_metric(run.tracks, m, value);
		for (uint64_t i = run.reports - 1; i--;)
			of[run.stamp[i] / run.period % phases] = value[i];
		for (uint64_t i = 0; i + 1 < run.reports; i++)
			differ += of[run.stamp[i] / run.period % phases] != value[i];
		for (unsigned int p = 0; p < phases; p++)
			fprintf(f, "%s %u %a\n", run.set->metric[m].name, p, of[p]);
	}
	if (f)
		fclose(f);
	free(value);
	return differ;
}

static void print(const char *phases)
{
	struct vsamp_gpu_totals t;

	vsamp_gpu_tracks_totals(run.tracks, &t);
	printf("reports %" PRIu64 " lost %" PRIu64 " unaccounted %" PRId64 " no-room %" PRIu64
	       " spacing %" PRIu64 " wrong %" PRIu64,
	       run.reports, run.lost, (int64_t)(run.end - run.base - run.reports - run.lost),
	       t.no_room, run.spacing, run.wrong);
	printf(" wraps %" PRIu64 " pieces %" PRIu64 " bound %" PRIu64 " off %.0f",
	       (run.stamp[run.reports - 1] >> 32) - (run.stamp[0] >> 32), t.clock_pieces,
	       t.clock_error, time_error());
	if (!run.lost && run.reports > LOAD_TICKS / run.period)
		printf(" differ %" PRIu64, phases_write(phases));
	printf("\n");
}

int main(int argc, char **argv)
{
	struct vsamp_error err = { 0 };
	struct vsamp_gpu_stream *s;
	struct vsamp_gpu *gpu;
	size_t n, i = 0;
	int ret;

	if (argc < 7 || argc > 8) {
		fputs("usage: gpu_reports DEVICE SET MS PERIOD_NS START PHASES [COMMAND]\n",
		      stderr);
		return 2;
	}
	ret = vsamp_gpus_find(&gpu, &n, "", &err);
	while (!ret && i < n && strcmp(gpu[i].slot, argv[1]))
		i++;
	if (!ret && (i == n || !gpu[i].platform))
		ret = vsamp_fail(&err, -1, "%s: no GPU that is known", argv[1]);
	if (!ret) {
		run.gpu = &gpu[i];
		run.set = vsamp_oa_set_find(gpu[i].platform, argv[2]);
		run.start = strtoull(argv[5], NULL, 0);
		ret = vsamp_gpu_stream_open(&s, run.gpu, &err);
	}
	if (!ret)
		ret = stream(s, atoi(argv[3]), strtoull(argv[4], NULL, 0), argv[7], &err);
	if (!ret && run.reports && run.reports <= REPORTS_MAX)
		print(argv[6]);
	else
		fprintf(stderr, "gpu_reports: %s\n", ret ? err.text : "no reports, or too many");
	return !!ret;
}
