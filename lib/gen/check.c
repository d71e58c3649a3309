// SPDX-License-Identifier: MIT
/* check.c: whether a platform has what an instruction says; an assembler takes more than hardware does */
#include "layout.h"

#define OFFSET_MIN (-512)
#define OFFSET_MAX 511

#define TRY(call)                                    \
	do {                                         \
		enum vsamp_gen_status ret_ = (call); \
		if (ret_)                            \
			return ret_;                 \
	} while (0)

static const uint8_t type_sizes[VSAMP_GEN_TYPES] = {
	[VSAMP_GEN_UB] = 1, [VSAMP_GEN_B] = 1,	[VSAMP_GEN_UW] = 2, [VSAMP_GEN_W] = 2,
	[VSAMP_GEN_UD] = 4, [VSAMP_GEN_D] = 4,	[VSAMP_GEN_UQ] = 8, [VSAMP_GEN_Q] = 8,
	[VSAMP_GEN_HF] = 2, [VSAMP_GEN_F] = 4,	[VSAMP_GEN_DF] = 8, [VSAMP_GEN_UV] = 4,
	[VSAMP_GEN_V] = 4,  [VSAMP_GEN_VF] = 4,
};

unsigned int vsamp_gen_type_size(enum vsamp_gen_type type)
{
	return (unsigned int)type < VSAMP_GEN_TYPES ? type_sizes[type] : 0;
}

static bool is_int64(uint8_t type)
{
	return type == VSAMP_GEN_UQ || type == VSAMP_GEN_Q;
}

static bool is_int32(uint8_t type)
{
	return type == VSAMP_GEN_UD || type == VSAMP_GEN_D;
}

static enum vsamp_gen_status check_type(const struct gen_platform *p,
					const struct vsamp_gen_operand *o)
{
	if (o->type >= VSAMP_GEN_TYPES)
		return VSAMP_GEN_EINVAL;
	if ((o->file == VSAMP_GEN_IMM ? p->imm_types : p->types)[o->type] < 0)
		return VSAMP_GEN_EUNSUPPORTED;
	return VSAMP_GEN_OK;
}

/* How many of an architecture register there are, which is named with its own number */
static unsigned int arf_num(const struct gen_platform *p, unsigned int arf)
{
	switch (arf) {
	case VSAMP_GEN_ACC0:
		return 10;
	case VSAMP_GEN_F0:
		return p->model.flag_num;
	case VSAMP_GEN_NULL:
	case VSAMP_GEN_A0:
	case VSAMP_GEN_CE0:
	case VSAMP_GEN_SR0:
	case VSAMP_GEN_CR0:
	case VSAMP_GEN_N0:
	case VSAMP_GEN_IP:
	case VSAMP_GEN_TDR0:
	case VSAMP_GEN_TM0:
		return 1;
	default:
		return 0;
	}
}

static enum vsamp_gen_status check_address(const struct gen_platform *p,
					   const struct vsamp_gen_operand *o)
{
	if (o->sub)
		return VSAMP_GEN_EINVAL;
	if (o->num > 15 || o->offset < OFFSET_MIN || o->offset > OFFSET_MAX)
		return VSAMP_GEN_ERANGE;
	return o->offset & p->layout->sub_shift ? VSAMP_GEN_EALIGN : VSAMP_GEN_OK;
}

enum vsamp_gen_status gen_check_register(const struct gen_platform *p,
					 const struct vsamp_gen_operand *o)
{
	unsigned int size = type_sizes[o->type];

	if (o->file == VSAMP_GEN_INDIRECT)
		return check_address(p, o);
	if (o->offset)
		return VSAMP_GEN_EINVAL;
	if (o->file == VSAMP_GEN_GRF && o->num >= p->model.grf_num)
		return VSAMP_GEN_ERANGE;
	if (o->file == VSAMP_GEN_ARF && (o->num & 0xf) >= arf_num(p, o->num & ~0xfU))
		return VSAMP_GEN_ERANGE;
	if (o->sub & (size - 1))
		return VSAMP_GEN_EALIGN;
	if (o->sub >= p->model.grf_size)
		return VSAMP_GEN_ERANGE;
	return VSAMP_GEN_OK;
}

