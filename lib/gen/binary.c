// SPDX-License-Identifier: MIT
/* binary.c: zebin files: which sections are kernels, and what belongs to each */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary.h"

#define MACHINE	      205 /* EM_INTELGT */
#define NOTE_OWNER    "IntelGT"
#define NOTE_PRODUCT  1
#define TEXT	      ".text."
#define FREE_LIST     ".gtpin_info."
#define ZE_INFO	      ".ze_info"
#define NOTES	      ".note.intelgt.compat"
#define ENTRY	      "_entry"
#define KERNELS_MAX   4096
#define NAME_LENGTH   4096 /* that is looked at */
#define GRF_FILE_SIZE (256 * 64)

/* Families of products, as the notes have them */
static const struct {
	uint32_t product;
	enum vsamp_gen_platform platform;
} products[] = {
	{ 0x12, VSAMP_GEN_GEN9 },    /* Skylake */
	{ 0x13, VSAMP_GEN_GEN9 },    /* Kaby Lake, Amber Lake */
	{ 0x14, VSAMP_GEN_GEN9 },    /* Coffee Lake, Whiskey Lake, Comet Lake */
	{ 0x16, VSAMP_GEN_GEN9 },    /* Apollo Lake */
	{ 0x17, VSAMP_GEN_GEN9 },    /* Gemini Lake */
	{ 0x1a, VSAMP_GEN_GEN11 },   /* Ice Lake */
	{ 0x1b, VSAMP_GEN_GEN11 },   /* Lakefield */
	{ 0x1c, VSAMP_GEN_GEN11 },   /* Elkhart Lake, Jasper Lake */
	{ 0x1d, VSAMP_GEN_XE },	     /* Tiger Lake */
	{ 0x1e, VSAMP_GEN_XE },	     /* Rocket Lake */
	{ 0x1f, VSAMP_GEN_XE },	     /* Alder Lake S */
	{ 0x20, VSAMP_GEN_XE },	     /* Alder Lake P */
	{ 0x21, VSAMP_GEN_XE },	     /* Alder Lake N */
	{ 0x4ba, VSAMP_GEN_XE },     /* DG1 */
	{ 0x4f6, VSAMP_GEN_XE_HPG }, /* DG2 */
	{ 0x4f7, VSAMP_GEN_XE_HPC }, /* Ponte Vecchio */
};

struct reading {
	struct vsamp_gen_binary *b;
	char *why;
	size_t why_size;
};

static enum vsamp_gen_status refuse(const struct reading *r, enum vsamp_gen_status status,
				    const char *text, const char *about)
{
	if (r->why && r->why_size)
		snprintf(r->why, r->why_size, "%s%s%s", about, *about ? ": " : "", text);
	return status;
}

static bool fits(struct gen_bytes file, uint64_t offset, uint64_t size)
{
	return offset <= file.size && size <= file.size - offset;
}

const char *gen_text_at(struct gen_bytes texts, uint64_t at)
{
	uint64_t left = at < texts.size ? texts.size - at : 0;

	if (!left || !memchr(texts.data + at, 0, left < NAME_LENGTH ? left : NAME_LENGTH))
		return "";
	return (const char *)texts.data + at;
}

static bool head_is_known(const Elf64_Ehdr *h)
{
	return !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_machine == MACHINE &&
	       h->e_shentsize == sizeof(Elf64_Shdr);
}

static enum vsamp_gen_status sections_read(struct reading *r)
{
	struct gen_bytes file = r->b->file;
	uint64_t all = 0;
	Elf64_Ehdr h;

