// SPDX-License-Identifier: MIT
/* module.c: finds the files of modules, and their symbols */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module.h"

#define DEBUG_DIR "/usr/lib/debug/.build-id"
#define DELETED	  " (deleted)"

void modules_init(struct modules *ms, bool same_boot)
{
	*ms = (struct modules){ .same_boot = same_boot };
}

void modules_free(struct modules *ms)
{
	for (size_t i = 0; i < ms->count; i++)
		elfsym_free(ms->module[i].symbols);
	free(ms->module);
	intern_free(&ms->keys);
	intern_free(&ms->paths);
}

static int module_add(struct modules *ms, const struct module_key *key, int64_t path)
{
	/* grows as a power of two does */
	if (!(ms->count & (ms->count - 1))) {
		size_t room = ms->count ? 2 * ms->count : 1;
		struct module *more = realloc(ms->module, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		ms->module = more;
	}
	ms->module[ms->count++] = (struct module){
		.path_number = path,
		.id = key->id,
		.dev = key->dev,
		.ino = key->ino,
		.pid = key->pid,
	};
	return 0;
}

int64_t modules_number(struct modules *ms, const struct module_key *key, const char *path)
{
	struct {
		struct buildid id;
		uint8_t padding[3];
		int64_t path;
		uint64_t dev, ino;
	} what = { .id = key->id, .dev = key->dev, .ino = key->ino };
	int64_t number;

	what.path = intern_string(&ms->paths, strcmp(path, "//anon") ? path : "[anon]");
	if (what.path < 0)
		return what.path;
	number = intern_number(&ms->keys, &what, sizeof(what));
	if (number >= 0 && (size_t)number == ms->count && module_add(ms, key, what.path))
		return -ENOMEM;
	return number;
}

const char *modules_path(const struct modules *ms, uint32_t number)
{
	return intern_key(&ms->paths, ms->module[number].path_number);
}

/* Opens a regular file, and nothing that could make us wait */
static int file_open(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Whether the open file is the one that was mapped, as far as the recording tells */
static bool file_same(const struct modules *ms, const struct module *m, int fd,
		      const struct stat *st)
{
	struct buildid id;

	if (m->id.size)
		return !elfsym_read_id(fd, &id) && buildid_equal(&id, &m->id);
	/* device numbers of some file systems differ between mappings and stat */
	return !ms->same_boot || !m->ino || st->st_ino == m->ino;
}

/* The file under its name here, or as the process sees it; the build-id decides */
static int module_open(const struct modules *ms, struct module *m, const char *name)
{
	int length = strlen(name), fd;
	char path[PATH_MAX];
	struct stat st;

	if (m->id.size && length > (int)strlen(DELETED) &&
	    !strcmp(name + length - strlen(DELETED), DELETED))
		length -= strlen(DELETED); /* it may have come back */
	m->note = "not found";
	for (int i = 0; i < (ms->same_boot ? 2 : 1); i++) {
		char root[32] = "";

		if (i)
			snprintf(root, sizeof(root), "/proc/%u/root", m->pid);
		if (snprintf(path, sizeof(path), "%s%.*s", root, length, name) >= (int)sizeof(path))
			continue;
		fd = file_open(path, &st);
		if (fd < 0)
			continue;
		if (file_same(ms, m, fd, &st)) {
			m->note = NULL;
			return fd;
		}
		close(fd);
		m->note =
			"replaced since the recording, or of another machine: build-id or inode differs";
	}
	return -ENOENT;
}

static int debug_open(const struct buildid *id)
{
	char path[PATH_MAX], hex[BUILDID_HEX];
	struct buildid found;
	struct stat st;
	int fd;

	if (id->size < 2)
		return -1;
	buildid_format(id, hex);
	snprintf(path, sizeof(path), DEBUG_DIR "/%.2s/%s.debug", hex, hex + 2);
	fd = file_open(path, &st);
	if (fd >= 0 && (elfsym_read_id(fd, &found) || !buildid_equal(&found, id))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int load_file(struct modules *ms, struct module *m, const char *name)
{
	int fd = module_open(ms, m, name), debug, full;
	struct buildid id = m->id;

	if (fd < 0)
		return 0;
	full = elfsym_add_file(m->symbols, fd);
	if (!full && !id.size)
		elfsym_read_id(fd, &id);
	close(fd);
	if (full == -EBADMSG) {
		m->note = "not an ELF file";
		return 0;
	}
	if (full)
		return full < 0 ? full : 0;
	debug = debug_open(&id);
	if (debug < 0) {
		m->note = "stripped: only what it exports is named";
		return 0;
	}
	full = elfsym_add_debug(m->symbols, debug);
	close(debug);
	return full == -ENOMEM ? full : 0;
}

/* The kernel gives every process of a boot the same code */
static int load_vdso(struct modules *ms, struct module *m)
{
	uintptr_t image = getauxval(AT_SYSINFO_EHDR), start, end;
	char line[256];
	FILE *maps;
	int ret = 0;

	m->note = "of another boot: not found";
	maps = ms->same_boot && image ? fopen("/proc/self/maps", "re") : NULL;
	if (!maps)
		return 0;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) == 2 && start == image) {
			ret = elfsym_add_image(m->symbols, (void *)image, end - start);
			m->note = NULL;
		}
	}
	fclose(maps);
	return ret == -ENOMEM ? ret : 0;
}

static int module_load(struct modules *ms, uint32_t number)
{
	struct module *m = &ms->module[number];
	const char *name = modules_path(ms, number);
	int ret;

	m->loaded = true;
	ret = elfsym_new(&m->symbols);
	if (ret)
		return ret;
	if (name[0] == '/')
		ret = load_file(ms, m, name);
	else if (!strcmp(name, "[vdso]"))
		ret = load_vdso(ms, m);
	return ret ? ret : elfsym_index(m->symbols);
}

int modules_find(struct modules *ms, uint32_t number, uint64_t offset, struct elfsym_symbol *sym)
{
	if (!ms->module[number].loaded) {
		int ret = module_load(ms, number);

		if (ret)
			return ret;
	}
	return elfsym_find(ms->module[number].symbols, offset, sym);
}
