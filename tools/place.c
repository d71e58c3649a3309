// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "place.h"

static int place_fail(const struct place *p, int error)
{
	fprintf(stderr, "vsamp %s: %s: can't be written: %s\n", p->command, p->path,
		strerror(error));
	return EXIT_ERROR;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A new file beside the place, readable as a new file is; < 0: failed */
static int open_hidden(char *path)
{
	mode_t mask = umask(0);
	int fd = mkostemp(path, O_CLOEXEC);

	umask(mask);
	if (fd < 0 || !fchmod(fd, 0666 & ~mask))
		return fd;
	close(fd);
	unlink(path);
	return -1;
}

/* A link, a device or a pipe is what the user means, and no place for another file */
static int place_descriptor(struct place *p)
{
	struct stat st;

	if (!lstat(p->path, &st) && !S_ISREG(st.st_mode))
		return open(p->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (asprintf(&p->hidden, "%s.XXXXXX", p->path) >= 0)
		return open_hidden(p->hidden);
	p->hidden = NULL;
	return -1;
}

int place_open(struct place *p, const char *read)
{
	int fd, code;

	if (!*p->path || same_file(p->path, read)) {
		fprintf(stderr, "vsamp %s: %s: '%s': %s: give another name\n", p->command,
			p->option, p->path, *p->path ? "is what is read" : "is no file");
		return EXIT_USAGE;
	}
	p->hidden = NULL;
	fd = place_descriptor(p);
	p->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (p->out)
		return 0;
	code = place_fail(p, errno);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && p->hidden)
		unlink(p->hidden);
	free(p->hidden);
	return code;
}

int place_close(struct place *p, int code)
{
	if (fclose(p->out) && !code)
		code = place_fail(p, errno);
	if (p->hidden && !code && rename(p->hidden, p->path))
		code = place_fail(p, errno);
	if (p->hidden && code)
		unlink(p->hidden);
	free(p->hidden);
	return code;
}
