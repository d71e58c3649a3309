// SPDX-License-Identifier: MIT
/* ids.c: what runs a procedure: its hardware thread, dual subslice, fixed function, tile */
#include "coder.h"

#define TILE_AT 4 /* bytes of sr0 */

/* Of sr0, which is a first source alone */
static void emit_bits(struct emit *e, struct vsamp_gen_reg dst, unsigned int at,
		      struct gen_bits bits)
{
	struct vsamp_gen_operand self = of_reg(dst, 0, VSAMP_GEN_UD);

	emit_binary(e, VSAMP_GEN_AND, to_reg(dst, 0, VSAMP_GEN_UD),
		    of_arf(VSAMP_GEN_SR0, at, VSAMP_GEN_UD), of_imm(bits.mask, VSAMP_GEN_UD));
	if (bits.shift)
		emit_binary(e, VSAMP_GEN_SHR, to_reg(dst, 0, VSAMP_GEN_UD), self,
			    of_imm(bits.shift, VSAMP_GEN_UW));
}

void emit_tid(struct emit *e, struct vsamp_gen_reg dst)
{
	const struct gen_bits *bits = e->c->platform->topology.tid;
	struct vsamp_gen_reg part = emit_scratch(e, 0);

	emit_bits(e, dst, 0, bits[0]);
	for (int i = 1; i < GEN_TID_BITS && bits[i].mask; i++) {
		emit_bits(e, part, 0, bits[i]);
		emit_binary(e, VSAMP_GEN_OR, to_reg(dst, 0, VSAMP_GEN_UD),
			    of_reg(dst, 0, VSAMP_GEN_UD), of_reg(part, 0, VSAMP_GEN_UD));
	}
}

enum vsamp_gen_status vsamp_gen_get_tid(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					struct vsamp_gen_reg dst, const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	if (emit_need(&e, dst, 4, "a thread's number"))
		emit_tid(&e, dst);
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_get_dss_id(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					   struct vsamp_gen_reg dst,
					   const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	if (emit_need(&e, dst, 4, "a dual subslice's number"))
		emit_bits(&e, dst, 0, c->platform->topology.dss);
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_get_fftid(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					  struct vsamp_gen_reg dst,
					  const struct vsamp_gen_pred *pred)
{
	static const struct vsamp_gen_reg r0 = { .file = VSAMP_GEN_GRF };
	struct vsamp_gen_reg from = c->config.r0.file ? c->config.r0 : r0;
	struct emit e = emit_begin(c, proc, pred);

	if (emit_need(&e, dst, 4, "a fixed function's number"))
		emit_binary(&e, VSAMP_GEN_AND, to_reg(dst, 0, VSAMP_GEN_UD),
			    of_reg(from, 20, VSAMP_GEN_UD),
			    of_imm(c->platform->topology.fftid, VSAMP_GEN_UD));
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_load_tile_id(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					     struct vsamp_gen_reg dst,
					     const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	if (!emit_need(&e, dst, 4, "a tile's number"))
		return emit_end(&e);
	if (vsamp_gen_tile_id_supported(c))
		emit_bits(&e, dst, TILE_AT, c->platform->topology.tile);
	else
		emit_unary(&e, VSAMP_GEN_MOV, to_reg(dst, 0, VSAMP_GEN_UD),
			   of_imm(0, VSAMP_GEN_UD));
	return emit_end(&e);
}

bool vsamp_gen_tile_id_supported(const struct vsamp_gen_coder *c)
{
	return c->platform->topology.tile.mask;
}
