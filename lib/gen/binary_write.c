// SPDX-License-Identifier: MIT
/* binary_write.c: other code for kernels, and the file with it */
#include <stdlib.h>
#include <string.h>

#include "binary.h"

#define ALIGNMENT 64 /* of kernels, which is the most that sections have */

static bool replaced_is_sane(const struct vsamp_gen_binary *b, size_t n, size_t size,
			     const size_t *moved)
{
	if (n >= b->kernels || b->replaced[n].code || !b->kernel[n].size || !size)
		return false;
	for (size_t i = 0; i <= b->kernel[n].size / 8; i++)
		if (moved[i] > size || (i && moved[i] < moved[i - 1]))
			return false;
	return true;
}

void gen_binary_give(struct vsamp_gen_binary *b, size_t n, const struct gen_replaced *with,
		     size_t size)
{
	struct vsamp_gen_kernel *k = &b->kernel[n];

	b->replaced[n] = *with;
	k->entry = with->moved[k->entry / 8];
	k->code = with->code;
	k->size = size;
}

enum vsamp_gen_status vsamp_gen_binary_replace(struct vsamp_gen_binary *b, size_t n,
					       const void *code, size_t size, const size_t *moved)
{
	struct gen_replaced r;
	size_t bytes;

	if (size > VSAMP_GEN_CODE_MAX)
		return VSAMP_GEN_ERANGE;
	if (!replaced_is_sane(b, n, size, moved))
		return VSAMP_GEN_EINVAL;
	bytes = (b->kernel[n].size / 8 + 1) * sizeof(*moved);
	r = (struct gen_replaced){ malloc(size), malloc(bytes) };
	if (!r.code || !r.moved) {
		free(r.code);
		free(r.moved);
		return VSAMP_GEN_ENOMEM;
	}
	memcpy(r.code, code, size);
	memcpy(r.moved, moved, bytes);
	gen_binary_give(b, n, &r, size);
	return VSAMP_GEN_OK;
}

/* The code that a section has got; NULL: none */
static const struct gen_replaced *replaced_of(const struct vsamp_gen_binary *b, size_t section)
{
	size_t kernel = section < b->sections ? b->section[section].kernel : 0;

	return kernel && b->replaced[kernel - 1].code ? &b->replaced[kernel - 1] : NULL;
}

/* Where a byte of a section's old code is in its new */
static uint64_t moved_to(const struct vsamp_gen_binary *b, size_t section, uint64_t at)
{
	const struct gen_replaced *r = replaced_of(b, section);
	uint64_t old = b->section[section].bytes.size;

	if (!r)
		return at;
	return at < old ? r->moved[at / 8] + at % 8 : r->moved[old / 8] + (at - old);
}

/* A section that has other code, and by how much what is behind it moves */
struct grown {
	size_t section, bytes;
};

struct writing {
	const struct vsamp_gen_binary *b;
	Elf64_Ehdr head;
	struct grown *grown; /* by place in the file */
	size_t num, size;    /* of all */
	uint8_t *to;
};

static const Elf64_Shdr *head_of(const struct writing *w, size_t i)
{
	return &w->b->section[w->grown[i].section].head;
}

static uint64_t file_moved(const struct writing *w, uint64_t at)
{
	uint64_t to = at;

	for (size_t i = 0; i < w->num; i++)
		if (head_of(w, i)->sh_offset + head_of(w, i)->sh_size <= at)
			to += w->grown[i].bytes;
	return to;
}

static bool overlap(const Elf64_Shdr *code, uint64_t at, uint64_t size)
{
	return size && at < code->sh_offset + code->sh_size && code->sh_offset < at + size;
}

/* Nothing else may be within code that moves what is behind it */
static bool is_alone(const struct writing *w, size_t i)
{
	const Elf64_Shdr *code = head_of(w, i);

	if (overlap(code, 0, sizeof(w->head)) ||
	    overlap(code, w->head.e_shoff, w->b->sections * sizeof(Elf64_Shdr)))
		return false;
	for (size_t n = 0; n < w->b->sections; n++)
		if (n != w->grown[i].section && w->b->section[n].bytes.data &&
		    overlap(code, w->b->section[n].head.sh_offset, w->b->section[n].head.sh_size))
			return false;
	return true;
}

/* Into the order of the file, of which sections are few */
static void grown_add(struct writing *w, size_t section, size_t bytes)
{
	size_t at = w->num++;

	while (at && head_of(w, at - 1)->sh_offset > w->b->section[section].head.sh_offset) {
		w->grown[at] = w->grown[at - 1];
		at--;
	}
	w->grown[at] = (struct grown){ section, bytes };
}

static enum vsamp_gen_status grown_collect(struct writing *w)
{
	const struct vsamp_gen_binary *b = w->b;

	w->grown = calloc(b->kernels + 1, sizeof(*w->grown));
	if (!w->grown)
		return VSAMP_GEN_ENOMEM;
	for (size_t i = 0; i < b->sections; i++) {
		size_t old = b->section[i].bytes.size, new, more;

		if (!replaced_of(b, i))
			continue;
		new = b->kernel[b->section[i].kernel - 1].size;
		more = new > old ? (new - old + ALIGNMENT - 1) / ALIGNMENT *ALIGNMENT : 0;
		grown_add(w, i, more);
		w->size += more;
	}
	for (size_t i = 0; i < w->num; i++)
		if (w->head.e_phnum || !is_alone(w, i))
			return VSAMP_GEN_EUNSUPPORTED;
	return VSAMP_GEN_OK;
}

