// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/backend.h>
#include <vsamp/pmu.h>

#include "cmd.h"
#include "event_list.h"
#include "say.h"
#include "usage.h"

#define GENERAL_ANY 0xffffffffULL

static const char help[] =
	"usage: vsamp list [--event-config FILE] [--json] [GROUP|WORD]\n"
	"\n"
	"Lists the groups of the events that -e takes; the events of GROUP, with the Sample-After\n"
	"value they have by default, whether --cal=event calibrates them, and the counters that can\n"
	"count them; or all events with WORD in their names. Raw events (rUUEE) are not listed.\n"
	"\n"
	"      --event-config FILE\n"
	"                        read further properties of events; see vsamp-events(5)\n"
	"      --json            print JSON (docs/json.md)\n"
	"  -h, --help\n";

struct options {
	const char *word; /* NULL: none */
	const char *config;
	bool json;
};

/* "0-3,7": the bits of a mask */
static void mask_text(char *out, size_t size, uint32_t mask)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned int i = 0; i < 32 && used < size; i++) {
		unsigned int last = i;

		if (!(mask >> i & 1))
			continue;
		while (last + 1 < 32 && mask >> (last + 1) & 1)
			last++;
		used += snprintf(out + used, size - used, "%s%u", used ? "," : "", i);
		if (last > i && used < size)
			used += snprintf(out + used, size - used, "-%u", last);
		i = last;
	}
}

static void counters_text(char *out, size_t size, uint64_t counters)
{
	uint32_t general = counters, fixed = counters >> VSAMP_COUNTER_FIXED;
	char a[96], b[96];

	mask_text(a, sizeof(a), general);
	mask_text(b, sizeof(b), fixed);
	snprintf(out, size, "%s%s%s%s", general == GENERAL_ANY ? "any" : a,
		 general && fixed ? ", " : "", fixed ? "fixed " : "",
		 fixed	 ? b :
		 general ? "" :
			   "none");
}

/* Counters are for intel to choose from */
static bool listed_has_counters(const struct listed *l)
{
	return l->event.backends >> VSAMP_BACKEND_INTEL & 1;
}

static void listed_counters_text(char *out, size_t size, const struct event_list *list,
				 const struct listed *l)
{
	if (listed_has_counters(l) || l->unusable)
		counters_text(out, size, event_list_counters(list, l));
	else
		snprintf(out, size, "-");
}

static unsigned int group_size(const struct event_list *list, unsigned int first)
{
	unsigned int n = 1;

	while (first + n < list->n && !strcmp(list->all[first].group, list->all[first + n].group))
		n++;
	return n;
}

/* Where the processor has kinds of core */
static void print_kinds(void)
{
	struct vsamp_pmu pmu[VSAMP_PMUS_MAX];
	size_t n = vsamp_pmus_get(pmu, "");
	char text[256];

	if (n < 2)
		return;
	vsamp_pmus_text(pmu, n, text, sizeof(text));
	printf("\nKinds of core: %s; PMU/rUUEE/ is a raw event of one.\n", text);
}

static void print_groups(const struct event_list *list)
{
	int width = strlen("GROUP");

	for (unsigned int i = 0; i < list->n; i++)
		if ((int)strlen(list->all[i].group) > width)
			width = strlen(list->all[i].group);
	printf("%-*s  EVENTS  WHAT\n", width, "GROUP");
	for (unsigned int i = 0; i < list->n; i += group_size(list, i))
		printf("%-*s  %6u  %s\n", width, list->all[i].group, group_size(list, i),
		       list->all[i].group_what);
	printf("\n'vsamp list GROUP' shows the events of a group.\n");
	print_kinds();
}

/* Its other names; why it is of no use */
static void print_more(const struct listed *l)
{
	const char *comma = "    also: ";

	for (const char *p = l->aliases; *p; p += strspn(p, ", \t")) {
		int length = strcspn(p, ",");

		printf("%s%.*s", comma, length, p);
		comma = ", ";
		p += length;
	}
	if (*l->aliases)
		putchar('\n');
	if (l->unusable)
		printf("    can't be selected: %s\n", l->unusable);
}

