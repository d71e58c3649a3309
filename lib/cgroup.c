// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <vsamp/cgroup.h>

#include "cgroup.h"

/* A field of mountinfo in its own letters: "\040" is a space */
static void mount_unescape(char *text)
{
	char *out = text;
	unsigned int c;

	while (*text) {
		if (*text == '\\' && sscanf(text + 1, "%3o", &c) == 1 && strlen(text) >= 4) {
			*out++ = c;
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

/* The mount point of a line if it is one of a file system of this type; "" if not */
static void mount_parse(const char *line, const char *type, char *point, size_t size)
{
	const char *behind = strstr(line, " - ");
	size_t length = strlen(type);
	char format[32];

	point[0] = '\0';
	if (!behind || strncmp(behind + 3, type, length) || behind[3 + length] != ' ')
		return;
	snprintf(format, sizeof(format), "%%*s %%*s %%*s %%*s %%%zus", size - 1);
	if (sscanf(line, format, point) != 1)
		point[0] = '\0';
	mount_unescape(point);
}

int cgroup_mount(const char *mountinfo, char *out, size_t size, struct vsamp_error *err)
{
	FILE *f = fopen(mountinfo, "re");
	char *line = NULL, old[PATH_MAX];
	bool version1 = false;
	size_t room = 0;

	if (!f)
		return vsamp_fail(err, -errno, "%s: %s", mountinfo, strerror(errno));
	out[0] = '\0';
	while (!out[0] && getline(&line, &room, f) > 0) {
		mount_parse(line, "cgroup2", out, size);
		mount_parse(line, "cgroup", old, sizeof(old));
		version1 |= old[0];
	}
	free(line);
	fclose(f);
	if (out[0])
		return 0;
	if (version1)
		return vsamp_fail(
			err, -ENOTSUP,
			"this machine's cgroups are of version 1, which can't be followed; boot with systemd.unified_cgroup_hierarchy=1 on the kernel's command line");
	return vsamp_fail(
		err, -ENOTSUP,
		"the cgroup v2 tree is not mounted; as root: mount -t cgroup2 none /sys/fs/cgroup");
}

bool cgroup_is_below(const char *path, const char *other)
{
	size_t length = strlen(other);

	if (length && other[length - 1] == '/')
		length--;
	return !strncmp(path, other, length) && (path[length] == '/' || !path[length]);
}

static int cgroup_refused(const char *name, const char *mount, int code, struct vsamp_error *err)
{
	if (code == -ENOENT)
		return vsamp_fail(err, code, "there is no cgroup %s in %s", name, mount);
	if (code == -ENOTDIR || code == -EBADF)
		return vsamp_fail(err, code, "%s is no cgroup: give a folder below %s", name,
				  mount);
	return vsamp_fail(err, code, "cgroup %s: %s", name, strerror(-code));
}

/* Opens the folder; path receives its true name */
static int cgroup_open(const char *name, const char *mount, char *path, size_t size,
		       struct vsamp_error *err)
{
	bool whole = name[0] == '/' && cgroup_is_below(name, mount);
	struct statfs fs;
	char self[32];
	ssize_t n;
	int fd;

	if (snprintf(path, size, "%s%s%s", whole ? "" : mount, whole ? "" : "/", name) >= (int)size)
		return cgroup_refused(name, mount, -ENAMETOOLONG, err);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return cgroup_refused(name, mount, -errno, err);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, path, size - 1);
	if (n < 0 || fstatfs(fd, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC) {
		close(fd);
		return cgroup_refused(name, mount, -EBADF, err);
	}
	path[n] = '\0';
	return fd;
}

static void cgroups_remove(struct vsamp_cgroups *c, unsigned int i)
{
	close(c->fd[i]);
	free(c->name[i]);
	c->n--;
	c->fd[i] = c->fd[c->n];
	c->name[i] = c->name[c->n];
}

/* Takes fd; name is the true one, below the mount point */
static int cgroups_add(struct vsamp_cgroups *c, int fd, const char *name, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < c->n; i++) {
		if (cgroup_is_below(name, c->name[i])) {
			close(fd);
			return 0;
		}
	}
	for (unsigned int i = c->n; i-- > 0;)
		if (cgroup_is_below(c->name[i], name))
			cgroups_remove(c, i);
	if (c->n == VSAMP_CGROUPS_MAX) {
		close(fd);
		return vsamp_fail(err, -E2BIG, "more than %d cgroups", VSAMP_CGROUPS_MAX);
	}
	c->fd[c->n] = fd;
	c->name[c->n] = strdup(name);
	if (!c->name[c->n]) {
		close(fd);
		return vsamp_fail(err, -ENOMEM, "out of memory");
	}
	c->n++;
	return 0;
}

int vsamp_cgroups_open(struct vsamp_cgroups *cgroups, const char *list, struct vsamp_error *err)
{
	char mount[PATH_MAX], path[PATH_MAX];
	char *names = strdup(list), *rest = names, *name;
	int ret = names ? cgroup_mount("/proc/self/mountinfo", mount, sizeof(mount), err) :
			  vsamp_fail(err, -ENOMEM, "out of memory");

	while (!ret && (name = strsep(&rest, ","))) {
		int fd = cgroup_open(name, mount, path, sizeof(path), err);
		const char *below = path;

		if (fd >= 0 && cgroup_is_below(path, mount))
			below += strlen(mount);
		while (below[0] == '/' && below[1])
			below++;
		ret = fd < 0 ? fd : cgroups_add(cgroups, fd, *below ? below : "/", err);
	}
	free(names);
	return ret;
}

void vsamp_cgroups_close(struct vsamp_cgroups *cgroups)
{
	while (cgroups->n)
		cgroups_remove(cgroups, cgroups->n - 1);
}
