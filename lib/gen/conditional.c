// SPDX-License-Identifier: MIT
/*
 * conditional.c: procedures under a condition, which f1.0 has
 *
 * An instruction names one flag. One that is predicated by another has both in f1.1 first; one that
 * writes another is run without condition, and where the condition doesn't hold the flag is what it was.
 */
#include "coder.h"

#define CONDITION     1 /* f1.0 */
#define CONDITION_SUB 0
#define BOTH_SUB      1 /* f1.1 */

static const struct vsamp_gen_pred holds = { .mode = VSAMP_GEN_PRED_SEQ, .flag = CONDITION };

/* A flag of 16 bits */
static struct vsamp_gen_operand of_flag(unsigned int flag, unsigned int sub)
{
	return of_arf(VSAMP_GEN_F0 + flag, 2 * sub, VSAMP_GEN_UW);
}

static struct vsamp_gen_operand to_flag(unsigned int flag, unsigned int sub)
{
	return to_reg((struct vsamp_gen_reg){ VSAMP_GEN_ARF, VSAMP_GEN_F0 + flag, 0 }, 2 * sub,
		      VSAMP_GEN_UW);
}

static bool names_flag(const struct vsamp_gen_operand *o)
{
	return o->file == VSAMP_GEN_ARF && o->num == VSAMP_GEN_F0 + CONDITION;
}

/* Steps of precise math have no condition, and write one */
static bool writes_flag(const struct vsamp_gen_ins *ins)
{
	return ins->op == VSAMP_GEN_MATH && ins->function >= VSAMP_GEN_INVM;
}

static bool uses_condition(const struct vsamp_gen_ins *ins)
{
	if ((ins->pred || ins->cond || writes_flag(ins)) && ins->flag == CONDITION)
		return true;
	return names_flag(&ins->dst) || names_flag(&ins->src[0]) || names_flag(&ins->src[1]) ||
	       names_flag(&ins->src[2]);
}

static bool is_null(const struct vsamp_gen_operand *o)
{
	return o->file == VSAMP_GEN_ARF && o->num == VSAMP_GEN_NULL;
}

/* Those that no predicate makes conditional */
static bool is_fixed(const struct vsamp_gen_ins *ins)
{
	switch (ins->op) {
	case VSAMP_GEN_SEL: /* has it as an operand */
	case VSAMP_GEN_CSEL:
	case VSAMP_GEN_OTHER:
		return true;
	default:
		return vsamp_gen_jumps(ins->op) || writes_flag(ins) ||
		       ins->pred > VSAMP_GEN_PRED_SEQ || ins->channel + ins->exec > 16 ||
		       (ins->cond && !is_null(&ins->dst));
	}
}

static enum vsamp_gen_status then_check(struct vsamp_gen_coder *c,
					const struct vsamp_gen_proc *then)
{
	for (size_t i = 0; i < then->num; i++) {
		const struct vsamp_gen_ins *ins = &then->ins[i];

		if (uses_condition(ins))
			return coder_fail(c, VSAMP_GEN_EFLAGCONFLICT,
					  "instruction %zu, %s, uses f1, which has the condition",
					  i, vsamp_gen_op_name(ins->op));
		if (is_fixed(ins))
			return coder_fail(c, VSAMP_GEN_EUNSUPPORTED,
					  "instruction %zu, %s, can't be made conditional", i,
					  vsamp_gen_op_name(ins->op));
	}
	return VSAMP_GEN_OK;
}

/* As it is but for the predicate: what it waits for, and its channels */
static void emit_under(struct emit *e, const struct vsamp_gen_ins *ins, unsigned int sub)
{
	struct vsamp_gen_ins i = *ins;

	i.pred = VSAMP_GEN_PRED_SEQ;
	i.pred_invert = false;
	i.flag = CONDITION;
	i.flag_sub = sub;
	if (!e->status)
		e->status = vsamp_gen_proc_append(e->c, e->proc, &i);
}

static void emit_under_both(struct emit *e, const struct vsamp_gen_ins *ins)
{
	struct vsamp_gen_reg own = emit_scratch(e, 1);
	struct vsamp_gen_operand bits = of_reg(own, 0, VSAMP_GEN_UW);

	emit_unary(e, VSAMP_GEN_MOV, to_reg(own, 0, VSAMP_GEN_UW),
		   of_flag(ins->flag, ins->flag_sub));
	bits.negate = ins->pred_invert;
	emit_binary(e, VSAMP_GEN_AND, to_flag(CONDITION, BOTH_SUB),
		    of_flag(CONDITION, CONDITION_SUB), bits);
	emit_under(e, ins, BOTH_SUB);
}