static void print_events(const struct event_list *list)
{
	int name = strlen("EVENT"), counters = strlen("COUNTERS");
	char text[200], sav[24];
	bool intels = false;

	for (unsigned int i = 0; i < list->n; i++) {
		const struct listed *l = &list->all[i];
		int width;

		listed_counters_text(text, sizeof(text), list, l);
		width = strlen(l->name);
		name = width > name ? width : name;
		width = strlen(text);
		counters = width > counters ? width : counters;
		intels |= listed_has_counters(l);
	}
	printf("%-*s  %11s  %-7s  CALIBRATE  %-*s  WHAT\n", name, "EVENT", "DEFAULT SAV", "FROM",
	       counters, "COUNTERS");
	for (unsigned int i = 0; i < list->n; i++) {
		const struct listed *l = &list->all[i];

		listed_counters_text(text, sizeof(text), list, l);
		snprintf(sav, sizeof(sav), "%" PRIu64, l->event.sav);
		printf("%-*s  %11s  %-7s  %-9s  %-*s%s%s\n", name, l->name, l->unusable ? "-" : sav,
		       l->unusable ? "-" : vsamp_sav_source_name(l->event.sav_source),
		       l->unusable	  ? "-" :
		       l->event.calibrate ? "yes" :
					    "no",
		       *l->what ? counters : 0, text, *l->what ? "  " : "", l->what);
		print_more(l);
	}
	if (!list->counters && intels)
		printf("\nCounters are those the architecture allows: the module isn't loaded,\n"
		       "which knows this machine's.\n");
}

static struct json_object *json_aliases(const char *aliases)
{
	struct json_object *a = json_object_new_array();

	while (*aliases) {
		int length = strcspn(aliases, ",");

		json_object_array_add(a, json_object_new_string_len(aliases, length));
		aliases += length;
		aliases += strspn(aliases, ", \t");
	}
	return a;
}

static struct json_object *json_bits(uint32_t mask)
{
	struct json_object *a = json_object_new_array();

	for (unsigned int i = 0; i < 32; i++)
		if (mask >> i & 1)
			json_object_array_add(a, json_object_new_int(i));
	return a;
}

static void json_counters(struct json_object *o, const struct event_list *list,
			  const struct listed *l)
{
	uint64_t allowed = l->event.counters, usable = event_list_counters(list, l);
	uint32_t fixed = allowed >> VSAMP_COUNTER_FIXED;
	struct json_object *u = NULL;

	json_object_object_add(o, "fixed_counter",
			       fixed ? json_object_new_int(__builtin_ctz(fixed)) : NULL);
	json_object_object_add(o, "general_counters", json_object_new_boolean(!!(uint32_t)allowed));
	if (list->counters) {
		u = json_object_new_object();
		json_object_object_add(u, "general", json_bits(usable));
		json_object_object_add(u, "fixed", json_bits(usable >> VSAMP_COUNTER_FIXED));
	}
	json_object_object_add(o, "usable_counters", u);
}

/* Names of those that can count it, where they are to be had */
static struct json_object *json_backends(uint32_t backends)
{
	struct json_object *a = json_object_new_array();

	for (unsigned int i = 0; i < 32; i++)
		if (backends >> i & 1)
			json_object_array_add(a, json_object_new_string(vsamp_backend_name(i)));
	return a;
}

static struct json_object *json_hexadecimal(uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, number);
	return json_object_new_string(text);
}

static struct json_object *json_event(const struct event_list *list, const struct listed *l)
{
	struct json_object *o = json_object_new_object();
	const struct vsamp_event *ev = &l->event;

	json_object_object_add(o, "name", json_object_new_string(l->name));
	json_object_object_add(o, "group", json_object_new_string(l->group));
	json_object_object_add(o, "aliases", json_aliases(l->aliases));
	json_object_object_add(o, "description", json_object_new_string(l->what));
	json_object_object_add(o, "unusable",
			       l->unusable ? json_object_new_string(l->unusable) : NULL);
	if (l->unusable)
		return o;
	json_object_object_add(o, "backends", json_backends(ev->backends));
	json_object_object_add(o, "config",
			       listed_has_counters(l) ? json_hexadecimal(ev->config) : NULL);
	json_object_object_add(o, "perf_type", json_object_new_int64(ev->perf_type));
	json_object_object_add(o, "perf_config", json_hexadecimal(ev->perf_config));
	json_object_object_add(o, "sav", json_object_new_uint64(ev->sav));
	json_object_object_add(o, "sav_source",
			       json_object_new_string(vsamp_sav_source_name(ev->sav_source)));
	json_object_object_add(o, "calibrate", json_object_new_boolean(ev->calibrate));
	if (listed_has_counters(l))
		json_counters(o, list, l);
	return o;
}

