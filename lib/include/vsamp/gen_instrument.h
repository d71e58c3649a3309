/* SPDX-License-Identifier: MIT */
/*
 * vsamp/gen_instrument.h: procedures put into the kernels of a binary
 *
 * A tool is asked once for each kernel what to insert where. Then all kernels get new code, or on an
 * error none has changed. A kernel into which nothing is inserted keeps its bytes.
 *
 * What the kernel does stays as it is: jumps lead where they led, flags and accumulator that a procedure
 * writes are put back behind it, and what is in flight for the scoreboard is waited for. Registers are
 * those that the kernel leaves; that these run out is an ordinary error. Nothing here has run on a GPU.
 */
#ifndef VSAMP_GEN_INSTRUMENT_H
#define VSAMP_GEN_INSTRUMENT_H

#include <vsamp/gen_binary.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel that is being built: it exists while the tool is asked, and no longer */
struct vsamp_gen_instrument;

struct vsamp_gen_tool {
	/* What isn't OK ends everything, and is returned */
	enum vsamp_gen_status (*on_kernel_build)(struct vsamp_gen_instrument *instrument,
						 void *arg);
	void *arg;
};

struct vsamp_gen_instrument_options {
	uint64_t buffer; /* address of the profile buffer or, of a surface, offset in it */
	struct vsamp_gen_addr_model profile;
	uint8_t carry; /* enum vsamp_gen_carry */
};

/* What was done to a kernel. Offsets are bytes in its new code */
struct vsamp_gen_instrument_result {
	size_t inserted; /* procedures: how often one is there; 0: its code is as it was */
	size_t base_low; /* of the 32 bits of the buffer's address that its begin sets; 0: nowhere */
	size_t base_high; /* of the upper 32 bits; 0: nowhere */
};

/**
 * vsamp_gen_instrument_binary - asks a tool for each kernel of a binary, and builds all
 * @results: receives one for each kernel; may be NULL
 * @why: receives what is wrong, in words; may be NULL
 * @why_size: bytes of @why
 *
 * Errors: EINVAL, and those of the tool; EUNSUPPORTED: a kernel has what can't be rewritten: an
 * instruction that isn't known and may jump, or an address that is computed; ENOREG: more registers are
 * needed than it leaves, or its compiler was not asked for those;
 * ERANGE: it becomes too large; ENOMEM. The binary is then as it was.
 */
enum vsamp_gen_status
vsamp_gen_instrument_binary(struct vsamp_gen_binary *binary, const struct vsamp_gen_tool *tool,
			    const struct vsamp_gen_instrument_options *options,
			    struct vsamp_gen_instrument_result *results, char *why,
			    size_t why_size);

/* Of the kernel: its platform, free registers, and the profile buffer's base. Not to be closed */
struct vsamp_gen_coder *vsamp_gen_instrument_coder(struct vsamp_gen_instrument *instrument);

const struct vsamp_gen_kernel *
vsamp_gen_instrument_kernel(const struct vsamp_gen_instrument *instrument);

/* A register that holds the profile buffer's address, or offset: 8 bytes, or 4 */
struct vsamp_gen_reg vsamp_gen_instrument_base(const struct vsamp_gen_instrument *instrument);

/* Instructions from the kernel's entry on: what is before it only loads arguments, and stays */
size_t vsamp_gen_instrument_count(const struct vsamp_gen_instrument *instrument);

/* NULL: there are not so many */
const struct vsamp_gen_ins *vsamp_gen_instrument_ins(const struct vsamp_gen_instrument *instrument,
						     size_t n);

/* Where it was in the kernel's code: bytes from its begin; of n = count, the end */
size_t vsamp_gen_instrument_offset(const struct vsamp_gen_instrument *instrument, size_t n);

/*
 * Whether channels meet at the instruction @n: join, endif, else, while, halt. Those that jump to it come
 * to itself, beside the block that it is the end of: it may be executed more often, or less
 */
bool vsamp_gen_instrument_meets(const struct vsamp_gen_instrument *instrument, size_t n);

/*
 * Basic blocks: instructions that are executed one after the other, from the first to the last. Each
 * instruction is of one. Where channels meet (join, endif, else, while, halt) jumps lead to the
 * instruction itself and nothing can be put between: such ones are the last of the block before, so
 * that the first of a block is always one before which can be inserted.
 */
size_t vsamp_gen_instrument_block_count(const struct vsamp_gen_instrument *instrument);

/* To @first and @num. False: there are not so many */
bool vsamp_gen_instrument_block(const struct vsamp_gen_instrument *instrument, size_t block,
				size_t *first, size_t *num);

/**
 * vsamp_gen_instrument_insert_before - whenever the instruction @n is about to be executed
 *
 * Jumps to it lead to what is inserted. The procedure is copied; several are executed in their order.
 * Its virtual registers of VSAMP_GEN_VREG_SCRATCH share places with those of others, the rest keep
 * theirs in the whole kernel; those of VSAMP_GEN_VREG_COUNTER are zero when it begins.
 *
 * Errors of these: EINVAL: there is no such place, or a jump in the procedure; EUNSUPPORTED: it writes
 * an accumulator of which the kernel needs more than can be put back; ENOMEM.
 */
enum vsamp_gen_status vsamp_gen_instrument_insert_before(struct vsamp_gen_instrument *instrument,
							 size_t n,
							 const struct vsamp_gen_proc *proc);

/* When the instruction @n has been executed. Also EINVAL: it is a jump, or ends the thread */
enum vsamp_gen_status vsamp_gen_instrument_insert_after(struct vsamp_gen_instrument *instrument,
							size_t n,
							const struct vsamp_gen_proc *proc);

/* Once, when the kernel begins */
enum vsamp_gen_status vsamp_gen_instrument_insert_begin(struct vsamp_gen_instrument *instrument,
							const struct vsamp_gen_proc *proc);

/* Before each instruction that ends the thread */
enum vsamp_gen_status vsamp_gen_instrument_insert_end(struct vsamp_gen_instrument *instrument,
						      const struct vsamp_gen_proc *proc);

#ifdef __cplusplus
}
#endif

#endif
