// SPDX-License-Identifier: MIT
/* vreg.c: virtual registers, and their places in what a kernel leaves free */
#include <stdlib.h>
#include <string.h>

#include "coder.h"

#define FLAGS                                                                        \
	(VSAMP_GEN_VREG_COUNTER | VSAMP_GEN_VREG_SCRATCH | VSAMP_GEN_VREG_MSG_ADDR | \
	 VSAMP_GEN_VREG_MSG_DATA)
#define MESSAGE (VSAMP_GEN_VREG_MSG_ADDR | VSAMP_GEN_VREG_MSG_DATA)

static unsigned int type_size(const struct vsamp_gen_coder *c, enum vsamp_gen_vreg_type type)
{
	switch (type) {
	case VSAMP_GEN_VREG_PTR:
		return c->config.profile.a64 ? 8 : 4;
	case VSAMP_GEN_VREG_GRF:
		return c->platform->model.grf_size;
	default:
		return (unsigned int)type < VSAMP_GEN_VREG_PTR ? 1U << type : 0;
	}
}

enum vsamp_gen_status vsamp_gen_vreg_make(struct vsamp_gen_coder *c, enum vsamp_gen_vreg_type type,
					  unsigned int count, unsigned int flags,
					  struct vsamp_gen_reg *reg)
{
	unsigned int size = type_size(c, type);

	if (!size || !count || flags & ~FLAGS)
		return coder_fail(c, VSAMP_GEN_EINVAL, "a virtual register: no such type or flags");
	if (count > GEN_VREG_GRF * GEN_GRF_MAX ||
	    size * count > GEN_VREG_GRF * c->platform->model.grf_size)
		return coder_fail(c, VSAMP_GEN_ERANGE,
				  "a virtual register of %u x %u bytes: at most %d registers",
				  count, size, GEN_VREG_GRF);
	if (c->vreg_num == c->vreg_room) {
		unsigned int room = c->vreg_room ? 2 * c->vreg_room : 16;
		struct gen_vreg *more = NULL;

		if (room <= UINT16_MAX)
			more = realloc(c->vregs, room * sizeof(*more));
		if (!more)
			return coder_fail(c, VSAMP_GEN_ENOMEM, "no memory");
		c->vregs = more;
		c->vreg_room = room;
	}
	c->vregs[c->vreg_num] = (struct gen_vreg){ size * count, flags, -1 };
	*reg = (struct vsamp_gen_reg){ VSAMP_GEN_VIRT, c->vreg_num++, 0 };
	return VSAMP_GEN_OK;
}

const struct gen_vreg *coder_vreg(const struct vsamp_gen_coder *c, struct vsamp_gen_reg reg)
{
	if (reg.file != VSAMP_GEN_VIRT || reg.num >= c->vreg_num ||
	    reg.sub >= c->vregs[reg.num].size)
		return NULL;
	return &c->vregs[reg.num];
}

unsigned int vsamp_gen_vreg_count(const struct vsamp_gen_coder *c)
{
	return c->vreg_num;
}

unsigned int vsamp_gen_vreg_size(const struct vsamp_gen_coder *c, struct vsamp_gen_reg reg)
{
	const struct gen_vreg *v = coder_vreg(c, reg);

	return v ? v->size : 0;
}

unsigned int vsamp_gen_vreg_flags(const struct vsamp_gen_coder *c, struct vsamp_gen_reg reg)
{
	const struct gen_vreg *v = coder_vreg(c, reg);

	return v ? v->flags : 0;
}

bool vsamp_gen_vreg_contains(const struct vsamp_gen_coder *c, struct vsamp_gen_reg reg)
{
	return coder_vreg(c, reg);
}

void vsamp_gen_vreg_clear(struct vsamp_gen_coder *c)
{
	vsamp_gen_reg_release_all(c);
	c->vreg_num = 0;
	memset(c->scratch, 0, sizeof(c->scratch));
	memset(&c->header, 0, sizeof(c->header));
}

static bool bit(const uint8_t *bits, unsigned int n)
{
	return bits[n / 8] >> n % 8 & 1;
}

static bool is_free(const struct vsamp_gen_coder *c, unsigned int at, unsigned int size)
{
	for (unsigned int i = at; i < at + size; i++)
		if (!bit(c->unused, i) || bit(c->taken, i))
			return false;
	return true;
}

static void take(struct vsamp_gen_coder *c, const struct gen_vreg *v, bool on)
{
	for (int i = v->place; i < v->place + v->size; i++)
		if (on)
			c->taken[i / 8] |= 1U << i % 8;
		else
			c->taken[i / 8] &= ~(1U << i % 8);
}

