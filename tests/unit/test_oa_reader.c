// SPDX-License-Identifier: MIT
/* Recordings in the format of i915-perf-recorder, as i915-perf-reader tells them and as we do */
#include <inttypes.h>
#include <libdrm/i915_drm.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <vsamp/oa.h>
#include <vsamp/oa_clock.h>

#include "need.h"

#define REPORTS	   60
#define PAIRS	   4
#define S	   1000000000ULL
#define GPU_MAX_HZ 1150000000
#define CPU_FIRST  (77 * S)

static uint64_t seed = 1;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

struct recording {
	const struct vsamp_oa_platform *platform;
	const struct vsamp_oa_set *set;
	struct vsamp_oa_device device;
	struct vsamp_oa_pair pair[PAIRS];
	uint8_t report[REPORTS][VSAMP_OA_REPORT_SIZE];
};

/* A slice of all subslices and execution units */
static const struct {
	struct drm_i915_query_topology_info info;
	uint8_t data[8];
} topology = { { 0, 1, 3, 8, 1, 1, 2, 1 }, { 1, 7, 0xff, 0xff, 0xff } };

static void put(uint8_t *report, unsigned int word, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		report[4 * word + i] = v >> 8 * i;
}

/* A pair a second; a report each 40 ms, each of another context, with counters of any value */
static void recording_make(struct recording *r, const struct vsamp_oa_platform *p,
			   const struct vsamp_oa_set *set, uint64_t hz)
{
	uint64_t gpu = 5 * hz;

	memset(r, 0, sizeof(*r));
	r->platform = p;
	r->set = set;
	r->device.timestamp_hz = hz;
	r->device.gpu_max_hz = GPU_MAX_HZ;
	assert_int_equal(vsamp_oa_device_topology(&r->device, p->version, &topology.info,
						  sizeof(topology), NULL),
			 0);
	if (p->version == 1270)
		r->device.eu_threads = 7;  /* what they take them for */
	for (size_t i = 0; i < PAIRS; i++) /* a GPU's clock that is 50 ppm fast */
		r->pair[i] = (struct vsamp_oa_pair){ gpu + i * (hz + hz / 20000), CPU_FIRST + i * S,
						     0 };
	for (unsigned int i = 0; i < REPORTS; i++) {
		for (unsigned int w = 3; w < 64; w++)
			put(r->report[i], w, any() >> 16);
		put(r->report[i], 0, 1 << 16 | 1 << 22);
		put(r->report[i], 1, gpu + hz / 100 + i * (hz / 25));
		put(r->report[i], 2, 1000 + i);
	}
}

static void record_write(FILE *f, uint32_t type, const void *data, size_t size)
{
	const struct {
		uint32_t type;
		uint16_t pad, size;
	} h = { type, 0, 8 + size };

	fwrite(&h, sizeof(h), 1, f);
	fwrite(data, size, 1, f);
}

static void recording_write(const struct recording *r, FILE *f)
{
	bool a24 = vsamp_oa_platform_format(r->platform) == VSAMP_OA_FORMAT_A24U40_A14U32_B8_C8;
	struct {
		uint64_t timestamp_hz;
		uint32_t id, revision, min_hz, max_hz, engine_class, engine, format;
		char name[256], uuid[40];
		uint32_t pad;
	} __attribute__((packed)) info = {
		.timestamp_hz = r->device.timestamp_hz,
		.id = r->platform->id[0],
		.revision = 9,
		.max_hz = GPU_MAX_HZ,
		.format = a24 ? 12 : 10,
	};
	const uint32_t version[] = { 1, 0 };

	snprintf(info.name, sizeof(info.name), "%s", r->set->name);
	snprintf(info.uuid, sizeof(info.uuid), "%s", r->set->uuid);
	record_write(f, 65536, version, sizeof(version));
	record_write(f, 65537, &info, sizeof(info));
	record_write(f, 65538, &topology, sizeof(topology));
	for (size_t i = 0; i < PAIRS; i++) {
		const uint64_t pair[] = { r->pair[i].raw, r->pair[i].ticks };

		record_write(f, 65539, pair, sizeof(pair));
	}
	for (size_t i = 0; i < REPORTS; i++)
		record_write(f, 1, r->report[i], VSAMP_OA_REPORT_SIZE);
}

/* From one report to the next: what they print of its time, and of a metric */
struct span {
	const struct recording *r;
	const struct vsamp_oa_clock *clock;
	struct vsamp_oa_value value[64];
	size_t n; /* which; those before the first one have been counted, too */
	unsigned int metrics;
};

