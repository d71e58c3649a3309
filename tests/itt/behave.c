// SPDX-License-Identifier: MIT
/* usage: behave CASE [ARG]: what programs do, or shouldn't; the calls of each case are told beside it */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ittnotify.h"

static __itt_domain *d;
static __itt_string_handle *s;

/* @size bytes that end where nothing is mapped */
static char *at_guard(size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
	char *map = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0,
			 0);

	mprotect(map + whole, page, PROT_NONE);
	return map + whole - size;
}

static void pairs(long n)
{
	for (long i = 0; i < n; i++) {
		__itt_task_begin(d, __itt_null, __itt_null, s);
		__itt_task_end(d);
	}
}

/* 3 pairs, an open task; the child 5 pairs; then it becomes "behave pairs 7"; then 2 pairs and the end */
static int case_fork(char **argv)
{
	pid_t pid;

	pairs(3);
	__itt_task_begin(d, __itt_null, __itt_null, s);
	pid = fork();
	if (!pid) {
		pairs(5);
		execl("/proc/self/exe", argv[0], "pairs", "7", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	pairs(2);
	__itt_task_end(d);
	return 0;
}

static int case_pairs(char **argv)
{
	pairs(atol(argv[2]));
	return 0;
}

/* Pairs until it is killed; how many there were is in the file ARG, mapped, behind each */
static int case_endless(char **argv)
{
	FILE *f = fopen(argv[2], "w+");
	volatile uint64_t *count;

	if (!f || ftruncate(fileno(f), 4096))
		exit(1);
	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
	for (;;) {
		pairs(1);
		__atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
	}
}

/* Within a task and a region, with a name: pairs and a counter's increments for ARG ms; prints how many there were */
static int case_steady(char **argv)
{
	__itt_counter counter = __itt_counter_create("rounds", "steady");
	__itt_string_handle *outer = __itt_string_handle_create("outer");
	__itt_id id = __itt_id_make(&id, 1);
	long n = 0;

	__itt_thread_set_name("steady");
	__itt_task_begin(d, __itt_null, __itt_null, outer);
	__itt_region_begin(d, id, __itt_null, outer);
	for (long ms = atol(argv[2]); ms > 0; ms--, n += 10) {
		pairs(10);
		__itt_counter_inc_delta(counter, 10);
		usleep(1000);
	}
	__itt_region_end(d, id);
	__itt_task_end(d);
	printf("%ld\n", n);
	return 0;
}

/* Counters of each type, set to a value whose bytes are 1, 2, 3 ... and end before a guard page */
static int case_widths(char **argv)
{
	static const int width[] = { 0, 8, 8, 4, 4, 2, 2, 4, 8 };

	for (int type = 1; type <= 8; type++) {
		char *value = at_guard(width[type]);
		char name[] = { 't', (char)('0' + type), 0 };
		__itt_counter c = __itt_counter_create_typed(name, "widths",
							     (__itt_metadata_type)type);

		for (int i = 0; i < width[type]; i++)
			value[i] = i + 1;
		__itt_counter_set_value(c, value);
		__itt_metadata_add(d, __itt_null, s, (__itt_metadata_type)type, 1, value);
		__itt_histogram_submit(__itt_histogram_create(d, name, (__itt_metadata_type)type,
							      (__itt_metadata_type)type),
				       1, value, value);
	}
	return 0;
}

static void tell_text(const char *text)
{
	__itt_string_handle *h = __itt_string_handle_create(text);
	__itt_domain *domain = __itt_domain_create(text);

	__itt_task_begin(domain, __itt_null, __itt_null, h);
	__itt_task_end(domain);
	__itt_thread_set_name(text);
	__itt_sync_create(&d, text, text, 0);
	__itt_metadata_str_add(d, __itt_null, h, text, (size_t)-1);
	__itt_metadata_str_add(d, __itt_null, h, text, 1U << 30);
	__itt_counter_create(text, text);
	__itt_mark(__itt_mark_create(text), text);
	__itt_formatted_metadata_add(d, h, 1, 2, 3);
}

/* Texts of all kinds to what takes any; events with lengths of all kinds: 3 of them are none */
static int case_texts(char **argv)
{
	char *large = (char *)malloc((1 << 20) + 1), *end = at_guard(5);

	memset(large, 'x', 1 << 20);
	large[1 << 20] = 0;
	memcpy(end, "guard", 5);
	pairs(1);
	tell_text("");
	tell_text("\xff\xfe\x80 invalid \xc3");
	tell_text("%n%s%s%s%1000000d%*d%hhn");
	tell_text(large);
	tell_text(NULL);
	for (int i = 0; i < 2; i++) {
		__itt_event_start(__itt_event_create(end, 5));
		__itt_event_start(__itt_event_create("nul\0inside", 10));
		__itt_event_start(__itt_event_create("\xc3\xa9t\xc3\xa9", 3));
		__itt_event_start(__itt_event_create("short", 1000));
		__itt_event_start(__itt_event_create("negative", -1));
		__itt_event_start(__itt_event_create("none", 0));
		__itt_event_start(__itt_event_create(NULL, 4));
		__itt_event_end(77);
	}
	free(large);
	return 0;
}

static int case_formats(char **argv)
{
	__itt_string_handle *f = __itt_string_handle_create("%d %s %5.2f %lu %c%% %p|%x");
	__itt_string_handle *odd = __itt_string_handle_create("%d %n %s");

	pairs(1);
	__itt_formatted_metadata_add(d, f, -7, "text", 1.5, 1UL << 40, 'c', (void *)0x10, 255);
	__itt_formatted_metadata_add(d, odd, 5, &d, "never read");
	__itt_formatted_metadata_add(d, s, 1);
	return 0;
}

static void *thread_open(void *unused)
{
	__itt_task_begin(d, __itt_null, __itt_null, s);
	return unused;
}

/* 50 threads, one after the other, that end with an open task */
static int case_threads(char **argv)
{
	for (int i = 0; i < 50; i++) {
		pthread_t t;

		pthread_create(&t, NULL, thread_open, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}

static long each;

static void *thread_pairs(void *unused)
{
	pairs(each);
	return unused;
}

/* ARG threads at once, each with as many pairs as the next argument says */
static int case_storm(char **argv)
{
	long threads = atol(argv[2]);
	pthread_t t[1024];

	each = atol(argv[3]);
	for (long i = 0; i < threads && i < 1024; i++)
		pthread_create(&t[i], NULL, thread_pairs, NULL);
	for (long i = 0; i < threads && i < 1024; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* 1 pair, the end, calls behind it, and a second beginning with 4 pairs; then nothing for good */
static int case_fini(char **argv)
{
	pairs(1);
	__itt_fini_ittlib();
	pairs(10);
	__itt_init_ittlib(NULL, -1);
	pairs(4);
	if (__itt_domain_create("behave") != d || __itt_string_handle_create("again") == NULL)
		return 3;
	__itt_detach();
	pairs(10);
	__itt_pause();
	return 0;
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	pairs(1);
	handled++;
}

/* 300000 pairs, while a timer's signal tells pairs, too; prints how many those were */
static int case_signals(char **argv)
{
	struct itimerval every = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };

	signal(SIGPROF, handle);
	setitimer(ITIMER_PROF, &every, NULL);
	pairs(300000);
	setitimer(ITIMER_PROF, &never, NULL);
	printf("%d\n", (int)handled);
	return 0;
}

/* A library with a static part of its own, loaded and unloaded thrice, each time with a pair */
static int case_plugin(char **argv)
{
	for (int i = 0; i < 3; i++) {
		void *lib = dlopen(argv[2], RTLD_NOW);
		void (*run)(void) = (void (*)(void))dlsym(lib, "plugin_run");

		run();
		dlclose(lib);
		free(malloc(100000));
	}
	pairs(1);
	return 0;
}

/* A pair; a library whose static part has ended, and gone; another one where it was; then a detachment */
static int case_gone(char **argv)
{
	void (*run)(void), (*end)(void);
	char *was, *is;
	bool there;
	void *lib;

	pairs(1);
	lib = dlopen(argv[2], RTLD_NOW);
	run = (void (*)(void))dlsym(lib, "plugin_run");
	end = (void (*)(void))dlsym(lib, "plugin_end");
	was = (char *)dlsym(lib, "plugin_data");
	run();
	end();
	dlclose(lib);
	lib = dlopen(argv[3], RTLD_NOW);
	is = (char *)dlsym(lib, "other_data");
	there = was >= is && was < is + (768 << 10);
	if (there)
		__itt_detach();
	dlclose(lib);
	return there ? 0 : 4;
}

static void room(rlim_t bytes)
{
	struct rlimit most;

	getrlimit(RLIMIT_FSIZE, &most);
	most.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &most);
}

/* Begun without room for a file: 40000 pairs; then 80000 each with that for one segment, two, and more */
static int case_room(char **argv)
{
	pairs(40000);
	room(4096 + (1 << 18));
	pairs(80000);
	room(4096 + (2 << 18));
	pairs(80000);
	room(RLIM_INFINITY);
	pairs(80000);
	return 0;
}

static void nothing(int signal)
{
	(void)signal;
}

static void every(long us)
{
	struct itimerval t = { { 0, us }, { 0, us } };

	signal(SIGALRM, nothing);
	setitimer(ITIMER_REAL, &t, NULL);
}

/* ARG pairs while signals come as often as they can */
static int case_alarms(char **argv)
{
	every(60);
	pairs(atol(argv[2]));
	return 0;
}

/* A pause while signals come, and a pair */
static int case_pause(char **argv)
{
	every(1000);
	__itt_pause();
	pairs(1);
	return 0;
}

static volatile sig_atomic_t forks = 150;

static void fork_once(int signal)
{
	int status;
	pid_t pid;

	(void)signal;
	if (!forks)
		return;
	pid = fork();
	if (!pid) {
		forks = 0;
		return;
	}
	waitpid(pid, &status, 0);
	if (status)
		_exit(1);
	forks--;
}

/* 150 forks in a signal's handler, from which the child goes on with what was interrupted, and has a pair */
static int case_handler_forks(char **argv)
{
	static const struct itimerval often = { { 0, 300 }, { 0, 300 } };
	pid_t first = getpid();

	/* The loader can't be interrupted so */
	pairs(1);
	signal(SIGALRM, fork_once);
	setitimer(ITIMER_REAL, &often, NULL);
	while (forks && getpid() == first)
		pairs(1);
	pairs(1);
	return 0;
}

static void at_exit(void)
{
	pairs(2);
}

/* A pair, and 2 from what exit runs */
static int case_exit(char **argv)
{
	atexit(at_exit);
	pairs(1);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(char **argv);
	} cases[] = {
		{ "fork", case_fork },	     { "pairs", case_pairs },
		{ "endless", case_endless }, { "widths", case_widths },
		{ "texts", case_texts },     { "formats", case_formats },
		{ "threads", case_threads }, { "fini", case_fini },
		{ "signals", case_signals }, { "steady", case_steady },
		{ "plugin", case_plugin },   { "exit", case_exit },
		{ "storm", case_storm },     { "gone", case_gone },
		{ "room", case_room },	     { "alarms", case_alarms },
		{ "pause", case_pause },     { "handler_forks", case_handler_forks },
	};

	d = __itt_domain_create("behave");
	s = __itt_string_handle_create("task");
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name))
			return cases[i].run(argv);
	return 2;
}
