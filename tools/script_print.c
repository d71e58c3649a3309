// SPDX-License-Identifier: MIT
/* Samples as lines of text, in the order that perf script has them in */
#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vsamp.h>

#include "escape.h"
#include "number.h"
#include "script.h"

#define COMM_WIDTH 16 /* names of threads are shorter */
#define LINES_SIZE 65536
#define CODE_PARTS 16384
#define ROOM	   512 /* that numbers and blanks between names find there */

/*
 * Lines are many: printf(), or just a call of stdio for each part, would take most of the time. They
 * are gathered here.
 */
static char lines[LINES_SIZE];
static size_t used;
static unsigned int flushes;

/*
 * A part of lines that comes again and again, as it was put there last; what it was made of is beside
 * it. The parts of a line find room together.
 */
struct part {
	size_t length; /* 0: there is none */
	char text[104];
};

static struct code_part {
	const char *symbol, *module; /* where they are: what is there doesn't change */
	struct part part;
} code_parts[CODE_PARTS];

static struct task_part {
	uint32_t pid, tid;
	char comm[COMM_WIDTH];
	struct part part;
} task_parts[1024];

static struct event_part {
	double events;
	struct part part;
} event_parts[VSAMP_EVENTS_MAX];

void script_print_end(void)
{
	fwrite_unlocked(lines, 1, used, stdout);
	used = 0;
	flushes++;
}

static void put_bytes(const char *bytes, size_t size)
{
	if (used + size > LINES_SIZE - ROOM)
		script_print_end();
	if (size > LINES_SIZE - ROOM) {
		fwrite_unlocked(bytes, 1, size, stdout);
		return;
	}
	memcpy(lines + used, bytes, size);
	used += size;
}

static void put_text(const char *text)
{
	put_bytes(text, strlen(text));
}

static void put_room(void)
{
	put_bytes("", 0);
}

/* These are put into ROOM */
static void put_char(char c)
{
	lines[used++] = c;
}

static void put_blanks(int n)
{
	for (; n > 0; n--)
		put_char(' ');
}

/* To the right of so many columns; negative: to the left */
static void put_decimal(uint64_t n, int width)
{
	char text[NUMBER_MAX];
	int length = number_whole(text, n);

	put_blanks(width - length);
	memcpy(lines + used, text, length);
	used += length;
	put_blanks(-width - length);
}

/* The eight digits of a number, the first one lowest: all at once, a byte each */
static uint64_t hex_digits(uint32_t n)
{
	uint64_t x = n, letters;

	x = (x & 0xffff0000) << 16 | (x & 0xffff);
	x = (x & 0x0000ff000000ff00) << 8 | (x & 0x000000ff000000ff);
	x = (x & 0x00f000f000f000f0) << 4 | (x & 0x000f000f000f000f);
	letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return htobe64(x + 0x3030303030303030 + letters * ('a' - '9' - 1));
}

/* To the right of 16 columns */
static void put_hex(uint64_t n)
{
	uint64_t digits[2] = { hex_digits(n >> 32), hex_digits(n) };
	size_t blanks = n ? __builtin_clzll(n) / 4 : 15;

	memcpy(lines + used, digits, sizeof(digits));
	memset(lines + used, ' ', blanks);
	used += sizeof(digits);
}

/* With zeros in front */
static void put_digits(uint32_t n, size_t width)
{
	number_zeros(lines + used, n, width);
	used += width;
}

/* A part that is kept; false: there is none, it has to be made */
static bool put_kept(const struct part *part)
{
	if (!part->length)
		return false;
	memcpy(lines + used, part->text, sizeof(part->text));
	used += part->length;
	return true;
}

/* Keeps what was put since there were @from bytes and @before flushes, if it is all there */
static void keep(struct part *part, size_t from, unsigned int before)
{
	part->length = flushes == before && used - from <= sizeof(part->text) ? used - from : 0;
	memcpy(part->text, lines + from, part->length);
}

static void put_escaped(const char *text)
{
	if (escape_clean(text)) {
		put_text(text);
		return;
	}
	script_print_end();
	escape_print(stdout, text, 0);
}

static void make_task(const struct script *s, const struct vsamp_trace_sample *sample)
{
	unsigned int ids = s->fields & (SCRIPT_PID | SCRIPT_TID);

	if (s->fields & SCRIPT_COMM) {
		put_blanks(COMM_WIDTH - (int)escape_width(sample->comm));
		put_escaped(sample->comm);
		put_char(' ');
	}
	if (ids == (SCRIPT_PID | SCRIPT_TID)) {
		put_decimal(sample->pid, 7);
		put_char('/');
		put_decimal(sample->tid, -7);
		put_char(' ');
	} else if (ids) {
		put_decimal(ids == SCRIPT_PID ? sample->pid : sample->tid, 7);
		put_char(' ');
	}
}

