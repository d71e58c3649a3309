// SPDX-License-Identifier: MIT
/* emit.c: instructions on their way to a procedure */
#include "coder.h"

struct emit emit_begin(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
		       const struct vsamp_gen_pred *pred)
{
	struct emit e = { .c = c, .proc = proc, .begin = proc->num };

	if (pred && pred->mode)
		e.pred = *pred;
	return e;
}

enum vsamp_gen_status emit_end(struct emit *e)
{
	if (e->status)
		e->proc->num = e->begin;
	return e->status;
}

void emit_ins(struct emit *e, const struct vsamp_gen_ins *ins)
{
	struct vsamp_gen_ins i = *ins;

	if (e->status)
		return;
	i.mask_off = true;
	if (e->pred.mode) {
		i.pred = e->pred.mode;
		i.pred_invert = e->pred.invert;
		i.flag = e->pred.flag;
		i.flag_sub = e->pred.flag_sub;
	}
	if (e->c->platform->swsb) {
		bool pipes = e->c->platform->swsb->pipe[VSAMP_GEN_PIPE_A] >= 0;

		i.swsb.distance = 1;
		i.swsb.pipe = pipes ? VSAMP_GEN_PIPE_A : VSAMP_GEN_PIPE_OWN;
	}
	e->status = vsamp_gen_proc_append(e->c, e->proc, &i);
}

void emit_wait(struct emit *e, uint8_t token, enum vsamp_gen_token mode)
{
	struct vsamp_gen_ins wait = { .op = VSAMP_GEN_SYNC,
				      .mask_off = true,
				      .swsb = { .mode = mode, .token = token } };

	if (!e->status && e->c->platform->swsb)
		e->status = vsamp_gen_proc_append(e->c, e->proc, &wait);
}

void emit_send(struct emit *e, struct vsamp_gen_ins *ins, bool loads)
{
	uint8_t token = e->c->config.token;

	if (e->c->platform->swsb)
		ins->swsb = (struct vsamp_gen_swsb){ .mode = VSAMP_GEN_TOKEN_SET, .token = token };
	emit_ins(e, ins);
	emit_wait(e, token, loads ? VSAMP_GEN_TOKEN_DST : VSAMP_GEN_TOKEN_SRC);
}

void emit_unary(struct emit *e, uint8_t op, struct vsamp_gen_operand dst,
		struct vsamp_gen_operand src)
{
	emit_ins(e, &(struct vsamp_gen_ins){ .op = op, .exec = 1, .dst = dst, .src = { src } });
}

void emit_binary(struct emit *e, uint8_t op, struct vsamp_gen_operand dst,
		 struct vsamp_gen_operand src0, struct vsamp_gen_operand src1)
{
	emit_ins(e,
		 &(struct vsamp_gen_ins){ .op = op, .exec = 1, .dst = dst, .src = { src0, src1 } });
}

struct vsamp_gen_operand to_reg(struct vsamp_gen_reg reg, unsigned int sub, uint8_t type)
{
	return (struct vsamp_gen_operand){
		.file = reg.file, .num = reg.num, .sub = reg.sub + sub, .type = type, .hstride = 1
	};
}

struct vsamp_gen_operand of_reg(struct vsamp_gen_reg reg, unsigned int sub, uint8_t type)
{
	return (struct vsamp_gen_operand){
		.file = reg.file, .num = reg.num, .sub = reg.sub + sub, .type = type, .width = 1
	};
}

struct vsamp_gen_operand of_arf(uint16_t num, unsigned int sub, uint8_t type)
{
	return of_reg((struct vsamp_gen_reg){ VSAMP_GEN_ARF, num, 0 }, sub, type);
}

struct vsamp_gen_operand of_imm(uint64_t value, uint8_t type)
{
	return (struct vsamp_gen_operand){ .file = VSAMP_GEN_IMM, .type = type, .imm = value };
}

struct vsamp_gen_operand of_whole(const struct emit *e, struct vsamp_gen_reg reg)
{
	struct vsamp_gen_operand all = of_reg(reg, 0, VSAMP_GEN_UD);
	bool wide = e->c->platform->model.grf_size == 64;

	all.vstride = wide ? 1 : 8;
	all.width = wide ? 1 : 8;
	all.hstride = wide ? 0 : 1;
	return all;
}

bool emit_need(struct emit *e, struct vsamp_gen_reg reg, unsigned int size, const char *what)
{
	const struct vsamp_gen_model *m = &e->c->platform->model;
	unsigned int has = m->grf_size;

	if (e->status)
		return false;
	if (reg.file == VSAMP_GEN_VIRT)
		has = vsamp_gen_vreg_size(e->c, reg);
	else if (reg.file != VSAMP_GEN_GRF || reg.num >= m->grf_num)
		has = 0;
	if (reg.sub + size > has)
		e->status = coder_fail(e->c, has ? VSAMP_GEN_ERANGE : VSAMP_GEN_EINVAL,
				       "%s: no register of %u bytes", what, size);
	else if (reg.sub % size)
		e->status = coder_fail(e->c, VSAMP_GEN_EALIGN, "%s: not aligned to %u bytes", what,
				       size);
	return !e->status;
}

bool emit_need_whole(struct emit *e, struct vsamp_gen_reg reg, unsigned int num, const char *what)
{
	const struct vsamp_gen_model *m = &e->c->platform->model;
	const struct gen_vreg *v = coder_vreg(e->c, reg);
	unsigned int flags = VSAMP_GEN_VREG_MSG_ADDR | VSAMP_GEN_VREG_MSG_DATA;

	if (e->status)
		return false;
	if (reg.file == VSAMP_GEN_VIRT ? !v : reg.file != VSAMP_GEN_GRF)
		e->status = coder_fail(e->c, VSAMP_GEN_EINVAL, "%s: no register", what);
	else if (reg.sub || (v && !(v->flags & flags) && v->size < m->grf_size))
		e->status = coder_fail(e->c, VSAMP_GEN_EALIGN,
				       "%s: not at the begin of a register, as messages are", what);
	else if (v ? v->size > m->grf_size && num * m->grf_size > v->size :
		     reg.num + num > m->grf_num)
		e->status = coder_fail(e->c, VSAMP_GEN_ERANGE, "%s: no %u registers", what, num);
	return !e->status;
}

struct vsamp_gen_reg emit_scratch(struct emit *e, unsigned int n)
{
	struct vsamp_gen_reg *reg = &e->c->scratch[n];

	if (!e->status && reg->file == VSAMP_GEN_NONE)
		e->status = vsamp_gen_vreg_make(e->c, VSAMP_GEN_VREG_DWORD, 1,
						VSAMP_GEN_VREG_SCRATCH, reg);
	return *reg;
}