static bool is_register(const struct vsamp_gen_operand *o)
{
	return o->file == VSAMP_GEN_GRF || o->file == VSAMP_GEN_ARF ||
	       o->file == VSAMP_GEN_INDIRECT;
}

/* Of a region */
static bool is_stride(unsigned int n, unsigned int max)
{
	return !n || (n <= max && !(n & (n - 1)));
}

static enum vsamp_gen_status check_destination(const struct gen_platform *p,
					       const struct vsamp_gen_operand *o)
{
	if (!is_register(o))
		return VSAMP_GEN_EINVAL;
	if (o->negate || o->abs || o->vstride || o->width || !o->hstride || o->mme ||
	    !is_stride(o->hstride, 4))
		return VSAMP_GEN_EINVAL;
	TRY(check_type(p, o));
	return gen_check_register(p, o);
}

static enum vsamp_gen_status check_source(const struct gen_platform *p,
					  const struct vsamp_gen_operand *o)
{
	TRY(check_type(p, o));
	if (o->file == VSAMP_GEN_IMM)
		return o->negate || o->abs || o->vstride || o->width || o->hstride || o->sub ?
			       VSAMP_GEN_EINVAL :
			       VSAMP_GEN_OK;
	if (!is_register(o))
		return VSAMP_GEN_EINVAL;
	if (!o->width || !is_stride(o->width, 16) || !is_stride(o->hstride, 4) || o->mme)
		return VSAMP_GEN_EINVAL;
	if (!is_stride(o->vstride, p->layout->src[0].vstride.width == 4 ? 32 : 16) &&
	    !(o->vstride == VSAMP_GEN_VXH && o->file == VSAMP_GEN_INDIRECT))
		return VSAMP_GEN_EINVAL;
	return gen_check_register(p, o);
}

/* What instructions don't have */
static const uint8_t refuses[VSAMP_GEN_OPS] = {
	[VSAMP_GEN_ADDC] = GEN_NO_MODIFIER | GEN_NO_SATURATE,
	[VSAMP_GEN_SUBB] = GEN_NO_MODIFIER | GEN_NO_SATURATE,
	[VSAMP_GEN_BFREV] = GEN_NOTHING,
	[VSAMP_GEN_FBL] = GEN_NOTHING,
	[VSAMP_GEN_FBH] = GEN_NOTHING,
	[VSAMP_GEN_SMOV] = GEN_NOTHING,
	[VSAMP_GEN_DP4A] = GEN_NO_MODIFIER,
	[VSAMP_GEN_CBIT] = GEN_NOTHING,
	[VSAMP_GEN_BFI1] = GEN_NOTHING,
	[VSAMP_GEN_ROR] = GEN_NOTHING,
	[VSAMP_GEN_ROL] = GEN_NOTHING,
	[VSAMP_GEN_CMP] = GEN_NO_SATURATE,
	[VSAMP_GEN_CMPN] = GEN_NO_SATURATE,
	[VSAMP_GEN_MATH] = GEN_NO_COND,
	[VSAMP_GEN_FRC] = GEN_NO_SATURATE,
	[VSAMP_GEN_MACH] = GEN_NO_SATURATE | GEN_NO_COND,
	[VSAMP_GEN_MACL] = GEN_NO_SATURATE | GEN_NO_COND,
	[VSAMP_GEN_WAIT] = GEN_NOTHING,
	[VSAMP_GEN_BFE] = GEN_NOTHING,
	[VSAMP_GEN_BFI2] = GEN_NOTHING,
	[VSAMP_GEN_BFN] = GEN_NO_MODIFIER | GEN_NO_SATURATE,
	[VSAMP_GEN_MADM] = GEN_NO_SATURATE | GEN_NO_COND,
};

unsigned int gen_op_refuses(uint8_t op)
{
	return refuses[op];
}

unsigned int gen_sources(const struct gen_platform *p, const struct vsamp_gen_ins *ins)
{
	switch (p->codes[ins->op].form) {
	case GEN_FORM_MATH:
		return ins->function >= VSAMP_GEN_FDIV && ins->function <= VSAMP_GEN_INVM ? 2 : 1;
	case GEN_FORM_BINARY:
		return 2;
	default:
		return 1;
	}
}

