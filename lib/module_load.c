// SPDX-License-Identifier: MIT
/* module_load.c: finds the files of modules, and takes what they tell */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debugfile.h"
#include "debuginfod.h"
#include "jitdump.h"
#include "module.h"
#include "perfmap.h"
#include "rootfile.h"
#include "vdso.h"

#define DELETED " (deleted)"

#define NOTE_NOT_FOUND \
	"not found: put the file there, or name a server that has it by DEBUGINFOD_URLS"
#define NOTE_REPLACED                                                                          \
	"replaced since the recording, or of another machine, or a container that ended: its " \
	"build-id differs; put back the file that was recorded, or name a server that has it " \
	"by DEBUGINFOD_URLS"
#define NOTE_INODE                                                                         \
	"replaced since the recording: its inode differs, and it had no build-id; record " \
	"again"
#define NOTE_CHANGED "changed since the recording, and it had no build-id: record again"
#define NOTE_STRIPPED                                                                    \
	"stripped: only what it exports is named; install its debug symbols, or name a " \
	"server that has them by DEBUGINFOD_URLS"

/* A process in whose root there may still be what the recording names; 0: none */
static uint32_t process_root(const struct modules *ms, uint32_t pid)
{
	const struct module_origin *o = &ms->origin;

	return o->same_pids && pid && rootfile_lives(pid, o->ended ? o->ended : UINT64_MAX) ? pid :
											      0;
}

/* What keeps the open file from being the one that was mapped, as far as the recording tells */
static const char *file_differs(const struct modules *ms, const struct module *m, int fd,
				const struct stat *st)
{
	struct buildid id;

	if (m->id.size)
		return elfsym_read_id(fd, &id) || !buildid_equal(&id, &m->id) ? NOTE_REPLACED :
										NULL;
	/* device numbers of some file systems differ between mappings and stat */
	if (ms->origin.same_boot && m->ino && st->st_ino != m->ino)
		return NOTE_INODE;
	if (ms->origin.ended && (uint64_t)st->st_mtime > ms->origin.ended)
		return NOTE_CHANGED;
	return NULL;
}

static int server_open(struct module *m)
{
	int fd = m->id.size ? debuginfod_open(&m->id, DEBUGINFOD_EXECUTABLE) : -1;
	struct buildid id;

	if (fd < 0)
		return -1;
	if (elfsym_read_id(fd, &id) || !buildid_equal(&id, &m->id)) {
		close(fd);
		return -1;
	}
	m->note = NULL;
	return fd;
}

/*
 * The file under its name here, or as a process saw it; the build-id decides. Then *root is the
 * process, or 0, and @path the name there. -1, and there is a note
 */
static int module_open(const struct modules *ms, struct module *m, const char *name,
		       char path[PATH_MAX], uint32_t *root)
{
	uint32_t roots[] = { 0, process_root(ms, m->pid), process_root(ms, m->last_pid) };
	int length = strlen(name);
	struct stat st;

	if (m->id.size && length > (int)strlen(DELETED) &&
	    !strcmp(name + length - strlen(DELETED), DELETED))
		length -= strlen(DELETED); /* it may have come back */
	m->note = NOTE_NOT_FOUND;
	if (snprintf(path, PATH_MAX, "%.*s", length, name) >= PATH_MAX)
		return -1;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		int fd = i && !roots[i] ? -1 : rootfile_open(roots[i], path, &st);

		if (fd < 0)
			continue;
		m->note = file_differs(ms, m, fd, &st);
		*root = roots[i];
		if (!m->note)
			return fd;
		close(fd);
	}
	*root = 0;
	return server_open(m);
}

int modules_open(struct modules *ms, uint32_t number)
{
	struct module *m = &ms->module[number];
	const char *name = modules_path(ms, number);
	char path[PATH_MAX];
	uint32_t root;
	int fd = -1;

	if (m->jitdump)
		m->note = "a jitdump: its code is in no file that can be shown";
	else if (name[0] == '/')
		fd = module_open(ms, m, name, path, &root);
	return fd < 0 ? -ENOENT : fd;
}

static int take_symbols(void *arg, int fd)
{
	int ret = elfsym_add_debug(arg, fd);

	return ret == -EBADMSG ? 0 : ret;
}

static int load_mini(struct module *m, int fd)
{
	struct buf image = { 0 };
	int ret = debugfile_mini(fd, &image);

	if (!ret)
		ret = elfsym_add_debug_image(m->symbols, image.data, image.size);
	buf_free(&image);
	return ret == -EBADMSG || ret == -ENOENT ? 0 : ret;
}

static int load_stripped(struct module *m, struct debugfile_of *of)
{
	int ret;

	if (!of->id.size)
		elfsym_read_id(of->fd, &of->id);
	ret = debugfile_each(of, DEBUGFILE_HERE, take_symbols, m->symbols);
	if (!ret)
		ret = load_mini(m, of->fd);
	if (!ret)
		ret = debugfile_each(of, DEBUGFILE_SERVER, take_symbols, m->symbols);
	if (!ret)
		m->note = debuginfod_trouble() ? debuginfod_trouble() : NOTE_STRIPPED;
	return ret < 0 ? ret : 0;
}

