// SPDX-License-Identifier: MIT
/* insertion.c: what is around a procedure so that its kernel doesn't see it, and its registers' places */
#include <stdlib.h>
#include <string.h>

#include "instrument.h"

#define OP_MAC	0x48 /* what reads more bits of an accumulator than 32 */
#define OP_MACH 0x49

/* Registers that a procedure writes and the kernel may need: a bit each */
struct written {
	unsigned int flags, accs;
};

static bool is_acc(const struct vsamp_gen_operand *o)
{
	return o->file == VSAMP_GEN_ARF && (o->num & 0xf0) == VSAMP_GEN_ACC0;
}

static struct written written_by(const struct vsamp_gen_instrument *i,
				 const struct vsamp_gen_proc *proc)
{
	struct written w = { 0 };

	for (size_t n = 0; n < proc->num; n++) {
		const struct vsamp_gen_ins *ins = &proc->ins[n];
		unsigned int bytes = ins->exec * vsamp_gen_type_size(ins->dst.type);
		unsigned int accs = bytes > i->model->grf_size ? 3 : 1;

		if (ins->cond || (ins->op == VSAMP_GEN_MATH && ins->function >= VSAMP_GEN_INVM))
			w.flags |= 1U << ins->flag;
		if (ins->dst.file == VSAMP_GEN_ARF && (ins->dst.num & 0xf0) == VSAMP_GEN_F0)
			w.flags |= 1U << (ins->dst.num & 0xf);
		if (is_acc(&ins->dst))
			w.accs |= accs << (ins->dst.num & 0xf);
		if (ins->acc_write || ins->op == VSAMP_GEN_ADDC || ins->op == VSAMP_GEN_SUBB ||
		    ins->op == VSAMP_GEN_MACH || ins->op == VSAMP_GEN_MACL)
			w.accs |= accs;
	}
	return w;
}

/* Whether what follows a line reads more of the accumulator than can be put back */
static bool acc_is_wide(const struct vsamp_gen_instrument *i, size_t line)
{
	for (size_t n = line; n < i->lines; n++) {
		const struct gen_line *l = &i->line[n];

		if (l->opcode == OP_MAC || l->opcode == OP_MACH)
			return true;
		if (is_acc(&l->ins.dst) || (n > line && l->leader))
			return false;
	}
	return false;
}

enum vsamp_gen_status insertion_check(struct vsamp_gen_instrument *i, size_t line,
				      const struct vsamp_gen_proc *proc)
{
	for (size_t n = 0; n < proc->num; n++)
		if (vsamp_gen_jumps(proc->ins[n].op) || proc->ins[n].op == VSAMP_GEN_RET ||
		    proc->ins[n].eot)
			return coder_fail(i->coder, VSAMP_GEN_EINVAL,
					  "%s: what is inserted can't go elsewhere",
					  vsamp_gen_op_name(proc->ins[n].op));
	if (written_by(i, proc).accs && acc_is_wide(i, line))
		return coder_fail(
			i->coder, VSAMP_GEN_EUNSUPPORTED,
			"at %#zx: the kernel needs all bits of an accumulator that is written",
			i->line[line].at);
	return VSAMP_GEN_OK;
}

static bool is_kernels(const struct vsamp_gen_instrument *i, const struct vsamp_gen_operand *o)
{
	size_t at = (size_t)o->num * i->model->grf_size + o->sub;

	return o->file == VSAMP_GEN_GRF && !(i->unused[at / 8] >> at % 8 & 1);
}

/* Whether messages of the kernel have to be waited for */
static bool needs_messages(const struct vsamp_gen_instrument *i, const struct vsamp_gen_proc *proc)
{
	for (size_t n = 0; n < proc->num; n++) {
		const struct vsamp_gen_ins *ins = &proc->ins[n];

		if (i->token_shared && ins->swsb.mode)
			return true;
		if (is_kernels(i, &ins->dst))
			return true;
		for (int k = 0; k < VSAMP_GEN_SOURCES; k++)
			if (is_kernels(i, &ins->src[k]))
				return true;
	}
	return false;
}

void emit_wait_all(struct emit *e, enum vsamp_gen_sync sync)
{
	struct vsamp_gen_ins wait = { .op = VSAMP_GEN_SYNC, .exec = 1, .sync = sync };

	if (e->c->platform->swsb)
		emit_ins(e, &wait);
}

