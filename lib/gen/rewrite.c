// SPDX-License-Identifier: MIT
/* rewrite.c: a kernel's code with what is inserted, its jumps mended */
#include <stdlib.h>
#include <string.h>

#include "instrument.h"

#define ALIGNMENT 64 /* of a kernel's size */

/* Where lines get to, and the end behind the last: bytes from the new code's begin */
struct layout {
	size_t *symbol;	 /* what has the place's name */
	size_t *landing; /* what jumps lead to */
	size_t *self;	 /* the instruction */
	size_t end, size;
};

static enum vsamp_gen_status no_memory(struct vsamp_gen_instrument *i)
{
	return instrument_fail(i, VSAMP_GEN_ENOMEM, "out of memory");
}

/* Those that the kernel's begin needs; what functions leave is told of each alone */
static enum vsamp_gen_status registers_check(struct vsamp_gen_instrument *i)
{
	if (i->kernel->stack_calls)
		return instrument_fail(
			i, VSAMP_GEN_ENOREG,
			"it calls functions with a stack, and the compiler tells of no free registers then: have it inline them");
	if (i->base.file && i->coder->config.r0.file)
		return VSAMP_GEN_OK;
	if (i->kernel->free)
		return instrument_fail(
			i, VSAMP_GEN_ENOREG,
			"it leaves too few registers: on Xe-HPG and Xe-HPC -options -cl-intel-256-GRF-per-thread gives it more");
	return instrument_fail(
		i, VSAMP_GEN_ENOREG,
		"no free registers are told: compile with -options \"-ze-gtpin-grf-info -ze-gtpin-rera\"");
}

