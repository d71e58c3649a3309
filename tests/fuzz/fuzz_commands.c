// SPDX-License-Identifier: MIT
/*
 * usage: fuzz_commands files FOLDER CUTS FLIPS FILE...
 *	  fuzz_commands elf FOLDER FLIPS FILE ELF
 *
 * What the commands do with files that are cut, damaged or hostile, the same in each run. Each is cut
 * at every chunk's border and at CUTS other places; flipped at FLIPS places as it is, and at as many
 * with all CRCs right: in the chunks' headers, and in what is in them, decompressed. elf: at FLIPS
 * places of a program that FILE has samples in. Every command must end by itself, with 0 or 1, with a
 * text where it is 1 or where the file was cut, in bounded time and memory. Prints what didn't, and a
 * line of numbers at the end. FOLDER is where it is done; the other
 * names are from there on.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "chunk.h"
#include "crc32c.h"

#include "../../tools/cmd.h"

#define SECONDS_MAX 20	    /* of all commands on one file, sanitizers on */
#define MEMORY_MAX  1500000 /* KiB, likewise */
#define ARGS_MAX    6

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* Else it ends with 1, as commands do */
const char *__asan_default_options(void)
{
	return "exitcode=99:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1500";
}

static const struct command {
	int (*run)(int argc, char **argv);
	const char *arg[ARGS_MAX]; /* before the file */
} commands[] = {
	{ cmd_info, { "info" } },
	{ cmd_info, { "info", "--json" } },
	{ cmd_report, { "report" } },
	{ cmd_report, { "report", "--json", "-g" } },
	{ cmd_report, { "report", "--csv", "-s", "process,thread,cpu,line,event" } },
	{ cmd_report,
	  { "report", "-s", "time,task,itt-event,symbol", "--call-graph=caller", "--children" } },
	{ cmd_report, { "report", "--html", "page.html" } },
	{ cmd_report, { "report", "--itt" } },
	{ cmd_report, { "report", "--itt", "--json" } },
	{ cmd_report, { "report", "--itt", "--csv" } },
	{ cmd_report, { "report", "--gpu", "-s", "time" } },
	{ cmd_report, { "report", "--gpu", "--json", "--time-slices", "7" } },
	{ cmd_report, { "report", "--gpu", "--csv", "--time", "10%-20%" } },
	{ cmd_script, { "script" } },
	{ cmd_script, { "script", "--json" } },
	{ cmd_diff, { "diff", "BOTH" } },
	{ cmd_export, { "export", "-o/dev/null", "-fperf" } },
	{ cmd_export, { "export", "-o/dev/null", "-fkallsyms" } },
	{ cmd_export, { "export", "-o/dev/null", "-fpprof" } },
	{ cmd_export, { "export", "-o/dev/null", "-ffirefox" } },
	{ cmd_export, { "export", "-o/dev/null", "-fchrome" } },
	{ cmd_export, { "export", "-o/dev/null", "-fcallgrind" } },
	{ cmd_export, { "export", "-o/dev/null", "-ffolded" } },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Of a child: where it is, and how the command before ended */
static struct progress {
	unsigned int at;
	int wrong; /* exit status; -1: no text */
	long memory;
} * progress;

static const char *subject; /* the file that commands are given */
static const char *changed; /* that, or another file that it names */
static int said;	    /* what they say */
static unsigned int runs, refused, failures;
static bool unchanged;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static uint64_t state = 88172645463325252U;

static uint64_t below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

struct bytes {
	uint8_t *data;
	size_t size;
};

static struct bytes file_read(const char *path)
{
	struct bytes b = { 0 };
	FILE *f = fopen(path, "re");
	long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;

	if (size < 0)
		die(path);
	rewind(f);
	b.size = size;
	b.data = malloc(b.size + 1);
	if (!b.data || fread(b.data, 1, b.size, f) != b.size)
		die(path);
	fclose(f);
	return b;
}

static void file_write(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		die(path);
	close(fd);
}

static int command_run(const struct command *c)
{
	char *argv[ARGS_MAX + 2];
	int argc = 0;

	for (; c->arg[argc]; argc++)
		argv[argc] = strdup(strcmp(c->arg[argc], "BOTH") ? c->arg[argc] : subject);
	argv[argc++] = strdup(subject);
	argv[argc] = NULL;
	return c->run(argc, argv);
}

/* The first always, of the others a quarter in turn, but all on a file that is as it was */
static bool command_turn(unsigned int command)
{
	return !command || unchanged || command % 4 == runs % 4;
}

static void child_run(bool cut)
{
	unsigned int refusals = 0, commands_run = 0;
	struct rusage used;

	alarm(SECONDS_MAX);
	for (progress->at = 0; progress->at < COMMANDS; progress->at++) {
		int code;

		if (!command_turn(progress->at))
			continue;
		commands_run++;
		if (ftruncate(said, 0) || lseek(said, 0, SEEK_SET))
			die("said");
		code = command_run(&commands[progress->at]);
		fflush(stdout);
		fflush(stderr);
		if (code < 0 || code > 1)
			progress->wrong = code;
		else if ((code || cut) && lseek(said, 0, SEEK_CUR) <= 0)
			progress->wrong = -1;
		if (progress->wrong)
			_exit(3);
		refusals += code;
	}
	getrusage(RUSAGE_SELF, &used);
	progress->memory = used.ru_maxrss;
	_exit(refusals == commands_run ? 4 : 0);
}

static void say_failure(const char *what, int status)
{
	static char text[2000];
	const struct command *c = &commands[progress->at < COMMANDS ? progress->at : COMMANDS - 1];
	struct bytes b;
	char kept[300];
	ssize_t n = pread(said, text, sizeof(text) - 1, 0);

	failures++;
	if (failures > 20)
		return;
	b = file_read(changed);
	snprintf(kept, sizeof(kept), "%s.failure-%u", changed, failures);
	file_write(kept, b.data, b.size);
	free(b.data);
	printf("%s: %s %s %s: %s %d, %ld KiB; the file is %s; it said: %.*s\n", what, c->arg[0],
	       c->arg[1] ? c->arg[1] : "", c->arg[2] ? c->arg[2] : "",
	       WIFSIGNALED(status) ? "signal" : "status",
	       WIFSIGNALED(status) ? WTERMSIG(status) :
	       progress->wrong	   ? progress->wrong :
				     WEXITSTATUS(status),
	       progress->memory, kept, n > 0 ? (int)n : 0, text);
}

/* All commands on the subject, in a process of their own */
static void subject_try(const char *what, bool cut)
{
	int status;
	pid_t pid;

	*progress = (struct progress){ 0 };
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDOUT_FILENO);
		dup2(said, STDERR_FILENO);
		child_run(cut);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("wait");
	runs++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 4)
		refused++;
	else if (!WIFEXITED(status) || WEXITSTATUS(status) || progress->memory > MEMORY_MAX)
		say_failure(what, status);
}

