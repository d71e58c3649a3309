// SPDX-License-Identifier: MIT
/* vsamp gen instrument: a file whose kernels have a tool's procedures in them */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "gen.h"
#include "place.h"
#include "say.h"
#include "tool.h"

/* What is to be, and what was */
struct job {
	const struct gen_options *o;
	struct tool_run run;
	void *data; /* of FILE */
	struct vsamp_gen_binary *binary;
	struct vsamp_gen_instrument_result *results;
	char *path; /* of the file that is made */
};

int gen_tool_open(const struct gen_options *o, const struct tool **tool, void **data,
		  struct vsamp_gen_binary **binary)
{
	char why[256];
	size_t size;

	*data = NULL;
	*binary = NULL;
	*tool = tool_find(o->tool);
	if (!*tool) {
		say("gen: there is no tool '%s': there are opcodes, bbl, timers and memtrace",
		    o->tool);
		return EXIT_USAGE;
	}
	*data = gen_file_read(o->name, &size);
	if (!*data)
		return EXIT_ERROR;
	if (vsamp_gen_binary_open(binary, *data, size, why, sizeof(why))) {
		say("gen: %s: %s", o->name, why);
		return EXIT_ERROR;
	}
	return gen_has_kernel(*binary, o->name, o->kernel) ? 0 : EXIT_ERROR;
}

int gen_tool_fail(const struct gen_options *o, enum vsamp_gen_status status, const char *why)
{
	say("gen: %s: %s%s", o->name, why,
	    status == VSAMP_GEN_ENOREG ?
		    "; ocloc's -options '-ze-gtpin-grf-info -ze-gtpin-rera' have it tell, and leave, registers" :
	    status == VSAMP_GEN_ERANGE ?
		    "; a buffer has at most 4 GiB, of which --records takes the most" :
		    "");
	return EXIT_ERROR;
}

/* Bytes to a file, which has its name once it is whole */
static int file_write(const struct job *j, const void *data, size_t size)
{
	struct place p = { .command = "gen", .option = "-o", .path = j->path };
	int code = place_open(&p, j->o->name);

	if (code)
		return code;
	if (fwrite(data, 1, size, p.out) != size) {
		say("gen: %s: can't be written: %s", j->path, strerror(errno));
		code = EXIT_ERROR;
	}
	return place_close(&p, code);
}

static int job_write(struct job *j)
{
	size_t size;
	void *data;
	enum vsamp_gen_status status = vsamp_gen_binary_write(j->binary, &data, &size);
	int code;

	if (status) {
		say("gen: %s with what is inserted can't be written: %s", j->o->name,
		    vsamp_gen_status_text(status));
		return EXIT_ERROR;
	}
	code = file_write(j, data, size);
	free(data);
	return code;
}

static void print_kernel(const struct vsamp_gen_kernel *k,
			 const struct vsamp_gen_instrument_result *r)
{
	printf("    %s: %zu procedures", k->name, r->inserted);
	if (r->base_low)
		printf("; its code has the address at %#zx", r->base_low);
	if (r->base_high)
		printf(" and its upper half at %#zx", r->base_high);
	putchar('\n');
}

static void print_text(const struct job *j)
{
	printf("%s: %s; the buffer, zeros at first, has %llu bytes, at address %#llx\n", j->path,
	       j->run.tool->what, (unsigned long long)j->run.size,
	       (unsigned long long)j->o->buffer);
	for (size_t i = 0; i < vsamp_gen_binary_kernels(j->binary); i++)
		print_kernel(vsamp_gen_binary_kernel(j->binary, i), &j->results[i]);
}

static struct json_object *place(size_t at)
{
	return at ? json_object_new_uint64(at) : NULL;
}

static void print_json(const struct job *j)
{
	struct json_object *root = json_object_new_object(), *list = json_object_new_array();

	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "tool", json_object_new_string(j->run.tool->name));
	json_object_object_add(root, "file", json_object_new_string(j->path));
	json_object_object_add(root, "buffer_address", json_object_new_uint64(j->o->buffer));
	json_object_object_add(root, "buffer_bytes", json_object_new_uint64(j->run.size));
	json_object_object_add(root, "kernels", list);
	for (size_t i = 0; i < vsamp_gen_binary_kernels(j->binary); i++) {
		const struct vsamp_gen_instrument_result *r = &j->results[i];
		struct json_object *k = json_object_new_object();

		json_object_object_add(
			k, "name",
			json_object_new_string(vsamp_gen_binary_kernel(j->binary, i)->name));
		json_object_object_add(k, "procedures", json_object_new_uint64(r->inserted));
		json_object_object_add(k, "address_low_at", place(r->base_low));
		json_object_object_add(k, "address_high_at", place(r->base_high));
		json_object_array_add(list, k);
	}
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
}

/* NULL: out of memory */
static char *path_default(const struct gen_options *o)
{
	char *path;

	return asprintf(&path, "%s.%s", o->name, o->tool) < 0 ? NULL : path;
}

static int job_run(struct job *j)
{
	const struct gen_options *o = j->o;
	enum vsamp_gen_status status;
	char why[256];
	int code;

	j->results = calloc(vsamp_gen_binary_kernels(j->binary), sizeof(*j->results));
	j->path = o->output ? strdup(o->output) : path_default(o);
	if (!j->results || !j->path) {
		say("gen: out of memory");
		return EXIT_ERROR;
	}
	status = tool_instrument(&j->run, j->binary, o->buffer, j->results, why, sizeof(why));
	if (status)
		return gen_tool_fail(o, status, why);
	code = job_write(j);
	if (code)
		return code;
	if (o->json)
		print_json(j);
	else
		print_text(j);
	return 0;
}

int gen_instrument(const struct gen_options *o)
{
	struct job j = {
		.o = o,
		.run = { .only = o->kernel, .records = o->records },
	};
	int code = gen_tool_open(o, &j.run.tool, &j.data, &j.binary);

	if (!code)
		code = job_run(&j);
	tool_free(&j.run);
	vsamp_gen_binary_close(j.binary);
	free(j.data);
	free(j.results);
	free(j.path);
	return code;
}
