// SPDX-License-Identifier: MIT
/*
 * script TEXT...: makes ITT calls, and runs instructions in between, as a text says. Of known lengths:
 * the text is read before, and what is between two calls of a text depends on the lengths in it alone.
 *
 * Bx E      a task x begins; the innermost one ends
 * Ox Xx     an overlapped task x, whose id is its name's
 * Sx Nx     an event x starts, and ends
 * P C       pause, and resume
 * Wn        n instructions, and a few that don't depend on n; from 20 on
 * ( ... )   a child does this; its parent waits for its end
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ittnotify.h"

#include "../progs/insns.h"

#define OPS_MAX 1000

struct op {
	char what;
	uint64_t arg; /* of W: twenties; of others: the name */
	uint64_t rest;
};

static struct op ops[OPS_MAX];
static __itt_domain *domain;
static __itt_string_handle *names[128];
static __itt_event events[128];

static void parse(const char *text)
{
	for (struct op *op = ops; *text && op < ops + OPS_MAX - 1; op++) {
		char *end = (char *)text + 1;

		op->what = *text;
		if (op->what == 'W') {
			op->arg = strtoull(text + 1, &end, 10);
			op->rest = op->arg % 20;
			op->arg -= op->rest;
		} else if (strchr("BOXSN", op->what)) {
			op->arg = *end++ & 127;
		}
		text = end + strspn(end, " ");
	}
}

static void create(void)
{
	domain = __itt_domain_create("script");
	for (char c = 'a'; c <= 'z'; c++) {
		char name[] = { c, 0 };

		names[(int)c] = __itt_string_handle_create(name);
		events[(int)c] = __itt_event_create(name, 1);
	}
}

/* The operation behind a child's */
static const struct op *child_end(const struct op *op)
{
	for (int deep = 0; op->what; op++) {
		deep += (op->what == '(') - (op->what == ')');
		if (!deep)
			return op;
	}
	return op;
}

static void run(const struct op *op)
{
	__itt_id id = __itt_null;

	for (; op->what; op++) {
		id.d1 = op->arg;
		switch (op->what) {
		case 'B':
			__itt_task_begin(domain, __itt_null, __itt_null, names[op->arg]);
			break;
		case 'E':
			__itt_task_end(domain);
			break;
		case 'O':
			__itt_task_begin_overlapped(domain, id, __itt_null, names[op->arg]);
			break;
		case 'X':
			__itt_task_end_overlapped(domain, id);
			break;
		case 'S':
			__itt_event_start(events[op->arg]);
			break;
		case 'N':
			__itt_event_end(events[op->arg]);
			break;
		case 'P':
			__itt_pause();
			break;
		case 'C':
			__itt_resume();
			break;
		case 'W':
			insns_run_twenties(op->arg);
			insns_run_few(op->rest);
			break;
		case '(':
			if (fork()) {
				wait(NULL);
				op = child_end(op);
			}
			break;
		case ')':
			exit(0);
		default:
			fprintf(stderr, "script: %c\n", op->what);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	create();
	for (int i = 1; i < argc; i++) {
		memset(ops, 0, sizeof(ops));
		parse(argv[i]);
		run(ops);
	}
	return 0;
}
