// SPDX-License-Identifier: MIT
/* block.c: blocks of memory, in messages to the data port or to the load-store cache */
#include "message.h"

static unsigned int log2_of(unsigned int n)
{
	return __builtin_ctz(n);
}

static unsigned int grfs(const struct vsamp_gen_coder *c, unsigned int size)
{
	unsigned int grf = c->platform->model.grf_size;

	return size < grf ? 1 : size / grf;
}

static uint32_t hdc_desc(const struct vsamp_gen_coder *c, unsigned int size, bool load)
{
	bool a64 = c->config.profile.a64;
	unsigned int owords = size == 16 ? 0 : log2_of(size) - 3;
	unsigned int type = load ? (a64 ? HDC_READ_A64 : HDC_READ) :
				   (a64 ? HDC_WRITE_A64 : HDC_WRITE);

	return MLEN(1) | (load ? RLEN(grfs(c, size)) : 0) | HDC_HEADER | HDC_TYPE(type) |
	       HDC_OWORDS(owords) | c->config.profile.surface;
}

static uint32_t lsc_desc(const struct vsamp_gen_coder *c, unsigned int size, bool load)
{
	unsigned int vector = LSC_VECTOR_4 + log2_of(size) - 4;
	uint32_t desc = MLEN(1) | (load ? RLEN(grfs(c, size)) : 0) | LSC_TRANSPOSE;

	desc |= load ? LSC_LOAD : LSC_STORE;
	desc |= c->config.profile.a64 ? LSC_A64 : LSC_A32;
	if (c->config.profile.surface < VSAMP_GEN_STATELESS_NC)
		desc |= LSC_BTI;
	if (vector > LSC_VECTOR_MAX)
		return desc | LSC_D64 | LSC_VECTOR(LSC_VECTOR_MAX);
	return desc | LSC_D32 | LSC_VECTOR(vector);
}

/* The data port has 32-bit addresses in a header, in units of 16 bytes */
static struct vsamp_gen_reg emit_header(struct emit *e, struct vsamp_gen_reg address)
{
	struct vsamp_gen_reg *header = &e->c->header;
	struct vsamp_gen_operand all;

	if (!e->status && header->file == VSAMP_GEN_NONE)
		e->status = vsamp_gen_vreg_make(e->c, VSAMP_GEN_VREG_GRF, 1,
						VSAMP_GEN_VREG_SCRATCH | VSAMP_GEN_VREG_MSG_ADDR,
						header);
	all = to_reg(*header, 0, VSAMP_GEN_UD);
	emit_ins(e, &(struct vsamp_gen_ins){ .op = VSAMP_GEN_MOV,
					     .exec = 8,
					     .dst = all,
					     .src = { of_imm(0, VSAMP_GEN_UD) } });
	emit_binary(e, VSAMP_GEN_SHR, to_reg(*header, 8, VSAMP_GEN_UD),
		    of_reg(address, 0, VSAMP_GEN_UD), of_imm(4, VSAMP_GEN_UW));
	return *header;
}

static void emit_block(struct emit *e, struct vsamp_gen_reg address, struct vsamp_gen_reg data,
		       unsigned int size, unsigned int exec, bool load)
{
	bool a64 = e->c->config.profile.a64, lsc = e->c->platform->model.lsc;
	struct vsamp_gen_ins send = { .op = VSAMP_GEN_SEND, .exec = exec };

	if (lsc) {
		send.sfid = e->c->config.profile.surface == VSAMP_GEN_SLM ? SFID_SLM : SFID_UGM;
		send.desc = lsc_desc(e->c, size, load);
		if (e->c->config.profile.surface < VSAMP_GEN_STATELESS_NC)
			send.exdesc = (uint32_t)e->c->config.profile.surface << 24;
	} else {
		if (!a64)
			address = emit_header(e, address);
		send.sfid = a64 ? SFID_DC1 : SFID_DC0;
		send.desc = hdc_desc(e->c, size, load);
	}
	send.src[0] = whole(address);
	if (load) {
		send.dst = whole(data);
	} else {
		if (!e->c->platform->swsb)
			send.op = VSAMP_GEN_SENDS;
		send.dst.file = VSAMP_GEN_ARF;
		send.src[1] = whole(data);
		send.payload = grfs(e->c, size);
	}
	emit_send(e, &send, load);
}

