// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "nspid.h"
#include "perfmap.h"
#include "rootfile.h"

#define LINE_MAX_BYTES 4096
#define LINES_MAX      (8U << 20)

struct line {
	uint64_t start, size;
	uint32_t name;	 /* offset into the names */
	uint32_t number; /* in the file */
};

static bool line_parse(char *text, struct line *line, const char **name)
{
	char *at = text;

	errno = 0;
	line->start = strtoull(text, &at, 16);
	if (errno || at == text || *at != ' ')
		return false;
	text = at;
	line->size = strtoull(text, &at, 16);
	if (errno || at == text || *at != ' ' || !line->size)
		return false;
	*name = at + 1;
	at[1 + strcspn(at + 1, "\n")] = '\0';
	return **name;
}

static int lines_take(FILE *f, struct buf *lines, struct buf *names)
{
	char text[LINE_MAX_BYTES];
	struct line line = { 0 };
	bool whole = true;
	const char *name;
	int ret = 0;

	while (!ret && line.number < LINES_MAX && fgets(text, sizeof(text), f)) {
		bool begins = whole;

		/* the rest of a line that is too long is none itself */
		whole = strchr(text, '\n');
		if (!begins || !line_parse(text, &line, &name))
			continue;
		line.number++;
		line.name = names->size;
		ret = names->size > UINT32_MAX / 2 ? -ENOMEM :
						     buf_add(names, name, strlen(name) + 1);
		if (!ret)
			ret = buf_add(lines, &line, sizeof(line));
	}
	return ret;
}

/* The last of each start first */
static int by_start(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number > y->number ? -1 : 1;
}

int perfmap_read(struct elfsym *es, FILE *f)
{
	struct buf lines = { 0 }, names = { 0 };
	int ret = lines_take(f, &lines, &names);
	struct line *line = (void *)lines.data;
	size_t count = lines.size / sizeof(*line);

	if (count)
		qsort(line, count, sizeof(*line), by_start);
	for (size_t i = 0; i < count && !ret; i++)
		if (!i || line[i - 1].start != line[i].start)
			ret = elfsym_add_code(es, line[i].start, line[i].size,
					      (const char *)names.data + line[i].name);
	buf_free(&lines);
	buf_free(&names);
	return ret;
}

int perfmap_load(struct elfsym *es, uint32_t pid, uint32_t root, const char **note)
{
	struct nspid_record ns;
	char path[64];
	struct stat st;
	FILE *f;
	int fd, ret;

	if (root && nspid_read(&ns, pid))
		pid = ns.ns_pid;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	fd = rootfile_open(root, path, &st);
	*note = "code made at run time: its process wrote no /tmp/perf-PID.map or jitdump that is "
		"still there and believed (SYMBOLS in vsamp-report(1))";
	if (fd < 0)
		return 0;
	if (!rootfile_trusted(&st, root)) {
		*note = "code made at run time: its /tmp/perf-PID.map is another user's, who is only "
			"believed while the process lives: report as that user";
		close(fd);
		return 0;
	}
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	*note = NULL;
	ret = perfmap_read(es, f);
	fclose(f);
	return ret;
}