/* Between a register and where it is saved */
static void emit_saved(struct emit *e, struct vsamp_gen_reg *saved, uint16_t arf, bool back)
{
	bool acc = arf < VSAMP_GEN_F0;
	const struct vsamp_gen_model *m = &e->c->platform->model;
	struct vsamp_gen_reg reg = { VSAMP_GEN_ARF, arf, 0 };
	struct vsamp_gen_ins mov = { .op = VSAMP_GEN_MOV, .exec = acc ? m->grf_size / 4 : 1 };

	if (!e->status && saved->file == VSAMP_GEN_NONE)
		e->status = vsamp_gen_vreg_make(e->c,
						acc ? VSAMP_GEN_VREG_GRF : VSAMP_GEN_VREG_DWORD, 1,
						VSAMP_GEN_VREG_SCRATCH, saved);
	mov.dst = to_reg(back ? reg : *saved, 0, VSAMP_GEN_UD);
	mov.src[0] = of_reg(back ? *saved : reg, 0, VSAMP_GEN_UD);
	if (acc)
		mov.src[0] = of_whole(e, back ? *saved : reg);
	emit_ins(e, &mov);
}

static void emit_all_saved(struct vsamp_gen_instrument *i, struct emit *e, struct written w,
			   bool back)
{
	for (int n = 0; n < GEN_FLAGS; n++)
		if (w.flags >> n & 1)
			emit_saved(e, &i->saved_flag[n], VSAMP_GEN_F0 + n, back);
	for (int n = 0; n < GEN_ACCS; n++)
		if (w.accs >> n & 1)
			emit_saved(e, &i->saved_acc[n], VSAMP_GEN_ACC0 + n, back);
}

/* Into @to, which is empty, as it is to be executed */
static enum vsamp_gen_status surround(struct vsamp_gen_instrument *i,
				      const struct gen_insertion *at, struct vsamp_gen_proc *to)
{
	struct emit e = emit_begin(i->coder, to, NULL);
	struct written w = written_by(i, &at->proc);

	emit_wait_all(&e, VSAMP_GEN_SYNC_NOP);
	if (needs_messages(i, &at->proc)) {
		emit_wait_all(&e, VSAMP_GEN_SYNC_ALLRD);
		emit_wait_all(&e, VSAMP_GEN_SYNC_ALLWR);
	}
	emit_all_saved(i, &e, w, false);
	for (size_t n = 0; n < at->proc.num && !e.status; n++)
		e.status = vsamp_gen_proc_append(i->coder, to, &at->proc.ins[n]);
	emit_all_saved(i, &e, w, true);
	emit_wait_all(&e, VSAMP_GEN_SYNC_NOP);
	return emit_end(&e);
}

static bool keeps_its_value(const struct gen_vreg *v)
{
	return !(v->flags & VSAMP_GEN_VREG_SCRATCH) || v->flags & VSAMP_GEN_VREG_COUNTER;
}

static enum vsamp_gen_status reserve(struct vsamp_gen_instrument *i,
				     const struct vsamp_gen_operand *o)
{
	struct vsamp_gen_reg reg = { o->file, o->num, o->sub };
	const struct gen_vreg *v = coder_vreg(i->coder, reg);

	return v && keeps_its_value(v) ? vsamp_gen_reg_reserve(i->coder, reg) : VSAMP_GEN_OK;
}

enum vsamp_gen_status insertion_reserve(struct vsamp_gen_instrument *i,
					const struct gen_insertion *at)
{
	enum vsamp_gen_status status = VSAMP_GEN_OK;

	for (size_t n = 0; n < at->proc.num && !status; n++) {
		status = reserve(i, &at->proc.ins[n].dst);
		for (int k = 0; k < VSAMP_GEN_SOURCES && !status; k++)
			status = reserve(i, &at->proc.ins[n].src[k]);
	}
	return status;
}

/* Gives back what has a place since @before and no value behind the procedure */
static void scratch_release(struct vsamp_gen_coder *c, const struct gen_vreg *before)
{
	for (unsigned int n = 0; n < c->vreg_num; n++)
		if (!keeps_its_value(&c->vregs[n]) && before[n].place < 0)
			vsamp_gen_reg_release(c, (struct vsamp_gen_reg){ VSAMP_GEN_VIRT, n, 0 });
}

enum vsamp_gen_status insertion_finish(struct vsamp_gen_instrument *i, struct gen_insertion *at)
{
	struct vsamp_gen_proc whole = { 0 };
	enum vsamp_gen_status status = surround(i, at, &whole);
	size_t bytes = i->coder->vreg_num * sizeof(struct gen_vreg);
	struct gen_vreg *before = malloc(bytes + 1);

	if (!status && !before)
		status = coder_fail(i->coder, VSAMP_GEN_ENOMEM, "no memory");
	if (!status) {
		if (bytes)
			memcpy(before, i->coder->vregs, bytes);
		status = vsamp_gen_proc_assign(i->coder, &whole);
	}
	if (!status)
		scratch_release(i->coder, before);
	free(before);
	if (status) {
		proc_clear(&whole);
		return status;
	}
	proc_clear(&at->proc);
	at->proc = whole;
	return VSAMP_GEN_OK;
}
