/* SPDX-License-Identifier: MIT */
/*
 * vsamp/gen_build.h: what a tool appends to procedures itself: single instructions, and its records in
 * the profile buffer
 *
 * As in vsamp/gen_coder.h, what fails has appended nothing, and each instruction waits for what is
 * before it. A coder and its procedures are of one thread at a time.
 */
#ifndef VSAMP_GEN_BUILD_H
#define VSAMP_GEN_BUILD_H

#include <vsamp/gen_coder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One element of a register, as a source, and a constant; also of architecture registers */
struct vsamp_gen_operand vsamp_gen_of_reg(struct vsamp_gen_reg reg, enum vsamp_gen_type type);
struct vsamp_gen_operand vsamp_gen_of_imm(uint64_t value, enum vsamp_gen_type type);

/**
 * vsamp_gen_make_unary - @dst = @op @src
 * @op: mov, not, bfrev, fbl, cbit
 * @type: of @dst
 * @pred: NULL: always
 *
 * Errors: EINVAL: @op is none of these; those of vsamp_gen_proc_append().
 */
enum vsamp_gen_status vsamp_gen_make_unary(struct vsamp_gen_coder *coder,
					   struct vsamp_gen_proc *proc, enum vsamp_gen_op op,
					   struct vsamp_gen_reg dst, enum vsamp_gen_type type,
					   struct vsamp_gen_operand src,
					   const struct vsamp_gen_pred *pred);

/* @dst = @a @op @b: add, mul, and, or, xor, shr, shl, asr. As above */
enum vsamp_gen_status vsamp_gen_make_binary(struct vsamp_gen_coder *coder,
					    struct vsamp_gen_proc *proc, enum vsamp_gen_op op,
					    struct vsamp_gen_reg dst, enum vsamp_gen_type type,
					    struct vsamp_gen_operand a, struct vsamp_gen_operand b,
					    const struct vsamp_gen_pred *pred);

/* The bit of @flag of the first channel = @a @cond @b. Errors also: EINVAL: @flag or @cond is none */
enum vsamp_gen_status vsamp_gen_make_cmp(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
					 const struct vsamp_gen_pred *flag,
					 enum vsamp_gen_cond cond, struct vsamp_gen_operand a,
					 struct vsamp_gen_operand b);

/* @dst = @which ? @a : @b. Errors also: EINVAL: @which is none */
enum vsamp_gen_status vsamp_gen_make_sel(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
					 struct vsamp_gen_reg dst, enum vsamp_gen_type type,
					 struct vsamp_gen_operand a, struct vsamp_gen_operand b,
					 const struct vsamp_gen_pred *which);

/* @dst = @a + @b, of 8 bytes each, also where there is no arithmetic of 64-bit integers */
enum vsamp_gen_status vsamp_gen_add64(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
				      struct vsamp_gen_reg dst, struct vsamp_gen_reg a,
				      struct vsamp_gen_reg b, const struct vsamp_gen_pred *pred);

/*
 * Records in the profile buffer: @records of them, each of @record_size bytes, once for each of
 * @buckets, which hardware threads share by their numbers
 */
struct vsamp_gen_array {
	uint32_t record_size; /* bytes */
	uint32_t records;
	uint32_t buckets; /* a power of two */
	uint32_t offset;  /* bytes, of the first bucket in the buffer */
	uint32_t stride;  /* bytes from bucket to bucket: a power of two */
};

/**
 * vsamp_gen_array_make - where records are
 * @record_size: bytes, not 0
 * @records: not 0
 * @buckets: a power of two; 0: one
 * @align: of a bucket's begin, bytes, a power of two; 0: 64
 * @offset: bytes of the buffer that are before it; it begins at the next multiple of @align
 *
 * Errors: EINVAL: a number that can't be; ERANGE: it would end beyond 4 GiB.
 */
enum vsamp_gen_status vsamp_gen_array_make(struct vsamp_gen_array *array, uint32_t record_size,
					   uint32_t records, uint32_t buckets, uint32_t align,
					   uint32_t offset);

/* Bytes of the buffer up to its end */
uint64_t vsamp_gen_array_end(const struct vsamp_gen_array *array);

/* Where a record is in the buffer; UINT64_MAX: there is no such */
uint64_t vsamp_gen_array_record(const struct vsamp_gen_array *array, uint32_t bucket,
				uint32_t record);

/**
 * vsamp_gen_array_address - the address of a record of the running thread's bucket to @dst
 * @base: the buffer's address
 *
 * Errors: ERANGE: there is no such record; those of vsamp_gen_compute_thread_chunk_address().
 */
enum vsamp_gen_status vsamp_gen_array_address(struct vsamp_gen_coder *coder,
					      struct vsamp_gen_proc *proc, struct vsamp_gen_reg dst,
					      struct vsamp_gen_reg base,
					      const struct vsamp_gen_array *array, uint32_t record,
					      const struct vsamp_gen_pred *pred);

#define VSAMP_GEN_TRACE_HEAD 64 /* bytes of a trace before its first record */

/*
 * Records in the profile buffer that threads take one after the other, until there are no more. The
 * first 8 bytes of its head count how often one was asked for: those beyond @records are lost
 */
struct vsamp_gen_trace {
	uint32_t record_size; /* bytes: a power of two from 16 on */
	uint32_t records;
	uint32_t offset; /* bytes, of its head in the buffer: a multiple of 64 */
};

/* Bytes of the buffer up to its end; 0: such a trace can't be, or would end beyond 4 GiB */
uint64_t vsamp_gen_trace_end(const struct vsamp_gen_trace *trace);

/**
 * vsamp_gen_trace_reserve - a record of a trace for the running thread alone
 * @base: the buffer's address
 * @record: receives the record's address, where there is one: two whole registers (VSAMP_GEN_VREG_GRF
 * of VSAMP_GEN_VREG_MSG_ADDR), of which the first bytes count
 * @scratch: two such registers, of VSAMP_GEN_VREG_MSG_DATA, which it is computed in
 * @room: a flag; the first channel's bit of it tells whether there is one. What writes to @record has to
 * be under it
 *
 * Errors: EINVAL: there can't be such a trace; @room is none; EUNSUPPORTED: the profile buffer has
 * addresses of 32 bits; those of vsamp_gen_atomic_fetch_inc().
 */
enum vsamp_gen_status
vsamp_gen_trace_reserve(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
			const struct vsamp_gen_trace *trace, struct vsamp_gen_reg base,
			struct vsamp_gen_reg record, struct vsamp_gen_reg scratch,
			const struct vsamp_gen_pred *room);

#ifdef __cplusplus
}
#endif

#endif
