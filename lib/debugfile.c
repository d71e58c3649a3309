// SPDX-License-Identifier: MIT
/* debugfile.c: finds debug files, where gdb does */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "debugfile.h"
#include "debuginfod.h"
#include "elfsym.h"
#include "rootfile.h"

#define DEBUG_DIR "/usr/lib/debug"

static bool id_matches(const struct debugfile_of *of, int fd)
{
	struct buildid id;

	return !elfsym_read_id(fd, &id) && buildid_equal(&id, &of->id);
}

static int by_id(const struct debugfile_of *of, uint32_t pid, struct stat *st)
{
	char path[PATH_MAX], hex[BUILDID_HEX];

	if (of->id.size < 2)
		return -1;
	buildid_format(&of->id, hex);
	snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%.2s/%s.debug", hex, hex + 2);
	return rootfile_open(pid, path, st);
}

/* That of the debug file which the file names. 0 or -ENOENT */
static int link_read(int fd, char name[NAME_MAX + 1], uint32_t *crc)
{
	const char *link = NULL;
	GElf_Word sum = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		link = dwelf_elf_gnu_debuglink(elf, &sum);
	if (!link || !*link || strlen(link) > NAME_MAX || strchr(link, '/'))
		link = NULL;
	else
		strcpy(name, link);
	elf_end(elf);
	*crc = sum;
	return link ? 0 : -ENOENT;
}

static bool crc_matches(int fd, uint32_t expect)
{
	uint8_t block[65536];
	uint32_t crc = crc32(0, NULL, 0);
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, block, sizeof(block))) > 0)
		crc = crc32(crc, block, n);
	return !n && crc == expect;
}

static int try(const struct debugfile_of *of, int fd, int (*take)(void *arg, int fd), void *arg)
{
	int ret;

	if (fd < 0)
		return 0;
	ret = id_matches(of, fd) ? take(arg, fd) : 0;
	close(fd);
	return ret;
}

static int each_link(const struct debugfile_of *of, int (*take)(void *arg, int fd), void *arg)
{
	static const char *const where[][2] = { { "", "" }, { "", ".debug/" }, { DEBUG_DIR, "" } };
	const char *slash = strrchr(of->path, '/');
	char name[NAME_MAX + 1], path[PATH_MAX];
	struct stat st, own;
	uint32_t crc;
	int ret = 0;

	if (!slash || fstat(of->fd, &own) || link_read(of->fd, name, &crc))
		return 0;
	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]) && !ret; i++) {
		int fd;

		if (snprintf(path, sizeof(path), "%s%.*s/%s%s", where[i][0],
			     (int)(slash - of->path), of->path, where[i][1],
			     name) >= (int)sizeof(path))
			continue;
		fd = rootfile_open(of->pid, path, &st);
		/* a file may name itself */
		if (fd >= 0 && ((st.st_dev == own.st_dev && st.st_ino == own.st_ino) ||
				!crc_matches(fd, crc))) {
			close(fd);
			fd = -1;
		}
		ret = try(of, fd, take, arg);
	}
	return ret;
}

int debugfile_each(const struct debugfile_of *of, unsigned int where,
		   int (*take)(void *arg, int fd), void *arg)
{
	bool here = where & DEBUGFILE_HERE;
	struct stat st;
	int ret = 0;

	if (here && of->pid)
		ret = try(of, by_id(of, of->pid, &st), take, arg);
	if (here && !ret)
		ret = try(of, by_id(of, 0, &st), take, arg);
	if (here && !ret)
		ret = each_link(of, take, arg);
	if (where & DEBUGFILE_SERVER && !ret && of->id.size)
		ret = try(of, debuginfod_open(&of->id, DEBUGINFOD_DEBUG), take, arg);
	return ret;
}
