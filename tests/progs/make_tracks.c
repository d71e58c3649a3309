// SPDX-License-Identifier: MIT
/*
 * usage: make_tracks FILE [GROUP NAME UNIT TIME=VALUE... --]...
 *
 * Writes a recording whose clock has a tick a ns, with two readings of it, at 0 and at 1 ms, and these
 * counters of devices. A TIME is in ns, up to 2^64 - 1, in any order; a VALUE a number or "nan".
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/file.h>

#define POINTS_MAX 1000

static struct vsamp_writer *w;
static struct vsamp_error err;

static void must(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "make_tracks: %s\n", err.text);
	exit(1);
}

static void put_json(enum vsamp_chunk_type type, const char *text)
{
	struct json_object *obj = json_tokener_parse(text);

	must(vsamp_writer_json(w, type, obj, &err));
	json_object_put(obj);
}

static void put_clock(uint64_t time)
{
	struct vsamp_record_clock c = {
		{ VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 }, time, 20, time, 0, 0
	};

	must(vsamp_writer_records(w, 0, &c, sizeof(c), &err));
}

/* Returns behind its end */
static char **put_track(char **arg)
{
	struct vsamp_track_id id = { 0, arg[0], arg[1], arg[2] };
	uint64_t time[POINTS_MAX];
	double value[POINTS_MAX];
	size_t points = 0;
	char *end;

	for (arg += 3; *arg && strcmp(*arg, "--") && points < POINTS_MAX; arg++) {
		time[points] = strtoull(*arg, &end, 10);
		value[points++] = strtod(end + 1, NULL);
	}
	must(vsamp_writer_track(w, &id, time, value, points, &err));
	return *arg ? arg + 1 : arg;
}

int main(int argc, char **argv)
{
	char **arg = argv + 2;

	if (argc < 2) {
		fputs("usage: make_tracks FILE [GROUP NAME UNIT TIME=VALUE... --]...\n", stderr);
		return 2;
	}
	must(vsamp_writer_open(&w, argv[1], &err));
	put_json(VSAMP_CHUNK_META, "{\"version\":1,\"clock\":{\"source\":\"tsc\",\"khz\":1000000},"
				   "\"events\":[{\"index\":0,\"name\":\"cpu-clock\",\"sav\":1}]}");
	put_clock(0);
	while (arg[0] && arg[1] && arg[2])
		arg = put_track(arg);
	put_clock(1000000);
	put_json(VSAMP_CHUNK_END, "{\"cpus\":[],\"events\":[]}");
	must(vsamp_writer_close(w, &err));
	return 0;
}
