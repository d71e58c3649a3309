// SPDX-License-Identifier: MIT
/* kallsyms.c: a recording's snapshot of the kernel's symbols */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "intern.h"
#include "kallsyms.h"

#define KERNEL_HALF	 (1ULL << 63)
#define LAST_SYMBOL_SIZE 4096 /* of the kernel or a module: its end isn't in the list */

/* One line while a snapshot is made, one symbol while it is used */
struct entry {
	uint64_t addr;
	uint32_t name; /* offset into the text */
	uint16_t module;
	char type;
};

struct entries {
	struct entry *row;
	size_t count, room;
};

static int entries_add(struct entries *e, const struct entry *row)
{
	if (e->count == e->room) {
		size_t room = e->room ? 2 * e->room : 4096;
		struct entry *rows = realloc(e->row, room * sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		e->row = rows;
		e->room = room;
	}
	e->row[e->count++] = *row;
	return 0;
}

static int build_ids_add(struct buf *out, const char *name, const char *path)
{
	struct buildid id;
	char hex[BUILDID_HEX];
	int ret = 0;

	if (buildid_from_notes_file(&id, path))
		return 0;
	buildid_format(&id, hex);
	ret = buf_add(out, "build-id ", 9);
	if (!ret)
		ret = buf_add(out, hex, strlen(hex));
	if (!ret)
		ret = buf_add(out, " ", 1);
	if (!ret)
		ret = buf_add(out, name, strlen(name));
	if (!ret)
		ret = buf_add(out, "\n", 1);
	return ret;
}

static int module_ids_add(struct buf *out, const char *sys)
{
	char path[PATH_MAX], name[NAME_MAX + 3];
	struct dirent **entry;
	int n, ret = 0;

	snprintf(path, sizeof(path), "%s/module", sys);
	n = scandir(path, &entry, NULL, alphasort);
	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++) {
		if (!ret && entry[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/module/%s/notes/.note.gnu.build-id", sys,
				 entry[i]->d_name);
			snprintf(name, sizeof(name), "[%s]", entry[i]->d_name);
			ret = build_ids_add(out, name, path);
		}
		free(entry[i]);
	}
	free(entry);
	return ret;
}

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name; /* as they stood */
}

/* Takes "ADDRESS TYPE NAME[ \t[MODULE]]" lines of kernel code; their tails go to @text */
static int lines_read(FILE *lines, struct entries *e, struct buf *text, bool *seen)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	int ret = 0;

	while (!ret && (size = getline(&line, &room, lines)) > 0) {
		struct entry row = { .name = text->size };
		char *tail;

		row.addr = strtoull(line, &tail, 16);
		if (*tail != ' ' || !strchr("tTwW", tail[1]) || tail[2] != ' ')
			continue;
		*seen = true;
		if (row.addr < KERNEL_HALF)
			continue;
		ret = buf_add(text, tail, line + size - tail);
		if (!ret && text->data[text->size - 1] != '\n')
			ret = buf_add(text, "\n", 1);
		if (!ret)
			ret = entries_add(e, &row);
	}
	if (!ret && ferror(lines))
		ret = -EIO;
	free(line);
	return ret;
}

int kallsyms_snapshot(struct buf *out, FILE *lines, const char *sys)
{
	struct entries e = { 0 };
	struct buf text = { 0 };
	char path[PATH_MAX], delta[20];
	uint64_t last = 0;
	bool seen = false;
	int ret = lines_read(lines, &e, &text, &seen);

	if (!ret && seen && !e.count)
		ret = -EPERM;
	if (!ret && sys) {
		snprintf(path, sizeof(path), "%s/kernel/notes", sys);
		ret = build_ids_add(out, KALLSYMS_KERNEL, path);
		if (!ret)
			ret = module_ids_add(out, sys);
	}
	if (!ret)
		ret = buf_add(out, "\n", 1);
	if (e.count)
		qsort(e.row, e.count, sizeof(*e.row), by_address);
	for (size_t i = 0; !ret && i < e.count; i++) {
		const char *tail = (const char *)text.data + e.row[i].name;
		int n = snprintf(delta, sizeof(delta), "%" PRIx64, e.row[i].addr - last);

		last = e.row[i].addr;
		ret = buf_add(out, delta, n);
		if (!ret)
			ret = buf_add(out, tail,
				      (const char *)memchr(tail, '\n', INT_MAX) + 1 - tail);
	}
	free(e.row);
	buf_free(&text);
	return ret;
}

#define MODULES_MAX 4096

struct kallsyms {
	char *text;
	struct entries symbols; /* one an address, rising */
	struct intern modules;	/* names */
	struct buildid id[MODULES_MAX];
};

static int module_row(struct kallsyms *k, const char *name)
{
	int64_t row = intern_string(&k->modules, name);

	return row < MODULES_MAX ? row : -EBADMSG;
}

static char *line_take(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line;
}

