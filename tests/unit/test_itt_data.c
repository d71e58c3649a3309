// SPDX-License-Identifier: MIT
/* What ITT calls tell beside spans: metadata, relations, histograms, pauses, what waits are for */
#include "mkfile.h"

#include <math.h>

#include "itt_ops.h"

static const char *span_name(const struct vsamp_span *span)
{
	return span ? span->name : "-";
}

/* The attributes in their order: span's name, tid, time, domain, key = value */
static void assert_attributes(const char *script, const char *means)
{
	struct vsamp_itt *itt = match(script);
	const struct vsamp_itt_attribute *a, *own;
	size_t n = vsamp_itt_attributes(itt, &a);
	char text[4096], *at = text;

	*at = 0;
	assert_int_equal(vsamp_itt_counts(itt)->metadata, n);
	for (size_t i = 0; i < n; i++) {
		at = add(at, text + sizeof(text), "%s: t%u @%llu %s.%s=%s; ", span_name(a[i].span),
			 a[i].tid, (unsigned long long)a[i].time, a[i].domain, a[i].key,
			 a[i].value);
		assert_false(a[i].text || a[i].cut);
		if (a[i].span) {
			size_t of = vsamp_itt_span_attributes(itt, a[i].span, &own);

			assert_true(own <= &a[i] && &a[i] < own + of && own->span == a[i].span);
		}
	}
	assert_string_equal(text, means);
	vsamp_itt_free(itt);
}

static void test_metadata(void **state)
{
	/* the innermost simple task's; those of a span in their order */
	assert_attributes(
		"@0 Ba @1 mk=5 Bb @2 mk=6 mj=7 E @3 mk=8 E",
		"a: t1 @1 one.k=5; a: t1 @3 one.k=8; b: t1 @2 one.k=6; b: t1 @2 one.j=7; ");
	/* nobody's: none is under way, or only an overlapped one, or on another thread */
	assert_attributes("@0 mk=1 Oa#1 @1 mk=2 X#1 t2 Bb t1 @2 mk=3 t2 @3 E",
			  "-: t1 @0 one.k=1; -: t1 @1 one.k=2; -: t1 @2 one.k=3; ");
	/* by id: what had it last, be it over, on any thread, and of any kind */
	assert_attributes(
		"@0 Oa#7 @1 mk#7=1 X#7 @2 mk#7=2 t2 Bb#7 E @3 d2 mk#7=3 d1 R#8 mk#8=4",
		"a: t1 @1 one.k=1; a: t1 @2 one.k=2; b: t2 @3 two.k=3; : t2 @3 one.k=4; ");
	/* nothing has the id, or not any more */
	assert_attributes("@0 mk#7=1 Ba#7 E $7 mk#7=2", "-: t1 @0 one.k=1; -: t1 @0 one.k=2; ");
	/* times move spans, and what is of them with them */
	assert_attributes("@0 K3:1000000000:0 @10 Ba~3:9 mk=1 E~3:10 @11 Bb~3:2 mk=2 E~3:3",
			  "b: t1 @11 one.k=2; a: t1 @10 one.k=1; ");
	assert_attributes("@0 x Ba mk=1", "");
}

struct value {
	uint8_t type, scope, flags;
	const void *data;
	uint32_t count;
	const char *is;
	bool cut;
};

static void metadata(struct mkitt *to, const struct value *v)
{
	size_t width = vsamp_itt_value_size(v->type);
	uint64_t space[8192] = { v->type | v->scope << 8 | (uint64_t)v->count << 32 };

	assert_true(8 + v->count * width <= sizeof(space));
	memcpy(space + 1, v->data, v->count * width);
	mkitt_call(to, (struct vsamp_itt_call){ .type = VSAMP_ITT_METADATA,
						.name = 1,
						.flags = v->flags,
						.body = space,
						.body_size = 8 + v->count * width });
}

