// SPDX-License-Identifier: MIT
/* vsamp gpu: which GPUs there are, how their reports are had, and giving them to the module */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vsamp/gpu.h>
#include <vsamp/gpu_stream.h>

#include "cmd.h"
#include "say.h"
#include "usage.h"

static const char help[] =
	"usage: vsamp gpu list [--json] [SET]\n"
	"       vsamp gpu bind|unbind DEVICE\n"
	"\n"
	"Lists Intel's GPUs, with the driver that has each, how vsamp would read its reports, and sets\n"
	"of metrics; or the metrics of SET. bind gives a GPU that no driver has to vsamp's module, unbind\n"
	"takes it back. DEVICE is as listed, 0000:00:02.0.\n"
	"\n"
	"      --root FOLDER     take the /sys that is in FOLDER\n"
	"      --json            print JSON (docs/json.md)\n"
	"  -h, --help\n";

struct options {
	const char *verb, *name; /* NULL: not given */
	const char *root;
	bool json;
};

struct gpus {
	struct vsamp_gpu *gpu;
	uint64_t *timestamp_hz; /* of each; 0: not known */
	size_t n;
};

/* Of another machine's /sys the drivers can't be asked */
static int gpus_get(struct gpus *g, const char *root)
{
	struct vsamp_error err;

	if (vsamp_gpus_find(&g->gpu, &g->n, root, &err)) {
		say("gpu: %s", err.text);
		return EXIT_ERROR;
	}
	g->timestamp_hz = calloc(g->n + 1, sizeof(*g->timestamp_hz));
	if (!g->timestamp_hz) {
		free(g->gpu);
		say("gpu: out of memory");
		return EXIT_ERROR;
	}
	for (size_t i = 0; i < g->n && !*root; i++) {
		struct vsamp_gpu_stream *s;

		if (vsamp_gpu_stream_open(&s, &g->gpu[i], NULL))
			continue;
		g->timestamp_hz[i] = vsamp_gpu_stream_device(s)->timestamp_hz;
		vsamp_gpu_stream_close(s);
	}
	return 0;
}

static void gpus_free(struct gpus *g)
{
	free(g->gpu);
	free(g->timestamp_hz);
}

static void version_text(char *out, size_t size, const struct vsamp_oa_platform *p)
{
	snprintf(out, size, "%u.%u", p->version / 100, p->version % 100);
}

static void print_gpu(const struct vsamp_gpu *g, uint64_t timestamp_hz)
{
	char version[16];

	printf("%s  8086:%04x  ", g->slot, g->id);
	if (g->platform) {
		version_text(version, sizeof(version), g->platform);
		printf("%s, graphics version %s\n", g->platform->title, version);
	} else {
		printf("unknown GPU\n");
	}
	printf("    driver: %s%s%s\n", *g->driver ? g->driver : "none", *g->node ? ", " : "",
	       g->node);
	if (*g->driver_override)
		printf("    driver_override: %s\n", g->driver_override);
	if (timestamp_hz)
		printf("    timestamps: %" PRIu64 " Hz\n", timestamp_hz);
	printf("    reports: %s: %s\n", vsamp_gpu_path_name(g->path), g->why);
	if (!g->platform || !g->platform->sets)
		return;
	printf("    sets:\n");
	for (unsigned int i = 0; i < g->platform->sets; i++)
		printf("      %-14s %s\n", g->platform->set[i].name, g->platform->set[i].what);
}

static void print_metrics(const struct vsamp_gpu *g, const struct vsamp_oa_set *set)
{
	printf("%s  %s  %s\n", g->slot, g->platform->title, set->name);
	for (unsigned int i = 0; i < set->metrics; i++)
		printf("    %-24s %-8s  %s\n", set->metric[i].name, set->metric[i].unit,
		       set->metric[i].what);
}

/* Of those GPUs that have the set; how many */
static const struct vsamp_oa_set *set_of(const struct vsamp_gpu *g, const char *name)
{
	return g->platform ? vsamp_oa_set_find(g->platform, name) : NULL;
}

static size_t print_set(const struct gpus *g, const char *name)
{
	size_t printed = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct vsamp_oa_set *set = set_of(&g->gpu[i], name);

		if (set)
			print_metrics(&g->gpu[i], set);
		printed += !!set;
	}
	return printed;
}

static struct json_object *json_metrics(const struct vsamp_oa_set *set)
{
	struct json_object *metrics = json_object_new_array();

	for (unsigned int i = 0; i < set->metrics; i++) {
		const struct vsamp_oa_metric *m = &set->metric[i];
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "name", json_object_new_string(m->name));
		json_object_object_add(o, "unit", json_object_new_string(m->unit));
		json_object_object_add(o, "description", json_object_new_string(m->what));
		json_object_array_add(metrics, o);
	}
	return metrics;
}

static struct json_object *json_text(const char *text)
{
	return *text ? json_object_new_string(text) : NULL;
}

static struct json_object *json_sets(const struct vsamp_oa_platform *p, const char *name)
{
	struct json_object *sets = json_object_new_array();

	for (unsigned int i = 0; p && i < p->sets; i++) {
		struct json_object *o;

		if (name && strcmp(p->set[i].name, name))
			continue;
		o = json_object_new_object();
		json_object_object_add(o, "name", json_object_new_string(p->set[i].name));
		json_object_object_add(o, "description", json_object_new_string(p->set[i].what));
		json_object_object_add(o, "uuid", json_object_new_string(p->set[i].uuid));
		json_object_object_add(o, "metrics", json_metrics(&p->set[i]));
		json_object_array_add(sets, o);
	}
	return sets;
}

