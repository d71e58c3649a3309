// SPDX-License-Identifier: MIT
/* The stream of i915, where the kernel's answers are made up: what is asked, byte for byte */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "oa_mock.h"

static void test_i915_asked(void **state)
{
	static const uint64_t property[] = { 2, 1, 3, CONFIG, 4, 10, 5, 12 };
	struct oa_drm *d = i915_new("kblgt2", 12000000, 12000000);
	const struct vsamp_oa_device *dev = oa_drm_device(d);

	assert_int_equal(k.topology_query, 1);
	assert_int_equal(dev->timestamp_hz, 12000000);
	assert_int_equal(dev->gpu_max_hz, 1150000000);
	assert_int_equal(dev->eus, 24);
	assert_int_equal(dev->subslice_mask, 7);
	assert_int_equal(oa_drm_bits(d), 36);
	start(d, "TestOa");
	assert_string_equal(k.uuid, "cd4b577b-073a-423f-a948-e198dd818c71");
	assert_int_equal(k.mux, 13);
	assert_int_equal(k.boolean, 22);
	assert_int_equal(k.flex, 1);
	assert_int_equal(k.reg[0].address, 0x9840);
	assert_int_equal(k.reg[35].address, 0xe65c);
	assert_int_equal(k.flags, 1 | 2 | 4);
	assert_int_equal(k.properties, 4);
	assert_memory_equal(k.property, property, sizeof(property));
	assert_int_equal(k.enables, 1);
	assert_int_equal(oa_drm_period(d), 682667); /* 2^13 / 12 MHz */
	assert_int_equal(oa_drm_fd(d), k.stream);
	assert_int_equal(oa_drm_stop(d, NULL), 0);
	assert_int_equal(k.disables, 1);
	assert_int_equal(k.removes, 1);
	start(d, "RenderBasic"); /* again, by another set */
	oa_drm_free(d);
	assert_int_equal(k.removes, 2);
}

/* Where reports have another clock than engines, and another layout */
static void test_i915_mtl(void **state)
{
	struct oa_drm *d = i915_new("mtlgt3", 38400000, 19200000);
	struct vsamp_oa_pair pair;

	assert_int_equal(k.topology_query, 6);
	assert_int_equal(oa_drm_bits(d), 37);
	k.ticks = 0xffff000012345678;
	assert_int_equal(oa_drm_pair(d, &pair, NULL), 0);
	assert_int_equal(pair.ticks, 2 * 0x12345678ULL);
	start(d, "ComputeBasic");
	assert_int_equal(k.property[5], 12);
	oa_drm_free(d);
	/* a kernel that knows no clock of reports */
	d = i915_new("tglgt2", -1, 19200000);
	assert_int_equal(oa_drm_device(d)->timestamp_hz, 19200000);
	oa_drm_free(d);
}

static void test_i915_pair(void **state)
{
	struct oa_drm *d = i915_new("kblgt2", 12000000, 12000000);
	/* brackets of 900, 300 and 500 ns; the second is from 2000 on */
	static const uint64_t step[8] = { 1000, 900, 100, 300, 100, 500 };
	struct vsamp_oa_pair pair;

	memcpy(k.step, step, sizeof(step));
	k.ticks = 77;
	assert_int_equal(oa_drm_pair(d, &pair, NULL), 0);
	assert_int_equal(pair.ticks, 77);
	assert_int_equal(pair.bracket, 300);
	assert_int_equal(pair.raw, 2150);
	oa_drm_free(d);
}

static void test_i915_refusals(void **state)
{
	static const struct {
		int code;
		const char *word;
	} r[] = { { EBUSY, "another program" },	    { EACCES, "dev.i915.perf_stream_paranoid=0" },
		  { EINVAL, "try another set" },    { ENODEV, "a newer kernel" },
		  { EOPNOTSUPP, "a newer kernel" }, { ENOMEM, "no memory" },
		  { ENOTTY, "Inappropriate" } };
	struct oa_drm *d = i915_new("kblgt2", 12000000, 12000000);

	for (size_t i = 0; i < sizeof(r) / sizeof(r[0]); i++) {
		k.fail_add = r[i].code;
		assert_refused(d, r[i].code, r[i].word);
		k.fail_add = 0;
		k.fail_open = r[i].code;
		assert_refused(d, r[i].code, r[i].word);
		k.fail_open = 0;
		k.fail_enable = r[i].code;
		assert_refused(d, r[i].code, r[i].word);
		k.fail_enable = 0;
	}
	start(d, "TestOa");
	oa_drm_free(d);
}

