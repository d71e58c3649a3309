// SPDX-License-Identifier: MIT
/* The stream of xe, where the kernel's answers are made up: what is asked, byte for byte */
#include <time.h>

#include "oa_mock.h"

/* Three units, of which the second is of all engines; its engine is 0:1 of gt 2 */
static size_t xe_units(uint64_t *to)
{
	static const uint64_t units[] = {
		0, 3, /* how many */
		0, 5 | 1ULL << 32,
		1, 0,
		0, 0,
		0, 0,
		1, 0, /* of media, with an engine */
		0, 6,
		1, 38400000,
		0, 0,
		0, 0,
		2, 0 | 1 << 16 | 2ULL << 32,
		4, /* two engines */
		0, 7,
		1, 1,
		0, 0,
		0, 0,
		0,
	};

	memcpy(to, units, sizeof(units));
	return sizeof(units);
}

static size_t xe_gts(uint64_t *to)
{
	static const uint64_t gts[] = {
		2,
		0,
		24000000ULL << 32,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0, /* gt 0 */
		2ULL << 32,
		19200000ULL << 32,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0, /* gt 2 */
	};

	memcpy(to, gts, sizeof(gts));
	return sizeof(gts);
}

/* Of gt 2 and another: subslices 0, 1 and 5, 16 execution units of each */
static size_t xe_topology(uint64_t *to)
{
	static const uint64_t masks[] = {
		0 | 1 << 16 | 8ULL << 32, 0xffff, /* not ours */
		2 | 1 << 16 | 8ULL << 32, 0x3,	  2 | 2 << 16 | 8ULL << 32, 0x20,
		2 | 4 << 16 | 8ULL << 32, 0xffff,
	};

	memcpy(to, masks, sizeof(masks));
	return sizeof(masks);
}

static int xe_cycles(struct xe_query_engine_cycles *c)
{
	assert_int_equal(c->eci.engine_class, 0);
	assert_int_equal(c->eci.engine_instance, 1);
	assert_int_equal(c->eci.gt_id, 2);
	assert_int_equal(c->clockid, CLOCK_MONOTONIC_RAW);
	c->width = k.width;
	c->engine_cycles = k.ticks;
	c->cpu_timestamp = 1000;
	c->cpu_delta = 500;
	return 0;
}

static int xe_answer(struct xe_device_query *q)
{
	uint64_t answer[64];
	size_t size = 0;

	if (k.fail_query)
		return failed(k.fail_query);
	if (q->query == 6) {
		assert_int_equal(q->size, 40);
		return xe_cycles((void *)(uintptr_t)q->data);
	}
	if (q->query == 8)
		size = xe_units(answer);
	else if (q->query == 3)
		size = xe_gts(answer);
	else if (q->query == 5)
		size = xe_topology(answer);
	else
		fail_msg("query %u", q->query);
	if (q->data) {
		assert_int_equal(q->size, size);
		memcpy((void *)(uintptr_t)q->data, answer, size);
	}
	q->size = size;
	return 0;
}

static int xe_open(const struct xe_ext_set_property *p)
{
	k.opens++;
	k.properties = 0;
	for (; p; p = (void *)(uintptr_t)p->base.next_extension) {
		assert_int_equal(p->base.name, 0);
		assert_true(k.properties + 2 <= sizeof(k.property) / sizeof(k.property[0]));
		k.property[k.properties++] = p->property;
		k.property[k.properties++] = p->value;
	}
	if (k.fail_open)
		return failed(k.fail_open);
	return k.stream = eventfd(0, 0);
}

static int xe_add(const struct xe_oa_config *c)
{
	k.adds++;
	k.regs = 0;
	memcpy(k.uuid, c->uuid, 36);
	regs_take(c->n_regs, c->regs_ptr);
	return k.fail_add ? failed(k.fail_add) : CONFIG;
}

static int xe_ioctl(int fd, unsigned long request, void *arg)
{
	const struct xe_observation_param *p = arg;
	void *param;

	if (fd != k.node)
		return on_stream(fd, request, arg);
	/* as the kernel's header makes them of 'd', 0x40 + 0x00 and 0x0b, and the sizes */
	if (request == 0xc0286440)
		return xe_answer(arg);
	assert_int_equal(request, 0x4020644b);
	assert_int_equal(p->observation_type, 0);
	param = (void *)(uintptr_t)p->param;
	return p->observation_op == 0 ? xe_open(param) :
	       p->observation_op == 1 ? xe_add(param) :
					remove_config(param);
}

