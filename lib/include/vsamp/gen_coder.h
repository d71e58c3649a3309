/* SPDX-License-Identifier: MIT */
/*
 * vsamp/gen_coder.h: procedures that instrument kernels of Intel GPUs
 *
 * A procedure is a row of instructions in registers that a kernel doesn't use: they are virtual until
 * vsamp_gen_proc_assign() gives each a place in what is free. A coder knows the platform and what the
 * kernel leaves; its functions append to a procedure, or on an error nothing.
 *
 * Unless it is said, procedures change what they are told to write alone: no flag, no accumulator.
 * Where hardware finds no dependencies itself, each instruction waits for what is before it, and a
 * procedure ends when its messages have.
 *
 * A coder and its procedures are of one thread at a time. Nothing here has run on a GPU.
 */
#ifndef VSAMP_GEN_CODER_H
#define VSAMP_GEN_CODER_H

#include <vsamp/gen.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_gen_coder;
struct vsamp_gen_proc;

/* A register, from a byte of it on */
struct vsamp_gen_reg {
	uint8_t file; /* VSAMP_GEN_GRF, VSAMP_GEN_ARF, VSAMP_GEN_VIRT; VSAMP_GEN_NONE: none */
	uint16_t num, sub;
};

/* Which channels an instruction is for; one of mode VSAMP_GEN_PRED_NONE is none */
struct vsamp_gen_pred {
	uint8_t mode; /* enum vsamp_gen_pred_mode */
	bool invert;
	uint8_t flag, flag_sub;
};

/* How the profile buffer is reached: the surface that messages name */
enum vsamp_gen_surface {
	/* 0..0xef: an entry of the binding table */
	VSAMP_GEN_SLM = 0xfe,
	VSAMP_GEN_STATELESS_NC = 0xfd, /* not coherent */
	VSAMP_GEN_STATELESS = 0xff,
};

struct vsamp_gen_addr_model {
	uint8_t surface; /* enum vsamp_gen_surface */
	bool a64;	 /* addresses of 64 bits: of VSAMP_GEN_STATELESS ones */
};

/* Bytes of the register file, counted from r0.0 */
struct vsamp_gen_grf_range {
	uint16_t start, size;
};

enum vsamp_gen_carry {
	VSAMP_GEN_CARRY_PURE, /* computed from the sum: changes nothing else */
	VSAMP_GEN_CARRY_ACC,  /* in acc0, which the kernel then must not use: one instruction */
};

struct vsamp_gen_config {
	enum vsamp_gen_platform platform;
	struct vsamp_gen_addr_model profile;	/* of the profile buffer */
	struct vsamp_gen_reg profile_base;	/* holds its address or, of a surface, its offset */
	struct vsamp_gen_reg r0;		/* holds what r0 was; none: r0 itself does */
	const struct vsamp_gen_grf_range *free; /* what the kernel doesn't use */
	size_t free_num;
	uint8_t simd;  /* channels of the kernel: 8, 16, 32 */
	uint8_t token; /* that the kernel doesn't use: of procedures' messages */
	uint8_t carry; /* enum vsamp_gen_carry */
};

/** vsamp_gen_coder_open - of a kernel; @config is copied. Errors: EINVAL, ERANGE, ENOMEM */
enum vsamp_gen_status vsamp_gen_coder_open(struct vsamp_gen_coder **coder,
					   const struct vsamp_gen_config *config);
void vsamp_gen_coder_close(struct vsamp_gen_coder *coder);

/** vsamp_gen_coder_error - what the last failure was about, in words; "" before the first */
const char *vsamp_gen_coder_error(const struct vsamp_gen_coder *coder);

const struct vsamp_gen_model *vsamp_gen_coder_model(const struct vsamp_gen_coder *coder);

/*
 * Virtual registers
 */

enum vsamp_gen_vreg_type {
	VSAMP_GEN_VREG_BYTE,
	VSAMP_GEN_VREG_WORD,
	VSAMP_GEN_VREG_DWORD,
	VSAMP_GEN_VREG_QWORD,
	VSAMP_GEN_VREG_OWORD,
	VSAMP_GEN_VREG_HWORD,  /* 32 bytes */
	VSAMP_GEN_VREG_DHWORD, /* 64 bytes */
	VSAMP_GEN_VREG_PTR,    /* an address in the profile buffer's model: 8 bytes, or 4 */
	VSAMP_GEN_VREG_GRF,    /* a whole register of the platform */
	VSAMP_GEN_VREG_TYPES
};