/* What has a register's size or less is in one, aligned to its size */
static unsigned int alignment(const struct vsamp_gen_coder *c, const struct gen_vreg *v)
{
	unsigned int n = 1, grf = c->platform->model.grf_size;

	if (v->flags & MESSAGE)
		return grf;
	while (n < v->size && n < grf)
		n *= 2;
	return n;
}

enum vsamp_gen_status vsamp_gen_reg_reserve(struct vsamp_gen_coder *c, struct vsamp_gen_reg reg)
{
	unsigned int all = c->platform->model.grf_num * c->platform->model.grf_size, step;
	struct gen_vreg *v = (struct gen_vreg *)coder_vreg(c, reg);

	if (!v)
		return coder_fail(c, VSAMP_GEN_EINVAL, "no virtual register");
	if (v->place >= 0)
		return VSAMP_GEN_OK;
	step = alignment(c, v);
	for (unsigned int at = 0; at + v->size <= all; at += step)
		if (is_free(c, at, v->size)) {
			v->place = at;
			take(c, v, true);
			return VSAMP_GEN_OK;
		}
	return coder_fail(
		c, VSAMP_GEN_ENOREG,
		"no %u bytes are free for a virtual register: release some, or use memory",
		v->size);
}

static void release(struct vsamp_gen_coder *c, struct gen_vreg *v)
{
	if (v->place < 0)
		return;
	take(c, v, false);
	v->place = -1;
}

/* Those that @wanted has a bit of; what was reserved for a part is released again */
static enum vsamp_gen_status reserve_some(struct vsamp_gen_coder *c, const uint8_t *wanted)
{
	uint8_t *new = calloc(1, c->vreg_num / 8 + 1);
	enum vsamp_gen_status ret = VSAMP_GEN_OK;

	if (!new)
		return coder_fail(c, VSAMP_GEN_ENOMEM, "no memory");
	for (unsigned int i = 0; i < c->vreg_num && !ret; i++) {
		if (!bit(wanted, i) || c->vregs[i].place >= 0)
			continue;
		ret = vsamp_gen_reg_reserve(c, (struct vsamp_gen_reg){ VSAMP_GEN_VIRT, i, 0 });
		if (!ret)
			new[i / 8] |= 1U << i % 8;
	}
	for (unsigned int i = 0; i < c->vreg_num && ret; i++)
		if (bit(new, i))
			release(c, &c->vregs[i]);
	free(new);
	return ret;
}

enum vsamp_gen_status vsamp_gen_reg_reserve_all(struct vsamp_gen_coder *c)
{
	uint8_t *wanted = malloc(c->vreg_num / 8 + 1);
	enum vsamp_gen_status ret;

	if (!wanted)
		return coder_fail(c, VSAMP_GEN_ENOMEM, "no memory");
	memset(wanted, 0xff, c->vreg_num / 8 + 1);
	ret = reserve_some(c, wanted);
	free(wanted);
	return ret;
}

static void want(const struct vsamp_gen_coder *c, const struct vsamp_gen_operand *o,
		 uint8_t *wanted)
{
	if (o->file == VSAMP_GEN_VIRT && o->num < c->vreg_num)
		wanted[o->num / 8] |= 1U << o->num % 8;
}

enum vsamp_gen_status vsamp_gen_reg_reserve_operands(struct vsamp_gen_coder *c,
						     const struct vsamp_gen_proc *proc)
{
	uint8_t *wanted = calloc(1, c->vreg_num / 8 + 1);
	enum vsamp_gen_status ret;

	if (!wanted)
		return coder_fail(c, VSAMP_GEN_ENOMEM, "no memory");
	for (size_t i = 0; i < proc->num; i++) {
		want(c, &proc->ins[i].dst, wanted);
		for (int n = 0; n < VSAMP_GEN_SOURCES; n++)
			want(c, &proc->ins[i].src[n], wanted);
	}
	ret = reserve_some(c, wanted);
	free(wanted);
	return ret;
}

struct vsamp_gen_reg vsamp_gen_reg_get_reserved(const struct vsamp_gen_coder *c,
						struct vsamp_gen_reg reg)
{
	const struct gen_vreg *v = coder_vreg(c, reg);
	unsigned int grf = c->platform->model.grf_size, at;

	if (!v || v->place < 0)
		return (struct vsamp_gen_reg){ VSAMP_GEN_NONE, 0, 0 };
	at = v->place + reg.sub;
	return (struct vsamp_gen_reg){ VSAMP_GEN_GRF, at / grf, at % grf };
}

void vsamp_gen_reg_release(struct vsamp_gen_coder *c, struct vsamp_gen_reg reg)
{
	struct gen_vreg *v = (struct gen_vreg *)coder_vreg(c, reg);

	if (v)
		release(c, v);
}

void vsamp_gen_reg_release_all(struct vsamp_gen_coder *c)
{
	for (unsigned int i = 0; i < c->vreg_num; i++)
		release(c, &c->vregs[i]);
}
