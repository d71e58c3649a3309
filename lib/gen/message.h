/* SPDX-License-Identifier: MIT */
/* message.h: what messages of procedures have in their descriptors */
#ifndef GEN_MESSAGE_H
#define GEN_MESSAGE_H

#include "coder.h"

#define SFID_DC0       0xa /* 32-bit addresses and surfaces */
#define SFID_DC1       0xc /* 64-bit addresses */
#define SFID_SLM       0xe
#define SFID_UGM       0xf

#define MLEN(n)	       ((uint32_t)(n) << 25)
#define MLEN_OF(desc)  ((desc) >> 25 & 0xf)
#define RLEN(n)	       ((uint32_t)(n) << 20)
#define RLEN_OF(desc)  ((desc) >> 20 & 0x1f)

/* Data port */
#define HDC_HEADER     (1U << 19)
#define HDC_TYPE(n)    ((uint32_t)(n) << 14)
#define HDC_OWORDS(n)  ((uint32_t)(n) << 8) /* 0: one; 2, 3, 4: two, four, eight */
#define HDC_READ       0x0
#define HDC_WRITE      0x8
#define HDC_READ_A64   0x14
#define HDC_WRITE_A64  0x15
#define HDC_ATOMIC_A64 0x12
#define HDC_ATOMIC_64  (1U << 12) /* values of 64 bits */
#define HDC_RETURN     (1U << 13)
#define HDC_INC	       (5U << 8)
#define HDC_ADD	       (7U << 8)

/* Load-store cache */
#define LSC_LOAD       0
#define LSC_STORE      4
#define LSC_INC	       8
#define LSC_ADD	       12
#define LSC_A32	       (2U << 7)
#define LSC_A64	       (3U << 7)
#define LSC_D32	       (2U << 9)
#define LSC_D64	       (3U << 9)
#define LSC_VECTOR(n)  ((uint32_t)(n) << 12) /* 3..7: 4, 8, .. 64 values */
#define LSC_TRANSPOSE  (1U << 15)
#define LSC_BTI	       (3U << 29)
#define LSC_VECTOR_MAX 7
#define LSC_VECTOR_4   3

#pragma GCC visibility push(hidden)

static inline struct vsamp_gen_operand whole(struct vsamp_gen_reg reg)
{
	return (struct vsamp_gen_operand){ .file = reg.file, .num = reg.num, .sub = reg.sub };
}

/* block.c: whether a register can be a message's address */
bool need_address(struct emit *e, struct vsamp_gen_reg address);

#pragma GCC visibility pop

#endif
