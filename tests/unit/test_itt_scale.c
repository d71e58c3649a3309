// SPDX-License-Identifier: MIT
/*
 * 16 times as many ITT calls take about 16 times as long, whatever they do to each other: what
 * searches a list for each call takes 256 times as long, which is told by a wide margin.
 */
#include "mkfile.h"

#include <time.h>

#include <vsamp/itt.h>

#include "mkitt.h"

#define SMALL	2000
#define LARGE	(16 * SMALL)
#define FACTOR	80 /* between 16, and some more for caches, and 256 */
#define THREADS 64

struct load {
	struct mkitt thread[THREADS];
	uint64_t time;
};

/* A call of the first thread, at the next unit of time */
static void call(struct load *l, struct vsamp_itt_call c)
{
	c.time = ++l->time;
	mkitt_call(&l->thread[0], c);
}

static void task(struct load *l, uint32_t domain, uint32_t name)
{
	call(l, (struct vsamp_itt_call){
			.type = VSAMP_ITT_TASK_BEGIN, .handle = domain, .name = name });
}

static void task_end(struct load *l, uint32_t domain)
{
	call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_END, .handle = domain });
}

static void by_id(struct load *l, uint8_t type, uint64_t id)
{
	call(l, (struct vsamp_itt_call){ .type = type, .handle = 1, .id = { { id } } });
}

static void make_nested(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		task(l, 1, 1);
	for (size_t i = 0; i < n; i++)
		task_end(l, 1);
}

/* Begun in one order, and ended in the same, or the other way round */
static void make_overlapped(struct load *l, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		by_id(l, VSAMP_ITT_OVERLAPPED_BEGIN, i);
	for (size_t i = 1; i <= n; i++)
		by_id(l, VSAMP_ITT_OVERLAPPED_END, i);
}

static void make_overlapped_back(struct load *l, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		by_id(l, VSAMP_ITT_OVERLAPPED_BEGIN, i);
	for (size_t i = n; i > 0; i--)
		by_id(l, VSAMP_ITT_OVERLAPPED_END, i);
}

static void make_one_id(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		by_id(l, VSAMP_ITT_OVERLAPPED_BEGIN, 7);
	for (size_t i = 0; i < n; i++)
		by_id(l, VSAMP_ITT_OVERLAPPED_END, 7);
}

static void make_regions(struct load *l, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		by_id(l, VSAMP_ITT_REGION_BEGIN, i);
	for (size_t i = 1; i <= n; i++)
		by_id(l, VSAMP_ITT_REGION_END, i);
}

static void make_never_ended(struct load *l, size_t n)
{
	for (size_t i = 1; i <= n; i++) {
		task(l, i % 3, 1);
		by_id(l, VSAMP_ITT_FRAME_BEGIN, i);
	}
}

/* An outer task of another domain each; ends that end all that is in them, and ends of nothing */
static void make_mismatched(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		task(l, 1, 1);
		task(l, 2, 1);
		task(l, 2, 1);
		task_end(l, 1);
		task_end(l, 2);
	}
}

static void make_domains(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		task(l, i, 1);
	for (size_t i = 0; i < n; i++)
		task_end(l, i * 7 % n);
}

static void make_names(struct load *l, size_t n)
{
	char text[32];

	for (size_t i = 1; i <= n; i++) {
		snprintf(text, sizeof(text), "name %zu", i);
		mkitt_string(&l->thread[0], i, text);
		task(l, 1, i);
		task_end(l, 1);
	}
}

static void make_functions(struct load *l, size_t n)
{
	for (size_t i = 1; i <= n; i++) {
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN, .fn = 64 * i });
		task_end(l, 0);
	}
}

static void make_events(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_EVENT_START, .handle = i % 5 });
	for (size_t i = 0; i < n; i++)
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_EVENT_END, .handle = i % 3 });
}

static void make_rebound(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_GROUP,
						 .handle = i % 2,
						 .id = { { i / 2 % 1000 } },
						 .parent = { { i / 3 } } });
}

/* Times that fall, so that all spans move */
static void make_backwards(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN,
						 .flags = VSAMP_ITT_HAS_CLOCK,
						 .stamp = n - i });
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_END,
						 .flags = VSAMP_ITT_HAS_CLOCK,
						 .stamp = 2 * n - i });
	}
}

static void make_pauses(struct load *l, size_t n)
{
	task(l, 1, 1);
	for (size_t i = 0; i < n; i++) {
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_PAUSE });
		task(l, 1, 1);
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_RESUME });
		task_end(l, 1);
	}
}

/* Of a task that lasts, and of tasks by id; head and tail are never seen */
static void make_told(struct load *l, size_t n)
{
	uint64_t number[2] = { VSAMP_ITT_U64 | 1ULL << 32 };

	task(l, 1, 1);
	for (size_t i = 1; i <= n; i++) {
		number[1] = i;
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_METADATA,
						 .id = { { i % 2 } },
						 .body = number,
						 .body_size = sizeof(number) });
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_RELATION,
						 .id = { { i } },
						 .parent = { { i + 1 } },
						 .body = number,
						 .body_size = sizeof(*number) });
	}
}

