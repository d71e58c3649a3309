// SPDX-License-Identifier: MIT
/* What a user is told where perf refuses, with a kernel that is mocked at the C library */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include <perf_open.h>

static struct {
	const char *paranoid;
	bool old; /* doesn't know PERF_FORMAT_LOST */
	unsigned int opens;
	struct perf_event_attr attr; /* of the last one that was let */
} mock;

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");

	if (strstr(path, "perf_event_paranoid"))
		return fmemopen((void *)mock.paranoid, strlen(mock.paranoid), "r");
	return next(path, mode);
}

long syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	va_list ap;

	assert_int_equal(number, SYS_perf_event_open);
	va_start(ap, number);
	attr = va_arg(ap, const struct perf_event_attr *);
	va_end(ap);
	mock.opens++;
	if (mock.old && attr->read_format & PERF_FORMAT_LOST) {
		errno = EINVAL;
		return -1;
	}
	mock.attr = *attr;
	/* Of zeros there is something to read */
	return open("/dev/zero", O_RDONLY | O_CLOEXEC);
}

static const struct vsamp_event both = { .name = "LLC_MISSES", .user = true, .kernel = true };
static const struct vsamp_event user = { .name = "LLC_MISSES", .user = true };

static void permission(void **state)
{
	const struct {
		const char *level;
		const struct vsamp_event *ev;
		pid_t tid;
		const char *text, *remedy;
	} row[] = {
		{ "4", &user, 7, "perf_event_paranoid is 4, which leaves perf events to root",
		  "'sysctl kernel.perf_event_paranoid=2'" },
		{ "3", &user, -1, "perf_event_paranoid is 3, which leaves perf events to root",
		  "run as root" },
		{ "2", &user, -1, "whole CPUs: kernel.perf_event_paranoid is 2", "set it to 0" },
		{ "1", &both, -1, "whole CPUs: kernel.perf_event_paranoid is 1",
		  "a command or process of your own" },
		{ "2", &both, 7, "the kernel: kernel.perf_event_paranoid is 2", "LLC_MISSES:u" },
		{ "2", &both, 7, "CAP_PERFMON", "set it to 1" },
		{ "2", &user, 7, "process 7: it runs as another user", "run as root" },
		{ "1", &both, 7, "process 7: it runs as another user", "run as root" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct perf_wanted wanted = { .ev = row[i].ev, .sav = 1, .tid = row[i].tid };
		struct vsamp_error err;

		mock.paranoid = row[i].level;
		assert_int_equal(perf_refused(&wanted, -EACCES, &err), -EACCES);
		if (strncmp(err.text, "LLC_MISSES: no permission", 25) ||
		    !strstr(err.text, row[i].text) || !strstr(err.text, row[i].remedy))
			fail_msg("row %zu: %s", i, err.text);
	}
}

static void others(void **state)
{
	const struct {
		int code;
		const char *text;
	} row[] = {
		{ -ENOENT, "LLC_MISSES: perf doesn't know it on this machine" },
		{ -EOPNOTSUPP, "LLC_MISSES: perf can't sample it on this machine" },
		{ -ENODEV, "LLC_MISSES: CPU 3 is not online" },
		{ -EMFILE, "LLC_MISSES: too few open files" },
		{ -ESRCH, "process 7: there is none" },
		{ -EBUSY, "LLC_MISSES: perf has no counter free" },
		{ -EINVAL, "LLC_MISSES: perf refuses type 4, config 0x412e, SAV 1000" },
		{ -ENOSYS, "this kernel is built without perf events" },
		{ -EIO, "LLC_MISSES: perf event on CPU 3: Input/output error" },
	};
	struct vsamp_event ev = both;

	ev.perf_type = PERF_TYPE_RAW;
	ev.perf_config = 0x412e;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct perf_wanted wanted = { .ev = &ev, .sav = 1000, .cpu = 3, .tid = 7 };
		struct vsamp_error err;

		assert_int_equal(perf_refused(&wanted, row[i].code, &err), row[i].code);
		if (strncmp(err.text, row[i].text, strlen(row[i].text)))
			fail_msg("row %zu: %s", i, err.text);
	}
}

/* What is asked of the kernel: levels, scope and period are those of the event, and no other */
static void attributes(void **state)
{
	const struct perf_wanted wanted = { .ev = &user, .sav = 1000, .cpu = 3, .tid = 7 };
	struct perf_fd fd;

	mock.old = false;
	assert_int_equal(perf_fd_open(&fd, &wanted), 0);
	assert_int_equal(mock.attr.exclude_kernel, 1);
	assert_int_equal(mock.attr.exclude_user, 0);
	assert_int_equal(mock.attr.sample_period, 1000);
	assert_int_equal(mock.attr.freq, 0);
	assert_int_equal(mock.attr.disabled, 1);
	assert_int_equal(mock.attr.inherit, 1);
	assert_int_equal(mock.attr.inherit_thread, 1);
	assert_int_equal(mock.attr.enable_on_exec, 0);
	assert_int_equal(mock.attr.use_clockid, 1);
	assert_int_equal(fd.leader, -1);
	perf_fd_close(&fd);
}

static void before_linux_6_0(void **state)
{
	const struct perf_wanted wanted = { .ev = &both, .sav = 1000, .cpu = 3, .tid = -1 };
	struct perf_fd fd;

	mock.old = true;
	mock.opens = 0;
	assert_int_equal(perf_fd_open(&fd, &wanted), 0);
	assert_int_equal(mock.opens, 2);
	assert_int_equal(mock.attr.read_format & PERF_FORMAT_LOST, 0);
	assert_int_equal(mock.attr.exclude_kernel, 0);
	assert_int_equal(mock.attr.inherit, 0);
	perf_fd_close(&fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permission),
		cmocka_unit_test(others),
		cmocka_unit_test(attributes),
		cmocka_unit_test(before_linux_6_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
