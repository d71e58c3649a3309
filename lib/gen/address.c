// SPDX-License-Identifier: MIT
/* address.c: addresses in the profile buffer, and sums of 64 bits where there are none */
#include <vsamp/gen_build.h>

#include "coder.h"

static bool is_power(uint32_t n)
{
	return n && !(n & (n - 1));
}

/*
 * The sum of the lower halves, and its carry to a register: it is what both have, or either where the
 * sum has not. That takes no flag and no accumulator.
 */
static struct vsamp_gen_operand emit_carry_pure(struct emit *e, struct vsamp_gen_reg dst,
						struct vsamp_gen_reg base,
						struct vsamp_gen_operand offset)
{
	struct vsamp_gen_reg both = emit_scratch(e, 0), either = emit_scratch(e, 1);
	struct vsamp_gen_operand low = of_reg(base, 0, VSAMP_GEN_UD);
	struct vsamp_gen_operand to_both = to_reg(both, 0, VSAMP_GEN_UD);
	struct vsamp_gen_operand to_either = to_reg(either, 0, VSAMP_GEN_UD);
	struct vsamp_gen_operand of_both = of_reg(both, 0, VSAMP_GEN_UD);
	struct vsamp_gen_operand of_either = of_reg(either, 0, VSAMP_GEN_UD);

	emit_binary(e, VSAMP_GEN_AND, to_both, low, offset);
	emit_binary(e, VSAMP_GEN_OR, to_either, low, offset);
	emit_binary(e, VSAMP_GEN_ADD, to_reg(dst, 0, VSAMP_GEN_UD), low, offset);
	emit_binary(e, VSAMP_GEN_AND, to_either, of_either, negated(of_reg(dst, 0, VSAMP_GEN_UD)));
	emit_binary(e, VSAMP_GEN_OR, to_both, of_both, of_either);
	emit_binary(e, VSAMP_GEN_SHR, to_both, of_both, of_imm(31, VSAMP_GEN_UW));
	return of_both;
}

static struct vsamp_gen_operand emit_carry(struct emit *e, struct vsamp_gen_reg dst,
					   struct vsamp_gen_reg base,
					   struct vsamp_gen_operand offset)
{
	if (e->c->config.carry == VSAMP_GEN_CARRY_PURE)
		return emit_carry_pure(e, dst, base, offset);
	emit_ins(e, &(struct vsamp_gen_ins){ .op = VSAMP_GEN_ADDC,
					     .exec = 1,
					     .acc_write = e->c->platform->model.acc_write,
					     .dst = to_reg(dst, 0, VSAMP_GEN_UD),
					     .src = { of_reg(base, 0, VSAMP_GEN_UD), offset } });
	return of_arf(VSAMP_GEN_ACC0, 0, VSAMP_GEN_UD);
}

/* The higher half of an offset with a sign: 0, or all ones */
static struct vsamp_gen_operand emit_sign(struct emit *e, struct vsamp_gen_operand offset)
{
	struct vsamp_gen_reg sign = emit_scratch(e, 2);

	if (offset.file == VSAMP_GEN_IMM)
		return of_imm((uint32_t)offset.imm >> 31 ? UINT32_MAX : 0, VSAMP_GEN_UD);
	offset.type = VSAMP_GEN_D;
	emit_binary(e, VSAMP_GEN_ASR, to_reg(sign, 0, VSAMP_GEN_D), offset,
		    of_imm(31, VSAMP_GEN_UW));
	return of_reg(sign, 0, VSAMP_GEN_UD);
}

/* By halves; any may be another */
static void emit_add64_halves(struct emit *e, struct vsamp_gen_reg dst, struct vsamp_gen_reg a,
			      struct vsamp_gen_reg b)
{
	struct vsamp_gen_reg high = emit_scratch(e, 2);
	struct vsamp_gen_operand carry;

	emit_binary(e, VSAMP_GEN_ADD, to_reg(high, 0, VSAMP_GEN_UD), of_reg(a, 4, VSAMP_GEN_UD),
		    of_reg(b, 4, VSAMP_GEN_UD));
	carry = emit_carry(e, dst, a, of_reg(b, 0, VSAMP_GEN_UD));
	emit_binary(e, VSAMP_GEN_ADD, to_reg(dst, 4, VSAMP_GEN_UD), carry,
		    of_reg(high, 0, VSAMP_GEN_UD));
}

enum vsamp_gen_status vsamp_gen_add64(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
				      struct vsamp_gen_reg dst, struct vsamp_gen_reg a,
				      struct vsamp_gen_reg b, const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	if (!emit_need(&e, dst, 8, "a sum") || !emit_need(&e, a, 8, "the first of a sum") ||
	    !emit_need(&e, b, 8, "the second of a sum"))
		return emit_end(&e);
	if (c->platform->model.int64)
		emit_binary(&e, VSAMP_GEN_ADD, to_reg(dst, 0, VSAMP_GEN_UQ),
			    of_reg(a, 0, VSAMP_GEN_UQ), of_reg(b, 0, VSAMP_GEN_UQ));
	else
		emit_add64_halves(&e, dst, a, b);
	return emit_end(&e);
}

/* By halves; the base may be the destination, and so may the offset */
static void emit_address_halves(struct emit *e, struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
				struct vsamp_gen_operand offset)
{
	struct vsamp_gen_operand high = to_reg(dst, 4, VSAMP_GEN_UD), sign = { 0 }, carry;
	bool with_sign = offset.type == VSAMP_GEN_D;

	if (with_sign)
		sign = emit_sign(e, offset);
	offset.type = VSAMP_GEN_UD;
	carry = emit_carry(e, dst, base, offset);
	emit_binary(e, VSAMP_GEN_ADD, high, carry, of_reg(base, 4, VSAMP_GEN_UD));
	if (with_sign && (sign.file != VSAMP_GEN_IMM || sign.imm))
		emit_binary(e, VSAMP_GEN_ADD, high, of_reg(dst, 4, VSAMP_GEN_UD), sign);
}

