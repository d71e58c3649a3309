// SPDX-License-Identifier: MIT
/* layout.c: platforms as data */
#include <string.h>

#include "compact.h"
#include "layout.h"

#define TWO(code, first)                 \
	{                                \
		GEN_FORM_JUMP_TWO, code, \
		{                        \
			first            \
		}                        \
	}

#define JUMP(code, second, first)     \
	{                             \
		GEN_FORM_JUMP, code,  \
		{                     \
			first, second \
		}                     \
	}
#define NO_PIPES                       \
	{                              \
		-1, -1, -1, -1, -1, -1 \
	}

/* What Gen9 and Gen11 have at the same places */
#define BEFORE_XE                                                                                \
	.op = { 0, 7 }, .exec = { 21, 3 }, .channel = { 12, 2 }, .nibble = { 11, 1 },            \
	.pred = { 16, 4 }, .pred_invert = { 20, 1 }, .flag = { 33, 1 }, .flag_sub = { 32, 1 },   \
	.mask_off = { 34, 1 }, .cond = { 24, 4 }, .acc_write = { 28, 1 }, .saturate = { 31, 1 }, \
	.compacted = { 29, 1 }, .branch = { 28, 1 }, .thread = { 14, 2 }, .no_clear = { 9, 1 },  \
	.no_check = { 10, 1 },                                                                   \
	.dst = { .file = { 35, 2 },                                                              \
		 .type = { 37, 4 },                                                              \
		 .num = { 53, 8 },                                                               \
		 .sub = { 48, 5 },                                                               \
		 .hstride = { 61, 2 },                                                           \
		 .indirect = { 63, 1 },                                                          \
		 .addr = { 57, 4 },                                                              \
		 .offset = { 48, 9 },                                                            \
		 .sign = { 47, 1 } },                                                            \
	.src = { { .file = { 41, 2 },                                                            \
		   .type = { 43, 4 },                                                            \
		   .num = { 69, 8 },                                                             \
		   .sub = { 64, 5 },                                                             \
		   .negate = { 78, 1 },                                                          \
		   .abs = { 77, 1 },                                                             \
		   .hstride = { 80, 2 },                                                         \
		   .width = { 82, 3 },                                                           \
		   .vstride = { 85, 4 },                                                         \
		   .indirect = { 79, 1 },                                                        \
		   .addr = { 73, 4 },                                                            \
		   .offset = { 64, 9 },                                                          \
		   .sign = { 95, 1 } },                                                          \
		 { .file = { 89, 2 },                                                            \
		   .type = { 91, 4 },                                                            \
		   .num = { 101, 8 },                                                            \
		   .sub = { 96, 5 },                                                             \
		   .negate = { 110, 1 },                                                         \
		   .abs = { 109, 1 },                                                            \
		   .hstride = { 112, 2 },                                                        \
		   .width = { 114, 3 },                                                          \
		   .vstride = { 117, 4 },                                                        \
		   .indirect = { 111, 1 },                                                       \
		   .addr = { 105, 4 },                                                           \
		   .offset = { 96, 9 },                                                          \
		   .sign = { 121, 1 } } },                                                       \
	.sfid = { 24, 4 }, .eot = { 127, 1 }, .payload = { 64, 4 }, .payload_file = { 36, 1 },   \
	.payload_num = { 44, 8 }, .message_file = { 35, 1 }, .desc = { { 0, 31, 96 } },          \
	.exdesc = { { 16, 16, 80 } }, .file_grf = 1, .file_imm = 3, .jump_from_next = true

static const struct gen_layout layout_gen9 = {
	BEFORE_XE,
	.macro = { [GEN_TWO] = { 1 << 8 } },
	.macro_rows = true,
};

static const struct gen_layout layout_gen11 = {
	BEFORE_XE,
	.macro = { { 0, 0x450000 }, { 0, 0x45000000000000 }, { 1ULL << 61, 0 } },
};

