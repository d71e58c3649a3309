// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"
#include "say.h"
#include "tree.h"

struct identity {
	bool change;
	uid_t uid;
	gid_t gid;
	char name[64]; /* "" = there is none */
	char home[256];
};

static int identity_of(struct identity *id, const struct passwd *pw)
{
	id->change = true;
	id->uid = pw->pw_uid;
	id->gid = pw->pw_gid;
	snprintf(id->name, sizeof(id->name), "%s", pw->pw_name);
	snprintf(id->home, sizeof(id->home), "%s", pw->pw_dir);
	return 0;
}

static int identity_named(struct identity *id, const char *user, struct vsamp_error *err)
{
	const struct passwd *pw = getpwnam(user);

	if (!pw)
		return vsamp_fail(err, -EINVAL, "--user: there is no user '%s'", user);
	if (pw->pw_uid == geteuid())
		return 0;
	if (geteuid())
		return vsamp_fail(err, -EPERM,
				  "--user: only root can launch a command as another user");
	return identity_of(id, pw);
}

/* A number in an environment variable that sudo sets */
static bool sudo_number(const char *name, unsigned long *number)
{
	const char *text = getenv(name);
	char *end;

	if (!text || !*text)
		return false;
	*number = strtoul(text, &end, 10);
	return !*end && *number < UINT32_MAX;
}

static int identity_find(struct identity *id, const char *user, struct vsamp_error *err)
{
	unsigned long uid, gid;
	const struct passwd *pw;

	*id = (struct identity){ 0 };
	if (user)
		return identity_named(id, user, err);
	if (geteuid() || !sudo_number("SUDO_UID", &uid) || !sudo_number("SUDO_GID", &gid) || !uid)
		return 0;
	pw = getpwuid(uid);
	if (pw)
		return identity_of(id, pw);
	*id = (struct identity){ .change = true, .uid = uid, .gid = gid };
	return 0;
}

static int identity_take(const struct identity *id)
{
	if (!id->change)
		return 0;
	if (id->name[0] ? initgroups(id->name, id->gid) : setgroups(1, &id->gid))
		return -1;
	if (setresgid(id->gid, id->gid, id->gid) || setresuid(id->uid, id->uid, id->uid))
		return -1;
	if (!id->name[0])
		return 0;
	return setenv("USER", id->name, 1) || setenv("LOGNAME", id->name, 1) ||
	       setenv("HOME", id->home, 1);
}

static void __attribute__((noreturn))
launch_child(int go, int failed, char *const *argv, const struct identity *id)
{
	sigset_t none;
	char byte;
	int code;

	/* Nobody says go: the recorder is gone, or gave up */
	if (read(go, &byte, 1) != 1)
		_exit(EXIT_NOT_FOUND);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!identity_take(id))
		execvp(argv[0], argv);
	code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		code = EIO;
	_exit(code == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

int launch_fork(struct launch *l, char *const *argv, const char *user, struct vsamp_error *err)
{
	struct identity id;
	int go[2], failed[2];
	int ret = identity_find(&id, user, err);

	*l = (struct launch){ .go = -1, .failed = -1 };
	if (ret)
		return ret;
	if (pipe2(go, O_CLOEXEC))
		return vsamp_fail(err, -errno, "pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		ret = vsamp_fail(err, -errno, "pipe: %s", strerror(errno));
		goto err_go;
	}
	tree_adopt();
	l->pid = fork();
	if (!l->pid) {
		close(go[1]);
		close(failed[0]);
		launch_child(go[0], failed[1], argv, &id);
	}
	if (l->pid < 0) {
		l->pid = 0;
		ret = vsamp_fail(err, -errno, "%s can't be launched: %s", argv[0], strerror(errno));
		goto err_failed;
	}
	close(go[0]);
	close(failed[1]);
	l->go = go[1];
	l->failed = failed[0];
	return 0;

err_failed:
	close(failed[0]);
	close(failed[1]);
err_go:
	close(go[0]);
	close(go[1]);
	return ret;
}

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int launch_go(struct launch *l, char *const *argv, int *exit_code, struct vsamp_error *err)
{
	int code = 0;
	ssize_t n;

	if (write(l->go, "g", 1) != 1)
		code = ESRCH;
	fd_close(&l->go);
	/* Closed by a successful exec */
	do
		n = read(l->failed, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	fd_close(&l->failed);
	if (!code)
		return 0;
	*exit_code = code == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	return vsamp_fail(err, -code, "%s: %s", argv[0],
			  code == ENOENT ? "command not found" : strerror(code));
}

bool launch_ended(struct launch *l)
{
	pid_t pid;
	int status;

	/* Also the orphans that came to us, which nobody waits for */
	while (l->pid && (pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != l->pid)
			continue;
		l->ended = true;
		l->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	return l->pid && l->ended;
}

void launch_close(struct launch *l, bool end)
{
	unsigned int left;

	if (!l->pid)
		return;
	fd_close(&l->go);
	fd_close(&l->failed);
	left = end ? tree_end() : 0;
	if (left)
		say("%u processes that the command started still run: they may not be ended, as they run as another user",
		    left);
	l->pid = 0;
}
