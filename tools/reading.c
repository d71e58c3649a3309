// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <vsamp/progress.h>

#include "clock.h"
#include "terminal.h"

#define FIRST_NS 500000000ULL
#define NEXT_NS	 100000000ULL

static uint64_t next_ns; /* CLOCK_MONOTONIC: when to show it */
static bool shown;

/* The line stays where it begins: what is said next is written over it */
static void show(void *arg, uint64_t done, uint64_t total)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now < next_ns)
		return;
	fprintf(stderr, "\r\033[Kreading: %.0f of %.0f MB\r", done / 1e6, total / 1e6);
	fflush(stderr);
	shown = true;
	next_ns = now + NEXT_NS;
}

void reading_begin(void)
{
	if (!terminal_draws(STDERR_FILENO))
		return;
	next_ns = clock_ns(CLOCK_MONOTONIC) + FIRST_NS;
	setenv("DEBUGINFOD_PROGRESS", "1", 0); /* its client says what it fetches */
	vsamp_progress_watch(show, NULL);
}

void reading_end(void)
{
	vsamp_progress_watch(NULL, NULL);
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
