// SPDX-License-Identifier: MIT
/* encode.c: an instruction's fields to bytes */
#include <string.h>

#include "layout.h"

static unsigned int log2_of(unsigned int n)
{
	return __builtin_ctz(n);
}

static void set_pieces(uint64_t *words, const struct gen_piece *pieces, uint32_t value)
{
	for (int i = 0; i < GEN_PIECES && pieces[i].width; i++)
		gen_set(words, (struct gen_field){ pieces[i].low, pieces[i].width },
			value >> pieces[i].from & ((1U << pieces[i].width) - 1));
}

static void set_register(const struct gen_layout *l, const struct gen_operand_layout *f,
			 const struct vsamp_gen_operand *o, uint64_t *words)
{
	if (o->file == VSAMP_GEN_INDIRECT) {
		unsigned int offset = (uint16_t)o->offset >> l->sub_shift;

		if (f->sign.width)
			gen_set(words, f->file, l->file_grf);
		gen_set(words, f->indirect, 1);
		gen_set(words, f->addr, o->num);
		gen_set(words, f->offset, offset & ((1U << f->offset.width) - 1));
		if (f->sign.width)
			gen_set(words, f->sign, o->offset < 0);
		return;
	}
	if (o->file == VSAMP_GEN_GRF)
		gen_set(words, f->file, l->file_grf);
	gen_set(words, f->num, o->num);
	gen_set(words, f->sub, o->sub >> l->sub_shift);
	gen_set(words, f->odd, o->sub & l->sub_shift);
}

/* The value ends the instruction; 16 bits are there twice */
static void set_immediate(const struct gen_layout *l, const struct vsamp_gen_operand *o,
			  uint64_t *words)
{
	uint64_t value = o->imm;

	switch (vsamp_gen_type_size(o->type)) {
	case 2:
		value &= 0xffff;
		words[1] |= (value | value << 16) << 32;
		break;
	case 4:
		words[1] |= value << 32;
		break;
	default:
		words[1] |= l->imm64_high_first ? value << 32 | value >> 32 : value;
	}
}

static void set_source(const struct gen_platform *p, unsigned int i,
		       const struct vsamp_gen_operand *o, uint64_t *words)
{
	const struct gen_operand_layout *f = &p->layout->src[i];

	if (o->file == VSAMP_GEN_IMM) {
		if (f->imm.width)
			gen_set(words, f->imm, 1);
		else
			gen_set(words, f->file, p->layout->file_imm);
		gen_set(words, f->type, p->imm_types[o->type]);
		set_immediate(p->layout, o, words);
		return;
	}
	gen_set(words, f->type, p->types[o->type]);
	set_register(p->layout, f, o, words);
	gen_set(words, f->negate, o->negate);
	gen_set(words, f->abs, o->abs);
	gen_set(words, f->hstride, gen_stride_code(o->hstride));
	gen_set(words, f->width, log2_of(o->width));
	if (o->vstride == VSAMP_GEN_VXH)
		gen_set(words, f->vstride, (1U << f->vstride.width) - 1);
	else
		gen_set(words, f->vstride, gen_stride_code(o->vstride));
}

static void encode_operands(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
			    uint64_t *words)
{
	const struct gen_layout *l = p->layout;

	gen_set(words, l->cond, ins->op == VSAMP_GEN_MATH ? ins->function : ins->cond);
	gen_set(words, l->acc_write, ins->acc_write);
	gen_set(words, l->saturate, ins->saturate);
	gen_set(words, l->dst.type, p->types[ins->dst.type]);
	set_register(l, &l->dst, &ins->dst, words);
	gen_set(words, l->dst.hstride, gen_stride_code(ins->dst.hstride));
	set_source(p, 0, &ins->src[0], words);
	if (ins->src[1].file)
		set_source(p, 1, &ins->src[1], words);
}

