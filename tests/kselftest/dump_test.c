// SPDX-License-Identifier: MIT
/*
 * A statistics dump of so many CPUs that it takes several reads, so that another than who asked for it
 * can be the one that continues it. Needs the PMU and 16 CPUs.
 */
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>

#include "session.h"

#include "harness.h"

FIXTURE(dump)
{
	struct client c;
	struct config config;
	int fd;
};

FIXTURE_SETUP(dump)
{
	int i;

	ASSERT_EQ(16, cpus_online());
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	/* as long as a message can be: all events there can be, in sets of all counters, with times */
	self->config.mux_ms = 10;
	self->config.n_events = VSAMP_EVENTS_MAX;
	for (i = 0; i < VSAMP_EVENTS_MAX; i++) {
		int n = i % 11;

		self->config.events[i] = (struct event){
			.config = CONFIG_INSTRUCTIONS,
			.counter = n < 8 ? n : VSAMP_COUNTER_FIXED + n - 8,
			.flags = VSAMP_EVENT_USER,
			.set = i / 11,
		};
	}
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

FIXTURE_TEARDOWN(dump)
{
	close(self->fd);
	client_close(&self->c);
}

/*
 * Send the dump's request. The kernel has then made the first message; each read makes the next, in the
 * process that reads.
 */
static int dump_begin(FIXTURE_DATA(dump) *self)
{
	struct nl_msg *msg = session_request(&self->c, VSAMP_CMD_STATS_GET, self->fd);

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_DUMP;
	return client_send(&self->c, msg);
}

TEST_F(dump, takes_several_reads)
{
	struct nlmsghdr h[1024];
	int n, messages = 0;

	ASSERT_EQ(0, dump_begin(self));
	n = recv(nl_socket_get_fd(self->c.sock), h, sizeof(h), 0);
	for (struct nlmsghdr *m = h; NLMSG_OK(m, (unsigned int)n); m = NLMSG_NEXT(m, n))
		messages++;
	EXPECT_LE(1, messages);
	EXPECT_GE(15, messages);
}

TEST_F(dump, has_every_cpu_once)
{
	struct stats stats;
	int i;

	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(16, stats.cpus);
	for (i = 0; i < 16; i++) {
		EXPECT_TRUE(stats.cpu[i].present);
		EXPECT_LT(0, stats.cpu[i].enabled[VSAMP_EVENTS_MAX - 1]);
	}
}

TEST_F(dump, is_continued_by_a_process_without_the_file)
{
	int status;
	pid_t child;

	ASSERT_EQ(0, dump_begin(self));
	child = fork();
	if (!child) {
		struct stats stats = {};
		int ret;

		/* a different file stands at the session's number here */
		dup2(STDIN_FILENO, self->fd);
		ret = client_receive(&self->c, take_stats, &stats);
		_exit(ret ? 200 : stats.cpus);
	}
	waitpid(child, &status, 0);
	EXPECT_EQ(16, WEXITSTATUS(status));
}

TEST_F(dump, holds_the_session_until_it_is_done)
{
	struct stats stats = {};
	int second;

	ASSERT_EQ(0, dump_begin(self));
	close(self->fd);
	second = session_open();
	ASSERT_LE(0, second);
	EXPECT_EQ(0, client_receive(&self->c, take_stats, &stats));
	EXPECT_EQ(16, stats.cpus);
	/* and no longer */
	ASSERT_EQ(0, session_configure(&self->c, second, &self->config));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, second));
	self->fd = second;
}

TEST_F(dump, lets_go_when_it_is_given_up)
{
	int second, i, ret = -EBUSY;

	ASSERT_EQ(0, dump_begin(self));
	close(self->fd);
	client_close(&self->c);
	ASSERT_EQ(0, client_open(&self->c));
	second = session_open();
	ASSERT_LE(0, second);
	ASSERT_EQ(0, session_configure(&self->c, second, &self->config));
	/* the socket's end is worked off after its close */
	for (i = 0; i < 50 && ret == -EBUSY; i++) {
		ret = session_command(&self->c, VSAMP_CMD_START, second);
		usleep(20000);
	}
	EXPECT_EQ(0, ret);
	self->fd = second;
}

TEST_HARNESS_MAIN