	if (file.size < sizeof(h))
		return refuse(r, VSAMP_GEN_EINVAL, "too short for an ELF file", "");
	memcpy(&h, file.data, sizeof(h));
	if (!head_is_known(&h))
		return refuse(
			r, VSAMP_GEN_EINVAL,
			"no zebin file: ocloc makes one with IGC_EnableZEBinary=1 in its environment",
			"");
	if (!fits(file, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)))
		return refuse(r, VSAMP_GEN_EINVAL, "its table of sections is beyond its end", "");
	r->b->section = calloc(h.e_shnum + 1UL, sizeof(*r->b->section));
	if (!r->b->section)
		return refuse(r, VSAMP_GEN_ENOMEM, "out of memory", "");
	r->b->sections = h.e_shnum;
	for (size_t i = 0; i < r->b->sections; i++) {
		struct gen_section *s = &r->b->section[i];

		s->name = "";
		memcpy(&s->head, file.data + h.e_shoff + i * sizeof(s->head), sizeof(s->head));
		if (s->head.sh_type == SHT_NULL || s->head.sh_type == SHT_NOBITS)
			continue;
		if (!fits(file, s->head.sh_offset, s->head.sh_size))
			return refuse(r, VSAMP_GEN_EINVAL, "a section is beyond its end", "");
		s->bytes = (struct gen_bytes){ file.data + s->head.sh_offset, s->head.sh_size };
		/* or reading each would take much longer than reading the file */
		all += s->head.sh_size;
		if (all > file.size)
			return refuse(r, VSAMP_GEN_EINVAL, "its sections lie within one another",
				      "");
	}
	for (size_t i = 0; i < r->b->sections && h.e_shstrndx < r->b->sections; i++)
		r->b->section[i].name = gen_text_at(r->b->section[h.e_shstrndx].bytes,
						    r->b->section[i].head.sh_name);
	return VSAMP_GEN_OK;
}

/* The section of a name; without data: there is none */
static struct gen_bytes section_named(const struct reading *r, const char *name)
{
	for (size_t i = 0; i < r->b->sections; i++)
		if (!strcmp(r->b->section[i].name, name))
			return r->b->section[i].bytes;
	return (struct gen_bytes){ NULL, 0 };
}

/* The product that notes tell of; 0: none */
static uint32_t product_of(struct gen_bytes notes)
{
	uint32_t product;
	Elf64_Nhdr n;

	while (notes.size >= sizeof(n)) {
		uint64_t name, whole;

		memcpy(&n, notes.data, sizeof(n));
		name = sizeof(n) + (((uint64_t)n.n_namesz + 3) & ~3ULL);
		whole = name + (((uint64_t)n.n_descsz + 3) & ~3ULL);
		if (whole > notes.size)
			break;
		if (n.n_type == NOTE_PRODUCT && n.n_descsz == sizeof(product) &&
		    n.n_namesz == sizeof(NOTE_OWNER) &&
		    !memcmp(notes.data + sizeof(n), NOTE_OWNER, sizeof(NOTE_OWNER))) {
			memcpy(&product, notes.data + name, sizeof(product));
			return product;
		}
		notes.data += whole;
		notes.size -= whole;
	}
	return 0;
}

static enum vsamp_gen_status model_read(struct reading *r)
{
	uint32_t product = product_of(section_named(r, NOTES));
	char text[64];

	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
		if (products[i].product == product)
			r->b->model = vsamp_gen_model_get(products[i].platform);
	if (r->b->model)
		return VSAMP_GEN_OK;
	snprintf(text, sizeof(text), "for the product %#x, which isn't known here", product);
	return refuse(r, VSAMP_GEN_EUNSUPPORTED, text, "");
}

/* Where kernels' symbols _entry are */
static void entries_read(struct reading *r)
{
	for (size_t i = 0; i < r->b->sections; i++) {
		const struct gen_section *s = &r->b->section[i];
		struct vsamp_gen_kernel *k;
		Elf64_Sym sym;

		if (s->head.sh_type != SHT_SYMTAB || s->head.sh_link >= r->b->sections)
			continue;
		for (size_t at = 0; s->bytes.size - at >= sizeof(sym); at += sizeof(sym)) {
			memcpy(&sym, s->bytes.data + at, sizeof(sym));
			if (sym.st_shndx >= r->b->sections || !r->b->section[sym.st_shndx].kernel)
				continue;
			k = &r->b->kernel[r->b->section[sym.st_shndx].kernel - 1];
			if (sym.st_value < k->size &&
			    !strcmp(gen_text_at(r->b->section[s->head.sh_link].bytes, sym.st_name),
				    ENTRY))
				k->entry = sym.st_value;
		}
	}
}

static int name_order(const void *one, const void *other)
{
	const struct vsamp_gen_kernel *const *a = one, *const *b = other;

	return strcmp((*a)->name, (*b)->name);
}

static enum vsamp_gen_status names_sort(struct reading *r)
{
	r->b->by_name = calloc(r->b->kernels, sizeof(struct vsamp_gen_kernel *));
	if (!r->b->by_name)
		return refuse(r, VSAMP_GEN_ENOMEM, "out of memory", "");
	for (size_t i = 0; i < r->b->kernels; i++)
		r->b->by_name[i] = &r->b->kernel[i];
	qsort(r->b->by_name, r->b->kernels, sizeof(struct vsamp_gen_kernel *), name_order);
	return VSAMP_GEN_OK;
}