static int insertion_order(const void *one, const void *other)
{
	const struct gen_insertion *a = one, *b = other;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Bytes of those of a line and a place, which *@next is the first of; it is moved behind them */
static size_t inserted_size(const struct vsamp_gen_instrument *i, size_t *next, size_t line,
			    enum gen_place place)
{
	size_t size = 0;

	while (*next < i->insertions && i->insertion[*next].line == line &&
	       i->insertion[*next].place == place)
		size += i->insertion[(*next)++].proc.num * VSAMP_GEN_INS_SIZE;
	return size;
}

static bool is_jump(const struct gen_line *line)
{
	return vsamp_gen_jumps(line->ins.op);
}

static enum vsamp_gen_status layout_make(struct vsamp_gen_instrument *i, struct layout *l)
{
	size_t at = 0, next = 0, tail = i->kernel->size - i->end;

	l->symbol = calloc(i->lines + 1, sizeof(*l->symbol));
	l->landing = calloc(i->lines + 1, sizeof(*l->landing));
	l->self = calloc(i->lines + 1, sizeof(*l->self));
	if (!l->symbol || !l->landing || !l->self)
		return no_memory(i);
	for (size_t n = 0; n <= i->lines; n++) {
		at += inserted_size(i, &next, n, GEN_PLACE_AFTER);
		l->symbol[n] = at;
		at += inserted_size(i, &next, n, GEN_PLACE_BEGIN);
		l->landing[n] = at;
		at += inserted_size(i, &next, n, GEN_PLACE_BEFORE);
		l->self[n] = at;
		/* a jump's distance may have no compacted form any more */
		if (n < i->lines)
			at += is_jump(&i->line[n]) ? VSAMP_GEN_INS_SIZE : i->line[n].size;
		if (at > VSAMP_GEN_CODE_MAX - tail - ALIGNMENT)
			return instrument_fail(i, VSAMP_GEN_ERANGE,
					       "more than %d bytes of code with what is inserted",
					       VSAMP_GEN_CODE_MAX);
	}
	l->end = at;
	l->size = at + tail;
	if (i->kernel->size % ALIGNMENT == 0)
		l->size = (l->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return VSAMP_GEN_OK;
}

static void layout_free(struct layout *l)
{
	free(l->symbol);
	free(l->landing);
	free(l->self);
}

/* Where channels meet nothing is before the instruction, so that jumps lead to itself */
static int32_t distance(const struct layout *l, size_t from, size_t to)
{
	return (int32_t)(l->landing[to] - l->self[from]);
}

static enum vsamp_gen_status line_write(struct vsamp_gen_instrument *i, const struct layout *l,
					size_t n, uint8_t *to)
{
	const struct gen_line *line = &i->line[n];
	struct vsamp_gen_ins ins = line->ins;
	enum vsamp_gen_status status;

	if (!is_jump(line)) {
		memcpy(to, (const uint8_t *)i->kernel->code + line->at, line->size);
		return VSAMP_GEN_OK;
	}
	ins.compacted = false;
	ins.jump = distance(l, n, line->target[0]);
	if (line->target[1] != GEN_NOWHERE)
		ins.uip = distance(l, n, line->target[1]);
	status = vsamp_gen_encode(i->model, &ins, to);
	return status ? instrument_fail(i, status, "at %#zx: %s can't be written: %s", line->at,
					vsamp_gen_op_name(ins.op), vsamp_gen_status_text(status)) :
			VSAMP_GEN_OK;
}

/* What is before a line and of a place, at @at; returns where it ends */
static size_t insertions_write(struct vsamp_gen_instrument *i, size_t *next, size_t line,
			       uint8_t *code, size_t at, enum vsamp_gen_status *status)
{
	for (; *next < i->insertions && i->insertion[*next].line == line; ++*next) {
		const struct vsamp_gen_proc *proc = &i->insertion[*next].proc;
		size_t size = proc->num * VSAMP_GEN_INS_SIZE;

		if (!*status)
			*status = vsamp_gen_proc_encode(i->coder, proc, code + at, size);
		at += size;
	}
	return at;
}

static enum vsamp_gen_status code_write(struct vsamp_gen_instrument *i, const struct layout *l,
					uint8_t *code)
{
	enum vsamp_gen_status status = VSAMP_GEN_OK;
	size_t next = 0, at = 0;

	for (size_t n = 0; n < i->lines && !status; n++) {
		insertions_write(i, &next, n, code, at, &status);
		if (status)
			return instrument_fail(i, status, "what is inserted can't be written: %s",
					       vsamp_gen_status_text(status));
		status = line_write(i, l, n, code + l->self[n]);
		at = l->self[n] + (is_jump(&i->line[n]) ? VSAMP_GEN_INS_SIZE : i->line[n].size);
	}
	if (!status)
		insertions_write(i, &next, i->lines, code, at, &status);
	return status;
}

static void moved_fill(const struct vsamp_gen_instrument *i, const struct layout *l, size_t *moved)
{
	size_t units = i->kernel->size / 8, n = 0;

	for (size_t u = 0; u < units; u++) {
		size_t at = u * 8;

		while (n < i->lines && at >= i->line[n].at + i->line[n].size)
			n++;
		if (n == i->lines)
			moved[u] = l->end + (at - i->end);
		else if (at == i->line[n].at)
			moved[u] = l->symbol[n];
		else
			moved[u] = l->self[n] + (at - i->line[n].at);
	}
	moved[units] = l->size;
}

/* All insertions with what is around them, and what the kernel's begin needs */
static enum vsamp_gen_status insertions_finish(struct vsamp_gen_instrument *i)
{
	struct gen_insertion begin = { i->first, GEN_PLACE_BEGIN, 0, { 0 } }, *more;
	enum vsamp_gen_status status = VSAMP_GEN_OK;

	for (size_t n = 0; n < i->insertions && !status; n++)
		status = insertion_reserve(i, &i->insertion[n]);
	for (size_t n = 0; n < i->insertions && !status; n++)
		status = insertion_finish(i, &i->insertion[n]);
	if (!status)
		status = insertion_begin(i, &begin);
	if (status)
		return instrument_fail(i, status, "%s", vsamp_gen_coder_error(i->coder));
	more = realloc(i->insertion, (i->insertions + 1) * sizeof(*more));
	if (!more) {
		proc_clear(&begin.proc);
		return no_memory(i);
	}
	/* before those of the tool, whose orders begin with 0 */
	for (size_t n = 0; n < i->insertions; n++)
		more[n].order++;
	more[i->insertions++] = begin;
	i->insertion = more;
	qsort(i->insertion, i->insertions, sizeof(*i->insertion), insertion_order);
	return VSAMP_GEN_OK;
}

/* Immediates of 32 bits are the last of their instructions' bytes */
static void result_fill(const struct vsamp_gen_instrument *i, const struct layout *l,
			struct vsamp_gen_instrument_result *result)
{
	size_t immediate = l->symbol[i->first] + GEN_BEGIN_BASE * VSAMP_GEN_INS_SIZE + 12;

	result->inserted = i->insertions - 1;
	result->base_low = immediate;
	result->base_high = i->options->profile.a64 ? immediate + VSAMP_GEN_INS_SIZE : 0;
}

enum vsamp_gen_status kernel_rewrite(struct vsamp_gen_instrument *i, struct gen_rewritten *to)
{
	enum vsamp_gen_status status = registers_check(i);
	struct layout l = { 0 };

	if (!status)
		status = insertions_finish(i);
	if (!status)
		status = layout_make(i, &l);
	if (!status) {
		to->with.code = calloc(1, l.size);
		to->with.moved = calloc(i->kernel->size / 8 + 1, sizeof(*to->with.moved));
		if (!to->with.code || !to->with.moved)
			status = no_memory(i);
	}
	if (!status)
		status = code_write(i, &l, to->with.code);
	if (!status) {
		to->size = l.size;
		moved_fill(i, &l, to->with.moved);
		result_fill(i, &l, &to->result);
	}
	layout_free(&l);
	return status;
}