/* What a virtual register is for */
enum vsamp_gen_vreg_flag {
	VSAMP_GEN_VREG_COUNTER =
		2, /* keeps its value between procedures; zero when a kernel begins */
	VSAMP_GEN_VREG_SCRATCH = 4,  /* has no value when a procedure begins */
	VSAMP_GEN_VREG_MSG_ADDR = 8, /* of messages, which have whole registers: begins with one */
	VSAMP_GEN_VREG_MSG_DATA = 16,
};

/**
 * vsamp_gen_vreg_make - a virtual register of @count values
 * @flags: of enum vsamp_gen_vreg_flag
 * @reg: receives it; unchanged on errors
 *
 * Errors: EINVAL: no such type or flags, or none of them; ERANGE: more than 16 registers; ENOMEM.
 */
enum vsamp_gen_status vsamp_gen_vreg_make(struct vsamp_gen_coder *coder,
					  enum vsamp_gen_vreg_type type, unsigned int count,
					  unsigned int flags, struct vsamp_gen_reg *reg);

/* How many there are; their numbers are below it */
unsigned int vsamp_gen_vreg_count(const struct vsamp_gen_coder *coder);

/* Bytes; 0: there is no such */
unsigned int vsamp_gen_vreg_size(const struct vsamp_gen_coder *coder, struct vsamp_gen_reg reg);
unsigned int vsamp_gen_vreg_flags(const struct vsamp_gen_coder *coder, struct vsamp_gen_reg reg);
bool vsamp_gen_vreg_contains(const struct vsamp_gen_coder *coder, struct vsamp_gen_reg reg);

/* Forgets all, and which places they had: procedures that use them can't be assigned any more */
void vsamp_gen_vreg_clear(struct vsamp_gen_coder *coder);

/*
 * The kernel's free registers
 */

/**
 * vsamp_gen_reg_reserve - a place for a virtual register, which it keeps until it is released
 *
 * Nothing happens where it has one. Errors: EINVAL: no virtual register; ENOREG, and all is as before.
 */
enum vsamp_gen_status vsamp_gen_reg_reserve(struct vsamp_gen_coder *coder,
					    struct vsamp_gen_reg reg);

/* All there are, or none. Errors as above */
enum vsamp_gen_status vsamp_gen_reg_reserve_all(struct vsamp_gen_coder *coder);

/* All that a procedure names, or none */
enum vsamp_gen_status vsamp_gen_reg_reserve_operands(struct vsamp_gen_coder *coder,
						     const struct vsamp_gen_proc *proc);

/* Its place: a register of file VSAMP_GEN_GRF; VSAMP_GEN_NONE: it has none */
struct vsamp_gen_reg vsamp_gen_reg_get_reserved(const struct vsamp_gen_coder *coder,
						struct vsamp_gen_reg reg);
void vsamp_gen_reg_release(struct vsamp_gen_coder *coder, struct vsamp_gen_reg reg);
void vsamp_gen_reg_release_all(struct vsamp_gen_coder *coder);

/*
 * Procedures
 */

enum vsamp_gen_status vsamp_gen_proc_make(struct vsamp_gen_proc **proc);
void vsamp_gen_proc_free(struct vsamp_gen_proc *proc);

size_t vsamp_gen_proc_count(const struct vsamp_gen_proc *proc);

/* NULL: there are not so many. Valid until the procedure changes */
const struct vsamp_gen_ins *vsamp_gen_proc_get(const struct vsamp_gen_proc *proc, size_t n);

/**
 * vsamp_gen_proc_append - an instruction of the caller's, as it is
 *
 * Errors are those of vsamp_gen_encode(), and EINVAL where it names a virtual register that isn't there.
 */
enum vsamp_gen_status vsamp_gen_proc_append(struct vsamp_gen_coder *coder,
					    struct vsamp_gen_proc *proc,
					    const struct vsamp_gen_ins *ins);

