// SPDX-License-Identifier: MIT
/*
 * usage: print_spool DIR | FILE
 *	  print_spool --take | --count DIR DRAINS
 *
 * Joins a spool to a recording in memory's stead, a file beside it, and prints the records of that, or
 * those of a recording: a line each, "PID/TID TYPE HANDLE", then what there is of name="...", fn=,
 * clock=N:TIME, id=, parent=, text="...", body=HEX. Times only have to be in order; those that aren't
 * are marked by "back". Behind those of a spool "N files, N processes, N bad, N records, N lost".
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vsamp/itt_record.h>
#include <vsamp/itt_spool.h>

#include "vsamp.h"

struct string {
	struct vsamp_itt_thread thread;
	uint32_t number;
	struct vsamp_itt_text *text;
};

static struct string *strings;
static size_t n_strings;

static const char *const types[64] = {
	[VSAMP_ITT_STRING] = "STRING",
	[VSAMP_ITT_DOMAIN] = "DOMAIN",
	[VSAMP_ITT_EVENT] = "EVENT",
	[VSAMP_ITT_COUNTER] = "COUNTER",
	[VSAMP_ITT_COUNTER_META] = "COUNTER_META",
	[VSAMP_ITT_HISTOGRAM] = "HISTOGRAM",
	[VSAMP_ITT_CLOCK] = "CLOCK",
	[VSAMP_ITT_MAPPING] = "MAPPING",
	[VSAMP_ITT_SYNC_OBJECT] = "SYNC_OBJECT",
	[VSAMP_ITT_THREAD_START] = "THREAD_START",
	[VSAMP_ITT_THREAD_END] = "THREAD_END",
	[VSAMP_ITT_THREAD_NAME] = "THREAD_NAME",
	[VSAMP_ITT_LOST] = "LOST",
	[VSAMP_ITT_PAUSE] = "PAUSE",
	[VSAMP_ITT_RESUME] = "RESUME",
	[VSAMP_ITT_DETACH] = "DETACH",
	[VSAMP_ITT_CALLS] = "CALLS",
	[VSAMP_ITT_TASK_BEGIN] = "TASK_BEGIN",
	[VSAMP_ITT_TASK_END] = "TASK_END",
	[VSAMP_ITT_OVERLAPPED_BEGIN] = "OVERLAPPED_BEGIN",
	[VSAMP_ITT_OVERLAPPED_END] = "OVERLAPPED_END",
	[VSAMP_ITT_TASK_GROUP] = "TASK_GROUP",
	[VSAMP_ITT_REGION_BEGIN] = "REGION_BEGIN",
	[VSAMP_ITT_REGION_END] = "REGION_END",
	[VSAMP_ITT_FRAME_BEGIN] = "FRAME_BEGIN",
	[VSAMP_ITT_FRAME_END] = "FRAME_END",
	[VSAMP_ITT_FRAME_SUBMIT] = "FRAME_SUBMIT",
	[VSAMP_ITT_MARKER] = "MARKER",
	[VSAMP_ITT_EVENT_START] = "EVENT_START",
	[VSAMP_ITT_EVENT_END] = "EVENT_END",
	[VSAMP_ITT_COUNTER_SET] = "COUNTER_SET",
	[VSAMP_ITT_COUNTER_ADD] = "COUNTER_ADD",
	[VSAMP_ITT_METADATA] = "METADATA",
	[VSAMP_ITT_RELATION] = "RELATION",
	[VSAMP_ITT_ID_CREATE] = "ID_CREATE",
	[VSAMP_ITT_ID_DESTROY] = "ID_DESTROY",
	[VSAMP_ITT_HISTOGRAM_SUBMIT] = "HISTOGRAM_SUBMIT",
	[VSAMP_ITT_SYNC] = "SYNC",
	[VSAMP_ITT_STITCH] = "STITCH",
};

static void string_know(const struct vsamp_itt_thread *thread, const struct vsamp_itt_call *c)
{
	struct string *s;

	s = realloc(strings, (n_strings + 1) * sizeof(*strings));
	if (!s)
		abort();
	strings = s;
	s = &strings[n_strings++];
	s->thread = *thread;
	s->number = c->handle;
	s->text = malloc(c->body_size);
	memcpy(s->text, c->body, c->body_size);
}

static void text_print(const char *what, const char *text, size_t length)
{
	printf(" %s=\"", what);
	for (size_t i = 0; i < length && i < 60; i++)
		printf(text[i] >= ' ' && text[i] < 127 ? "%c" : "\\x%02x", (unsigned char)text[i]);
	printf(length > 60 ? "...%zu\"" : "\"", length);
}

static void name_print(const struct vsamp_itt_thread *thread, uint32_t number)
{
	for (size_t i = 0; i < n_strings; i++) {
		const struct string *s = &strings[i];

		if (s->number == number && s->thread.pid == thread->pid &&
		    s->thread.start == thread->start) {
			text_print("name", s->text->text, s->text->length);
			return;
		}
	}
	printf(" name=?%u", number);
}

static void call_print(const struct vsamp_itt_thread *thread, const struct vsamp_itt_call *c)
{
	const struct vsamp_itt_text *text = c->body;
	const uint64_t *word = c->body;

	printf("%u/%u %s %u", thread->pid, thread->tid,
	       types[c->type & 63] ? types[c->type & 63] : "?", c->handle);
	if (c->flags & VSAMP_ITT_HAS_NAME)
		name_print(thread, c->name);
	if (c->flags & VSAMP_ITT_HAS_FN)
		printf(" fn=%" PRIx64, c->fn);
	if (c->flags & VSAMP_ITT_HAS_CLOCK)
		printf(" clock=%u:%" PRIu64, c->clock, c->stamp);
	if (c->flags & VSAMP_ITT_HAS_ID)
		printf(" id=%" PRIx64 ",%" PRIx64, c->id.d[0], c->id.d[1]);
	if (c->flags & VSAMP_ITT_HAS_PARENT)
		printf(" parent=%" PRIx64 ",%" PRIx64, c->parent.d[0], c->parent.d[1]);
	if (c->type == VSAMP_ITT_STRING || c->type == VSAMP_ITT_THREAD_NAME)
		text_print("text", text->text, text->length);
	else if (c->type == VSAMP_ITT_METADATA && (word[0] & 0xff) == VSAMP_ITT_CHARS)
		text_print("text", (const char *)(word + 1), word[0] >> 32);
	else
		for (size_t i = 0; i < c->body_size / 8 && i < 6 && c->type != VSAMP_ITT_MAPPING;
		     i++)
			printf(" %" PRIx64, word[i]);
	printf(c->flags & VSAMP_ITT_TRUNCATED ? " truncated" : "");
	printf(c->flags & VSAMP_ITT_CONTINUED ? " continued" : "");
}

static void chunk_each(struct vsamp_reader *r, const struct vsamp_chunk *chunk, bool print)
{
	struct vsamp_itt_call c;
	uint64_t before = 0;
	uint8_t *data;
	size_t at = sizeof(struct vsamp_itt_thread);

	if (vsamp_reader_load(r, chunk, (void **)&data, NULL))
		abort();
	while (at < chunk->raw_size) {
		int n = vsamp_itt_decode(data + at, chunk->raw_size - at, &c);

		if (n < 0)
			abort();
		if (print) {
			call_print((void *)data, &c);
			puts(c.time < before ? " back" : "");
			before = c.time;
		} else if (c.type == VSAMP_ITT_STRING) {
			string_know((void *)data, &c);
		}
		at += n;
	}
	free(data);
}

static void file_print(const char *path)
{
	const struct vsamp_chunk *chunk;
	struct vsamp_reader *r;
	size_t n;

	if (vsamp_reader_open(&r, path, NULL))
		abort();
	n = vsamp_reader_chunks(r, &chunk);
	for (int print = 0; print < 2; print++)
		for (size_t i = 0; i < n; i++)
			if (chunk[i].type == VSAMP_CHUNK_ITT)
				chunk_each(r, &chunk[i], print);
	vsamp_reader_close(r);
	for (size_t i = 0; i < n_strings; i++)
		free(strings[i].text);
	n_strings = 0;
}

static char path[256];

static struct vsamp_writer *file_begin(int number, struct vsamp_error *err)
{
	struct json_object *meta = json_tokener_parse("{\"version\":1}");
	struct vsamp_writer *w;

	snprintf(path, sizeof(path), "%s/print_spool-%d-%d", getenv("TMPDIR") ?: "/tmp", getpid(),
		 number);
	if (vsamp_writer_open(&w, path, err) || vsamp_writer_json(w, VSAMP_CHUNK_META, meta, err))
		return NULL;
	json_object_put(meta);
	return w;
}

static bool silent;

static void file_end(struct vsamp_writer *w)
{
	if (vsamp_writer_close(w, NULL))
		abort();
	if (!silent)
		file_print(path);
	unlink(path);
}

static bool input_ended(void)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };

	return poll(&p, 1, 5) > 0;
}

/* Each drain is the last of all if there was no input before it */
static int take(struct vsamp_itt_spool *s, int drains, struct vsamp_error *err)
{
	struct vsamp_writer *w;
	bool last = false;

	for (int number = 1; !last; number++) {
		w = file_begin(number, err);
		if (!w || vsamp_itt_spool_start(s, w, err))
			return 1;
		for (int i = 0; i < drains && !last; i++) {
			last = input_ended();
			if (vsamp_itt_spool_drain(s, err))
				return 1;
		}
		if (!silent)
			printf("file %d\n", number);
		file_end(w);
	}
	return 0;
}