/* What all from Xe on have at the same places */
#define FROM_XE(vstride_bits, odd_bits)                                                            \
	.op = { 0, 7 }, .pred_invert = { 28, 1 }, .mask_off = { 31, 1 }, .cond = { 92, 4 },        \
	.saturate = { 34, 1 }, .branch = { 33, 1 }, .compacted = { 29, 1 },                        \
	.dst = { .file = { 50, 1 },                                                                \
		 .type = { 36, 4 },                                                                \
		 .num = { 56, 8 },                                                                 \
		 .sub = { 51, 5 },                                                                 \
		 .odd = { 33, odd_bits },                                                          \
		 .hstride = { 48, 2 },                                                             \
		 .indirect = { 35, 1 },                                                            \
		 .addr = { 60, 4 },                                                                \
		 .offset = { 50, 10 } },                                                           \
	.src = { { .file = { 66, 1 },                                                              \
		   .imm = { 46, 1 },                                                               \
		   .type = { 40, 4 },                                                              \
		   .num = { 72, 8 },                                                               \
		   .sub = { 67, 5 },                                                               \
		   .odd = { 87, odd_bits },                                                        \
		   .negate = { 45, 1 },                                                            \
		   .abs = { 44, 1 },                                                               \
		   .hstride = { 64, 2 },                                                           \
		   .width = { 81, 3 },                                                             \
		   .vstride = { 84, vstride_bits },                                                \
		   .indirect = { 80, 1 },                                                          \
		   .addr = { 76, 4 },                                                              \
		   .offset = { 66, 10 } },                                                         \
		 { .file = { 98, 1 },                                                              \
		   .imm = { 47, 1 },                                                               \
		   .type = { 88, 4 },                                                              \
		   .num = { 104, 8 },                                                              \
		   .sub = { 99, 5 },                                                               \
		   .negate = { 121, 1 },                                                           \
		   .abs = { 120, 1 },                                                              \
		   .hstride = { 96, 2 },                                                           \
		   .width = { 113, 3 },                                                            \
		   .vstride = { 116, vstride_bits },                                               \
		   .indirect = { 112, 1 },                                                         \
		   .addr = { 108, 4 },                                                             \
		   .offset = { 98, 10 } } },                                                       \
	.sfid = { 92, 4 }, .eot = { 34, 1 }, .payload = { 99, 5 }, .payload_file = { 98, 1 },      \
	.payload_num = { 104, 8 }, .message_file = { 50, 1 },                                      \
	.desc = { { 0, 11, 81 }, { 11, 9, 113 }, { 20, 5, 51 }, { 25, 5, 67 }, { 30, 2, 122 } },   \
	.exdesc = { { 11, 13, 35 }, { 24, 2, 64 }, { 26, 2, 96 }, { 28, 4, 124 } }, .file_grf = 1, \
	.imm64_high_first = true, .thread = { 32, 1 },                                             \
	.macro = { { 0, 1ULL << 20 }, { 0, 1ULL << 52 }, { 1ULL << 48, 0 } }

static const struct gen_layout layout_xe = {
	FROM_XE(4, 0),	      .swsb = { 8, 8 },	     .exec = { 16, 3 },
	.channel = { 20, 2 }, .nibble = { 19, 1 },   .pred = { 24, 4 },
	.flag = { 23, 1 },    .flag_sub = { 22, 1 }, .acc_write = { 33, 1 },
};

static const struct gen_layout layout_xe_hpc = {
	FROM_XE(3, 1),	   .swsb = { 8, 10 }, .exec = { 18, 3 },     .channel = { 24, 2 },
	.pred = { 26, 2 }, .flag = { 22, 2 }, .flag_sub = { 21, 1 }, .sub_shift = 1,
};

