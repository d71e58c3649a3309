// SPDX-License-Identifier: MIT
/* lines_dwarf.c: line tables as compilers write them, read once and as a whole */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lines.h"

/* Of a section when it is unpacked */
#define SECTION_MAX (2ULL << 30)

/*
 * Whether sections can be unpacked: that is done whole before anything else. What is told of their
 * sizes isn't believed. @rows: receives how many rows of lines there may be, which a byte each makes
 */
static bool sections_bounded(Elf *elf, uint64_t *rows)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Chdr ch;
	size_t names;

	*rows = 0;
	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		uint64_t size;

		if (!gelf_getshdr(scn, &sh))
			continue;
		size = sh.sh_size;
		if (sh.sh_flags & SHF_COMPRESSED) {
			if (!gelf_getchdr(scn, &ch) || ch.ch_size > SECTION_MAX)
				return false;
			size = ch.ch_size;
		}
		name = elf_strptr(elf, names, sh.sh_name);
		if (name && !strcmp(name, ".debug_line"))
			*rows = size;
	}
	return true;
}

/* The number of the first row at @address or behind it; rows of a unit are by address */
static size_t row_find(Dwarf_Lines *rows, size_t count, Dwarf_Addr address)
{
	size_t low = 0, high = count;
	Dwarf_Addr at;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (!dwarf_lineaddr(dwarf_onesrcline(rows, middle), &at) && at < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What one compilation made */
struct unit {
	struct lines *l;
	Dwarf_Lines *rows;
	size_t count;
	uint64_t *room;	       /* how many rows all units may still have */
	const char *folder;    /* that it was made in; NULL: not told */
	const char *last_name; /* of a file, and the number that it has */
	int64_t last_file;
};

/* With the folder where there is none, which version 5 leaves to the reader */
static int64_t file_number(struct unit *u, const char *name)
{
	char path[PATH_MAX];

	if (name == u->last_name)
		return u->last_file;
	u->last_name = name;
	if (name[0] != '/' && u->folder &&
	    snprintf(path, sizeof(path), "%s/%s", u->folder, name) < (int)sizeof(path))
		name = path;
	u->last_file = lines_file(u->l, name);
	return u->last_file;
}

static int add_row(struct unit *u, Dwarf_Line *row)
{
	const char *name = dwarf_linesrc(row, NULL, NULL);
	Dwarf_Addr address;
	int64_t file;
	int line;

	if (!name || dwarf_lineaddr(row, &address) || dwarf_lineno(row, &line))
		return 0;
	file = file_number(u, name);
	return file < 0 ? file : lines_add(u->l, address, file, line > 0 ? line : 0);
}

/*
 * A unit's pieces of code are told by its ranges. Its rows are sorted by address alone, so that it
 * can't be told from them which of those at the mark of an end are in front of it.
 */
static int add_range(struct unit *u, Dwarf_Addr start, Dwarf_Addr end)
{
	int ret = lines_begin(u->l);
	Dwarf_Addr address;
	bool mark;

	for (size_t i = row_find(u->rows, u->count, start); i < u->count && *u->room && !ret; i++) {
		Dwarf_Line *row = dwarf_onesrcline(u->rows, i);

		if (dwarf_lineaddr(row, &address) || address >= end)
			break;
		--*u->room;
		if (!dwarf_lineendsequence(row, &mark) && !mark)
			ret = add_row(u, row);
	}
	if (!ret)
		lines_end(u->l, end);
	return ret;
}

/* 1: it has a table of lines */
static int add_unit(struct lines *l, Dwarf_Die *die, uint64_t *room)
{
	struct unit u = { .l = l, .room = room };
	Dwarf_Addr base, start, end;
	Dwarf_Attribute folder;
	ptrdiff_t at = 0;
	int ret = 0;

	if (dwarf_getsrclines(die, &u.rows, &u.count) || !u.count)
		return 0;
	if (dwarf_attr(die, DW_AT_comp_dir, &folder))
		u.folder = dwarf_formstring(&folder);
	/* linkers leave code that they left out at 0 */
	while (!ret && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (start && start < end)
			ret = add_range(&u, start, end);
	return ret ? ret : 1;
}

static int add_units(struct lines *l, Dwarf *dwarf, uint64_t room)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	int ret = 0, got = 0;

	while (ret >= 0 && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL)) {
		if (type == DW_UT_type || type == DW_UT_partial)
			continue;
		ret = add_unit(l, &unit, &room);
		got |= ret;
	}
	return ret < 0 ? ret : got;
}

/* libdw reads strings up to their end, and on behind a section that has none */
static bool strings_end(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) :
							    NULL;
		Elf_Data *data;

		if (!name || (strcmp(name, ".debug_str") && strcmp(name, ".debug_line_str")))
			continue;
		data = elf_getdata(scn, NULL);
		if (data && data->d_size && ((const char *)data->d_buf)[data->d_size - 1])
			return false;
	}
	return true;
}

/* Strings may be in a file that several share; to open what is none could make us wait */
static bool shared_file_ok(Dwarf *dwarf)
{
	const char *path;
	const void *id;
	struct stat st;

	return dwelf_dwarf_gnu_debugaltlink(dwarf, &path, &id) <= 0 || stat(path, &st) ||
	       S_ISREG(st.st_mode);
}

int lines_add_file(struct lines *l, int fd)
{
	Dwarf *dwarf = NULL;
	uint64_t room;
	Elf *elf;
	int ret = 0;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && sections_bounded(elf, &room))
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf && strings_end(elf) && shared_file_ok(dwarf))
		ret = add_units(l, dwarf, room);
	dwarf_end(dwarf);
	elf_end(elf);
	return ret;
}
