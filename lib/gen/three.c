// SPDX-License-Identifier: MIT
/* three.c: instructions with three sources, whose bits are elsewhere than those of others */
#include "layout.h"

/*
 * Gen9 has them by parts of 16 bytes, of which a source's swizzle chooses and a destination has some. One
 * channel is as many as 16 bytes have, with one part of the destination.
 */
#define ALL_PARTS     0xf
#define IN_ORDER      0xe4
#define LOW_REPEATED  0x44 /* of 64 bits */
#define HIGH_REPEATED 0xee
#define PART_OF(sub)  ((sub) % 16 / 4)

#define MACRO_STEP    4 /* regions of macros are <4;4,1> */
#define MME_MAX	      8

/* Conditions that bfn has, as its field has them */
static const uint8_t bfn_conds[] = { VSAMP_GEN_COND_NONE, VSAMP_GEN_EQ, VSAMP_GEN_GT,
				     VSAMP_GEN_LT };

static bool is_float(uint8_t type)
{
	return type == VSAMP_GEN_HF || type == VSAMP_GEN_F || type == VSAMP_GEN_DF;
}

static bool is_wide(const struct vsamp_gen_operand *o)
{
	return vsamp_gen_type_size(o->type) == 8;
}

static void set_type(const struct gen_three_layout *l, const struct gen_three_operand *f,
		     const struct vsamp_gen_operand *o, uint64_t *words)
{
	gen_set(words, f->type,
		f->type.width == 1 ? o->type == VSAMP_GEN_HF : (uint64_t)l->types[o->type]);
}

static void set_register(const struct gen_three_layout *l, const struct gen_three_operand *f,
			 const struct vsamp_gen_operand *o, unsigned int sub, uint64_t *words)
{
	if (f->file.width)
		gen_set(words, f->file, (o->file == VSAMP_GEN_GRF) == l->file_grf);
	gen_set(words, f->num, o->num);
	gen_set(words, f->sub, sub >> f->sub_shift);
	if (f->half.width)
		gen_set(words, f->half, sub >> 1 & 1);
}

static void set_swizzle(const struct gen_three_layout *l, const struct gen_three_operand *f,
			const struct vsamp_gen_operand *o, uint64_t *words)
{
	unsigned int sub = o->sub, swizzle = IN_ORDER;

	if (!o->vstride && is_wide(o)) {
		swizzle = sub & 8 ? HIGH_REPEATED : LOW_REPEATED;
		sub &= ~15U;
	}
	set_register(l, f, o, sub, words);
	gen_set(words, f->swizzle, swizzle);
	gen_set(words, f->repeat, !o->vstride && !is_wide(o));
}

static void set_strides(const struct gen_three_layout *l, const struct gen_three_operand *f,
			const struct vsamp_gen_operand *o, uint64_t *words)
{
	unsigned int code = 0;

	set_register(l, f, o, o->sub, words);
	if (!f->vstride.width) {
		gen_set(words, f->hstride, gen_stride_code(o->vstride));
		return;
	}
	gen_set(words, f->hstride, gen_stride_code(o->hstride));
	while (code < 3 && l->vstrides[code] != o->vstride)
		code++;
	gen_set(words, f->vstride, f->vstride_low.width ? code >> 1 : code);
	if (f->vstride_low.width)
		gen_set(words, f->vstride_low, code & 1);
}

static void set_source(const struct gen_three_layout *l, const struct vsamp_gen_ins *ins,
		       unsigned int i, uint64_t *words)
{
	const struct gen_three_operand *f = &l->src[i];
	const struct vsamp_gen_operand *o = &ins->src[i];

	set_type(l, f, o, words);
	if (o->file == VSAMP_GEN_IMM) {
		gen_set(words, f->imm, 1);
		gen_set(words, f->value, o->imm & 0xffff);
		return;
	}
	if (f->swizzle.width && ins->op == VSAMP_GEN_MADM)
		set_register(l, f, o, 0, words);
	else if (f->swizzle.width)
		set_swizzle(l, f, o, words);
	else
		set_strides(l, f, o, words);
	if (ins->op == VSAMP_GEN_MADM)
		gen_set(words, f->mme, o->mme);
	if (ins->op == VSAMP_GEN_BFN)
		return;
	gen_set(words, f->negate, o->negate);
	gen_set(words, f->abs, o->abs);
}

