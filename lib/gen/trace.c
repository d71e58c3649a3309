// SPDX-License-Identifier: MIT
/* trace.c: records that threads take one after the other */
#include <vsamp/gen_build.h>

#include "coder.h"

#define COUNTER	   8 /* bytes: it never wraps */
#define RECORD_MIN 16

uint64_t vsamp_gen_trace_end(const struct vsamp_gen_trace *t)
{
	uint64_t end = (uint64_t)t->offset + VSAMP_GEN_TRACE_HEAD;

	if (t->record_size < RECORD_MIN || t->record_size & (t->record_size - 1) || !t->records ||
	    t->offset % VSAMP_GEN_TRACE_HEAD)
		return 0;
	end += (uint64_t)t->record_size * t->records;
	return end > 1ULL << 32 ? 0 : end;
}

/* Whether a number of 64 bits is one of a record: its upper half has to be zero, too */
static enum vsamp_gen_status add_comparison(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					    struct vsamp_gen_reg number, uint32_t records,
					    const struct vsamp_gen_pred *room)
{
	struct vsamp_gen_pred beyond = *room;
	struct emit e = emit_begin(c, proc, NULL);

	beyond.invert = false;
	e.status = vsamp_gen_make_cmp(c, proc, &beyond, VSAMP_GEN_NE,
				      of_reg(number, 4, VSAMP_GEN_UD), of_imm(0, VSAMP_GEN_UD));
	e.pred = beyond;
	emit_unary(&e, VSAMP_GEN_MOV, to_reg(number, 0, VSAMP_GEN_UD),
		   of_imm(UINT32_MAX, VSAMP_GEN_UD));
	if (!e.status)
		e.status = vsamp_gen_make_cmp(
			c, proc, room, room->invert ? VSAMP_GEN_GE : VSAMP_GEN_LT,
			of_reg(number, 0, VSAMP_GEN_UD), of_imm(records, VSAMP_GEN_UD));
	return emit_end(&e);
}

static void emit_record(struct emit *e, const struct vsamp_gen_trace *t, struct vsamp_gen_reg base,
			struct vsamp_gen_reg record, struct vsamp_gen_reg number)
{
	struct vsamp_gen_operand to = to_reg(number, 0, VSAMP_GEN_UD);
	struct vsamp_gen_operand of = of_reg(number, 0, VSAMP_GEN_UD);

	emit_binary(e, VSAMP_GEN_SHL, to, of, of_imm(__builtin_ctz(t->record_size), VSAMP_GEN_UW));
	emit_binary(e, VSAMP_GEN_ADD, to, of,
		    of_imm(t->offset + VSAMP_GEN_TRACE_HEAD, VSAMP_GEN_UD));
	emit_address(e, record, base, of);
}

enum vsamp_gen_status
vsamp_gen_trace_reserve(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
			const struct vsamp_gen_trace *t, struct vsamp_gen_reg base,
			struct vsamp_gen_reg record, struct vsamp_gen_reg scratch,
			const struct vsamp_gen_pred *room)
{
	struct emit e = emit_begin(c, proc, NULL);

	if (!vsamp_gen_trace_end(t))
		return coder_fail(c, VSAMP_GEN_EINVAL,
				  "a trace of %u records of %u bytes at %u: there can't be one",
				  t->records, t->record_size, t->offset);
	if (!room || room->mode != VSAMP_GEN_PRED_SEQ)
		return coder_fail(c, VSAMP_GEN_EINVAL, "a trace's flag: there is none");
	e.status = vsamp_gen_compute_address(c, proc, record, base, t->offset, NULL);
	if (!e.status)
		e.status = vsamp_gen_atomic_fetch_inc(c, proc, scratch, record, COUNTER, NULL);
	if (!e.status)
		e.status = add_comparison(c, proc, scratch, t->records, room);
	if (!e.status) {
		e.pred = *room;
		emit_record(&e, t, base, record, scratch);
	}
	return emit_end(&e);
}