/* Calls differ, in bits that have no meaning there, and what one of them alone has */
#define CODES_BEFORE_XE(call, ...)                                                               \
	{                                                                                        \
		[VSAMP_GEN_ILLEGAL] = { GEN_FORM_NOP, 0x00 },                                    \
		[VSAMP_GEN_MOV] = { GEN_FORM_UNARY, 0x01 },                                      \
		[VSAMP_GEN_SEL] = { GEN_FORM_BINARY, 0x02 },                                     \
		[VSAMP_GEN_NOT] = { GEN_FORM_UNARY, 0x04 },                                      \
		[VSAMP_GEN_AND] = { GEN_FORM_BINARY, 0x05 },                                     \
		[VSAMP_GEN_OR] = { GEN_FORM_BINARY, 0x06 },                                      \
		[VSAMP_GEN_XOR] = { GEN_FORM_BINARY, 0x07 },                                     \
		[VSAMP_GEN_SHR] = { GEN_FORM_BINARY, 0x08 },                                     \
		[VSAMP_GEN_SHL] = { GEN_FORM_BINARY, 0x09 },                                     \
		[VSAMP_GEN_ASR] = { GEN_FORM_BINARY, 0x0c },                                     \
		[VSAMP_GEN_CMP] = { GEN_FORM_BINARY, 0x10 },                                     \
		[VSAMP_GEN_BFREV] = { GEN_FORM_UNARY, 0x17 },                                    \
		[VSAMP_GEN_JMPI] = JUMP(0x20, 0x0e001400, 0x3400000000000000),                   \
		[VSAMP_GEN_BRD] = JUMP(0x21, 0, 0x34000e2000000000),                             \
		[VSAMP_GEN_CALL] = JUMP(0x2c, call, 0x2000002000000000),                         \
		[VSAMP_GEN_RET] = { GEN_FORM_RETURN, 0x2d, { 0x2000080000000000, 0x00450000 } }, \
		[VSAMP_GEN_SEND] = { GEN_FORM_SEND, 0x31 },                                      \
		[VSAMP_GEN_SENDS] = { GEN_FORM_SENDS, 0x33 },                                    \
		[VSAMP_GEN_ADD] = { GEN_FORM_BINARY, 0x40 },                                     \
		[VSAMP_GEN_MUL] = { GEN_FORM_BINARY, 0x41 },                                     \
		[VSAMP_GEN_FBL] = { GEN_FORM_UNARY, 0x4c },                                      \
		[VSAMP_GEN_CBIT] = { GEN_FORM_UNARY, 0x4d },                                     \
		[VSAMP_GEN_ADDC] = { GEN_FORM_BINARY, 0x4e },                                    \
		[VSAMP_GEN_NOP] = { GEN_FORM_NOP, 0x7e },                                        \
		[VSAMP_GEN_IF] = TWO(0x22, 0x20000e0000000000),                                  \
		[VSAMP_GEN_BRC] = TWO(0x23, 0x34000e2000000000),                                 \
		[VSAMP_GEN_ELSE] = TWO(0x24, 0x20000e0000000000),                                \
		[VSAMP_GEN_ENDIF] = JUMP(0x25, 0x0e000000, 0x2000000000000000),                  \
		[VSAMP_GEN_WHILE] = JUMP(0x27, 0x0e000000, 0x2000000000000000),                  \
		[VSAMP_GEN_BREAK] = TWO(0x28, 0x20000e0000000000),                               \
		[VSAMP_GEN_CONT] = TWO(0x29, 0x20000e0000000000),                                \
		[VSAMP_GEN_HALT] = TWO(0x2a, 0x20000e0000000000),                                \
		[VSAMP_GEN_GOTO] = TWO(0x2e, 0x20000e0000000000),                                \
		[VSAMP_GEN_JOIN] = JUMP(0x2f, 0x0e000000, 0x2000000000000000),                   \
		[VSAMP_GEN_CMPN] = { GEN_FORM_BINARY, 0x11 },                                    \
		[VSAMP_GEN_BFI1] = { GEN_FORM_BINARY, 0x19 },                                    \
		[VSAMP_GEN_SENDC] = { GEN_FORM_SEND, 0x32 },                                     \
		[VSAMP_GEN_SENDSC] = { GEN_FORM_SENDS, 0x34 },                                   \
		[VSAMP_GEN_AVG] = { GEN_FORM_BINARY, 0x42 },                                     \
		[VSAMP_GEN_FRC] = { GEN_FORM_UNARY, 0x43 },                                      \
		[VSAMP_GEN_RNDU] = { GEN_FORM_UNARY, 0x44 },                                     \
		[VSAMP_GEN_RNDD] = { GEN_FORM_UNARY, 0x45 },                                     \
		[VSAMP_GEN_RNDE] = { GEN_FORM_UNARY, 0x46 },                                     \
		[VSAMP_GEN_RNDZ] = { GEN_FORM_UNARY, 0x47 },                                     \
		[VSAMP_GEN_MAC] = { GEN_FORM_BINARY, 0x48 },                                     \
		[VSAMP_GEN_MACH] = { GEN_FORM_BINARY, 0x49 },                                    \
		[VSAMP_GEN_LZD] = { GEN_FORM_UNARY, 0x4a },                                      \
		[VSAMP_GEN_FBH] = { GEN_FORM_UNARY, 0x4b },                                      \
		[VSAMP_GEN_SUBB] = { GEN_FORM_BINARY, 0x4f },                                    \
		[VSAMP_GEN_SMOV] = { GEN_FORM_BINARY, 0x0a },                                    \
		[VSAMP_GEN_WAIT] = { GEN_FORM_WAIT, 0x30 },                                      \
		[VSAMP_GEN_MATH] = { GEN_FORM_MATH, 0x38 },                                      \
		[VSAMP_GEN_CSEL] = { GEN_FORM_THREE, 0x12 },                                     \
		[VSAMP_GEN_BFE] = { GEN_FORM_THREE, 0x18 },                                      \
		[VSAMP_GEN_BFI2] = { GEN_FORM_THREE, 0x1a },                                     \
		[VSAMP_GEN_MAD] = { GEN_FORM_THREE, 0x5b },                                      \
		[VSAMP_GEN_MADM] = { GEN_FORM_THREE, 0x5d }, __VA_ARGS__                         \
	}

