// SPDX-License-Identifier: MIT
/* Trees of callers, of recordings made by hand: who called, where it is cut, and that all of it adds up */
#include "mkfile.h"

#include <vsamp/profile.h>

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81001000 T work\n"
			     "ffffffff81002000 T one\n"
			     "ffffffff81003000 T two\n"
			     "ffffffff81004000 T top\n"
			     "ffffffff81005000 T _etext\n";

#define WORK   0xffffffff81001004
/* Where calls in these return to; two's is the first instruction behind it */
#define ONE    0xffffffff81002008
#define TWO    0xffffffff81004000
#define TOP    0xffffffff8100400c
/* Where a call at the end of module a returns to, and where module b begins */
#define A_OR_B 0x11000

static struct vsamp_writer *w;
static uint64_t now;

static void begin(void)
{
	w = mk_open(path);
	now = 0;
	mk_clock(w, 0, 0, 2, 0);
	mk_kallsyms(w, kernel, 0);
	mk_mmap2(w, 0, 7, 0x10000, 0x1000, 0, "/nonexistent/a", NULL, 1, 0);
	mk_mmap2(w, 0, 7, 0x11000, 0x1000, 0, "/nonexistent/b", NULL, 2, 0);
}

static void put(unsigned int times, uint16_t event, uint64_t ip, unsigned int frames,
		unsigned int user, uint32_t flags, const uint64_t *ips)
{
	while (times--)
		mk_stack(w, 0, mk_sample_record(event, !(ip >> 63), now += 10, ip, 7, 7), frames,
			 user, flags, ips);
}

#define IPS(...) ((const uint64_t[]){ __VA_ARGS__ })

static void text_add(FILE *out, const struct vsamp_profile_caller *c, size_t count, int depth,
		     const uint64_t *samples)
{
	uint64_t sum[2] = { 0 };

	for (size_t i = 0; i < count; i++) {
		const char *module = c[i].module ? strrchr(c[i].module, '/') : NULL;

		fprintf(out, "%*s%s %d/%d\n", 2 * depth, "", module ? module : c[i].symbol,
			(int)c[i].samples[0], (int)c[i].samples[1]);
		assert_true(c[i].events[0] == c[i].samples[0] * 1000.0);
		assert_true(c[i].events[1] == c[i].samples[1] * 77.0);
		text_add(out, c[i].callers, c[i].count, depth + 1, c[i].samples);
		for (int e = 0; e < 2; e++)
			sum[e] += c[i].samples[e];
	}
	for (int e = 0; e < 2 && count; e++)
		assert_int_equal(sum[e], samples[e]);
}

enum kind {
	CALLERS,
	INCLUSIVE, /* and callers */
	CALLEES,
};

static void text_row(FILE *out, const struct vsamp_profile_row *r)
{
	fprintf(out, "%s %d/%d", r->symbol ? r->symbol : r->module, (int)r->samples[0],
		(int)r->samples[1]);
	if (r->total_samples) {
		fprintf(out, " of %d/%d", (int)r->total_samples[0], (int)r->total_samples[1]);
		assert_true(r->total_events[0] == r->total_samples[0] * 1000.0);
		assert_true(r->total_events[1] == r->total_samples[1] * 77.0);
	}
	putc('\n', out);
}

/* The trees of all rows, below their names */
static void check_kind(enum kind kind, unsigned int by, size_t event,
		       const struct vsamp_filter *filter, const char *expect)
{
	struct vsamp_profile_options options = { .flags = VSAMP_PROFILE_CALLERS };
	struct vsamp_recording *rec;
	struct vsamp_profile *p;
	struct vsamp_profile_row *rows;
	size_t rows_count, size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (filter)
		options.filter = *filter;
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_profile_new(&p, rec, &options, NULL), 0);
	if (kind == CALLERS)
		assert_int_equal(vsamp_profile_rows(p, by, event, &rows, &rows_count, NULL), 0);
	else
		assert_int_equal(vsamp_profile_inclusive(p, by, event, &rows, &rows_count, NULL),
				 0);
	for (size_t i = 0; i < rows_count; i++) {
		struct vsamp_profile_caller *callers;
		size_t count;

		text_row(out, &rows[i]);
		if (kind == CALLEES)
			assert_int_equal(vsamp_profile_callees(p, rows[i].number, event, &callers,
							       &count, NULL),
					 0);
		else
			assert_int_equal(vsamp_profile_callers(p, rows[i].number, event, &callers,
							       &count, NULL),
					 0);
		text_add(out, callers, count, 1,
			 kind == CALLERS ? rows[i].samples : rows[i].total_samples);
		free(callers);
	}
	fclose(out);
	assert_string_equal(text, expect);
	free(text);
	free(rows);
	vsamp_profile_free(p);
	vsamp_recording_close(rec);
}