static const struct oa_calls xe_calls = { xe_ioctl, mock_read, mock_raw };

static struct oa_drm *xe_new(void)
{
	memset(&k, 0, sizeof(k));
	k.width = 36;
	return drm_new("mtlgt3", VSAMP_GPU_XE, &xe_calls);
}

static void test_xe_asked(void **state)
{
	/* 2^15 ticks of 38.4 MHz are 853 us */
	static const uint64_t property[] = { 1, 6, 2, 1, 3, CONFIG, 4, 0x500, 5, 14, 6, 1 };
	struct oa_drm *d = xe_new();
	const struct vsamp_oa_device *dev = oa_drm_device(d);
	struct vsamp_oa_pair pair;

	assert_int_equal(dev->timestamp_hz, 38400000);
	assert_int_equal(dev->subslices, 3);
	assert_int_equal(dev->slices, 2);
	assert_int_equal(dev->slice_mask, 3);
	assert_int_equal(dev->subslice_mask, 0x203);
	assert_int_equal(dev->eus, 48);
	assert_int_equal(dev->eu_threads, 8);
	assert_int_equal(oa_drm_bits(d), 37);
	k.ticks = 1000;
	assert_int_equal(oa_drm_pair(d, &pair, NULL), 0);
	assert_int_equal(pair.ticks, 2000);
	assert_int_equal(pair.raw, 1250);
	assert_int_equal(pair.bracket, 500);
	start(d, "RenderBasic");
	assert_string_equal(k.uuid, "1124d1b6-6182-4b5a-950b-27b38ef7c996");
	assert_int_equal(k.regs, 30 + 8 + 5);
	assert_int_equal(k.reg[42].address >> 8, 0xe4); /* flex comes last */
	assert_int_equal(k.properties, 12);
	assert_memory_equal(k.property, property, sizeof(property));
	oa_drm_free(d);
	assert_int_equal(k.disables, 1);
	assert_int_equal(k.removes, 1);
}

static void test_xe_records(void **state)
{
	struct oa_drm *d = xe_new();
	struct oa_record r;
	struct vsamp_error err;

	start(d, "RenderBasic");
	memset(k.data, 0xb1, 256);
	memset(k.data + 256, 0xb2, 256);
	k.size = 512;
	assert_report(d, 0xb1);
	assert_report(d, 0xb2);
	assert_none(d);
	k.size = 255;
	assert_int_equal(oa_drm_next(d, &r, &err), -EPROTO);
	oa_drm_free(d);
}

static void test_xe_losses(void **state)
{
	struct oa_drm *d = xe_new();

	start(d, "RenderBasic");
	k.read_errno = EIO;
	k.status = 1 << 2; /* a counter overflowed: nothing is lost */
	assert_none(d);
	assert_int_equal(k.disables, 0);
	k.status = 1 << 0;
	assert_lost(d, OA_REPORTS_LOST);
	k.read_errno = EAGAIN;
	assert_none(d);
	assert_int_equal(k.disables, 0);
	k.read_errno = EIO;
	k.status = 1 << 1 | 1 << 0; /* the buffer did: the unit begins again */
	assert_lost(d, OA_BUFFER_LOST);
	assert_int_equal(k.disables, 1);
	assert_int_equal(k.enables, 2);
	assert_lost(d, OA_REPORTS_LOST);
	k.read_errno = EAGAIN;
	memset(k.data, 0xb3, 256);
	k.size = 256;
	assert_report(d, 0xb3);
	oa_drm_free(d);
}

static void test_xe_refusals(void **state)
{
	struct oa_drm *d = xe_new();
	struct vsamp_gpu gpu = d->gpu;
	struct vsamp_error err;

	k.fail_open = EBUSY;
	assert_refused(d, EBUSY, "another program");
	k.fail_open = EACCES;
	assert_refused(d, EACCES, "dev.xe.observation_paranoid=0");
	k.fail_open = 0;
	k.fail_add = EACCES;
	assert_refused(d, EACCES, "CAP_PERFMON");
	oa_drm_free(d);
	k.fail_query = EINVAL;
	assert_int_equal(oa_drm_new(&d, &gpu, k.node, &xe_calls, &err), -ENODEV);
	assert_non_null(strstr(err.text, "no OA unit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xe_asked),
		cmocka_unit_test(test_xe_records),
		cmocka_unit_test(test_xe_losses),
		cmocka_unit_test(test_xe_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
