// SPDX-License-Identifier: MIT
/* consumers.c: reads to nowhere, that wait for an instruction */
#include "message.h"

/* Bytes from the first element's begin to the last one's end */
static unsigned int span(const struct vsamp_gen_operand *o, unsigned int exec, bool dst)
{
	unsigned int size = vsamp_gen_type_size(o->type), width = o->width, last;

	if (dst)
		return (exec - 1) * o->hstride * size + size;
	if (width > exec)
		width = exec;
	last = (exec / width - 1) * o->vstride + (width - 1) * o->hstride;
	return last * size + size;
}

/* The registers that an operand has a part of; messages have whole ones */
static void emit_reads(struct emit *e, const struct vsamp_gen_operand *o, unsigned int bytes)
{
	unsigned int grf = e->c->platform->model.grf_size, end;
	struct vsamp_gen_reg reg = { o->file, o->num, 0 };

	if (o->file != VSAMP_GEN_GRF && o->file != VSAMP_GEN_VIRT)
		return;
	end = o->sub + bytes;
	for (unsigned int at = o->sub / grf * grf; at < end; at += grf) {
		if (o->file == VSAMP_GEN_GRF)
			reg.num = o->num + at / grf;
		else
			reg.sub = at;
		emit_ins(e, &(struct vsamp_gen_ins){
				    .op = VSAMP_GEN_MOV,
				    .exec = grf / 4,
				    .dst = to_reg((struct vsamp_gen_reg){ VSAMP_GEN_ARF, 0, 0 }, 0,
						  VSAMP_GEN_UD),
				    .src = { of_whole(e, reg) } });
	}
}

static bool has_operands(const struct vsamp_gen_coder *c, const struct vsamp_gen_ins *ins)
{
	uint8_t form = ins->op < VSAMP_GEN_OPS ? c->platform->codes[ins->op].form : GEN_FORM_NONE;

	return form == GEN_FORM_UNARY || form == GEN_FORM_BINARY || form == GEN_FORM_MATH ||
	       form == GEN_FORM_THREE;
}

static bool is_send(const struct vsamp_gen_ins *ins)
{
	return ins->op == VSAMP_GEN_SEND || ins->op == VSAMP_GEN_SENDS ||
	       ins->op == VSAMP_GEN_SENDC || ins->op == VSAMP_GEN_SENDSC;
}

/* Whether nobody knows what would be read, as an address register says it, or it isn't read */
static bool is_unknown(const struct vsamp_gen_ins *ins, bool dst)
{
	if (dst)
		return ins->op >= VSAMP_GEN_OTHER || ins->dst.file == VSAMP_GEN_INDIRECT;
	for (int i = 0; i < VSAMP_GEN_SOURCES; i++)
		if (ins->src[i].file == VSAMP_GEN_INDIRECT)
			return true;
	return ins->op >= VSAMP_GEN_OTHER;
}

static enum vsamp_gen_status consumers(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
				       const struct vsamp_gen_ins *ins, bool dst,
				       const struct vsamp_gen_pred *pred)
{
	unsigned int grf = c->platform->model.grf_size;
	struct emit e = emit_begin(c, proc, pred);

	if (is_unknown(ins, dst))
		e.status = coder_fail(c, VSAMP_GEN_EUNSUPPORTED,
				      "consumers of an instruction whose operands aren't read");
	if (is_send(ins) && ins->swsb.mode == VSAMP_GEN_TOKEN_SET)
		emit_wait(&e, ins->swsb.token, dst ? VSAMP_GEN_TOKEN_DST : VSAMP_GEN_TOKEN_SRC);
	if (is_send(ins) && dst) {
		emit_reads(&e, &ins->dst, RLEN_OF(ins->desc) * grf);
	} else if (is_send(ins)) {
		emit_reads(&e, &ins->src[0], MLEN_OF(ins->desc) * grf);
		emit_reads(&e, &ins->src[1], ins->payload * grf);
	} else if (has_operands(c, ins) && dst) {
		emit_reads(&e, &ins->dst, span(&ins->dst, ins->exec, true));
	} else if (has_operands(c, ins)) {
		for (int i = 0; i < VSAMP_GEN_SOURCES; i++)
			if (ins->src[i].width)
				emit_reads(&e, &ins->src[i], span(&ins->src[i], ins->exec, false));
	}
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_fake_src_consumers(struct vsamp_gen_coder *c,
						   struct vsamp_gen_proc *proc,
						   const struct vsamp_gen_ins *ins,
						   const struct vsamp_gen_pred *pred)
{
	return consumers(c, proc, ins, false, pred);
}

enum vsamp_gen_status vsamp_gen_fake_dst_consumers(struct vsamp_gen_coder *c,
						   struct vsamp_gen_proc *proc,
						   const struct vsamp_gen_ins *ins,
						   const struct vsamp_gen_pred *pred)
{
	return consumers(c, proc, ins, true, pred);
}