/* Sources of an instruction with operands; the last may be a constant */
static enum vsamp_gen_status check_sources(const struct gen_platform *p,
					   const struct vsamp_gen_ins *ins, unsigned int n)
{
	for (unsigned int i = 0; i < VSAMP_GEN_SOURCES; i++) {
		const struct vsamp_gen_operand *o = &ins->src[i];

		if (i >= n) {
			if (o->file != VSAMP_GEN_NONE)
				return VSAMP_GEN_EINVAL;
			continue;
		}
		TRY(check_source(p, o));
		if (o->file == VSAMP_GEN_IMM && i + 1 < n)
			return VSAMP_GEN_EINVAL;
		if (o->file == VSAMP_GEN_IMM && type_sizes[o->type] == 8 && (n > 1 || ins->cond))
			return VSAMP_GEN_EINVAL;
		if ((o->negate || o->abs) && refuses[ins->op] & GEN_NO_MODIFIER)
			return VSAMP_GEN_EUNSUPPORTED;
		if (o->sub & p->layout->sub_shift && !p->layout->src[i].odd.width)
			return VSAMP_GEN_EUNSUPPORTED;
		if (o->file == VSAMP_GEN_ARF && o->num != VSAMP_GEN_NULL && i &&
		    !p->model.arf_second)
			return VSAMP_GEN_EUNSUPPORTED;
	}
	return VSAMP_GEN_OK;
}

/* Moves of 64 bits are no arithmetic, but hardware without that has none either */
static enum vsamp_gen_status check_int64(const struct gen_platform *p,
					 const struct vsamp_gen_ins *ins)
{
	if (p->model.int64)
		return VSAMP_GEN_OK;
	if (is_int64(ins->dst.type) || is_int64(ins->src[0].type) || is_int64(ins->src[1].type))
		return VSAMP_GEN_EUNSUPPORTED;
	return VSAMP_GEN_OK;
}

static enum vsamp_gen_status check_modifiers(const struct gen_platform *p,
					     const struct vsamp_gen_ins *ins)
{
	if (ins->cond >= VSAMP_GEN_CONDS || ins->pred >= VSAMP_GEN_PRED_MODES)
		return VSAMP_GEN_EINVAL;
	if (p->preds[ins->pred] < 0)
		return VSAMP_GEN_EUNSUPPORTED;
	if (ins->flag >= p->model.flag_num || ins->flag_sub > 1)
		return VSAMP_GEN_ERANGE;
	if (ins->pred_invert && !ins->pred)
		return VSAMP_GEN_EINVAL;
	if (ins->cond == VSAMP_GEN_LE + 1 || ins->thread > VSAMP_GEN_THREAD_NO_PREEMPT)
		return VSAMP_GEN_EINVAL;
	if ((ins->saturate && refuses[ins->op] & GEN_NO_SATURATE) ||
	    (ins->cond && refuses[ins->op] & GEN_NO_COND))
		return VSAMP_GEN_EUNSUPPORTED;
	if (!(p->threads >> ins->thread & 1) ||
	    ((ins->no_clear || ins->no_check) && !p->layout->no_check.width))
		return VSAMP_GEN_EUNSUPPORTED;
	if (ins->acc_write && !p->model.acc_write)
		return VSAMP_GEN_EUNSUPPORTED;
	return VSAMP_GEN_OK;
}

static enum vsamp_gen_status check_channels(const struct gen_platform *p,
					    const struct vsamp_gen_ins *ins)
{
	unsigned int step = ins->exec < 8 ? 4 : ins->exec;

	if (!ins->exec || ins->exec > 32 || (ins->exec & (ins->exec - 1)))
		return VSAMP_GEN_EINVAL;
	if (ins->channel & (step - 1) || ins->channel + ins->exec > 32)
		return VSAMP_GEN_EALIGN;
	if (ins->channel % 8 && !p->model.nibble)
		return VSAMP_GEN_EUNSUPPORTED;
	return VSAMP_GEN_OK;
}

/* The bits of a descriptor that there is room for */
static uint32_t pieces_mask(const struct gen_piece *pieces)
{
	uint32_t mask = 0;

	for (int i = 0; i < GEN_PIECES && pieces[i].width; i++)
		mask |= ((1U << pieces[i].width) - 1) << pieces[i].from;
	return mask;
}

