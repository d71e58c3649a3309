// SPDX-License-Identifier: MIT
/* mask.c: which channels an instruction is for */
#include "coder.h"

#define DISPATCH_AT 8 /* bytes of sr0 */

uint32_t vsamp_gen_exec_mask(unsigned int exec, unsigned int channel)
{
	if (!exec || exec > 32 || exec & (exec - 1) || channel > 31 || channel + exec > 32)
		return 0;
	return (uint32_t)((1ULL << exec) - 1) << channel;
}

/* A flag's bits are those of the channels from 0 on; of 32 channels it is a whole one */
static void emit_mask_flag(struct emit *e, struct vsamp_gen_reg dst,
			   const struct vsamp_gen_pred *pred)
{
	struct vsamp_gen_reg bits = emit_scratch(e, 0);
	struct vsamp_gen_operand of = of_reg(bits, 0, VSAMP_GEN_UD);
	bool wide = e->c->config.simd == 32;

	if (pred->mode != VSAMP_GEN_PRED_SEQ || pred->flag >= e->c->platform->model.flag_num ||
	    pred->flag_sub > 1 || (wide && pred->flag_sub)) {
		if (!e->status)
			e->status = coder_fail(e->c, VSAMP_GEN_EINVAL,
					       "a mask: f%u.%u isn't a flag of %u channels",
					       pred->flag, pred->flag_sub, e->c->config.simd);
		return;
	}
	emit_unary(e, VSAMP_GEN_MOV, to_reg(bits, 0, VSAMP_GEN_UD),
		   of_arf(VSAMP_GEN_F0 + pred->flag, 2 * pred->flag_sub,
			  wide ? VSAMP_GEN_UD : VSAMP_GEN_UW));
	of.negate = pred->invert;
	emit_binary(e, VSAMP_GEN_AND, to_reg(dst, 0, VSAMP_GEN_UD), of_reg(dst, 0, VSAMP_GEN_UD),
		    of);
}

enum vsamp_gen_status vsamp_gen_compute_simd_mask(struct vsamp_gen_coder *c,
						  struct vsamp_gen_proc *proc,
						  struct vsamp_gen_reg dst, bool ignore_ce,
						  uint32_t exec_mask,
						  const struct vsamp_gen_pred *pred)
{
	struct vsamp_gen_operand to = to_reg(dst, 0, VSAMP_GEN_UD);
	struct vsamp_gen_operand of = of_reg(dst, 0, VSAMP_GEN_UD);
	struct vsamp_gen_operand dispatch = of_arf(VSAMP_GEN_SR0, DISPATCH_AT, VSAMP_GEN_UD);
	struct emit e = emit_begin(c, proc, NULL);

	if (!emit_need(&e, dst, 4, "a mask"))
		return emit_end(&e);
	if (ignore_ce) {
		emit_binary(&e, VSAMP_GEN_AND, to, dispatch, of_imm(exec_mask, VSAMP_GEN_UD));
	} else {
		emit_unary(&e, VSAMP_GEN_MOV, to, of_arf(VSAMP_GEN_CE0, 0, VSAMP_GEN_UD));
		emit_binary(&e, VSAMP_GEN_AND, to, dispatch, of);
		emit_binary(&e, VSAMP_GEN_AND, to, of, of_imm(exec_mask, VSAMP_GEN_UD));
	}
	if (pred && pred->mode)
		emit_mask_flag(&e, dst, pred);
	return emit_end(&e);
}
