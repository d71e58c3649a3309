/* SPDX-License-Identifier: MIT */
/*
 * vsamp/gen_binary.h: kernels of Intel GPUs in the files that their compiler makes
 *
 * Files are ELF of the kind that the compiler calls zebin: those of ocloc with IGC_EnableZEBinary=1 in
 * its environment. Nothing of a file is believed: what does not fit makes it none. All functions are
 * thread-safe for distinct binaries.
 */
#ifndef VSAMP_GEN_BINARY_H
#define VSAMP_GEN_BINARY_H

#include <vsamp/gen_coder.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_GEN_CODE_MAX (16 << 20) /* bytes of a kernel */

struct vsamp_gen_binary;

struct vsamp_gen_kernel {
	const char *name;
	const void *code;
	size_t size; /* bytes of instructions; zeros may fill it up at its end */
	size_t entry; /* bytes: what is before it loads arguments, and hardware may begin within it */
	unsigned int simd;    /* channels: 8, 16, 32; 1: not told */
	unsigned int grf_num; /* registers that its threads have; 0: not told */
	/* what it leaves from its entry on, in order; none: its compiler was not asked
	 * (-ze-gtpin-grf-info) */
	const struct vsamp_gen_grf_range *free;
	size_t free_num;
	uint32_t scratch; /* bytes of its threads' scratch memory that are left to tools */
	/* It calls functions by the convention that has a stack: of such its compiler never tells
	 * what is free */
	bool stack_calls;
};

/**
 * vsamp_gen_binary_open - reads a file
 * @data: its bytes, which have to stay while the binary is open
 * @size: how many
 * @why: receives what is wrong with it, in words; may be NULL
 * @why_size: bytes of @why
 *
 * Errors: VSAMP_GEN_EINVAL: it is no such file, or not a whole one; VSAMP_GEN_EUNSUPPORTED: of a GPU
 * that isn't known here; VSAMP_GEN_ENOMEM.
 */
enum vsamp_gen_status vsamp_gen_binary_open(struct vsamp_gen_binary **binary, const void *data,
					    size_t size, char *why, size_t why_size);

/** vsamp_gen_binary_model - of the GPU that it is for */
const struct vsamp_gen_model *vsamp_gen_binary_model(const struct vsamp_gen_binary *binary);

/** vsamp_gen_binary_kernels - how many there are, at least one */
size_t vsamp_gen_binary_kernels(const struct vsamp_gen_binary *binary);

/** vsamp_gen_binary_kernel - the @n-th, in the file's order; NULL: there is no such */
const struct vsamp_gen_kernel *vsamp_gen_binary_kernel(const struct vsamp_gen_binary *binary,
						       size_t n);

/**
 * vsamp_gen_binary_function - the code of a function that kernels call
 * @code: receives where it is, for as long as the binary is open
 * @size: receives its bytes
 *
 * Error: EINVAL: the binary has no symbol of that name.
 */
enum vsamp_gen_status vsamp_gen_binary_function(const struct vsamp_gen_binary *binary,
						const char *name, const void **code, size_t *size);

/**
 * vsamp_gen_binary_replace - gives the @n-th kernel other code
 * @code: copied
 * @size: bytes, at most VSAMP_GEN_CODE_MAX
 * @moved: where each 8 bytes of the old code are in the new, and last where its end is:
 * kernel->size / 8 + 1 offsets, ascending
 *
 * vsamp_gen_binary_kernel() tells of it from then on; symbols and relocations are moved when the file
 * is written. Errors: EINVAL: no such kernel, or it has other code already; ERANGE: too large; ENOMEM.
 */
enum vsamp_gen_status vsamp_gen_binary_replace(struct vsamp_gen_binary *binary, size_t n,
					       const void *code, size_t size, const size_t *moved);

/**
 * vsamp_gen_binary_write - the file with the kernels' code as it is now
 * @data: receives its bytes, for free()
 *
 * All else is what it was, byte for byte, further back where code is longer. Errors: EUNSUPPORTED: the
 * file has sections that lie within one another, and can't be moved; ENOMEM.
 */
enum vsamp_gen_status vsamp_gen_binary_write(const struct vsamp_gen_binary *binary, void **data,
					     size_t *size);

/** vsamp_gen_binary_close - @binary may be NULL */
void vsamp_gen_binary_close(struct vsamp_gen_binary *binary);

#ifdef __cplusplus
}
#endif

#endif