static int load_file(const struct modules *ms, struct module *m, const char *name)
{
	char path[PATH_MAX];
	struct debugfile_of of = { .path = path, .id = m->id };
	int ret;

	of.fd = module_open(ms, m, name, path, &of.pid);
	if (of.fd < 0)
		return 0;
	ret = elfsym_add_file(m->symbols, of.fd);
	if (ret == -EBADMSG)
		m->note = "not an ELF file";
	else if (!ret)
		ret = load_stripped(m, &of);
	close(of.fd);
	return ret == -ENOMEM ? ret : 0;
}

/* The kernel gives every process the same code */
static int load_vdso(const struct modules *ms, struct module *m)
{
	const struct buildid *expect = m->id.size ? &m->id : &ms->origin.vdso;
	struct buildid own;
	void *image;
	size_t size;
	int ret;

	vdso_id(&own);
	m->note = "of another kernel than this machine's: report there";
	if (expect->size ? !buildid_equal(&own, expect) : !ms->origin.same_boot)
		return 0;
	ret = vdso_image(&image, &size);
	if (!ret)
		ret = elfsym_add_image(m->symbols, image, size);
	if (!ret)
		m->note = NULL;
	return ret == -ENOMEM ? ret : 0;
}

static int load_anon(const struct modules *ms, struct module *m)
{
	if (!ms->origin.same_pids) {
		m->note = "code made at run time, of another boot: its names are gone";
		return 0;
	}
	return perfmap_load(m->symbols, m->pid, process_root(ms, m->pid), &m->note);
}

int module_load(struct modules *ms, uint32_t number)
{
	struct module *m = &ms->module[number];
	const char *name = modules_path(ms, number);
	int ret = 0;

	/* whatever is asked for first, such a file's symbols are those of its code */
	if (!m->loaded && jitdump_named(name))
		ret = module_load_jitdump(ms, number);
	if (m->loaded || ret)
		return ret;
	ret = elfsym_new(&m->symbols);
	if (ret)
		return ret;
	m->loaded = true;
	if (m->anon)
		ret = load_anon(ms, m);
	else if (name[0] == '/')
		ret = load_file(ms, m, name);
	else if (!strcmp(name, "[vdso]"))
		ret = load_vdso(ms, m);
	return ret ? ret : elfsym_index(m->symbols);
}

static int take_lines(void *arg, int fd)
{
	return lines_add_file(arg, fd);
}

int module_load_lines(struct modules *ms, uint32_t number)
{
	struct module *m = &ms->module[number];
	const char *name = modules_path(ms, number), *note = m->note;
	char path[PATH_MAX];
	struct debugfile_of of = { .path = path, .id = m->id };
	int ret = 0;

	if (m->lines_loaded)
		return 0;
	ret = lines_new(&m->lines);
	if (ret)
		return ret;
	m->lines_loaded = true;
	if (!m->anon && name[0] == '/') {
		of.fd = module_open(ms, m, name, path, &of.pid);
		m->note = note;
		if (of.fd < 0)
			return 0;
		if (!of.id.size)
			elfsym_read_id(of.fd, &of.id);
		ret = lines_add_file(m->lines, of.fd);
		if (!ret)
			ret = debugfile_each(&of, DEBUGFILE_HERE | DEBUGFILE_SERVER, take_lines,
					     m->lines);
		close(of.fd);
	}
	lines_index(m->lines);
	return ret < 0 ? ret : 0;
}

static int jitdump_open(const struct modules *ms, uint32_t number)
{
	const struct module *m = &ms->module[number];
	uint32_t root = process_root(ms, m->pid);
	struct stat st;
	int fd = rootfile_open(root, modules_path(ms, number), &st);

	if (fd < 0)
		return -1;
	if (rootfile_trusted(&st, root) && ms->origin.same_boot && (!m->ino || m->ino == st.st_ino))
		return fd;
	close(fd);
	return -1;
}

int module_load_jitdump(struct modules *ms, uint32_t number)
{
	struct module *m = &ms->module[number];
	int fd, ret;

	if (m->jitdump_loaded)
		return 0;
	m->jitdump_loaded = true;
	fd = jitdump_open(ms, number);
	if (fd < 0)
		return 0;
	ret = elfsym_new(&m->symbols);
	if (!ret)
		ret = lines_new(&m->lines);
	if (!ret)
		ret = jitdump_read(&m->jitdump, fd, ms->origin.monotonic, m->symbols, m->lines);
	close(fd);
	if (!ret)
		ret = elfsym_index(m->symbols);
	if (!ret)
		lines_index(m->lines);
	m->loaded = m->lines_loaded = m->symbols && m->lines;
	return ret == -ENOMEM ? ret : 0;
}