static void bytes_copy(struct writing *w)
{
	const uint8_t *from = w->b->file.data;
	size_t at = 0, shift = 0;

	for (size_t i = 0; i < w->num; i++) {
		const struct gen_section *s = &w->b->section[w->grown[i].section];

		memcpy(w->to + at + shift, from + at, s->head.sh_offset - at);
		memcpy(w->to + s->head.sh_offset + shift, w->b->kernel[s->kernel - 1].code,
		       w->b->kernel[s->kernel - 1].size);
		at = s->head.sh_offset + s->head.sh_size;
		shift += w->grown[i].bytes;
	}
	memcpy(w->to + at + shift, from + at, w->b->file.size - at);
}

static void heads_move(struct writing *w)
{
	uint64_t table = file_moved(w, w->head.e_shoff);

	for (size_t i = 0; i < w->b->sections; i++) {
		Elf64_Shdr head = w->b->section[i].head;

		if (head.sh_type == SHT_NULL)
			continue;
		head.sh_offset = file_moved(w, head.sh_offset);
		if (replaced_of(w->b, i))
			head.sh_size = w->b->kernel[w->b->section[i].kernel - 1].size;
		memcpy(w->to + table + i * sizeof(head), &head, sizeof(head));
	}
	w->head.e_shoff = table;
	memcpy(w->to, &w->head, sizeof(w->head));
}

static void symbols_move(struct writing *w, const struct gen_section *s)
{
	uint8_t *to = w->to + file_moved(w, s->head.sh_offset);
	Elf64_Sym sym;

	for (size_t at = 0; s->bytes.size - at >= sizeof(sym); at += sizeof(sym)) {
		uint64_t end;

		memcpy(&sym, s->bytes.data + at, sizeof(sym));
		if (!replaced_of(w->b, sym.st_shndx))
			continue;
		end = moved_to(w->b, sym.st_shndx, sym.st_value + sym.st_size);
		sym.st_value = moved_to(w->b, sym.st_shndx, sym.st_value);
		sym.st_size = end - sym.st_value;
		memcpy(to + at, &sym, sizeof(sym));
	}
}

/* An entry of either kind begins with what is moved */
static void relocations_move(struct writing *w, const struct gen_section *s)
{
	size_t each = s->head.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	uint8_t *to = w->to + file_moved(w, s->head.sh_offset);
	uint64_t offset;

	if (!replaced_of(w->b, s->head.sh_info))
		return;
	for (size_t at = 0; s->bytes.size - at >= each; at += each) {
		memcpy(&offset, s->bytes.data + at, sizeof(offset));
		offset = moved_to(w->b, s->head.sh_info, offset);
		memcpy(to + at, &offset, sizeof(offset));
	}
}

enum vsamp_gen_status vsamp_gen_binary_write(const struct vsamp_gen_binary *b, void **data,
					     size_t *size)
{
	struct writing w = { .b = b, .size = b->file.size };
	enum vsamp_gen_status status;

	memcpy(&w.head, b->file.data, sizeof(w.head));
	status = grown_collect(&w);
	if (!status) {
		w.to = calloc(1, w.size);
		status = w.to ? VSAMP_GEN_OK : VSAMP_GEN_ENOMEM;
	}
	if (!status) {
		bytes_copy(&w);
		for (size_t i = 0; i < b->sections && w.num; i++) {
			const struct gen_section *s = &b->section[i];

			if (s->head.sh_type == SHT_SYMTAB)
				symbols_move(&w, s);
			if (s->head.sh_type == SHT_REL || s->head.sh_type == SHT_RELA)
				relocations_move(&w, s);
		}
		if (w.num)
			heads_move(&w);
		*data = w.to;
		*size = w.size;
	}
	free(w.grown);
	return status;
}

enum vsamp_gen_status vsamp_gen_binary_function(const struct vsamp_gen_binary *b, const char *name,
						const void **code, size_t *size)
{
	for (size_t i = 0; i < b->sections; i++) {
		const struct gen_section *s = &b->section[i], *in;
		Elf64_Sym sym;

		if (s->head.sh_type != SHT_SYMTAB || s->head.sh_link >= b->sections)
			continue;
		for (size_t at = 0; s->bytes.size - at >= sizeof(sym); at += sizeof(sym)) {
			memcpy(&sym, s->bytes.data + at, sizeof(sym));
			if (sym.st_shndx >= b->sections || ELF64_ST_TYPE(sym.st_info) != STT_FUNC)
				continue;
			in = &b->section[sym.st_shndx];
			if (!in->bytes.data || !sym.st_size || sym.st_value > in->bytes.size ||
			    sym.st_size > in->bytes.size - sym.st_value ||
			    strcmp(gen_text_at(b->section[s->head.sh_link].bytes, sym.st_name),
				   name))
				continue;
			*code = in->bytes.data + sym.st_value;
			*size = sym.st_size;
			return VSAMP_GEN_OK;
		}
	}
	return VSAMP_GEN_EINVAL;
}
