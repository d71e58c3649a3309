// SPDX-License-Identifier: MIT
/* Who may do what: capabilities, namespaces, and files passed from one process to another */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "session.h"

#include "harness.h"

#define USER 1000

/* Become a plain user that keeps the capabilities in @caps (a mask) */
static void become_user(uint64_t caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .permitted = caps, .effective = caps },
		{ .permitted = caps >> 32, .effective = caps >> 32 },
	};

	prctl(PR_SET_KEEPCAPS, 1);
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER) ||
	    syscall(SYS_capset, &head, data))
		abort();
}

/* What fn returns in a child; the test goes on when that has ended */
static int in_child(int (*fn)(void *), void *arg)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(-fn(arg));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -1000;
}

/* Open, configure, sample some and stop; 0 or the first refusal */
static int record(void)
{
	struct config config = config_instructions(100000);
	struct seen seen = {};
	struct client c;
	int fd, ret;

	fd = session_open();
	if (fd < 0)
		return fd;
	config.pids[0] = getpid();
	config.n_pids = 1;
	ret = client_open(&c)				 ?:
		      session_configure(&c, fd, &config) ?:
							   session_command(&c, VSAMP_CMD_START, fd);
	if (ret)
		return ret;
	run_instructions(10000000);
	ret = session_command(&c, VSAMP_CMD_STOP, fd);
	session_read(fd, &seen);
	client_close(&c);
	close(fd);
	return ret ?: seen.samples[0] >= 100 && seen.samples[0] <= 103 ? 0 : -ENODATA;
}

static int record_with(void *caps)
{
	become_user(*(uint64_t *)caps);
	return record();
}

FIXTURE(access)
{
	struct client c;
	int fd;
};

FIXTURE_SETUP(access)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(access)
{
	chmod(VSAMP_DEVICE, 0600);
	close(self->fd);
	client_close(&self->c);
}

TEST_F(access, the_device_is_root_s_alone)
{
	struct stat st;

	ASSERT_EQ(0, stat(VSAMP_DEVICE, &st));
	EXPECT_EQ(S_IFCHR | 0600, st.st_mode);
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(0, st.st_gid);
}

TEST_F(access, a_plain_user_is_refused_also_by_the_module)
{
	uint64_t none = 0;

	EXPECT_EQ(-EACCES, in_child(record_with, &none));
	ASSERT_EQ(0, chmod(VSAMP_DEVICE, 0666));
	EXPECT_EQ(-EACCES, in_child(record_with, &none));
}

TEST_F(access, cap_perfmon_alone_is_enough)
{
	uint64_t caps = 1ULL << CAP_PERFMON;

	ASSERT_EQ(0, chmod(VSAMP_DEVICE, 0666));
	EXPECT_EQ(0, in_child(record_with, &caps));
}

TEST_F(access, cap_sys_admin_alone_is_enough)
{
	uint64_t caps = 1ULL << CAP_SYS_ADMIN;

	ASSERT_EQ(0, chmod(VSAMP_DEVICE, 0666));
	EXPECT_EQ(0, in_child(record_with, &caps));
}

TEST_F(access, all_other_capabilities_together_are_not)
{
	uint64_t caps = ((2ULL << CAP_LAST_CAP) - 1) &
			~(1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN);

	ASSERT_EQ(0, chmod(VSAMP_DEVICE, 0666));
	EXPECT_EQ(-EACCES, in_child(record_with, &caps));
}

static int record_in_user_namespace(void *arg)
{
	become_user(0);
	return unshare(CLONE_NEWUSER) ? -1000 : record();
}

TEST_F(access, root_of_a_user_namespace_is_a_plain_user)
{
	FILE *f = fopen("/proc/sys/kernel/unprivileged_userns_clone", "w");

	if (f) {
		fputs("1", f);
		fclose(f);
	}
	ASSERT_EQ(0, chmod(VSAMP_DEVICE, 0666));
	EXPECT_EQ(-EACCES, in_child(record_in_user_namespace, NULL));
}

static int open_in_pid_namespace(void *arg)
{
	pid_t child;
	int status;

	if (unshare(CLONE_NEWPID))
		return -1000;
	child = fork();
	if (!child)
		_exit(-session_open());
	waitpid(child, &status, 0);
	return -WEXITSTATUS(status);
}

TEST_F(access, another_pid_namespace_is_refused)
{
	EXPECT_EQ(-EXDEV, in_child(open_in_pid_namespace, NULL));
}

static int configure_in_pid_namespace(void *arg)
{
	struct config config = config_instructions(100000);
	struct client c;
	pid_t child;
	int status;

	if (unshare(CLONE_NEWPID))
		return -1000;
	child = fork();
	if (!child) {
		config.pids[0] = getpid();
		config.n_pids = 1;
		_exit(client_open(&c) ? 255 : -session_configure(&c, *(int *)arg, &config));
	}
	waitpid(child, &status, 0);
	return -WEXITSTATUS(status);
}

TEST_F(access, pids_of_another_namespace_are_refused)
{
	EXPECT_EQ(-EXDEV, in_child(configure_in_pid_namespace, &self->fd));
}

static int record_in_net_namespace(void *arg)
{
	return unshare(CLONE_NEWNET) ? -1000 : record();
}

TEST_F(access, another_network_namespace_is_none_the_worse)
{
	EXPECT_EQ(0, in_child(record_in_net_namespace, NULL));
}

struct passed {
	int fd, cmd;
};

static int command_as_user(void *arg)
{
	struct passed *p = arg;
	struct stats stats;
	struct client c;
	int ret;

	become_user(0);
	ret = client_open(&c);
	if (ret)
		return -1000;
	return p->cmd == VSAMP_CMD_STATS_GET ? session_stats(&c, p->fd, &stats) :
					       session_command(&c, p->cmd, p->fd);
}

