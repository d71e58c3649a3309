// SPDX-License-Identifier: MIT
/*
 * itt_match CALL...: what ITT calls of a thread mean, each made a unit of time after the one before:
 * "begin NAME" and "end" of a task, "start NAME" and "stop NAME" of an event
 *
 *	cc itt_match.c -o itt_match $(pkg-config --cflags --libs libvsamp)
 *	./itt_match "begin My Task" "begin My SubTask" end end
 *	task My Task: 0 to 3, 3 units, 2 its own
 *	task My SubTask: 1 to 2, 1 units, 1 its own
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/itt.h>

/* The records of the thread; names and events have the number of the call that has them first */
static uint64_t records[1U << 20];
static size_t used; /* bytes */

static void record(const struct vsamp_itt_call *call)
{
	int n;

	if (sizeof(records) - used < VSAMP_ITT_RECORD_MAX)
		exit(1);
	n = vsamp_itt_encode((char *)records + used, call);
	if (n < 0)
		exit(1);
	used += n;
}

static void define(uint32_t number, const char *name)
{
	union {
		struct vsamp_itt_text text;
		char space[sizeof(struct vsamp_itt_text) + VSAMP_ITT_TEXT_MAX];
	} body = { .text.length = strnlen(name, VSAMP_ITT_TEXT_MAX) };
	struct vsamp_itt_call call = {
		.type = VSAMP_ITT_STRING,
		.handle = number,
		.body = &body,
		.body_size = sizeof(body.text) + body.text.length,
	};

	memcpy(body.text.text, name, body.text.length);
	record(&call);
	record(&(struct vsamp_itt_call){
		.type = VSAMP_ITT_EVENT, .handle = number, .name = number });
}

/* What is behind the first word; NULL: nothing */
static const char *name_of(const char *call)
{
	const char *blank = strchr(call, ' ');

	return blank ? blank + 1 : NULL;
}

static uint32_t number_of(char **calls, const char *name)
{
	uint32_t i = 0;

	while (!name_of(calls[i]) || strcmp(name_of(calls[i]), name))
		i++;
	return i + 1;
}

/* Returns 0 if it is no call */
static int take(char **calls, uint32_t i)
{
	static const struct {
		const char *word;
		uint8_t type;
	} words[] = {
		{ "begin", VSAMP_ITT_TASK_BEGIN },
		{ "end", VSAMP_ITT_TASK_END },
		{ "start", VSAMP_ITT_EVENT_START },
		{ "stop", VSAMP_ITT_EVENT_END },
	};
	const char *name = name_of(calls[i]);
	uint32_t number = name ? number_of(calls, name) : 0;
	struct vsamp_itt_call call = { .time = i };

	for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++)
		if (!strncmp(calls[i], words[w].word, strlen(words[w].word)))
			call.type = words[w].type;
	if (number == i + 1)
		define(number, name);
	if (call.type == VSAMP_ITT_TASK_BEGIN)
		call.name = number;
	else if (call.type != VSAMP_ITT_TASK_END)
		call.handle = number;
	record(&call);
	return call.type && !name == (call.type == VSAMP_ITT_TASK_END);
}

static void print(const struct vsamp_span *span)
{
	const char *kind = span->kind == VSAMP_SPAN_TASK ? "task" : "event";

	if (span->tick)
		printf("%s %s: a mark at %llu\n", kind, span->name,
		       (unsigned long long)span->begin);
	else
		printf("%s %s: %llu to %llu, %llu units, %llu its own%s\n", kind, span->name,
		       (unsigned long long)span->begin, (unsigned long long)span->end,
		       (unsigned long long)span->inclusive, (unsigned long long)span->exclusive,
		       span->cut ? ", without an end" : "");
}

int main(int argc, char **argv)
{
	struct vsamp_itt_records thread = { .thread = { 1, 1, 0 }, .data = records };
	const struct vsamp_span *span;
	struct vsamp_error err;
	struct vsamp_itt *itt;
	size_t spans;
	int i = 1;

	while (i < argc && take(argv + 1, i - 1))
		i++;
	if (argc < 2 || i < argc) {
		fputs("usage: itt_match CALL...\n"
		      "CALL is \"begin NAME\", end, \"start NAME\" or \"stop NAME\"\n",
		      stderr);
		return 2;
	}
	thread.size = used;
	thread.end = argc - 1;
	if (vsamp_itt_match(&itt, &thread, 1, NULL, &err)) {
		fprintf(stderr, "itt_match: %s\n", err.text);
		return 1;
	}
	spans = vsamp_itt_spans(itt, &span);
	for (size_t s = 0; s < spans; s++)
		print(&span[s]);
	vsamp_itt_free(itt);
	return 0;
}
