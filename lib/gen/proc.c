// SPDX-License-Identifier: MIT
/* proc.c: a procedure: a row of instructions */
#include <stdlib.h>
#include <string.h>

#include "coder.h"

enum vsamp_gen_status vsamp_gen_proc_make(struct vsamp_gen_proc **proc)
{
	*proc = calloc(1, sizeof(**proc));
	return *proc ? VSAMP_GEN_OK : VSAMP_GEN_ENOMEM;
}

void proc_clear(struct vsamp_gen_proc *proc)
{
	free(proc->ins);
	*proc = (struct vsamp_gen_proc){ 0 };
}

void vsamp_gen_proc_free(struct vsamp_gen_proc *proc)
{
	if (!proc)
		return;
	proc_clear(proc);
	free(proc);
}

size_t vsamp_gen_proc_count(const struct vsamp_gen_proc *proc)
{
	return proc->num;
}

const struct vsamp_gen_ins *vsamp_gen_proc_get(const struct vsamp_gen_proc *proc, size_t n)
{
	return n < proc->num ? &proc->ins[n] : NULL;
}

/* A virtual register as one that could be its place, so that the rest can be checked */
static bool operand_real(const struct vsamp_gen_coder *c, struct vsamp_gen_operand *o)
{
	struct vsamp_gen_reg reg = { o->file, o->num, o->sub };

	if (o->file != VSAMP_GEN_VIRT)
		return true;
	if (!coder_vreg(c, reg))
		return false;
	o->file = VSAMP_GEN_GRF;
	o->num = 0;
	o->sub %= c->platform->model.grf_size;
	return true;
}

static enum vsamp_gen_status ins_check(struct vsamp_gen_coder *c, const struct vsamp_gen_ins *ins)
{
	struct vsamp_gen_ins real = *ins;
	uint8_t bytes[VSAMP_GEN_INS_SIZE];
	enum vsamp_gen_status ret;

	if (!operand_real(c, &real.dst) || !operand_real(c, &real.src[0]) ||
	    !operand_real(c, &real.src[1]))
		return coder_fail(c, VSAMP_GEN_EINVAL, "%s: a virtual register that isn't there",
				  vsamp_gen_op_name(ins->op));
	if (ins->compacted)
		return coder_fail(c, VSAMP_GEN_EINVAL, "%s: compacted, which procedures aren't",
				  vsamp_gen_op_name(ins->op));
	ret = vsamp_gen_encode(&c->platform->model, &real, bytes);
	return ret ? coder_fail(c, ret, "%s: %s on %s", vsamp_gen_op_name(ins->op),
				vsamp_gen_status_text(ret), c->platform->model.name) :
		     ret;
}

enum vsamp_gen_status vsamp_gen_proc_append(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					    const struct vsamp_gen_ins *ins)
{
	enum vsamp_gen_status ret = ins_check(c, ins);

	if (ret)
		return ret;
	if (proc->num == proc->room) {
		size_t room = proc->room ? 2 * proc->room : 16;
		struct vsamp_gen_ins *more = realloc(proc->ins, room * sizeof(*more));

		if (!more)
			return coder_fail(c, VSAMP_GEN_ENOMEM, "no memory");
		proc->ins = more;
		proc->room = room;
	}
	proc->ins[proc->num++] = *ins;
	return VSAMP_GEN_OK;
}

static void operand_assign(const struct vsamp_gen_coder *c, struct vsamp_gen_operand *o)
{
	struct vsamp_gen_reg reg = { o->file, o->num, o->sub };

	if (o->file != VSAMP_GEN_VIRT)
		return;
	reg = vsamp_gen_reg_get_reserved(c, reg);
	o->file = reg.file;
	o->num = reg.num;
	o->sub = reg.sub;
}

enum vsamp_gen_status vsamp_gen_proc_assign(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc)
{
	enum vsamp_gen_status ret;

	for (size_t i = 0; i < proc->num; i++) {
		ret = ins_check(c, &proc->ins[i]);
		if (ret)
			return ret;
	}
	ret = vsamp_gen_reg_reserve_operands(c, proc);
	if (ret)
		return ret;
	for (size_t i = 0; i < proc->num; i++) {
		operand_assign(c, &proc->ins[i].dst);
		for (int n = 0; n < VSAMP_GEN_SOURCES; n++)
			operand_assign(c, &proc->ins[i].src[n]);
	}
	return VSAMP_GEN_OK;
}

enum vsamp_gen_status vsamp_gen_proc_encode(const struct vsamp_gen_coder *c,
					    const struct vsamp_gen_proc *proc, void *to,
					    size_t size)
{
	uint8_t *at = to;

	if (size / VSAMP_GEN_INS_SIZE < proc->num)
		return VSAMP_GEN_ERANGE;
	for (size_t i = 0; i < proc->num; i++, at += VSAMP_GEN_INS_SIZE) {
		enum vsamp_gen_status ret = vsamp_gen_encode(&c->platform->model, &proc->ins[i],
							     at);

		if (ret)
			return ret;
	}
	return VSAMP_GEN_OK;
}