static const struct gen_code codes_gen9[VSAMP_GEN_OPS] = CODES_BEFORE_XE(
	0x0e450000, [VSAMP_GEN_LRP] = { GEN_FORM_THREE, 0x5c });
static const struct gen_code codes_gen11[VSAMP_GEN_OPS] = CODES_BEFORE_XE(
	0x0e490000, [VSAMP_GEN_ROR] = { GEN_FORM_BINARY, 0x0e },
	[VSAMP_GEN_ROL] = { GEN_FORM_BINARY, 0x0f });

/* Of all from Xe on */
#define CODES_FROM_XE                                                                              \
	[VSAMP_GEN_ILLEGAL] = { GEN_FORM_NOP, 0x00 }, [VSAMP_GEN_SYNC] = { GEN_FORM_SYNC, 0x01 },  \
	[VSAMP_GEN_MOV] = { GEN_FORM_UNARY, 0x61 }, [VSAMP_GEN_SEL] = { GEN_FORM_BINARY, 0x62 },   \
	[VSAMP_GEN_NOT] = { GEN_FORM_UNARY, 0x64 }, [VSAMP_GEN_AND] = { GEN_FORM_BINARY, 0x65 },   \
	[VSAMP_GEN_OR] = { GEN_FORM_BINARY, 0x66 }, [VSAMP_GEN_XOR] = { GEN_FORM_BINARY, 0x67 },   \
	[VSAMP_GEN_SHR] = { GEN_FORM_BINARY, 0x68 }, [VSAMP_GEN_SHL] = { GEN_FORM_BINARY, 0x69 },  \
	[VSAMP_GEN_ASR] = { GEN_FORM_BINARY, 0x6c }, [VSAMP_GEN_CMP] = { GEN_FORM_BINARY, 0x70 },  \
	[VSAMP_GEN_BFREV] = { GEN_FORM_UNARY, 0x77 },                                              \
	[VSAMP_GEN_JMPI] = JUMP(0x20, 0, 0x0000400000000000),                                      \
	[VSAMP_GEN_BRD] = JUMP(0x21, 0, 0x0000400000000000),                                       \
	[VSAMP_GEN_CALL] = JUMP(0x2c, 0, 0x0000400000000000),                                      \
	[VSAMP_GEN_RET] = { GEN_FORM_RETURN, 0x2d }, [VSAMP_GEN_SEND] = { GEN_FORM_SEND, 0x31 },   \
	[VSAMP_GEN_ADD] = { GEN_FORM_BINARY, 0x40 }, [VSAMP_GEN_MUL] = { GEN_FORM_BINARY, 0x41 },  \
	[VSAMP_GEN_FBL] = { GEN_FORM_UNARY, 0x4c }, [VSAMP_GEN_CBIT] = { GEN_FORM_UNARY, 0x4d },   \
	[VSAMP_GEN_ADDC] = { GEN_FORM_BINARY, 0x4e }, [VSAMP_GEN_NOP] = { GEN_FORM_NOP, 0x60 },    \
	[VSAMP_GEN_IF] = TWO(0x22, 0x0000c00000000000),                                            \
	[VSAMP_GEN_BRC] = TWO(0x23, 0x0000c00000000000),                                           \
	[VSAMP_GEN_ELSE] = TWO(0x24, 0x0000c00000000000),                                          \
	[VSAMP_GEN_ENDIF] = JUMP(0x25, 0, 0x0000400000000000),                                     \
	[VSAMP_GEN_WHILE] = JUMP(0x27, 0, 0x0000400000000000),                                     \
	[VSAMP_GEN_BREAK] = TWO(0x28, 0x0000c00000000000),                                         \
	[VSAMP_GEN_CONT] = TWO(0x29, 0x0000c00000000000),                                          \
	[VSAMP_GEN_HALT] = TWO(0x2a, 0x0000c00000000000),                                          \
	[VSAMP_GEN_GOTO] = TWO(0x2e, 0x0000c00000000000),                                          \
	[VSAMP_GEN_JOIN] = JUMP(0x2f, 0, 0x0000400000000000),                                      \
	[VSAMP_GEN_CMPN] = { GEN_FORM_BINARY, 0x71 }, [VSAMP_GEN_ROR] = { GEN_FORM_BINARY, 0x6e }, \
	[VSAMP_GEN_ROL] = { GEN_FORM_BINARY, 0x6f }, [VSAMP_GEN_BFI1] = { GEN_FORM_BINARY, 0x79 }, \
	[VSAMP_GEN_SENDC] = { GEN_FORM_SEND, 0x32 }, [VSAMP_GEN_AVG] = { GEN_FORM_BINARY, 0x42 },  \
	[VSAMP_GEN_FRC] = { GEN_FORM_UNARY, 0x43 }, [VSAMP_GEN_RNDU] = { GEN_FORM_UNARY, 0x44 },   \
	[VSAMP_GEN_RNDD] = { GEN_FORM_UNARY, 0x45 }, [VSAMP_GEN_RNDE] = { GEN_FORM_UNARY, 0x46 },  \
	[VSAMP_GEN_RNDZ] = { GEN_FORM_UNARY, 0x47 }, [VSAMP_GEN_MAC] = { GEN_FORM_BINARY, 0x48 },  \
	[VSAMP_GEN_MACH] = { GEN_FORM_BINARY, 0x49 }, [VSAMP_GEN_LZD] = { GEN_FORM_UNARY, 0x4a },  \
	[VSAMP_GEN_FBH] = { GEN_FORM_UNARY, 0x4b }, [VSAMP_GEN_SUBB] = { GEN_FORM_BINARY, 0x4f },  \
	[VSAMP_GEN_MATH] = { GEN_FORM_MATH, 0x38 }, [VSAMP_GEN_CSEL] = { GEN_FORM_THREE, 0x72 },   \
	[VSAMP_GEN_BFE] = { GEN_FORM_THREE, 0x78 }, [VSAMP_GEN_BFI2] = { GEN_FORM_THREE, 0x7a },   \
	[VSAMP_GEN_MAD] = { GEN_FORM_THREE, 0x5b }, [VSAMP_GEN_DP4A] = { GEN_FORM_THREE, 0x58 }

