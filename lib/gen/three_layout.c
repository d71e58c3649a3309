// SPDX-License-Identifier: MIT
/* three_layout.c: where the parts of an instruction with three sources are, by platform */
#include "layout.h"

#define NO_TYPES -1, -1, -1

const struct gen_three_layout gen_three_gen9 = {
	.dst = { .type = { 46, 3 },
		 .num = { 56, 8 },
		 .sub = { 53, 3 },
		 .mme = { 49, 4 },
		 .sub_shift = 2 },
	.src = { { .type = { 43, 3 },
		   .num = { 76, 8 },
		   .sub = { 73, 3 },
		   .half = { 84, 1 },
		   .negate = { 38, 1 },
		   .abs = { 37, 1 },
		   .mme = { 65, 4 },
		   .swizzle = { 65, 8 },
		   .repeat = { 64, 1 },
		   .sub_shift = 2 },
		 { .type = { 36, 1 },
		   .num = { 97, 8 },
		   .sub = { 94, 3 },
		   .half = { 105, 1 },
		   .negate = { 40, 1 },
		   .abs = { 39, 1 },
		   .mme = { 86, 4 },
		   .swizzle = { 86, 8 },
		   .repeat = { 85, 1 },
		   .sub_shift = 2 },
		 { .type = { 35, 1 },
		   .num = { 118, 8 },
		   .sub = { 115, 3 },
		   .half = { 126, 1 },
		   .negate = { 42, 1 },
		   .abs = { 41, 1 },
		   .mme = { 107, 4 },
		   .swizzle = { 107, 8 },
		   .repeat = { 106, 1 },
		   .sub_shift = 2 } },
	.mask = { 49, 4 },
	.base = 1 << 8,
	.types = { -1, -1, -1, -1, 2, 1, -1, -1, 4, 0, 3, NO_TYPES },
};

const struct gen_three_layout gen_three_gen11 = {
	.dst = { .file = { 36, 1 },
		 .type = { 46, 3 },
		 .num = { 56, 8 },
		 .sub = { 54, 2 },
		 .mme = { 52, 4 },
		 .hstride = { 49, 1 },
		 .sub_shift = 3 },
	.src = { { .imm = { 43, 1 },
		   .value = { 67, 16 },
		   .type = { 64, 3 },
		   .num = { 76, 8 },
		   .sub = { 71, 5 },
		   .negate = { 38, 1 },
		   .abs = { 37, 1 },
		   .mme = { 72, 4 },
		   .hstride = { 69, 2 },
		   .vstride = { 67, 2 } },
		 { .file = { 44, 1 },
		   .type = { 85, 3 },
		   .num = { 97, 8 },
		   .sub = { 92, 5 },
		   .negate = { 40, 1 },
		   .abs = { 39, 1 },
		   .mme = { 93, 4 },
		   .hstride = { 90, 2 },
		   .vstride = { 88, 2 } },
		 { .imm = { 45, 1 },
		   .value = { 109, 16 },
		   .type = { 106, 3 },
		   .num = { 118, 8 },
		   .sub = { 113, 5 },
		   .negate = { 42, 1 },
		   .abs = { 41, 1 },
		   .mme = { 114, 4 },
		   .hstride = { 111, 2 } } },
	.floats = { 35, 1 },
	.vstrides = { 0, 2, 4, 8 },
	.types = { 4, 5, 2, 3, 0, 1, -1, -1, 0, 1, 2, NO_TYPES },
};

/* What all from Xe on have at the same places */
#define FROM_XE(dst_low, dst_width, dst_shift, src_shift)                      \
	.dst = { .file = { 50, 1 },                                            \
		 .type = { 36, 3 },                                            \
		 .num = { 56, 8 },                                             \
		 .sub = { dst_low, dst_width },                                \
		 .mme = { 51, 4 },                                             \
		 .hstride = { 48, 1 },                                         \
		 .sub_shift = dst_shift },                                     \
	.src = { { .file = { 66, 1 },                                          \
		   .imm = { 46, 1 },                                           \
		   .value = { 64, 16 },                                        \
		   .type = { 40, 3 },                                          \
		   .num = { 72, 8 },                                           \
		   .sub = { 67, 5 },                                           \
		   .negate = { 45, 1 },                                        \
		   .abs = { 44, 1 },                                           \
		   .mme = { 67, 4 },                                           \
		   .hstride = { 64, 2 },                                       \
		   .vstride = { 43, 1 },                                       \
		   .vstride_low = { 35, 1 },                                   \
		   .sub_shift = src_shift },                                   \
		 { .file = { 98, 1 },                                          \
		   .type = { 88, 3 },                                          \
		   .num = { 104, 8 },                                          \
		   .sub = { 99, 5 },                                           \
		   .negate = { 87, 1 },                                        \
		   .abs = { 86, 1 },                                           \
		   .mme = { 99, 4 },                                           \
		   .hstride = { 96, 2 },                                       \
		   .vstride = { 91, 1 },                                       \
		   .vstride_low = { 83, 1 },                                   \
		   .sub_shift = src_shift },                                   \
		 { .file = { 114, 1 },                                         \
		   .imm = { 47, 1 },                                           \
		   .value = { 112, 16 },                                       \
		   .type = { 80, 3 },                                          \
		   .num = { 120, 8 },                                          \
		   .sub = { 115, 5 },                                          \
		   .negate = { 85, 1 },                                        \
		   .abs = { 84, 1 },                                           \
		   .mme = { 115, 4 },                                          \
		   .hstride = { 112, 2 },                                      \
		   .sub_shift = src_shift } },                                 \
	.floats = { 39, 1 }, .function = { 92, 4 }, .function_low = { 84, 4 }, \
	.function_cond = { 44, 2 }, .vstrides = { 0, 1, 4, 8 }, .file_grf = 1, \
	.types = { 0, 4, 1, 5, 2, 6, -1, -1, 1, 2, 3, NO_TYPES }

const struct gen_three_layout gen_three_xe = { FROM_XE(54, 2, 3, 0) };
const struct gen_three_layout gen_three_xe_hpg = { FROM_XE(51, 5, 0, 0) };
const struct gen_three_layout gen_three_xe_hpc = { FROM_XE(51, 5, 1, 1) };