static struct json_object *json_gpu(const struct vsamp_gpu *g, uint64_t timestamp_hz,
				    const char *set)
{
	struct json_object *o = json_object_new_object();
	char id[16], version[16] = "";

	snprintf(id, sizeof(id), "8086:%04x", g->id);
	if (g->platform)
		version_text(version, sizeof(version), g->platform);
	json_object_object_add(o, "device", json_object_new_string(g->slot));
	json_object_object_add(o, "id", json_object_new_string(id));
	json_object_object_add(o, "revision", json_object_new_int(g->revision));
	json_object_object_add(o, "title", json_text(g->platform ? g->platform->title : ""));
	json_object_object_add(o, "platform", json_text(g->platform ? g->platform->name : ""));
	json_object_object_add(o, "graphics_version", json_text(version));
	json_object_object_add(o, "driver", json_text(g->driver));
	json_object_object_add(o, "driver_override", json_text(g->driver_override));
	json_object_object_add(o, "node", json_text(g->node));
	json_object_object_add(o, "timestamp_hz",
			       timestamp_hz ? json_object_new_uint64(timestamp_hz) : NULL);
	json_object_object_add(o, "path", json_object_new_string(vsamp_gpu_path_name(g->path)));
	json_object_object_add(o, "reason", json_object_new_string(g->why));
	json_object_object_add(o, "sets", json_sets(g->platform, set));
	return o;
}

/* Those that have a set, with it alone; @set NULL: all. How many there are */
static size_t print_json(const struct gpus *g, const char *set)
{
	struct json_object *root = json_object_new_object();
	struct json_object *list = json_object_new_array();
	size_t n;

	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "gpus", list);
	for (size_t i = 0; i < g->n; i++)
		if (!set || set_of(&g->gpu[i], set))
			json_object_array_add(list, json_gpu(&g->gpu[i], g->timestamp_hz[i], set));
	n = json_object_array_length(list);
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
	return n;
}

static int gpu_list(const struct options *o)
{
	struct gpus g;
	size_t with_set = 1;

	if (gpus_get(&g, o->root))
		return EXIT_ERROR;
	if (o->json)
		with_set = print_json(&g, o->name);
	else if (!g.n)
		printf("No GPU of Intel's.\n");
	else if (!o->name)
		for (size_t i = 0; i < g.n; i++)
			print_gpu(&g.gpu[i], g.timestamp_hz[i]);
	else
		with_set = print_set(&g, o->name);
	if (o->name && !with_set)
		say("gpu: no GPU has a set '%s'; 'vsamp gpu list' lists those there are", o->name);
	gpus_free(&g);
	return o->name && !with_set ? EXIT_ERROR : 0;
}

static int gpu_move(const struct options *o, bool bind)
{
	const struct vsamp_gpu *found = NULL;
	struct vsamp_gpu *gpu;
	struct vsamp_error err;
	int code = EXIT_ERROR;
	size_t n;

	if (vsamp_gpus_find(&gpu, &n, o->root, &err)) {
		say("gpu: %s", err.text);
		return EXIT_ERROR;
	}
	for (size_t i = 0; i < n; i++)
		if (!strcmp(gpu[i].slot, o->name))
			found = &gpu[i];
	if (!found)
		say("gpu: '%s' is no GPU of Intel's; 'vsamp gpu list' lists those that are",
		    o->name);
	else if (bind ? vsamp_gpu_bind(found, o->root, &err) :
			vsamp_gpu_unbind(found, o->root, &err))
		say("gpu: %s", err.text);
	else
		code = 0;
	free(gpu);
	return code;
}

/* -1: go on; else the exit code */
static int gpu_options(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "root", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	optind = 0;
	while ((c = usage_next("gpu", argc, argv, ":h", options)) != -1) {
		switch (c) {
		case 'r':
			o->root = optarg;
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
	o->verb = argv[optind];
	if (o->verb && optind + 1 < argc)
		o->name = argv[optind + 1];
	if (o->name && optind + 2 < argc)
		return usage_wrong("gpu", argv[optind + 2], "one name is enough");
	return -1;
}

int cmd_gpu(int argc, char **argv)
{
	struct options o = { .root = "" };
	int code = gpu_options(&o, argc, argv);
	bool bind;

	if (code >= 0)
		return code;
	if (*o.root && access(o.root, X_OK)) {
		say("gpu: --root: %s: %s", o.root, strerror(errno));
		return EXIT_ERROR;
	}
	if (!o.verb) {
		say("gpu: list, bind or unbind? 'vsamp gpu -h' tells the options");
		return EXIT_USAGE;
	}
	if (!strcmp(o.verb, "list"))
		return gpu_list(&o);
	bind = !strcmp(o.verb, "bind");
	if (!bind && strcmp(o.verb, "unbind"))
		return usage_wrong("gpu", o.verb, "none of list, bind, unbind");
	if (o.json)
		return usage_wrong("gpu", "--json", "is of list");
	if (!o.name) {
		say("gpu: %s which? 'vsamp gpu list' lists them", o.verb);
		return EXIT_USAGE;
	}
	return gpu_move(&o, bind);
}
