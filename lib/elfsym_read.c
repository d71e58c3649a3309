// SPDX-License-Identifier: MIT
/* elfsym_read.c: the symbols of code as ELF files have them */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "elfsym_private.h"

#define PLT_ENTRY 16

static int elf_open(int fd, Elf **elf)
{
	elf_version(EV_CURRENT);
	*elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!*elf || elf_kind(*elf) != ELF_K_ELF) {
		elf_end(*elf);
		return -EBADMSG;
	}
	return 0;
}

int elfsym_read_id(int fd, struct buildid *id)
{
	const void *bits;
	ssize_t size;
	Elf *elf;
	int ret = elf_open(fd, &elf);

	if (ret)
		return ret;
	*id = (struct buildid){ 0 };
	size = dwelf_elf_gnu_build_id(elf, &bits);
	if (size > 0 && size <= BUILDID_MAX) {
		id->size = size;
		memcpy(id->data, bits, size);
	}
	elf_end(elf);
	return 0;
}

static int add_segments(struct elfsym *es, Elf *elf)
{
	size_t count = 0;
	GElf_Phdr ph;
	int ret = 0;

	elf_getphdrnum(elf, &count);
	/* a file may claim to have billions, but not have them */
	for (size_t i = 0; i < count && !ret && gelf_getphdr(elf, i, &ph); i++) {
		struct elfsym_segment s;

		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		s = (struct elfsym_segment){ ph.p_offset, ph.p_filesz, ph.p_vaddr };
		ret = buf_add(&es->segments, &s, sizeof(s));
	}
	return ret;
}

static int add_name(struct elfsym *es, const void *text, size_t size, uint32_t *at)
{
	*at = es->names.size;
	return es->names.size + size > UINT32_MAX / 2 ? -ENOMEM : buf_add(&es->names, text, size);
}

static int add_symbol(struct elfsym *es, struct elfsym_entry s, const char *name,
		      const char *suffix)
{
	uint32_t behind;
	int ret = add_name(es, name, strlen(name), &s.name);

	if (!ret)
		ret = add_name(es, suffix, strlen(suffix) + 1, &behind);
	return ret ? ret : buf_add(&es->symbols, &s, sizeof(s));
}

static int bind_rank(const GElf_Sym *sym)
{
	int bind = GELF_ST_BIND(sym->st_info);

	return bind == STB_LOCAL ? 2 : bind == STB_WEAK;
}

/* Whether it names code; assembler labels do, but not those that only mark something */
static bool symbol_rank(const GElf_Sym *sym, const char *name, uint8_t *rank)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		*rank = 3 * RANK_FUNCTION + bind_rank(sym);
		return *name;
	case STT_NOTYPE:
		*rank = 3 * RANK_LABEL + bind_rank(sym);
		return *name && *name != '$' && strncmp(name, ".L", 2);
	}
	return false;
}

/* By number of a section, where the code in it ends; 0: it has none */
static int ends_read(Elf *elf, uint64_t **end, size_t *count)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (elf_getshdrnum(elf, count))
		*count = 0;
	if (*count > SHN_LORESERVE)
		*count = SHN_LORESERVE;
	*end = calloc(*count + 1, sizeof(**end));
	if (!*end)
		return -ENOMEM;
	while ((scn = elf_nextscn(elf, scn)))
		if (elf_ndxscn(scn) < *count && gelf_getshdr(scn, &sh) &&
		    sh.sh_flags & SHF_EXECINSTR)
			(*end)[elf_ndxscn(scn)] = sh.sh_addr + sh.sh_size;
	return 0;
}

/* All names at once, with a zero behind them; how large they are, 0: there are none */
static int add_strings(struct elfsym *es, Elf *elf, size_t section, uint32_t *at, size_t *size)
{
	Elf_Data *data = elf_rawdata(elf_getscn(elf, section), NULL);
	uint32_t end;
	int ret;

	*size = data && data->d_buf ? data->d_size : 0;
	ret = add_name(es, *size ? data->d_buf : NULL, *size, at);
	return ret ? ret : add_name(es, "", 1, &end);
}

static int add_rows(struct elfsym *es, Elf_Data *data, const uint64_t *end, size_t ends,
		    uint32_t names, size_t names_size)
{
	GElf_Sym sym;
	int ret = 0;

	for (int i = 1; !ret && gelf_getsym(data, i, &sym); i++) {
		struct elfsym_entry s = { .start = sym.st_value, .name = names + sym.st_name };

		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= ends ||
		    sym.st_name >= names_size || !symbol_rank(&sym, elfsym_name(es, &s), &s.rank))
			continue;
		s.limit = end[sym.st_shndx];
		s.end = s.start + sym.st_size;
		if (s.start >= s.limit || s.end < s.start)
			continue;
		if (s.end > s.limit)
			s.end = s.limit;
		ret = buf_add(&es->symbols, &s, sizeof(s));
	}
	return ret;
}