/**
 * vsamp_gen_proc_assign - puts the places of virtual registers into a procedure
 *
 * Those that have none are reserved. Errors: ENOREG, and nothing has changed.
 */
enum vsamp_gen_status vsamp_gen_proc_assign(struct vsamp_gen_coder *coder,
					    struct vsamp_gen_proc *proc);

/**
 * vsamp_gen_proc_encode - its bytes, once it is assigned
 * @to: room for @size bytes
 *
 * Errors: ERANGE: too little room; EINVAL: it has virtual registers.
 */
enum vsamp_gen_status vsamp_gen_proc_encode(const struct vsamp_gen_coder *coder,
					    const struct vsamp_gen_proc *proc, void *to,
					    size_t size);

/*
 * What is appended to a procedure. @pred: NULL, or one of mode NONE: for all channels.
 *
 * Errors: EINVAL: an argument makes no sense; EALIGN, ERANGE: a register can't be what it is to be;
 * ENOREG never: places are given later; ENOMEM.
 */

/* The timestamp counter's lower 32 bits to @timer, a dword */
enum vsamp_gen_status vsamp_gen_start_timer(struct vsamp_gen_coder *coder,
					    struct vsamp_gen_proc *proc, struct vsamp_gen_reg timer,
					    const struct vsamp_gen_pred *pred);

/* @timer, which has the time of the start, to the time since, modulo 2^32 */
enum vsamp_gen_status vsamp_gen_stop_timer(struct vsamp_gen_coder *coder,
					   struct vsamp_gen_proc *proc, struct vsamp_gen_reg timer,
					   const struct vsamp_gen_pred *pred);

/*
 * The same, but where the counter has wrapped @timer is zero and the bits of f0.0:uw are set; else
 * they are cleared
 */
enum vsamp_gen_status vsamp_gen_stop_timer_ext(struct vsamp_gen_coder *coder,
					       struct vsamp_gen_proc *proc,
					       struct vsamp_gen_reg timer);

/* The same three of the performance counter pm0 */
enum vsamp_gen_status vsamp_gen_start_perfmon(struct vsamp_gen_coder *coder,
					      struct vsamp_gen_proc *proc,
					      struct vsamp_gen_reg counter,
					      const struct vsamp_gen_pred *pred);
enum vsamp_gen_status vsamp_gen_stop_perfmon(struct vsamp_gen_coder *coder,
					     struct vsamp_gen_proc *proc,
					     struct vsamp_gen_reg counter,
					     const struct vsamp_gen_pred *pred);
enum vsamp_gen_status vsamp_gen_stop_perfmon_ext(struct vsamp_gen_coder *coder,
						 struct vsamp_gen_proc *proc,
						 struct vsamp_gen_reg counter);

/* @dst = @base + @offset, addresses in the profile buffer's model. @offset: bytes, unsigned */
enum vsamp_gen_status vsamp_gen_compute_address(struct vsamp_gen_coder *coder,
						struct vsamp_gen_proc *proc,
						struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
						uint32_t offset, const struct vsamp_gen_pred *pred);
enum vsamp_gen_status
vsamp_gen_compute_address_reg(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
			      struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
			      struct vsamp_gen_reg offset, const struct vsamp_gen_pred *pred);

/* The same with an offset that has a sign, to an address within the buffer */
enum vsamp_gen_status vsamp_gen_compute_rel_address(struct vsamp_gen_coder *coder,
						    struct vsamp_gen_proc *proc,
						    struct vsamp_gen_reg dst,
						    struct vsamp_gen_reg base, int32_t offset,
						    const struct vsamp_gen_pred *pred);
enum vsamp_gen_status
vsamp_gen_compute_rel_address_reg(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
				  struct vsamp_gen_reg dst, struct vsamp_gen_reg base,
				  struct vsamp_gen_reg offset, const struct vsamp_gen_pred *pred);

/* Of the chunk of a hardware thread in the profile buffer; all in bytes */
struct vsamp_gen_chunk {
	uint32_t buckets; /* chunks: a power of two. Threads share them, by the thread's number */
	uint32_t size;	  /* a power of two */
	uint32_t base_offset; /* of the first chunk */
	uint32_t offset;      /* in the chunk */
};

