// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "busy_code.h"

#define PAGE   4096ULL
#define PLACES 24 /* of a function, that are taken again and again */

static void __attribute__((noreturn)) fail(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
	exit(1);
}

void busy_code_add(struct busy_code *c, uint64_t start, uint64_t size)
{
	/* grows as a power of two does */
	if (!(c->count & (c->count - 1))) {
		size_t room = c->count ? 2 * c->count : 1;

		c->function = realloc(c->function, room * sizeof(*c->function));
		if (!c->function)
			abort();
	}
	c->function[c->count++] = (struct busy_function){ start, size };
}

void busy_code_ready(struct busy_code *c, uint64_t *state)
{
	double sum = 0;

	c->until = malloc((c->count + 1) * sizeof(*c->until));
	if (!c->until)
		abort();
	for (size_t i = c->count; i > 1; i--) {
		size_t other = busy_random(state) % i;
		struct busy_function f = c->function[i - 1];

		c->function[i - 1] = c->function[other];
		c->function[other] = f;
	}
	for (size_t i = 0; i < c->count; i++)
		c->until[i] = sum += 1.0 / (i + 1);
	for (size_t i = 0; i < c->count; i++)
		c->until[i] /= sum;
}

const struct busy_function *busy_code_function(const struct busy_code *c, uint64_t *state)
{
	double at = busy_fraction(state);
	size_t low = 0, high = c->count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->until[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return &c->function[low];
}

uint64_t busy_code_place(const struct busy_function *f, uint64_t *state)
{
	uint64_t a = busy_random(state) % PLACES, b = busy_random(state) % PLACES;
	uint64_t place = f->start + (a < b ? a : b); /* the first ones more often */

	/* one in sixteen is anywhere */
	return f->start + (busy_random(state) % 16 ? busy_random(&place) : a * b) % f->size;
}

static void read_segments(struct busy_module *m, Elf *elf)
{
	GElf_Phdr p;
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, i, &p))
			continue;
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		m->start = p.p_vaddr & -PAGE;
		m->offset = p.p_offset & -PAGE;
		m->size = (p.p_vaddr + p.p_filesz - m->start + PAGE - 1) & -PAGE;
	}
}

static void read_symbols(struct busy_module *m, Elf_Scn *section, const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym s;

	for (size_t i = 0; data && i < h->sh_size / h->sh_entsize; i++)
		if (gelf_getsym(data, i, &s) && GELF_ST_TYPE(s.st_info) == STT_FUNC &&
		    s.st_shndx != SHN_UNDEF && s.st_size && s.st_value >= m->start &&
		    s.st_value + s.st_size <= m->start + m->size)
			busy_code_add(&m->code, s.st_value, s.st_size);
}

static void read_build_id(struct busy_module *m, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t at = 0, name, text;
	GElf_Nhdr n;

	while (data && (at = gelf_getnote(data, at, &n, &name, &text)) > 0)
		if (n.n_type == NT_GNU_BUILD_ID && n.n_descsz == sizeof(m->id))
			memcpy(m->id, (char *)data->d_buf + text, sizeof(m->id));
}

/* Code that no symbol tells of, as is most of a stripped program's */
static void add_nameless(struct busy_module *m)
{
	for (uint64_t at = PAGE; at + 512 < m->size; at += 512)
		busy_code_add(&m->code, m->start + at, 512);
}

void busy_module_read(struct busy_module *m, const char *path, uint64_t *state)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		fail(path, "is no ELF file that can be read");
	*m = (struct busy_module){ .path = path };
	read_segments(m, elf);
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &h))
			continue;
		if (h.sh_type == SHT_DYNSYM && h.sh_entsize)
			read_symbols(m, section, &h);
		else if (h.sh_type == SHT_NOTE)
			read_build_id(m, section);
	}
	elf_end(elf);
	close(fd);
	if (m->code.count < 100)
		add_nameless(m);
	if (!m->code.count)
		fail(path, "has no functions");
	busy_code_ready(&m->code, state);
}