/* Where chunks begin, and where the file ends */
static size_t borders(const struct bytes *b, size_t *at, size_t max)
{
	size_t n = 0, pos = sizeof(struct file_header);
	struct chunk_header h;

	while (n < max && pos + sizeof(h) <= b->size) {
		memcpy(&h, b->data + pos, sizeof(h));
		at[n++] = pos;
		pos += sizeof(h) + h.size;
	}
	return n;
}

static void cut_at(const struct bytes *b, size_t size)
{
	char what[64];

	snprintf(what, sizeof(what), "cut at %zu of %zu", size, b->size);
	file_write(subject, b->data, size);
	subject_try(what, true);
}

static void cuts(const struct bytes *b, const size_t *at, size_t n, size_t count)
{
	for (size_t i = 0; i < n; i++)
		cut_at(b, at[i]);
	for (size_t i = 0; i < count; i++)
		cut_at(b, below(b->size));
}

static void flip(uint8_t *byte)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	uint64_t how = below(3);

	if (how)
		*byte ^= 1U << below(8);
	else
		*byte = values[below(sizeof(values))];
}

static void flips(const struct bytes *b, size_t count)
{
	struct bytes copy = { malloc(b->size), b->size };
	char what[64];

	for (size_t i = 0; i < count; i++) {
		size_t at = below(b->size);

		memcpy(copy.data, b->data, b->size);
		copy.data[at] ^= 1U << below(8);
		snprintf(what, sizeof(what), "flipped at %zu", at);
		file_write(subject, copy.data, copy.size);
		subject_try(what, false);
	}
	free(copy.data);
}

static void chunk_seal(struct chunk_header *h, uint8_t *payload)
{
	h->crc = crc32c(crc32c(0, &h->type, sizeof(*h) - 4), payload, h->size);
}

/* Decompressed, to be stored as it is */
static struct bytes chunk_open(const struct bytes *b, size_t at, struct chunk_header *h)
{
	struct bytes raw;

	memcpy(h, b->data + at, sizeof(*h));
	raw = (struct bytes){ malloc(h->raw_size + 1UL), h->raw_size };
	if (h->flags & CHUNK_ZSTD)
		ZSTD_decompress(raw.data, raw.size, b->data + at + sizeof(*h), h->size);
	else
		memcpy(raw.data, b->data + at + sizeof(*h), raw.size);
	h->flags &= ~CHUNK_ZSTD;
	h->size = h->raw_size;
	return raw;
}

