// SPDX-License-Identifier: MIT
/* decode.c: what bytes say */
#include <string.h>

#include "layout.h"

static uint32_t get_pieces(const uint64_t *words, const struct gen_piece *pieces)
{
	uint32_t value = 0;

	for (int i = 0; i < GEN_PIECES && pieces[i].width; i++)
		value |= gen_get(words, (struct gen_field){ pieces[i].low, pieces[i].width })
			 << pieces[i].from;
	return value;
}

/* The enumeration's value that has a number, or its end */
static uint8_t find(const int8_t *numbers, unsigned int n, uint64_t number)
{
	for (unsigned int i = 0; i < n; i++)
		if (numbers[i] == (int)number)
			return i;
	return n;
}

static void get_register(const struct gen_layout *l, const struct gen_operand_layout *f,
			 const uint64_t *words, struct vsamp_gen_operand *o)
{
	if (gen_get(words, f->indirect)) {
		unsigned int offset = gen_get(words, f->offset) | gen_get(words, f->sign)
									  << f->offset.width;
		unsigned int width = f->offset.width + f->sign.width;

		o->file = VSAMP_GEN_INDIRECT;
		o->num = gen_get(words, f->addr);
		o->offset = ((int)(offset << (32 - width)) >> (32 - width)) * (1 << l->sub_shift);
		return;
	}
	o->file = gen_get(words, f->file) == l->file_grf ? VSAMP_GEN_GRF : VSAMP_GEN_ARF;
	o->num = gen_get(words, f->num);
	o->sub = (gen_get(words, f->sub) << l->sub_shift) + gen_get(words, f->odd);
}

static void get_immediate(const struct gen_layout *l, const uint64_t *words,
			  struct vsamp_gen_operand *o)
{
	uint64_t value = words[1] >> 32;

	switch (vsamp_gen_type_size(o->type)) {
	case 2:
		value &= 0xffff;
		break;
	case 8:
		value = l->imm64_high_first ? words[1] << 32 | value : words[1];
		break;
	}
	o->imm = value;
}

static void get_source(const struct gen_platform *p, unsigned int i, const uint64_t *words,
		       struct vsamp_gen_operand *o)
{
	const struct gen_layout *l = p->layout;
	const struct gen_operand_layout *f = &l->src[i];

	if (gen_get(words, f->imm) || (l->file_imm && gen_get(words, f->file) == l->file_imm)) {
		o->file = VSAMP_GEN_IMM;
		o->type = find(p->imm_types, VSAMP_GEN_TYPES, gen_get(words, f->type));
		get_immediate(l, words, o);
		return;
	}
	get_register(l, f, words, o);
	o->type = find(p->types, VSAMP_GEN_TYPES, gen_get(words, f->type));
	o->negate = gen_get(words, f->negate);
	o->abs = gen_get(words, f->abs);
	o->hstride = gen_stride_of(gen_get(words, f->hstride));
	o->width = 1U << gen_get(words, f->width);
	o->vstride = gen_stride_of(gen_get(words, f->vstride));
	if (gen_get(words, f->vstride) == (1U << f->vstride.width) - 1)
		o->vstride = VSAMP_GEN_VXH;
}

static void decode_operands(const struct gen_platform *p, const uint64_t *words,
			    struct vsamp_gen_ins *ins, unsigned int sources)
{
	const struct gen_layout *l = p->layout;

	ins->acc_write = gen_get(words, l->acc_write);
	ins->saturate = gen_get(words, l->saturate);
	get_register(l, &l->dst, words, &ins->dst);
	ins->dst.type = find(p->types, VSAMP_GEN_TYPES, gen_get(words, l->dst.type));
	ins->dst.hstride = gen_stride_of(gen_get(words, l->dst.hstride));
	for (unsigned int i = 0; i < sources; i++)
		get_source(p, i, words, &ins->src[i]);
	if (ins->op == VSAMP_GEN_MATH)
		return;
	/* a constant of 64 bits is there instead */
	if (ins->src[0].file != VSAMP_GEN_IMM || vsamp_gen_type_size(ins->src[0].type) < 8)
		ins->cond = gen_get(words, l->cond);
}

static void get_macro(const struct gen_platform *p, const struct gen_operand_layout *f,
		      const uint64_t *words, struct vsamp_gen_operand *o)
{
	o->file = VSAMP_GEN_GRF;
	o->type = find(p->types, VSAMP_GEN_TYPES, gen_get(words, f->type));
	o->num = gen_get(words, f->num);
	o->mme = gen_get(words, f->sub);
	o->negate = gen_get(words, f->negate);
}