static const struct gen_code codes_xe[VSAMP_GEN_OPS] = { CODES_FROM_XE };

static const struct gen_code codes_xe_hpg[VSAMP_GEN_OPS] = {
	CODES_FROM_XE,
	[VSAMP_GEN_MADM] = { GEN_FORM_THREE, 0x5d },
	[VSAMP_GEN_ADD3] = { GEN_FORM_THREE, 0x52 },
	[VSAMP_GEN_BFN] = { GEN_FORM_THREE, 0x6b },
};

static const struct gen_code codes_xe_hpc[VSAMP_GEN_OPS] = {
	CODES_FROM_XE,
	[VSAMP_GEN_MADM] = { GEN_FORM_THREE, 0x5d },
	[VSAMP_GEN_ADD3] = { GEN_FORM_THREE, 0x52 },
	[VSAMP_GEN_BFN] = { GEN_FORM_THREE, 0x6b },
	[VSAMP_GEN_MACL] = { GEN_FORM_BINARY, 0x53 },
};

/* In the order of their enumerations: ub, b, uw, w, ud, d, uq, q, hf, f, df, uv, v, vf */
#define TYPES_GEN9                                           \
	{                                                    \
		4, 5, 2, 3, 0, 1, 8, 9, 10, 7, 6, -1, -1, -1 \
	}
