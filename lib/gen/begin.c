// SPDX-License-Identifier: MIT
/* begin.c: what a kernel's begin does for procedures: the profile buffer's base, counters, r0's copy */
#include "instrument.h"

#define ZEROS 8 /* channels that clear 32 bytes */

/* Whether a procedure that is finished reads a register */
static bool is_read(const struct vsamp_gen_instrument *i, struct vsamp_gen_reg reg)
{
	for (size_t n = 0; n < i->insertions; n++)
		for (size_t k = 0; k < i->insertion[n].proc.num; k++)
			for (int s = 0; s < VSAMP_GEN_SOURCES; s++) {
				const struct vsamp_gen_operand
					*o = &i->insertion[n].proc.ins[k].src[s];

				if (o->file == VSAMP_GEN_GRF && o->num == reg.num)
					return true;
			}
	return false;
}

static void emit_r0(struct emit *e, struct vsamp_gen_reg copy)
{
	const struct vsamp_gen_model *m = &e->c->platform->model;
	static const struct vsamp_gen_reg r0 = { .file = VSAMP_GEN_GRF };
	struct vsamp_gen_ins mov = { .op = VSAMP_GEN_MOV,
				     .exec = m->grf_size / 4,
				     .dst = to_reg(copy, 0, VSAMP_GEN_UD),
				     .src = { of_whole(e, r0) } };

	emit_ins(e, &mov);
}

/* As few instructions as there may be, whose destinations are in one register */
static void emit_zeros(struct emit *e, const struct gen_vreg *v)
{
	unsigned int grf = e->c->platform->model.grf_size;
	unsigned int at = v->place, end = v->place + v->size;

	while (at < end && !e->status) {
		struct vsamp_gen_reg reg = { VSAMP_GEN_GRF, at / grf, at % grf };
		struct vsamp_gen_ins mov = { .op = VSAMP_GEN_MOV, .exec = 1 };
		uint8_t type = VSAMP_GEN_UB;

		if (at % 4 == 0 && end - at >= 4)
			type = VSAMP_GEN_UD;
		else if (at % 2 == 0 && end - at >= 2)
			type = VSAMP_GEN_UW;
		if (at % (4 * ZEROS) == 0 && end - at >= 4 * ZEROS)
			mov.exec = ZEROS;
		mov.dst = to_reg(reg, 0, type);
		mov.src[0] = of_imm(0, type == VSAMP_GEN_UD ? VSAMP_GEN_UD : VSAMP_GEN_UW);
		emit_ins(e, &mov);
		at += mov.exec * vsamp_gen_type_size(type);
	}
}

enum vsamp_gen_status insertion_begin(struct vsamp_gen_instrument *i, struct gen_insertion *at)
{
	struct emit e = emit_begin(i->coder, &at->proc, NULL);
	const struct vsamp_gen_coder *c = i->coder;

	/* also before Xe something is first, so that the base is always at one place */
	if (c->platform->swsb)
		emit_wait_all(&e, VSAMP_GEN_SYNC_NOP);
	else
		emit_ins(&e, &(struct vsamp_gen_ins){ .op = VSAMP_GEN_NOP });
	emit_unary(&e, VSAMP_GEN_MOV, to_reg(i->base, 0, VSAMP_GEN_UD),
		   of_imm(i->options->buffer & UINT32_MAX, VSAMP_GEN_UD));
	if (i->options->profile.a64)
		emit_unary(&e, VSAMP_GEN_MOV, to_reg(i->base, 4, VSAMP_GEN_UD),
			   of_imm(i->options->buffer >> 32, VSAMP_GEN_UD));
	if (c->config.r0.file && is_read(i, c->config.r0))
		emit_r0(&e, c->config.r0);
	for (unsigned int n = 0; n < c->vreg_num; n++)
		if (c->vregs[n].flags & VSAMP_GEN_VREG_COUNTER && c->vregs[n].place >= 0)
			emit_zeros(&e, &c->vregs[n]);
	emit_wait_all(&e, VSAMP_GEN_SYNC_NOP);
	return emit_end(&e);
}