static void decode_math(const struct gen_platform *p, const uint64_t *words,
			struct vsamp_gen_ins *ins)
{
	const struct gen_layout *l = p->layout;
	unsigned int n;

	ins->function = gen_get(words, l->cond);
	n = gen_sources(p, ins);
	if (!gen_is_macro(ins)) {
		decode_operands(p, words, ins, n);
		return;
	}
	get_macro(p, &l->dst, words, &ins->dst);
	ins->dst.hstride = 1;
	for (unsigned int i = 0; i < n; i++) {
		get_macro(p, &l->src[i], words, &ins->src[i]);
		ins->src[i].vstride = ins->src[i].width = 4;
		ins->src[i].hstride = 1;
	}
}

/* Of ud is what says nothing */
static uint8_t message_type(const struct gen_platform *p, struct gen_field f, const uint64_t *words)
{
	uint8_t type = find(p->types, VSAMP_GEN_TYPES, gen_get(words, f));

	return type == VSAMP_GEN_UD ? 0 : type;
}

static void decode_send(const struct gen_platform *p, const uint64_t *words,
			struct vsamp_gen_ins *ins, bool two)
{
	const struct gen_layout *l = p->layout;

	ins->sfid = gen_get(words, l->sfid);
	ins->eot = gen_get(words, l->eot);
	ins->desc = get_pieces(words, l->desc);
	ins->dst.file = gen_get(words, l->message_file) ? VSAMP_GEN_GRF : VSAMP_GEN_ARF;
	ins->dst.num = gen_get(words, l->dst.num);
	ins->src[0].file = VSAMP_GEN_GRF;
	ins->src[0].num = gen_get(words, l->src[0].num);
	if (!p->swsb)
		ins->dst.type = message_type(p, l->dst.type, words);
	if (!p->swsb && !two) {
		ins->src[0].type = message_type(p, l->src[0].type, words);
		return;
	}
	ins->exdesc = get_pieces(words, l->exdesc);
	ins->payload = gen_get(words, l->payload);
	if (gen_get(words, l->payload_file)) {
		ins->src[1].file = VSAMP_GEN_GRF;
		ins->src[1].num = gen_get(words, l->payload_num);
	}
}

static void decode_jump(const struct gen_platform *p, const uint64_t *words,
			struct vsamp_gen_ins *ins)
{
	const struct gen_layout *l = p->layout;
	uint32_t from = ins->op == VSAMP_GEN_JMPI && l->jump_from_next ? VSAMP_GEN_INS_SIZE : 0;

	if (ins->op == VSAMP_GEN_RET) {
		get_register(l, &l->src[0], words, &ins->src[0]);
		ins->src[0].type = VSAMP_GEN_UD;
		return;
	}
	if (ins->op == VSAMP_GEN_CALL) {
		get_register(l, &l->dst, words, &ins->dst);
		ins->dst.type = VSAMP_GEN_UD;
	}
	if (p->codes[ins->op].form == GEN_FORM_JUMP_TWO)
		ins->uip = (int32_t)(uint32_t)words[1];
	/* of others the compiler sets it, too, and their texts don't have it */
	if (gen_may_branch(ins->op))
		ins->branch = gen_get(words, l->branch);
	ins->jump = (int32_t)((uint32_t)(words[1] >> 32) + from);
}

static void decode_sync(const struct gen_layout *l, const uint64_t *words,
			struct vsamp_gen_ins *ins)
{
	ins->sync = gen_get(words, l->cond);
	if (gen_get(words, l->src[0].imm)) {
		ins->src[0].file = VSAMP_GEN_IMM;
		ins->src[0].imm = words[1] >> 32;
	}
}

static void decode_control(const struct gen_platform *p, const uint64_t *words,
			   struct vsamp_gen_ins *ins)
{
	const struct gen_layout *l = p->layout;

	ins->pred = find(p->preds, VSAMP_GEN_PRED_MODES, gen_get(words, l->pred));
	ins->pred_invert = gen_get(words, l->pred_invert);
	ins->flag = gen_get(words, l->flag);
	ins->flag_sub = gen_get(words, l->flag_sub);
	ins->mask_off = gen_get(words, l->mask_off);
	if (p->codes[ins->op].form == GEN_FORM_SYNC)
		return;
	ins->exec = 1U << gen_get(words, l->exec);
	ins->channel = gen_get(words, l->channel) * 8 + gen_get(words, l->nibble) * 4;
	ins->thread = gen_get(words, l->thread);
	ins->no_clear = gen_get(words, l->no_clear);
	ins->no_check = gen_get(words, l->no_check);
}

