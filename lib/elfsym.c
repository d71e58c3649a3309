// SPDX-License-Identifier: MIT
/* elfsym.c: the symbols of code in an ELF file */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "elfsym.h"

#define PLT_ENTRY 16

/* Kinds of symbols, the best first; of one kind global is before weak and weak before local */
enum rank { RANK_FUNCTION, RANK_PLT, RANK_LABEL };

struct symbol {
	uint64_t start, end; /* equal: its size isn't told */
	uint64_t limit;	     /* end of its section */
	uint32_t name;	     /* offset into the names */
	uint8_t rank;
};

struct segment {
	uint64_t offset, size, address;
};

/* From here on up to the next: the symbol's number + 1, or 0 */
struct breakpoint {
	uint64_t address;
	uint32_t symbol;
};

struct elfsym {
	struct buf segments, symbols, breakpoints;
	struct buf names;
};

static size_t count_of(const struct buf *b, size_t row)
{
	return b->size / row;
}

static struct symbol *symbols_of(const struct elfsym *es)
{
	return (struct symbol *)es->symbols.data;
}

static const char *name_of(const struct elfsym *es, const struct symbol *s)
{
	return (const char *)es->names.data + s->name;
}

int elfsym_new(struct elfsym **es)
{
	*es = calloc(1, sizeof(**es));
	return *es ? 0 : -ENOMEM;
}

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
	for (size_t i = 0; i < count && !ret; i++) {
		struct segment s;

		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		s = (struct segment){ ph.p_offset, ph.p_filesz, ph.p_vaddr };
		ret = buf_add(&es->segments, &s, sizeof(s));
	}
	return ret;
}

