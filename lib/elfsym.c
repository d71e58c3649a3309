// SPDX-License-Identifier: MIT
/* elfsym.c: which symbol is where */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym_private.h"

/* From here on up to the next: the symbol's number + 1, or 0 */
struct breakpoint {
	uint64_t address;
	uint32_t symbol;
};

int elfsym_new(struct elfsym **es)
{
	*es = calloc(1, sizeof(**es));
	return *es ? 0 : -ENOMEM;
}

/* By start; there the longest first, and of the same range the best last: what is pushed last wins */
static int symbol_order(const void *a, const void *b, void *arg)
{
	const struct elfsym_entry *x = a, *y = b;
	const char *m = elfsym_name(arg, x), *n = elfsym_name(arg, y);

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if (x->rank != y->rank)
		return (int)y->rank - x->rank;
	if (strspn(m, "_") != strspn(n, "_"))
		return strspn(m, "_") > strspn(n, "_") ? -1 : 1;
	return strcmp(n, m);
}

/* Symbols without a size reach to the next one; those within another with a size go */
static void settle_ends(struct elfsym *es)
{
	struct elfsym_entry *s = elfsym_entries(es);
	size_t count = elfsym_rows(&es->symbols, sizeof(*s)), kept = 0;
	uint64_t next = UINT64_MAX, covered = 0;

	for (size_t i = count; i-- > 0;) {
		if (i + 1 < count && s[i + 1].start > s[i].start)
			next = s[i + 1].start;
		if (s[i].end == s[i].start)
			s[i].limit = next < s[i].limit ? next : s[i].limit;
		else
			s[i].limit = s[i].end;
	}
	for (size_t i = 0; i < count; i++) {
		if (s[i].end == s[i].start && s[i].start < covered)
			continue;
		if (s[i].end > covered)
			covered = s[i].end;
		s[i].end = s[i].limit;
		s[kept++] = s[i];
	}
	es->symbols.size = kept * sizeof(*s);
}

static int breakpoint_add(struct elfsym *es, uint64_t address, uint32_t symbol)
{
	struct breakpoint b = { address, symbol };
	size_t count = elfsym_rows(&es->breakpoints, sizeof(b));
	struct breakpoint *last = count ? (struct breakpoint *)es->breakpoints.data + count - 1 :
					  NULL;

	if (last && last->address == address) {
		last->symbol = symbol;
		return 0;
	}
	return buf_add(&es->breakpoints, &b, sizeof(b));
}

/* Symbols whose end was reached leave the stack; each gives way to what is below it */
static int stack_leave(struct elfsym *es, const uint32_t *stack, size_t *depth, uint64_t at)
{
	const struct elfsym_entry *s = elfsym_entries(es);
	int ret = 0;

	while (!ret && *depth && s[stack[*depth - 1]].end <= at) {
		uint64_t end = s[stack[--*depth]].end;

		while (*depth && s[stack[*depth - 1]].end <= end)
			--*depth;
		ret = breakpoint_add(es, end, *depth ? stack[*depth - 1] + 1 : 0);
	}
	return ret;
}

int elfsym_index(struct elfsym *es)
{
	struct elfsym_entry *s = elfsym_entries(es);
	size_t count = elfsym_rows(&es->symbols, sizeof(*s)), depth = 0;
	uint32_t *stack;
	int ret = 0;

	if (count)
		qsort_r(s, count, sizeof(*s), symbol_order, es);
	settle_ends(es);
	count = elfsym_rows(&es->symbols, sizeof(*s));
	stack = calloc(count + 1, sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	for (size_t i = 0; i < count && !ret; i++) {
		ret = stack_leave(es, stack, &depth, s[i].start);
		stack[depth++] = i;
		if (!ret)
			ret = breakpoint_add(es, s[i].start, i + 1);
	}
	if (!ret)
		ret = stack_leave(es, stack, &depth, UINT64_MAX);
	free(stack);
	return ret;
}

size_t elfsym_count(const struct elfsym *es)
{
	return elfsym_rows(&es->symbols, sizeof(struct elfsym_entry));
}

int elfsym_named(const struct elfsym *es, const char *name, uint64_t *address)
{
	const struct elfsym_entry *s = elfsym_entries(es);

	for (size_t i = 0; i < elfsym_count(es); i++) {
		if (!strcmp(elfsym_name(es, &s[i]), name)) {
			*address = s[i].start;
			return 0;
		}
	}
	return -ENOENT;
}

static const struct elfsym_segment *segment_of(const struct elfsym *es, uint64_t offset)
{
	const struct elfsym_segment *s = (const void *)es->segments.data;

	for (size_t i = 0; i < elfsym_rows(&es->segments, sizeof(*s)); i++)
		if (offset >= s[i].offset && offset - s[i].offset < s[i].size)
			return &s[i];
	return NULL;
}

int elfsym_address(const struct elfsym *es, uint64_t offset, uint64_t *address)
{
	const struct elfsym_segment *s = segment_of(es, offset);

	if (!s)
		return -ENOENT;
	*address = offset - s->offset + s->address;
	return 0;
}

/* The number of the first breakpoint behind an address */
static size_t breakpoint_behind(const struct elfsym *es, uint64_t address)
{
	const struct breakpoint *b = (const void *)es->breakpoints.data;
	size_t low = 0, high = elfsym_rows(&es->breakpoints, sizeof(*b));

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int elfsym_find(const struct elfsym *es, uint64_t offset, struct elfsym_symbol *sym)
{
	const struct breakpoint *b = (const void *)es->breakpoints.data;
	const struct elfsym_entry *s;
	uint64_t address;
	size_t behind;

	if (elfsym_address(es, offset, &address))
		return -ENOENT;
	behind = breakpoint_behind(es, address);
	if (!behind || !b[behind - 1].symbol)
		return -ENOENT;
	s = &elfsym_entries(es)[b[behind - 1].symbol - 1];
	*sym = (struct elfsym_symbol){ s->start, s->end, elfsym_name(es, s) };
	return 0;
}

/* A segment before @s is searched before it */
static void range_shrink(const struct elfsym *es, const struct elfsym_segment *s, uint64_t offset,
			 struct elfsym_range *range)
{
	for (const struct elfsym_segment *other = (const void *)es->segments.data; other < s;
	     other++) {
		if (other->offset > offset && other->offset < range->end)
			range->end = other->offset;
		if (other->offset <= offset && other->offset + other->size > range->start)
			range->start = other->offset + other->size;
	}
}

void elfsym_range(const struct elfsym *es, uint64_t offset, struct elfsym_range *range)
{
	const struct breakpoint *b = (const void *)es->breakpoints.data;
	const struct elfsym_segment *s = segment_of(es, offset);
	uint64_t address, start, end;
	size_t behind;

	*range = (struct elfsym_range){ offset, offset + 1 };
	if (!es->segments.size)
		*range = (struct elfsym_range){ 0, UINT64_MAX };
	if (!s)
		return;
	address = offset - s->offset + s->address;
	behind = breakpoint_behind(es, address);
	start = behind ? b[behind - 1].address : 0;
	end = behind < elfsym_rows(&es->breakpoints, sizeof(*b)) ? b[behind].address : UINT64_MAX;
	range->start = start > s->address ? offset - (address - start) : s->offset;
	range->end = end - s->address < s->size ? offset + (end - address) : s->offset + s->size;
	range_shrink(es, s, offset, range);
}

void elfsym_free(struct elfsym *es)
{
	if (!es)
		return;
	buf_free(&es->segments);
	buf_free(&es->symbols);
	buf_free(&es->breakpoints);
	buf_free(&es->names);
	free(es);
}
