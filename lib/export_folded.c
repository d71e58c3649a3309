// SPDX-License-Identifier: MIT
/* Folded stacks, as Brendan Gregg's tools have them: "PROCESS;OUTERMOST;...;INNERMOST EVENTS" */
#include <inttypes.h>

#include "export.h"

#define SEPARATOR ';'

/* A function without a name is told by its module */
static void put_function(FILE *out, const struct vsamp_profile *p, struct export_function f)
{
	const char *module = export_module(p, f), *slash = strrchr(module, '/');
	const char *symbol = export_symbol(p, f);

	putc(SEPARATOR, out);
	if (strcmp(symbol, "[unknown]") || module[0] != '/') {
		export_text(out, module[0] == '[' && !strcmp(symbol, "[unknown]") ? module : symbol,
			    SEPARATOR);
		return;
	}
	putc('[', out);
	export_text(out, slash + 1, SEPARATOR);
	putc(']', out);
}

/* The line of a place up to its number, to be freed; NULL without memory */
static char *place_line(const struct vsamp_profile *p, const struct place *place)
{
	struct export_function function[EXPORT_FRAMES_MAX];
	const struct procmap_identity *id = procmap_identity_at(&p->placer.procmap,
								place->identity);
	size_t n = export_functions(p, place, function), size;
	char *line = NULL;
	FILE *text = open_memstream(&line, &size);

	if (!text)
		return NULL;
	if (id->comm[0])
		export_text(text, id->comm, SEPARATOR);
	else
		fprintf(text, "%" PRIu32, id->pid);
	while (n--)
		put_function(text, p, function[n]);
	if (fclose(text)) {
		free(line);
		line = NULL;
	}
	return line;
}

/* Places that have the same names are one line */
static int fold(const struct export *x, const struct vsamp_profile *p, struct tally *lines)
{
	lines->events = x->rec->events;
	for (uint32_t i = 0; i < p->places.count; i++) {
		char *line = place_line(p, &places_cell(&p->places, i)->place);
		int64_t number = line ? tally_add(lines, line, strlen(line) + 1,
						  places_counts(&p->places, i)) :
					-1;

		free(line);
		if (number < 0)
			return export_no_memory(x);
	}
	return 0;
}

int export_folded(const struct export *x)
{
	struct vsamp_profile *p;
	struct tally lines = { 0 };
	int ret = export_profile(x, 0, &p);

	if (ret)
		return ret;
	ret = fold(x, p, &lines);
	for (uint32_t i = 0; i < lines.keys.count && !ret; i++) {
		struct counts counts = tally_counts(&lines, i);

		if (counts.samples[x->event[0]])
			fprintf(x->out, "%s %" PRIu64 "\n",
				(const char *)intern_key(&lines.keys, i),
				export_events(x, counts, x->event[0]));
	}
	tally_free(&lines);
	vsamp_profile_free(p);
	return ret;
}
