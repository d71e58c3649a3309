// SPDX-License-Identifier: MIT
/* vsamp gen report: what a tool's procedures have left in the profile buffer */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "gen.h"
#include "say.h"
#include "tool.h"

/* Width of a column: that of names, or of numbers */
static int width(const struct tool_cell *cell)
{
	return cell->text ? -24 : 14;
}

static void print_heading(const struct tool_cell *cells, size_t num)
{
	for (size_t n = 0; n < num; n++)
		printf("%s%*s", n ? " " : "", width(&cells[n]), cells[n].name);
	putchar('\n');
}

static void print_list(const struct tool_cell *cell)
{
	for (size_t n = 0; n < cell->num; n++)
		printf(" %#llx", (unsigned long long)cell->list[n]);
}

/* @arg: a bool, whether there was a row */
static void print_row(void *arg, const struct tool_cell *cells, size_t num)
{
	bool *any = arg;

	if (!*any)
		print_heading(cells, num);
	*any = true;
	for (size_t n = 0; n < num; n++) {
		const struct tool_cell *cell = &cells[n];

		if (n)
			putchar(' ');
		if (cell->list)
			print_list(cell);
		else if (cell->unknown)
			printf("%*s", width(cell), "-");
		else if (cell->text)
			printf("%*s", width(cell), cell->text);
		else
			printf(cell->hex ? "%#*llx" : "%*llu", width(cell),
			       (unsigned long long)cell->value);
	}
	putchar('\n');
}

static struct json_object *json_value(const struct tool_cell *cell)
{
	struct json_object *list;

	if (cell->unknown)
		return NULL;
	if (cell->text)
		return json_object_new_string(cell->text);
	if (!cell->list)
		return json_object_new_uint64(cell->value);
	list = json_object_new_array();
	for (size_t n = 0; n < cell->num; n++)
		json_object_array_add(list, json_object_new_uint64(cell->list[n]));
	return list;
}

/* @arg: the array of rows */
static void add_row(void *arg, const struct tool_cell *cells, size_t num)
{
	struct json_object *row = json_object_new_object();

	for (size_t n = 0; n < num; n++)
		json_object_object_add(row, cells[n].name, json_value(&cells[n]));
	json_object_array_add(arg, row);
}

static void print_json(const struct tool_run *run, const struct tool_out *out,
		       struct json_object *rows)
{
	struct json_object *root = json_object_new_object();

	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "tool", json_object_new_string(run->tool->name));
	json_object_object_add(root, "written", json_object_new_uint64(out->written));
	json_object_object_add(root, "lost", json_object_new_uint64(out->lost));
	json_object_object_add(root, "rows", rows);
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
}

static void say_lost(const struct tool_run *run, const struct tool_out *out)
{
	if (out->lost)
		say("gen: %llu of %llu records were lost%s", (unsigned long long)out->lost,
		    (unsigned long long)(out->written + out->lost),
		    run->tool == &tool_memtrace ? "; --records makes room for more" :
						  ": the timer's 32 bits were too few");
}

static int print_dump(const struct gen_options *o, const struct tool_run *run)
{
	bool any = false;
	struct tool_out out = { .row = print_row, .arg = &any };
	struct json_object *rows = NULL;
	size_t size;
	uint8_t *buffer = gen_file_read(o->dump, &size);

	if (!buffer)
		return EXIT_ERROR;
	if (size < run->size) {
		say("gen: %s has %zu bytes, the buffer of %s has %llu: it is cut, or of other options or another FILE",
		    o->dump, size, run->tool->name, (unsigned long long)run->size);
		free(buffer);
		return EXIT_ERROR;
	}
	if (o->json) {
		rows = json_object_new_array();
		out = (struct tool_out){ .row = add_row, .arg = rows };
	}
	run->tool->report(run, buffer, &out);
	if (o->json)
		print_json(run, &out, rows);
	say_lost(run, &out);
	free(buffer);
	return 0;
}

int gen_report(const struct gen_options *o)
{
	struct tool_run run = { .only = o->kernel, .records = o->records };
	enum vsamp_gen_status status = VSAMP_GEN_OK;
	struct vsamp_gen_binary *binary;
	char why[256];
	void *data;
	int code = gen_tool_open(o, &run.tool, &data, &binary);

	if (!code)
		status = tool_instrument(&run, binary, 0, NULL, why, sizeof(why));
	if (status)
		code = gen_tool_fail(o, status, why);
	if (!code)
		code = print_dump(o, &run);
	tool_free(&run);
	vsamp_gen_binary_close(binary);
	free(data);
	return code;
}