/* One channel's */
static void set_part(const struct gen_platform *p, const struct vsamp_gen_operand *o,
		     uint64_t *words)
{
	unsigned int part = 1;

	if (o->type != VSAMP_GEN_HF)
		part = (is_wide(o) ? 3 : 1) << PART_OF(o->sub);
	gen_set(words, p->three->mask, part);
	gen_set(words, p->layout->exec, is_wide(o) ? 1 : 2);
	set_register(p->three, &p->three->dst, o, o->type == VSAMP_GEN_HF ? o->sub : o->sub & ~15U,
		     words);
}

static void set_destination(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
			    uint64_t *words)
{
	const struct gen_three_layout *l = p->three;
	const struct vsamp_gen_operand *o = &ins->dst;

	set_type(l, &l->dst, o, words);
	if (l->dst.hstride.width)
		gen_set(words, l->dst.hstride, o->hstride >> 1);
	if (l->mask.width && ins->op != VSAMP_GEN_MADM && ins->exec == 1) {
		set_part(p, o, words);
		return;
	}
	set_register(l, &l->dst, o, o->sub, words);
	if (ins->op == VSAMP_GEN_MADM)
		gen_set(words, l->dst.mme, o->mme);
	else if (l->mask.width)
		gen_set(words, l->mask, ALL_PARTS);
}

static void set_function(const struct gen_three_layout *l, const struct vsamp_gen_ins *ins,
			 uint64_t *words)
{
	unsigned int code = 0;

	while (code < 3 && bfn_conds[code] != ins->cond)
		code++;
	gen_set(words, l->function_cond, code);
	gen_set(words, l->function, ins->function >> 4);
	gen_set(words, l->function_low, ins->function & 0xf);
}

void gen_three_encode(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
		      uint64_t *words)
{
	const struct gen_three_layout *l = p->three;

	words[0] |= l->base;
	gen_set(words, p->layout->acc_write, ins->acc_write);
	gen_set(words, p->layout->saturate, ins->saturate);
	if (ins->op == VSAMP_GEN_BFN)
		set_function(l, ins, words);
	else
		gen_set(words, p->layout->cond, ins->cond);
	if (l->floats.width)
		gen_set(words, l->floats, is_float(ins->dst.type));
	set_destination(p, ins, words);
	for (unsigned int i = 0; i < VSAMP_GEN_SOURCES; i++)
		set_source(l, ins, i, words);
}

static uint8_t type_find(const struct gen_three_layout *l, const uint64_t *words, uint64_t code)
{
	bool floats = gen_get(words, l->floats);

	for (unsigned int t = 0; t < VSAMP_GEN_TYPES; t++)
		if (l->types[t] == (int)code && (!l->floats.width || floats == is_float(t)))
			return t;
	return VSAMP_GEN_TYPES;
}

static void get_register(const struct gen_three_layout *l, const struct gen_three_operand *f,
			 const uint64_t *words, struct vsamp_gen_operand *o)
{
	bool grf = !f->file.width || gen_get(words, f->file) == l->file_grf;

	o->file = grf ? VSAMP_GEN_GRF : VSAMP_GEN_ARF;
	o->num = gen_get(words, f->num);
	o->sub = (gen_get(words, f->sub) << f->sub_shift) + 2 * gen_get(words, f->half);
}

static void get_swizzle(const struct gen_three_operand *f, const uint64_t *words,
			struct vsamp_gen_operand *o, bool last)
{
	unsigned int swizzle = gen_get(words, f->swizzle);

	if (swizzle == HIGH_REPEATED)
		o->sub += 8;
	o->width = 1;
	if (swizzle != IN_ORDER || gen_get(words, f->repeat))
		return;
	o->vstride = last ? 1 : 2;
	o->width = last ? 1 : 2;
	o->hstride = !last;
}

static void get_strides(const struct gen_three_layout *l, const struct gen_three_operand *f,
			const uint64_t *words, struct vsamp_gen_operand *o)
{
	unsigned int code = gen_get(words, f->vstride);

	o->width = 1;
	if (!f->vstride.width) {
		o->vstride = gen_stride_of(gen_get(words, f->hstride));
		return;
	}
	if (f->vstride_low.width)
		code = code << 1 | gen_get(words, f->vstride_low);
	o->vstride = l->vstrides[code];
	o->hstride = gen_stride_of(gen_get(words, f->hstride));
	if (o->hstride)
		o->width = o->vstride / o->hstride;
}

