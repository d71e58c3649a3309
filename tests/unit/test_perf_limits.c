// SPDX-License-Identifier: MIT
/* What the perf backend refuses, what a plain user may do, and limits of files and memory */
#include <limits.h>
#include <sys/prctl.h>

#include <vsamp/machine.h>
#include <vsamp/sideband.h>

#include "perf_bench.h"

#define NOBODY 65534

static void bad_configurations(void **state)
{
	const struct {
		uint64_t sav;
		const char *cpus;
		uint32_t ring_size, mux_ms, pmi_limit;
		bool force;
		int ret;
		const char *text;
	} row[] = {
		{ .sav = 9999,
		  .force = true,
		  .ret = -ERANGE,
		  .text = "cpu-clock: SAV 9999: from 10000" },
		{ .sav = 1ULL << 63, .ret = -ERANGE, .text = "SAV 9223372036854775808" },
		{ .sav = MS, .cpus = "0-", .ret = -EINVAL, .text = "CPUs 0-" },
		{ .sav = MS, .ring_size = 12345, .ret = -EINVAL, .text = "ring size 12345" },
		{ .sav = MS, .ring_size = 8192, .ret = -EINVAL, .text = "ring size 8192" },
		{ .sav = MS, .mux_ms = 10, .ret = -EOPNOTSUPP, .text = "time slices" },
		{ .sav = MS,
		  .pmi_limit = 10,
		  .ret = -EOPNOTSUPP,
		  .text = "perf_event_max_sample_rate" },
	};
	struct bench *b = *state;

	assert_int_equal(vsamp_session_start(b->session, &b->err), -EBADFD);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		b->event[0].sav = row[i].sav;
		b->config.cpus = row[i].cpus;
		b->config.ring_size = row[i].ring_size;
		b->config.mux_ms = row[i].mux_ms;
		b->config.pmi_limit = row[i].pmi_limit;
		b->config.force = row[i].force;
		if (vsamp_session_configure(b->session, &b->config, &b->err) != row[i].ret ||
		    !strstr(b->err.text, row[i].text))
			fail_msg("row %zu: %d, %s", i, b->err.code, b->err.text);
	}
}

static void refusals(void **state)
{
	const pid_t nobody = INT_MAX;
	struct bench *b = *state;

	NEED_LEVEL(0);
	b->config.pids = &nobody;
	b->config.n_pids = 1;
	assert_int_equal(vsamp_session_configure(b->session, &b->config, &b->err), -ESRCH);
	assert_non_null(strstr(b->err.text, "process 2147483647: there is none"));
	b->config.n_pids = 0;
	b->config.cpus = "8000";
	assert_int_equal(vsamp_session_configure(b->session, &b->config, &b->err), -ENODEV);
	assert_non_null(strstr(b->err.text, "CPU 8000 is not online"));
	b->config.cpus = NULL;
	/* A type that no PMU has */
	b->event[0].perf_type = 0x7fffffff;
	assert_int_equal(vsamp_session_configure(b->session, &b->config, &b->err), -ENOENT);
	assert_non_null(strstr(b->err.text, "cpu-clock samples by time"));
	/* It can still be put right */
	b->event[0].perf_type = PERF_TYPE_SOFTWARE;
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	assert_int_equal(vsamp_session_configure(b->session, &b->config, &b->err), -EBADFD);
}

/* In a process of its own, as a hard limit doesn't come back: what was wrong there, 0: nothing */
static int few_files(struct bench *b)
{
	struct rlimit limit = { 5, 5 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	b->config.n_events = 2;
	if (vsamp_session_configure(b->session, &b->config, &b->err) != -EMFILE)
		return 2;
	return strstr(b->err.text, "ulimit -n") ? 0 : 3;
}

/*
 * Within a limit the buffers of all CPUs are of one size, and leave room for those of the sideband:
 * that a user's buffers are limited to perf_event_mlock_kb a CPU is what takes 1 MiB to 256 KiB
 */
static int little_memory(struct bench *b)
{
	struct rlimit limit = { 0, 0 };
	struct vsamp_sideband *sideband;
	struct vsamp_ring *ring;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		return 1;
	if (!load_fork(&b->load, MS, 0, 0))
		return 2;
	b->config.pids = &b->load.pid;
	b->config.n_pids = 1;
	if (vsamp_session_configure(b->session, &b->config, &b->err) ||
	    vsamp_session_start(b->session, &b->err))
		return 3;
	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		if (vsamp_session_ring(b->session, cpu, &ring, &b->err))
			return 4;
		if (vsamp_ring_size(ring) > 256 << 10)
			return 5;
		vsamp_ring_close(ring);
	}
	if (vsamp_sideband_open_processes(&sideband, 1 << 17, &b->load.pid, 1, true, &b->err))
		return 6;
	vsamp_sideband_close(sideband);
	return load_go(&b->load) && load_end(&b->load) ? 0 : 7;
}

/* What a plain user can do and can't, where perf_event_paranoid is 2 */
static int plain_user(struct bench *b)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    prctl(PR_SET_DUMPABLE, 1))
		return 1;
	if (vsamp_session_configure(b->session, &b->config, &b->err) != -EACCES ||
	    !strstr(b->err.text, "whole CPUs: kernel.perf_event_paranoid is 2"))
		return 2;
	if (!load_fork(&b->load, 300 * MS, 1, 0))
		return 3;
	b->config.pids = &b->load.pid;
	b->config.n_pids = 1;
	b->config.flags = VSAMP_FLAG_ON_EXEC | VSAMP_FLAG_INHERIT;
	b->event[0].kernel = true;
	if (vsamp_session_configure(b->session, &b->config, &b->err) != -EACCES ||
	    !strstr(b->err.text, "the kernel: kernel.perf_event_paranoid is 2") ||
	    !strstr(b->err.text, "cpu-clock:u"))
		return 4;
	b->event[0].kernel = false;
	if (vsamp_session_configure(b->session, &b->config, &b->err) ||
	    vsamp_session_start(b->session, &b->err) || !load_go(&b->load) || !load_end(&b->load))
		return 5;
	bench_stop(b);
	assert_load_sampled(b);
	return 0;
}

static void in_child(struct bench *b, int (*what)(struct bench *b))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		int ret = what(b);

		if (ret)
			fprintf(stderr, "%s\n", b->err.text);
		_exit(ret);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("step %d", WEXITSTATUS(status));
}

static void too_few_files(void **state)
{
	NEED_LEVEL(0);
	in_child(*state, few_files);
}

static void as_nobody(void **state)
{
	if (geteuid()) {
		print_message("skipped: only root can become nobody\n");
		skip();
	}
	if (perf_paranoid() != 2) {
		print_message("skipped: perf_event_paranoid is %d, not 2\n", perf_paranoid());
		skip();
	}
	in_child(*state, plain_user);
}

static void limited_memory(void **state)
{
	char line[32] = "";

	if (geteuid() || perf_paranoid() > 2 ||
	    !vsamp_machine_line("/proc/sys/kernel/perf_event_mlock_kb", line, sizeof(line)) ||
	    strcmp(line, "516")) {
		print_message(
			"skipped: it takes root, perf_event_paranoid 2 and perf_event_mlock_kb 516\n");
		skip();
	}
	in_child(*state, little_memory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(bad_configurations), TEST(refusals),	TEST(too_few_files),
		TEST(as_nobody),	  TEST(limited_memory),
	};

	load_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