static void test_values(void **state)
{
	static const uint64_t u64[] = { 0, UINT64_MAX };
	static const int64_t s64[] = { INT64_MIN, 7 };
	static const uint32_t u32[] = { 0xffffffff };
	static const int32_t s32[] = { -1, 3, -5 };
	static const uint16_t u16[] = { 65535 };
	static const int16_t s16[] = { -32768 };
	static const float f[] = { 0.5f, -2 };
	static const double d[] = { 1e100, INFINITY, -0.25 };
	static char many[5000];
	static uint16_t ones[2000];
	static const struct value values[] = {
		{ VSAMP_ITT_U64, 0, 0, u64, 2, "0, 18446744073709551615", false },
		{ VSAMP_ITT_S64, 4, 0, s64, 2, "-9223372036854775808, 7", false },
		{ VSAMP_ITT_U32, 0, 0, u32, 1, "4294967295", false },
		{ VSAMP_ITT_S32, 0, 0, s32, 3, "-1, 3, -5", false },
		{ VSAMP_ITT_U16, 0, 0, u16, 1, "65535", false },
		{ VSAMP_ITT_S16, 0, 0, s16, 1, "-32768", false },
		{ VSAMP_ITT_FLOAT, 0, 0, f, 2, "0.5, -2", false },
		{ VSAMP_ITT_DOUBLE, 0, 0, d, 3, "1e+100, null, -0.25", false },
		{ VSAMP_ITT_CHARS, 0, 0, "text, \"quoted\"", 14, "text, \"quoted\"", false },
		{ VSAMP_ITT_CHARS, 0, VSAMP_ITT_TRUNCATED, "te\0xt", 5, "te", true },
		{ 200, 0, 0, u64, 2, "0, 18446744073709551615", false },
		{ VSAMP_ITT_U64, 0, 0, u64, 0, "", false },
		/* too much: 4096 bytes, and as many whole numbers as these hold with ", " behind */
		{ VSAMP_ITT_CHARS, 0, 0, many, sizeof(many), NULL, true },
		{ VSAMP_ITT_U16, 0, 0, ones, 2000, NULL, true },
	};
	struct mkitt to = { .thread = { 5, 5, 0 } };
	const struct vsamp_itt_attribute *a;
	struct vsamp_itt *itt;

	memset(many, 'x', sizeof(many));
	mkitt_string(&to, 1, "key");
	mkitt_call(&to, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN });
	for (size_t i = 0; i < 14; i++)
		metadata(&to, &values[i]);
	/* of the thread, by its scope */
	metadata(&to, &(struct value){ VSAMP_ITT_U64, 3, 0, u64, 1, NULL, false });
	itt = match_records(&to);
	assert_int_equal(vsamp_itt_attributes(itt, &a), 15);
	for (size_t i = 0; i < 14; i++) {
		assert_non_null(a[i].span);
		assert_string_equal(a[i].key, "key");
		assert_int_equal(a[i].text, values[i].type == VSAMP_ITT_CHARS);
		assert_int_equal(a[i].cut, values[i].cut);
		if (values[i].is)
			assert_string_equal(a[i].value, values[i].is);
	}
	assert_int_equal(strlen(a[12].value), 4096);
	assert_int_equal(strlen(a[13].value), 1366 * 3 - 2);
	assert_null(a[14].span);
	vsamp_itt_free(itt);
}

/* Relations in their order: head's id and name, kind, the same of the tail */
static void assert_relations(const char *script, const char *means)
{
	struct vsamp_itt *itt = match(script);
	const struct vsamp_itt_related *r;
	size_t n = vsamp_itt_relations(itt, &r);
	char text[4096], *at = text;

	*at = 0;
	assert_int_equal(vsamp_itt_counts(itt)->relations, n);
	for (size_t i = 0; i < n; i++)
		at = add(at, text + sizeof(text), "@%llu %llu %s %s %llu %s; ",
			 (unsigned long long)r[i].time, (unsigned long long)r[i].head_id.d[0],
			 span_name(r[i].head), vsamp_itt_relation_name(r[i].relation),
			 (unsigned long long)r[i].tail_id.d[0], span_name(r[i].tail));
	assert_string_equal(text, means);
	vsamp_itt_free(itt);
}

