// SPDX-License-Identifier: MIT
/* atomic.c: counting in memory */
#include "message.h"

#define HDC_ADDRESS_GRFS 2 /* of 8 channels, though one is meant */

static uint32_t atomic_desc(const struct vsamp_gen_coder *c, unsigned int size, bool add)
{
	uint32_t wide = size == 8;

	if (c->platform->model.lsc)
		return MLEN(1) | LSC_A64 | LSC_VECTOR(0) | (wide ? LSC_D64 : LSC_D32) |
		       (add ? LSC_ADD : LSC_INC);
	return MLEN(HDC_ADDRESS_GRFS) | HDC_TYPE(HDC_ATOMIC_A64) | (wide ? HDC_ATOMIC_64 : 0) |
	       (add ? HDC_ADD : HDC_INC) | c->config.profile.surface;
}

/* Registers of a value, of which the first bytes count */
static unsigned int value_grfs(const struct vsamp_gen_coder *c, unsigned int size)
{
	return !c->platform->model.lsc && size == 8 ? 2 : 1;
}

/* @value: what is added; @old: what was there before; either may be NULL */
static void emit_atomic(struct emit *e, struct vsamp_gen_reg address,
			const struct vsamp_gen_reg *value, const struct vsamp_gen_reg *old,
			unsigned int size)
{
	bool lsc = e->c->platform->model.lsc;
	struct vsamp_gen_ins send = {
		.op = value && !e->c->platform->swsb ? VSAMP_GEN_SENDS : VSAMP_GEN_SEND,
		.exec = 1,
		.sfid = lsc ? SFID_UGM : SFID_DC1,
		.desc = atomic_desc(e->c, size, value),
		.dst = { .file = VSAMP_GEN_ARF },
		.src = { whole(address) },
	};

	if (value) {
		send.src[1] = whole(*value);
		send.payload = value_grfs(e->c, size);
	}
	if (old) {
		send.dst = whole(*old);
		send.desc |= RLEN(value_grfs(e->c, size)) | (lsc ? 0 : HDC_RETURN);
	}
	emit_send(e, &send, old);
}

static enum vsamp_gen_status atomic(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
				    struct vsamp_gen_reg address, const struct vsamp_gen_reg *value,
				    const struct vsamp_gen_reg *old, unsigned int size,
				    const struct vsamp_gen_pred *pred)
{
	unsigned int grfs = c->platform->model.lsc ? 1 : HDC_ADDRESS_GRFS;
	struct emit e = emit_begin(c, proc, pred);

	if (size != 4 && size != 8)
		e.status = coder_fail(c, VSAMP_GEN_EINVAL, "a counter of %u bytes: 4 or 8", size);
	else if (!c->config.profile.a64)
		e.status = coder_fail(c, VSAMP_GEN_EUNSUPPORTED, "atomics have 64-bit addresses");
	if (!need_address(&e, address) || !emit_need_whole(&e, address, grfs, "an address"))
		return emit_end(&e);
	if (value && !emit_need_whole(&e, *value, value_grfs(c, size), "an atomic's value"))
		return emit_end(&e);
	if (old && !emit_need_whole(&e, *old, value_grfs(c, size), "what was there"))
		return emit_end(&e);
	emit_atomic(&e, address, value, old, size);
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_atomic_inc(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					   struct vsamp_gen_reg address, unsigned int size,
					   const struct vsamp_gen_pred *pred)
{
	return atomic(c, proc, address, NULL, NULL, size, pred);
}

enum vsamp_gen_status vsamp_gen_atomic_add(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					   struct vsamp_gen_reg address, struct vsamp_gen_reg value,
					   unsigned int size, const struct vsamp_gen_pred *pred)
{
	return atomic(c, proc, address, &value, NULL, size, pred);
}

enum vsamp_gen_status vsamp_gen_atomic_fetch_inc(struct vsamp_gen_coder *c,
						 struct vsamp_gen_proc *proc,
						 struct vsamp_gen_reg old,
						 struct vsamp_gen_reg address, unsigned int size,
						 const struct vsamp_gen_pred *pred)
{
	return atomic(c, proc, address, NULL, &old, size, pred);
}