/* Where the type is a bit, it says whether it's another float than the first source's */
static uint8_t get_type(const struct gen_three_layout *l, const struct gen_three_operand *f,
			const uint64_t *words, uint8_t first)
{
	uint64_t code = gen_get(words, f->type);

	if (f->type.width > 1)
		return type_find(l, words, code);
	if (code)
		return VSAMP_GEN_HF;
	return first == VSAMP_GEN_HF ? VSAMP_GEN_F : first;
}

static void get_source(const struct gen_three_layout *l, const uint64_t *words,
		       struct vsamp_gen_ins *ins, unsigned int i)
{
	const struct gen_three_operand *f = &l->src[i];
	struct vsamp_gen_operand *o = &ins->src[i];

	o->type = get_type(l, f, words, ins->src[0].type);
	if (gen_get(words, f->imm)) {
		o->file = VSAMP_GEN_IMM;
		o->imm = gen_get(words, f->value);
		return;
	}
	get_register(l, f, words, o);
	if (ins->op == VSAMP_GEN_MADM) {
		o->sub = 0;
		o->mme = gen_get(words, f->mme);
		o->vstride = o->width = i < 2 ? MACRO_STEP : 1;
		o->hstride = i < 2;
	} else if (f->swizzle.width) {
		get_swizzle(f, words, o, i == 2);
	} else {
		get_strides(l, f, words, o);
	}
	if (ins->op == VSAMP_GEN_BFN)
		return;
	o->negate = gen_get(words, f->negate);
	o->abs = gen_get(words, f->abs);
}

static void get_destination(const struct gen_three_layout *l, const uint64_t *words,
			    struct vsamp_gen_ins *ins)
{
	struct vsamp_gen_operand *o = &ins->dst;
	unsigned int mask = gen_get(words, l->mask);

	o->type = type_find(l, words, gen_get(words, l->dst.type));
	get_register(l, &l->dst, words, o);
	o->hstride = 1 + gen_get(words, l->dst.hstride);
	if (ins->op == VSAMP_GEN_MADM) {
		o->sub = 0;
		o->mme = gen_get(words, l->dst.mme);
	} else if (mask && mask != ALL_PARTS) {
		ins->exec = 1;
		o->sub += 4 * __builtin_ctz(mask);
	}
}

void gen_three_decode(const struct gen_platform *p, const uint64_t *words,
		      struct vsamp_gen_ins *ins)
{
	const struct gen_three_layout *l = p->three;

	ins->acc_write = gen_get(words, p->layout->acc_write);
	ins->saturate = gen_get(words, p->layout->saturate);
	if (ins->op == VSAMP_GEN_BFN) {
		ins->cond = bfn_conds[gen_get(words, l->function_cond)];
		ins->function = gen_get(words, l->function) << 4 | gen_get(words, l->function_low);
	} else {
		ins->cond = gen_get(words, p->layout->cond);
	}
	get_destination(l, words, ins);
	for (unsigned int i = 0; i < VSAMP_GEN_SOURCES; i++)
		get_source(l, words, ins, i);
}

/* GRFs, and accumulators and nothing where there is room to say so; on Gen11 it says accumulators alone */
static enum vsamp_gen_status check_part(const struct gen_platform *p,
					const struct gen_three_operand *f,
					const struct vsamp_gen_operand *o, bool macro)
{
	uint8_t file_grf = p->three->file_grf;
	unsigned int unit = f->half.width ? 2 : 1U << f->sub_shift;

	if (o->mme > (macro ? MME_MAX : 0) || (macro && o->sub))
		return VSAMP_GEN_EINVAL;
	if (o->file != VSAMP_GEN_GRF && (o->file != VSAMP_GEN_ARF || !f->file.width))
		return VSAMP_GEN_EUNSUPPORTED;
	if (o->file == VSAMP_GEN_ARF && (o->num & 0xf0) != VSAMP_GEN_ACC0 &&
	    (macro || !file_grf || o->num != VSAMP_GEN_NULL))
		return VSAMP_GEN_EUNSUPPORTED;
	if (o->sub & (unit - 1))
		return VSAMP_GEN_EALIGN;
	return gen_check_register(p, o);
}