/* To @dst, a dword. Errors also: EINVAL: no power of two; ERANGE: the last is beyond 4 GiB */
enum vsamp_gen_status vsamp_gen_compute_thread_chunk_offset(struct vsamp_gen_coder *coder,
							    struct vsamp_gen_proc *proc,
							    struct vsamp_gen_reg dst,
							    const struct vsamp_gen_chunk *chunk,
							    const struct vsamp_gen_pred *pred);

/* To @dst, an address: @base + that offset */
enum vsamp_gen_status vsamp_gen_compute_thread_chunk_address(struct vsamp_gen_coder *coder,
							     struct vsamp_gen_proc *proc,
							     struct vsamp_gen_reg dst,
							     struct vsamp_gen_reg base,
							     const struct vsamp_gen_chunk *chunk,
							     const struct vsamp_gen_pred *pred);

/*
 * The channels that an instruction is for to @dst, a dword:
 * (@ignore_ce ? all : channel enable) & dispatch mask & @exec_mask & those of @pred.
 * @exec_mask: as of vsamp_gen_exec_mask()
 */
enum vsamp_gen_status vsamp_gen_compute_simd_mask(struct vsamp_gen_coder *coder,
						  struct vsamp_gen_proc *proc,
						  struct vsamp_gen_reg dst, bool ignore_ce,
						  uint32_t exec_mask,
						  const struct vsamp_gen_pred *pred);

/* Channels of an instruction: @exec of them from @channel on. 0: there are none such */
uint32_t vsamp_gen_exec_mask(unsigned int exec, unsigned int channel);

/* Numbers of the hardware thread, its dual subslice, its fixed function, its tile, to @dst, a dword */
enum vsamp_gen_status vsamp_gen_get_tid(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
					struct vsamp_gen_reg dst,
					const struct vsamp_gen_pred *pred);
enum vsamp_gen_status vsamp_gen_get_dss_id(struct vsamp_gen_coder *coder,
					   struct vsamp_gen_proc *proc, struct vsamp_gen_reg dst,
					   const struct vsamp_gen_pred *pred);
enum vsamp_gen_status vsamp_gen_get_fftid(struct vsamp_gen_coder *coder,
					  struct vsamp_gen_proc *proc, struct vsamp_gen_reg dst,
					  const struct vsamp_gen_pred *pred);
/* Zero where there are no tiles */
enum vsamp_gen_status vsamp_gen_load_tile_id(struct vsamp_gen_coder *coder,
					     struct vsamp_gen_proc *proc, struct vsamp_gen_reg dst,
					     const struct vsamp_gen_pred *pred);
bool vsamp_gen_tile_id_supported(const struct vsamp_gen_coder *coder);

/*
 * Memory. Messages have whole registers: @address is at the begin of one, an address in the profile
 * buffer's model, and so is @data. Surfaces are those of the model.
 */

/* Bytes of one message at most: a power of two */
unsigned int vsamp_gen_max_mem_block_size(const struct vsamp_gen_coder *coder);

/*
 * @size bytes between @data and memory: a power of two, from 16 to that. The address is aligned to 16
 * @exec: channels, 1, 2, 4, 8 or 16; it is in the message, and has no meaning for a block
 *
 * Errors: EINVAL: the size; EALIGN: a register doesn't begin where it has to.
 */
enum vsamp_gen_status
vsamp_gen_store_mem_block(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
			  struct vsamp_gen_reg address, struct vsamp_gen_reg data,
			  unsigned int size, unsigned int exec, const struct vsamp_gen_pred *pred);
enum vsamp_gen_status
vsamp_gen_load_mem_block(struct vsamp_gen_coder *coder, struct vsamp_gen_proc *proc,
			 struct vsamp_gen_reg address, struct vsamp_gen_reg data, unsigned int size,
			 unsigned int exec, const struct vsamp_gen_pred *pred);

/* @num registers from @first on, and the address is advanced by their bytes */
enum vsamp_gen_status vsamp_gen_store_reg_range(struct vsamp_gen_coder *coder,
						struct vsamp_gen_proc *proc,
						struct vsamp_gen_reg address,
						struct vsamp_gen_reg first, unsigned int num,
						const struct vsamp_gen_pred *pred);
