// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

/* FOLDER/.NAME.PID.new */
static char *path_hidden(const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? slash - path + 1 : 0;
	char *hidden;

	return asprintf(&hidden, "%.*s.%s.%d.new", folder, path, path + folder, (int)getpid()) < 0 ?
		       NULL :
		       hidden;
}

int output_open(struct output *out, const char *path, struct vsamp_error *err)
{
	struct stat st;
	int ret;

	*out = (struct output){ .path = path };
	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return vsamp_fail(err, -EISDIR, "%s: is a folder", path);
		if (!S_ISREG(st.st_mode))
			return vsamp_writer_open(&out->writer, path, err);
	}
	out->hidden = path_hidden(path);
	if (!out->hidden)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	ret = vsamp_writer_open(&out->writer, out->hidden, err);
	if (ret) {
		free(out->hidden);
		out->hidden = NULL;
		if (ret == -EACCES || ret == -ENOENT || ret == -EROFS || ret == -ENOSPC)
			return vsamp_fail(err, ret, "%s: can't be written: %s", path,
					  strerror(-ret));
	}
	return ret;
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
	else if (rename(out->hidden, out->path))
		ret = vsamp_fail(err, -errno, "%s: can't be written: %s", out->path,
				 strerror(errno));
	free(old);
	if (!ret) {
		free(out->hidden);
		out->hidden = NULL;
	}
	return ret;
}

int output_close(struct output *out, struct vsamp_error *err)
{
	int ret;

	if (!out->writer)
		return 0;
	if (out->hidden)
		unlink(out->hidden);
	ret = vsamp_writer_close(out->writer, out->hidden ? NULL : err);
	if (out->hidden)
		ret = 0;
	free(out->hidden);
	*out = (struct output){ 0 };
	return ret;
}