/* Where swizzles are instead of strides, elements are one after the other, or the same one */
static bool is_region(const struct gen_three_layout *l, const struct vsamp_gen_ins *ins,
		      unsigned int i)
{
	const struct gen_three_operand *f = &l->src[i];
	const struct vsamp_gen_operand *o = &ins->src[i];
	unsigned int v = o->vstride, h = o->hstride, code = 0;

	if (o->width != (h ? v / h : 1) || v & (v - 1) || h & (h - 1) || h > 4)
		return false;
	if (ins->op == VSAMP_GEN_MADM)
		return i < 2 ? v == MACRO_STEP && h == 1 : v == 1 && !h;
	if (f->swizzle.width)
		return i < 2 ? v == 2 * h && h < 2 : v < 2 && !h;
	if (!f->vstride.width)
		return !h && v <= 4;
	while (code < 4 && l->vstrides[code] != v)
		code++;
	return code < 4 && h <= v;
}

/* Where it's a bit, the first source and others are both kinds of floats, or have one type */
static bool is_type(const struct gen_three_layout *l, const struct vsamp_gen_ins *ins,
		    unsigned int i)
{
	uint8_t type = ins->src[i].type, first = ins->src[0].type;

	if (l->types[type] < 0 || (l->floats.width && is_float(type) != is_float(ins->dst.type)))
		return false;
	if (l->src[i].type.width > 1 || type == first)
		return true;
	return (type == VSAMP_GEN_HF && first == VSAMP_GEN_F) ||
	       (type == VSAMP_GEN_F && first == VSAMP_GEN_HF);
}

static enum vsamp_gen_status check_constant(const struct vsamp_gen_ins *ins,
					    const struct gen_three_operand *f,
					    const struct vsamp_gen_operand *o)
{
	if (!f->imm.width || vsamp_gen_type_size(o->type) != 2 || ins->op == VSAMP_GEN_MADM)
		return VSAMP_GEN_EUNSUPPORTED;
	if (o->negate || o->abs || o->vstride || o->width || o->hstride || o->sub)
		return VSAMP_GEN_EINVAL;
	return VSAMP_GEN_OK;
}

static enum vsamp_gen_status check_source(const struct gen_platform *p,
					  const struct vsamp_gen_ins *ins, unsigned int i)
{
	const struct gen_three_operand *f = &p->three->src[i];
	const struct vsamp_gen_operand *o = &ins->src[i];

	if (o->type >= VSAMP_GEN_TYPES)
		return VSAMP_GEN_EINVAL;
	if (!is_type(p->three, ins, i) ||
	    ((o->negate || o->abs) && gen_op_refuses(ins->op) & GEN_NO_MODIFIER))
		return VSAMP_GEN_EUNSUPPORTED;
	if (o->file == VSAMP_GEN_IMM)
		return check_constant(ins, f, o);
	if (!is_region(p->three, ins, i))
		return VSAMP_GEN_EINVAL;
	return check_part(p, f, o, ins->op == VSAMP_GEN_MADM);
}

static bool is_bfn_cond(uint8_t cond)
{
	return !cond || cond == VSAMP_GEN_EQ || cond == VSAMP_GEN_GT || cond == VSAMP_GEN_LT;
}

enum vsamp_gen_status gen_three_check(const struct gen_platform *p, const struct vsamp_gen_ins *ins)
{
	const struct vsamp_gen_operand *o = &ins->dst;
	enum vsamp_gen_status ret;

	if (o->type >= VSAMP_GEN_TYPES ||
	    (ins->op == VSAMP_GEN_CSEL && (!ins->cond || ins->pred)) || o->negate || o->abs ||
	    o->vstride || o->width || !o->hstride || o->hstride > 1 + p->three->dst.hstride.width)
		return VSAMP_GEN_EINVAL;
	if (p->three->types[o->type] < 0 || (ins->op == VSAMP_GEN_BFN && !is_bfn_cond(ins->cond)) ||
	    (p->three->mask.width && ins->pred > VSAMP_GEN_PRED_SEQ))
		return VSAMP_GEN_EUNSUPPORTED;
	ret = check_part(p, &p->three->dst, o, ins->op == VSAMP_GEN_MADM);
	for (unsigned int i = 0; i < VSAMP_GEN_SOURCES && !ret; i++)
		ret = check_source(p, ins, i);
	return ret;
}
