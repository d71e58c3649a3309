// SPDX-License-Identifier: MIT
/* build.c: single instructions */
#include <vsamp/gen_build.h>

#include "coder.h"

struct vsamp_gen_operand vsamp_gen_of_reg(struct vsamp_gen_reg reg, enum vsamp_gen_type type)
{
	return of_reg(reg, 0, type);
}

struct vsamp_gen_operand vsamp_gen_of_imm(uint64_t value, enum vsamp_gen_type type)
{
	return of_imm(value, type);
}

static enum vsamp_gen_status make(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
				  struct vsamp_gen_ins *ins, const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	ins->exec = 1;
	emit_ins(&e, ins);
	return emit_end(&e);
}

static enum vsamp_gen_status wrong(struct vsamp_gen_coder *c, enum vsamp_gen_op op,
				   const char *what)
{
	return coder_fail(c, VSAMP_GEN_EINVAL, "%s: no instruction of %s", vsamp_gen_op_name(op),
			  what);
}

enum vsamp_gen_status vsamp_gen_make_unary(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					   enum vsamp_gen_op op, struct vsamp_gen_reg dst,
					   enum vsamp_gen_type type, struct vsamp_gen_operand src,
					   const struct vsamp_gen_pred *pred)
{
	struct vsamp_gen_ins ins = { .op = op, .dst = to_reg(dst, 0, type), .src = { src } };

	switch (op) {
	case VSAMP_GEN_MOV:
	case VSAMP_GEN_NOT:
	case VSAMP_GEN_BFREV:
	case VSAMP_GEN_FBL:
	case VSAMP_GEN_CBIT:
		return make(c, proc, &ins, pred);
	default:
		return wrong(c, op, "one source");
	}
}

enum vsamp_gen_status vsamp_gen_make_binary(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					    enum vsamp_gen_op op, struct vsamp_gen_reg dst,
					    enum vsamp_gen_type type, struct vsamp_gen_operand a,
					    struct vsamp_gen_operand b,
					    const struct vsamp_gen_pred *pred)
{
	struct vsamp_gen_ins ins = { .op = op, .dst = to_reg(dst, 0, type), .src = { a, b } };

	switch (op) {
	case VSAMP_GEN_ADD:
	case VSAMP_GEN_MUL:
	case VSAMP_GEN_AND:
	case VSAMP_GEN_OR:
	case VSAMP_GEN_XOR:
	case VSAMP_GEN_SHR:
	case VSAMP_GEN_SHL:
	case VSAMP_GEN_ASR:
		return make(c, proc, &ins, pred);
	default:
		return wrong(c, op, "two sources");
	}
}

enum vsamp_gen_status vsamp_gen_make_cmp(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					 const struct vsamp_gen_pred *flag,
					 enum vsamp_gen_cond cond, struct vsamp_gen_operand a,
					 struct vsamp_gen_operand b)
{
	struct vsamp_gen_reg null = { VSAMP_GEN_ARF, VSAMP_GEN_NULL, 0 };
	struct vsamp_gen_ins ins = {
		.op = VSAMP_GEN_CMP,
		.cond = cond,
		.dst = to_reg(null, 0, a.type),
		.src = { a, b },
	};

	if (cond == VSAMP_GEN_COND_NONE || !flag || !flag->mode)
		return wrong(c, VSAMP_GEN_CMP, "no condition or flag");
	ins.flag = flag->flag;
	ins.flag_sub = flag->flag_sub;
	return make(c, proc, &ins, NULL);
}

enum vsamp_gen_status vsamp_gen_make_sel(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					 struct vsamp_gen_reg dst, enum vsamp_gen_type type,
					 struct vsamp_gen_operand a, struct vsamp_gen_operand b,
					 const struct vsamp_gen_pred *which)
{
	struct vsamp_gen_ins ins = { .op = VSAMP_GEN_SEL,
				     .dst = to_reg(dst, 0, type),
				     .src = { a, b } };

	if (!which || !which->mode)
		return wrong(c, VSAMP_GEN_SEL, "no predicate");
	return make(c, proc, &ins, which);
}
