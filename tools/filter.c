// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "escape.h"
#include "filter.h"
#include "usage.h"

int filter_number(const char *text, uint64_t min, uint64_t max, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 10);
	return errno || end == text || *end || *text == '-' || *n < min || *n > max ? -EINVAL : 0;
}

int filter_error(const struct filter *f, const char *what, const char *value, const char *remedy)
{
	fprintf(stderr, "vsamp %s: %s: '%s': %s\n", f->command, what, value, remedy);
	return EXIT_USAGE;
}

static int add_numbers(const struct filter *f, const char *option, char *list, uint32_t *number,
		       size_t *count)
{
	char *item, *save;
	uint64_t n;

	for (item = strtok_r(list, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		if (filter_number(item, 0, UINT32_MAX, &n))
			return filter_error(f, option, item, "numbers, with commas between them");
		if (*count == FILTER_MAX)
			return filter_error(f, option, item, "too many numbers");
		number[(*count)++] = n;
	}
	return *count ? 0 : filter_error(f, option, list, "no number is given");
}

/* A comma with a blank behind it is of a name: "f(int, char)" */
static char *name_end(char *name)
{
	char *end = strchr(name, ',');

	while (end && end[1] == ' ')
		end = strchr(end + 1, ',');
	return end;
}

int filter_names(const struct filter *f, const char *option, char *list,
		 const char *name[FILTER_MAX], size_t *count)
{
	while (list) {
		char *end = name_end(list);

		if (end)
			*end++ = '\0';
		if (!*list)
			return filter_error(f, option, list, "a name is empty");
		if (*count == FILTER_MAX)
			return filter_error(f, option, list, "too many names");
		name[(*count)++] = list;
		list = end;
	}
	return 0;
}

static int add_cpus(struct filter *f, const char *list)
{
	vsamp_cpulist_free(&f->cpus);
	if (vsamp_cpulist_parse(&f->cpus, list))
		return filter_error(f, "--cpu", list, "CPU numbers, as 0-3,8");
	f->samples.cpu = f->cpus.cpu;
	f->samples.cpus = f->cpus.n;
	return 0;
}

/* Seconds with up to nine digits behind the point, exactly; NULL if there are none */
static const char *parse_seconds(const char *text, uint64_t *ns)
{
	uint64_t unit = 1000000000;
	const char *at = text;

	*ns = 0;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (*ns > UINT64_MAX / 10 / unit - 1)
			return NULL;
		*ns = *ns * 10 + *at - '0';
	}
	if (at == text)
		return NULL;
	*ns *= unit;
	if (*at != '.')
		return at;
	for (at++; *at >= '0' && *at <= '9'; at++) {
		unit /= 10;
		*ns += (*at - '0') * unit;
	}
	return at;
}

/* Seconds, or a percentage; NULL if it is neither */
static const char *parse_end(const char *text, struct filter_time *t)
{
	const char *at = parse_seconds(text, &t->ns);

	if (!at || *at != '%')
		return at;
	t->percent = t->ns / 1e9;
	return t->percent <= 100 ? at + 1 : NULL;
}

static bool time_rises(const struct filter_time *from, const struct filter_time *to)
{
	if (isnan(from->percent) != isnan(to->percent))
		return true;
	return isnan(from->percent) ? from->ns <= to->ns : from->percent <= to->percent;
}

/* "A,B", of which either may be left out, or perf's "A%-B%" */
static int parse_time(struct filter *f, const char *text)
{
	const char *at = text;

	f->from = (struct filter_time){ 0, NAN };
	f->to = (struct filter_time){ UINT64_MAX, NAN };
	f->timed = true;
	if (*at != ',')
		at = parse_end(at, &f->from);
	if (at && *at != ',' && !(*at == '-' && !isnan(f->from.percent)))
		at = NULL;
	if (at && *++at)
		at = parse_end(at, &f->to);
	if (!at || *at || !time_rises(&f->from, &f->to))
		return filter_error(f, "--time", text,
				    f->absolute ?
					    "A,B: seconds as shown, A before B; or A%-B%" :
					    "A,B: seconds from the begin on, A before B; or A%-B%");
	return 0;
}