static struct json_object *json_group(const struct listed *l, unsigned int events)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(l->group));
	json_object_object_add(o, "description", json_object_new_string(l->group_what));
	json_object_object_add(o, "events", json_object_new_int(events));
	return o;
}

static struct json_object *json_pmus(void)
{
	struct json_object *pmus = json_object_new_array();
	struct vsamp_pmu pmu[VSAMP_PMUS_MAX];
	size_t n = vsamp_pmus_get(pmu, "");

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "name", json_object_new_string(pmu[i].name));
		json_object_object_add(o, "type", json_object_new_int64(pmu[i].type));
		json_object_object_add(o, "cpus",
				       *pmu[i].cpus ? json_object_new_string(pmu[i].cpus) : NULL);
		json_object_array_add(pmus, o);
	}
	return pmus;
}

static void print_json(const struct event_list *list)
{
	static const char *const names[] = {
		[LISTED_TABLE] = "events",
		[LISTED_CONFIG] = "config_events",
		[LISTED_MODEL] = "model_events",
	};
	struct json_object *root = json_object_new_object();
	struct json_object *groups = json_object_new_array();

	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "pmus", json_pmus());
	json_object_object_add(root, "groups", groups);
	for (unsigned int i = 0; i < list->n; i += group_size(list, i))
		json_object_array_add(groups, json_group(&list->all[i], group_size(list, i)));
	for (unsigned int from = 0; from < sizeof(names) / sizeof(names[0]); from++) {
		struct json_object *events = json_object_new_array();

		for (unsigned int i = 0; i < list->n; i++)
			if (list->all[i].from == from)
				json_object_array_add(events, json_event(list, &list->all[i]));
		json_object_object_add(root, names[from], events);
	}
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
}

static int list_print(const struct options *o, const struct vsamp_event_config *config)
{
	struct event_list list;
	int code = 0;

	if (event_list_fill(&list, config)) {
		say("list: out of memory");
		code = EXIT_ERROR;
		goto out;
	}
	if (o->word)
		event_list_select(&list, o->word);
	if (o->json)
		print_json(&list);
	else if (!o->word)
		print_groups(&list);
	else if (list.n)
		print_events(&list);
	if (!list.n) {
		say("list: '%s' is no group of events, and in no event's name", o->word);
		code = EXIT_ERROR;
	}
out:
	event_list_free(&list);
	return code;
}

/* -1: go on; else the exit code */
static int list_options(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "event-config", required_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	optind = 0;
	while ((c = usage_next("list", argc, argv, ":h", options)) != -1) {
		switch (c) {
		case 'c':
			o->config = optarg;
			break;
		case 'j':
			o->json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind < argc)
		o->word = argv[optind++];
	if (optind < argc)
		return usage_wrong("list", argv[optind], "one group or word is enough");
	if (o->word && !*o->word)
		return usage_wrong("list", "", "neither a group nor a word");
	return -1;
}

int cmd_list(int argc, char **argv)
{
	struct vsamp_event_config *config;
	struct options o = { 0 };
	struct vsamp_error err;
	int code = list_options(&o, argc, argv);

	if (code >= 0)
		return code;
	config = vsamp_event_config_new();
	if (!config) {
		say("list: out of memory");
		return EXIT_ERROR;
	}
	if (vsamp_event_config_read_default(config, &err) ||
	    (o.config && vsamp_event_config_read(config, o.config, &err))) {
		say("list: %s", err.text);
		code = EXIT_ERROR;
	} else {
		code = list_print(&o, config);
	}
	vsamp_event_config_free(config);
	return code;
}
