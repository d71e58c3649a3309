// SPDX-License-Identifier: MIT
/* module.c: which modules there are, and what is where in them */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jitdump.h"
#include "module.h"

void modules_init(struct modules *ms, const struct module_origin *origin)
{
	*ms = (struct modules){ .origin = *origin };
}

static void module_unload(struct module *m)
{
	elfsym_free(m->symbols);
	lines_free(m->lines);
	jitdump_free(m->jitdump);
	m->symbols = NULL;
	m->lines = NULL;
	m->jitdump = NULL;
}

void modules_free(struct modules *ms)
{
	for (size_t i = 0; i < ms->count; i++)
		module_unload(&ms->module[i]);
	free(ms->module);
	intern_free(&ms->keys);
	intern_free(&ms->paths);
}

/* Memory without a file, or with one that only stands for it */
static bool is_anon(const struct module_key *key, const char *path)
{
	static const char *const names[] = { "//anon", "/dev/zero", "/anon_hugepage", "/memfd:" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(path, names[i], strlen(names[i])))
			return !key->id.size;
	return false;
}

static int module_add(struct modules *ms, const struct module_key *key, int64_t path, bool anon)
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
		.anon = anon,
	};
	return 0;
}

int64_t modules_number(struct modules *ms, const struct module_key *key, const char *path)
{
	bool anon = is_anon(key, path);
	struct {
		struct buildid id;
		uint8_t padding[3];
		int64_t path;
		uint64_t dev, ino, pid;
	} what = { .id = key->id };
	int64_t number;

	if (anon) {
		what.pid = key->pid;
	} else {
		what.dev = key->dev;
		what.ino = key->ino;
	}
	what.path = intern_string(&ms->paths, anon ? MODULE_ANON : path);
	if (what.path < 0)
		return what.path;
	number = intern_number(&ms->keys, &what, sizeof(what));
	if (number >= 0 && (size_t)number == ms->count && module_add(ms, key, what.path, anon))
		return -ENOMEM;
	if (number >= 0 && !ms->settled)
		ms->module[number].last_pid = key->pid;
	return number;
}

const char *modules_path(const struct modules *ms, uint32_t number)
{
	return intern_key(&ms->paths, ms->module[number].path_number);
}

void modules_refresh(struct modules *ms)
{
	for (size_t i = 0; i < ms->count; i++) {
		struct module *m = &ms->module[i];

		if (!m->anon && !m->jitdump_loaded)
			continue;
		module_unload(m);
		m->loaded = m->lines_loaded = m->jitdump_loaded = false;
	}
}

int modules_find(struct modules *ms, uint32_t number, uint64_t offset, struct elfsym_symbol *sym)
{
	int ret = module_load(ms, number);

	return ret ? ret : elfsym_find(ms->module[number].symbols, offset, sym);
}

int modules_range(struct modules *ms, uint32_t number, uint64_t offset, struct elfsym_range *range)
{
	int ret = module_load(ms, number);

	if (!ret)
		elfsym_range(ms->module[number].symbols, offset, range);
	return ret;
}

int modules_line(struct modules *ms, uint32_t number, uint64_t offset, const char **file,
		 uint32_t *line)
{
	const struct module *m = &ms->module[number];
	uint64_t address;
	int ret = module_load(ms, number);

	if (!ret)
		ret = module_load_lines(ms, number);
	if (!ret)
		ret = elfsym_address(m->symbols, offset, &address);
	return ret ? ret : lines_find(m->lines, address, file, line);
}

int modules_jit(struct modules *ms, uint32_t number, uint64_t addr, uint64_t time, uint64_t *offset)
{
	int ret = module_load_jitdump(ms, number);

	if (ret)
		return ret;
	return ms->module[number].jitdump ?
		       jitdump_find(ms->module[number].jitdump, addr, time, offset) :
		       -ENOENT;
}