#define TYPES_GEN11                                          \
	{                                                    \
		4, 5, 2, 3, 0, 1, 6, 7, 8, 9, 10, -1, -1, -1 \
	}
#define TYPES_XE                                              \
	{                                                     \
		0, 4, 1, 5, 2, 6, 3, 7, 9, 10, 11, -1, -1, -1 \
	}
#define IMM_GEN9                                             \
	{                                                    \
		-1, -1, 2, 3, 0, 1, 8, 9, 11, 7, 10, 4, 6, 5 \
	}
#define IMM_GEN11                                            \
	{                                                    \
		-1, -1, 2, 3, 0, 1, 6, 7, 8, 9, 10, 4, 5, 11 \
	}
#define IMM_XE                                               \
	{                                                    \
		-1, -1, 1, 5, 2, 6, 3, 7, 9, 10, 11, 0, 4, 8 \
	}
#define PREDS_GEN9                                             \
	{                                                      \
		0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, -1, -1 \
	}
#define PREDS_XE_HPC                                               \
	{                                                          \
		0, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 3 \
	}

static const struct gen_swsb_layout swsb_xe = {
	.pipe = { 0x00, -1, -1, -1, -1, -1 },
	.set = 0x40,
	.dst = 0x20,
	.src = 0x30,
	.set_with = { 0x80, -1, -1, -1, -1, -1 },
	.dst_with = { 0x80, -1, -1, -1, -1, -1 },
	.src_with = NO_PIPES,
	.math_set_with = 0x80,
	.stride = 16,
};

static const struct gen_swsb_layout swsb_xe_hpg = {
	.pipe = { 0x00, 0x08, 0x10, 0x18, 0x50, -1 },
	.set = 0x40,
	.dst = 0x20,
	.src = 0x30,
	.set_with = { -1, 0x80, -1, -1, -1, -1 },
	.dst_with = { 0x80, -1, -1, -1, -1, -1 },
	.src_with = NO_PIPES,
	.math_set_with = 0x80,
	.stride = 16,
};

static const struct gen_swsb_layout swsb_xe_hpc = {
	.pipe = { 0x00, 0x08, 0x10, 0x18, 0x20, 0x28 },
	.set = 0xc0,
	.dst = 0x80,
	.src = 0xa0,
	.set_with = { -1, 0x100, 0x200, 0x300, -1, -1 },
	.dst_with = { 0x100, 0x300, -1, -1, -1, -1 },
	.src_with = { 0x200, -1, -1, -1, -1, -1 },
	.math_set_with = -1,
	.stride = 32,
};