static void test_relations(void **state)
{
	assert_relations("@0 Ga#7 Gb#8 @1 h#7^8=5 h#8^7=3",
			 "@1 7 a child of 8 b; @1 8 b parent of 7 a; ");
	/* without a head: of the current task, on its thread */
	assert_relations("@0 Ga#7 Bb @1 h^7=1 @2 E h^7=2 t2 h^7=4",
			 "@1 0 b dependent on 7 a; @2 0 - sibling of 7 a; "
			 "@2 0 - continuation of 7 a; ");
	/* as the ids were bound then; what nothing had yet, as they are in the end */
	assert_relations("@0 Ga#7 h#7^8=6 Gb#7 Gc#8 h#7^9=7 Gd#8",
			 "@0 7 a continued by 8 d; @0 7 b predecessor to 9 -; ");
	assert_relations("@0 Ga#7 h#7=99", "@0 7 a unknown 0 -; ");
	/* times move spans */
	assert_relations("@0 K3:1000000000:0 @10 Ba#1~3:9 E~3:10 @11 Bb#2~3:2 h^1=5 E~3:3",
			 "@11 0 b child of 1 a; ");
	assert_string_equal(vsamp_itt_relation_name(8), "unknown");
}

static void histogram(struct mkitt *to, uint32_t handle, uint32_t name, uint16_t x, uint16_t y)
{
	struct vsamp_itt_histogram body = { 1, x, y };

	mkitt_call(to, (struct vsamp_itt_call){ .type = VSAMP_ITT_HISTOGRAM,
						.handle = handle,
						.name = name,
						.body = &body,
						.body_size = sizeof(body) });
}

static void submit(struct mkitt *to, uint32_t handle, uint32_t count, bool has_y,
		   const uint64_t *bits)
{
	uint64_t space[8000] = { count | (uint64_t)has_y << 32 };

	memcpy(space + 1, bits, count * (has_y ? 16 : 8));
	mkitt_call(to, (struct vsamp_itt_call){ .type = VSAMP_ITT_HISTOGRAM_SUBMIT,
						.handle = handle,
						.body = space,
						.body_size = 8 + count * (has_y ? 16 : 8) });
}

static uint64_t double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void test_histograms(void **state)
{
	/* x of s32, y of double: 3 -> 1.5, -2 -> 4; then 3 -> 2; then 1 and 3 alone, each 1 */
	const uint64_t first[] = { 3, 0xfffffffe, double_bits(1.5), double_bits(4) };
	const uint64_t second[] = { 3, 1, double_bits(2), double_bits(NAN) };
	const uint64_t third[] = { 1, 3 };
	static uint64_t many[VSAMP_ITT_BUCKETS_MAX + 6];
	static const double x[] = { -2, 1, 3 }, y[] = { 4, 1, 4.5 };
	struct mkitt to = { .thread = { 5, 5, 0 } };
	const struct vsamp_itt_distribution *d;
	struct vsamp_itt *itt;

	mkitt_string(&to, 1, "net");
	mkitt_string(&to, 2, "size");
	mkitt_string(&to, 3, "large");
	submit(&to, 1, 2, true, first); /* the definition may be behind */
	mkitt_call(&to,
		   (struct vsamp_itt_call){ .type = VSAMP_ITT_DOMAIN, .handle = 1, .name = 1 });
	histogram(&to, 1, 2, VSAMP_ITT_S32, VSAMP_ITT_DOUBLE);
	histogram(&to, 2, 3, VSAMP_ITT_U64, VSAMP_ITT_U64);
	submit(&to, 1, 2, true, second);
	submit(&to, 1, 2, false, third);
	submit(&to, 9, 1, false, third); /* isn't defined */
	for (uint64_t i = 0; i < sizeof(many) / sizeof(*many); i++)
		many[i] = sizeof(many) / sizeof(*many) - i;
	submit(&to, 2, sizeof(many) / sizeof(*many), false, many);
	submit(&to, 2, 1, false, many);
	itt = match_records(&to);
	assert_int_equal(vsamp_itt_counts(itt)->histograms, 6);
	assert_int_equal(vsamp_itt_counts(itt)->undefined, 1);
	assert_int_equal(vsamp_itt_distributions(itt, &d), 2);
	/* more values than there are buckets for: those that came last have none */
	assert_string_equal(d[0].name, "large");
	assert_int_equal(d[0].submits, 2);
	assert_int_equal(d[0].points, VSAMP_ITT_BUCKETS_MAX + 7);
	assert_int_equal(d[0].left, 6);
	assert_int_equal(d[0].buckets, VSAMP_ITT_BUCKETS_MAX);
	assert_true(d[0].total == VSAMP_ITT_BUCKETS_MAX + 1);
	assert_true(d[0].bucket[0].x == 7 && d[0].bucket[0].y == 1);
	assert_true(d[0].bucket[d[0].buckets - 1].x == VSAMP_ITT_BUCKETS_MAX + 6 &&
		    d[0].bucket[d[0].buckets - 1].y == 2);
	assert_string_equal(d[1].domain, "net");
	assert_string_equal(d[1].name, "size");
	assert_int_equal(d[1].submits, 3);
	assert_int_equal(d[1].points, 6);
	assert_int_equal(d[1].left, 1);
	assert_int_equal(d[1].buckets, 3);
	for (int i = 0; i < 3; i++)
		assert_true(d[1].bucket[i].x == x[i] && d[1].bucket[i].y == y[i]);
	assert_true(d[1].total == 9.5);
	vsamp_itt_free(itt);
}

