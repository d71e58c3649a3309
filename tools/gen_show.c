// SPDX-License-Identifier: MIT
/* vsamp gen model and disassemble: what is known of a platform, and a kernel's instructions as text */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "gen.h"
#include "say.h"

#define FILE_SIZE_MAX (256L << 20)

/* vsamp gen model */

static void print_model(const struct vsamp_gen_model *m)
{
	printf("%s  (iga64 -p=%s, ocloc -device %s)\n", m->name, m->iga, m->ocloc);
	printf("    registers:          %u of %u bytes\n", m->grf_num, m->grf_size);
	printf("    flag registers:     %u of 32 bits\n", m->flag_num);
	printf("    largest block:      %u bytes\n", m->max_block);
	if (m->token_num)
		printf("    scoreboard tokens:  %u\n", m->token_num);
	else
		printf("    scoreboard tokens:  none: hardware finds dependencies\n");
	printf("    64-bit integers:    %s\n", m->int64 ? "yes" : "no");
	printf("    memory messages:    %s\n", m->lsc ? "load-store cache" : "data port");
}

static struct json_object *json_model(const struct vsamp_gen_model *m)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(m->name));
	json_object_object_add(o, "iga64", json_object_new_string(m->iga));
	json_object_object_add(o, "ocloc", json_object_new_string(m->ocloc));
	json_object_object_add(o, "registers", json_object_new_int(m->grf_num));
	json_object_object_add(o, "register_bytes", json_object_new_int(m->grf_size));
	json_object_object_add(o, "flag_registers", json_object_new_int(m->flag_num));
	json_object_object_add(o, "block_bytes", json_object_new_int(m->max_block));
	json_object_object_add(o, "tokens", json_object_new_int(m->token_num));
	json_object_object_add(o, "int64", json_object_new_boolean(m->int64));
	json_object_object_add(o, "load_store_cache", json_object_new_boolean(m->lsc));
	return o;
}

static const struct vsamp_gen_model *model_find(const char *name)
{
	const struct vsamp_gen_model *m = vsamp_gen_model_find(name);

	if (!m)
		say("gen: there is no platform '%s': there are gen9, gen11, xe, xe-hpg and xe-hpc",
		    name);
	return m;
}

int gen_model(const struct gen_options *o)
{
	const struct vsamp_gen_model *only = o->name ? model_find(o->name) : NULL;
	struct json_object *root, *list;

	if (o->name && !only)
		return EXIT_USAGE;
	root = json_object_new_object();
	list = json_object_new_array();
	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "platforms", list);
	for (int i = 0; i < VSAMP_GEN_PLATFORMS; i++) {
		const struct vsamp_gen_model *m = vsamp_gen_model_get(i);

		if (only && m != only)
			continue;
		if (o->json)
			json_object_array_add(list, json_model(m));
		else
			print_model(m);
	}
	if (o->json)
		puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
	return 0;
}

/* vsamp gen disassemble */

/* Jumps go to labels, L and the target's place, instead of distances */
static void print_jump(const struct vsamp_gen_ins *ins, const char *text, size_t at)
{
	unsigned int jumps = vsamp_gen_jumps(ins->op);
	long long jump = (long long)at + ins->jump, uip = (long long)at + ins->uip;
	const char *found;
	char distances[32];

	if (jumps > 1)
		snprintf(distances, sizeof(distances), " %d %d", ins->jump, ins->uip);
	else
		snprintf(distances, sizeof(distances), " %d", ins->jump);
	found = jumps ? strstr(text, distances) : NULL;
	if (!found)
		printf("%s\n", text);
	else if (jumps > 1)
		printf("%.*s L%lld L%lld%s\n", (int)(found - text), text, jump, uip,
		       found + strlen(distances));
	else
		printf("%.*s L%lld%s\n", (int)(found - text), text, jump,
		       found + strlen(distances));
}

