// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "objdump.h"

#define TAB	   8
#define CANNOT_RUN 127 /* what the child ends with where there is no such program */

static void child(const struct objdump *o, int fd, const char *section, uint64_t start,
		  uint64_t end, int out)
{
	char from[48], to[48], file[32], in[96];
	const char *argv[13] = {
		o->program, "--disassemble", "--no-show-raw-insn", "--demangle", "--wide", from, to,
		file
	};
	size_t n = 8;

	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	/* the file that was looked at, whatever its name leads to by now */
	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	if (*section) {
		snprintf(in, sizeof(in), "--section=%s", section);
		argv[n++] = in;
		argv[n++] = "--reloc"; /* whom it calls */
	}
	if (o->lines)
		argv[n++] = "--line-numbers";
	if (o->source)
		argv[n++] = "--source";
	fcntl(fd, F_SETFD, 0);
	dup2(out, STDOUT_FILENO);
	/* numbers and messages as they are looked for here */
	setenv("LC_ALL", "C", 1);
	execvp(o->program, (char **)argv);
	_exit(errno == ENOENT ? CANNOT_RUN : CANNOT_RUN - 1);
}

/* Tabs become blanks: what prints names takes them for something bad */
static char *plain(const char *text)
{
	size_t tabs = 0, n = 0;
	char *out;

	for (const char *c = text; *c; c++)
		tabs += *c == '\t';
	out = malloc(strlen(text) + TAB * tabs + 1);
	for (; out && *text && *text != '\n'; text++) {
		if (*text != '\t')
			out[n++] = *text;
		else
			do
				out[n++] = ' ';
			while (n % TAB);
	}
	if (out)
		out[n] = 0;
	return out;
}

/* "  401000:\tmov ...", of which *text becomes what is behind the address; lines of source may begin so */
static bool is_code(const char *line, uint64_t *address, const char **text)
{
	char *end;

	line += strspn(line, " ");
	if (!isxdigit((unsigned char)*line))
		return false;
	*address = strtoull(line, &end, 16);
	if (end[0] != ':' || end[1] != '\t')
		return false;
	*text = end + 2;
	return true;
}

/* "0000000000401000 <_start>:", and what stands above it all */
static bool is_heading(const char *line)
{
	size_t digits = strspn(line, "0123456789abcdef");

	return (digits >= 8 && !strncmp(line + digits, " <", 2)) ||
	       !strncmp(line, "Disassembly of section", 22) || strstr(line, "file format ") ||
	       *line == '\n';
}

static int line_add(struct objdump_line **lines, size_t *count, const char *line)
{
	struct objdump_line *more, new = { 0 };
	const char *text = line;

	new.code = is_code(line, &new.address, &text);
	if (!new.code && is_heading(line))
		return 0;
	/* grows as a power of two does */
	if (!(*count & (*count - 1))) {
		more = realloc(*lines, (*count ? 2 * *count : 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		*lines = more;
	}
	new.text = plain(text);
	if (!new.text)
		return -ENOMEM;
	(*lines)[(*count)++] = new;
	return 0;
}

static int read_lines(int fd, struct objdump_line **lines, size_t *count)
{
	FILE *in = fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (!in) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && getline(&line, &room, in) > 0)
		ret = line_add(lines, count, line);
	free(line);
	fclose(in);
	return ret;
}

static int say_end(const struct objdump *o, int status)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_RUN)
		fprintf(stderr,
			"vsamp annotate: there is no %s: install it (Debian: binutils), or name one by --objdump\n",
			o->program);
	else
		fprintf(stderr,
			"vsamp annotate: %s failed: for code of another architecture name its own by --objdump (Debian: binutils-ARCHITECTURE-linux-gnu)\n",
			o->program);
	return EXIT_ERROR;
}

int objdump_run(const struct objdump *o, int fd, const char *section, uint64_t start, uint64_t end,
		struct objdump_line **lines, size_t *count)
{
	int out[2], status = -1, ret;
	pid_t pid;

	*lines = NULL;
	*count = 0;
	if (pipe2(out, O_CLOEXEC)) {
		fprintf(stderr, "vsamp annotate: pipe: %s\n", strerror(errno));
		return EXIT_ERROR;
	}
	pid = fork();
	if (!pid)
		child(o, fd, section, start, end, out[1]);
	close(out[1]);
	ret = read_lines(out[0], lines, count);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && !ret)
		return say_end(o, status);
	fputs("vsamp annotate: out of memory, or of processes\n", stderr);
	return EXIT_ERROR;
}

void objdump_free(struct objdump_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(lines[i].text);
	free(lines);
}
