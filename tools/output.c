// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

/*
 * A file that has no name until it is kept, so that nothing is left of a recorder that dies before.
 * Where the filesystem has no such files: FOLDER/.NAME.PID.new
 */
static char *output_hide(struct output *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? slash - path + 1 : 0;
	char *name, *hidden;
	int n;

	n = asprintf(&name, "%.*s.", folder, path);
	if (n < 0)
		return NULL;
	out->nameless = open(name, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	free(name);
	if (out->nameless >= 0)
		n = asprintf(&hidden, "/proc/self/fd/%d", out->nameless);
	else
		n = asprintf(&hidden, "%.*s.%s.%d.new", folder, path, path + folder, (int)getpid());
	return n < 0 ? NULL : hidden;
}

static int output_name(const struct output *out)
{
	if (out->nameless >= 0)
		return linkat(AT_FDCWD, out->hidden, AT_FDCWD, out->path, AT_SYMLINK_FOLLOW);
	return rename(out->hidden, out->path);
}

static void output_forget(struct output *out)
{
	if (out->nameless >= 0)
		close(out->nameless);
	free(out->hidden);
	out->nameless = -1;
	out->hidden = NULL;
}

int output_open(struct output *out, const char *path, struct vsamp_error *err)
{
	struct stat st;
	int ret;

	*out = (struct output){ .path = path, .nameless = -1 };
	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return vsamp_fail(err, -EISDIR, "%s: is a folder", path);
		if (!S_ISREG(st.st_mode))
			return vsamp_writer_open(&out->writer, path, err);
	}
	out->hidden = output_hide(out, path);
	if (!out->hidden)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	ret = vsamp_writer_open(&out->writer, out->hidden, err);
	if (ret) {
		output_forget(out);
		return vsamp_fail(err, ret, "%s: can't be written: %s", path, strerror(-ret));
	}
	if (vsamp_writer_call(out->writer, path))
		return vsamp_fail(err, -ENOMEM, "out of memory");
	return 0;
}

int output_keep(struct output *out, struct vsamp_error *err)
{
	char *old;
	int ret = 0;

	if (!out->hidden)
		return 0;
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
	int ret;

	if (!out->writer)
		return 0;
	if (out->hidden && out->nameless < 0)
		unlink(out->hidden);
	ret = vsamp_writer_close(out->writer, out->hidden ? NULL : err);
	if (out->hidden)
		ret = 0;
	output_forget(out);
	out->writer = NULL;
	return ret;
}
