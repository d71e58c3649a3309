// SPDX-License-Identifier: MIT
/* What is said of a GPU whose reports were recorded */
#include <inttypes.h>
#include <json-c/json.h>

#include "escape.h"
#include "summary.h"

void summary_print_gpu(const struct vsamp_gpu_recorded *gpu)
{
	const struct vsamp_gpu_totals *t = &gpu->totals;

	escape_print(stdout, gpu->platform, 0);
	fputs(", ", stdout);
	escape_print(stdout, gpu->set, 0);
	fputs(" by ", stdout);
	escape_print(stdout, gpu->path, 0);
	printf("; %" PRIu64 " reports, one in %.3f ms; %" PRIu64 " lost, %" PRIu64
	       " had no room; clock error ",
	       t->reports, gpu->period_ns / 1e6, t->lost, t->no_room);
	if (t->clock_error == UINT64_MAX)
		fputs("not known", stdout);
	else
		printf("%.3f us", t->clock_error / 1e3);
	if (t->clock_pieces > 1)
		printf(", in %" PRIu64 " pieces", t->clock_pieces);
}

struct json_object *summary_json_gpu(const struct vsamp_gpu_recorded *gpu)
{
	const struct vsamp_gpu_totals *t = &gpu->totals;
	struct json_object *o = json_object_new_object();
	const struct {
		const char *name;
		uint64_t n;
	} numbers[] = {
		{ "id", gpu->id },
		{ "period_ns", gpu->period_ns },
		{ "interval_ns", gpu->interval_ns },
		{ "reports", t->reports },
		{ "lost", t->lost },
		{ "no_room", t->no_room },
		{ "clock_pieces", t->clock_pieces },
	};

	json_object_object_add(o, "slot", json_object_new_string(gpu->slot));
	json_object_object_add(o, "platform", json_object_new_string(gpu->platform));
	json_object_object_add(o, "path", json_object_new_string(gpu->path));
	json_object_object_add(o, "set", json_object_new_string(gpu->set));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_object_add(o, numbers[i].name, json_object_new_uint64(numbers[i].n));
	json_object_object_add(
		o, "clock_error_ns",
		t->clock_error == UINT64_MAX ? NULL : json_object_new_uint64(t->clock_error));
	return o;
}

struct json_object *summary_json_gpus(const struct vsamp_recording *rec)
{
	struct json_object *list = json_object_new_array();
	const struct vsamp_gpu_recorded *gpu;
	size_t count = vsamp_recording_gpus(rec, &gpu);

	for (size_t i = 0; i < count; i++)
		json_object_array_add(list, summary_json_gpu(&gpu[i]));
	return list;
}