static int add_symbol(struct elfsym *es, struct symbol s, const char *name, const char *suffix)
{
	int ret;

	s.name = es->names.size;
	if (es->names.size > UINT32_MAX / 2)
		return -ENOMEM;
	ret = buf_add(&es->names, name, strlen(name));
	if (!ret)
		ret = buf_add(&es->names, suffix, strlen(suffix) + 1);
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

static int add_table(struct elfsym *es, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	GElf_Sym sym;
	int ret = 0;

	for (size_t i = 1; data && i < count && !ret && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);
		struct symbol s = { .start = sym.st_value };
		GElf_Shdr home;

		if (!name || sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE ||
		    !symbol_rank(&sym, name, &s.rank) ||
		    !gelf_getshdr(elf_getscn(elf, sym.st_shndx), &home) ||
		    !(home.sh_flags & SHF_EXECINSTR))
			continue;
		s.limit = home.sh_addr + home.sh_size;
		s.end = s.start + sym.st_size;
		if (s.start >= s.limit || s.end < s.start)
			continue;
		if (s.end > s.limit)
			s.end = s.limit;
		ret = add_symbol(es, s, name, "");
	}
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
		struct symbol s = { .rank = 3 * RANK_PLT };
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

int elfsym_add_image(struct elfsym *es, void *image, size_t size)
{
	Elf *elf;
	int ret;

	elf_version(EV_CURRENT);
	elf = elf_memory(image, size);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		ret = -EBADMSG;
	else
		ret = add_elf(es, elf);
	elf_end(elf);
	return ret;
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

/* By start; there the longest first, and of the same range the best last: what is pushed last wins */
static int symbol_order(const void *a, const void *b, void *arg)
{
	const struct symbol *x = a, *y = b;
	const char *m = name_of(arg, x), *n = name_of(arg, y);

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if (x->rank != y->rank)
		return (int)y->rank - x->rank;
	if (strspn(m, "_") != strspn(n, "_"))
		return strspn(m, "_") > strspn(n, "_") ? -1 : 1;
	return strcmp(n, m);
}

/* Symbols without a size reach to the next one; those within another with a size go */
static void settle_ends(struct elfsym *es)
{
	struct symbol *s = symbols_of(es);
	size_t count = count_of(&es->symbols, sizeof(*s)), kept = 0;
	uint64_t next = UINT64_MAX, covered = 0;

	for (size_t i = count; i-- > 0;) {
		if (i + 1 < count && s[i + 1].start > s[i].start)
			next = s[i + 1].start;
		if (s[i].end == s[i].start)
			s[i].limit = next < s[i].limit ? next : s[i].limit;
		else
			s[i].limit = s[i].end;
	}
	for (size_t i = 0; i < count; i++) {
		if (s[i].end == s[i].start && s[i].start < covered)
			continue;
		if (s[i].end > covered)
			covered = s[i].end;
		s[i].end = s[i].limit;
		s[kept++] = s[i];
	}
	es->symbols.size = kept * sizeof(*s);
}

static int breakpoint_add(struct elfsym *es, uint64_t address, uint32_t symbol)
{
	struct breakpoint b = { address, symbol };
	struct breakpoint *last = (void *)(es->breakpoints.data + es->breakpoints.size);

	if (es->breakpoints.size && last[-1].address == address) {
		last[-1].symbol = symbol;
		return 0;
	}
	return buf_add(&es->breakpoints, &b, sizeof(b));
}

/* Symbols whose end was reached leave the stack; each gives way to what is below it */
static int stack_leave(struct elfsym *es, const uint32_t *stack, size_t *depth, uint64_t at)
{
	const struct symbol *s = symbols_of(es);
	int ret = 0;

	while (!ret && *depth && s[stack[*depth - 1]].end <= at) {
		uint64_t end = s[stack[--*depth]].end;

		while (*depth && s[stack[*depth - 1]].end <= end)
			--*depth;
		ret = breakpoint_add(es, end, *depth ? stack[*depth - 1] + 1 : 0);
	}
	return ret;
}

int elfsym_index(struct elfsym *es)
{
	struct symbol *s = symbols_of(es);
	size_t count = count_of(&es->symbols, sizeof(*s)), depth = 0;
	uint32_t *stack;
	int ret = 0;

	if (count)
		qsort_r(s, count, sizeof(*s), symbol_order, es);
	settle_ends(es);
	count = count_of(&es->symbols, sizeof(*s));
	stack = calloc(count + 1, sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	for (size_t i = 0; i < count && !ret; i++) {
		ret = stack_leave(es, stack, &depth, s[i].start);
		stack[depth++] = i;
		if (!ret)
			ret = breakpoint_add(es, s[i].start, i + 1);
	}
	if (!ret)
		ret = stack_leave(es, stack, &depth, UINT64_MAX);
	free(stack);
	return ret;
}

size_t elfsym_count(const struct elfsym *es)
{
	return count_of(&es->symbols, sizeof(struct symbol));
}

static int offset_to_address(const struct elfsym *es, uint64_t offset, uint64_t *address)
{
	const struct segment *s = (const void *)es->segments.data;

	for (size_t i = 0; i < count_of(&es->segments, sizeof(*s)); i++) {
		if (offset >= s[i].offset && offset - s[i].offset < s[i].size) {
			*address = offset - s[i].offset + s[i].address;
			return 0;
		}
	}
	return -ENOENT;
}

int elfsym_find(const struct elfsym *es, uint64_t offset, struct elfsym_symbol *sym)
{
	const struct breakpoint *b = (const void *)es->breakpoints.data;
	size_t low = 0, high = count_of(&es->breakpoints, sizeof(*b));
	const struct symbol *s;
	uint64_t address;

	if (offset_to_address(es, offset, &address))
		return -ENOENT;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !b[low - 1].symbol)
		return -ENOENT;
	s = &symbols_of(es)[b[low - 1].symbol - 1];
	*sym = (struct elfsym_symbol){ s->start, s->end, name_of(es, s) };
	return 0;
}

void elfsym_free(struct elfsym *es)
{
	if (!es)
		return;
	buf_free(&es->segments);
	buf_free(&es->symbols);
	buf_free(&es->breakpoints);
	buf_free(&es->names);
	free(es);
}
