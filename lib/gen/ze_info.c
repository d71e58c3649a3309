// SPDX-License-Identifier: MIT
/*
 * ze_info.c: what zebin's text tells of a kernel
 *
 * It is YAML of a known shape: a list "kernels:", whose items begin with "  - name:" and have what is
 * of the execution six columns further on. Other lines are passed over.
 */
#include <string.h>

#include "binary.h"

#define ITEM	    "  - name:"
#define FIELD	    "      "
#define STACK_CALLS FIELD "has_stack_calls:"

struct line {
	const char *text;
	size_t size;
};

/* The next line, without its end */
static bool line_next(struct gen_bytes *rest, struct line *line)
{
	const uint8_t *end;

	if (!rest->size)
		return false;
	end = memchr(rest->data, '\n', rest->size);
	line->text = (const char *)rest->data;
	line->size = end ? (size_t)(end - rest->data) : rest->size;
	rest->data += line->size + !!end;
	rest->size -= line->size + !!end;
	return true;
}

static bool begins(const struct line *line, const char *with)
{
	return line->size >= strlen(with) && !memcmp(line->text, with, strlen(with));
}

/* What is behind the name, without spaces before it */
static struct line value_of(const struct line *line, const char *name)
{
	size_t at = strlen(name);

	while (at < line->size && line->text[at] == ' ')
		at++;
	return (struct line){ line->text + at, line->size - at };
}

static bool is(const struct line *value, const char *text)
{
	return value->size == strlen(text) && !memcmp(value->text, text, value->size);
}

/* Of up to four digits; 0: it is none */
static unsigned int number_of(const struct line *value)
{
	unsigned int n = 0;

	if (value->size > 4)
		return 0;
	for (size_t i = 0; i < value->size; i++) {
		if (value->text[i] < '0' || value->text[i] > '9')
			return 0;
		n = 10 * n + (value->text[i] - '0');
	}
	return n;
}

static void field_take(const struct line *line, const char *name, unsigned int *to)
{
	struct line value;

	if (!begins(line, name))
		return;
	value = value_of(line, name);
	*to = number_of(&value);
}

void gen_ze_info_read(struct gen_bytes rest, struct vsamp_gen_binary *b)
{
	struct vsamp_gen_kernel *kernel = NULL;
	bool kernels = false;
	struct line line, name, value;

	while (line_next(&rest, &line)) {
		if (line.size && line.text[0] != ' ' && line.text[0] != '-')
			kernels = begins(&line, "kernels:");
		if (kernels && begins(&line, ITEM)) {
			name = value_of(&line, ITEM);
			kernel = gen_kernel_named(b, name.text, name.size);
		}
		if (!kernels || !kernel)
			continue;
		field_take(&line, FIELD "simd_size:", &kernel->simd);
		field_take(&line, FIELD "grf_count:", &kernel->grf_num);
		if (begins(&line, STACK_CALLS)) {
			value = value_of(&line, STACK_CALLS);
			kernel->stack_calls = is(&value, "true");
		}
	}
}