static void emit_flag_under(struct emit *e, const struct vsamp_gen_ins *ins)
{
	struct vsamp_gen_reg before = emit_scratch(e, 1), after = emit_scratch(e, 2);
	struct vsamp_gen_operand flag = of_flag(ins->flag, ins->flag_sub);
	struct vsamp_gen_operand condition = of_flag(CONDITION, CONDITION_SUB);

	emit_unary(e, VSAMP_GEN_MOV, to_reg(before, 0, VSAMP_GEN_UW), flag);
	if (!e->status)
		e->status = vsamp_gen_proc_append(e->c, e->proc, ins);
	emit_unary(e, VSAMP_GEN_MOV, to_reg(after, 0, VSAMP_GEN_UW), flag);
	emit_binary(e, VSAMP_GEN_AND, to_reg(after, 0, VSAMP_GEN_UW), condition,
		    of_reg(after, 0, VSAMP_GEN_UW));
	emit_binary(e, VSAMP_GEN_AND, to_reg(before, 0, VSAMP_GEN_UW), negated(condition),
		    of_reg(before, 0, VSAMP_GEN_UW));
	emit_binary(e, VSAMP_GEN_OR, to_flag(ins->flag, ins->flag_sub),
		    of_reg(before, 0, VSAMP_GEN_UW), of_reg(after, 0, VSAMP_GEN_UW));
}

static void emit_then(struct emit *e, const struct vsamp_gen_proc *then)
{
	for (size_t i = 0; i < then->num && !e->status; i++) {
		const struct vsamp_gen_ins *ins = &then->ins[i];

		if (ins->op == VSAMP_GEN_SYNC || ins->op == VSAMP_GEN_NOP)
			e->status = vsamp_gen_proc_append(e->c, e->proc, ins);
		else if (ins->cond)
			emit_flag_under(e, ins);
		else if (ins->pred)
			emit_under_both(e, ins);
		else
			emit_under(e, ins, CONDITION_SUB);
	}
}

static void emit_compare(struct emit *e, enum vsamp_gen_cond cond, struct vsamp_gen_reg a,
			 struct vsamp_gen_operand b)
{
	emit_ins(e, &(struct vsamp_gen_ins){
			    .op = VSAMP_GEN_CMP,
			    .exec = 16,
			    .cond = cond,
			    .flag = holds.flag,
			    .dst = to_reg((struct vsamp_gen_reg){ VSAMP_GEN_ARF, 0, 0 }, 0,
					  VSAMP_GEN_UD),
			    .src = { of_reg(a, 0, VSAMP_GEN_UD), b } });
}

static enum vsamp_gen_status conditional(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					 const struct vsamp_gen_proc *then,
					 enum vsamp_gen_cond cond, struct vsamp_gen_reg a,
					 struct vsamp_gen_operand b)
{
	struct emit e = emit_begin(c, proc, NULL);

	if (cond < VSAMP_GEN_EQ || cond > VSAMP_GEN_LE || then == proc)
		e.status = coder_fail(c, VSAMP_GEN_EINVAL,
				      "no condition, or a procedure in itself");
	if (!e.status)
		e.status = then_check(c, then);
	if (!emit_need(&e, a, 4, "what is compared"))
		return emit_end(&e);
	emit_compare(&e, cond, a, b);
	emit_then(&e, then);
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_convert_to_conditional(struct vsamp_gen_coder *c,
						       struct vsamp_gen_proc *proc,
						       struct vsamp_gen_reg reg)
{
	struct vsamp_gen_proc whole = { 0 }, before = *proc;
	enum vsamp_gen_status ret;

	ret = vsamp_gen_conditional_imm(c, &whole, proc, VSAMP_GEN_NE, reg, 0);
	if (ret) {
		proc_clear(&whole);
		return ret;
	}
	*proc = whole;
	proc_clear(&before);
	return VSAMP_GEN_OK;
}

enum vsamp_gen_status vsamp_gen_conditional_reg(struct vsamp_gen_coder *c,
						struct vsamp_gen_proc *proc,
						const struct vsamp_gen_proc *then,
						enum vsamp_gen_cond cond, struct vsamp_gen_reg a,
						struct vsamp_gen_reg b)
{
	struct emit e = emit_begin(c, proc, NULL);

	if (!emit_need(&e, b, 4, "what is compared"))
		return emit_end(&e);
	return conditional(c, proc, then, cond, a, of_reg(b, 0, VSAMP_GEN_UD));
}

enum vsamp_gen_status vsamp_gen_conditional_imm(struct vsamp_gen_coder *c,
						struct vsamp_gen_proc *proc,
						const struct vsamp_gen_proc *then,
						enum vsamp_gen_cond cond, struct vsamp_gen_reg a,
						uint32_t b)
{
	return conditional(c, proc, then, cond, a, of_imm(b, VSAMP_GEN_UD));
}
