// SPDX-License-Identifier: MIT
/* Limits and permissions that the sideband meets, with a kernel that is mocked at the C library */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <vsamp/cpulist.h>
#include <vsamp/sideband.h>

/* What the mocked kernel is like */
static struct {
	const char *online;
	const char *paranoid;
	size_t map_max;	    /* bytes that can be mapped at once */
	int refusal;	    /* errno of perf_event_open() */
	uint64_t opened[8]; /* CPUs asked for, a bit each */
	int opens;
	bool clockid_raw;
	uint64_t step; /* by which events' times go on from read to read, ns */
	uint64_t time;
} mock;

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *, const char *) = real("fopen");
	const char *text = !strcmp(path, "/sys/devices/system/cpu/online") ? mock.online :
			   strstr(path, "perf_event_paranoid")		   ? mock.paranoid :
									     NULL;

	return text ? fmemopen((void *)text, strlen(text), "r") : next(path, mode);
}

long syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	va_list ap;
	int cpu;

	assert_int_equal(number, SYS_perf_event_open);
	va_start(ap, number);
	attr = va_arg(ap, const struct perf_event_attr *);
	assert_int_equal(va_arg(ap, int), -1);
	cpu = va_arg(ap, int);
	va_end(ap);
	mock.opens++;
	if (mock.refusal) {
		errno = mock.refusal;
		return -1;
	}
	mock.opened[cpu / 64] |= 1ULL << cpu % 64;
	mock.clockid_raw = attr->use_clockid && attr->clockid == CLOCK_MONOTONIC_RAW;
	/* Something that epoll takes, and that counts as an open file */
	return open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
}

/* Of an event: its value, and its time */
ssize_t read(int fd, void *data, size_t size)
{
	ssize_t (*next)(int, void *, size_t) = real("read");

	if (size != 2 * sizeof(uint64_t))
		return next(fd, data, size);
	mock.time += mock.step;
	memcpy(data, (uint64_t[]){ 0, mock.time }, size);
	return size;
}

void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *(*next)(void *, size_t, int, int, int, off_t) = real("mmap");

	if (fd < 0)
		return next(addr, size, prot, flags, fd, offset);
	if (size > mock.map_max) {
		errno = EPERM;
		return MAP_FAILED;
	}
	return next(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int setup(void **state)
{
	memset(&mock, 0, sizeof(mock));
	mock.online = "0-1\n";
	mock.paranoid = "2\n";
	mock.map_max = SIZE_MAX;
	mock.time = 1000;
	mock.step = 1000;
	return 0;
}

/* In a process of its own, as a hard limit does not come back: what was wrong there, 0: nothing */
static int open_within(rlim_t soft, rlim_t hard, int expected)
{
	struct rlimit limit = { soft, hard };
	struct vsamp_sideband *s;
	struct vsamp_error err = { 0 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	if (vsamp_sideband_open(&s, 4096, &err) != expected)
		return 2;
	if (expected && !strstr(err.text, "ulimit -n"))
		return 3;
	if (!expected && mock.opens != 512)
		return 4;
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur == hard ? 0 : 5;
}

static void many_cpus(void **state)
{
	const struct {
		rlim_t soft, hard;
		int ret;
	} row[] = {
		{ 256, 256, -EMFILE }, { 256, 1024, 0 },  { 1024, 1024, 0 },
		{ 1024, 4096, 0 },     { 4096, 4096, 0 },
	};

	mock.online = "0-511\n";
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			_exit(open_within(row[i].soft, row[i].hard, row[i].ret));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("row %zu: status %#x", i, status);
	}
}

/* CPUs are those of the list, whatever their number is */
static void holes(void **state)
{
	struct vsamp_sideband *s;
	struct vsamp_error err;

	mock.online = "0,2-3,72-127\n";
	assert_int_equal(vsamp_sideband_open(&s, 4096, &err), 0);
	assert_int_equal(mock.opens, 1 + 2 + 56);
	assert_int_equal(mock.opened[0], 0xd);
	assert_int_equal(mock.opened[1], 0xffffffffffffff00ULL);
	assert_true(mock.clockid_raw);
	vsamp_sideband_close(s);
}

static void mapping_limited(void **state)
{
	const struct {
		size_t map_max;
		size_t size; /* 0: refused */
	} row[] = {
		{ 524288 + 4096, 524288 }, { 524288 + 4095, 262144 }, { 16 * 4096, 8 * 4096 },
		{ 2 * 4096, 4096 },	   { 2 * 4096 - 1, 0 },	      { 0, 0 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_sideband *s = NULL;
		struct vsamp_error err = { 0 };
		int ret;

		mock.map_max = row[i].map_max;
		ret = vsamp_sideband_open(&s, 524288, &err);
		assert_int_equal(ret, row[i].size ? 0 : -EPERM);
		if (ret)
			assert_non_null(strstr(err.text, "ulimit -l"));
		else
			assert_int_equal(vsamp_sideband_size(s), row[i].size);
		vsamp_sideband_close(s);
	}
}

static void permission(void **state)
{
	const struct {
		const char *level;
		const char *text;
	} row[] = {
		{ "3\n", "kernel.perf_event_paranoid is 3, which asks for CAP_SYS_ADMIN" },
		{ "2\n", "kernel.perf_event_paranoid is 2, which asks for CAP_PERFMON" },
	};

	mock.refusal = EACCES;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_sideband *s = NULL;
		struct vsamp_error err = { 0 };

		mock.paranoid = row[i].level;
		assert_int_equal(vsamp_sideband_open(&s, 4096, &err), -EACCES);
		assert_non_null(strstr(err.text, row[i].text));
		assert_non_null(strstr(err.text, "--no-sideband"));
		assert_null(s);
	}
}

/* Between the list and the opening a CPU may go: that is no error */
static void cpu_gone(void **state)
{
	struct vsamp_sideband *s;
	struct vsamp_error err;

	mock.refusal = ENODEV;
	assert_int_equal(vsamp_sideband_open(&s, 4096, &err), 0);
	assert_int_equal(vsamp_sideband_drain(s, NULL, &err), 0);
	vsamp_sideband_close(s);
}

/* CPUs that were away between two looks are in the list again; of events, time stands still */
static void cpu_gone_and_back(void **state)
{
	struct vsamp_sideband *s;
	struct vsamp_error err;

	assert_int_equal(vsamp_sideband_open(&s, 4096, &err), 0);
	assert_int_equal(mock.opens, 2);
	assert_int_equal(vsamp_sideband_refresh(s, NULL, &err), 0);
	assert_int_equal(mock.opens, 2);
	mock.step = 0;
	assert_int_equal(vsamp_sideband_refresh(s, NULL, &err), 0);
	assert_int_equal(mock.opens, 4);
	vsamp_sideband_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(many_cpus, setup),
		cmocka_unit_test_setup(holes, setup),
		cmocka_unit_test_setup(mapping_limited, setup),
		cmocka_unit_test_setup(permission, setup),
		cmocka_unit_test_setup(cpu_gone, setup),
		cmocka_unit_test_setup(cpu_gone_and_back, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