const struct gen_platform gen_platforms[VSAMP_GEN_PLATFORMS] = {
	{ .model = { VSAMP_GEN_GEN9, "gen9", "9", "skl", .grf_size = 32, .grf_num = 128,
		     .max_block = 128, .flag_num = 2, .int64 = true, .acc_write = true,
		     .nibble = true },
	  .layout = &layout_gen9,
	  .three = &gen_three_gen9,
	  .codes = codes_gen9,
	  .compact = &gen_compact_gen9,
	  .topology = { .tid = { { 0xff00, 5 }, { 0x7, 0 } },
			.dss = { 0xf000, 12 },
			.fftid = 0x1ff },
	  .types = TYPES_GEN9,
	  .imm_types = IMM_GEN9,
	  .preds = PREDS_GEN9,
	  .math = 0xfefe,
	  .threads = 0x7,
	  .send_threads = 0x7 },
	{ .model = { VSAMP_GEN_GEN11, "gen11", "11", "icllp", .grf_size = 32, .grf_num = 128,
		     .max_block = 128, .flag_num = 2, .acc_write = true, .nibble = true },
	  .layout = &layout_gen11,
	  .three = &gen_three_gen11,
	  .codes = codes_gen11,
	  .compact = &gen_compact_gen11,
	  .topology = { .tid = { { 0x7ff0, 1 }, { 0x7, 0 } },
			.dss = { 0x7e00, 9 },
			.fftid = 0x3ff },
	  .types = TYPES_GEN11,
	  .imm_types = IMM_GEN11,
	  .preds = PREDS_GEN9,
	  .math = 0xfefe,
	  .threads = 0xf,
	  .send_threads = 0x9 },
	{ .model = { VSAMP_GEN_XE, "xe", "12p1", "tgllp", .grf_size = 32, .grf_num = 256,
		     .max_block = 128, .flag_num = 2, .token_num = 16, .acc_write = true,
		     .arf_second = true, .nibble = true },
	  .layout = &layout_xe,
	  .three = &gen_three_xe,
	  .swsb = &swsb_xe,
	  .codes = codes_xe,
	  .compact = &gen_compact_xe,
	  .topology = { .tid = { { 0x7ff0, 1 }, { 0x7, 0 } },
			.dss = { 0x7e00, 9 },
			.fftid = 0x3ff },
	  .types = TYPES_XE,
	  .imm_types = IMM_XE,
	  .preds = PREDS_GEN9,
	  .math = 0xf8fe,
	  .threads = 0x3,
	  .send_threads = 0x3,
	  .masks = 0xd },
	{ .model = { VSAMP_GEN_XE_HPG, "xe-hpg", "12p71", "dg2", .grf_size = 32, .grf_num = 256,
		     .max_block = 256, .flag_num = 2, .token_num = 16, .lsc = true,
		     .acc_write = true, .arf_second = true, .nibble = true },
	  .layout = &layout_xe,
	  .three = &gen_three_xe_hpg,
	  .swsb = &swsb_xe_hpg,
	  .codes = codes_xe_hpg,
	  .compact = &gen_compact_xe_hpg,
	  .topology = { .tid = { { 0x3f80, 2 }, { 0x30, 1 }, { 0x7, 0 } },
			.dss = { 0x3e00, 9 },
			.fftid = 0x3ff },
	  .types = TYPES_XE,
	  .imm_types = IMM_XE,
	  .preds = PREDS_GEN9,
	  .math = 0xc0fe,
	  .threads = 0x3,
	  .send_threads = 0x3,
	  .masks = 0xd },
	{ .model = { VSAMP_GEN_XE_HPC, "xe-hpc", "12p72", "pvc", .grf_size = 64, .grf_num = 256,
		     .max_block = 512, .flag_num = 4, .token_num = 32, .int64 = true, .lsc = true,
		     .arf_second = true },
	  .layout = &layout_xe_hpc,
	  .three = &gen_three_xe_hpc,
	  .swsb = &swsb_xe_hpc,
	  .codes = codes_xe_hpc,
	  .compact = &gen_compact_xe_hpc,
	  .topology = { .tid = { { 0x7f00, 3 }, { 0x30, 1 }, { 0x7, 0 } },
			.dss = { 0x7e00, 9 },
			.tile = { 0xf00, 8 },
			.fftid = 0x3ff },
	  .types = TYPES_XE,
	  .imm_types = IMM_XE,
	  .preds = PREDS_XE_HPC,
	  .math = 0xc0fe,
	  .threads = 0x3,
	  .send_threads = 0x3,
	  .masks = 0xc00d },
};

const struct vsamp_gen_model *vsamp_gen_model_get(enum vsamp_gen_platform platform)
{
	return (unsigned int)platform < VSAMP_GEN_PLATFORMS ? &gen_platforms[platform].model : NULL;
}

const struct vsamp_gen_model *vsamp_gen_model_find(const char *name)
{
	for (int i = 0; i < VSAMP_GEN_PLATFORMS; i++) {
		const struct vsamp_gen_model *m = &gen_platforms[i].model;

		if (!strcmp(name, m->name) || !strcmp(name, m->iga) || !strcmp(name, m->ocloc))
			return m;
	}
	return NULL;
}
