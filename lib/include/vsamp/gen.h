/* SPDX-License-Identifier: MIT */
/*
 * vsamp/gen.h: instructions of Intel GPUs, one at a time: what they say, their bytes and their text
 *
 * Encodings are those of Intel's own assembler (iga64), whose syntax the texts have. Nothing here has
 * run on a GPU. All functions are thread-safe: they share constant data alone.
 */
#ifndef VSAMP_GEN_H
#define VSAMP_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_GEN_INS_SIZE	 16 /* bytes of an instruction that is not compacted */
#define VSAMP_GEN_COMPACTED_SIZE 8
#define VSAMP_GEN_TEXT_SIZE	 256 /* bytes that a text of an instruction needs at most */
#define VSAMP_GEN_SOURCES	 3

enum vsamp_gen_platform {
	VSAMP_GEN_GEN9,	  /* Skylake and its kin */
	VSAMP_GEN_GEN11,  /* Ice Lake and its kin */
	VSAMP_GEN_XE,	  /* Xe-LP: Tiger Lake and its kin, DG1 */
	VSAMP_GEN_XE_HPG, /* DG2 */
	VSAMP_GEN_XE_HPC, /* Ponte Vecchio */
	VSAMP_GEN_PLATFORMS
};

/* Whatever fails has changed nothing */
enum vsamp_gen_status {
	VSAMP_GEN_OK,
	VSAMP_GEN_EINVAL, /* an argument makes no sense on any platform */
	VSAMP_GEN_ENOMEM,
	VSAMP_GEN_EUNSUPPORTED,	 /* this platform doesn't have it */
	VSAMP_GEN_ENOREG,	 /* no register is free */
	VSAMP_GEN_EFLAGCONFLICT, /* a procedure that is to be made conditional uses f1.0 */
	VSAMP_GEN_EALIGN,	 /* a register or size has the wrong alignment */
	VSAMP_GEN_ERANGE,	 /* a number is out of its range */
	VSAMP_GEN_EDECODE,	 /* bytes that are no instruction */
};

/** vsamp_gen_status_text - what a status means, in a few words; "unknown status" of what is none */
const char *vsamp_gen_status_text(enum vsamp_gen_status status);

/* What a platform has. Sizes are in bytes */
struct vsamp_gen_model {
	enum vsamp_gen_platform platform;
	const char *name;  /* "gen9", "xe-hpg" */
	const char *iga;   /* as iga64 -p= has it */
	const char *ocloc; /* a device of it, as ocloc -device has it */
	uint16_t grf_size;
	uint16_t grf_num;   /* that may be named */
	uint16_t max_block; /* of one block message */
	uint8_t flag_num;   /* flag registers of 32 bits */
	uint8_t token_num;  /* scoreboard tokens; 0: hardware finds dependencies itself */
	bool int64;	    /* arithmetic of 64-bit integers */
	bool lsc;	    /* messages of the load-store cache */
	bool acc_write;	    /* AccWrEn */
	bool arf_second;    /* the second source may be an architecture register */
	bool nibble;	    /* channel offsets of 4 */
};

/** vsamp_gen_model_get - of a platform; NULL: there is no such */
const struct vsamp_gen_model *vsamp_gen_model_get(enum vsamp_gen_platform platform);

/** vsamp_gen_model_find - by its name, or what iga64 or ocloc call it; NULL: not known */
const struct vsamp_gen_model *vsamp_gen_model_find(const char *name);