void emit_address(struct emit *e, struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
		  struct vsamp_gen_operand offset)
{
	bool a64 = e->c->config.profile.a64, int64 = e->c->platform->model.int64;
	uint8_t type = !a64			  ? VSAMP_GEN_UD :
		       offset.type == VSAMP_GEN_D ? VSAMP_GEN_Q :
						    VSAMP_GEN_UQ;

	if (!emit_need(e, dst, a64 ? 8 : 4, "an address") ||
	    !emit_need(e, base, a64 ? 8 : 4, "a base address"))
		return;
	if (a64 && !int64) {
		emit_address_halves(e, dst, base, offset);
		return;
	}
	if (!a64)
		offset.type = VSAMP_GEN_UD;
	emit_binary(e, VSAMP_GEN_ADD, to_reg(dst, 0, type), of_reg(base, 0, type), offset);
}

static enum vsamp_gen_status address(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
				     struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
				     struct vsamp_gen_operand offset,
				     const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	emit_address(&e, dst, base, offset);
	return emit_end(&e);
}

static enum vsamp_gen_status address_reg(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
					 struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
					 struct vsamp_gen_reg offset, uint8_t type,
					 const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	if (emit_need(&e, offset, 4, "an offset"))
		emit_address(&e, dst, base, of_reg(offset, 0, type));
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_compute_address(struct vsamp_gen_coder *c,
						struct vsamp_gen_proc *proc,
						struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
						uint32_t offset, const struct vsamp_gen_pred *pred)
{
	return address(c, proc, dst, base, of_imm(offset, VSAMP_GEN_UD), pred);
}

enum vsamp_gen_status
vsamp_gen_compute_address_reg(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
			      struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
			      struct vsamp_gen_reg offset, const struct vsamp_gen_pred *pred)
{
	return address_reg(c, proc, dst, base, offset, VSAMP_GEN_UD, pred);
}

enum vsamp_gen_status vsamp_gen_compute_rel_address(struct vsamp_gen_coder *c,
						    struct vsamp_gen_proc *proc,
						    struct vsamp_gen_reg dst,
						    struct vsamp_gen_reg base, int32_t offset,
						    const struct vsamp_gen_pred *pred)
{
	return address(c, proc, dst, base, of_imm((uint32_t)offset, VSAMP_GEN_D), pred);
}

enum vsamp_gen_status
vsamp_gen_compute_rel_address_reg(struct vsamp_gen_coder *c, struct vsamp_gen_proc *proc,
				  struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
				  struct vsamp_gen_reg offset, const struct vsamp_gen_pred *pred)
{
	return address_reg(c, proc, dst, base, offset, VSAMP_GEN_D, pred);
}

static bool chunk_check(struct emit *e, const struct vsamp_gen_chunk *chunk)
{
	if (!is_power(chunk->buckets) || !is_power(chunk->size))
		e->status = coder_fail(e->c, VSAMP_GEN_EINVAL,
				       "%u chunks of %u bytes: both are powers of two",
				       chunk->buckets, chunk->size);
	else if ((chunk->buckets - 1ULL) * chunk->size + chunk->base_offset + chunk->offset >
		 UINT32_MAX)
		e->status = coder_fail(e->c, VSAMP_GEN_ERANGE,
				       "%u chunks of %u bytes: the last is beyond 4 GiB",
				       chunk->buckets, chunk->size);
	return !e->status;
}

static void emit_chunk_offset(struct emit *e, struct vsamp_gen_reg dst,
			      const struct vsamp_gen_chunk *chunk)
{
	struct vsamp_gen_operand to = to_reg(dst, 0, VSAMP_GEN_UD);
	struct vsamp_gen_operand of = of_reg(dst, 0, VSAMP_GEN_UD);
	uint32_t rest = chunk->base_offset + chunk->offset;

	emit_tid(e, dst);
	emit_binary(e, VSAMP_GEN_AND, to, of, of_imm(chunk->buckets - 1, VSAMP_GEN_UD));
	if (chunk->size > 1)
		emit_binary(e, VSAMP_GEN_SHL, to, of,
			    of_imm(__builtin_ctz(chunk->size), VSAMP_GEN_UW));
	if (rest)
		emit_binary(e, VSAMP_GEN_ADD, to, of, of_imm(rest, VSAMP_GEN_UD));
}

enum vsamp_gen_status vsamp_gen_compute_thread_chunk_offset(struct vsamp_gen_coder *c,
							    struct vsamp_gen_proc *proc,
							    struct vsamp_gen_reg dst,
							    const struct vsamp_gen_chunk *chunk,
							    const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);

	if (emit_need(&e, dst, 4, "a chunk's offset") && chunk_check(&e, chunk))
		emit_chunk_offset(&e, dst, chunk);
	return emit_end(&e);
}

enum vsamp_gen_status vsamp_gen_compute_thread_chunk_address(struct vsamp_gen_coder *c,
							     struct vsamp_gen_proc *proc,
							     struct vsamp_gen_reg dst,
							     struct vsamp_gen_reg base,
							     const struct vsamp_gen_chunk *chunk,
							     const struct vsamp_gen_pred *pred)
{
	struct emit e = emit_begin(c, proc, pred);
	struct vsamp_gen_reg offset = emit_scratch(&e, 3);

	if (!e.status && chunk_check(&e, chunk)) {
		emit_chunk_offset(&e, offset, chunk);
		emit_address(&e, dst, base, of_reg(offset, 0, VSAMP_GEN_UD));
	}
	return emit_end(&e);
}
