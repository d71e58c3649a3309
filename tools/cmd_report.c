// SPDX-License-Identifier: MIT
/* vsamp report: where the samples of a file fell */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/profile.h>
#include <vsamp/recording.h>

#include "cmd.h"
#include "escape.h"
#include "summary.h"

#define PIDS_MAX   1024
#define NOTES_MAX  5
#define NAME_WIDTH 40 /* of a column, where no name needs less */

struct report {
	const char *path;
	struct vsamp_recording *rec;
	struct vsamp_profile *profile;
	const struct vsamp_recording_event *event;
	size_t events;
	unsigned int by;
	const char *event_name; /* NULL: all */
	uint32_t pid[PIDS_MAX];
	size_t pids;
	size_t rows_max; /* 0: all */
	bool json;
};

static const struct {
	const char *name;
	unsigned int by;
} columns[] = {
	{ "process", VSAMP_BY_PROCESS },
	{ "module", VSAMP_BY_MODULE },
	{ "symbol", VSAMP_BY_SYMBOL },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void usage(FILE *out)
{
	fputs("usage: vsamp report [OPTIONS] [FILE]\n"
	      "Shows where the samples of FILE (" FILE_DEFAULT ") fell.\n\n"
	      "  -i, --input FILE   the same as FILE\n"
	      "  -s, --sort KEYS    what rows are told apart by: process,module,symbol or some of it\n"
	      "  -e, --event EVENT  only this event\n"
	      "  -p, --pid PID,...  only these processes\n"
	      "  -n, --rows N       the first N rows of each event\n"
	      "      --json         all of it as JSON (docs/json.md)\n"
	      "  -h, --help         this text\n\n"
	      "Ends with 0, 1 if FILE can't be read or is damaged, 2 for wrong options.\n",
	      out);
}

static int usage_error(const char *what, const char *value, const char *remedy)
{
	fprintf(stderr, "vsamp report: %s: '%s': %s\n", what, value, remedy);
	return EXIT_USAGE;
}

static int parse_sort(struct report *r, char *keys)
{
	const char *all = "the keys are process, module and symbol, with commas between them";
	char *key, *save;

	r->by = 0;
	for (key = strtok_r(keys, ",", &save); key; key = strtok_r(NULL, ",", &save)) {
		size_t i;

		for (i = 0; i < COLUMNS && strcmp(key, columns[i].name); i++)
			;
		if (i == COLUMNS)
			return usage_error("--sort", key, all);
		r->by |= columns[i].by;
	}
	return r->by ? 0 : usage_error("--sort", keys, all);
}

/* A number from @min on that takes all of the text */
static int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 10);
	return errno || end == text || *end || *text == '-' || *n < min || *n > max ? -EINVAL : 0;
}

static int parse_pids(struct report *r, char *list)
{
	char *item, *save;
	uint64_t n;

	for (item = strtok_r(list, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		if (parse_number(item, 0, UINT32_MAX, &n))
			return usage_error("--pid", item,
					   "process numbers, with commas between them");
		if (r->pids == PIDS_MAX)
			return usage_error("--pid", item, "too many processes");
		r->pid[r->pids++] = n;
	}
	return r->pids ? 0 : usage_error("--pid", list, "no process is named");
}

static int parse(struct report *r, int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' }, { "sort", required_argument, NULL, 's' },
		{ "event", required_argument, NULL, 'e' }, { "pid", required_argument, NULL, 'p' },
		{ "rows", required_argument, NULL, 'n' },  { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },	   { 0 },
	};
	uint64_t n;
	int c, ret;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":i:s:e:p:n:h", options, NULL)) != -1) {
		ret = 0;
		switch (c) {
		case 'i':
			r->path = optarg;
			break;
		case 's':
			ret = parse_sort(r, optarg);
			break;
		case 'e':
			r->event_name = optarg;
			break;
		case 'p':
			ret = parse_pids(r, optarg);
			break;
		case 'n':
			if (parse_number(optarg, 1, SIZE_MAX, &n))
				ret = usage_error("--rows", optarg, "a number from 1 on");
			r->rows_max = n;
			break;
		case 'j':
			r->json = true;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			ret = usage_error(c == ':' ? "needs a value" : "no such option",
					  argv[optind - 1], "'vsamp report -h' tells the options");
		}
		if (ret)
			return ret;
	}
	if (optind < argc && !r->path)
		r->path = argv[optind++];
	if (optind < argc)
		return usage_error("one file is enough", argv[optind], "give one");
	if (!r->path)
		r->path = FILE_DEFAULT;
	return 0;
}

static bool event_wanted(const struct report *r, size_t event)
{
	return !r->event_name || !strcasecmp(r->event_name, r->event[event].name);
}