static uint64_t time_of(const struct span *s, size_t report)
{
	struct vsamp_oa_head head;
	size_t pair = report * PAIRS / REPORTS; /* near enough */
	struct vsamp_oa_time t;

	vsamp_oa_head_read(&head, s->r->report[report], s->r->platform->version);
	assert_int_equal(head.context, 1000 + report);
	t = vsamp_oa_clock_time(s->clock, pair, head.timestamp);
	assert_false(t.extrapolated);
	return t.raw;
}

/* They round down, we to the nearest */
static void assert_time(const struct span *s, size_t report, uint64_t theirs)
{
	uint64_t ours = time_of(s, report);

	if (ours != theirs && ours != theirs + 1)
		fail_msg("report %zu: %" PRIu64 ", not %" PRIu64, report, ours, theirs);
}

static void span_next(struct span *s, uint64_t from, uint64_t to)
{
	struct vsamp_oa_deltas deltas = { 0 };

	assert_true(s->n + 1 < REPORTS);
	assert_time(s, s->n, from);
	assert_time(s, s->n + 1, to);
	vsamp_oa_accumulate(&deltas, vsamp_oa_platform_format(s->r->platform), s->r->report[s->n],
			    s->r->report[s->n + 1]);
	vsamp_oa_evaluate(s->value, s->r->set, &s->r->device, &deltas);
	s->n++;
}

static void assert_metric(struct span *s, const char *name, const char *theirs)
{
	for (unsigned int i = 0; i < s->r->set->metrics; i++) {
		const struct vsamp_oa_number *v = &s->value[i].value;
		char ours[64];

		if (strcmp(s->r->set->metric[i].name, name))
			continue;
		if (v->is_real)
			snprintf(ours, sizeof(ours), "%f", v->real);
		else
			snprintf(ours, sizeof(ours), "%" PRIu64, v->whole);
		if (strcmp(ours, theirs))
			fail_msg("%s %s %s: %s, not %s", s->r->platform->name, s->r->set->name,
				 name, ours, theirs);
		s->metrics++;
		return;
	}
	fail_msg("%s %s: no metric %s", s->r->platform->name, s->r->set->name, name);
}

static void recording_compare(const struct recording *r, const char *path)
{
	struct span s = { .r = r };
	struct vsamp_oa_clock *clock;
	char command[256], line[512], name[128], value[128];
	unsigned int available = 0;
	uint64_t from, to;
	FILE *f;

	assert_int_equal(
		vsamp_oa_clock_new(&clock, r->pair, PAIRS, r->device.timestamp_hz, 36, NULL), 0);
	s.clock = clock;
	snprintf(command, sizeof(command), "i915-perf-reader -c all %s", path);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Time: CPU=%" SCNx64 "-%" SCNx64, &from, &to) == 2)
			span_next(&s, from, to);
		else if (*line == ' ' && sscanf(line, " %127[A-Za-z0-9]: %127s", name, value) == 2)
			assert_metric(&s, name, value);
	}
	assert_int_equal(pclose(f), 0);
	for (unsigned int i = 0; i < r->set->metrics; i++)
		available += s.value[i].available;
	assert_int_equal(s.n, REPORTS - 1);
	assert_int_equal(s.metrics, available * (REPORTS - 1));
	vsamp_oa_clock_free(clock);
}

static void test_recordings(void **state)
{
	static const struct {
		const char *platform;
		uint64_t hz;
	} gpu[] = { { "sklgt2", 12000000 }, { "kblgt2", 12000000 }, { "cflgt2", 12000000 },
		    { "tglgt1", 19200000 }, { "tglgt2", 19200000 }, { "adl", 19200000 },
		    { "rkl", 19200000 },    { "dg1", 19200000 },    { "mtlgt2", 38400000 },
		    { "mtlgt3", 38400000 } };
	char path[] = "/tmp/vsamp-test-oa-XXXXXX";
	struct recording r;
	int fd;

	NEED_TOOL("i915-perf-reader");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	for (size_t g = 0; g < sizeof(gpu) / sizeof(gpu[0]); g++) {
		const struct vsamp_oa_platform *p = vsamp_oa_platform_name(gpu[g].platform);

		for (unsigned int i = 0; i < p->sets; i++) {
			FILE *f = fopen(path, "w");

			assert_non_null(f);
			recording_make(&r, p, &p->set[i], gpu[g].hz);
			recording_write(&r, f);
			assert_int_equal(fclose(f), 0);
			recording_compare(&r, path);
		}
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