struct vsamp_gen_kernel *gen_kernel_named(const struct vsamp_gen_binary *b, const char *name,
					  size_t length)
{
	size_t low = 0, high = b->kernels;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct vsamp_gen_kernel *k = b->by_name[middle];
		size_t has = strlen(k->name);
		int order = memcmp(k->name, name, has < length ? has : length);

		if (!order && has == length)
			return k;
		if (order < 0 || (!order && has < length))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void kernel_read(struct reading *r, struct gen_section *s)
{
	r->b->kernel[r->b->kernels++] = (struct vsamp_gen_kernel){
		.name = s->name + strlen(TEXT),
		.code = s->bytes.data,
		.size = s->bytes.size,
		.simd = 1,
	};
	s->kernel = r->b->kernels;
}

/* The first of a kernel's; those of functions are nobody's */
static enum vsamp_gen_status free_lists_read(struct reading *r)
{
	enum vsamp_gen_status status = VSAMP_GEN_OK;

	for (size_t i = 0; i < r->b->sections && !status; i++) {
		const struct gen_section *s = &r->b->section[i];
		const char *name = s->name + strlen(FREE_LIST);
		struct vsamp_gen_kernel *k;

		if (strncmp(s->name, FREE_LIST, strlen(FREE_LIST)) != 0 || !s->bytes.data)
			continue;
		k = gen_kernel_named(r->b, name, strlen(name));
		if (!k || k->free)
			continue;
		status = gen_free_list_read(s->bytes, GRF_FILE_SIZE, k);
		if (status)
			refuse(r, status, "what it tells of free registers isn't whole", k->name);
	}
	return status;
}

static enum vsamp_gen_status kernels_read(struct reading *r)
{
	enum vsamp_gen_status status;
	size_t n = r->b->sections < KERNELS_MAX ? r->b->sections : KERNELS_MAX;

	r->b->kernel = calloc(n + 1, sizeof(*r->b->kernel));
	r->b->replaced = calloc(n + 1, sizeof(*r->b->replaced));
	if (!r->b->kernel || !r->b->replaced)
		return refuse(r, VSAMP_GEN_ENOMEM, "out of memory", "");
	for (size_t i = 0; i < r->b->sections && r->b->kernels < n; i++)
		if (!strncmp(r->b->section[i].name, TEXT, strlen(TEXT)) &&
		    r->b->section[i].bytes.data)
			kernel_read(r, &r->b->section[i]);
	if (!r->b->kernels)
		return refuse(r, VSAMP_GEN_EINVAL, "it has no kernels", "");
	status = names_sort(r);
	if (!status)
		status = free_lists_read(r);
	if (status)
		return status;
	entries_read(r);
	gen_ze_info_read(section_named(r, ZE_INFO), r->b);
	return VSAMP_GEN_OK;
}

enum vsamp_gen_status vsamp_gen_binary_open(struct vsamp_gen_binary **binary, const void *data,
					    size_t size, char *why, size_t why_size)
{
	struct reading r = { .b = calloc(1, sizeof(*r.b)), .why = why, .why_size = why_size };
	enum vsamp_gen_status status;

	if (!r.b)
		return refuse(&r, VSAMP_GEN_ENOMEM, "out of memory", "");
	r.b->file = (struct gen_bytes){ data, size };
	status = sections_read(&r);
	if (!status)
		status = model_read(&r);
	if (!status)
		status = kernels_read(&r);
	if (status)
		vsamp_gen_binary_close(r.b);
	else
		*binary = r.b;
	return status;
}

const struct vsamp_gen_model *vsamp_gen_binary_model(const struct vsamp_gen_binary *b)
{
	return b->model;
}

size_t vsamp_gen_binary_kernels(const struct vsamp_gen_binary *b)
{
	return b->kernels;
}

const struct vsamp_gen_kernel *vsamp_gen_binary_kernel(const struct vsamp_gen_binary *b, size_t n)
{
	return n < b->kernels ? &b->kernel[n] : NULL;
}

void vsamp_gen_binary_close(struct vsamp_gen_binary *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->kernels; i++) {
		free((void *)b->kernel[i].free);
		free(b->replaced[i].code);
		free(b->replaced[i].moved);
	}
	free(b->replaced);
	free(b->by_name);
	free(b->kernel);
	free(b->section);
	free(b);
}