static void put_task(const struct script *s, const struct vsamp_trace_sample *sample)
{
	struct task_part *t = &task_parts[sample->tid % (sizeof(task_parts) / sizeof(*t))];
	unsigned int before = flushes;
	size_t from = used;

	if (t->pid == sample->pid && t->tid == sample->tid &&
	    !strncmp(t->comm, sample->comm, sizeof(t->comm)) && put_kept(&t->part))
		return;
	make_task(s, sample);
	t->pid = sample->pid;
	t->tid = sample->tid;
	strncpy(t->comm, sample->comm, sizeof(t->comm));
	keep(&t->part, from, before);
	if (strlen(sample->comm) >= sizeof(t->comm))
		t->part.length = 0;
}

static void put_when(const struct script *s, uint32_t cpu, uint64_t time)
{
	if (s->fields & SCRIPT_CPU) {
		put_char('[');
		if (cpu < 1000)
			put_digits(cpu, 3);
		else
			put_decimal(cpu, 0);
		put_text("] ");
	}
	if (s->fields & SCRIPT_TIME) {
		put_decimal(time / 1000000000, 6);
		put_char('.');
		put_digits(time % 1000000000, 9);
		put_text(": ");
	}
}

/* Code, as far as its fields are asked for, but its address */
static void make_code(const struct script *s, const struct vsamp_trace_frame *frame, bool first)
{
	if (s->fields & SCRIPT_SYMBOL) {
		put_text(first ? "" : " ");
		put_escaped(frame->symbol);
		first = false;
	}
	if (s->fields & SCRIPT_MODULE && frame->module) {
		put_text(first ? "(" : " (");
		put_escaped(frame->module);
		put_char(')');
	}
	put_char('\n');
}

static void put_frame(const struct script *s, const struct vsamp_trace_frame *frame)
{
	uint32_t hash = ((uintptr_t)frame->symbol >> 4) * 0x9e3779b1u;
	struct code_part *c = &code_parts[hash / (UINT32_MAX / CODE_PARTS + 1)];
	bool address = s->fields & SCRIPT_IP && frame->module;
	unsigned int before;
	size_t from;

	if (address)
		put_hex(frame->ip);
	if (c->symbol == frame->symbol && c->module == frame->module && put_kept(&c->part))
		return;
	before = flushes;
	from = used;
	make_code(s, frame, !address);
	c->symbol = frame->symbol;
	c->module = frame->module;
	keep(&c->part, from, before);
}

/* Events, to the next whole number */
static void make_period(double events)
{
	char text[400];

	if (events < 9e18) {
		put_decimal(llrint(events), 10);
	} else {
		snprintf(text, sizeof(text), "%10.0f", events);
		put_text(text);
	}
	put_char(' ');
}

static void put_event(const struct script *s, const struct vsamp_trace_sample *sample)
{
	const struct vsamp_recording_event *event = &s->event[sample->event];
	struct event_part *e = &event_parts[sample->event];
	unsigned int before = flushes;
	size_t from = used;

	if (e->events == sample->events && put_kept(&e->part))
		return;
	if (s->fields & SCRIPT_PERIOD)
		make_period(sample->events);
	if (s->fields & SCRIPT_EVENT) {
		put_escaped(event->name);
		put_text(event->levels);
		put_text(": ");
	}
	e->events = sample->events;
	keep(&e->part, from, before);
}

void script_print_sample(const struct script *s, const struct vsamp_trace_sample *sample)
{
	put_room();
	put_task(s, sample);
	put_when(s, sample->cpu, sample->time);
	put_event(s, sample);
	if (!s->callers) {
		put_frame(s, &sample->frame[0]);
		return;
	}
	put_char('\n');
	for (size_t i = 0; i < sample->frames; i++) {
		put_room();
		put_char('\t');
		put_frame(s, &sample->frame[i]);
	}
	put_char('\n');
}

void script_print_lost(const struct script *s, uint32_t cpu, uint64_t time, uint64_t count)
{
	put_room();
	if (s->fields & SCRIPT_COMM)
		put_blanks(COMM_WIDTH + 1);
	if (s->fields & (SCRIPT_PID | SCRIPT_TID))
		put_blanks((s->fields & SCRIPT_PID ? 8 : 0) + (s->fields & SCRIPT_TID ? 8 : 0));
	put_when(s, cpu, time);
	put_text("LOST ");
	put_decimal(count, 0);
	put_text(" records\n");
	if (s->callers)
		put_char('\n');
}
