// SPDX-License-Identifier: MIT
/* kernel_module.c: files of the kernel's modules, which are not linked: each section begins at 0 */
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "kernel_file.h"

/* "kernel/fs/nls/nls-utf8.ko" is of "[nls_utf8]" */
static bool file_is(const char *path, size_t length, const char *module)
{
	const char *base = memrchr(path, '/', length);
	size_t i;

	base = base ? base + 1 : path;
	for (i = 0; base + i < path + length && base[i] != '.'; i++)
		if (!module[i + 1] || (base[i] == '-' ? '_' : base[i]) != module[i + 1])
			return false;
	return !strcmp(module + i + 1, "]") && base + i < path + length;
}

int kernel_module_path(const char *root, const char *release, const char *module, char *path,
		       size_t size)
{
	char *line = NULL;
	size_t room = 0;
	int ret = -ENOENT;
	FILE *f;

	if (strchr(release, '/') ||
	    snprintf(path, size, "%s/%s/modules.dep", root, release) >= (int)size)
		return -ENOENT;
	f = fopen(path, "re");
	if (!f)
		return -ENOENT;
	while (ret && getline(&line, &room, f) > 0) {
		size_t length = strcspn(line, ":");

		if (line[length] && file_is(line, length, module) &&
		    snprintf(path, size, "%s/%s/%.*s", root, release, (int)length, line) <
			    (int)size)
			ret = 0;
	}
	free(line);
	fclose(f);
	return ret;
}

/* Symbols of this name in a table: how many; @sym: the last one */
static unsigned int find_in(Elf *elf, Elf_Scn *table, const GElf_Shdr *sh, const char *name,
			    GElf_Sym *found)
{
	Elf_Data *data = elf_getdata(table, NULL);
	size_t count = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	unsigned int n = 0;
	GElf_Sym sym;

	for (size_t i = 1; data && i < count && gelf_getsym(data, i, &sym); i++) {
		const char *text = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (!text || strcmp(text, name) || sym.st_shndx == SHN_UNDEF ||
		    sym.st_shndx >= SHN_LORESERVE)
			continue;
		*found = sym;
		n++;
	}
	return n;
}

static int section_name(Elf *elf, size_t index, char section[64])
{
	const char *name;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) || !gelf_getshdr(elf_getscn(elf, index), &sh))
		return -ENOENT;
	name = elf_strptr(elf, names, sh.sh_name);
	return name && *name && snprintf(section, 64, "%s", name) < 64 ? 0 : -ENOENT;
}

int kernel_module_symbol(int fd, const char *name, uint64_t *value, char section[64])
{
	Elf_Scn *scn = NULL;
	unsigned int n = 0;
	int ret = -ENOENT;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			n += find_in(elf, scn, &sh, name, &sym);
	if (n == 1) {
		*value = sym.st_value;
		ret = section_name(elf, sym.st_shndx, section);
	}
	elf_end(elf);
	return ret;
}