static void check(unsigned int by, size_t event, const char *expect)
{
	check_kind(CALLERS, by, event, NULL, expect);
}

static void make_tree(void)
{
	begin();
	put(5, 0, WORK, 2, 0, 0, IPS(ONE, TOP));
	put(3, 0, WORK, 2, 0, 0, IPS(TWO, TOP));
	put(2, 0, WORK, 0, 0, 0, NULL);
	mk_sample(w, 0, 0, false, now += 10, WORK, 7); /* of no stack at all */
	put(1, 0, ONE, 1, 0, 0, IPS(TOP));
	put(4, 1, WORK, 2, 0, 0, IPS(TWO, TOP));
}

static void test_tree(void **state)
{
	make_tree();
	check(VSAMP_BY_SYMBOL, 0,
	      "work 11/4\n"
	      "  one 5/0\n"
	      "    top 5/0\n"
	      "  two 3/4\n"
	      "    top 3/4\n"
	      "  [no caller] 3/0\n"
	      "one 1/0\n"
	      "  top 1/0\n");
}

/* Sorted by the other event; the first one decides among the rest */
static void test_other_event(void **state)
{
	make_tree();
	check(VSAMP_BY_SYMBOL, 1,
	      "work 11/4\n"
	      "  two 3/4\n"
	      "    top 3/4\n"
	      "  one 5/0\n"
	      "    top 5/0\n"
	      "  [no caller] 3/0\n"
	      "one 1/0\n"
	      "  top 1/0\n");
}

/* Rows of several symbols have the callers of all of them */
static void test_by_module(void **state)
{
	make_tree();
	check(VSAMP_BY_MODULE, 0,
	      "[kernel] 12/4\n"
	      "  one 5/0\n"
	      "    top 5/0\n"
	      "  two 3/4\n"
	      "    top 3/4\n"
	      "  [no caller] 3/0\n"
	      "  top 1/0\n");
}

/* A row of one event has the callers that it had then */
static void test_by_event(void **state)
{
	make_tree();
	check(VSAMP_BY_SYMBOL | VSAMP_BY_EVENT, 0,
	      "work 11/0\n"
	      "  one 5/0\n"
	      "    top 5/0\n"
	      "  [no caller] 3/0\n"
	      "  two 3/0\n"
	      "    top 3/0\n"
	      "one 1/0\n"
	      "  top 1/0\n"
	      "work 0/4\n"
	      "  two 0/4\n"
	      "    top 0/4\n");
}

static void test_inclusive(void **state)
{
	make_tree();
	check_kind(INCLUSIVE, VSAMP_BY_SYMBOL, 0, NULL,
		   "work 11/4 of 11/4\n"
		   "  one 5/0\n"
		   "    top 5/0\n"
		   "  two 3/4\n"
		   "    top 3/4\n"
		   "  [no caller] 3/0\n"
		   "top 0/0 of 9/4\n"
		   "one 1/0 of 6/0\n"
		   "  top 6/0\n"
		   "two 0/0 of 3/4\n"
		   "  top 3/4\n");
	make_tree();
	check_kind(CALLEES, VSAMP_BY_SYMBOL, 0, NULL,
		   "work 11/4 of 11/4\n"
		   "top 0/0 of 9/4\n"
		   "  one 6/0\n"
		   "    work 5/0\n"
		   "    [self] 1/0\n"
		   "  two 3/4\n"
		   "    work 3/4\n"
		   "one 1/0 of 6/0\n"
		   "  work 5/0\n"
		   "  [self] 1/0\n"
		   "two 0/0 of 3/4\n"
		   "  work 3/4\n");
}

/* Whatever a stack has of a module counts once; its callees are those of the outermost of it */
static void test_inclusive_modules(void **state)
{
	make_tree();
	check_kind(CALLEES, VSAMP_BY_MODULE | VSAMP_BY_EVENT, 0, NULL,
		   "[kernel] 12/0 of 12/0\n"
		   "  one 6/0\n"
		   "    work 5/0\n"
		   "    [self] 1/0\n"
		   "  [self] 3/0\n"
		   "  two 3/0\n"
		   "    work 3/0\n"
		   "[kernel] 0/4 of 0/4\n"
		   "  two 0/4\n"
		   "    work 0/4\n");
}