/* Steps of precise math have regions of their own, and a number where others have a part of a register */
static void encode_macro(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
			 uint64_t *words)
{
	const struct gen_layout *l = p->layout;
	unsigned int n = gen_sources(p, ins);

	gen_set(words, l->cond, ins->function);
	gen_set(words, l->dst.file, l->file_grf);
	gen_set(words, l->dst.type, p->types[ins->dst.type]);
	gen_set(words, l->dst.num, ins->dst.num);
	gen_set(words, l->dst.sub, ins->dst.mme);
	words[0] |= l->macro[GEN_TWO][0];
	for (unsigned int i = 0; i < n; i++) {
		const struct gen_operand_layout *f = &l->src[i];

		gen_set(words, f->file, l->file_grf);
		gen_set(words, f->type, p->types[ins->src[i].type]);
		gen_set(words, f->num, ins->src[i].num);
		gen_set(words, f->sub, ins->src[i].mme);
		gen_set(words, f->negate, ins->src[i].negate);
		words[1] |= l->macro[i][1];
		if (l->macro_rows)
			gen_set(words, f->vstride,
				gen_stride_code(16 / vsamp_gen_type_size(ins->src[i].type)));
	}
}

/* A notification register is its destination, too */
static void encode_wait(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
			uint64_t *words)
{
	const struct gen_layout *l = p->layout;

	set_register(l, &l->dst, &ins->src[0], words);
	gen_set(words, l->dst.hstride, 1);
	set_register(l, &l->src[0], &ins->src[0], words);
}

/* Messages have whole registers; before Xe they are written as an instruction with a constant */
static void encode_send(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
			uint64_t *words, bool two)
{
	const struct gen_layout *l = p->layout;

	gen_set(words, l->sfid, ins->sfid);
	gen_set(words, l->eot, ins->eot);
	set_pieces(words, l->desc, ins->desc);
	gen_set(words, l->message_file, ins->dst.file == VSAMP_GEN_GRF);
	gen_set(words, l->dst.num, ins->dst.num);
	gen_set(words, l->src[0].num, ins->src[0].num);
	if (!p->swsb && ins->dst.type)
		gen_set(words, l->dst.type, p->types[ins->dst.type]);
	if (!p->swsb && !two && ins->src[0].type)
		gen_set(words, l->src[0].type, p->types[ins->src[0].type]);
	if (two || p->swsb) {
		set_pieces(words, l->exdesc, ins->exdesc);
		gen_set(words, l->payload, ins->payload);
	}
	if ((two || p->swsb) && ins->src[1].file == VSAMP_GEN_GRF) {
		gen_set(words, l->payload_file, 1);
		gen_set(words, l->payload_num, ins->src[1].num);
	}
	if (p->swsb) {
		gen_set(words, l->src[0].file, l->file_grf);
	} else if (!two) {
		gen_set(words, l->dst.hstride, 1);
		gen_set(words, l->src[0].file, l->file_grf);
		gen_set(words, l->src[1].file, l->file_imm);
	}
}

/* Into bits that are zero. @from: of the jump's: where it is counted from */
static void set_distances(const struct vsamp_gen_ins *ins, const struct gen_code *code,
			  uint32_t from, uint64_t *words)
{
	if (code->form == GEN_FORM_JUMP_TWO)
		words[1] |= (uint32_t)ins->uip;
	words[1] |= (uint64_t)((uint32_t)ins->jump - from) << 32;
}

static void encode_jump(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
			const struct gen_code *code, uint64_t *words)
{
	const struct gen_layout *l = p->layout;
	uint32_t from = ins->op == VSAMP_GEN_JMPI && l->jump_from_next ? VSAMP_GEN_INS_SIZE : 0;

	if (ins->raw[0]) {
		words[0] = ins->raw[0];
		words[1] = ins->raw[1];
		if (code->form == GEN_FORM_RETURN)
			return;
		words[1] &= code->form == GEN_FORM_JUMP_TWO ? 0 : UINT32_MAX;
		set_distances(ins, code, from, words);
		return;
	}
	words[0] |= code->base[0];
	words[1] |= code->base[1];
	if (code->form == GEN_FORM_RETURN) {
		set_register(l, &l->src[0], &ins->src[0], words);
		return;
	}
	if (ins->op == VSAMP_GEN_CALL)
		set_register(l, &l->dst, &ins->dst, words);
	gen_set(words, l->branch, ins->branch);
	set_distances(ins, code, from, words);
}

