// SPDX-License-Identifier: MIT
/* kernel_read.c: a kernel's instructions, where their jumps lead, and its basic blocks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument.h"

#define JUMPS_FIRST 0x20 /* opcodes of what may jump */
#define JUMPS_LAST  0x2f
#define PAD	    8 /* bytes of zeros that are no instruction */

bool line_meets(const struct gen_line *line)
{
	switch (line->ins.op) {
	case VSAMP_GEN_ELSE:
	case VSAMP_GEN_ENDIF:
	case VSAMP_GEN_WHILE:
	case VSAMP_GEN_HALT:
	case VSAMP_GEN_JOIN:
		return true;
	default:
		return false;
	}
}

bool line_leaves(const struct gen_line *line)
{
	return vsamp_gen_jumps(line->ins.op) || line->ins.op == VSAMP_GEN_RET || line->ins.eot;
}

static bool is_pad(const struct gen_line *line)
{
	return line->size == PAD && !line->ins.compacted;
}

static bool is_ip(const struct vsamp_gen_operand *o)
{
	return o->file == VSAMP_GEN_ARF && o->num == VSAMP_GEN_IP;
}

/* Its fields of a destination, which those have whose sources alone can't be read */
static bool other_writes_ip(const struct gen_platform *p, const struct gen_line *line)
{
	uint64_t words[2] = { line->ins.raw[0], line->ins.raw[1] };

	if (line->ins.compacted && vsamp_gen_expand(&p->model, line->ins.raw, words))
		return true;
	for (int op = 0; op < VSAMP_GEN_OTHER; op++)
		if (p->codes[op].opcode == line->opcode &&
		    (p->codes[op].form == GEN_FORM_UNARY || p->codes[op].form == GEN_FORM_BINARY))
			return !gen_get(words, p->layout->dst.indirect) &&
			       gen_get(words, p->layout->dst.file) != p->layout->file_grf &&
			       gen_get(words, p->layout->dst.num) == VSAMP_GEN_IP;
	return false;
}

/* What depends on where it is in ways that can't be mended is refused */
static enum vsamp_gen_status line_check(struct vsamp_gen_instrument *i, const struct gen_line *line)
{
	const struct vsamp_gen_ins *ins = &line->ins;
	bool other = ins->op == VSAMP_GEN_OTHER;

	if (other && line->opcode >= JUMPS_FIRST && line->opcode <= JUMPS_LAST)
		return instrument_fail(i, VSAMP_GEN_EUNSUPPORTED,
				       "at %#zx: a jump that can't be read, so it can't be mended",
				       line->at);
	if (other ? other_writes_ip(gen_platform(i->model), line) : is_ip(&ins->dst))
		return instrument_fail(i, VSAMP_GEN_EUNSUPPORTED,
				       "at %#zx: a jump to an address that is computed", line->at);
	for (int n = 0; n < VSAMP_GEN_SOURCES && !other; n++)
		if (is_ip(&ins->src[n]))
			return instrument_fail(i, VSAMP_GEN_EUNSUPPORTED,
					       "at %#zx: an address is computed from where it is",
					       line->at);
	return VSAMP_GEN_OK;
}

static bool is_zero(const uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (at[i])
			return false;
	return true;
}

static enum vsamp_gen_status line_read(struct vsamp_gen_instrument *i, struct gen_line *line)
{
	const uint8_t *from = (const uint8_t *)i->kernel->code + line->at;
	size_t left = i->kernel->size - line->at, used = PAD;

	if (left >= PAD && is_zero(from, PAD)) {
		line->size = PAD;
		return VSAMP_GEN_OK;
	}
	if (vsamp_gen_decode(i->model, from, left, &line->ins, &used))
		return instrument_fail(i, VSAMP_GEN_EUNSUPPORTED,
				       "at %#zx: bytes that are no instruction", line->at);
	line->size = used;
	line->opcode = from[0] & 0x7f;
	return line_check(i, line);
}

static enum vsamp_gen_status lines_read(struct vsamp_gen_instrument *i)
{
	const uint8_t *code = i->kernel->code;
	size_t end = i->kernel->size, at = 0;
	enum vsamp_gen_status status = VSAMP_GEN_OK;

