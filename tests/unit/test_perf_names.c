// SPDX-License-Identifier: MIT
/*
 * From a launched program to a report, without module, PMU and root: its samples are named by what
 * the sideband of its processes tells
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>
#include <json-c/json.h>

#include <vsamp/profile.h>
#include <vsamp/recorder.h>
#include <vsamp/recording.h>

#include <perf_open.h>

#include "mkfile.h"
#include "perf_load.h"

#define MS     1000000ULL
#define NOBODY 65534

#define META_PERF                                                                           \
	"{\"version\":1,\"boot_id\":\"b\",\"clock\":{\"source\":\"monotonic-raw\",\"khz\":" \
	"1000000},\"events\":[{\"index\":0,\"name\":\"cpu-clock\",\"sav\":1000000}]}"

struct bench {
	struct vsamp_session *session;
	struct vsamp_sideband *sideband;
	struct vsamp_recorder *recorder;
	struct vsamp_writer *w;
	struct load load;
	struct vsamp_error err;
};

static bool begin(struct bench *b, const char *path)
{
	struct vsamp_event event = {
		.name = "cpu-clock",
		.perf_type = PERF_TYPE_SOFTWARE,
		.perf_config = PERF_COUNT_SW_CPU_CLOCK,
		.user = true,
		.sav = MS,
	};
	struct vsamp_config config = {
		.events = &event,
		.n_events = 1,
		.pids = &b->load.pid,
		.n_pids = 1,
		.flags = VSAMP_FLAG_INHERIT | VSAMP_FLAG_ON_EXEC,
	};

	b->w = mk_open_meta(path, META_PERF);
	return load_fork(&b->load, 400 * MS, 2, 0) &&
	       !vsamp_session_open(&b->session, VSAMP_BACKEND_PERF, &b->err) &&
	       !vsamp_session_configure(b->session, &config, &b->err) &&
	       !vsamp_sideband_open_processes(&b->sideband, 1 << 16, &b->load.pid, 1, true,
					      &b->err) &&
	       !vsamp_sideband_synthesize(b->w, b->load.pid, &b->err) &&
	       !vsamp_session_start(b->session, &b->err) &&
	       !vsamp_recorder_open(&b->recorder, b->session, b->sideband, b->w, &b->err);
}

static bool record(struct bench *b, struct vsamp_recorder_totals *totals)
{
	enum vsamp_recorder_why why;
	int pidfd = syscall(SYS_pidfd_open, b->load.pid, 0);
	bool ok;

	ok = load_go(&b->load) && !vsamp_recorder_run(b->recorder, pidfd, 0, &why, &b->err) &&
	     load_end(&b->load) && !vsamp_session_stop(b->session, &b->err) &&
	     !vsamp_recorder_finish(b->recorder, totals, &b->err) && why == VSAMP_RECORDER_WAKE;
	close(pidfd);
	vsamp_recorder_close(b->recorder);
	vsamp_sideband_close(b->sideband);
	vsamp_session_close(b->session);
	mk_close(b->w);
	return ok;
}

/* Samples of the load's loop, in its file and in its 3 processes, which all have its name */
static int check(struct bench *b, const char *path, const struct vsamp_recorder_totals *totals)
{
	struct vsamp_profile_row *rows;
	struct vsamp_recording *rec;
	struct vsamp_profile *profile;
	char self[4096] = "";
	uint64_t loop = 0, all = 0;
	unsigned int processes = 0;
	size_t n;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    vsamp_recording_open(&rec, path, &b->err) ||
	    vsamp_profile_new(&profile, rec, NULL, &b->err) ||
	    vsamp_profile_rows(profile, VSAMP_BY_PROCESS | VSAMP_BY_MODULE | VSAMP_BY_SYMBOL, 0,
			       &rows, &n, &b->err))
		return 10;
	for (size_t i = 0; i < n; i++) {
		all += rows[i].samples[0];
		if (strcmp(rows[i].symbol, "load_loop") || strcmp(rows[i].module, self))
			continue;
		loop += rows[i].samples[0];
		/* "exe", of /proc/self/exe, is what was executed */
		processes += !strcmp(rows[i].comm, "exe") && rows[i].samples[0] > 250;
	}
	free(rows);
	vsamp_profile_free(profile);
	vsamp_recording_close(rec);
	if (all != totals->samples[0])
		return 11;
	if (loop * 100 < all * 95 || all < 1000)
		return 12;
	return processes == 3 ? 0 : 13;
}

static int record_and_check(struct bench *b, const char *path)
{
	struct vsamp_recorder_totals totals = { 0 };
	int ret;

	if (!begin(b, path))
		return 1;
	if (!record(b, &totals))
		return 2;
	if (totals.produced != totals.read || totals.lost || totals.sideband_lost)
		return 3;
	ret = check(b, path, &totals);
	vsamp_recorder_totals_free(&totals);
	return ret;
}

static int as_who(uid_t uid, const char *path)
{
	struct bench b = { 0 };
	int ret;

	if (uid != geteuid() &&
	    (setresgid(uid, uid, uid) || setresuid(uid, uid, uid) || prctl(PR_SET_DUMPABLE, 1)))
		return 20;
	ret = record_and_check(&b, path);
	if (ret)
		fprintf(stderr, "%s\n", b.err.text);
	return ret;
}

static void in_child(uid_t uid)
{
	char folder[] = "/tmp/test-perf.XXXXXX", path[64];
	int status;
	pid_t pid;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 01777), 0);
	snprintf(path, sizeof(path), "%s/names.vsamp", folder);
	pid = fork();
	if (!pid)
		_exit(as_who(uid, path));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	unlink(path);
	rmdir(folder);
	if (status)
		fail_msg("step %d", WEXITSTATUS(status));
}

static void as_caller(void **state)
{
	if (geteuid() && perf_paranoid() > 2) {
		print_message("skipped: perf_event_paranoid is %d, above 2\n", perf_paranoid());
		skip();
	}
	in_child(geteuid());
}

static void as_nobody(void **state)
{
	if (geteuid() || perf_paranoid() > 2) {
		print_message("skipped: to become nobody takes root, and perf_event_paranoid 2\n");
		skip();
	}
	in_child(NOBODY);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_caller),
		cmocka_unit_test(as_nobody),
	};

	load_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
