// SPDX-License-Identifier: MIT
/*
 * collector_pause.c: pauses, of the process or of the whole recording
 *
 * Whose they are is the recorder's to say: where it takes pauses of all, a socket is in the folder.
 * Connecting to it is the call, and once that is closed the recording is paused, or goes on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector.h"

#define WAIT_NS 1000000000ULL /* at most, for a recorder that is busy, or stopped */

/* Of the process; a forked child goes on with it */
static bool paused;

/* That of the kernel's choice would tell nothing. No two are the same, as it takes time. */
static int address_bind(int fd, char what)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%c-vsamp-%lx-%llx",
			 what, syscall(SYS_gettid), (unsigned long long)ticks());

	return bind(fd, (struct sockaddr *)&address,
		    offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* What is left of the time; false: nothing. Each signal begins a wait anew. */
static bool wait_set(int fd, int option, uint64_t end)
{
	uint64_t now = now_ns();
	struct timeval left = { 0 };

	if (now >= end)
		return false;
	left.tv_sec = (end - now) / 1000000000;
	left.tv_usec = (end - now) % 1000000000 / 1000;
	if (!left.tv_sec && !left.tv_usec)
		left.tv_usec = 1; /* none is for ever */
	return !setsockopt(fd, SOL_SOCKET, option, &left, sizeof(left));
}

/* Nobody else's: whoever may make files in the folder could hold all programs */
static bool recorder_listens(const char *path)
{
	struct stat dir, st;

	return !stat(path, &st) && S_ISSOCK(st.st_mode) && !stat(process.dir, &dir) &&
	       (!st.st_uid || st.st_uid == dir.st_uid || st.st_uid == geteuid());
}

static bool recorder_connect(int fd, char what, uint64_t end)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int ret;

	if ((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s/" SPOOL_PAUSES,
			     process.dir) >= sizeof(address.sun_path))
		return false;
	if (!recorder_listens(address.sun_path) || address_bind(fd, what))
		return false;
	do
		ret = wait_set(fd, SO_SNDTIMEO, end) ?
			      connect(fd, (struct sockaddr *)&address, sizeof(address)) :
			      1;
	while (ret < 0 && errno == EINTR);
	return !ret;
}

/* Whether the recording is paused, or goes on, by this; false: it is the process's own affair */
static bool recorder_ask(char what)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint64_t end = now_ns() + WAIT_NS;
	bool asked = fd >= 0 && recorder_connect(fd, what, end);
	char none;

	while (asked && wait_set(fd, SO_RCVTIMEO, end) && recv(fd, &none, 1, 0) < 0 &&
	       errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
	return asked;
}

static void change(bool pause, uint32_t scope)
{
	int code = errno;

	if (process.on && scope != VSAMP_ITT_PAUSE_OFFLOAD) {
		if (recorder_ask(pause ? SPOOL_PAUSE : SPOOL_RESUME))
			scope = VSAMP_ITT_PAUSE_SESSION;
		else
			__atomic_store_n(&paused, pause, __ATOMIC_RELAXED);
	}
	stream_put(pause ? VSAMP_ITT_PAUSE : VSAMP_ITT_RESUME, 0, scope, NULL, 0);
	errno = code;
}

static void pause_scoped(__itt_collection_scope scope)
{
	change(true, scope);
}

static void resume_scoped(__itt_collection_scope scope)
{
	change(false, scope);
}

static void pause_all(void)
{
	change(true, __itt_collection_scope_all);
}

static void resume_all(void)
{
	change(false, __itt_collection_scope_all);
}

void pause_begin(void)
{
	paused = secure_getenv("VSAMP_ITT_PAUSED") != NULL;
}

void pause_tell(void)
{
	static uint64_t told; /* of the process that began then */

	if (told == process.start)
		return;
	told = process.start;
	if (__atomic_load_n(&paused, __ATOMIC_RELAXED))
		stream_put(VSAMP_ITT_PAUSE, 0, VSAMP_ITT_PAUSE_START, NULL, 0);
}

const struct binding bindings_pause[] = {
	{ "pause", (void *)pause_all },
	{ "resume", (void *)resume_all },
	{ "pause_scoped", (void *)pause_scoped },
	{ "resume_scoped", (void *)resume_scoped },
	{ 0 },
};