enum vsamp_gen_op {
	VSAMP_GEN_ILLEGAL,
	VSAMP_GEN_SYNC,
	VSAMP_GEN_MOV,
	VSAMP_GEN_SEL,
	VSAMP_GEN_NOT,
	VSAMP_GEN_AND,
	VSAMP_GEN_OR,
	VSAMP_GEN_XOR,
	VSAMP_GEN_SHR,
	VSAMP_GEN_SHL,
	VSAMP_GEN_ASR,
	VSAMP_GEN_CMP,
	VSAMP_GEN_BFREV,
	VSAMP_GEN_JMPI,
	VSAMP_GEN_BRD,
	VSAMP_GEN_CALL,
	VSAMP_GEN_RET,
	VSAMP_GEN_SEND,
	VSAMP_GEN_SENDS, /* with two payloads, before Xe */
	VSAMP_GEN_ADD,
	VSAMP_GEN_MUL,
	VSAMP_GEN_FBL,
	VSAMP_GEN_CBIT,
	VSAMP_GEN_ADDC,
	VSAMP_GEN_NOP,
	VSAMP_GEN_IF,
	VSAMP_GEN_BRC,
	VSAMP_GEN_ELSE,
	VSAMP_GEN_ENDIF,
	VSAMP_GEN_WHILE,
	VSAMP_GEN_BREAK,
	VSAMP_GEN_CONT,
	VSAMP_GEN_HALT,
	VSAMP_GEN_GOTO,
	VSAMP_GEN_JOIN,
	VSAMP_GEN_SENDC,  /* that waits for threads before it */
	VSAMP_GEN_SENDSC, /* likewise, with two payloads */
	VSAMP_GEN_CMPN,
	VSAMP_GEN_ROR,
	VSAMP_GEN_ROL,
	VSAMP_GEN_BFI1,
	VSAMP_GEN_AVG,
	VSAMP_GEN_FRC,
	VSAMP_GEN_RNDU,
	VSAMP_GEN_RNDD,
	VSAMP_GEN_RNDE,
	VSAMP_GEN_RNDZ,
	VSAMP_GEN_MAC,
	VSAMP_GEN_MACH,
	VSAMP_GEN_MACL,
	VSAMP_GEN_LZD,
	VSAMP_GEN_FBH,
	VSAMP_GEN_SUBB,
	VSAMP_GEN_SMOV, /* of one source, to where addresses say; the second has the channels */
	VSAMP_GEN_WAIT, /* for a notification: its source */
	VSAMP_GEN_MATH, /* function says which */
	VSAMP_GEN_CSEL, /* from here on of three sources */
	VSAMP_GEN_BFE,
	VSAMP_GEN_BFI2,
	VSAMP_GEN_LRP,
	VSAMP_GEN_MAD,
	VSAMP_GEN_MADM,
	VSAMP_GEN_DP4A,
	VSAMP_GEN_ADD3,
	VSAMP_GEN_BFN,	 /* function is its table of truth */
	VSAMP_GEN_OTHER, /* decoded alone: one whose operands aren't read, and stay as they are */
	VSAMP_GEN_OPS
};

enum vsamp_gen_type {
	VSAMP_GEN_UB,
	VSAMP_GEN_B,
	VSAMP_GEN_UW,
	VSAMP_GEN_W,
	VSAMP_GEN_UD,
	VSAMP_GEN_D,
	VSAMP_GEN_UQ,
	VSAMP_GEN_Q,
	VSAMP_GEN_HF,
	VSAMP_GEN_F,
	VSAMP_GEN_DF,
	VSAMP_GEN_UV, /* constants alone: 8 of 4 bits, 8 of 4 bits with signs, 4 small floats */
	VSAMP_GEN_V,
	VSAMP_GEN_VF,
	VSAMP_GEN_TYPES
};

/** vsamp_gen_type_size - bytes of a value; 0: there is no such type */
unsigned int vsamp_gen_type_size(enum vsamp_gen_type type);

enum vsamp_gen_file {
	VSAMP_GEN_NONE, /* no operand */
	VSAMP_GEN_GRF,
	VSAMP_GEN_ARF,	/* architecture registers: num is one of enum vsamp_gen_arf */
	VSAMP_GEN_IMM,	/* a source alone */
	VSAMP_GEN_VIRT, /* of a procedure, before its registers have places: it can't be encoded */
	VSAMP_GEN_INDIRECT, /* the GRFs' byte that a0's word num says, and offset is added */
};

/* The number that an architecture register has in an instruction; + n: acc1, f1, ... */
enum vsamp_gen_arf {
	VSAMP_GEN_NULL = 0x00,
	VSAMP_GEN_A0 = 0x10,
	VSAMP_GEN_ACC0 = 0x20,
	VSAMP_GEN_F0 = 0x30,
	VSAMP_GEN_CE0 = 0x40,
	VSAMP_GEN_SR0 = 0x70,
	VSAMP_GEN_CR0 = 0x80,
	VSAMP_GEN_N0 = 0x90,
	VSAMP_GEN_IP = 0xa0,
	VSAMP_GEN_TDR0 = 0xb0,
	VSAMP_GEN_TM0 = 0xc0,
};

#define VSAMP_GEN_VXH 0xff /* a vstride: each row of an indirect source has an address of its own */

/*
 * <vstride;width,hstride> are elements; a destination has an hstride alone. Of three sources, the first
 * two have a width of vstride / hstride, or 1 where hstride is 0; the third has <vstride;1,0>.
 */
struct vsamp_gen_operand {
	uint8_t file; /* enum vsamp_gen_file */
	uint8_t type; /* enum vsamp_gen_type */
	uint8_t vstride, width, hstride;
	bool negate; /* of and, or, xor, not: the complement */
	bool abs;
	uint8_t mme; /* of madm, math.invm, math.rsqtm: 1 is the register that they call mme0; 0: none */
	uint16_t num;
	uint16_t sub;	/* bytes */
	int16_t offset; /* bytes, of VSAMP_GEN_INDIRECT */
	uint64_t imm;	/* the value's bits; of types below 32 bits the lowest */
};

