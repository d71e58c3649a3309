// SPDX-License-Identifier: MIT
/* collector_modules.c: the code that is mapped, with build-ids, so that functions have names later */
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "collector.h"

#define MODULES_MAX 4096

/* Mappings that were told */
static struct {
	uint64_t start, length, dev, inode;
} told[MODULES_MAX];
static size_t n_told;
static unsigned long long adds; /* as the loader counts them, when they were looked at last */

static void note_get(const struct dl_phdr_info *info, const ElfW(Phdr) * ph,
		     struct vsamp_itt_mapping *m)
{
	const uint8_t *at = (const uint8_t *)(info->dlpi_addr + ph->p_vaddr);
	const uint8_t *end = at + ph->p_memsz;

	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name = (note->n_namesz + 3) & ~3UL, desc = (note->n_descsz + 3) & ~3UL;

		at += sizeof(*note);
		if (name > (size_t)(end - at) || desc > (size_t)(end - at) - name)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(at, "GNU", 4)) {
			m->id_size = note->n_descsz < sizeof(m->id) ? note->n_descsz :
								      sizeof(m->id);
			memcpy(m->id, at + name, m->id_size);
			return;
		}
		at += name + desc;
	}
}

static const char *path_get(const struct dl_phdr_info *info, char *own, size_t size)
{
	ssize_t n;

	/* What was loaded by a relative name isn't found by it from elsewhere */
	if (*info->dlpi_name)
		return *info->dlpi_name != '/' && realpath(info->dlpi_name, own) ? own :
										   info->dlpi_name;
	n = readlink("/proc/self/exe", own, size - 1);
	own[n > 0 ? n : 0] = 0;
	return own;
}

static void segment_tell(const struct dl_phdr_info *info, const ElfW(Phdr) * ph, const char *path,
			 const struct vsamp_itt_mapping *of_file)
{
	struct vsamp_itt_mapping m = *of_file;

	m.start = info->dlpi_addr + ph->p_vaddr;
	m.length = ph->p_memsz;
	m.offset = ph->p_offset;
	for (size_t i = 0; i < n_told; i++)
		if (told[i].start == m.start && told[i].length == m.length &&
		    told[i].dev == m.dev && told[i].inode == m.inode)
			return;
	if (n_told == MODULES_MAX)
		return;
	told[n_told].start = m.start;
	told[n_told].length = m.length;
	told[n_told].dev = m.dev;
	told[n_told++].inode = m.inode;
	define_again(VSAMP_ITT_MAPPING, 0, 0, define_text(path, strlen(path)), &m, sizeof(m));
}

static int module_tell(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct vsamp_itt_mapping m = { 0 };
	char own[PATH_MAX];
	const char *path = path_get(info, own, sizeof(own));
	struct stat st;

	adds = info->dlpi_adds;
	if (!stat(path, &st)) {
		m.dev = st.st_dev;
		m.inode = st.st_ino;
	}
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE && !m.id_size)
			note_get(info, &info->dlpi_phdr[i], &m);
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			segment_tell(info, &info->dlpi_phdr[i], path, &m);
	return 0;
}

static int adds_get(struct dl_phdr_info *info, size_t size, void *now)
{
	*(unsigned long long *)now = info->dlpi_adds;
	return 1;
}

void modules_tell(void)
{
	unsigned long long now = 0;

	process_lock();
	dl_iterate_phdr(adds_get, &now);
	if (now != adds)
		dl_iterate_phdr(module_tell, NULL);
	process_unlock();
}

struct place {
	uintptr_t at;
	size_t size;
	bool found;
};

static int module_has(struct dl_phdr_info *info, size_t size, void *place)
{
	struct place *p = place;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		uintptr_t at = p->at - info->dlpi_addr - ph->p_vaddr;

		if (ph->p_type == PT_LOAD && at < ph->p_memsz && p->size <= ph->p_memsz - at)
			p->found = true;
	}
	return p->found;
}

bool modules_have(const void *at, size_t size)
{
	struct place p = { .at = (uintptr_t)at, .size = size };

	dl_iterate_phdr(module_has, &p);
	return p.found;
}

void modules_know(struct stream *s, uintptr_t fn)
{
	unsigned int to = s->code_next++ % (sizeof(s->code) / sizeof(s->code[0]));

	process_lock();
	modules_tell();
	/* What no file has isn't looked for again either */
	s->code[to].start = fn;
	s->code[to].length = 1;
	/* The newest, as a library may be where one was that is gone */
	for (size_t i = n_told; i--;) {
		if (fn - told[i].start >= told[i].length)
			continue;
		s->code[to].start = told[i].start;
		s->code[to].length = told[i].length;
		break;
	}
	process_unlock();
}
