// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rotation.h"
#include "say.h"

#define STAMP_DIGITS 16
#define PART	     ".part"

/* Bytes of the folder in front of a file's name */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash - path + 1 : 0;
}

static char *path_format(const struct rotation *r, uint64_t hundredths)
{
	time_t seconds = hundredths / 100;
	char stamp[32], *path;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	return asprintf(&path, "%s.%s%02u", r->prefix, stamp, (unsigned int)(hundredths % 100)) <
			       0 ?
		       NULL :
		       path;
}

static bool path_is_taken(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	snprintf(part, sizeof(part), "%s" PART, path);
	return !lstat(path, &st) || !lstat(part, &st);
}

/* The next name that is free: not in order of time only where the clock was set back */
static char *path_next(const struct rotation *r)
{
	struct timespec now;
	uint64_t hundredths;
	char *path;

	clock_gettime(CLOCK_REALTIME, &now);
	hundredths = now.tv_sec * 100ULL + now.tv_nsec / 10000000;
	while ((path = path_format(r, hundredths++)) && path_is_taken(path))
		free(path);
	return path;
}

int rotation_open(struct rotation *r, struct output *out, struct vsamp_error *err)
{
	char *path = path_next(r);
	int ret;

	if (!path)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	do
		ret = output_open_part(out, path, err);
	while (ret == -ENOSPC && rotation_make_room(r));
	if (ret) {
		free(path);
		return ret;
	}
	vsamp_writer_on_full(out->writer, rotation_make_room, r);
	free(r->last);
	r->last = r->path;
	r->path = path;
	return 0;
}

void rotation_cancel(struct rotation *r, struct output *out)
{
	output_close(out, NULL);
	free(r->path);
	r->path = r->last;
	r->last = NULL;
}

/* FILE.STAMP, or .part of one, which a recorder left that died */
static bool name_is_ours(const struct rotation *r, const char *name)
{
	const char *base = r->prefix + folder_length(r->prefix);
	size_t length = strlen(base);

	if (strncmp(name, base, length) || name[length] != '.')
		return false;
	name += length + 1;
	if (strspn(name, "0123456789") != STAMP_DIGITS)
		return false;
	return !name[STAMP_DIGITS] || !strcmp(name + STAMP_DIGITS, PART);
}

static bool name_is_part(const char *name, const char *path)
{
	const char *base = path ? path + folder_length(path) : "";
	size_t length = strlen(base);

	return length && !strncmp(name, base, length) && !strcmp(name + length, PART);
}

/* The file that is being written, and the one before it while that isn't complete */
static bool name_is_current(const struct rotation *r, const char *name)
{
	return name_is_part(name, r->path) || name_is_part(name, r->last);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
	int folder; /* descriptor */
	char **name;
	unsigned int n;
};

static void names_free(struct names *names)
{
	for (unsigned int i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
	if (names->folder >= 0)
		close(names->folder);
}

static int names_add(struct names *names, const char *name)
{
	char **more = reallocarray(names->name, names->n + 1UL, sizeof(*more));

	if (!more)
		return -ENOMEM;
	names->name = more;
	more[names->n] = strdup(name);
	return more[names->n] && ++names->n ? 0 : -ENOMEM;
}

static int folder_open(const struct rotation *r)
{
	int length = folder_length(r->prefix), fd;
	char *folder;

	if (asprintf(&folder, "%.*s.", length, r->prefix) < 0)
		return -1;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return fd;
}

/* The files that are not being written, oldest first */
static int names_get(const struct rotation *r, struct names *names)
{
	struct dirent *d;
	int ret = 0, fd;
	DIR *dir;

	*names = (struct names){ .folder = folder_open(r) };
	fd = names->folder < 0 ? -1 : fcntl(names->folder, F_DUPFD_CLOEXEC, 0);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (d = readdir(dir)))
		if (name_is_ours(r, d->d_name) && !name_is_current(r, d->d_name))
			ret = names_add(names, d->d_name);
	closedir(dir);
	if (names->n)
		qsort(names->name, names->n, sizeof(*names->name), by_name);
	return ret;
}

/* Leaves so many of the newest; returns how many were removed */
static unsigned int rotation_prune(const struct rotation *r, unsigned int leave, const char *why)
{
	unsigned int removed = 0;
	struct names names;

	if (names_get(r, &names))
		say("%s: files that are too many can't be removed: %s", r->prefix, strerror(errno));
	for (unsigned int i = 0; i + leave < names.n; i++) {
		if (unlinkat(names.folder, names.name[i], 0))
			say("%s can't be removed: %s", names.name[i], strerror(errno));
		else
			removed++;
		if (why && removed) {
			say("%s%s: %s", names.name[i], " is removed", why);
			break;
		}
	}
	names_free(&names);
	return removed;
}

bool rotation_make_room(void *arg)
{
	const struct rotation *r = arg;

	return r->keep && rotation_prune(r, 0, "the disk is full") > 0;
}

/* FILE is the newest that is whole; a file that it was becomes FILE.old */
static void rotation_link(const struct rotation *r, const char *newest)
{
	int folder = folder_length(r->prefix);
	char link[PATH_MAX], old[PATH_MAX];
	struct stat st;

	snprintf(link, sizeof(link), "%.*s.%s.%d.new", folder, r->prefix, r->prefix + folder,
		 (int)getpid());
	snprintf(old, sizeof(old), "%s.old", r->prefix);
	if ((!lstat(r->prefix, &st) && !S_ISLNK(st.st_mode) && rename(r->prefix, old)) ||
	    symlink(newest + folder, link) || rename(link, r->prefix))
		say("%s can't be made a link to the newest file: %s", r->prefix, strerror(errno));
}

/* What was renamed stays renamed, whatever happens to the machine */
static void rotation_sync(const struct rotation *r)
{
	int fd = folder_open(r);

	if (fd < 0)
		return;
	fsync(fd); /* some filesystems can't, and need not */
	close(fd);
}

int rotation_complete(struct rotation *r, struct output *out, struct vsamp_error *err)
{
	uint64_t size = vsamp_writer_size(out->writer);
	const char *path = out->path;
	int ret = output_complete(out, err);

	if (ret)
		return ret;
	r->parts++;
	r->size += size;
	rotation_link(r, path);
	rotation_sync(r);
	if (path == r->path) { /* the last one */
		free(r->last);
		r->last = r->path;
		r->path = NULL;
	}
	if (r->keep)
		rotation_prune(r, r->keep, NULL);
	return 0;
}

void rotation_free(struct rotation *r)
{
	free(r->path);
	free(r->last);
	r->path = NULL;
	r->last = NULL;
}