/* A name selects functions of stacks, where these count; else where samples fell */
static void test_selected(void **state)
{
	static const char *const names[] = { "one" };
	const struct vsamp_filter f = { .symbol = names, .symbols = 1 };

	make_tree();
	check_kind(INCLUSIVE, VSAMP_BY_SYMBOL, 0, &f, "one 1/0 of 6/0\n  top 6/0\n");
	make_tree();
	check_kind(CALLERS, VSAMP_BY_SYMBOL, 0, &f, "one 1/0\n  top 1/0\n");
}

static void make_recursion(void)
{
	begin();
	put(2, 0, WORK, 4, 0, 0, IPS(ONE, ONE, ONE, TOP));
	put(1, 0, WORK, 2, 0, 0, IPS(ONE, TOP));
	put(4, 0, WORK, 3, 0, 0, IPS(WORK, ONE, TOP));
	put(1, 0, ONE, 2, 0, 0, IPS(ONE + 4, TOP));
}

static void test_recursion(void **state)
{
	make_recursion();
	check(VSAMP_BY_SYMBOL, 0,
	      "work 7/0\n"
	      "  work 4/0\n"
	      "    one 4/0\n"
	      "      top 4/0\n"
	      "  one 3/0\n"
	      "    one 2/0\n"
	      "      one 2/0\n"
	      "        top 2/0\n"
	      "    top 1/0\n"
	      "one 1/0\n"
	      "  one 1/0\n"
	      "    top 1/0\n");
}

/* Callers are those of the innermost of a function, callees those of the outermost */
static void test_inclusive_recursion(void **state)
{
	make_recursion();
	check_kind(INCLUSIVE, VSAMP_BY_SYMBOL, 0, NULL,
		   "one 1/0 of 8/0\n"
		   "  top 5/0\n"
		   "  one 3/0\n"
		   "    one 2/0\n"
		   "      top 2/0\n"
		   "    top 1/0\n"
		   "top 0/0 of 8/0\n"
		   "work 7/0 of 7/0\n"
		   "  work 4/0\n"
		   "    one 4/0\n"
		   "      top 4/0\n"
		   "  one 3/0\n"
		   "    one 2/0\n"
		   "      one 2/0\n"
		   "        top 2/0\n"
		   "    top 1/0\n");
	make_recursion();
	check_kind(CALLEES, VSAMP_BY_SYMBOL, 0, NULL,
		   "one 1/0 of 8/0\n"
		   "  work 5/0\n"
		   "    work 4/0\n"
		   "    [self] 1/0\n"
		   "  one 3/0\n"
		   "    one 2/0\n"
		   "      work 2/0\n"
		   "    [self] 1/0\n"
		   "top 0/0 of 8/0\n"
		   "  one 8/0\n"
		   "    work 5/0\n"
		   "      work 4/0\n"
		   "      [self] 1/0\n"
		   "    one 3/0\n"
		   "      one 2/0\n"
		   "        work 2/0\n"
		   "      [self] 1/0\n"
		   "work 7/0 of 7/0\n"
		   "  work 4/0\n"
		   "  [self] 3/0\n");
}

/*
 * From the kernel to the user, where it goes on at the begin of b, and where a call returns to the
 * same place, which is then a's. What is cut is cut where it is
 */
static void test_cut(void **state)
{
	const uint32_t both = VSAMP_STACK_KERNEL_CUT | VSAMP_STACK_USER_CUT;

	begin();
	put(1, 0, WORK, 1, 0, VSAMP_STACK_USER_CUT, IPS(ONE));
	put(1, 0, WORK, 1, 1, VSAMP_STACK_KERNEL_CUT, IPS(ONE, A_OR_B));
	put(1, 0, WORK, 1, 1, 0, IPS(ONE, A_OR_B));
	put(1, 0, WORK, 1, 2, 0, IPS(ONE, A_OR_B, A_OR_B));
	put(1, 0, WORK, 1, 0, both, IPS(ONE));
	put(1, 0, WORK, 0, 0, VSAMP_STACK_USER_CUT, NULL);
	put(1, 0, WORK, 1, 1, both, IPS(TWO, A_OR_B));
	check(VSAMP_BY_SYMBOL, 0,
	      "work 7/0\n"
	      "  one 5/0\n"
	      "    [truncated] 3/0\n"
	      "      [no caller] 2/0\n"
	      "      /b 1/0\n"
	      "    /b 2/0\n"
	      "      [no caller] 1/0\n"
	      "      /a 1/0\n"
	      "  [truncated] 1/0\n"
	      "  two 1/0\n"
	      "    [truncated] 1/0\n"
	      "      /b 1/0\n"
	      "        [truncated] 1/0\n");
}

