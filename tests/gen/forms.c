// SPDX-License-Identifier: MIT
/*
 * forms.c: random instructions of all forms, for an assembler that nobody here wrote
 *
 * forms PLATFORM COUNT SEED TEXT BYTES: writes their texts, a line each, and their bytes. All of what
 * the encoder takes is decoded again, which must give what went in. What it refuses isn't counted.
 * forms PLATFORM COUNT SEED: the same instructions encoded alone, and how many in a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vsamp/gen.h>

static uint64_t state;

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL >> 11;
}

static unsigned int below(unsigned int n)
{
	return any() % n;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

static const struct vsamp_gen_model *model;

static bool is_float_op(uint8_t op)
{
	return (op >= VSAMP_GEN_FRC && op <= VSAMP_GEN_MAC) || op == VSAMP_GEN_MATH;
}

/* Few are floats where instructions have others, too */
static uint8_t type_any(uint8_t op)
{
	static const uint8_t types[] = {
		VSAMP_GEN_UD, VSAMP_GEN_UD, VSAMP_GEN_D,  VSAMP_GEN_UW, VSAMP_GEN_W,
		VSAMP_GEN_UB, VSAMP_GEN_B,  VSAMP_GEN_UQ, VSAMP_GEN_Q,	VSAMP_GEN_F,
	};

	if (is_float_op(op))
		return one_in(3) ? VSAMP_GEN_HF : VSAMP_GEN_F;
	return types[below(sizeof(types))];
}

static void register_any(struct vsamp_gen_operand *o)
{
	unsigned int size = vsamp_gen_type_size(o->type);

	o->file = VSAMP_GEN_GRF;
	o->num = below(model->grf_num < 128 ? model->grf_num : 128);
	o->sub = below(model->grf_size / size) * size;
}

static void arf_any(struct vsamp_gen_operand *o)
{
	static const uint8_t arfs[] = {
		VSAMP_GEN_SR0, VSAMP_GEN_TM0, VSAMP_GEN_CE0, VSAMP_GEN_CR0, VSAMP_GEN_F0,
	};

	o->file = VSAMP_GEN_ARF;
	o->type = VSAMP_GEN_UD;
	o->num = arfs[below(sizeof(arfs))];
	o->sub = 0;
	if (o->num == VSAMP_GEN_SR0 || o->num == VSAMP_GEN_TM0)
		o->sub = below(4) * 4;
	if (o->num == VSAMP_GEN_F0)
		o->num += below(model->flag_num);
}

static void indirect_any(struct vsamp_gen_operand *o)
{
	o->file = VSAMP_GEN_INDIRECT;
	o->num = below(16);
	o->offset = ((int)below(512) - 256) * 2;
}

static void region_any(struct vsamp_gen_operand *o, unsigned int exec)
{
	static const uint8_t regions[][3] = { { 0, 1, 0 },  { 8, 8, 1 }, { 4, 4, 1 },  { 2, 2, 1 },
					      { 16, 8, 2 }, { 1, 1, 0 }, { 16, 16, 1 } };
	const uint8_t *r;

	do
		r = regions[exec == 1 ? 0 : below(7)];
	while (r[1] > exec || (model->platform == VSAMP_GEN_XE_HPC && r[0] > 1));
	o->vstride = r[0];
	o->width = r[1];
	o->hstride = r[2];
}

static void source_any(struct vsamp_gen_operand *o, const struct vsamp_gen_ins *ins, bool last,
		       bool alone)
{
	o->type = type_any(ins->op);
	if (last && one_in(4)) {
		o->file = VSAMP_GEN_IMM;
		if (vsamp_gen_type_size(o->type) < 2 ||
		    (!alone && vsamp_gen_type_size(o->type) == 8))
			o->type = VSAMP_GEN_UD;
		o->imm = any() << 20 ^ any();
		if (vsamp_gen_type_size(o->type) < 8)
			o->imm &= (1ULL << 8 * vsamp_gen_type_size(o->type)) - 1;
		return;
	}
	if (one_in(8) && (!last || alone || model->arf_second))
		arf_any(o);
	else if (one_in(8))
		indirect_any(o);
	else
		register_any(o);
	region_any(o, ins->exec);
	if (o->file == VSAMP_GEN_INDIRECT && one_in(2)) {
		o->vstride = VSAMP_GEN_VXH;
		o->hstride = o->width > 1;
	}
	o->negate = one_in(6);
	o->abs = one_in(10) && (ins->op < VSAMP_GEN_NOT || ins->op > VSAMP_GEN_XOR);
}

