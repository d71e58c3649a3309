// SPDX-License-Identifier: MIT
/* swsb.c: what an instruction waits for, as a number */
#include "layout.h"

/* A token's number alone, or with a distance */
static int token_base(const struct gen_swsb_layout *l, const struct vsamp_gen_swsb *s, bool math)
{
	bool with = s->distance != 0;

	if (math && with && (s->mode == VSAMP_GEN_TOKEN_SET || l->math_set_with >= 0))
		return s->mode == VSAMP_GEN_TOKEN_SET && !s->pipe ? l->math_set_with : -1;
	switch (s->mode) {
	case VSAMP_GEN_TOKEN_SET:
		return with ? l->set_with[s->pipe] : l->set;
	case VSAMP_GEN_TOKEN_DST:
		return with ? l->dst_with[s->pipe] : l->dst;
	default:
		return with ? l->src_with[s->pipe] : l->src;
	}
}

bool gen_swsb_encode(const struct gen_platform *p, const struct vsamp_gen_swsb *s, uint8_t form,
		     uint64_t *value)
{
	bool send = form == GEN_FORM_SEND, math = form == GEN_FORM_MATH;
	int base;

	*value = 0;
	if (!s->distance && !s->mode)
		return true;
	if (!p->swsb || s->pipe >= VSAMP_GEN_PIPES || s->distance > 7)
		return false;
	if (!s->mode) {
		base = p->swsb->pipe[s->pipe];
		*value = base + s->distance;
		return base >= 0;
	}
	if (s->mode > VSAMP_GEN_TOKEN_SRC || s->token >= p->model.token_num)
		return false;
	if ((s->mode == VSAMP_GEN_TOKEN_SET) != send && (s->distance || !send) && !math)
		return false;
	base = token_base(p->swsb, s, math);
	*value = base + p->swsb->stride * s->distance + s->token;
	return base >= 0;
}

bool gen_swsb_decode(const struct gen_platform *p, uint64_t value, uint8_t form,
		     struct vsamp_gen_swsb *s)
{
	static const struct vsamp_gen_swsb none;
	unsigned int tokens = p->model.token_num;
	uint64_t back;

	*s = none;
	if (!value)
		return true;
	/* there are few, and whoever reads them reads few */
	for (unsigned int mode = 0; mode <= VSAMP_GEN_TOKEN_SRC; mode++)
		for (unsigned int pipe = 0; pipe < VSAMP_GEN_PIPES; pipe++)
			for (unsigned int n = mode ? 0 : 1; n <= 7; n++) {
				*s = (struct vsamp_gen_swsb){ pipe, n, mode, 0 };
				if (!gen_swsb_encode(p, s, form, &back) || value < back ||
				    value - back >= (mode ? tokens : 1))
					continue;
				s->token = value - back;
				return true;
			}
	*s = none;
	return false;
}