static void print_other(const struct vsamp_gen_ins *ins)
{
	if (ins->compacted)
		printf("// not read: %016llx\n", (unsigned long long)ins->raw[0]);
	else
		printf("// not read: %016llx%016llx\n", (unsigned long long)ins->raw[1],
		       (unsigned long long)ins->raw[0]);
}

/* Zeros that fill a section up are no instructions */
static bool is_filling(const uint8_t *code, size_t size)
{
	while (size && !*code) {
		code++;
		size--;
	}
	return !size;
}

static int print_code(const struct vsamp_gen_model *m, const uint8_t *code, size_t size)
{
	char text[VSAMP_GEN_TEXT_SIZE];
	struct vsamp_gen_ins ins;
	size_t at = 0, used;

	while (at < size && !is_filling(code + at, size - at)) {
		if (vsamp_gen_decode(m, code + at, size - at, &ins, &used)) {
			say("gen: at byte %zu: no instruction of %s begins there", at, m->name);
			return EXIT_ERROR;
		}
		printf("/* %6zx */ ", at);
		if (ins.op == VSAMP_GEN_OTHER || vsamp_gen_text(m, &ins, text))
			print_other(&ins);
		else
			print_jump(&ins, text, at);
		at += used;
	}
	return 0;
}

static void print_kernel(const struct vsamp_gen_kernel *k)
{
	printf("// %s: SIMD%u, %u registers, entry at %#zx", k->name, k->simd, k->grf_num,
	       k->entry);
	if (k->free_num)
		printf(", free:");
	for (size_t i = 0; i < k->free_num; i++)
		printf(" %d-%d", k->free[i].start, k->free[i].start + k->free[i].size - 1);
	putchar('\n');
}

bool gen_has_kernel(const struct vsamp_gen_binary *binary, const char *file, const char *kernel)
{
	for (size_t i = 0; i < vsamp_gen_binary_kernels(binary); i++)
		if (!kernel || !strcmp(kernel, vsamp_gen_binary_kernel(binary, i)->name))
			return true;
	say("gen: %s has no kernel '%s'", file, kernel);
	return false;
}

static int print_binary(const struct gen_options *o, const void *data, size_t size)
{
	struct vsamp_gen_binary *b;
	char why[256];
	int code = 0;

	if (vsamp_gen_binary_open(&b, data, size, why, sizeof(why))) {
		say("gen: %s: %s; -p PLATFORM reads bytes of instructions alone", o->name, why);
		return EXIT_ERROR;
	}
	if (!gen_has_kernel(b, o->name, o->kernel))
		code = EXIT_ERROR;
	for (size_t i = 0; i < vsamp_gen_binary_kernels(b) && !code; i++) {
		const struct vsamp_gen_kernel *k = vsamp_gen_binary_kernel(b, i);

		if (o->kernel && strcmp(o->kernel, k->name))
			continue;
		print_kernel(k);
		code = print_code(vsamp_gen_binary_model(b), k->code, k->size);
	}
	vsamp_gen_binary_close(b);
	return code;
}

void *gen_file_read(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *data = NULL;
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_SIZE_MAX) {
		data = malloc(st.st_size + 1);
		n = data ? read(fd, data, st.st_size) : -1;
	}
	if (n < 0) {
		say("gen: %s: %s", path,
		    fd < 0 ? strerror(errno) : "not a file of at most 256 MiB that can be read");
		free(data);
		data = NULL;
	}
	if (fd >= 0)
		close(fd);
	*size = n < 0 ? 0 : n;
	return data;
}

int gen_disassemble(const struct gen_options *o)
{
	const struct vsamp_gen_model *m = o->platform ? model_find(o->platform) : NULL;
	size_t size;
	void *data;
	int code;

	if (o->platform && !m)
		return EXIT_USAGE;
	data = gen_file_read(o->name, &size);
	if (!data)
		return EXIT_ERROR;
	code = m ? print_code(m, data, size) : print_binary(o, data, size);
	free(data);
	return code;
}