static void swsb_any(struct vsamp_gen_swsb *s, bool send)
{
	if (!model->token_num || one_in(2))
		return;
	s->distance = one_in(2) ? 1 + below(7) : 0;
	s->pipe = s->distance ? below(VSAMP_GEN_PIPES) : 0;
	s->mode = below(4);
	if (send != (s->mode == VSAMP_GEN_TOKEN_SET))
		s->mode = send ? VSAMP_GEN_TOKEN_SET : VSAMP_GEN_TOKEN_NONE;
	if (s->mode)
		s->token = below(model->token_num);
}

static bool is_unary(const struct vsamp_gen_ins *ins)
{
	switch (ins->op) {
	case VSAMP_GEN_MOV:
	case VSAMP_GEN_NOT:
	case VSAMP_GEN_BFREV:
	case VSAMP_GEN_FBL:
	case VSAMP_GEN_CBIT:
	case VSAMP_GEN_FRC ... VSAMP_GEN_RNDZ:
	case VSAMP_GEN_LZD:
	case VSAMP_GEN_FBH:
		return true;
	case VSAMP_GEN_MATH:
		return ins->function < VSAMP_GEN_FDIV;
	default:
		return false;
	}
}

static void macro_any(struct vsamp_gen_ins *ins, unsigned int sources)
{
	uint8_t type = one_in(2) ? VSAMP_GEN_F : VSAMP_GEN_DF;

	ins->exec = 4;
	ins->channel = 0;
	ins->dst = (struct vsamp_gen_operand){ .file = VSAMP_GEN_GRF, .type = type, .hstride = 1 };
	for (unsigned int i = 0; i < 1 + sources; i++) {
		struct vsamp_gen_operand *o = i ? &ins->src[i - 1] : &ins->dst;

		if (i)
			*o = (struct vsamp_gen_operand){ VSAMP_GEN_GRF, type, 4, 4, 1, one_in(4) };
		if (i == 3)
			o->vstride = o->width = 1, o->hstride = 0;
		o->num = below(128);
		o->mme = below(9);
		if (sources == 3 && one_in(6)) {
			o->file = VSAMP_GEN_ARF;
			o->num = VSAMP_GEN_ACC0 + below(8);
		}
	}
}

/* Or nothing */
static void accumulator_any(struct vsamp_gen_operand *o)
{
	o->file = VSAMP_GEN_ARF;
	o->num = one_in(4) ? VSAMP_GEN_NULL : VSAMP_GEN_ACC0 + below(8);
	o->sub = 0;
}

static void three_source_any(struct vsamp_gen_ins *ins, unsigned int i, uint8_t type)
{
	static const uint8_t strides[][2] = { { 0, 0 }, { 1, 0 }, { 2, 1 }, { 4, 1 },
					      { 8, 1 }, { 8, 2 }, { 4, 4 } };
	struct vsamp_gen_operand *o = &ins->src[i];
	const uint8_t *s = strides[below(7)];

	o->type = type;
	if (i != 1 && model->platform > VSAMP_GEN_GEN9 && vsamp_gen_type_size(type) == 2 &&
	    one_in(4)) {
		o->file = VSAMP_GEN_IMM;
		o->imm = any() & 0xffff;
		return;
	}
	register_any(o);
	if (one_in(8))
		accumulator_any(o);
	o->vstride = i == 2 ? (1 << below(4)) >> 1 : s[0];
	o->hstride = i == 2 ? 0 : s[1];
	o->width = o->hstride ? o->vstride / o->hstride : 1;
	o->negate = one_in(6);
	o->abs = one_in(8);
}

