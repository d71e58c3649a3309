// SPDX-License-Identifier: MIT
/* Which names a recording may take from the machine that reports: by what it says of its own */
#include "mkfile.h"

#include <elf.h>
#include <inttypes.h>
#include <sys/auxv.h>

#include <vsamp/machine.h>
#include <vsamp/profile.h>

#include "vdso.h"

#define VDSO_AT 0x7fff00000000

/* A text symbol of the kernel that runs, as it says itself; false: they are hidden from us */
static bool kernel_symbol(uint64_t *address, char name[128])
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[256], type;
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%" SCNx64 " %c %127s", address, &type, name) == 3 &&
			*address && type == 'T' && !strcmp(name, "schedule");
	if (f)
		fclose(f);
	return found;
}

/* Where clock_gettime() is in our vDSO */
static uint64_t vdso_offset(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const void *)image;
	const Elf64_Shdr *sh = (const void *)(image + eh->e_shoff);

	for (int i = 0; i < eh->e_shnum; i++) {
		const Elf64_Sym *sym = (const void *)(image + sh[i].sh_offset);
		const char *names = image + sh[sh[i].sh_link].sh_offset;

		if (sh[i].sh_type != SHT_DYNSYM)
			continue;
		for (size_t s = 0; s < sh[i].sh_size / sizeof(*sym); s++)
			if (strstr(names + sym[s].st_name, "clock_gettime") &&
			    ELF64_ST_TYPE(sym[s].st_info) == STT_FUNC)
				return sym[s].st_value;
	}
	fail_msg("no clock_gettime in the vDSO");
	return 0;
}

/* A sample in the kernel and one in the vDSO, of a boot, and of build-ids (NULL: not told) */
static void make(const char *boot, const char *kernel_id, const char *vdso, uint64_t kernel)
{
	char meta[1024];
	struct vsamp_writer *w;

	snprintf(meta, sizeof(meta),
		 "{\"version\":1,\"boot_id\":\"%s\",%s%s%s%s%s%s\"clock\":{\"source\":\"tsc\","
		 "\"khz\":1000000},\"events\":[{\"index\":0,\"name\":\"a\",\"sav\":1000}]}",
		 boot, kernel_id ? "\"kernel_build_id\":\"" : "", kernel_id ? kernel_id : "",
		 kernel_id ? "\"," : "", vdso ? "\"vdso_build_id\":\"" : "", vdso ? vdso : "",
		 vdso ? "\"," : "");
	w = mk_open_meta(path, meta);
	mk_clock(w, 0, 1000, 1, 1000);
	mk_mmap2(w, 0, 5, VDSO_AT, 0x2000, 0, "[vdso]", NULL, 0, 1);
	mk_sample(w, 0, 0, false, 2000, kernel, 5);
	mk_sample(w, 0, 0, true, 3000, VDSO_AT + vdso_offset(), 5);
	mk_close(w);
}

/* The symbol that is shown in a module, and the note; names are copied */
static bool shown(const char *module, char symbol[128], char note[256])
{
	const struct vsamp_profile_options options = { .by = VSAMP_BY_MODULE | VSAMP_BY_SYMBOL };
	struct vsamp_profile_row *row;
	struct vsamp_profile *p;
	struct vsamp_recording *rec;
	bool found = false;
	size_t count;

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_profile_new(&p, rec, &options, NULL), 0);
	assert_int_equal(vsamp_profile_rows(p, options.by, 0, &row, &count, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(row[i].module, module))
			continue;
		snprintf(symbol, 128, "%s", row[i].symbol);
		snprintf(note, 256, "%s", row[i].note ? row[i].note : "");
		found = true;
	}
	free(row);
	vsamp_profile_free(p);
	vsamp_recording_close(rec);
	return found;
}

static void test_kernel(void **state)
{
	struct vsamp_machine here;
	char name[128], symbol[128], note[256];
	char hex[BUILDID_HEX];
	struct buildid id;
	uint64_t address;

	if (!kernel_symbol(&address, name)) {
		print_message("the kernel's symbols are hidden from this user\n");
		skip();
	}
	vsamp_machine_get(&here);
	assert_int_equal(buildid_from_notes_file(&id, "/sys/kernel/notes"), 0);
	buildid_format(&id, hex);
	make(here.boot_id, hex, NULL, address + 1);
	assert_true(shown("[kernel]", symbol, note));
	assert_string_equal(symbol, name);
	assert_string_equal(note, "");
	/* another boot, or it isn't known to be this kernel, or it is another one */
	make("another", hex, NULL, address + 1);
	assert_true(shown("[kernel]", symbol, note));
	assert_string_equal(symbol, "[unknown]");
	assert_non_null(strstr(note, "no kernel symbols"));
	make(here.boot_id, NULL, NULL, address + 1);
	assert_true(shown("[kernel]", symbol, note));
	assert_string_equal(symbol, "[unknown]");
	hex[0] = hex[0] == '0' ? '1' : '0';
	make(here.boot_id, hex, NULL, address + 1);
	assert_true(shown("[kernel]", symbol, note));
	assert_string_equal(symbol, "[unknown]");
}

static void test_vdso(void **state)
{
	struct vsamp_machine here;
	char hex[BUILDID_HEX], symbol[128], note[256];
	struct buildid id;

	vdso_id(&id);
	assert_int_equal(id.size, 20);
	buildid_format(&id, hex);
	vsamp_machine_get(&here);
	/* its own boot, or another of the same kernel */
	make(here.boot_id, NULL, NULL, 1);
	assert_true(shown("[vdso]", symbol, note));
	assert_non_null(strstr(symbol, "clock_gettime"));
	assert_string_equal(note, "");
	make("another", NULL, hex, 1);
	assert_true(shown("[vdso]", symbol, note));
	assert_non_null(strstr(symbol, "clock_gettime"));
	/* another boot, of which no more is known, or another kernel */
	make("another", NULL, NULL, 1);
	assert_true(shown("[vdso]", symbol, note));
	assert_string_equal(symbol, "[unknown]");
	hex[0] = hex[0] == '0' ? '1' : '0';
	make(here.boot_id, NULL, hex, 1);
	assert_true(shown("[vdso]", symbol, note));
	assert_string_equal(symbol, "[unknown]");
	assert_non_null(strstr(note, "another kernel"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kernel, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_vdso, mk_setup, mk_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
