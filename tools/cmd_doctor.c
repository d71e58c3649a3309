// SPDX-License-Identifier: MIT
#include <json-c/json.h>
#include <stdio.h>

#include <vsamp/backend.h>

#include "cmd.h"
#include "escape.h"
#include "usage.h"

static const char help[] =
	"usage: vsamp doctor [--json]\n"
	"\n"
	"Says what keeps sampling from working here, and the remedy; and, last, what would count all the\n"
	"same: intel or kperf, of the module, or perf, without it. The exit code is that of the first\n"
	"check that fails:\n"
	"\n"
	"   0  nothing\n"
	"  10  no module is installed for this kernel\n"
	"  11  Secure Boot or lockdown asks for a signature that the module does not have\n"
	"  12  the module is not loaded\n"
	"  13  kernel lockdown forbids sampling\n"
	"  14  not in the initial pid namespace\n"
	"  15  neither CAP_PERFMON nor CAP_SYS_ADMIN\n"
	"  16  /dev/vsamp can't be opened\n"
	"  17  the processor has no performance counters that vsamp can use\n"
	"  18  the processor says it is virtual\n"
	"  19  the NMI watchdog holds a counter\n"
	"  20  something else holds the counters\n"
	"  21  what processes do can't be followed (kernel.perf_event_paranoid)\n"
	"  24  nothing can be sampled, not even by time\n"
	"\n"
	"17 to 20 are failures only where kperf doesn't count either.\n"
	"\n"
	"      --json            print JSON (docs/json.md)\n"
	"  -h, --help\n";

static const char *const status_names[] = {
	[VSAMP_CHECK_OK] = "ok",
	[VSAMP_CHECK_WARN] = "warning",
	[VSAMP_CHECK_FAIL] = "FAIL",
	[VSAMP_CHECK_UNKNOWN] = "unknown",
};

static void doctor_print(const struct vsamp_check *checks)
{
	for (size_t i = 0; i < VSAMP_CHECKS; i++) {
		const struct vsamp_check *c = &checks[i];

		printf("%-8s %-17s ", status_names[c->status], c->name);
		escape_print(stdout, c->text, 0);
		putchar('\n');
		if (c->remedy[0])
			printf("%26s -> %s\n", "", c->remedy);
	}
}

/* What 'vsamp record -- COMMAND' would take; NULL: nothing can be sampled */
static struct json_object *json_choice(const struct vsamp_facts *facts)
{
	struct vsamp_event events[VSAMP_EVENTS_MAX];
	struct vsamp_backend_choice choice;
	struct json_object *o;
	unsigned int n = 0;
	const char *list;
	char why[1024];

	if (vsamp_backend_default_events(&list, why, sizeof(why), facts, NULL, NULL) ||
	    vsamp_events_parse(events, &n, list, NULL, NULL) ||
	    vsamp_backend_choose(&choice, facts, events, n, NULL, NULL))
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "backend",
			       json_object_new_string(vsamp_backend_name(choice.backend)));
	json_object_object_add(o, "best", json_object_new_boolean(choice.best));
	json_object_object_add(o, "reason", json_object_new_string(choice.reason));
	json_object_object_add(o, "events", json_object_new_string(list));
	json_object_object_add(o, "events_why", why[0] ? json_object_new_string(why) : NULL);
	return o;
}

static void doctor_print_json(const struct vsamp_facts *facts, const struct vsamp_check *checks)
{
	static const char *const names[] = { "ok", "warning", "fail", "unknown" };
	struct json_object *root = json_object_new_object();
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < VSAMP_CHECKS; i++) {
		const struct vsamp_check *c = &checks[i];
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "name", json_object_new_string(c->name));
		json_object_object_add(o, "status", json_object_new_string(names[c->status]));
		json_object_object_add(o, "code", json_object_new_int(c->code));
		json_object_object_add(o, "text", json_object_new_string(c->text));
		json_object_object_add(o, "remedy",
				       c->remedy[0] ? json_object_new_string(c->remedy) : NULL);
		json_object_array_add(list, o);
	}
	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "exit_code", json_object_new_int(vsamp_doctor_code(checks)));
	json_object_object_add(root, "checks", list);
	json_object_object_add(root, "choice", json_choice(facts));
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct vsamp_check checks[VSAMP_CHECKS];
	struct vsamp_facts facts;
	bool json = false;
	int c;

	optind = 0;
	while ((c = usage_next("doctor", argc, argv, ":h", options)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind < argc)
		return usage_wrong("doctor", argv[optind], "nothing is to be named");
	vsamp_facts_get(&facts, "");
	vsamp_facts_try_counters(&facts);
	vsamp_doctor_judge(&facts, checks);
	if (json)
		doctor_print_json(&facts, checks);
	else
		doctor_print(checks);
	return vsamp_doctor_code(checks);
}