static int check_event(const struct report *r)
{
	for (size_t e = 0; e < r->events; e++)
		if (event_wanted(r, e))
			return 0;
	fprintf(stderr, "vsamp report: --event: '%s': %s has", r->event_name, r->path);
	for (size_t e = 0; e < r->events; e++) {
		fputs(e ? ", " : " ", stderr);
		escape_print(stderr, r->event[e].name, 0);
	}
	putc('\n', stderr);
	return EXIT_USAGE;
}

static int row_rows(struct report *r, unsigned int by, size_t event,
		    struct vsamp_profile_row **rows, size_t *count)
{
	struct vsamp_error err;

	if (!vsamp_profile_rows(r->profile, by, event, rows, count, &err))
		return 0;
	fprintf(stderr, "vsamp report: %s\n", err.text);
	return EXIT_ERROR;
}

/* The last part of a path; of what isn't a path, all of it */
static const char *module_name(const char *module)
{
	const char *slash = module[0] == '/' ? strrchr(module, '/') : NULL;

	return slash && slash[1] ? slash + 1 : module;
}

static void process_name(const struct vsamp_profile_row *row, char *text, size_t size)
{
	if (row->comm[0])
		snprintf(text, size, "%s (%u)", row->comm, row->pid);
	else
		snprintf(text, size, "(%u)", row->pid);
}

/* The text of a column, in @process where it has to be made */
static const char *row_text(const struct vsamp_profile_row *row, unsigned int by, char *process,
			    size_t size)
{
	if (by == VSAMP_BY_MODULE)
		return module_name(row->module);
	if (by == VSAMP_BY_SYMBOL)
		return row->symbol;
	process_name(row, process, size);
	return process;
}

static void print_row(const struct report *r, const struct vsamp_profile_row *row, size_t event,
		      const size_t *width)
{
	char process[512];

	printf("  %6.2f%% %10" PRIu64, 100.0 * row->samples[event] / r->event[event].samples,
	       row->samples[event]);
	for (size_t i = 0; i < COLUMNS; i++) {
		if (!(r->by & columns[i].by))
			continue;
		fputs("  ", stdout);
		escape_print(stdout, row_text(row, columns[i].by, process, sizeof(process)),
			     r->by >= 2 * columns[i].by ? width[i] : 0);
	}
	putchar('\n');
}

static void measure(const struct report *r, const struct vsamp_profile_row *rows, size_t count,
		    size_t *width)
{
	char process[512];

	for (size_t i = 0; i < COLUMNS; i++) {
		width[i] = strlen(columns[i].name);
		for (size_t j = 0; j < count && r->by & columns[i].by; j++) {
			size_t w = escape_width(
				row_text(&rows[j], columns[i].by, process, sizeof(process)));

			if (w > width[i])
				width[i] = w < NAME_WIDTH ? w : NAME_WIDTH;
		}
	}
}

/* Rows that have samples of the event, as many as are wanted; they come first */
static size_t rows_shown(const struct report *r, const struct vsamp_profile_row *rows, size_t count,
			 size_t event)
{
	size_t n = 0;

	while (n < count && rows[n].samples[event] && (!r->rows_max || n < r->rows_max))
		n++;
	return n;
}

static int print_event(struct report *r, size_t event)
{
	struct vsamp_profile_row *rows;
	size_t count, shown, width[COLUMNS];

	if (row_rows(r, r->by, event, &rows, &count))
		return EXIT_ERROR;
	shown = rows_shown(r, rows, count, event);
	measure(r, rows, shown, width);
	putchar('\n');
	escape_print(stdout, r->event[event].name, 0);
	printf(": %" PRIu64 " samples%s\n", r->event[event].samples,
	       r->pids ? ", of which those of the processes asked for" : "");
	if (shown) {
		printf("  percent    samples");
		for (size_t i = 0; i < COLUMNS; i++)
			if (r->by & columns[i].by)
				printf("  %-*s", r->by >= 2 * columns[i].by ? (int)width[i] : 0,
				       columns[i].name);
		putchar('\n');
	}
	for (size_t i = 0; i < shown; i++)
		print_row(r, &rows[i], event, width);
	if (shown < count && rows[shown].samples[event])
		printf("  ... (-n %zu)\n", r->rows_max);
	free(rows);
	return 0;
}

/* Of the modules with most samples, those whose symbols are missing, and why */
static int print_notes(struct report *r)
{
	struct vsamp_profile_row *rows;
	size_t count, notes = 0;

	if (row_rows(r, VSAMP_BY_MODULE, 0, &rows, &count))
		return EXIT_ERROR;
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].note || notes++ >= NOTES_MAX)
			continue;
		fputs(notes > 1 ? "# " : "\n# ", stdout);
		escape_print(stdout, rows[i].module, 0);
		printf(": %s\n", rows[i].note);
	}
	if (notes > NOTES_MAX)
		printf("# ... and %zu modules more that lack symbols (--json tells them)\n",
		       notes - NOTES_MAX);
	free(rows);
	return 0;
}

