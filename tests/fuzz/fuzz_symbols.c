// SPDX-License-Identifier: MIT
/*
 * Fuzzes everything that reads what names come from. The first byte of an input tells what the rest
 * is: 'E' an ELF file with symbols, lines and .gnu_debugdata; 'M' /tmp/perf-PID.map; 'J' a jitdump;
 * 'N' a mangled name.
 *
 *	fuzz_symbols FOLDER		fuzzes (libFuzzer has the options)
 */
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debugfile.h"
#include "demangle.h"
#include "elfsym.h"
#include "jitdump.h"
#include "lines.h"
#include "perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take_none(void *arg, int fd)
{
	return 0;
}

static void search(const struct elfsym *es, const struct lines *l)
{
	struct elfsym_symbol sym;
	const char *file;
	uint64_t address;
	uint32_t line;

	for (uint64_t at = 0; at < 0x2000; at += 0x33) {
		if (!elfsym_find(es, at, &sym) && strlen(sym.name) == SIZE_MAX)
			abort();
		if (!elfsym_address(es, at, &address) && !lines_find(l, address, &file, &line) &&
		    strlen(file) == SIZE_MAX)
			abort();
	}
}

static void read_elf(int fd, struct elfsym *es, struct lines *l)
{
	struct debugfile_of of = { .fd = fd, .path = "/nowhere/file" };
	struct buf image = { 0 };

	if (elfsym_add_file(es, fd) < 0)
		return;
	elfsym_read_id(fd, &of.id);
	debugfile_each(&of, DEBUGFILE_HERE, take_none, NULL);
	if (!debugfile_mini(fd, &image))
		elfsym_add_debug_image(es, image.data, image.size);
	buf_free(&image);
	lines_add_file(l, fd);
}

static void read_jitdump(int fd, struct elfsym *es, struct lines *l)
{
	struct vsamp_clock_fit *clock;
	struct jitdump *jd = NULL;
	uint64_t offset;

	if (vsamp_clock_fit_new(&clock, NULL, 0, 0))
		abort();
	if (!jitdump_read(&jd, fd, clock, es, l))
		for (uint64_t at = 0; at < 0x4000; at += 0x33)
			jitdump_find(jd, at, at, &offset);
	jitdump_free(jd);
	vsamp_clock_fit_free(clock);
}

static void read_map(int fd, struct elfsym *es)
{
	FILE *f = fdopen(dup(fd), "r");

	if (!f || perfmap_read(es, f))
		abort();
	fclose(f);
}

static void read_name(const uint8_t *data, size_t size)
{
	char name[4096], out[DEMANGLE_MAX];

	if (size >= sizeof(name))
		return;
	memcpy(name, data, size);
	name[size] = '\0';
	__lsan_disable(); /* see there */
	if (demangle(name, out) && strlen(out) >= sizeof(out))
		abort();
	__lsan_enable();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct elfsym *es;
	struct lines *l;

	if (fd < 0 || elfsym_new(&es) || lines_new(&l))
		abort();
	if (size && write(fd, data + 1, size - 1) == (ssize_t)size - 1) {
		lseek(fd, 0, SEEK_SET);
		if (*data == 'E')
			read_elf(fd, es, l);
		else if (*data == 'J')
			read_jitdump(fd, es, l);
		else if (*data == 'M')
			read_map(fd, es);
		else if (*data == 'N')
			read_name(data + 1, size - 1);
	}
	if (elfsym_index(es))
		abort();
	lines_index(l);
	search(es, l);
	elfsym_free(es);
	lines_free(l);
	close(fd);
	return 0;
}