/* In user mode the first frame is a call, too; what nothing was mapped at has no name */
static void test_user(void **state)
{
	struct vsamp_record_sample guest = mk_sample_record(0, false, 900, WORK, 7, 7);

	begin();
	put(2, 0, A_OR_B, 0, 2, 0, IPS(A_OR_B, A_OR_B + 4));
	put(1, 0, 0x10004, 0, 1, 0, IPS(0x999999));
	/* of a virtual machine's kernel nothing is known */
	guest.h.flags |= VSAMP_SAMPLE_GUEST;
	mk_stack(w, 0, guest, 1, 0, 0, IPS(ONE));
	check(VSAMP_BY_MODULE, 0,
	      "/nonexistent/b 2/0\n"
	      "  /a 2/0\n"
	      "    /b 2/0\n"
	      "/nonexistent/a 1/0\n"
	      "  [unknown] 1/0\n"
	      "[guest] 1/0\n");
}

static void test_deepest(void **state)
{
	uint64_t ip[254];
	char expect[254 * 300], *at = expect;

	begin();
	at += sprintf(at, "work 1/0\n");
	for (unsigned int i = 0; i < 254; i++) {
		ip[i] = i < 127 ? i % 2 ? ONE : TWO : A_OR_B + 4;
		at += sprintf(at, "%*s%s 1/0\n", 2 * (int)(i + 1), "",
			      i < 127 ? i % 2 ? "one" : "two" : "/b");
	}
	put(1, 0, WORK, 127, 127, 0, ip);
	check(VSAMP_BY_SYMBOL, 0, expect);
}

static void test_not_asked(void **state)
{
	struct vsamp_recording *rec;
	struct vsamp_profile *p;
	struct vsamp_profile_row *rows;
	struct vsamp_profile_caller *callers;
	struct vsamp_error err;
	size_t count;

	make_tree();
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_recording_totals(rec)->stacks, 15);
	assert_int_equal(vsamp_profile_new(&p, rec, NULL, NULL), 0);
	assert_int_equal(vsamp_profile_rows(p, VSAMP_BY_SYMBOL, 0, &rows, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_int_equal(vsamp_profile_callers(p, rows[0].number, 0, &callers, &count, &err),
			 -EINVAL);
	free(rows);
	vsamp_profile_free(p);
	vsamp_recording_close(rec);
}

/* Counted from the table of a chunk, and sample by sample where a Sample-After value changes */
static void test_cut_counts(void **state)
{
	for (int sav = 0; sav < 2; sav++) {
		const struct vsamp_recording_totals *t;
		struct vsamp_recording *rec;

		begin();
		put(3, 0, WORK, 1, 0, VSAMP_STACK_USER_CUT, IPS(ONE));
		if (sav)
			mk_sav(w, 0, 0, now, 500);
		put(2, 0, WORK, 1, 1, VSAMP_STACK_KERNEL_CUT, IPS(ONE, A_OR_B));
		put(1, 1, WORK, 1, 1, VSAMP_STACK_KERNEL_CUT | VSAMP_STACK_USER_CUT,
		    IPS(ONE, A_OR_B));
		put(7, 0, WORK, 1, 1, 0, IPS(ONE, A_OR_B));
		mk_sample(w, 0, 0, false, now + 10, WORK, 7);
		mk_close(w);
		assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
		t = vsamp_recording_totals(rec);
		assert_int_equal(t->stacks, 13);
		assert_int_equal(t->kernel_cut, 3);
		assert_int_equal(t->user_cut, 4);
		vsamp_recording_close(rec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),	  cmocka_unit_test(test_other_event),
		cmocka_unit_test(test_by_module), cmocka_unit_test(test_by_event),
		cmocka_unit_test(test_inclusive), cmocka_unit_test(test_inclusive_modules),
		cmocka_unit_test(test_selected),  cmocka_unit_test(test_inclusive_recursion),
		cmocka_unit_test(test_recursion), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_user),	  cmocka_unit_test(test_deepest),
		cmocka_unit_test(test_not_asked), cmocka_unit_test(test_cut_counts),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