enum vsamp_gen_cond {
	VSAMP_GEN_COND_NONE,
	VSAMP_GEN_EQ,
	VSAMP_GEN_NE,
	VSAMP_GEN_GT,
	VSAMP_GEN_GE,
	VSAMP_GEN_LT,
	VSAMP_GEN_LE,
	VSAMP_GEN_OV = 8, /* overflow */
	VSAMP_GEN_UN,	  /* unordered */
	VSAMP_GEN_CONDS
};

/* Which channels' flags a channel asks */
enum vsamp_gen_pred_mode {
	VSAMP_GEN_PRED_NONE,
	VSAMP_GEN_PRED_SEQ, /* its own */
	VSAMP_GEN_ANY2H,
	VSAMP_GEN_ALL2H,
	VSAMP_GEN_ANY4H,
	VSAMP_GEN_ALL4H,
	VSAMP_GEN_ANY8H,
	VSAMP_GEN_ALL8H,
	VSAMP_GEN_ANY16H,
	VSAMP_GEN_ALL16H,
	VSAMP_GEN_ANY32H,
	VSAMP_GEN_ALL32H,
	VSAMP_GEN_ANY, /* of all channels of the instruction: Xe-HPC */
	VSAMP_GEN_ALL,
	VSAMP_GEN_PRED_MODES
};

enum vsamp_gen_pipe {
	VSAMP_GEN_PIPE_OWN, /* "@n": that of the instruction */
	VSAMP_GEN_PIPE_A,   /* all */
	VSAMP_GEN_PIPE_F,
	VSAMP_GEN_PIPE_I,
	VSAMP_GEN_PIPE_L,
	VSAMP_GEN_PIPE_M,
	VSAMP_GEN_PIPES
};

enum vsamp_gen_token {
	VSAMP_GEN_TOKEN_NONE,
	VSAMP_GEN_TOKEN_SET, /* sends */
	VSAMP_GEN_TOKEN_DST, /* waits until what has the token has written */
	VSAMP_GEN_TOKEN_SRC, /* until it has read */
};

/* Software scoreboard, from Xe on: what an instruction waits for */
struct vsamp_gen_swsb {
	uint8_t pipe;	  /* enum vsamp_gen_pipe */
	uint8_t distance; /* instructions of it; 0: none */
	uint8_t mode;	  /* enum vsamp_gen_token */
	uint8_t token;
};

enum vsamp_gen_sync {
	VSAMP_GEN_SYNC_NOP = 0,
	VSAMP_GEN_SYNC_ALLRD = 2,
	VSAMP_GEN_SYNC_ALLWR = 3,
	VSAMP_GEN_SYNC_BAR = 14,
	VSAMP_GEN_SYNC_HOST = 15,
};

/* What the threads of an EU do next */
enum vsamp_gen_thread {
	VSAMP_GEN_THREAD_NORMAL,
	VSAMP_GEN_THREAD_ATOMIC,     /* no other one before the next instruction */
	VSAMP_GEN_THREAD_SWITCH,     /* another one; before Xe */
	VSAMP_GEN_THREAD_NO_PREEMPT, /* Gen11 */
};

enum vsamp_gen_math {
	VSAMP_GEN_INV = 1,
	VSAMP_GEN_LOG,
	VSAMP_GEN_EXP,
	VSAMP_GEN_SQT,
	VSAMP_GEN_RSQT,
	VSAMP_GEN_SIN,
	VSAMP_GEN_COS,
	VSAMP_GEN_FDIV = 9,
	VSAMP_GEN_POW,
	VSAMP_GEN_IDIV,
	VSAMP_GEN_IQOT,
	VSAMP_GEN_IREM,
	VSAMP_GEN_INVM, /* steps of a precise one, which write a flag and use mme registers */
	VSAMP_GEN_RSQTM,
};

/*
 * What an instruction says. A zeroed one with an op is not predicated, writes no flag and waits for
 * nothing.
 */