static enum vsamp_gen_status check_send(const struct gen_platform *p,
					const struct vsamp_gen_ins *ins, bool two)
{
	const struct vsamp_gen_operand *o = &ins->src[1];

	if (ins->dst.file == VSAMP_GEN_GRF && ins->dst.num >= p->model.grf_num)
		return VSAMP_GEN_ERANGE;
	if (ins->dst.file != VSAMP_GEN_GRF &&
	    (ins->dst.file != VSAMP_GEN_ARF || ins->dst.num != VSAMP_GEN_NULL))
		return VSAMP_GEN_EINVAL;
	if (ins->src[0].file != VSAMP_GEN_GRF)
		return VSAMP_GEN_EINVAL;
	if (ins->src[0].num >= p->model.grf_num)
		return VSAMP_GEN_ERANGE;
	if (two ? o->file != VSAMP_GEN_GRF && o->file != VSAMP_GEN_NONE : o->file != VSAMP_GEN_NONE)
		return VSAMP_GEN_EINVAL;
	if (o->file == VSAMP_GEN_GRF && o->num >= p->model.grf_num)
		return VSAMP_GEN_ERANGE;
	if (ins->desc & ~pieces_mask(p->layout->desc) ||
	    ins->exdesc & ~(two ? pieces_mask(p->layout->exdesc) : 0))
		return VSAMP_GEN_ERANGE;
	if (ins->sfid > 15 || ins->payload >> p->layout->payload.width ||
	    (ins->payload && o->file != VSAMP_GEN_GRF))
		return VSAMP_GEN_ERANGE;
	if (ins->dst.type >= VSAMP_GEN_TYPES || ins->src[0].type >= VSAMP_GEN_TYPES)
		return VSAMP_GEN_EINVAL;
	if (p->types[ins->dst.type] < 0 || p->types[ins->src[0].type] < 0)
		return VSAMP_GEN_EUNSUPPORTED;
	if (!(p->send_threads >> ins->thread & 1) || ins->no_clear || ins->no_check)
		return VSAMP_GEN_EUNSUPPORTED;
	if (ins->cond || ins->saturate || ins->acc_write || ins->exec > p->model.grf_size / 2)
		return VSAMP_GEN_EINVAL;
	return VSAMP_GEN_OK;
}

bool gen_may_branch(uint8_t op)
{
	return op == VSAMP_GEN_IF || op == VSAMP_GEN_ELSE || op == VSAMP_GEN_GOTO;
}

static enum vsamp_gen_status check_jump(const struct gen_platform *p,
					const struct vsamp_gen_ins *ins)
{
	bool link = ins->op == VSAMP_GEN_CALL || ins->op == VSAMP_GEN_RET;
	const struct vsamp_gen_operand *o = ins->op == VSAMP_GEN_RET ? &ins->src[0] : &ins->dst;

	if ((ins->branch && !gen_may_branch(ins->op)) ||
	    (ins->pred && (ins->op == VSAMP_GEN_ELSE || ins->op == VSAMP_GEN_ENDIF)))
		return VSAMP_GEN_EINVAL;
	if (ins->jump % 8 || ins->uip % 8)
		return VSAMP_GEN_EALIGN;
	if (!link)
		return VSAMP_GEN_OK;
	if (o->file != VSAMP_GEN_GRF)
		return VSAMP_GEN_EINVAL;
	if (o->num >= p->model.grf_num)
		return VSAMP_GEN_ERANGE;
	return o->sub % 8 || o->sub >= p->model.grf_size ? VSAMP_GEN_EALIGN : VSAMP_GEN_OK;
}

static enum vsamp_gen_status check_sync(const struct gen_platform *p,
					const struct vsamp_gen_ins *ins)
{
	switch (ins->sync) {
	case VSAMP_GEN_SYNC_NOP:
	case VSAMP_GEN_SYNC_ALLRD:
	case VSAMP_GEN_SYNC_ALLWR:
	case VSAMP_GEN_SYNC_BAR:
	case VSAMP_GEN_SYNC_HOST:
		return ins->src[0].file && !(p->masks >> ins->sync & 1) ? VSAMP_GEN_EUNSUPPORTED :
									  VSAMP_GEN_OK;
	default:
		return VSAMP_GEN_EINVAL;
	}
}