enum vsamp_gen_status vsamp_gen_load_reg_range(struct vsamp_gen_coder *coder,
					       struct vsamp_gen_proc *proc,
					       struct vsamp_gen_reg address,
					       struct vsamp_gen_reg first, unsigned int num,
					       const struct vsamp_gen_pred *pred);

/*
 * Adds one, or @value, to @size bytes of memory, 4 or 8, at once. The address has two whole registers
 * before Xe-HPG, and so has a value of 8 bytes, of which the first bytes count.
 *
 * Errors also: EUNSUPPORTED: the profile buffer has addresses of 32 bits.
 */
enum vsamp_gen_status vsamp_gen_atomic_inc(struct vsamp_gen_coder *coder,
					   struct vsamp_gen_proc *proc,
					   struct vsamp_gen_reg address, unsigned int size,
					   const struct vsamp_gen_pred *pred);
enum vsamp_gen_status vsamp_gen_atomic_add(struct vsamp_gen_coder *coder,
					   struct vsamp_gen_proc *proc,
					   struct vsamp_gen_reg address, struct vsamp_gen_reg value,
					   unsigned int size, const struct vsamp_gen_pred *pred);

/* Adds one, and what was there before to @old, which has registers as a value has */
enum vsamp_gen_status vsamp_gen_atomic_fetch_inc(struct vsamp_gen_coder *coder,
						 struct vsamp_gen_proc *proc,
						 struct vsamp_gen_reg old,
						 struct vsamp_gen_reg address, unsigned int size,
						 const struct vsamp_gen_pred *pred);

/*
 * The registers that @send has addresses in, also of channels that are off, to memory at @pointer,
 * which is advanced behind them. To be put before it, and its header is left out.
 *
 * @pred: has to be given, though it may be none. Errors also: EINVAL: it isn't, or @send is no message
 * with addresses.
 */
enum vsamp_gen_status vsamp_gen_store_payload_addresses(struct vsamp_gen_coder *coder,
							struct vsamp_gen_proc *proc,
							struct vsamp_gen_reg pointer,
							const struct vsamp_gen_ins *send,
							const struct vsamp_gen_pred *pred);

/*
 * Reads, to nowhere, of the registers that @ins reads or writes: what is behind them waits until @ins
 * has done that. Nothing else changes. What has no such registers gets nothing.
 */
enum vsamp_gen_status vsamp_gen_fake_src_consumers(struct vsamp_gen_coder *coder,
						   struct vsamp_gen_proc *proc,
						   const struct vsamp_gen_ins *ins,
						   const struct vsamp_gen_pred *pred);
enum vsamp_gen_status vsamp_gen_fake_dst_consumers(struct vsamp_gen_coder *coder,
						   struct vsamp_gen_proc *proc,
						   const struct vsamp_gen_ins *ins,
						   const struct vsamp_gen_pred *pred);

/*
 * What is done if a comparison holds: each instruction of a procedure of its own is under f1.0 then.
 *
 * Errors: EFLAGCONFLICT: it uses f1 itself; EUNSUPPORTED: a jump, one of more than 16 channels, or
 * one whose predicate or flag is more than the condition can be added to.
 */

/* All of @proc, if @reg, a dword, isn't zero */
enum vsamp_gen_status vsamp_gen_convert_to_conditional(struct vsamp_gen_coder *coder,
						       struct vsamp_gen_proc *proc,
						       struct vsamp_gen_reg reg);

/* Appends @then to @proc, if @a @cond @b holds of dwords without a sign */
enum vsamp_gen_status vsamp_gen_conditional_reg(struct vsamp_gen_coder *coder,
						struct vsamp_gen_proc *proc,
						const struct vsamp_gen_proc *then,
						enum vsamp_gen_cond cond, struct vsamp_gen_reg a,
						struct vsamp_gen_reg b);
enum vsamp_gen_status vsamp_gen_conditional_imm(struct vsamp_gen_coder *coder,
						struct vsamp_gen_proc *proc,
						const struct vsamp_gen_proc *then,
						enum vsamp_gen_cond cond, struct vsamp_gen_reg a,
						uint32_t b);

#ifdef __cplusplus
}
#endif

#endif
