// SPDX-License-Identifier: MIT
/* itt_pauses.c: a socket to which collectors connect for a pause of all, or its end, in their order */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <vsamp/itt_pauses.h>
#include <vsamp/itt_record.h>

#include "itt/spool.h"

#define AT_ONCE 64 /* calls that are taken before something else has its turn */

struct vsamp_itt_pauses {
	int fd;
	struct sockaddr_un address;
	int clock;
	bool paused;
	uint64_t resumes;
};

static int socket_listen(struct vsamp_itt_pauses *p, const char *dir, struct vsamp_error *err)
{
	char *path = p->address.sun_path;
	mode_t mask;
	int ret;

	p->address.sun_family = AF_UNIX;
	if ((size_t)snprintf(path, sizeof(p->address.sun_path), "%s/" SPOOL_PAUSES, dir) >=
	    sizeof(p->address.sun_path))
		return vsamp_fail(err, -ENAMETOOLONG,
				  "%s: this folder's name is too long for a socket in it", dir);
	unlink(path); /* of a recorder that was killed */
	p->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* Who may make files in the folder may ask, or put something else there once it is bound */
	mask = umask(0111);
	ret = bind(p->fd, (struct sockaddr *)&p->address, sizeof(p->address));
	umask(mask);
	if (ret || listen(p->fd, SOMAXCONN))
		return vsamp_fail(err, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

int vsamp_itt_pauses_open(struct vsamp_itt_pauses **pauses, const char *dir, int clock, bool paused,
			  struct vsamp_error *err)
{
	struct vsamp_itt_pauses *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	p->fd = -1;
	p->clock = clock;
	p->paused = paused;
	ret = socket_listen(p, dir, err);
	if (ret)
		vsamp_itt_pauses_close(p);
	else
		*pauses = p;
	return ret;
}

int vsamp_itt_pauses_fd(const struct vsamp_itt_pauses *p)
{
	return p->fd;
}

bool vsamp_itt_pauses_paused(const struct vsamp_itt_pauses *p)
{
	return p->paused;
}

uint64_t vsamp_itt_pauses_resumes(const struct vsamp_itt_pauses *p)
{
	return p->resumes;
}

static uint64_t session_now(int clock)
{
	struct timespec t;

	if (clock == VSAMP_CLOCK_TSC)
		return spool_tsc();
	clock_gettime(clock == VSAMP_CLOCK_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static int tell(const struct vsamp_itt_pauses *p, struct vsamp_writer *w, bool pause,
		struct vsamp_error *err)
{
	static const struct vsamp_itt_thread recorder;
	const struct vsamp_itt_header record = {
		.time = session_now(p->clock),
		.type = pause ? VSAMP_ITT_PAUSE : VSAMP_ITT_RESUME,
		.size = sizeof(record),
		.handle = VSAMP_ITT_PAUSE_ALL,
	};

	return vsamp_writer_itt(w, &recorder, &record, sizeof(record), err);
}

int vsamp_itt_pauses_start(const struct vsamp_itt_pauses *p, struct vsamp_writer *w,
			   struct vsamp_error *err)
{
	return tell(p, w, p->paused, err);
}

/* A session that has ended by itself, which is found out elsewhere, isn't paused any more */
static int session_change(struct vsamp_session *session, bool pause, struct vsamp_error *err)
{
	int ret = !session ? 0 :
		  pause	   ? vsamp_session_pause(session, err) :
			     vsamp_session_resume(session, err);

	return ret == -EBADFD ? 0 : ret;
}

/* What is told to be in the pause is in it on all CPUs */
static int change(struct vsamp_itt_pauses *p, struct vsamp_session *session, bool pause,
		  struct vsamp_writer *w, struct vsamp_error *err)
{
	int ret = 0;

	if (pause == p->paused)
		return 0;
	p->paused = pause;
	if (pause)
		ret = session_change(session, pause, err);
	if (!ret)
		ret = tell(p, w, pause, err);
	if (!ret && !pause)
		ret = session_change(session, pause, err);
	return ret;
}

int vsamp_itt_pauses_take(struct vsamp_itt_pauses *p, struct vsamp_session *session,
			  struct vsamp_writer *w, struct vsamp_error *err)
{
	int ret = 0;

	for (int n = 0; n < AT_ONCE && !ret; n++) {
		struct sockaddr_un from = { 0 };
		socklen_t length = sizeof(from);
		int fd = accept4(p->fd, (struct sockaddr *)&from, &length, SOCK_CLOEXEC);
		char what = from.sun_path[1];

		if (fd < 0)
			break;
		p->resumes += what == SPOOL_RESUME;
		if (what == SPOOL_PAUSE || what == SPOOL_RESUME)
			ret = change(p, session, what == SPOOL_PAUSE, w, err);
		close(fd); /* the answer */
	}
	return ret;
}

void vsamp_itt_pauses_close(struct vsamp_itt_pauses *p)
{
	if (!p)
		return;
	if (p->fd >= 0) {
		unlink(p->address.sun_path);
		close(p->fd);
	}
	free(p);
}