static int print_text(struct report *r)
{
	int ret = 0;

	summary_print(r->rec, r->path);
	for (size_t e = 0; e < r->events && !ret; e++)
		if (event_wanted(r, e))
			ret = print_event(r, e);
	return ret ? ret : print_notes(r);
}

static struct json_object *json_samples(const struct report *r, const struct vsamp_profile_row *row)
{
	struct json_object *list = json_object_new_array();

	for (size_t e = 0; e < r->events; e++)
		if (event_wanted(r, e))
			json_object_array_add(list, json_object_new_uint64(row->samples[e]));
	return list;
}

static bool row_empty(const struct report *r, const struct vsamp_profile_row *row)
{
	for (size_t e = 0; e < r->events; e++)
		if (event_wanted(r, e) && row->samples[e])
			return false;
	return true;
}

static struct json_object *json_row(const struct report *r, const struct vsamp_profile_row *row,
				    unsigned int by)
{
	struct json_object *o = json_object_new_object();

	if (by & VSAMP_BY_PROCESS) {
		json_object_object_add(o, "pid", json_object_new_int64(row->pid));
		json_object_object_add(o, "comm", json_object_new_string(row->comm));
	}
	if (by & VSAMP_BY_MODULE)
		json_object_object_add(o, "module", json_object_new_string(row->module));
	if (by == VSAMP_BY_MODULE) {
		json_object_object_add(o, "build_id", json_object_new_string(row->build_id));
		json_object_object_add(o, "note",
				       row->note ? json_object_new_string(row->note) : NULL);
	}
	if (by & VSAMP_BY_SYMBOL)
		json_object_object_add(o, "symbol", json_object_new_string(row->symbol));
	json_object_object_add(o, "samples", json_samples(r, row));
	return o;
}

static int json_rows(struct report *r, struct json_object *root, const char *name, unsigned int by)
{
	struct json_object *list = json_object_new_array();
	struct vsamp_profile_row *rows;
	size_t count, first = 0;

	while (!event_wanted(r, first))
		first++;
	json_object_object_add(root, name, list);
	if (row_rows(r, by, first, &rows, &count))
		return EXIT_ERROR;
	for (size_t i = 0; i < count && (!r->rows_max || i < r->rows_max); i++)
		if (!row_empty(r, &rows[i]))
			json_object_array_add(list, json_row(r, &rows[i], by));
	free(rows);
	return 0;
}

static int print_json(struct report *r)
{
	struct json_object *root = json_object_new_object(), *events = json_object_new_array();
	int ret;

	summary_json(r->rec, r->path, root);
	for (size_t e = 0; e < r->events; e++)
		if (event_wanted(r, e))
			json_object_array_add(events, summary_json_event(&r->event[e]));
	json_object_object_add(root, "events", events);
	ret = json_rows(r, root, "processes", VSAMP_BY_PROCESS);
	if (!ret)
		ret = json_rows(r, root, "modules", VSAMP_BY_MODULE);
	if (!ret)
		ret = json_rows(r, root, "symbols", VSAMP_BY_MODULE | VSAMP_BY_SYMBOL);
	if (!ret)
		ret = json_rows(r, root, "rows", r->by);
	if (!ret)
		summary_put(root);
	json_object_put(root);
	return ret;
}

static int report(struct report *r)
{
	struct vsamp_error err;
	int ret;

	if (vsamp_recording_open(&r->rec, r->path, &err)) {
		fprintf(stderr, "vsamp report: %s\n", err.text);
		return EXIT_ERROR;
	}
	r->events = vsamp_recording_events(r->rec, &r->event);
	ret = check_event(r);
	if (ret)
		return ret;
	if (vsamp_profile_new(&r->profile, r->rec, r->pid, r->pids, &err)) {
		fprintf(stderr, "vsamp report: %s\n", err.text);
		return EXIT_ERROR;
	}
	ret = r->json ? print_json(r) : print_text(r);
	if (!ret)
		ret = summary_end("report", r->rec);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct report r = { .by = VSAMP_BY_PROCESS | VSAMP_BY_MODULE | VSAMP_BY_SYMBOL };
	int ret = parse(&r, argc, argv);

	if (ret)
		return ret < 0 ? 0 : ret;
	ret = report(&r);
	vsamp_profile_free(r.profile);
	vsamp_recording_close(r.rec);
	return ret;
}
