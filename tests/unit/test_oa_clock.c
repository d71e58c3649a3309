// SPDX-License-Identifier: MIT
/* Times of a GPU's reports, against a model of its clock that knows the truth */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp/oa_clock.h>

#define S     1000000000ULL
#define HZ    12000000ULL
#define PAIRS 600

static uint64_t seed;

static uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* A GPU's clock: ticks since @raw0, where it was @ticks0, at @hz and some parts in a million */
struct model {
	uint64_t raw0, ticks0, hz;
	int64_t ppm;
};

static uint64_t model_ticks(const struct model *m, uint64_t raw)
{
	unsigned __int128 t = (unsigned __int128)(raw - m->raw0) * m->hz;

	return m->ticks0 + (uint64_t)(t * (1000000 + m->ppm) / 1000000 / S);
}

/* Both clocks are read: the GPU's somewhere between two readings of the machine's */
static struct vsamp_oa_pair model_pair(const struct model *m, uint64_t raw, uint64_t bracket,
				       unsigned int bits)
{
	return (struct vsamp_oa_pair){
		.ticks = model_ticks(m, raw + any(bracket + 1)) & UINT64_MAX >> (64 - bits),
		.raw = raw + bracket / 2,
		.bracket = bracket,
	};
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static struct vsamp_oa_clock *clock_of(const struct vsamp_oa_pair *pair, size_t n, uint64_t hz,
				       unsigned int bits)
{
	struct vsamp_oa_clock *c;
	struct vsamp_error err;

	assert_int_equal(vsamp_oa_clock_new(&c, pair, n, hz, bits, &err), 0);
	return c;
}

/* Reports all along, each converted by the pair before it; no farther off than the bound */
static void assert_times(const struct vsamp_oa_clock *c, const struct model *m,
			 const struct vsamp_oa_pair *pair, size_t first, size_t last)
{
	uint64_t error = vsamp_oa_clock_error(c), tick = S / m->hz + 1;

	for (size_t i = first; i < last; i++) {
		for (int n = 0; n < 20; n++) {
			uint64_t from = pair[i].raw + pair[i].bracket;
			uint64_t to = pair[i + 1].raw - pair[i + 1].bracket;
			uint64_t raw = from + any(to - from);
			struct vsamp_oa_time t = vsamp_oa_clock_time(c, i,
								     (uint32_t)model_ticks(m, raw));

			assert_false(t.extrapolated);
			assert_true(distance(t.raw, raw) <= error + tick);
		}
	}
}

/* Ten minutes with a pair a second: the 32 bits wrap, all bits too, and the rate is not as told */
static void test_wraps(void **state)
{
	static const struct {
		uint64_t hz;
		int64_t ppm;
		unsigned int bits;
	} gpu[] = { { 12000000, 80, 36 },
		    { 19200000, -150, 36 },
		    { 19200000, 30, 56 },
		    { 38400000, 0, 64 },
		    { 12500000, 9000, 32 } };
	struct vsamp_oa_pair pair[PAIRS];

	seed = 1;
	for (unsigned int g = 0; g < sizeof(gpu) / sizeof(gpu[0]); g++) {
		uint64_t wrap = UINT64_MAX >> (64 - gpu[g].bits);
		struct model m = { 5 * S, wrap - 7 * gpu[g].hz, gpu[g].hz, gpu[g].ppm };
		struct vsamp_oa_clock *c;

		for (size_t i = 0; i < PAIRS; i++)
			pair[i] = model_pair(&m, (6 + i) * S + any(S / 10), 1000 + any(2000),
					     gpu[g].bits);
		c = clock_of(pair, PAIRS, gpu[g].hz, gpu[g].bits);
		assert_int_equal(vsamp_oa_clock_pieces(c), 1);
		assert_int_equal(vsamp_oa_clock_skipped(c), 0);
		/* half of 3 us, and some ticks */
		assert_true(vsamp_oa_clock_error(c) >= 1400);
		assert_true(vsamp_oa_clock_error(c) <= 1500 + 3 * S / gpu[g].hz);
		assert_times(c, &m, pair, 0, PAIRS - 1);
		vsamp_oa_clock_free(c);
	}
}

/* Of every tenth pair the reading was interrupted for 5 ms: the bound is that of the others */
static void test_wide_brackets(void **state)
{
	struct model m = { 0, 1000, HZ, 20 };
	struct vsamp_oa_pair pair[100];
	struct vsamp_oa_clock *c;

	seed = 2;
	for (size_t i = 0; i < 100; i++)
		pair[i] = model_pair(&m, (1 + i) * S, i % 10 == 5 ? 5000000 : 2000, 36);
	c = clock_of(pair, 100, HZ, 36);
	assert_int_equal(vsamp_oa_clock_pieces(c), 1);
	assert_int_equal(vsamp_oa_clock_skipped(c), 10);
	assert_true(vsamp_oa_clock_error(c) < 2000);
	assert_times(c, &m, pair, 0, 99);
	vsamp_oa_clock_free(c);
}

/* After 50 pairs the machine sleeps: its clock stands still, the GPU's is at another place */
static void assert_pieces(uint64_t ticks_after)
{
	struct model before = { 0, 1ULL << 32, HZ, 10 }, after = before;
	struct vsamp_oa_pair pair[100];
	struct vsamp_oa_clock *c;

	after.raw0 = 51 * S;
	after.ticks0 = ticks_after;
	for (size_t i = 0; i < 100; i++)
		pair[i] = model_pair(i < 50 ? &before : &after, (1 + i) * S + S / 2, 2000, 36);
	c = clock_of(pair, 100, HZ, 36);
	assert_int_equal(vsamp_oa_clock_pieces(c), 2);
	assert_true(vsamp_oa_clock_error(c) < 2000);
	assert_times(c, &before, pair, 0, 49);
	assert_times(c, &after, pair, 50, 99);
	/* what the pieces don't reach is marked, and goes on from its own */
	assert_true(vsamp_oa_clock_time(c, 49, (uint32_t)pair[49].ticks + HZ / 10).extrapolated);
	assert_true(vsamp_oa_clock_time(c, 50, (uint32_t)pair[50].ticks - HZ / 10).extrapolated);
	assert_true(distance(vsamp_oa_clock_time(c, 49, (uint32_t)pair[49].ticks + HZ / 10).raw,
			     pair[49].raw + S / 10) < 5000);
	vsamp_oa_clock_free(c);
}

static void test_sleep_and_reset(void **state)
{
	seed = 3;
	assert_pieces((1ULL << 32) + 51 * HZ + 3600 * HZ); /* it went on, for an hour */
	assert_pieces(0);				   /* it began again */
	assert_pieces((1ULL << 32) + 51 * HZ - HZ);	   /* it lost a second */
}

/* One pair: the rate is as told, and nothing says how well; none: no clock */
static void test_too_few(void **state)
{
	struct vsamp_oa_pair pair[2] = { { 5000, 7 * S, 100 }, { 5000, 8 * S, 100 } };
	struct vsamp_oa_clock *c = clock_of(pair, 1, HZ, 36);
	struct vsamp_oa_time t = vsamp_oa_clock_time(c, 0, 5000 + HZ);
	struct vsamp_error err;

	assert_true(t.extrapolated);
	assert_int_equal(t.raw, 8 * S);
	assert_int_equal(vsamp_oa_clock_time(c, 7, 5000 - 4800).raw, 7 * S - 400000);
	assert_int_equal(vsamp_oa_clock_error(c), UINT64_MAX);
	vsamp_oa_clock_free(c);
	/* the GPU's clock stands still: no piece has two pairs */
	c = clock_of(pair, 2, HZ, 36);
	assert_int_equal(vsamp_oa_clock_pieces(c), 2);
	assert_int_equal(vsamp_oa_clock_error(c), UINT64_MAX);
	assert_int_equal(vsamp_oa_clock_time(c, 1, 5000 + HZ).raw, 9 * S);
	vsamp_oa_clock_free(c);
	pair[1].raw = pair[0].raw; /* the same twice */
	c = clock_of(pair, 2, HZ, 36);
	assert_int_equal(vsamp_oa_clock_time(c, 1, 5000 + HZ).raw, 8 * S);
	vsamp_oa_clock_free(c);
	assert_int_equal(vsamp_oa_clock_new(&c, pair, 0, HZ, 36, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no times"));
	assert_int_equal(vsamp_oa_clock_new(&c, pair, 2, 0, 36, &err), -EINVAL);
	assert_int_equal(vsamp_oa_clock_new(&c, pair, 2, HZ, 31, &err), -EINVAL);
	vsamp_oa_clock_free(NULL);
}

/* Anything at all: no trap, no endless loop */
static void test_hostile(void **state)
{
	struct vsamp_oa_pair pair[50];

	seed = 4;
	for (int round = 0; round < 500; round++) {
		unsigned int bits = 32 + any(33);
		struct vsamp_oa_clock *c;
		size_t n = 1 + any(50);

		for (size_t i = 0; i < n; i++)
			pair[i] = (struct vsamp_oa_pair){ any(UINT64_MAX) >> any(64),
							  any(UINT64_MAX) >> any(64),
							  any(UINT64_MAX) >> any(64) };
		c = clock_of(pair, n, 1000 + (any(UINT64_MAX - 1000) >> any(60)), bits);
		for (size_t i = 0; i <= n; i++)
			vsamp_oa_clock_time(c, i, any(UINT64_MAX));
		assert_true(vsamp_oa_clock_pieces(c) <= n);
		vsamp_oa_clock_error(c);
		vsamp_oa_clock_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wraps),		cmocka_unit_test(test_wide_brackets),
		cmocka_unit_test(test_sleep_and_reset), cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