static int parse_build_id(struct kallsyms *k, char *line)
{
	const char *end;
	struct buildid id;
	int row;

	if (strncmp(line, "build-id ", 9) || buildid_parse(&id, line + 9, &end) || *end != ' ')
		return -EBADMSG;
	row = module_row(k, end + 1);
	if (row < 0)
		return row;
	k->id[row] = id;
	return 0;
}

static int parse_symbol(struct kallsyms *k, char *line, struct entry *row)
{
	char *end, *module;
	int n;

	errno = 0;
	row->addr += strtoull(line, &end, 16);
	if (errno || end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return -EBADMSG;
	row->type = end[1];
	row->name = end + 3 - k->text;
	module = strchr(end + 3, '\t');
	if (module)
		*module++ = '\0';
	n = module_row(k, module ? module : KALLSYMS_KERNEL);
	if (n < 0)
		return n;
	row->module = n;
	return entries_add(&k->symbols, row);
}

static int underscores(const char *name)
{
	return strspn(name, "_");
}

/* Which of two names of an address is better: strong before weak, global before local, ... */
static int by_rank(const char *text, const struct entry *a, const struct entry *b)
{
	static const char order[] = "TtWw";
	const char *x = text + a->name, *y = text + b->name;
	const char *p = strchr(order, a->type), *q = strchr(order, b->type);

	if (p != q)
		return p < q ? -1 : 1;
	if (underscores(x) != underscores(y))
		return underscores(x) - underscores(y);
	return strcmp(x, y);
}

static void keep_best(struct kallsyms *k)
{
	struct entries *e = &k->symbols;
	size_t kept = 0;

	for (size_t i = 0; i < e->count; i++) {
		if (!kept || e->row[kept - 1].addr != e->row[i].addr)
			e->row[kept++] = e->row[i];
		else if (by_rank(k->text, &e->row[i], &e->row[kept - 1]) < 0)
			e->row[kept - 1] = e->row[i];
	}
	e->count = kept;
}

static int parse(struct kallsyms *k)
{
	struct entry row = { 0 };
	char *at = k->text, *line;
	uint64_t last = 0;
	int ret = 0;

	while (!ret && (line = line_take(&at)) && *line)
		ret = parse_build_id(k, line);
	while (!ret && (line = line_take(&at))) {
		ret = parse_symbol(k, line, &row);
		if (!ret && row.addr < last)
			ret = -EBADMSG;
		last = row.addr;
	}
	return ret;
}

int kallsyms_open(struct kallsyms **out, const char *text, size_t size)
{
	struct kallsyms *k;
	int ret;

	if (memchr(text, '\0', size) || size > UINT32_MAX)
		return -EBADMSG;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->text = strndup(text, size);
	ret = module_row(k, KALLSYMS_KERNEL); /* the first: 0 */
	if (!ret)
		ret = k->text ? parse(k) : -ENOMEM;
	if (ret) {
		kallsyms_close(k);
		return ret;
	}
	keep_best(k);
	*out = k;
	return 0;
}

int kallsyms_open_live(struct kallsyms **k)
{
	FILE *lines = fopen("/proc/kallsyms", "re");
	struct buf text = { 0 };
	int ret;

	if (!lines)
		return -errno;
	ret = kallsyms_snapshot(&text, lines, "/sys");
	if (!ret)
		ret = kallsyms_open(k, (const char *)text.data, text.size);
	fclose(lines);
	buf_free(&text);
	return ret;
}

void kallsyms_close(struct kallsyms *k)
{
	if (!k)
		return;
	intern_free(&k->modules);
	free(k->symbols.row);
	free(k->text);
	free(k);
}

size_t kallsyms_count(const struct kallsyms *k)
{
	return k->symbols.count;
}

const struct buildid *kallsyms_kernel_id(const struct kallsyms *k)
{
	return &k->id[0];
}

void kallsyms_symbol(const struct kallsyms *k, size_t number, struct kallsyms_symbol *sym)
{
	const struct entries *e = &k->symbols;
	const struct entry *row = &e->row[number];
	bool last = number + 1 == e->count;

	*sym = (struct kallsyms_symbol){
		.start = row->addr,
		.end = row->addr + LAST_SYMBOL_SIZE,
		.name = k->text + row->name,
		.module = intern_key(&k->modules, row->module),
		.id = &k->id[row->module],
	};
	if (!last && (row[1].module == row->module || row[1].addr < sym->end))
		sym->end = row[1].addr;
}

int kallsyms_find(const struct kallsyms *k, uint64_t addr, struct kallsyms_symbol *sym)
{
	const struct entries *e = &k->symbols;
	size_t low = 0, high = e->count;
	struct kallsyms_symbol found;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e->row[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return -ENOENT;
	kallsyms_symbol(k, low - 1, &found);
	if (addr >= found.end)
		return -ENOENT;
	*sym = found;
	return 0;
}