/* A number as those who attack would have it */
static void put_number(uint8_t *at, size_t room)
{
	static const uint64_t values[] = { 0,	       1,	   0x7fffffff,	       0x80000000,
					   0xffffffff, UINT64_MAX, INT64_MAX,	       1ULL << 63,
					   0xffff,     8191,	   0xfffffffffffff000U };
	uint64_t value = values[below(sizeof(values) / sizeof(values[0]))];
	size_t size = 1U << below(4);

	memcpy(at, &value, size < room ? size : room);
}

static void payload_change(struct bytes *raw)
{
	for (uint64_t n = 1 + below(4); n && raw->size; n--) {
		size_t at = below(raw->size);

		if (below(3))
			flip(raw->data + at);
		else
			put_number(raw->data + at, raw->size - at);
	}
}

/* One chunk is another, its CRC right; sometimes it is left out, or there twice */
static void chunk_change(const struct bytes *b, size_t at, const char *what)
{
	struct chunk_header h, old;
	struct bytes raw = chunk_open(b, at, &h), out;
	size_t behind;
	uint64_t how = below(16), copies = how == 0 ? 0 : how == 1 ? 2 : 1;

	memcpy(&old, b->data + at, sizeof(old));
	behind = at + sizeof(old) + old.size;
	if (how == 2)
		flip((uint8_t *)&h.type + below(sizeof(h) - 4));
	else if (how == 3)
		put_number((uint8_t *)&h.cpu, sizeof(h) - 8);
	else if (how > 3)
		payload_change(&raw);
	if (h.size != raw.size)
		h.size = h.size < raw.size ? h.size : raw.size;
	chunk_seal(&h, raw.data);
	out = (struct bytes){ malloc(b->size + 2 * (sizeof(h) + raw.size)), at };
	memcpy(out.data, b->data, at);
	while (copies--) {
		memcpy(out.data + out.size, &h, sizeof(h));
		memcpy(out.data + out.size + sizeof(h), raw.data, h.size);
		out.size += sizeof(h) + h.size;
	}
	memcpy(out.data + out.size, b->data + behind, b->size - behind);
	out.size += b->size - behind;
	file_write(subject, out.data, out.size);
	subject_try(what, false);
	free(out.data);
	free(raw.data);
}

static void hostile(const struct bytes *b, const size_t *at, size_t n, size_t count)
{
	char what[64];

	for (size_t i = 0; i < count; i++) {
		size_t chunk = below(n);

		snprintf(what, sizeof(what), "hostile %zu, chunk %zu at %zu", i, chunk, at[chunk]);
		chunk_change(b, at[chunk], what);
	}
}

static void try_file(const char *path, size_t n_cuts, size_t n_flips)
{
	static size_t at[4096];
	struct bytes b = file_read(path);
	size_t n = borders(&b, at, 4096);
	unsigned int before = refused + failures;

	file_write(subject, b.data, b.size);
	unchanged = true;
	subject_try("as it is", false);
	unchanged = false;
	if (refused + failures != before) {
		printf("%s: is refused as it is\n", path);
		failures++;
		return;
	}
	cuts(&b, at, n, n_cuts);
	flips(&b, n_flips);
	hostile(&b, at, n, n_flips);
	free(b.data);
}

static void try_elf(const char *recording, const char *elf, size_t count)
{
	struct bytes b = file_read(elf), copy = { malloc(b.size), b.size };
	char what[64];

	subject = recording;
	changed = elf;
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		memcpy(copy.data, b.data, b.size);
		/* headers and tables are but a part of it */
		for (uint64_t k = 1 + below(3); k; k--) {
			at = below(2) ? below(64 + 56 * 10) : below(b.size);
			if (at >= b.size)
				at %= b.size;
			if (below(2))
				flip(copy.data + at);
			else
				put_number(copy.data + at, b.size - at);
		}
		snprintf(what, sizeof(what), "ELF %zu, last at %zu", i, at);
		unlink(elf); /* it may be mapped */
		file_write(elf, copy.data, i % 8 ? copy.size : below(copy.size));
		subject_try(what, false);
	}
	file_write(elf, b.data, b.size);
	free(copy.data);
	free(b.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char **arg = *argv, path[] = "subject";
	int shared;

	if (*argc < 6)
		die("usage");
	shared = memfd_create("progress", MFD_CLOEXEC);
	said = memfd_create("said", MFD_CLOEXEC);
	if (shared < 0 || said < 0 || ftruncate(shared, sizeof(*progress)))
		die("memory");
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
	if (progress == MAP_FAILED)
		die("memory");
	if (chdir(arg[2]))
		die(arg[2]);
	subject = path;
	changed = path;
	if (!strcmp(arg[1], "elf"))
		try_elf(arg[4], arg[5], strtoul(arg[3], NULL, 10));
	else
		for (int i = 5; i < *argc; i++)
			try_file(arg[i], strtoul(arg[3], NULL, 10), strtoul(arg[4], NULL, 10));
	printf("%u files, %u of them refused, %u failures\n", runs, refused, failures);
	exit(failures ? 1 : 0);
}