static int add_table(struct elfsym *es, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	uint64_t *end;
	size_t ends, size;
	uint32_t names;
	int ret;

	if (!data || elf_ndxscn(scn) == sh->sh_link)
		return 0;
	ret = ends_read(elf, &end, &ends);
	if (!ret)
		ret = add_strings(es, elf, sh->sh_link, &names, &size);
	if (!ret)
		ret = add_rows(es, data, end, ends, names, size);
	free(end);
	return ret;
}

/* Calls to other modules go through stubs without symbols: the relocations name them in order */
static int add_plt(struct elfsym *es, Elf *elf, Elf_Scn *relocations, const GElf_Shdr *plt,
		   unsigned int first)
{
	Elf_Data *data = elf_getdata(relocations, NULL), *table;
	GElf_Shdr sh, symtab;
	GElf_Rela rela;
	GElf_Sym sym;
	int ret = 0;

	if (!data || !gelf_getshdr(relocations, &sh) || !sh.sh_entsize ||
	    !gelf_getshdr(elf_getscn(elf, sh.sh_link), &symtab))
		return 0;
	table = elf_getdata(elf_getscn(elf, sh.sh_link), NULL);
	for (size_t i = 0; table && i < sh.sh_size / sh.sh_entsize && !ret; i++) {
		struct elfsym_entry s = { .rank = 3 * RANK_PLT };
		const char *name;

		if (!gelf_getrela(data, i, &rela) ||
		    !gelf_getsym(table, GELF_R_SYM(rela.r_info), &sym))
			break;
		name = elf_strptr(elf, symtab.sh_link, sym.st_name);
		s.start = plt->sh_addr + (i + first) * PLT_ENTRY;
		s.end = s.start + PLT_ENTRY;
		s.limit = plt->sh_addr + plt->sh_size;
		if (s.end > s.limit)
			break;
		if (name && *name)
			ret = add_symbol(es, s, name, "@plt");
	}
	return ret;
}

static int add_plts(struct elfsym *es, Elf *elf)
{
	Elf_Scn *scn = NULL, *relocations = NULL;
	GElf_Shdr plt = { 0 }, sh;
	unsigned int first = 1; /* .plt begins with the resolver's entry */
	GElf_Ehdr eh;
	size_t names;

	if (!gelf_getehdr(elf, &eh) || eh.e_machine != EM_X86_64 || elf_getshdrstrndx(elf, &names))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name)
			continue;
		if (!strcmp(name, ".rela.plt") && sh.sh_type == SHT_RELA) {
			relocations = scn;
		} else if (!strcmp(name, ".plt.sec")) {
			plt = sh;
			first = 0;
		} else if (!strcmp(name, ".plt") && first) {
			plt = sh;
		}
	}
	return relocations && plt.sh_size ? add_plt(es, elf, relocations, &plt, first) : 0;
}

/* 1: it has a full table of symbols */
static int add_symbols(struct elfsym *es, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int full = 0, ret = 0;

	while (!ret && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) ||
		    (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		full |= sh.sh_type == SHT_SYMTAB;
		ret = add_table(es, elf, scn, &sh);
	}
	return ret ? ret : full;
}

static int add_elf(struct elfsym *es, Elf *elf)
{
	int ret = add_segments(es, elf);

	if (!ret)
		ret = add_plts(es, elf);
	return ret ? ret : add_symbols(es, elf);
}

int elfsym_add_file(struct elfsym *es, int fd)
{
	Elf *elf;
	int ret = elf_open(fd, &elf);

	if (ret)
		return ret;
	ret = add_elf(es, elf);
	elf_end(elf);
	return ret;
}

static int image_open(void *image, size_t size, Elf **elf)
{
	elf_version(EV_CURRENT);
	*elf = elf_memory(image, size);
	if (!*elf || elf_kind(*elf) != ELF_K_ELF) {
		elf_end(*elf);
		return -EBADMSG;
	}
	return 0;
}

int elfsym_add_image(struct elfsym *es, void *image, size_t size)
{
	Elf *elf;
	int ret = image_open(image, size, &elf);

	if (ret)
		return ret;
	ret = add_elf(es, elf);
	elf_end(elf);
	return ret;
}

int elfsym_add_debug_image(struct elfsym *es, void *image, size_t size)
{
	Elf *elf;
	int ret = image_open(image, size, &elf);

	if (ret)
		return ret;
	ret = add_symbols(es, elf);
	elf_end(elf);
	return ret;
}

int elfsym_add_code(struct elfsym *es, uint64_t address, uint64_t size, const char *name)
{
	struct elfsym_segment all = { 0, UINT64_MAX, 0 };
	struct elfsym_entry s = { .start = address, .end = address + size };
	int ret = 0;

	if (s.end <= s.start)
		return 0;
	s.limit = s.end;
	if (!es->segments.size)
		ret = buf_add(&es->segments, &all, sizeof(all));
	return ret ? ret : add_symbol(es, s, name, "");
}

int elfsym_add_debug(struct elfsym *es, int fd)
{
	Elf *elf;
	int ret = elf_open(fd, &elf);

	if (ret)
		return ret;
	ret = add_symbols(es, elf);
	elf_end(elf);
	return ret;
}
