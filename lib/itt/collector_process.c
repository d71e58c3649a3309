// SPDX-License-Identifier: MIT
/* collector_process.c: where a process's calls go, and what becomes of it in a fork */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector.h"

#define LIMIT_MIB  1024 /* of a thread's file, without VSAMP_ITT_LIMIT */
#define ARENA_SIZE (1U << 20)

struct process process = { .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };

/* malloc() may be the very program that calls us */
void *process_alloc(size_t size)
{
	static uint8_t *at;
	static size_t room;
	void *it;

	size = (size + 15) & ~15UL;
	if (size > ARENA_SIZE)
		return NULL;
	if (size > room) {
		it = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0,
			  0);
		if (it == MAP_FAILED)
			return NULL;
		at = it;
		room = ARENA_SIZE;
	}
	it = at;
	at += size;
	room -= size;
	return it;
}

void process_identify(void)
{
	struct stat st;

	process.pid = getpid();
	process.pidns = stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
	process.start = ticks();
}

static void fork_prepare(void)
{
	process_lock();
}

static void fork_parent(void)
{
	process_unlock();
}

/* The files are the parent's. Handles stay, so that what the program has of them is right. */
static void fork_child(void)
{
	stream_forked();
	process_identify();
	process.files = 0;
	define_forked();
	/* Its owner was the parent's thread, by a number that the child's doesn't have */
	process.lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

static uint64_t limit_get(void)
{
	const char *text = secure_getenv("VSAMP_ITT_LIMIT");
	unsigned long mib = text ? strtoul(text, NULL, 10) : 0;

	return (uint64_t)(mib && mib < 1UL << 30 ? mib : LIMIT_MIB) << 20;
}

static bool dir_get(void)
{
	const char *dir = secure_getenv("VSAMP_ITT_DIR");
	struct stat st;

	if (!dir || !*dir)
		return output_get();
	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		return false;
	/* The program may change its working directory */
	if (*dir != '/') {
		char *full = realpath(dir, NULL);
		int n = full ? snprintf(process.dir, sizeof(process.dir), "%s", full) : -1;

		free(full);
		return n > 0 && (size_t)n < sizeof(process.dir);
	}
	return (size_t)snprintf(process.dir, sizeof(process.dir), "%s", dir) < sizeof(process.dir);
}

static uint32_t clock_get(void)
{
	const char *clock = secure_getenv("VSAMP_ITT_CLOCK");

	/* A file may be read where, or when, nobody knows how fast this TSC is */
	return !clock ? (process.output ? SPOOL_CLOCK_MONOTONIC_RAW : SPOOL_CLOCK_TSC) :
	       !strcmp(clock, "monotonic")     ? SPOOL_CLOCK_MONOTONIC :
	       !strcmp(clock, "monotonic-raw") ? SPOOL_CLOCK_MONOTONIC_RAW :
						 SPOOL_CLOCK_TSC;
}

bool process_begin(void)
{
	static bool begun;

	if (begun)
		return process.on;
	begun = true;
	if (!dir_get() || pthread_atfork(fork_prepare, fork_parent, fork_child))
		return false;
	process.clock = clock_get();
	process.limit = limit_get();
	pause_begin();
	process_identify();
	process.on = true;
	return true;
}