static int join(const char *dir, struct vsamp_itt_totals *total, struct vsamp_error *err)
{
	struct vsamp_writer *w = file_begin(0, err);

	if (!w || vsamp_itt_spool_join(w, dir, VSAMP_CLOCK_TSC, total, err))
		return 1;
	file_end(w);
	return 0;
}

int main(int argc, char **argv)
{
	struct vsamp_itt_totals total;
	struct vsamp_itt_spool *s;
	struct vsamp_error err;
	struct stat st;
	int ret;

	if (argc == 2 && !stat(argv[1], &st) && !S_ISDIR(st.st_mode)) {
		file_print(argv[1]);
		return 0;
	}
	if (argc == 2) {
		ret = join(argv[1], &total, &err);
	} else if (argc == 4) {
		silent = !strcmp(argv[1], "--count");
		ret = vsamp_itt_spool_open(&s, argv[2], VSAMP_CLOCK_TSC, VSAMP_ITT_SPOOL_TAKE,
					   &err) ||
		      take(s, atoi(argv[3]), &err);
		if (s)
			total = vsamp_itt_spool_totals(s);
		vsamp_itt_spool_close(s);
	} else {
		return 2;
	}
	if (ret) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%u files, %u processes, %u bad, %" PRIu64 " records, %" PRIu64 " lost\n",
	       total.files, total.processes, total.bad, total.records, total.lost);
	return 0;
}
