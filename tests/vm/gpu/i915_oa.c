// SPDX-License-Identifier: MIT
/*
 * usage: i915_oa REPORTS EXPONENT
 *
 * Reads OA reports from i915's own stream and prints what they are: how many, how
 * many records tell of lost ones, how many intervals aren't the timer's, and how many
 * reports hold something else than the load makes.
 */
#include <i915_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "load.h"

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

static int add_config(int fd)
{
	static const uint32_t boolean[] = { 0x2740, 0, 0x2744, 0x00800000 };
	struct drm_i915_perf_oa_config config = {
		.n_boolean_regs = 2,
		.boolean_regs_ptr = (uintptr_t)boolean,
	};

	char uuid[64];

	/* one that was killed has left its own */
	snprintf(uuid, sizeof(uuid), "7a0b5c7e-27d5-4a4b-9c0e-%012d", getpid());
	memcpy(config.uuid, uuid, sizeof(config.uuid));
	return ioctl(fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config);
}

static int open_stream(int fd, int config, int exponent)
{
	uint64_t properties[] = {
		DRM_I915_PERF_PROP_SAMPLE_OA,	   1,
		DRM_I915_PERF_PROP_OA_METRICS_SET, config,
		DRM_I915_PERF_PROP_OA_FORMAT,	   I915_OA_FORMAT_A32u40_A4u32_B8_C8,
		DRM_I915_PERF_PROP_OA_EXPONENT,	   exponent,
	};
	struct drm_i915_perf_open_param param = {
		.flags = I915_PERF_FLAG_FD_CLOEXEC,
		.num_properties = 4,
		.properties_ptr = (uintptr_t)properties,
	};

	return ioctl(fd, DRM_IOCTL_I915_PERF_OPEN, &param);
}

struct tally {
	int reports, lost, spacing, wrong;
	uint32_t last;
};

static void take_report(struct tally *t, const uint32_t *report, uint32_t period)
{
	if (t->reports++ && report[1] - t->last != period)
		t->spacing++;
	t->last = report[1];
	if (load_wrong(report, report[1]))
		t->wrong++;
}

static void take_records(struct tally *t, const char *buf, ssize_t size, int want, uint32_t period)
{
	const struct drm_i915_perf_record_header *h;

	for (; size > 0 && t->reports < want; buf += h->size, size -= h->size) {
		h = (const void *)buf;
		if (h->type == DRM_I915_PERF_RECORD_SAMPLE)
			take_report(t, (const void *)(h + 1), period);
		else
			t->lost++;
	}
}

int main(int argc, char **argv)
{
	static char buf[1 << 20];
	struct tally t = { 0 };
	int fd, config, stream, exponent, want;
	ssize_t size;

	if (argc != 3)
		return 2;
	want = atoi(argv[1]);
	exponent = atoi(argv[2]);
	fd = open("/dev/dri/renderD128", O_RDWR);
	if (fd < 0)
		return fail("/dev/dri/renderD128");
	config = add_config(fd);
	if (config < 0)
		return fail("a configuration");
	stream = open_stream(fd, config, exponent);
	if (stream < 0)
		return fail("a stream");
	while (t.reports < want && t.lost < want) {
		size = read(stream, buf, sizeof(buf));
		if (size < 0)
			return fail("reading");
		take_records(&t, buf, size, want, 2U << exponent);
	}
	printf("reports %d lost %d spacing %d wrong %d\n", t.reports, t.lost, t.spacing, t.wrong);
	close(stream);
	return ioctl(fd, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &(uint64_t){ config }) ?
		       fail("removing") :
		       0;
}