static void test_i915_unusable(void **state)
{
	struct vsamp_gpu gpu = { .slot = "s",
				 .node = "/dev/dri/renderD199",
				 .path = VSAMP_GPU_I915 };
	struct oa_drm *d;
	struct vsamp_error err;

	gpu.platform = vsamp_oa_platform_name("kblgt2");
	memset(&k, 0, sizeof(k));
	k.fail_query = ENODEV;
	assert_int_equal(oa_drm_new(&d, &gpu, 0, &i915_calls, &err), -ENODEV);
	assert_non_null(strstr(err.text, "no OA unit"));
	k.fail_query = 0; /* rates of 0, and such that are no multiple by a power of two */
	assert_int_equal(oa_drm_new(&d, &gpu, 0, &i915_calls, &err), -ENODEV);
	assert_non_null(strstr(err.text, "rate"));
	k.oa_hz = 36000000;
	k.cs_hz = 12000000;
	assert_int_equal(oa_drm_new(&d, &gpu, 0, &i915_calls, &err), -ENODEV);
	gpu.path = VSAMP_GPU_FREE;
	assert_int_equal(oa_drm_open(&d, &gpu, &err), -ENODEV);
	gpu.path = VSAMP_GPU_I915;
	strcpy(gpu.node, "/nonexistent/renderD0");
	assert_int_equal(oa_drm_open(&d, &gpu, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/renderD0"));
}

/* A configuration of another program's, or of a run that was killed, is taken, and stays */
static void test_config_there(void **state)
{
	struct oa_drm *d = i915_new("kblgt2", 12000000, 12000000);
	char folder[] = "/tmp/vsamp-test-oa-XXXXXX", path[256], sub[128];
	FILE *f;

	assert_non_null(mkdtemp(folder));
	snprintf(d->metrics, sizeof(d->metrics), "%s", folder);
	snprintf(sub, sizeof(sub), "%s/cd4b577b-073a-423f-a948-e198dd818c71", folder);
	assert_int_equal(mkdir(sub, 0700), 0);
	snprintf(path, sizeof(path), "%s/id", sub);
	f = fopen(path, "w");
	fputs("7\n", f);
	fclose(f);
	start(d, "TestOa");
	assert_int_equal(k.property[3], 7);
	oa_drm_free(d);
	assert_int_equal(k.adds, 0);
	assert_int_equal(k.removes, 0);
	unlink(path);
	rmdir(sub);
	rmdir(folder);
}

static void test_i915_records(void **state)
{
	struct oa_drm *d = i915_new("kblgt2", 12000000, 12000000);
	struct oa_record r;
	struct vsamp_error err;

	assert_int_equal(oa_drm_next(d, &r, &err), -EINVAL);
	start(d, "TestOa");
	assert_none(d);
	record_put(1, 264, 0xa1);
	record_put(2, 8, 0);
	record_put(99, 24, 0); /* of a later kernel */
	record_put(1, 264, 0xa2);
	record_put(3, 8, 0);
	assert_report(d, 0xa1);
	assert_lost(d, OA_REPORTS_LOST);
	assert_report(d, 0xa2);
	assert_lost(d, OA_BUFFER_LOST);
	assert_none(d);
	record_put(99, 8, 0); /* nothing else was read */
	assert_none(d);
	record_put(1, 264, 0xa3);
	assert_report(d, 0xa3);
	oa_drm_free(d);
}

static void test_i915_bad_records(void **state)
{
	struct oa_drm *d = i915_new("kblgt2", 12000000, 12000000);
	struct oa_record r;
	struct vsamp_error err;

	start(d, "TestOa");
	for (int bad = 0; bad < 5; bad++) {
		k.size = 0;
		record_put(1, bad == 0 ? 136 : 264, 0);
		if (bad == 1)
			memset(k.data + 6, 0, 2); /* a size of nothing */
		else if (bad == 2)
			k.size -= 1; /* cut */
		else if (bad == 3)
			k.size = 7; /* in its head */
		else if (bad == 4)
			memset(k.data + 6, 0xff, 2);
		assert_int_equal(oa_drm_next(d, &r, &err), -EPROTO);
		assert_none(d);
	}
	k.read_errno = EIO;
	assert_int_equal(oa_drm_next(d, &r, &err), -EIO);
	assert_non_null(strstr(err.text, "i915's stream cannot be read"));
	oa_drm_free(d);
}

static void test_exponent(void **state)
{
	uint64_t ns;

	assert_int_equal(vsamp_gpu_exponent(12500000, 160, &ns), 0);
	assert_int_equal(ns, 160);
	assert_int_equal(vsamp_gpu_exponent(12500000, 319, &ns), 0);
	assert_int_equal(vsamp_gpu_exponent(12500000, 320, &ns), 1);
	assert_int_equal(vsamp_gpu_exponent(12500000, 1, &ns), 0); /* no shorter one */
	assert_int_equal(vsamp_gpu_exponent(19200000, 1000000000, &ns), 23);
	assert_int_equal(ns, 873813334);
	assert_int_equal(vsamp_gpu_exponent(1, UINT64_MAX, &ns), 31);
	assert_int_equal(ns, (1ULL << 32) * 1000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_i915_asked),    cmocka_unit_test(test_i915_mtl),
		cmocka_unit_test(test_i915_pair),     cmocka_unit_test(test_i915_refusals),
		cmocka_unit_test(test_i915_unusable), cmocka_unit_test(test_config_there),
		cmocka_unit_test(test_i915_records),  cmocka_unit_test(test_i915_bad_records),
		cmocka_unit_test(test_exponent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