	while (end && !code[end - 1])
		end--;
	i->line = calloc(end / PAD + 2, sizeof(*i->line));
	if (!i->line)
		return instrument_fail(i, VSAMP_GEN_ENOMEM, "out of memory");
	i->first = GEN_NOWHERE;
	while (at < end && !status) {
		struct gen_line *line = &i->line[i->lines];

		line->at = at;
		line->target[0] = line->target[1] = GEN_NOWHERE;
		status = line_read(i, line);
		if (at == i->kernel->entry)
			i->first = i->lines;
		i->lines++;
		at += line->size;
	}
	i->end = at;
	if (!status && i->first == GEN_NOWHERE)
		return instrument_fail(i, VSAMP_GEN_EUNSUPPORTED,
				       "its entry at %#zx is no instruction's begin",
				       i->kernel->entry);
	return status;
}

/* The line that begins there; lines: the end of all */
static size_t line_at(const struct vsamp_gen_instrument *i, int64_t at)
{
	size_t low = 0, high = i->lines;

	if (at == (int64_t)i->end)
		return i->lines;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((int64_t)i->line[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < i->lines && (int64_t)i->line[low].at == at ? low : GEN_NOWHERE;
}

static enum vsamp_gen_status targets_find(struct vsamp_gen_instrument *i)
{
	for (size_t n = 0; n < i->lines; n++) {
		struct gen_line *line = &i->line[n];
		const int32_t jumps[2] = { line->ins.jump, line->ins.uip };

		for (unsigned int k = 0; k < vsamp_gen_jumps(line->ins.op); k++) {
			int64_t to = (int64_t)line->at + jumps[k];

			line->target[k] = line_at(i, to);
			if (line->target[k] == GEN_NOWHERE)
				return instrument_fail(
					i, VSAMP_GEN_EUNSUPPORTED,
					"at %#zx: a jump by %d to where no instruction begins",
					line->at, jumps[k]);
			if (line->target[k] < i->lines)
				i->line[line->target[k]].leader = true;
		}
		if (n + 1 < i->lines && line_leaves(line))
			i->line[n + 1].leader = true;
	}
	i->line[i->first].leader = true;
	return VSAMP_GEN_OK;
}

static enum vsamp_gen_status blocks_find(struct vsamp_gen_instrument *i)
{
	size_t num = 0;

	i->block = calloc(i->lines + 1, sizeof(*i->block));
	if (!i->block)
		return instrument_fail(i, VSAMP_GEN_ENOMEM, "out of memory");
	for (size_t n = i->first; n < i->lines; n++) {
		struct gen_line *line = &i->line[n];

		if (n > i->first && (line_meets(line) || is_pad(line)))
			line->leader = false;
		if (line->leader)
			i->block[num++] = n;
	}
	i->blocks = num;
	return VSAMP_GEN_OK;
}

enum vsamp_gen_status kernel_read(struct vsamp_gen_instrument *i)
{
	enum vsamp_gen_status status;

	if (i->kernel->size > VSAMP_GEN_CODE_MAX)
		return instrument_fail(i, VSAMP_GEN_ERANGE, "%zu bytes of code", i->kernel->size);
	status = lines_read(i);
	if (!status)
		status = targets_find(i);
	return status ? status : blocks_find(i);
}

/* Of messages, of mathematics, and of what waits for either */
static uint32_t line_tokens(const struct gen_platform *p, const struct gen_line *line)
{
	uint64_t words[2] = { line->ins.raw[0], line->ins.raw[1] }, value;
	struct vsamp_gen_swsb swsb = line->ins.swsb;

	if (line->ins.op == VSAMP_GEN_OTHER) {
		if (line->ins.compacted && vsamp_gen_expand(&p->model, line->ins.raw, words))
			return UINT32_MAX;
		value = gen_get(words, p->layout->swsb);
		if (!gen_swsb_decode(p, value, true, &swsb) &&
		    !gen_swsb_decode(p, value, false, &swsb))
			return UINT32_MAX;
	}
	return swsb.mode ? 1U << swsb.token : 0;
}

uint32_t kernel_tokens(const struct vsamp_gen_instrument *i)
{
	uint32_t tokens = 0;

	for (size_t n = 0; n < i->lines; n++)
		tokens |= line_tokens(gen_platform(i->model), &i->line[n]);
	return tokens;
}