static enum vsamp_gen_op op_find(const struct gen_platform *p, const uint64_t *words)
{
	uint64_t opcode = gen_get(words, p->layout->op);

	for (int op = 0; op < VSAMP_GEN_OTHER; op++)
		if (p->codes[op].form && p->codes[op].opcode == opcode)
			return op;
	return VSAMP_GEN_OTHER;
}

static void decode_fields(const struct gen_platform *p, const uint64_t *words,
			  struct vsamp_gen_ins *ins)
{
	uint8_t form;

	ins->op = op_find(p, words);
	form = p->codes[ins->op].form;
	if (!gen_swsb_decode(p, gen_get(words, p->layout->swsb), form, &ins->swsb))
		ins->op = VSAMP_GEN_OTHER;
	if (form != GEN_FORM_NOP)
		decode_control(p, words, ins);
	switch (form) {
	case GEN_FORM_UNARY:
	case GEN_FORM_BINARY:
		decode_operands(p, words, ins, gen_sources(p, ins));
		break;
	case GEN_FORM_MATH:
		decode_math(p, words, ins);
		break;
	case GEN_FORM_THREE:
		gen_three_decode(p, words, ins);
		break;
	case GEN_FORM_WAIT:
		get_source(p, 0, words, &ins->src[0]);
		break;
	case GEN_FORM_JUMP:
	case GEN_FORM_JUMP_TWO:
	case GEN_FORM_RETURN:
		decode_jump(p, words, ins);
		break;
	case GEN_FORM_SEND:
	case GEN_FORM_SENDS:
		decode_send(p, words, ins, form == GEN_FORM_SENDS);
		break;
	case GEN_FORM_SYNC:
		decode_sync(p->layout, words, ins);
		break;
	}
}

/* Whether an instruction encodes to the bytes that it was read from */
static bool is_same(const struct vsamp_gen_model *model, const struct vsamp_gen_ins *ins,
		    const void *from)
{
	uint64_t again[2];

	return ins->op != VSAMP_GEN_OTHER && !vsamp_gen_encode(model, ins, again) &&
	       !memcmp(from, again, vsamp_gen_size(ins));
}

/* Whether it is a jump by a distance, or back; where a register says where to, that is in its place */
static bool is_jump(const struct gen_platform *p, uint8_t op, const uint64_t *words)
{
	const struct gen_code *code = &p->codes[op];

	if (code->form == GEN_FORM_RETURN)
		return true;
	if (code->form != GEN_FORM_JUMP && code->form != GEN_FORM_JUMP_TWO)
		return false;
	for (int i = 0; i < GEN_TWO; i++) {
		const struct gen_operand_layout *f = &p->layout->src[i];

		/* the second source's file is within the second distance */
		if (!f->imm.width && i && code->form == GEN_FORM_JUMP_TWO)
			continue;
		if (gen_get(words, f->imm) != gen_get(code->base, f->imm) ||
		    (!f->imm.width && gen_get(words, f->file) != gen_get(code->base, f->file)))
			return false;
	}
	return true;
}

enum vsamp_gen_status vsamp_gen_decode(const struct vsamp_gen_model *model, const void *from,
				       size_t size, struct vsamp_gen_ins *ins, size_t *used)
{
	const struct gen_platform *p = gen_platform(model);
	uint64_t words[2] = { 0 };
	bool compacted;

	if (size < VSAMP_GEN_COMPACTED_SIZE)
		return VSAMP_GEN_EDECODE;
	memcpy(words, from, VSAMP_GEN_COMPACTED_SIZE);
	compacted = gen_get(words, p->layout->compacted);
	if (compacted) {
		if (vsamp_gen_expand(model, from, words))
			return VSAMP_GEN_EDECODE;
	} else {
		if (size < VSAMP_GEN_INS_SIZE)
			return VSAMP_GEN_EDECODE;
		memcpy(words, from, VSAMP_GEN_INS_SIZE);
	}
	memset(ins, 0, sizeof(*ins));
	decode_fields(p, words, ins);
	ins->compacted = compacted;
	*used = vsamp_gen_size(ins);
	if (is_same(model, ins, from))
		return VSAMP_GEN_OK;
	memcpy(ins->raw, from, *used);
	if (compacted || !is_jump(p, ins->op, words) || !is_same(model, ins, from))
		ins->op = VSAMP_GEN_OTHER;
	return VSAMP_GEN_OK;
}