static void three_any(struct vsamp_gen_ins *ins)
{
	static const uint8_t ints[] = { VSAMP_GEN_UD, VSAMP_GEN_D, VSAMP_GEN_UW, VSAMP_GEN_W };
	static const uint8_t floats[] = { VSAMP_GEN_F, VSAMP_GEN_HF, VSAMP_GEN_DF };
	bool is_int = ins->op == VSAMP_GEN_BFE || ins->op == VSAMP_GEN_BFI2 ||
		      ins->op >= VSAMP_GEN_DP4A || (ins->op == VSAMP_GEN_MAD && one_in(2));
	uint8_t type = is_int ? ints[below(4)] : floats[below(3)];

	ins->dst.type = type;
	register_any(&ins->dst);
	if (one_in(8))
		accumulator_any(&ins->dst);
	ins->dst.hstride = 1 + one_in(4);
	for (unsigned int i = 0; i < VSAMP_GEN_SOURCES; i++)
		three_source_any(ins, i, is_int && one_in(4) ? ints[below(4)] : type);
	if (ins->op == VSAMP_GEN_CSEL || one_in(6))
		ins->cond = 1 + below(6);
	if (ins->op == VSAMP_GEN_BFN)
		ins->function = below(256);
	ins->saturate = one_in(8);
	ins->acc_write = one_in(8);
}

static void operands_any(struct vsamp_gen_ins *ins)
{
	bool unary = is_unary(ins);

	ins->dst.type = type_any(ins->op);
	if (one_in(8))
		indirect_any(&ins->dst);
	else
		register_any(&ins->dst);
	ins->dst.hstride = 1U << below(2);
	source_any(&ins->src[0], ins, unary, unary);
	if (!unary)
		source_any(&ins->src[1], ins, true, false);
	if (ins->op == VSAMP_GEN_CMP || (ins->op != VSAMP_GEN_SEL && one_in(8)))
		ins->cond = 1 + below(6);
	ins->acc_write = one_in(8);
	ins->saturate = one_in(8) && (ins->op < VSAMP_GEN_NOT || ins->op > VSAMP_GEN_XOR);
}

static void send_any(struct vsamp_gen_ins *ins)
{
	static const uint32_t descs[] = { 0x020d42ff, 0x021d02ff, 0x020a02ff, 0x021802ff };
	static const uint8_t message_types[] = { VSAMP_GEN_D, VSAMP_GEN_F, VSAMP_GEN_UW,
						 VSAMP_GEN_W };
	static const uint32_t lsc[] = { 0x0200c584, 0x0210c580, 0x0200058c };

	ins->exec = model->grf_size == 64 && one_in(3) ? 32 : 8;
	ins->channel = 0;
	ins->sfid = 0xa + 2 * below(2);
	ins->desc = descs[below(4)] ^ below(4) << 8;
	if (model->lsc) {
		if (ins->exec == 8)
			ins->exec = 1;
		ins->sfid = 0xf;
		ins->desc = lsc[below(3)];
	}
	ins->src[0].file = VSAMP_GEN_GRF;
	ins->src[0].num = below(120);
	ins->dst.file = VSAMP_GEN_ARF;
	if (ins->desc >> 20 & 0x1f) {
		ins->dst.file = VSAMP_GEN_GRF;
		ins->dst.num = below(120);
	}
	if (!model->token_num && one_in(2))
		ins->dst.type = message_types[below(4)];
	if (!model->token_num && one_in(2) &&
	    (ins->op == VSAMP_GEN_SEND || ins->op == VSAMP_GEN_SENDC))
		ins->src[0].type = message_types[below(4)];
	if (ins->op == VSAMP_GEN_SENDS || ins->op == VSAMP_GEN_SENDSC ||
	    (model->token_num && one_in(2))) {
		ins->src[1].file = VSAMP_GEN_GRF;
		ins->src[1].num = below(120);
		ins->payload = 1 + below(4);
	}
}

