// SPDX-License-Identifier: MIT
/* text.c: an instruction as iga64 has it */
#include <stdarg.h>
#include <stdio.h>

#include "layout.h"

struct text {
	char *to;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->to + t->used, VSAMP_GEN_TEXT_SIZE - t->used, format, args);
	va_end(args);
	t->used += n > 0 ? n : 0;
	if (t->used >= VSAMP_GEN_TEXT_SIZE)
		t->used = VSAMP_GEN_TEXT_SIZE - 1;
}

static const char *const op_names[VSAMP_GEN_OPS] = {
	"illegal", "sync", "mov",   "sel",  "not",  "and",   "or",     "xor",  "shr",	"shl",
	"asr",	   "cmp",  "bfrev", "jmpi", "brd",  "call",  "ret",    "send", "sends", "add",
	"mul",	   "fbl",  "cbit",  "addc", "nop",  "if",    "brc",    "else", "endif", "while",
	"break",   "cont", "halt",  "goto", "join", "sendc", "sendsc", "cmpn", "ror",	"rol",
	"bfi1",	   "avg",  "frc",   "rndu", "rndd", "rnde",  "rndz",   "mac",  "mach",	"macl",
	"lzd",	   "fbh",  "subb",  "smov", "wait", "math",  "csel",   "bfe",  "bfi2",	"lrp",
	"mad",	   "madm", "dp4a",  "add3", "bfn",  "other",
};

static const char *const type_names[VSAMP_GEN_TYPES] = {
	"ub", "b", "uw", "w", "ud", "d", "uq", "q", "hf", "f", "df", "uv", "v", "vf",
};

static const char *const cond_names[VSAMP_GEN_CONDS] = {
	"", "eq", "ne", "gt", "ge", "lt", "le", "", "ov", "un",
};

static const char *const math_names[16] = {
	"", "inv",  "log", "exp",  "sqt",  "rsqt", "sin",  "cos",
	"", "fdiv", "pow", "idiv", "iqot", "irem", "invm", "rsqtm",
};

static const char *const pred_names[VSAMP_GEN_PRED_MODES] = {
	"",	  "",	     ".any2h",	".all2h",  ".any4h",  ".all4h", ".any8h",
	".all8h", ".any16h", ".all16h", ".any32h", ".all32h", ".any",	".all",
};

static const char *const arf_names[16] = {
	"null", "a", "acc", "f",   "ce", NULL, NULL, "sr",
	"cr",	"n", "ip",  "tdr", "tm", NULL, NULL, NULL,
};

/* Of the units that messages go to, without and with one for load and store */
static const char *const sfid_names[2][16] = {
	{ "null", NULL, "smpl", "gtwy", "dc2", "rc", "urb", "ts", "vme", "dcro", "dc0", "pixi",
	  "dc1", "cre", NULL, NULL },
	{ "null", "ugml", "smpl", "gtwy", "dc2", "rc", "urb", "btd", "rta", "dcro", "dc0", "pixi",
	  "dc1", "tgm", "slm", "ugm" },
};

const char *vsamp_gen_op_name(enum vsamp_gen_op op)
{
	return (unsigned int)op < VSAMP_GEN_OPS ? op_names[op] : "unknown";
}

unsigned int vsamp_gen_jumps(enum vsamp_gen_op op)
{
	switch (op) {
	case VSAMP_GEN_JMPI:
	case VSAMP_GEN_BRD:
	case VSAMP_GEN_CALL:
	case VSAMP_GEN_ENDIF:
	case VSAMP_GEN_WHILE:
	case VSAMP_GEN_JOIN:
		return 1;
	case VSAMP_GEN_IF:
	case VSAMP_GEN_BRC:
	case VSAMP_GEN_ELSE:
	case VSAMP_GEN_BREAK:
	case VSAMP_GEN_CONT:
	case VSAMP_GEN_HALT:
	case VSAMP_GEN_GOTO:
		return 2;
	default:
		return 0;
	}
}

static void put_predicate(struct text *t, const struct vsamp_gen_ins *ins)
{
	if (!ins->mask_off && !ins->pred)
		return;
	put(t, "(%s", ins->mask_off ? "W" : "");
	if (ins->pred)
		put(t, "%s%sf%u.%u%s", ins->mask_off ? "&" : "", ins->pred_invert ? "~" : "",
		    ins->flag, ins->flag_sub, pred_names[ins->pred]);
	put(t, ") ");
}