bool need_address(struct emit *e, struct vsamp_gen_reg address)
{
	return emit_need(e, address, e->c->config.profile.a64 ? 8 : 4, "an address") &&
	       emit_need_whole(e, address, 1, "an address");
}

static enum vsamp_gen_status block(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
				   struct vsamp_gen_reg address, struct vsamp_gen_reg data,
				   unsigned int size, unsigned int exec, bool load,
				   const struct vsamp_gen_pred *pred)
{
	unsigned int max = c->platform->model.max_block;
	struct emit e = emit_begin(c, proc, pred);

	if (size < 16 || size > max || size & (size - 1))
		e.status = coder_fail(c, VSAMP_GEN_EINVAL,
				      "a block of %u bytes: a power of two from 16 to %u", size,
				      max);
	if (need_address(&e, address) && emit_need_whole(&e, data, grfs(c, size), "a block"))
		emit_block(&e, address, data, size, exec, load);
	return emit_end(&e);
}

static enum vsamp_gen_status range(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
				   struct vsamp_gen_reg address, struct vsamp_gen_reg first,
				   unsigned int num, bool load, const struct vsamp_gen_pred *pred)
{
	unsigned int grf = c->platform->model.grf_size, max = c->platform->model.max_block;
	struct emit e = emit_begin(c, proc, pred);
	unsigned int rest = num * grf;

	if (!num || num > c->platform->model.grf_num)
		e.status = coder_fail(c, VSAMP_GEN_ERANGE, "%u registers: there are %u", num,
				      c->platform->model.grf_num);
	if (!need_address(&e, address) || !emit_need_whole(&e, first, num, "a range"))
		return emit_end(&e);
	while (rest && !e.status) {
		unsigned int size = 1U << (31 - __builtin_clz(rest));

		size = size > max ? max : size;
		emit_block(&e, address, first, size, size <= 2 * grf ? 8 : 16, load);
		emit_address(&e, address, address, of_imm(size, VSAMP_GEN_UD));
		rest -= size;
		if (first.file == VSAMP_GEN_VIRT)
			first.sub += size;
		else
			first.num += size / grf;
	}
	return emit_end(&e);
}

unsigned int vsamp_gen_max_mem_block_size(const struct vsamp_gen_coder *c)
{
	return c->platform->model.max_block;
}

enum vsamp_gen_status
vsamp_gen_store_mem_block(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
			  struct vsamp_gen_reg address, struct vsamp_gen_reg data,
			  unsigned int size, unsigned int exec, const struct vsamp_gen_pred *pred)
{
	return block(c, proc, address, data, size, exec, false, pred);
}

enum vsamp_gen_status vsamp_gen_load_mem_block(struct vsamp_gen_coder *c,
					       struct vsamp_gen_proc *proc,
					       struct vsamp_gen_reg address,
					       struct vsamp_gen_reg data, unsigned int size,
					       unsigned int exec, const struct vsamp_gen_pred *pred)
{
	return block(c, proc, address, data, size, exec, true, pred);
}

enum vsamp_gen_status vsamp_gen_store_reg_range(struct vsamp_gen_coder *c,
						struct vsamp_gen_proc *proc,
						struct vsamp_gen_reg address,
						struct vsamp_gen_reg first, unsigned int num,
						const struct vsamp_gen_pred *pred)
{
	return range(c, proc, address, first, num, false, pred);
}

enum vsamp_gen_status vsamp_gen_load_reg_range(struct vsamp_gen_coder *c,
					       struct vsamp_gen_proc *proc,
					       struct vsamp_gen_reg address,
					       struct vsamp_gen_reg first, unsigned int num,
					       const struct vsamp_gen_pred *pred)
{
	return range(c, proc, address, first, num, true, pred);
}