static void make_waits(struct load *l, size_t n)
{
	for (uint32_t kind = VSAMP_ITT_SYNC_PREPARE; kind <= VSAMP_ITT_SYNC_ACQUIRED; kind += 2)
		for (uint64_t i = 1; i <= n; i++)
			call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_SYNC,
							 .handle = kind,
							 .body = &i,
							 .body_size = sizeof(i) });
}

static void make_histogram(struct load *l, size_t n)
{
	struct vsamp_itt_histogram body = { 0 };
	uint64_t points[2] = { 1 };

	call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_HISTOGRAM,
					 .handle = 1,
					 .body = &body,
					 .body_size = sizeof(body) });
	for (size_t i = 1; i <= n; i++) {
		points[1] = i;
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_HISTOGRAM_SUBMIT,
						 .handle = 1,
						 .body = points,
						 .body_size = sizeof(points) });
	}
}

static void make_domain_switched(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		task(l, 2, 1);
	for (size_t i = 0; i < n; i++) {
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_DOMAIN_OFF, .handle = 1 });
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_DOMAIN_ON, .handle = 1 });
	}
}

/* A thread that ends again and again, while another has what is under way */
static void make_ends(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		mkitt_call(&l->thread[1], (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN,
								   .time = l->time });
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_EVENT_START, .handle = 1 });
		call(l, (struct vsamp_itt_call){ .type = VSAMP_ITT_THREAD_END });
	}
}

/* As many in all, of each thread a part */
static void make_threads(struct load *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (uint8_t type = VSAMP_ITT_TASK_BEGIN; type <= VSAMP_ITT_TASK_END; type++)
			mkitt_call(&l->thread[i % THREADS],
				   (struct vsamp_itt_call){ .type = type, .time = ++l->time });
}

static const struct shape {
	const char *what;
	void (*make)(struct load *l, size_t n);
} shapes[] = {
	{ "tasks nested in each other", make_nested },
	{ "overlapped tasks, the first ends first", make_overlapped },
	{ "overlapped tasks, the last ends first", make_overlapped_back },
	{ "overlapped tasks of one id", make_one_id },
	{ "regions at the same time", make_regions },
	{ "tasks and frames that never end", make_never_ended },
	{ "ends of other domains' tasks", make_mismatched },
	{ "as many domains", make_domains },
	{ "as many names", make_names },
	{ "as many functions", make_functions },
	{ "events under way", make_events },
	{ "ids that are rebound", make_rebound },
	{ "times that fall", make_backwards },
	{ "pauses", make_pauses },
	{ "metadata and relations", make_told },
	{ "waits", make_waits },
	{ "values of a histogram", make_histogram },
	{ "a domain off and on", make_domain_switched },
	{ "ends of a thread", make_ends },
	{ "threads", make_threads },
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* All that a report does, with as many samples as there are units of time */
static void work(struct vsamp_itt_records *records, uint64_t end)
{
	const struct vsamp_itt_stat *stat;
	const struct vsamp_itt_share *share;
	struct vsamp_itt_tally *tally;
	struct vsamp_error err = { 0 };
	struct vsamp_itt *itt;
	uint64_t paused;

	if (vsamp_itt_match(&itt, records, THREADS, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(vsamp_itt_tally_new(&tally, itt, 1, NULL), 0);
	for (uint64_t t = 0; t < end; t++)
		assert_true(vsamp_itt_tally_add(tally, 1, 1, t, 0, 1) >= 0);
	vsamp_itt_tally_end(tally, &stat, &share, &paused);
	vsamp_itt_tally_free(tally);
	vsamp_itt_free(itt);
}

/* CPU time of so many, the least of some runs */
static uint64_t measure(const struct shape *shape, size_t n, int runs)
{
	struct vsamp_itt_records records[THREADS];
	static struct load l;
	uint64_t best = UINT64_MAX;

	l.time = 0;
	for (uint32_t t = 0; t < THREADS; t++)
		l.thread[t] = (struct mkitt){ .thread = { 1, t + 1, 0 } };
	shape->make(&l, n);
	for (int t = 0; t < THREADS; t++)
		records[t] = (struct vsamp_itt_records){ l.thread[t].thread,
							 l.thread[t].records.data,
							 l.thread[t].records.size, l.time + 1 };
	for (int i = 0; i < runs; i++) {
		uint64_t begin = cpu_ns(), took;

		work(records, l.time + 1);
		took = cpu_ns() - begin;
		best = took < best ? took : best;
	}
	for (int t = 0; t < THREADS; t++)
		buf_free(&l.thread[t].records);
	return best;
}

static void test_scale(void **state)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		uint64_t small = measure(&shapes[i], SMALL, 5);
		uint64_t large = measure(&shapes[i], LARGE, 1);

		print_message("%s: %.1f times as long, %.0f ns a call\n", shapes[i].what,
			      (double)large / small, (double)large / LARGE);
		if (large > FACTOR * small) /* once more, if something else was in the way */
			large = measure(&shapes[i], LARGE, 3);
		if (large > FACTOR * small)
			fail_msg("%s: %d times as many take %.1f times as long", shapes[i].what,
				 LARGE / SMALL, (double)large / small);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_scale) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