int filter_option(struct filter *f, int c)
{
	struct vsamp_filter *s = &f->samples;

	switch (c) {
	case 'i':
		f->path = optarg;
		return 0;
	case 'e':
		return filter_names(f, "--event", optarg, f->event, &f->events);
	case 'p':
		s->pid = f->pid;
		return add_numbers(f, "--pid", optarg, f->pid, &s->pids);
	case FILTER_TID:
		s->tid = f->tid;
		return add_numbers(f, "--tid", optarg, f->tid, &s->tids);
	case 'C':
		return add_cpus(f, optarg);
	case 'c':
		s->comm = f->comm;
		return filter_names(f, "--comms", optarg, f->comm, &s->comms);
	case 'd':
		s->module = f->module;
		return filter_names(f, "--dsos", optarg, f->module, &s->modules);
	case 'S':
		s->symbol = f->symbol;
		return filter_names(f, "--symbols", optarg, f->symbol, &s->symbols);
	case FILTER_TIME:
		return parse_time(f, optarg);
	case FILTER_MANGLED:
		f->mangled = true;
		return 0;
	}
	return EXIT_USAGE;
}

int filter_file(struct filter *f, int argc, char **argv)
{
	if (optind < argc && !f->path)
		f->path = argv[optind++];
	if (optind < argc)
		return usage_wrong(f->command, argv[optind], "one file is enough");
	if (!f->path)
		f->path = FILE_DEFAULT;
	return 0;
}

bool filter_wants_event(const struct filter *f, const struct vsamp_recording_event *e)
{
	for (size_t i = 0; i < f->events; i++)
		if (vsamp_recording_event_is(e, f->event[i], strlen(f->event[i])))
			return true;
	return !f->events;
}

static int check_event(const struct filter *f, const char *text, const struct vsamp_recording *rec)
{
	const struct vsamp_recording_event *event;
	size_t events = vsamp_recording_events(rec, &event);

	for (size_t e = 0; e < events; e++)
		if (vsamp_recording_event_is(&event[e], text, strlen(text)))
			return 0;
	fprintf(stderr, "vsamp %s: --event: '%s': %s has", f->command, text,
		vsamp_reader_path(vsamp_recording_reader(rec)));
	for (size_t e = 0; e < events; e++) {
		fputs(e ? ", " : " ", stderr);
		escape_print(stderr, event[e].name, 0);
		fputs(event[e].levels, stderr);
	}
	putc('\n', stderr);
	return EXIT_USAGE;
}

/* Times that are too late for any are the last there is; the end isn't 0, which would be none */
static uint64_t settle_time(const struct filter *f, const struct filter_time *t, uint64_t begin,
			    uint64_t end)
{
	uint64_t ns = isnan(t->percent) ? t->ns : (uint64_t)((end - begin) * (t->percent / 100));
	uint64_t zero = f->absolute && isnan(t->percent) ? 0 : begin;

	return ns < UINT64_MAX - zero ? zero + ns : UINT64_MAX;
}

int filter_settle(struct filter *f, const struct vsamp_recording *rec)
{
	uint64_t begin, end;
	int ret = 0;

	for (size_t i = 0; i < f->events && !ret; i++)
		ret = check_event(f, f->event[i], rec);
	if (ret || !f->timed)
		return ret;
	vsamp_recording_span(rec, &begin, &end);
	f->samples.from = settle_time(f, &f->from, begin, end);
	f->samples.to = settle_time(f, &f->to, begin, end);
	if (!f->samples.to)
		f->samples.to = 1;
	return 0;
}

void filter_free(struct filter *f)
{
	vsamp_cpulist_free(&f->cpus);
}
