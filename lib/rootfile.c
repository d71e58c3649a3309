// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rootfile.h"

#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* An absolute link within the process's root would else lead to a file of ours */
static int open_in_root(uint32_t pid, const char *path)
{
	struct open_how how = { .flags = FLAGS,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char name[32];
	int root, fd;

	snprintf(name, sizeof(name), "/proc/%u/root", pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	close(root);
	return fd;
}

int rootfile_open(uint32_t pid, const char *path, struct stat *st)
{
	int fd = pid ? open_in_root(pid, path) : open(path, FLAGS);

	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool rootfile_trusted(const struct stat *st, uint32_t pid)
{
	struct stat process;
	char name[32];

	if (!st->st_uid || st->st_uid == geteuid())
		return true;
	snprintf(name, sizeof(name), "/proc/%u", pid);
	return pid && !stat(name, &process) && process.st_uid == st->st_uid;
}

/* Clock ticks after the boot; what is before may hold spaces and brackets of its own */
static bool start_read(uint32_t pid, uint64_t *start)
{
	char line[1024], name[32], *at;
	bool ok = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%u/stat", pid);
	f = fopen(name, "re");
	if (!f)
		return false;
	at = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	ok = at && sscanf(at, "%" SCNu64, start) == 1;
	fclose(f);
	return ok;
}

bool rootfile_lives(uint32_t pid, uint64_t realtime)
{
	struct timespec now, up;
	uint64_t start;

	if (!start_read(pid, &start))
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return now.tv_sec - up.tv_sec + start / sysconf(_SC_CLK_TCK) <= realtime;
}