struct vsamp_gen_ins {
	uint8_t op;	 /* enum vsamp_gen_op */
	uint8_t exec;	 /* channels: 1, 2, 4, 8, 16, 32 */
	uint8_t channel; /* the first: 0, 4, .. 28, a multiple of 8 from 8 channels on */
	uint8_t pred;	 /* enum vsamp_gen_pred_mode */
	bool pred_invert;
	uint8_t cond;		/* enum vsamp_gen_cond: of the flag that it writes */
	uint8_t flag, flag_sub; /* f1.0 is 1, 0: of predicate and condition */
	bool mask_off;		/* (W): also channels that are disabled */
	bool acc_write, saturate, compacted;
	bool branch;		 /* of if, else, goto: ".b" */
	bool no_clear, no_check; /* before Xe: dependencies on its destination */
	uint8_t thread;		 /* enum vsamp_gen_thread */
	uint8_t function;	 /* of math: enum vsamp_gen_math; of bfn */
	struct vsamp_gen_swsb swsb;
	struct vsamp_gen_operand dst, src[VSAMP_GEN_SOURCES];
	uint8_t sync; /* enum vsamp_gen_sync */
	uint8_t sfid,
		payload; /* of sends; GRFs of the second payload. Before Xe types are ud if 0 */
	bool eot;
	uint32_t desc, exdesc; /* exdesc without sfid, payload and eot */
	int32_t jump; /* bytes, from this instruction's own begin: where channels meet, JIP */
	int32_t uip;  /* likewise, of those that have two distances */
	/*
	 * Of VSAMP_GEN_OTHER: its words; of a compacted one the first. Of a jump that was read, and has
	 * bits that iga64 writes otherwise: its words, and nothing but its distances can be changed.
	 */
	uint64_t raw[2];
};

/** vsamp_gen_op_name - as iga64 has it */
const char *vsamp_gen_op_name(enum vsamp_gen_op op);

/**
 * vsamp_gen_jumps - how many distances an instruction of a kind has
 *
 * 1: jump; 2: jump and uip; 0: none, though ret goes elsewhere, too.
 */
unsigned int vsamp_gen_jumps(enum vsamp_gen_op op);

/** vsamp_gen_size - bytes that an instruction has: 8 of a compacted one, else 16 */
size_t vsamp_gen_size(const struct vsamp_gen_ins *ins);

/**
 * vsamp_gen_encode - an instruction's bytes
 * @to: receives vsamp_gen_size() of them; unchanged on errors
 *
 * Errors: VSAMP_GEN_EINVAL, VSAMP_GEN_ERANGE, VSAMP_GEN_EALIGN; VSAMP_GEN_EUNSUPPORTED where the
 * platform has no such instruction, type, register or wait, or it is compacted and can't be.
 */
enum vsamp_gen_status vsamp_gen_encode(const struct vsamp_gen_model *model,
				       const struct vsamp_gen_ins *ins, void *to);

/**
 * vsamp_gen_decode - what bytes say
 * @size: bytes that are there
 * @used: receives how many are the instruction's: 16, or 8 of a compacted one
 *
 * What vsamp_gen_encode() would not give the same bytes for is VSAMP_GEN_OTHER. So whatever is
 * decoded encodes to what it was, and is as compacted as it was. Error: VSAMP_GEN_EDECODE: too few
 * bytes, or a compacted one of an opcode that has no such form.
 */
enum vsamp_gen_status vsamp_gen_decode(const struct vsamp_gen_model *model, const void *from,
				       size_t size, struct vsamp_gen_ins *ins, size_t *used);

/**
 * vsamp_gen_expand - the 16 bytes that a compacted instruction's 8 stand for
 * @from: VSAMP_GEN_COMPACTED_SIZE bytes
 * @to: receives VSAMP_GEN_INS_SIZE; unchanged on errors. It may be where @from is
 *
 * Error: VSAMP_GEN_EDECODE: it isn't compacted, or its opcode has no such form.
 */
enum vsamp_gen_status vsamp_gen_expand(const struct vsamp_gen_model *model, const void *from,
				       void *to);

/**
 * vsamp_gen_compact - the 8 bytes that stand for an instruction's 16
 * @from: VSAMP_GEN_INS_SIZE bytes
 * @to: receives VSAMP_GEN_COMPACTED_SIZE; unchanged on errors. It may be where @from is
 *
 * Error: VSAMP_GEN_EUNSUPPORTED: none do. Jumps' distances are the caller's to mend.
 */
enum vsamp_gen_status vsamp_gen_compact(const struct vsamp_gen_model *model, const void *from,
					void *to);

/**
 * vsamp_gen_text - an instruction as iga64 takes it, without a line's end
 * @to: of VSAMP_GEN_TEXT_SIZE bytes
 *
 * Jumps have their distances, in bytes. Errors are those of vsamp_gen_encode().
 */
enum vsamp_gen_status vsamp_gen_text(const struct vsamp_gen_model *model,
				     const struct vsamp_gen_ins *ins, char *to);

#ifdef __cplusplus
}
#endif

#endif