TEST_F(access, the_file_alone_allows_all_but_configuring)
{
	struct config config = config_instructions(100000);
	static const int cmds[] = { VSAMP_CMD_STATS_GET, VSAMP_CMD_START,     VSAMP_CMD_PAUSE,
				    VSAMP_CMD_RESUME,	 VSAMP_CMD_STATS_GET, VSAMP_CMD_STOP };
	unsigned int i;

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		struct passed p = { self->fd, cmds[i] };

		EXPECT_EQ(0, in_child(command_as_user, &p))
		{
			TH_LOG("command %d", cmds[i]);
		}
	}
}

static int configure_as_user(void *arg)
{
	struct config config = config_instructions(100000);
	struct client c;

	become_user(0);
	if (client_open(&c))
		return -1000;
	return session_configure(&c, *(int *)arg, &config);
}

TEST_F(access, configuring_needs_the_capability)
{
	int ret = in_child(configure_as_user, &self->fd);

	EXPECT_TRUE(ret == -EPERM || ret == -EACCES)
	{
		TH_LOG("%d", ret);
	}
}

/* Root that was talked into sending by a socket of somebody else's */
static int configure_by_users_socket(void *arg)
{
	struct config config = config_instructions(100000);
	struct nl_msg *msg;
	struct client c;

	if (seteuid(USER) || client_open(&c) || seteuid(0))
		return -1000;
	msg = session_request(&c, VSAMP_CMD_CONFIGURE, *(int *)arg);
	put_config(msg, &config);
	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	nl_complete_msg(c.sock, msg);
	/* without an address, as write() would: naming one is taken for knowing what one does */
	if (send(nl_socket_get_fd(c.sock), nlmsg_hdr(msg), nlmsg_hdr(msg)->nlmsg_len, 0) < 0)
		return -1000;
	return client_receive(&c, NULL, NULL);
}

TEST_F(access, a_socket_is_worth_what_its_opener_was)
{
	int ret = in_child(configure_by_users_socket, &self->fd);

	EXPECT_TRUE(ret == -EPERM || ret == -EACCES)
	{
		TH_LOG("%d", ret);
	}
}

TEST_F(access, only_a_session_s_own_file_will_do)
{
	static const char *const paths[] = { "/dev/null", "/proc/self/status", "/tmp" };
	unsigned int i;
	int fd, pair[2], ret;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		fd = open(paths[i], O_RDONLY);
		ASSERT_LE(0, fd);
		EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, fd), VSAMP_A_SESSION_FD);
		close(fd);
	}
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, pair[0]), VSAMP_A_SESSION_FD);
	close(pair[1]);
	/* numbers that are no open file */
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, pair[1]), VSAMP_A_SESSION_FD);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, -1), VSAMP_A_SESSION_FD);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, 1 << 30), VSAMP_A_SESSION_FD);
	/* a path to the device is not a session */
	fd = open(VSAMP_DEVICE, O_PATH);
	ASSERT_LE(0, fd);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, fd), VSAMP_A_SESSION_FD);
	ret = in_child(command_as_user, &(struct passed){ pair[0], VSAMP_CMD_STATS_GET });
	EXPECT_GT(0, ret);
}

TEST_F(access, a_number_means_the_caller_s_file_not_another_s)
{
	struct config config = config_instructions(100000);
	int child, status;

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	child = fork();
	if (!child) {
		struct client c;

		/* the parent's number, closed here */
		close(self->fd);
		if (client_open(&c))
			_exit(200);
		_exit(-session_command(&c, VSAMP_CMD_START, self->fd));
	}
	waitpid(child, &status, 0);
	EXPECT_EQ(EBADF, WEXITSTATUS(status));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

static void send_fd(int sock, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = {};
	struct iovec iov = { "x", 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = u.buf,
			    .msg_controllen = sizeof(u.buf) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(int));
	if (sendmsg(sock, &m, 0) != 1)
		abort();
}

static int receive_fd(int sock)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = {};
	char c;
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = u.buf,
			    .msg_controllen = sizeof(u.buf) };
	int fd;

	if (recvmsg(sock, &m, 0) != 1 || !CMSG_FIRSTHDR(&m))
		abort();
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	return fd;
}

TEST_F(access, a_passed_file_is_the_same_session)
{
	struct config config = config_instructions(100000);
	struct stats stats;
	int pair[2], child, status;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	child = fork();
	if (!child) {
		struct client c;

		close(self->fd);
		if (client_open(&c))
			_exit(200);
		_exit(-session_command(&c, VSAMP_CMD_STOP, receive_fd(pair[1])));
	}
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	send_fd(pair[0], self->fd);
	waitpid(child, &status, 0);
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(VSAMP_SESSION_ENDED, stats.state);
}

TEST_F(access, a_fork_that_inherits_the_file_keeps_the_session)
{
	struct config config = config_instructions(100000);
	int go[2], second, child, status;

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		struct stats stats;
		struct client c;
		char x;

		close(go[1]);
		if (read(go[0], &x, 1) < 0 || client_open(&c) ||
		    session_stats(&c, self->fd, &stats))
			_exit(200);
		_exit(stats.state);
	}
	/* the child's is the last reference now */
	close(self->fd);
	second = session_open();
	ASSERT_LE(0, second);
	ASSERT_EQ(0, session_configure(&self->c, second, &config));
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, second));
	close(go[1]);
	waitpid(child, &status, 0);
	EXPECT_EQ(VSAMP_SESSION_RUNNING, WEXITSTATUS(status));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, second));
	self->fd = second;
}

TEST_HARNESS_MAIN