static enum vsamp_gen_status check_wait(const struct gen_platform *p,
					const struct vsamp_gen_ins *ins)
{
	const struct vsamp_gen_operand *o = &ins->src[0];

	if (o->file != VSAMP_GEN_ARF || o->num != VSAMP_GEN_N0 || o->type != VSAMP_GEN_UD ||
	    o->vstride || o->width != 1 || o->hstride || o->negate || o->abs || ins->exec != 1)
		return VSAMP_GEN_EINVAL;
	return gen_check_register(p, o);
}

static enum vsamp_gen_status check_operands(const struct gen_platform *p,
					    const struct vsamp_gen_ins *ins)
{
	TRY(check_destination(p, &ins->dst));
	TRY(check_sources(p, ins, gen_sources(p, ins)));
	if (ins->op == VSAMP_GEN_MACL && (!is_int32(ins->dst.type) || !is_int32(ins->src[0].type) ||
					  !is_int32(ins->src[1].type)))
		return VSAMP_GEN_EUNSUPPORTED;
	return check_int64(p, ins);
}

/* A step's registers are whole ones */
static enum vsamp_gen_status check_macro(const struct gen_platform *p,
					 const struct vsamp_gen_ins *ins)
{
	const struct vsamp_gen_operand *o = &ins->dst;

	for (unsigned int i = 0; i < 1 + gen_sources(p, ins); i++) {
		if (i)
			o = &ins->src[i - 1];
		if (o->file != VSAMP_GEN_GRF || o->sub || o->mme > 8 || o->hstride != 1 || o->abs ||
		    (i ? o->vstride != 4 || o->width != 4 : o->negate || o->vstride || o->width))
			return VSAMP_GEN_EINVAL;
		if (o->type != VSAMP_GEN_F && o->type != VSAMP_GEN_DF && o->type != VSAMP_GEN_HF)
			return VSAMP_GEN_EUNSUPPORTED;
		TRY(gen_check_register(p, o));
	}
	if (ins->saturate || ins->acc_write ||
	    (p->layout->macro_rows && ins->pred > VSAMP_GEN_PRED_SEQ))
		return VSAMP_GEN_EUNSUPPORTED;
	return VSAMP_GEN_OK;
}

static bool is_mathematical(const struct vsamp_gen_operand *o)
{
	return o->file == VSAMP_GEN_NONE || o->file == VSAMP_GEN_GRF || o->file == VSAMP_GEN_IMM;
}

static enum vsamp_gen_status check_math(const struct gen_platform *p,
					const struct vsamp_gen_ins *ins)
{
	if (ins->function > VSAMP_GEN_RSQTM)
		return VSAMP_GEN_EINVAL;
	if (!(p->math >> ins->function & 1))
		return VSAMP_GEN_EUNSUPPORTED;
	if (gen_is_macro(ins))
		return check_macro(p, ins);
	if (!is_mathematical(&ins->src[0]) || !is_mathematical(&ins->src[1]) ||
	    ins->dst.file == VSAMP_GEN_INDIRECT)
		return VSAMP_GEN_EUNSUPPORTED;
	return check_operands(p, ins);
}

enum vsamp_gen_status gen_check(const struct gen_platform *p, const struct vsamp_gen_ins *ins)
{
	uint8_t form = p->codes[ins->op].form;

	if (!form)
		return VSAMP_GEN_EUNSUPPORTED;
	if (form == GEN_FORM_NOP)
		return VSAMP_GEN_OK;
	TRY(check_modifiers(p, ins));
	if (form == GEN_FORM_SYNC)
		return check_sync(p, ins);
	TRY(check_channels(p, ins));
	switch (form) {
	case GEN_FORM_SEND:
	case GEN_FORM_SENDS:
		return check_send(p, ins, form == GEN_FORM_SENDS || p->swsb);
	case GEN_FORM_JUMP:
	case GEN_FORM_JUMP_TWO:
	case GEN_FORM_RETURN:
		return check_jump(p, ins);
	case GEN_FORM_WAIT:
		return check_wait(p, ins);
	case GEN_FORM_THREE:
		return gen_three_check(p, ins);
	case GEN_FORM_MATH:
		return check_math(p, ins);
	default:
		return check_operands(p, ins);
	}
}
