/* SPDX-License-Identifier: MIT */
/* layout.h: where the parts of an instruction are in its 128 bits, and what numbers mean, by platform */
#ifndef GEN_LAYOUT_H
#define GEN_LAYOUT_H

#include <vsamp/gen.h>

#pragma GCC visibility push(hidden)

/* No field is in both 64-bit halves */
struct gen_field {
	uint8_t low, width; /* width 0: the platform has none */
};

/* Of an operand. Where file is 1 bit wide, immediate has a bit of its own */
struct gen_operand_layout {
	struct gen_field file, imm, type, num, sub, odd, negate, abs, hstride, width, vstride;
	struct gen_field indirect, addr, offset, sign; /* offset's bits above */
};

/* Of an operand of three sources' instructions; of a field of 1 bit that has a type: whether it's hf */
struct gen_three_operand {
	struct gen_field file, imm, value, type, num, sub, half, negate, abs, mme;
	struct gen_field hstride, vstride, vstride_low;
	struct gen_field swizzle, repeat; /* instead of strides */
	uint8_t sub_shift;
};

struct gen_three_layout {
	struct gen_three_operand dst, src[VSAMP_GEN_SOURCES];
	struct gen_field floats; /* what types' numbers are of */
	struct gen_field mask;	 /* of the destination's parts, with swizzles */
	struct gen_field function, function_low, function_cond;
	uint64_t base; /* bits that are always so */
	uint8_t vstrides[4];
	uint8_t file_grf;
	int8_t types[VSAMP_GEN_TYPES]; /* -1: none */
};

/* Bits from..from+width-1 of a descriptor are at low */
struct gen_piece {
	uint8_t from, width, low;
};

#define GEN_PIECES 6
#define GEN_TWO	   2 /* sources of other instructions */

struct gen_layout {
	struct gen_field op, swsb, exec, channel, nibble, pred, pred_invert, flag, flag_sub;
	struct gen_field mask_off, cond, acc_write, saturate, compacted, branch;
	struct gen_field thread, no_clear, no_check;
	struct gen_operand_layout dst, src[GEN_TWO];
	struct gen_field sfid, eot, payload, payload_file, payload_num;
	struct gen_field message_file; /* of a send's destination */
	struct gen_piece desc[GEN_PIECES], exdesc[GEN_PIECES];
	uint8_t file_grf, file_imm; /* of the operand's file */
	uint8_t sub_shift;	    /* log2 of the bytes that operands' sub counts */
	/* math.invm and math.rsqtm: regions that they always have; GEN_TWO: of the destination */
	uint64_t macro[GEN_TWO + 1][2];
	bool macro_rows;       /* rows of 16 bytes instead, in sources */
	bool imm64_high_first; /* the higher half of 64 bits comes first */
	bool jump_from_next;   /* jmpi's distance is from the next instruction */
};

/* SWSB of an instruction as numbers; -1: not to be had */
struct gen_swsb_layout {
	int16_t pipe[VSAMP_GEN_PIPES];	   /* + distance */
	int16_t set, dst, src;		   /* + token */
	int16_t set_with[VSAMP_GEN_PIPES]; /* + stride * distance + token: of sends */
	int16_t dst_with[VSAMP_GEN_PIPES], src_with[VSAMP_GEN_PIPES]; /* of others */
	int16_t math_set_with; /* of math, whose other waits have no distance then */
	uint8_t stride;
};

/* How an instruction is written */
enum gen_form {
	GEN_FORM_NONE, /* the platform has no such instruction */
	GEN_FORM_UNARY,
	GEN_FORM_BINARY,
	GEN_FORM_JUMP,	   /* bits of its own, and a distance */
	GEN_FORM_JUMP_TWO, /* and two of them */
	GEN_FORM_RETURN,
	GEN_FORM_SEND,
	GEN_FORM_SENDS,
	GEN_FORM_SYNC,
	GEN_FORM_WAIT,
	GEN_FORM_MATH,
	GEN_FORM_THREE,
	GEN_FORM_NOP,
};

struct gen_code {
	uint8_t form, opcode;
	uint64_t base[2]; /* bits of a jump that are always so */
};

/* Bits of a register, moved */
struct gen_bits {
	uint32_t mask;
	uint8_t shift; /* to the right */
};

#define GEN_TID_BITS 3