/* Of all forms, but those that have an opcode alone */
static void encode_control(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
			   uint64_t *words)
{
	const struct gen_layout *l = p->layout;

	if (ins->pred || ins->flag || ins->flag_sub) {
		gen_set(words, l->pred, p->preds[ins->pred]);
		gen_set(words, l->pred_invert, ins->pred_invert);
		gen_set(words, l->flag, ins->flag);
		gen_set(words, l->flag_sub, ins->flag_sub);
	}
	gen_set(words, l->mask_off, ins->mask_off);
	if (p->codes[ins->op].form == GEN_FORM_SYNC)
		return;
	gen_set(words, l->exec, log2_of(ins->exec));
	if (ins->channel) {
		gen_set(words, l->channel, ins->channel / 8);
		gen_set(words, l->nibble, ins->channel / 4 % 2);
	}
	if (ins->thread || ins->no_clear || ins->no_check) {
		gen_set(words, l->thread, ins->thread);
		gen_set(words, l->no_clear, ins->no_clear);
		gen_set(words, l->no_check, ins->no_check);
	}
}

/* A dst of one element, and what is waited for where the condition is elsewhere */
static void encode_sync(const struct gen_layout *l, const struct vsamp_gen_ins *ins,
			uint64_t *words)
{
	gen_set(words, l->dst.hstride, 1);
	gen_set(words, l->cond, ins->sync);
	if (!ins->src[0].file)
		return;
	gen_set(words, l->src[0].imm, 1);
	gen_set(words, l->src[0].type, 2);
	words[1] |= ins->src[0].imm << 32;
}

static void encode_form(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
			const struct gen_code *code, uint64_t *words)
{
	switch (code->form) {
	case GEN_FORM_UNARY:
	case GEN_FORM_BINARY:
		encode_operands(p, ins, words);
		break;
	case GEN_FORM_MATH:
		if (gen_is_macro(ins))
			encode_macro(p, ins, words);
		else
			encode_operands(p, ins, words);
		break;
	case GEN_FORM_THREE:
		gen_three_encode(p, ins, words);
		break;
	case GEN_FORM_WAIT:
		encode_wait(p, ins, words);
		break;
	case GEN_FORM_JUMP:
	case GEN_FORM_JUMP_TWO:
	case GEN_FORM_RETURN:
		encode_jump(p, ins, code, words);
		break;
	case GEN_FORM_SEND:
	case GEN_FORM_SENDS:
		encode_send(p, ins, words, code->form == GEN_FORM_SENDS);
		break;
	case GEN_FORM_SYNC:
		encode_sync(p->layout, ins, words);
		break;
	}
}

size_t vsamp_gen_size(const struct vsamp_gen_ins *ins)
{
	return ins->compacted ? VSAMP_GEN_COMPACTED_SIZE : VSAMP_GEN_INS_SIZE;
}

enum vsamp_gen_status vsamp_gen_encode(const struct vsamp_gen_model *model,
				       const struct vsamp_gen_ins *ins, void *to)
{
	const struct gen_platform *p = gen_platform(model);
	uint64_t words[2] = { 0 }, swsb = 0;
	const struct gen_code *code;
	enum vsamp_gen_status ret;

	if (ins->op >= VSAMP_GEN_OPS)
		return VSAMP_GEN_EINVAL;
	if (ins->op == VSAMP_GEN_OTHER) {
		memcpy(to, ins->raw, vsamp_gen_size(ins));
		return VSAMP_GEN_OK;
	}
	ret = gen_check(p, ins);
	if (ret)
		return ret;
	code = &p->codes[ins->op];
	if (!gen_swsb_encode(p, &ins->swsb, code->form, &swsb))
		return VSAMP_GEN_EUNSUPPORTED;
	gen_set(words, p->layout->op, code->opcode);
	gen_set(words, p->layout->swsb, swsb);
	if (code->form != GEN_FORM_NOP)
		encode_control(p, ins, words);
	encode_form(p, ins, code, words);
	if (ins->compacted)
		return vsamp_gen_compact(model, words, to);
	memcpy(to, words, VSAMP_GEN_INS_SIZE);
	return VSAMP_GEN_OK;
}