/* Targets are within the text: iga64 takes no other */
static void jump_any(struct vsamp_gen_ins *ins, unsigned int at, unsigned int count)
{
	ins->jump = ((int)below(count) - (int)at) * VSAMP_GEN_INS_SIZE;
	if (ins->op == VSAMP_GEN_JMPI) {
		ins->exec = 1;
		ins->channel = 0;
		ins->mask_off = true;
		return;
	}
	if (ins->op == VSAMP_GEN_RET)
		ins->jump = 0;
	if (vsamp_gen_jumps(ins->op) > 1)
		ins->uip = ((int)below(count) - (int)at) * VSAMP_GEN_INS_SIZE;
	if (ins->op == VSAMP_GEN_IF || ins->op == VSAMP_GEN_ELSE || ins->op == VSAMP_GEN_GOTO)
		ins->branch = one_in(3);
	if (ins->op == VSAMP_GEN_CALL || ins->op == VSAMP_GEN_RET) {
		struct vsamp_gen_operand *o = ins->op == VSAMP_GEN_CALL ? &ins->dst : &ins->src[0];

		o->file = VSAMP_GEN_GRF;
		o->num = below(128);
		o->type = VSAMP_GEN_UD;
		o->sub = 8 * below(4);
	}
	ins->exec = 8U << below(2);
	ins->channel = 0;
}

static void options_any(struct vsamp_gen_ins *ins)
{
	if (vsamp_gen_jumps(ins->op) || ins->op == VSAMP_GEN_NOP || ins->op == VSAMP_GEN_SYNC ||
	    ins->op == VSAMP_GEN_RET || ins->op == VSAMP_GEN_WAIT)
		return;
	if (one_in(8))
		ins->thread = 1 + below(3);
	ins->no_clear = one_in(16);
	ins->no_check = one_in(16);
}

static void ins_any(struct vsamp_gen_ins *ins, unsigned int at, unsigned int count)
{
	memset(ins, 0, sizeof(*ins));
	ins->op = VSAMP_GEN_SYNC + below(VSAMP_GEN_OTHER - VSAMP_GEN_SYNC);
	ins->exec = 1U << below(6);
	ins->channel = ins->exec < 32 && one_in(4) ? below(32 / ins->exec) * ins->exec & ~3U : 0;
	ins->mask_off = one_in(2);
	if (one_in(3)) {
		ins->pred = 1 + below(VSAMP_GEN_PRED_MODES - 1);
		ins->pred_invert = one_in(2);
	}
	switch (ins->op) {
	case VSAMP_GEN_NOP:
		memset(ins, 0, sizeof(*ins));
		ins->op = VSAMP_GEN_NOP;
		break;
	case VSAMP_GEN_SYNC:
		memset(ins, 0, sizeof(*ins));
		ins->op = VSAMP_GEN_SYNC;
		ins->mask_off = true;
		ins->sync = one_in(2) ? 0 : 2 + below(2);
		if (one_in(4))
			ins->sync = VSAMP_GEN_SYNC_BAR + below(2);
		break;
	case VSAMP_GEN_WAIT:
		memset(ins, 0, sizeof(*ins));
		ins->op = VSAMP_GEN_WAIT;
		ins->exec = 1;
		ins->mask_off = true;
		ins->src[0] = (struct vsamp_gen_operand){ VSAMP_GEN_ARF, VSAMP_GEN_UD, 0, 1, 0 };
		ins->src[0].num = VSAMP_GEN_N0;
		ins->src[0].sub = 4 * below(2);
		break;
	case VSAMP_GEN_SEND:
	case VSAMP_GEN_SENDS:
	case VSAMP_GEN_SENDC:
	case VSAMP_GEN_SENDSC:
		send_any(ins);
		break;
	case VSAMP_GEN_JMPI:
	case VSAMP_GEN_BRD:
	case VSAMP_GEN_CALL:
	case VSAMP_GEN_RET:
	case VSAMP_GEN_IF ... VSAMP_GEN_JOIN:
		jump_any(ins, at, count);
		break;
	case VSAMP_GEN_CSEL ... VSAMP_GEN_MAD:
	case VSAMP_GEN_DP4A ... VSAMP_GEN_BFN:
		three_any(ins);
		break;
	case VSAMP_GEN_MADM:
		macro_any(ins, 3);
		break;
	case VSAMP_GEN_MATH:
		ins->function = 1 + below(15);
		if (ins->function >= VSAMP_GEN_INVM)
			macro_any(ins, ins->function == VSAMP_GEN_INVM ? 2 : 1);
		else
			operands_any(ins);
		break;
	default:
		operands_any(ins);
	}
	options_any(ins);
	if (ins->op == VSAMP_GEN_ELSE || ins->op == VSAMP_GEN_ENDIF)
		ins->pred = ins->pred_invert = 0;
	if (ins->pred || ins->cond) {
		ins->flag = below(model->flag_num);
		ins->flag_sub = ins->exec == 32 ? 0 : below(2);
	}
	if (ins->op != VSAMP_GEN_NOP)
		swsb_any(&ins->swsb, ins->op == VSAMP_GEN_SEND || ins->op == VSAMP_GEN_SENDC ||
					     (ins->op == VSAMP_GEN_MATH && one_in(2)));
}