static void test_pauses(void **state)
{
	struct vsamp_itt *itt = match("@2 P @4 C @6 P @9 C @20 P");
	const struct vsamp_pause *p;

	assert_int_equal(vsamp_itt_pause_list(itt, &p), 3);
	assert_true(p[0].pid == 10 && p[0].begin == 2 && p[0].end == 4 && p[0].before == 0);
	assert_true(p[1].pid == 10 && p[1].begin == 6 && p[1].end == 9 && p[1].before == 2);
	assert_true(p[2].begin == 20 && p[2].end == UINT64_MAX && p[2].before == 5);
	vsamp_itt_free(itt);
	itt = match("@0 Ba @1 E");
	assert_int_equal(vsamp_itt_pause_list(itt, &p), 0);
	vsamp_itt_free(itt);
}

/* Objects are of a process, by address; their type stays when they are renamed */
static void test_objects(void **state)
{
	struct vsamp_itt_sync_object body = { 0x1000, 2, 2 };
	struct mkitt to = { .thread = { 5, 5, 0 } };
	uint64_t address = 0x1000;
	const struct vsamp_span *span;
	struct vsamp_itt *itt;

	mkitt_string(&to, 1, "queue");
	mkitt_string(&to, 2, "Mutex");
	mkitt_string(&to, 3, "results");
	for (int i = 0; i < 3; i++) {
		if (i)
			mkitt_call(&to, (struct vsamp_itt_call){ .type = VSAMP_ITT_SYNC_OBJECT,
								 .name = i == 1 ? 1 : 3,
								 .body = &body,
								 .body_size = sizeof(body) });
		body.type = 0;
		for (uint32_t call = 1; call <= 4; call++)
			mkitt_call(&to, (struct vsamp_itt_call){
						.type = VSAMP_ITT_SYNC,
						.handle = call == 2 ? 9 : call, /* no such call */
						.time = 10 * i + call,
						.id = { { 1, 2, 3 } }, /* has none */
						.name = 1,
						.body = &address,
						.body_size = 8 });
		body.type = i ? 0 : 2;
	}
	itt = match_records(&to);
	assert_int_equal(vsamp_itt_counts(itt)->syncs, 12);
	assert_int_equal(vsamp_itt_spans(itt, &span), 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(span[i].kind, VSAMP_SPAN_WAIT);
		assert_int_equal(span[i].begin, 10 * i + 1);
		assert_int_equal(span[i].end, 10 * i + 3);
		assert_string_equal(span[i].domain, i ? "Mutex" : "");
		assert_string_equal(span[i].name, i == 0 ? "" : i == 1 ? "queue" : "results");
	}
	vsamp_itt_free(itt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metadata),  cmocka_unit_test(test_values),
		cmocka_unit_test(test_relations), cmocka_unit_test(test_histograms),
		cmocka_unit_test(test_pauses),	  cmocka_unit_test(test_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
