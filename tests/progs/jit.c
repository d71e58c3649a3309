// SPDX-License-Identifier: MIT
/*
 * usage: jit map|dump MS
 *
 * Makes a function at run time and runs it for MS ms; puts another one in its place, and runs that
 * for three times as long. Tells of them as compilers do: "map": both in /tmp/perf-PID.map, at two
 * addresses; "dump": in jit-PID.dump in the working folder, at one address.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Counts its argument down */
#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#define MACHINE EM_X86_64
#else
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#define MACHINE EM_AARCH64
#endif

static FILE *dump, *map;
static void *marker;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The mapping is what tells a profiler of the file */
static void dump_open(void)
{
	const uint32_t begin[] = { 0x4A695444, 1, 40, MACHINE, 0, getpid() };
	const uint64_t rest[] = { now_ns(), 0 };
	char name[64];

	snprintf(name, sizeof(name), "jit-%d.dump", getpid());
	dump = fopen(name, "w+");
	if (dump)
		marker = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE,
			      fileno(dump), 0);
	if (!dump || marker == MAP_FAILED) {
		perror(name);
		exit(1);
	}
	fwrite(begin, sizeof(begin), 1, dump);
	fwrite(rest, sizeof(rest), 1, dump);
}

static void dump_load(const char *name, const void *at)
{
	static uint64_t index;
	const uint64_t fields[] = { (uintptr_t)at, (uintptr_t)at, sizeof(code), index++ };
	const uint32_t size = 16 + 8 + sizeof(fields) + strlen(name) + 1 + sizeof(code);
	const uint32_t prefix[] = { 0, size };
	const uint64_t time = now_ns();
	const uint32_t ids[] = { getpid(), (uint32_t)syscall(SYS_gettid) };

	fwrite(prefix, sizeof(prefix), 1, dump);
	fwrite(&time, sizeof(time), 1, dump);
	fwrite(ids, sizeof(ids), 1, dump);
	fwrite(fields, sizeof(fields), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, sizeof(code), 1, dump);
	fflush(dump);
}

static void run(const char *name, char *at, uint64_t ms)
{
	void (*function)(uint64_t) = (void (*)(uint64_t))(void *)at;
	uint64_t end;

	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, at + sizeof(code));
	if (dump)
		dump_load(name, at);
	if (map) {
		fprintf(map, "%lx %zx %s\n", (unsigned long)at, sizeof(code), name);
		fflush(map);
	}
	end = now_ns() + ms * 1000000;
	while (now_ns() < end)
		function(1000000);
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	char *at, name[64];

	if (!ms)
		return 2;
	if (!strcmp(argv[1], "dump")) {
		dump_open();
	} else {
		snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
		map = fopen(name, "w");
		if (!map)
			return 1;
	}
	/* cppcheck-suppress invalidFunctionArg ; that is how memory of no file is asked for */
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		  0);
	if (at == MAP_FAILED)
		return 1;
	run("jit_first", at, ms);
	run("jit_second", dump ? at : at + 64, 3 * ms);
	return 0;
}