/* Where hardware says what runs */
struct gen_topology {
	struct gen_bits tid[GEN_TID_BITS]; /* of sr0.0, together; mask 0: no more */
	struct gen_bits dss;		   /* of sr0.0 */
	struct gen_bits tile;		   /* of sr0.1; mask 0: there are none */
	uint32_t fftid;			   /* mask of r0.5 */
};

struct gen_compact;

/* All of a platform */
struct gen_platform {
	struct vsamp_gen_model model;
	const struct gen_layout *layout;
	const struct gen_three_layout *three;
	const struct gen_swsb_layout *swsb;
	const struct gen_code *codes; /* by enum vsamp_gen_op */
	const struct gen_compact *compact;
	struct gen_topology topology;
	int8_t types[VSAMP_GEN_TYPES]; /* -1: none */
	int8_t imm_types[VSAMP_GEN_TYPES];
	int8_t preds[VSAMP_GEN_PRED_MODES];
	uint16_t math; /* bits of enum vsamp_gen_math that it has */
	/* likewise, of enum vsamp_gen_thread */
	uint8_t threads, send_threads;
	uint16_t masks; /* likewise, of enum vsamp_gen_sync that may have a mask of tokens */
};

extern const struct gen_platform gen_platforms[VSAMP_GEN_PLATFORMS];

/* The platform that a model is part of */
static inline const struct gen_platform *gen_platform(const struct vsamp_gen_model *model)
{
	return &gen_platforms[model->platform];
}

static inline uint64_t gen_get(const uint64_t *words, struct gen_field f)
{
	return words[f.low >> 6] >> (f.low & 63) & ((1ULL << f.width) - 1);
}

/* Into bits that are zero. The value is known to fit; where there is no such field it is zero */
static inline void gen_set(uint64_t *words, struct gen_field f, uint64_t value)
{
	words[f.low >> 6] |= value << (f.low & 63);
}

/* log2 + 1 of a stride, 0 of none */
static inline unsigned int gen_stride_code(unsigned int n)
{
	return n ? __builtin_ctz(n) + 1 : 0;
}

static inline unsigned int gen_stride_of(unsigned int code)
{
	return code ? 1U << (code - 1) : 0;
}

/* swsb.c: of instructions of a form */
bool gen_swsb_encode(const struct gen_platform *p, const struct vsamp_gen_swsb *s, uint8_t form,
		     uint64_t *value);
bool gen_swsb_decode(const struct gen_platform *p, uint64_t value, uint8_t form,
		     struct vsamp_gen_swsb *s);

/* three.c */
extern const struct gen_three_layout gen_three_gen9, gen_three_gen11;
extern const struct gen_three_layout gen_three_xe, gen_three_xe_hpg, gen_three_xe_hpc;
void gen_three_encode(const struct gen_platform *p, const struct vsamp_gen_ins *ins,
		      uint64_t *words);
void gen_three_decode(const struct gen_platform *p, const uint64_t *words,
		      struct vsamp_gen_ins *ins);
enum vsamp_gen_status gen_three_check(const struct gen_platform *p,
				      const struct vsamp_gen_ins *ins);

/* check.c: a register's number and part */
enum vsamp_gen_status gen_check_register(const struct gen_platform *p,
					 const struct vsamp_gen_operand *o);

/* check.c: what an instruction doesn't have */
enum {
	GEN_NO_MODIFIER = 1, /* of sources */
	GEN_NO_SATURATE = 2,
	GEN_NO_COND = 4,
	GEN_NOTHING = 7,
};

unsigned int gen_op_refuses(uint8_t op);

/* check.c: sources of a kind of instruction with one or two of them */
unsigned int gen_sources(const struct gen_platform *p, const struct vsamp_gen_ins *ins);

static inline bool gen_is_macro(const struct vsamp_gen_ins *ins)
{
	return ins->op == VSAMP_GEN_MADM ||
	       (ins->op == VSAMP_GEN_MATH && ins->function >= VSAMP_GEN_INVM);
}

/* check.c: whether a jump has the bit that its text calls ".b" */
bool gen_may_branch(uint8_t op);

/* check.c: whether the platform has what an instruction says */
enum vsamp_gen_status gen_check(const struct gen_platform *p, const struct vsamp_gen_ins *ins);

#pragma GCC visibility pop

#endif
