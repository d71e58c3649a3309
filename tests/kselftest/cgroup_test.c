// SPDX-License-Identifier: MIT
/*
 * Sessions of cgroups: who is counted, as tasks are moved and cgroups removed, and what is refused.
 * Needs the PMU, two CPUs, and the cgroup v2 tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

#include "insns.h"
#include "session.h"

#include "harness.h"

#define ROOT	     "/sys/fs/cgroup"
#define ONE	     ROOT "/one"
#define DEEP	     ONE "/deep"
#define TWO	     ROOT "/two"

#define SAV	     100000
#define STEP	     10000000 /* user instructions that a worker retires each time */
#define STEP_SAMPLES (STEP / SAV)

/* A process that does a step each time it is told to */
struct worker {
	pid_t pid;
	int go;
	int done;
};

FIXTURE(cgroup)
{
	struct client c;
	int fd;
	struct worker one, deep, two;
};

static bool worker_move(const struct worker *w, const char *folder)
{
	char path[128], pid[16];
	int fd, n = snprintf(pid, sizeof(pid), "%d", w->pid);
	bool ok;

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	fd = open(path, O_WRONLY);
	ok = fd >= 0 && write(fd, pid, n) == n;
	close(fd);
	return ok;
}

static void worker_start(struct worker *w, int cpu)
{
	int go[2], done[2];
	char c;

	if (pipe(go) || pipe(done))
		abort();
	w->pid = fork();
	if (!w->pid) {
		close(go[1]);
		pin(cpu);
		while (read(go[0], &c, 1) == 1) {
			run_instructions(STEP);
			if (write(done[1], &c, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(go[0]);
	close(done[1]);
	w->go = go[1];
	w->done = done[0];
}

static bool worker_step(const struct worker *w)
{
	char c = 0;

	return write(w->go, &c, 1) == 1 && read(w->done, &c, 1) == 1;
}

static void worker_end(struct worker *w)
{
	if (!w->pid)
		return;
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	close(w->go);
	close(w->done);
	w->pid = 0;
}

FIXTURE_SETUP(cgroup)
{
	pin(0);
	mkdir(ONE, 0755);
	mkdir(DEEP, 0755);
	mkdir(TWO, 0755);
	/* before there is a session, so that they don't hold it */
	worker_start(&self->one, 0);
	worker_start(&self->deep, 1);
	worker_start(&self->two, 0);
	ASSERT_TRUE(worker_move(&self->one, ONE));
	ASSERT_TRUE(worker_move(&self->deep, DEEP));
	ASSERT_TRUE(worker_move(&self->two, TWO));
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(cgroup)
{
	close(self->fd);
	client_close(&self->c);
	worker_end(&self->one);
	worker_end(&self->deep);
	worker_end(&self->two);
	rmdir(DEEP);
	rmdir(ONE);
	rmdir(TWO);
}

static int configure(FIXTURE_DATA(cgroup) *self, int n, const char *const *folders)
{
	struct config config = config_instructions(SAV);
	int i, ret;

	for (i = 0; i < n; i++)
		config.cgroups[i] = open(folders[i], O_RDONLY | O_DIRECTORY);
	config.n_cgroups = n;
	ret = session_configure(&self->c, self->fd, &config);
	/* the session keeps what they stand for */
	for (i = 0; i < n; i++)
		close(config.cgroups[i]);
	return ret;
}

static int start(FIXTURE_DATA(cgroup) *self, int n, const char *const *folders)
{
	int ret = configure(self, n, folders);

	return ret ? ret : session_command(&self->c, VSAMP_CMD_START, self->fd);
}

/* Each works twice; how many samples that makes */
static uint64_t work(FIXTURE_DATA(cgroup) *self)
{
	struct seen seen = {};
	int i;

	for (i = 0; i < 2; i++) {
		worker_step(&self->one);
		worker_step(&self->deep);
		worker_step(&self->two);
	}
	session_command(&self->c, VSAMP_CMD_STOP, self->fd);
	session_read(self->fd, &seen);
	return seen.samples[0];
}

TEST_F(cgroup, what_runs_in_it_and_below_is_counted)
{
	struct stats stats;

	ASSERT_EQ(0, start(self, 1, (const char *[]){ ONE }));
	EXPECT_EQ(4 * STEP_SAMPLES, work(self));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_LE(4 * STEP, stats.count[0]);
	EXPECT_GE(4 * STEP + 4000, stats.count[0]);
}

TEST_F(cgroup, what_runs_above_is_not)
{
	ASSERT_EQ(0, start(self, 1, (const char *[]){ DEEP }));
	EXPECT_EQ(2 * STEP_SAMPLES, work(self));
}

TEST_F(cgroup, several_are_counted_together)
{
	ASSERT_EQ(0, start(self, 2, (const char *[]){ DEEP, TWO }));
	EXPECT_EQ(4 * STEP_SAMPLES, work(self));
}

TEST_F(cgroup, one_below_another_is_counted_once)
{
	ASSERT_EQ(0, start(self, 3, (const char *[]){ DEEP, ONE, ONE }));
	EXPECT_EQ(4 * STEP_SAMPLES, work(self));
}

TEST_F(cgroup, the_uppermost_has_all)
{
	ASSERT_EQ(0, start(self, 1, (const char *[]){ ROOT }));
	EXPECT_LE(6 * STEP_SAMPLES, work(self));
}

TEST_F(cgroup, tasks_are_counted_while_they_are_in_it)
{
	struct seen seen = {};

	ASSERT_EQ(0, start(self, 1, (const char *[]){ ONE }));
	worker_step(&self->two);
	ASSERT_TRUE(worker_move(&self->two, ONE));
	worker_step(&self->two);
	worker_step(&self->two);
	ASSERT_TRUE(worker_move(&self->two, DEEP));
	worker_step(&self->two);
	ASSERT_TRUE(worker_move(&self->two, TWO));
	worker_step(&self->two);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	EXPECT_EQ(3 * STEP_SAMPLES, seen.samples[0]);
	EXPECT_EQ(self->two.pid, seen.last_pid);
}

TEST_F(cgroup, who_is_there_at_the_start_is_counted)
{
	struct seen seen = {};
	struct timespec second = { 1, 0 };
	char c = 0;

	/* it runs on CPU 1 all the time */
	ASSERT_EQ(0, configure(self, 1, (const char *[]){ DEEP }));
	ASSERT_EQ(1, write(self->deep.go, &c, 1));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	ASSERT_EQ(1, read(self->deep.done, &c, 1));
	nanosleep(&second, NULL);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	EXPECT_LT(0, seen.samples[0]);
	EXPECT_GE(STEP_SAMPLES, seen.samples[0]);
}

/* Cgroups that were removed but are still held by somebody */
static int dying(void)
{
	char text[512], *at;

	if (!file_read(ROOT "/cgroup.stat", text, sizeof(text)))
		return -1;
	at = strstr(text, "nr_dying_descendants ");
	return at ? atoi(at + strlen("nr_dying_descendants ")) : -1;
}

static bool dying_come_to(int n)
{
	struct timespec tenth = { 0, 100000000 };
	int i;

	for (i = 0; i < 100 && dying() != n; i++)
		nanosleep(&tenth, NULL);
	return dying() == n;
}

TEST_F(cgroup, one_that_is_removed_stays_harmless)
{
	struct seen seen = {};

	ASSERT_TRUE(dying_come_to(0)); /* those of other tests */
	ASSERT_EQ(0, start(self, 2, (const char *[]){ TWO, DEEP }));
	worker_step(&self->two);
	worker_end(&self->two);
	ASSERT_EQ(0, rmdir(TWO));
	worker_step(&self->one);
	worker_step(&self->deep);
	/* another of that name is another */
	ASSERT_EQ(0, mkdir(TWO, 0755));
	ASSERT_TRUE(worker_move(&self->one, TWO));
	worker_step(&self->one);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	EXPECT_EQ(2 * STEP_SAMPLES, seen.samples[0]);
	EXPECT_EQ(1, dying());
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(dying_come_to(0));
}

TEST_F(cgroup, what_a_configuration_held_is_given_back)
{
	ASSERT_TRUE(dying_come_to(0));
	ASSERT_EQ(0, configure(self, 2, (const char *[]){ TWO, DEEP }));
	ASSERT_EQ(0, configure(self, 1, (const char *[]){ ONE }));
	/* the second is in order, the third isn't */
	EXPECT_REFUSED(configure(self, 3, (const char *[]){ TWO, TWO, "/tmp" }), VSAMP_A_CGROUP_FD);
	worker_end(&self->two);
	ASSERT_EQ(0, rmdir(TWO));
	EXPECT_TRUE(dying_come_to(0));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

static int configure_fd(FIXTURE_DATA(cgroup) *self, int fd)
{
	struct config config = config_instructions(SAV);

	config.cgroups[0] = fd;
	config.n_cgroups = 1;
	return session_configure(&self->c, self->fd, &config);
}

TEST_F(cgroup, other_files_are_refused)
{
	static const char *const others[] = { "/dev/null", "/tmp", "/proc/self",
					      ONE "/cgroup.procs" };
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		fd = open(others[i], O_RDONLY);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EBADF, configure_fd(self, fd));
		EXPECT_EQ(VSAMP_A_CGROUP_FD, self->c.bad_attr);
		EXPECT_STREQ("not a folder of the cgroup v2 tree", self->c.text);
		close(fd);
	}
	EXPECT_EQ(-EBADF, configure_fd(self, self->fd));
	EXPECT_EQ(-EBADF, configure_fd(self, 999));
	EXPECT_EQ(VSAMP_A_CGROUP_FD, self->c.bad_attr);
	EXPECT_REFUSED(configure_fd(self, -1), VSAMP_A_CGROUP_FD);
}

TEST_F(cgroup, those_of_version_1_are_refused)
{
	int fd;

	mkdir("/tmp/v1", 0755);
	ASSERT_EQ(0, mount("cgroup", "/tmp/v1", "cgroup", 0, "none,name=v1"));
	fd = open("/tmp/v1", O_RDONLY | O_DIRECTORY);
	EXPECT_EQ(-EBADF, configure_fd(self, fd));
	EXPECT_EQ(VSAMP_A_CGROUP_FD, self->c.bad_attr);
	close(fd);
	umount("/tmp/v1");
}

TEST_F(cgroup, one_that_was_removed_is_refused)
{
	int fd = open(TWO, O_RDONLY | O_DIRECTORY);

	worker_end(&self->two);
	ASSERT_EQ(0, rmdir(TWO));
	EXPECT_REFUSED(configure_fd(self, fd), VSAMP_A_CGROUP_FD);
	close(fd);
}

TEST_F(cgroup, there_is_a_limit_to_their_number)
{
	struct config config = config_instructions(SAV);
	int i, fd = open(ONE, O_RDONLY | O_DIRECTORY);

	for (i = 0; i <= VSAMP_CGROUPS_MAX; i++)
		config.cgroups[i] = fd;
	config.n_cgroups = VSAMP_CGROUPS_MAX + 1;
	EXPECT_EQ(-E2BIG, session_configure(&self->c, self->fd, &config));
	EXPECT_EQ(VSAMP_A_CGROUP_FD, self->c.bad_attr);
	config.n_cgroups = VSAMP_CGROUPS_MAX;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	close(fd);
}

TEST_F(cgroup, processes_beside_them_are_refused)
{
	struct config config = config_instructions(SAV);

	config.cgroups[0] = open(ONE, O_RDONLY | O_DIRECTORY);
	config.n_cgroups = 1;
	config.pids[0] = getpid();
	config.n_pids = 1;
	EXPECT_EQ(-EINVAL, session_configure(&self->c, self->fd, &config));
	EXPECT_EQ(VSAMP_A_CGROUP_FD, self->c.bad_attr);
	config.n_pids = 0;
	config.flags = VSAMP_FLAG_INHERIT;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_FLAGS);
	config.flags = VSAMP_FLAG_ON_EXEC;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_FLAGS);
	close(config.cgroups[0]);
}

TEST_F(cgroup, kperf_refuses_them)
{
	struct config config = {
		.backend = VSAMP_BACKEND_KPERF,
		.n_events = 1,
		.events[0] = { .perf = true, .sav = SAV, .flags = VSAMP_EVENT_USER },
	};

	config.cgroups[0] = open(ONE, O_RDONLY | O_DIRECTORY);
	config.n_cgroups = 1;
	EXPECT_EQ(-EOPNOTSUPP, session_configure(&self->c, self->fd, &config));
	EXPECT_EQ(VSAMP_A_CGROUP_FD, self->c.bad_attr);
	EXPECT_STREQ("kperf can't follow a cgroup; -b perf can", self->c.text);
	close(config.cgroups[0]);
}

TEST_HARNESS_MAIN
