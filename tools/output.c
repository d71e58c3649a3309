// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

static bool path_begins(const char *path, const char *with)
{
	return !strncmp(path, with, strlen(with));
}

/*
 * What has the path already: 1 = something to write to as it is, like /dev/null, 0 = a file whose
 * place is taken, or nothing. A name like /dev/stdout is no place for a file.
 */
static int output_look(const char *path, struct vsamp_error *err)
{
	struct stat st, link;

	if (stat(path, &st) || lstat(path, &link))
		return 0;
	if (S_ISDIR(st.st_mode))
		return vsamp_fail(err, -EISDIR, "%s: is a folder", path);
	if (S_ISCHR(st.st_mode))
		return 1;
	if (!S_ISREG(st.st_mode) ||
	    (S_ISLNK(link.st_mode) && (path_begins(path, "/dev/") || path_begins(path, "/proc/"))))
		return vsamp_fail(err, -EINVAL, "%s: a recording goes to a file only", path);
	return 0;
}

/* By its hidden name, which nobody else has made */
static int output_create_hidden(struct output *out, struct vsamp_error *err)
{
	int ret;

	out->fd = open(out->hidden, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
	if (out->fd >= 0)
		return 0;
	ret = vsamp_fail(err, -errno, "%s: can't be written: %s; -o names another",
			 errno == EEXIST ? out->hidden : out->path, strerror(errno));
	free(out->hidden);
	out->hidden = NULL;
	return ret;
}

/*
 * A file that has no name until it is kept, so that nothing is left of a recorder that dies before.
 * Where the filesystem has no such files: FOLDER/.NAME.PID.new, which nobody else has made
 */
static int output_create(struct output *out, const char *path, struct vsamp_error *err)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? slash - path + 1 : 0;
	char *name;

	if (asprintf(&name, "%.*s.", folder, path) < 0)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	out->fd = open(name, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	free(name);
	if (out->fd >= 0)
		return 0;
	if (asprintf(&out->hidden, "%.*s.%s.%d.new", folder, path, path + folder, (int)getpid()) <
	    0) {
		out->hidden = NULL;
		return vsamp_fail(err, -ENOMEM, "out of memory");
	}
	return output_create_hidden(out, err);
}

static void output_descriptor(const struct output *out, char *path, size_t size)
{
	snprintf(path, size, "/proc/self/fd/%d", out->fd);
}

static int output_name(const struct output *out)
{
	char path[32];

	if (out->hidden)
		return rename(out->hidden, out->path);
	output_descriptor(out, path, sizeof(path));
	return linkat(AT_FDCWD, path, AT_FDCWD, out->path, AT_SYMLINK_FOLLOW);
}

static void output_forget(struct output *out)
{
	if (out->fd >= 0)
		close(out->fd);
	free(out->hidden);
	out->fd = -1;
	out->hidden = NULL;
}

/* Writes to the file that was created, and calls it @name */
static int output_begin(struct output *out, const char *name, struct vsamp_error *err)
{
	char descriptor[32];
	int ret;

	output_descriptor(out, descriptor, sizeof(descriptor));
	ret = vsamp_writer_open(&out->writer, descriptor, err);
	if (ret)
		return vsamp_fail(err, ret, "%s: can't be written: %s", name, strerror(-ret));
	return vsamp_writer_call(out->writer, name) ? vsamp_fail(err, -ENOMEM, "out of memory") : 0;
}

int output_open(struct output *out, const char *path, struct vsamp_error *err)
{
	int ret;

	*out = (struct output){ .path = path, .fd = -1 };
	ret = output_look(path, err);
	if (ret > 0)
		return vsamp_writer_open(&out->writer, path, err);
	if (!ret)
		ret = output_create(out, path, err);
	return ret ? ret : output_begin(out, path, err);
}

int output_open_part(struct output *out, const char *path, struct vsamp_error *err)
{
	int ret;

	*out = (struct output){ .path = path, .fd = -1, .part = true };
	if (asprintf(&out->hidden, "%s.part", path) < 0) {
		out->hidden = NULL;
		return vsamp_fail(err, -ENOMEM, "out of memory");
	}
	ret = output_create_hidden(out, err);
	if (!ret)
		ret = output_begin(out, out->hidden, err);
	if (ret)
		output_close(out, NULL);
	return ret;
}

int output_complete(struct output *out, struct vsamp_error *err)
{
	int ret = vsamp_writer_close(out->writer, err);

	out->writer = NULL;
	if (!ret && rename(out->hidden, out->path))
		ret = vsamp_fail(err, -errno, "%s: can't be renamed to %s: %s", out->hidden,
				 out->path, strerror(errno));
	output_forget(out);
	return ret;
}

int output_keep(struct output *out, struct vsamp_error *err)
{
	char *old;
	int ret = 0;

	if (out->fd < 0)
		return 0;
	if (out->part) {
		close(out->fd);
		out->fd = -1;
		return 0;
	}
	if (asprintf(&old, "%s.old", out->path) < 0)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	if (rename(out->path, old) && errno != ENOENT)
		ret = vsamp_fail(err, -errno, "%s: can't be renamed to %s: %s", out->path, old,
				 strerror(errno));
	else if (output_name(out))
		ret = vsamp_fail(err, -errno, "%s: can't be written: %s", out->path,
				 strerror(errno));
	free(old);
	if (!ret)
		output_forget(out);
	return ret;
}

int output_close(struct output *out, struct vsamp_error *err)
{
	bool kept = out->fd < 0;
	int ret;

	if (out->hidden && !kept)
		unlink(out->hidden);
	ret = vsamp_writer_close(out->writer, kept ? err : NULL);
	output_forget(out);
	out->writer = NULL;
	return kept ? ret : 0;
}
