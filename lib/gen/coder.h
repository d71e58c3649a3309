/* SPDX-License-Identifier: MIT */
/* coder.h: what the parts that make procedures share */
#ifndef GEN_CODER_H
#define GEN_CODER_H

#include <stdarg.h>

#include <vsamp/gen_coder.h>

#include "layout.h"

#pragma GCC visibility push(hidden)

#define GEN_GRF_MAX  64	 /* bytes of a register of any platform */
#define GEN_FILE_MAX 256 /* registers */
#define GEN_VREG_GRF 16	 /* registers that a virtual one has at most */
#define GEN_SCRATCH  4	 /* dwords that procedures use */

struct gen_vreg {
	uint16_t size, flags;
	int32_t place; /* bytes from r0.0; -1: none */
};

struct vsamp_gen_coder {
	const struct gen_platform *platform;
	struct vsamp_gen_config config; /* its list of free registers is in unused */
	struct gen_vreg *vregs;
	unsigned int vreg_num, vreg_room;
	struct vsamp_gen_reg scratch[GEN_SCRATCH]; /* made when one is needed */
	struct vsamp_gen_reg header;		   /* of messages; likewise */
	uint8_t unused[GEN_FILE_MAX * GEN_GRF_MAX /
		       8];			       /* a bit a byte: the kernel doesn't use it */
	uint8_t taken[GEN_FILE_MAX * GEN_GRF_MAX / 8]; /* by virtual registers */
	char error[160];
};

struct vsamp_gen_proc {
	struct vsamp_gen_ins *ins;
	size_t num, room;
};

/* Sets what vsamp_gen_coder_error() tells; returns @status */
__attribute__((format(printf, 3, 4))) enum vsamp_gen_status
coder_fail(struct vsamp_gen_coder *c, enum vsamp_gen_status status, const char *format, ...);

/*
 * emit.c: instructions on their way to a procedure. After a failure nothing more is appended, and
 * emit_end() takes back what was.
 */
struct emit {
	struct vsamp_gen_coder *c;
	struct vsamp_gen_proc *proc;
	struct vsamp_gen_pred pred;
	size_t begin;
	enum vsamp_gen_status status;
};

/* @pred may be NULL */
struct emit emit_begin(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
		       const struct vsamp_gen_pred *pred);
enum vsamp_gen_status emit_end(struct emit *e);

/* Appended with the predicate, after all that is before it; (W) */
void emit_ins(struct emit *e, const struct vsamp_gen_ins *ins);

/* One of one channel */
void emit_unary(struct emit *e, uint8_t op, struct vsamp_gen_operand dst,
		struct vsamp_gen_operand src);
void emit_binary(struct emit *e, uint8_t op, struct vsamp_gen_operand dst,
		 struct vsamp_gen_operand src0, struct vsamp_gen_operand src1);

/* A message of a procedure, and that it has ended: @loads it writes registers */
void emit_send(struct emit *e, struct vsamp_gen_ins *ins, bool loads);

/* Waits for what has a token, where there are any */
void emit_wait(struct emit *e, uint8_t token, enum vsamp_gen_token mode);

/* Operands of one element. @sub: further bytes behind the register's */
struct vsamp_gen_operand to_reg(struct vsamp_gen_reg reg, unsigned int sub, uint8_t type);
struct vsamp_gen_operand of_reg(struct vsamp_gen_reg reg, unsigned int sub, uint8_t type);
struct vsamp_gen_operand of_arf(uint16_t num, unsigned int sub, uint8_t type);
struct vsamp_gen_operand of_imm(uint64_t value, uint8_t type);

/* All dwords of a register, for as many channels as it has: of a register's bytes / 4 */
struct vsamp_gen_operand of_whole(const struct emit *e, struct vsamp_gen_reg reg);

static inline struct vsamp_gen_operand negated(struct vsamp_gen_operand o)
{
	o.negate = true;
	return o;
}

/* Whether a register has @size bytes there, aligned to them; else the emission fails */
bool emit_need(struct emit *e, struct vsamp_gen_reg reg, unsigned int size, const char *what);

/* A dword of the coder's own, which has no value before */
struct vsamp_gen_reg emit_scratch(struct emit *e, unsigned int n);

/* Whether @num whole registers begin there */
bool emit_need_whole(struct emit *e, struct vsamp_gen_reg reg, unsigned int num, const char *what);

/* vreg.c: NULL: there is no such */
const struct gen_vreg *coder_vreg(const struct vsamp_gen_coder *c, struct vsamp_gen_reg reg);

/* proc.c: gives back its memory, and leaves it empty */
void proc_clear(struct vsamp_gen_proc *proc);

/* ids.c */
void emit_tid(struct emit *e, struct vsamp_gen_reg dst);

/* address.c: base + offset, where an offset with a sign is a dword of @type D */
void emit_address(struct emit *e, struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
		  struct vsamp_gen_operand offset);

#pragma GCC visibility pop

#endif