/* Of two distances iga64 takes labels alone: L and an instruction's number */
static void text_write(FILE *text, const struct vsamp_gen_ins *ins, const char *line,
		       unsigned int at)
{
	char distances[32];
	const char *found;

	snprintf(distances, sizeof(distances), " %d %d", ins->jump, ins->uip);
	found = vsamp_gen_jumps(ins->op) > 1 ? strstr(line, distances) : NULL;
	fprintf(text, "L%u:\n", at);
	if (found)
		fprintf(text, "%.*s L%d L%d%s\n", (int)(found - line), line,
			(int)at + ins->jump / VSAMP_GEN_INS_SIZE,
			(int)at + ins->uip / VSAMP_GEN_INS_SIZE, found + strlen(distances));
	else
		fprintf(text, "%s\n", line);
}

static int forms_write(unsigned int count, FILE *text, FILE *bytes)
{
	struct vsamp_gen_ins ins, again;
	uint8_t code[VSAMP_GEN_INS_SIZE];
	char line[VSAMP_GEN_TEXT_SIZE];
	size_t used;

	for (unsigned int i = 0; i < count;) {
		ins_any(&ins, i, count);
		if (vsamp_gen_encode(model, &ins, code))
			continue;
		if (vsamp_gen_text(model, &ins, line) ||
		    vsamp_gen_decode(model, code, sizeof(code), &again, &used) ||
		    memcmp(&ins, &again, sizeof(ins))) {
			fprintf(stderr, "decodes to another: %s\n", line);
			if (!vsamp_gen_text(model, &again, line))
				fprintf(stderr, "                    %s\n", line);
			return 1;
		}
		text_write(text, &ins, line, i);
		fwrite(code, sizeof(code), 1, bytes);
		i++;
	}
	return fclose(text) || fclose(bytes);
}

static int forms_time(unsigned int count)
{
	struct vsamp_gen_ins *all = calloc(count, sizeof(*all));
	uint8_t code[VSAMP_GEN_INS_SIZE];
	struct timespec a, b;
	double s;

	for (unsigned int i = 0; i < count;) {
		ins_any(&all[i], i, count);
		i += !vsamp_gen_encode(model, &all[i], code);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (unsigned int n = 0; n < 20000000 / count; n++)
		for (unsigned int i = 0; i < count; i++)
			vsamp_gen_encode(model, &all[i], code);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	s = b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9;
	printf("%s: %.1f million instructions a second\n", model->name,
	       20000000 / count * count / s / 1e6);
	free(all);
	return 0;
}

int main(int argc, char **argv)
{
	FILE *text, *bytes;

	if (argc != 4 && argc != 6) {
		fprintf(stderr, "usage: forms PLATFORM COUNT SEED [TEXT BYTES]\n");
		return 2;
	}
	model = vsamp_gen_model_find(argv[1]);
	state = strtoull(argv[3], NULL, 0) * 2 + 1;
	if (!model)
		return 2;
	if (argc == 4)
		return forms_time(strtoul(argv[2], NULL, 0));
	text = fopen(argv[4], "w");
	bytes = fopen(argv[5], "w");
	return !text || !bytes || forms_write(strtoul(argv[2], NULL, 0), text, bytes);
}
