// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/event.h>

#include "cmd.h"
#include "say.h"

static const char help[] =
	"usage: vsamp list [--json] [WORD]\n"
	"\n"
	"Lists the events that -e takes, or those with WORD in their names: first the names that hold\n"
	"on every Intel processor, then those of this processor's model. Raw events (rUUEE) are not\n"
	"listed.\n"
	"\n"
	"      --json            print JSON (docs/json.md)\n"
	"  -h, --help\n";

struct list {
	const char *word;	   /* "": all */
	struct json_object *model; /* NULL: print */
};

static bool list_wants_row(const struct list *list, const struct vsamp_event_info *row)
{
	return strcasestr(row->name, list->word) || strcasestr(row->aliases, list->word);
}

static void list_print_row(const struct vsamp_event_info *row)
{
	char counter[40];

	snprintf(counter, sizeof(counter), row->fixed < 0 ? "general" : "fixed %d%s", row->fixed,
		 row->general ? " or general" : "");
	printf("%s\n    %s\n    also: %s\n    counter: %s; default SAV %" PRIu64 "%s\n", row->name,
	       row->what, row->aliases, counter, row->sav,
	       row->calibrate ? "; calibrated by property" : "");
}

static struct json_object *list_json_aliases(const char *aliases)
{
	struct json_object *a = json_object_new_array();

	while (*aliases) {
		int length = strcspn(aliases, ",");

		json_object_array_add(a, json_object_new_string_len(aliases, length));
		aliases += length + (aliases[length] == ',');
	}
	return a;
}

static struct json_object *list_json_row(const struct vsamp_event_info *row)
{
	struct json_object *o = json_object_new_object();
	char config[24];

	snprintf(config, sizeof(config), "%#" PRIx64, row->config);
	json_object_object_add(o, "name", json_object_new_string(row->name));
	json_object_object_add(o, "aliases", list_json_aliases(row->aliases));
	json_object_object_add(o, "description", json_object_new_string(row->what));
	json_object_object_add(o, "config", json_object_new_string(config));
	json_object_object_add(o, "fixed_counter",
			       row->fixed < 0 ? NULL : json_object_new_int(row->fixed));
	json_object_object_add(o, "general_counters", json_object_new_boolean(row->general));
	json_object_object_add(o, "sav", json_object_new_uint64(row->sav));
	json_object_object_add(o, "calibrate", json_object_new_boolean(row->calibrate));
	return o;
}

static void list_pfm(const char *name, const char *what, void *arg)
{
	struct list *list = arg;
	struct json_object *o;

	if (!strcasestr(name, list->word))
		return;
	if (!list->model) {
		printf("%s\n    %s\n", name, what);
		return;
	}
	o = json_object_new_object();
	json_object_object_add(o, "name", json_object_new_string(name));
	json_object_object_add(o, "description", json_object_new_string(what));
	json_object_array_add(list->model, o);
}

static void list_print(struct list *list)
{
	const struct vsamp_event_info *row;

	for (unsigned int i = 0; (row = vsamp_event_info(i)); i++)
		if (list_wants_row(list, row))
			list_print_row(row);
	vsamp_event_each_pfm(list_pfm, list);
}

static void list_print_json(struct list *list)
{
	struct json_object *root = json_object_new_object();
	struct json_object *events = json_object_new_array();
	const struct vsamp_event_info *row;

	list->model = json_object_new_array();
	for (unsigned int i = 0; (row = vsamp_event_info(i)); i++)
		if (list_wants_row(list, row))
			json_object_array_add(events, list_json_row(row));
	vsamp_event_each_pfm(list_pfm, list);
	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "events", events);
	json_object_object_add(root, "model_events", list->model);
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
}

int cmd_list(int argc, char **argv)
{
	struct list list = { .word = "" };
	bool json = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			fputs(help, stdout);
			return 0;
		}
		if (!strcmp(argv[i], "--json")) {
			json = true;
		} else if (argv[i][0] == '-' || *list.word) {
			say("list: '%s' is too much ('vsamp list -h' has the options)", argv[i]);
			return EXIT_USAGE;
		} else {
			list.word = argv[i];
		}
	}
	if (json)
		list_print_json(&list);
	else
		list_print(&list);
	return 0;
}