static void put_register(struct text *t, const struct vsamp_gen_operand *o, unsigned int unit)
{
	const char *name = arf_names[o->num >> 4 & 0xf];

	if (o->file == VSAMP_GEN_INDIRECT) {
		put(t, o->offset ? "r[a0.%u,%d]" : "r[a0.%u]", o->num, o->offset);
		return;
	}
	if (o->file == VSAMP_GEN_GRF)
		put(t, "r%u", o->num);
	else if (o->num == VSAMP_GEN_NULL || o->num == VSAMP_GEN_IP)
		put(t, "%s", name);
	else
		put(t, "%s%u", name, o->num & 0xf);
	if (o->file == VSAMP_GEN_GRF || o->num != VSAMP_GEN_NULL)
		put(t, ".%u", o->sub / unit);
}

/* @three: which one of three; 0 of others */
static void put_source(struct text *t, const struct vsamp_gen_operand *o, bool logic, int three)
{
	if (o->file == VSAMP_GEN_IMM) {
		unsigned int size = vsamp_gen_type_size(o->type);
		uint64_t mask = size == 8 ? ~0ULL : (1ULL << 8 * size) - 1;

		put(t, " 0x%llx:%s", (unsigned long long)(o->imm & mask), type_names[o->type]);
		return;
	}
	put(t, " %s%s", o->negate ? logic ? "~" : "-" : "", o->abs ? "(abs)" : "");
	put_register(t, o, vsamp_gen_type_size(o->type));
	if (three == 3)
		put(t, "<%u>", o->vstride);
	else if (three)
		put(t, "<%u;%u>", o->vstride, o->hstride);
	else if (o->vstride == VSAMP_GEN_VXH)
		put(t, "<%u,%u>", o->width, o->hstride);
	else
		put(t, "<%u;%u,%u>", o->vstride, o->width, o->hstride);
	put(t, ":%s", type_names[o->type]);
}

static void put_macro_register(struct text *t, const struct vsamp_gen_operand *o)
{
	bool grf = o->file == VSAMP_GEN_GRF;

	put(t, " %s%s%u.", o->negate ? "-" : "", grf ? "r" : "acc", grf ? o->num : o->num & 0xf);
	if (o->mme < 8)
		put(t, "mme%u:%s", o->mme, type_names[o->type]);
	else
		put(t, "nomme:%s", type_names[o->type]);
}

static void put_macro(struct text *t, const struct vsamp_gen_ins *ins)
{
	put(t, " (%u|M%u)", ins->exec, ins->channel);
	if (ins->op == VSAMP_GEN_MATH)
		put(t, " (eo)f%u.%u", ins->flag, ins->flag_sub);
	put_macro_register(t, &ins->dst);
	for (int i = 0; i < VSAMP_GEN_SOURCES && ins->src[i].file; i++)
		put_macro_register(t, &ins->src[i]);
}

static void put_operands(struct text *t, const struct vsamp_gen_ins *ins)
{
	bool logic = ins->op >= VSAMP_GEN_NOT && ins->op <= VSAMP_GEN_XOR;

	put(t, "(%u|M%u) ", ins->exec, ins->channel);
	if (ins->cond)
		put(t, "(%s)f%u.%u ", cond_names[ins->cond], ins->flag, ins->flag_sub);
	put(t, "%s", ins->saturate ? "(sat)" : "");
	put_register(t, &ins->dst, vsamp_gen_type_size(ins->dst.type));
	put(t, "<%u>:%s", ins->dst.hstride, type_names[ins->dst.type]);
	for (int i = 0; i < VSAMP_GEN_SOURCES && ins->src[i].file; i++)
		put_source(t, &ins->src[i], logic, ins->src[2].file ? i + 1 : 0);
}

static void put_whole(struct text *t, const struct gen_platform *p,
		      const struct vsamp_gen_operand *o)
{
	if (o->file == VSAMP_GEN_GRF)
		put(t, " r%u", o->num);
	else
		put(t, " null");
	if (o->type && !p->swsb)
		put(t, ":%s", type_names[o->type]);
}

static void put_send(struct text *t, const struct gen_platform *p, const struct vsamp_gen_ins *ins)
{
	const char *sfid = sfid_names[p->model.lsc][ins->sfid & 0xf];
	uint32_t exdesc = ins->exdesc;

	if (p->swsb)
		put(t, ".%s", sfid ? sfid : "unknown");
	put(t, " (%u|M%u)", ins->exec, ins->channel);
	put_whole(t, p, &ins->dst);
	put_whole(t, p, &ins->src[0]);
	if (p->swsb || ins->op == VSAMP_GEN_SENDS || ins->op == VSAMP_GEN_SENDSC)
		put_whole(t, p, &ins->src[1]);
	if (p->model.lsc)
		put(t, ":%u", ins->payload);
	else
		exdesc |= ins->payload << 6;
	if (!p->swsb)
		exdesc |= ins->sfid | (ins->eot ? 1 << 5 : 0);
	put(t, " 0x%x 0x%x", exdesc, ins->desc);
}

