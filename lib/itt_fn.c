// SPDX-License-Identifier: MIT
/* itt_fn.c: the names of tasks that programs name by a function's address */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "file_private.h"
#include "itt_private.h"
#include "perf_record.h"

/* As the kernel would tell it, which procmap understands */
int itt_fn_mapping(struct procmap *pm, uint32_t pid, const char *path,
		   const struct vsamp_itt_mapping *m)
{
	size_t length = strlen(path) + 1;
	size_t size = sizeof(struct mmap2_record) + ((length + 7) & ~7UL) +
		      sizeof(struct sideband_id);
	struct mmap2_record *rec = calloc(1, size);
	int ret;

	if (!rec)
		return -ENOMEM;
	rec->h = (struct perf_event_header){ .type = PERF_RECORD_MMAP2, .size = size };
	rec->pid = rec->tid = pid;
	rec->addr = m->start;
	rec->len = m->length;
	rec->pgoff = m->offset;
	if (m->id_size) {
		rec->h.misc = PERF_RECORD_MISC_MMAP_BUILD_ID;
		rec->build_id_size = m->id_size;
		memcpy(rec->build_id, m->id, m->id_size);
	} else {
		rec->maj = m->dev >> 32;
		rec->min = m->dev;
		rec->ino = m->inode;
	}
	memcpy(rec->filename, path, length);
	ret = procmap_apply(pm, &rec->h);
	free(rec);
	return ret;
}

static int64_t find_spot(struct itt_build *b, struct procmap *pm, uint32_t pid,
			 const struct itt_fn *fn)
{
	uint64_t offset;
	uint32_t module;
	int ret = procmap_find(pm, pid, fn->address, fn->time, &module, &offset);

	if (ret == -ENOENT)
		return SPOT_NONE;
	if (ret)
		return ret;
	return names_spot(&b->names, module, offset);
}

int itt_fn_add(struct itt_build *b, struct procmap *pm, uint32_t pid, struct itt_fn fn)
{
	int64_t spot = find_spot(b, pm, pid, &fn);

	fn.spot = spot;
	return spot < 0 ? spot : buf_add(&b->fns, &fn, sizeof(fn));
}

int itt_fn_late(struct itt_build *b, struct procmap *pm, uint32_t pid, size_t first)
{
	struct itt_fn *fn = (void *)b->fns.data;

	for (size_t i = first; i < b->fns.size / sizeof(*fn); i++) {
		int64_t spot = fn[i].spot;

		if (spot == SPOT_NONE)
			spot = find_spot(b, pm, pid, &fn[i]);
		if (spot < 0)
			return spot;
		fn[i].spot = spot;
	}
	return 0;
}

/* The symbol, else the file and the offset in it, else the address; NULL without memory */
static const char *fn_text(struct itt_build *b, const struct itt_fn *fn)
{
	const struct names *n = &b->names;
	char text[PATH_MAX + 64];
	const char *name, *base;
	struct names_code code;
	uint64_t offset;
	int ret;

	snprintf(text, sizeof(text), "0x%" PRIx64, fn->address);
	if (fn->spot == SPOT_NONE)
		return itt_text(b->itt, text, strlen(text));
	ret = names_code(&b->names, fn->spot, &code, NULL);
	if (ret == -ENOMEM)
		return NULL;
	if (!ret) {
		name = names_symbol(n, n->name[fn->spot].symbol);
		return itt_text(b->itt, name, strlen(name));
	}
	name = names_module(n, n->name[fn->spot].label);
	base = strrchr(name, '/');
	memcpy(&offset, intern_key(&n->spots, fn->spot), sizeof(offset));
	snprintf(text, sizeof(text), "%s+0x%" PRIx64, base ? base + 1 : name, offset);
	return itt_text(b->itt, text, strlen(text));
}

int itt_fn_name(struct itt_build *b, struct vsamp_error *err)
{
	const struct itt_fn *fn = (const void *)b->fns.data;
	int ret = b->fns.size ? names_find(&b->names, err) : 0;

	for (size_t i = 0; i < b->fns.size / sizeof(*fn) && !ret; i++) {
		const char *text = fn_text(b, &fn[i]);

		if (!text)
			return vsamp_fail(err, -ENOMEM, "out of memory");
		b->lane[fn[i].span >> 32].span[(uint32_t)fn[i].span].name = text;
	}
	return ret;
}