static void put_jump(struct text *t, const struct vsamp_gen_ins *ins)
{
	if (ins->op != VSAMP_GEN_JMPI)
		put(t, " (%u|M%u)", ins->exec, ins->channel);
	if (ins->op == VSAMP_GEN_CALL || ins->op == VSAMP_GEN_RET) {
		put(t, " ");
		put_register(t, ins->op == VSAMP_GEN_CALL ? &ins->dst : &ins->src[0], 4);
	}
	if (ins->op != VSAMP_GEN_RET)
		put(t, " %d", ins->jump);
	if (vsamp_gen_jumps(ins->op) > 1)
		put(t, " %d", ins->uip);
}

/* With what is before it */
static void put_option(struct text *t, bool *any, const char *option)
{
	put(t, "%s%s", *any ? "," : " {", option);
	*any = true;
}

static void put_options(struct text *t, const struct vsamp_gen_ins *ins)
{
	static const char pipes[VSAMP_GEN_PIPES] = { 0, 'A', 'F', 'I', 'L', 'M' };
	static const char *const modes[] = { "", "", ".dst", ".src" };
	static const char *const threads[] = { "", "Atomic", "Switch", "NoPreempt" };
	const struct vsamp_gen_swsb *s = &ins->swsb;
	bool any = false;

	if (s->distance) {
		put_option(t, &any, "");
		put(t, "%.1s@%u", &pipes[s->pipe], s->distance);
	}
	if (s->mode) {
		put_option(t, &any, "");
		put(t, "$%u%s", s->token, modes[s->mode]);
	}
	if (ins->thread)
		put_option(t, &any, threads[ins->thread & 3]);
	if (ins->no_clear)
		put_option(t, &any, "NoDDClr");
	if (ins->no_check)
		put_option(t, &any, "NoDDChk");
	if (ins->acc_write)
		put_option(t, &any, "AccWrEn");
	if (ins->eot)
		put_option(t, &any, "EOT");
	if (any)
		put(t, "}");
}

static void put_sync(struct text *t, const struct vsamp_gen_ins *ins)
{
	static const char *const names[16] = {
		[VSAMP_GEN_SYNC_NOP] = "nop",	  [VSAMP_GEN_SYNC_ALLRD] = "allrd",
		[VSAMP_GEN_SYNC_ALLWR] = "allwr", [VSAMP_GEN_SYNC_BAR] = "bar",
		[VSAMP_GEN_SYNC_HOST] = "host",
	};

	put(t, ".%s ", names[ins->sync & 0xf]);
	if (ins->src[0].file)
		put(t, "0x%llx", (unsigned long long)ins->src[0].imm);
	else
		put(t, "null");
}

enum vsamp_gen_status vsamp_gen_text(const struct vsamp_gen_model *model,
				     const struct vsamp_gen_ins *ins, char *to)
{
	const struct gen_platform *p = gen_platform(model);
	/* what nop and illegal have, whatever else is said */
	struct vsamp_gen_ins bare = { .op = ins->op, .swsb = ins->swsb };
	struct text t = { to, 0 };
	uint8_t bytes[VSAMP_GEN_INS_SIZE];
	enum vsamp_gen_status ret = vsamp_gen_encode(model, ins, bytes);

	if (ret)
		return ret;
	to[0] = '\0';
	if (ins->op == VSAMP_GEN_OTHER) {
		put(&t, "// %016llx %016llx", (unsigned long long)ins->raw[1],
		    (unsigned long long)ins->raw[0]);
		return VSAMP_GEN_OK;
	}
	if (p->codes[ins->op].form == GEN_FORM_NOP)
		ins = &bare;
	put_predicate(&t, ins);
	put(&t, "%s%s", op_names[ins->op], ins->branch ? ".b" : "");
	switch (p->codes[ins->op].form) {
	case GEN_FORM_UNARY:
	case GEN_FORM_BINARY:
	case GEN_FORM_MATH:
	case GEN_FORM_THREE:
		if (ins->op == VSAMP_GEN_MATH)
			put(&t, ".%s", math_names[ins->function & 0xf]);
		if (ins->op == VSAMP_GEN_BFN)
			put(&t, ".0x%02x", ins->function);
		if (gen_is_macro(ins)) {
			put_macro(&t, ins);
			break;
		}
		put(&t, " ");
		put_operands(&t, ins);
		break;
	case GEN_FORM_WAIT:
		put_source(&t, &ins->src[0], false, 0);
		break;
	case GEN_FORM_JUMP:
	case GEN_FORM_JUMP_TWO:
	case GEN_FORM_RETURN:
		put_jump(&t, ins);
		break;
	case GEN_FORM_SEND:
	case GEN_FORM_SENDS:
		put_send(&t, p, ins);
		break;
	case GEN_FORM_SYNC:
		put_sync(&t, ins);
		break;
	}
	put_options(&t, ins);
	return VSAMP_GEN_OK;
}
