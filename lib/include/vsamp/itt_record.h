/* SPDX-License-Identifier: MIT */
/*
 * vsamp/itt_record.h: the records that a collector makes of ITT calls, which files hold as they are
 *
 * A record is a header, parts that the flags tell of, in the order of their bits, and what its type
 * has behind these. All is little-endian, in whole 8 bytes, and zero where it is unused. A task's
 * end has the header alone: two stores and a look at the clock.
 *
 * A thread's records are in the order of its calls. Handles are numbers from 1 that the collector
 * gives; each kind has numbers of its own, which mean the same in all threads of a process, and
 * never anything else as long as it lives. What they stand for is told by definitions, which may be
 * in any thread's records, and behind those that use them.
 *
 * Readers skip records of types that they don't know, and bytes behind those that they know.
 */
#ifndef VSAMP_ITT_RECORD_H
#define VSAMP_ITT_RECORD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_ITT_TEXT_MAX   4096u  /* bytes of a text; what is longer is truncated, and marked */
#define VSAMP_ITT_RECORD_MAX 65528u /* bytes of a record */
#define VSAMP_ITT_NOW	     UINT64_MAX /* a time of FRAME_SUBMIT: that of the call */

struct vsamp_itt_header {
	uint64_t time;	 /* of the call, in ticks of the session's clock */
	uint8_t type;	 /* enum vsamp_itt_type */
	uint8_t flags;	 /* VSAMP_ITT_HAS_x, and VSAMP_ITT_TRUNCATED */
	uint16_t size;	 /* bytes, header included */
	uint32_t handle; /* most: the domain, 0: none; else what the type says */
};

enum vsamp_itt_type {
	/* Definitions; handle: what is defined */
	VSAMP_ITT_STRING = 1,	    /* struct vsamp_itt_text */
	VSAMP_ITT_DOMAIN = 2,	    /* NAME */
	VSAMP_ITT_EVENT = 3,	    /* NAME */
	VSAMP_ITT_COUNTER = 4,	    /* NAME, struct vsamp_itt_counter */
	VSAMP_ITT_COUNTER_META = 5, /* struct vsamp_itt_counter_meta; NAME if the value is a text */
	VSAMP_ITT_HISTOGRAM = 6,    /* NAME, struct vsamp_itt_histogram */
	VSAMP_ITT_CLOCK = 7,	    /* struct vsamp_itt_clock; comes again when it is reset */
	VSAMP_ITT_MAPPING = 8,	    /* NAME: the path; struct vsamp_itt_mapping; handle unused */
	VSAMP_ITT_SYNC_OBJECT = 9,  /* NAME, struct vsamp_itt_sync_object; handle unused */

	/* Of a thread or its process; handle unused if not told */
	VSAMP_ITT_THREAD_START = 16, /* another thread of the same number was before it */
	VSAMP_ITT_THREAD_END = 17,
	VSAMP_ITT_THREAD_NAME = 18, /* struct vsamp_itt_text */
	VSAMP_ITT_LOST = 19,	    /* u64: calls that found no room, here */
	VSAMP_ITT_PAUSE = 20,	    /* the process; handle: enum vsamp_itt_pause_scope */
	VSAMP_ITT_RESUME = 21,	    /* likewise */
	VSAMP_ITT_DETACH = 22,	    /* the process: nothing is told behind it */
	VSAMP_ITT_DOMAIN_OFF = 23,  /* handle: domain; its calls are not told */
	VSAMP_ITT_DOMAIN_ON = 24,   /* they are again */
	VSAMP_ITT_CALLS = 25,	    /* NAME: a function that is counted alone; u64: calls */

	/* Calls; _ex forms have CLOCK, functions' addresses are FN */
	VSAMP_ITT_TASK_BEGIN = 32, /* NAME or FN, ID, PARENT */
	VSAMP_ITT_TASK_END = 33,
	VSAMP_ITT_OVERLAPPED_BEGIN = 34, /* as TASK_BEGIN */
	VSAMP_ITT_OVERLAPPED_END = 35,	 /* ID */
	VSAMP_ITT_TASK_GROUP = 36,	 /* NAME, ID, PARENT */
	VSAMP_ITT_REGION_BEGIN = 37,	 /* NAME, ID, PARENT */
	VSAMP_ITT_REGION_END = 38,	 /* ID */
	VSAMP_ITT_FRAME_BEGIN = 39,	 /* ID */
	VSAMP_ITT_FRAME_END = 40,	 /* ID */
	VSAMP_ITT_FRAME_SUBMIT = 41,	 /* ID, struct vsamp_itt_frame */
	VSAMP_ITT_MARKER = 42,		 /* NAME, ID; struct vsamp_itt_marker */
	VSAMP_ITT_EVENT_START = 43,	 /* handle: event */
	VSAMP_ITT_EVENT_END = 44,	 /* handle: event */
	VSAMP_ITT_COUNTER_SET = 45,	 /* handle: counter; struct vsamp_itt_value */
	VSAMP_ITT_COUNTER_ADD = 46, /* handle: counter, or with NAME domain; i64: by how much */
	VSAMP_ITT_METADATA = 47,    /* NAME: key; ID: of what, none: of the current task; struct
				       vsamp_itt_metadata */
	VSAMP_ITT_RELATION = 48,    /* ID: head, none: the current task; PARENT: tail; struct
				       vsamp_itt_relation */
	VSAMP_ITT_ID_CREATE = 49,   /* ID */
	VSAMP_ITT_ID_DESTROY = 50,  /* ID */
	VSAMP_ITT_HISTOGRAM_SUBMIT = 51, /* handle: histogram; struct vsamp_itt_points */
	VSAMP_ITT_SYNC = 52,		 /* handle: enum vsamp_itt_sync_call; u64: address */
	VSAMP_ITT_STITCH = 53, /* handle: enum vsamp_itt_stitch_call; u64: stack's caller */
};

#define VSAMP_ITT_HAS_NAME   (1U << 0) /* u32: string, u32: zero */
#define VSAMP_ITT_HAS_FN     (1U << 1) /* u64: address of a function */
#define VSAMP_ITT_HAS_CLOCK  (1U << 2) /* struct vsamp_itt_stamp */
#define VSAMP_ITT_HAS_ID     (1U << 3) /* struct vsamp_itt_id; null: as if it wasn't there */
#define VSAMP_ITT_HAS_PARENT (1U << 4) /* likewise */
#define VSAMP_ITT_TRUNCATED  (1U << 5) /* there was more than what is told */
/* Of a begin, in a file that goes on where another ended, which has it: time is where this one begins */
#define VSAMP_ITT_CONTINUED  (1U << 6)
#define VSAMP_ITT_FLAGS	     ((1U << 7) - 1)

struct vsamp_itt_name {
	uint32_t string;
	uint32_t reserved;
};

struct vsamp_itt_stamp {
	uint32_t clock; /* a clock domain; 0: that of the records, in ticks */
	uint32_t reserved;
	uint64_t time; /* of the call, as the program says */
};

/* All zero: null, none */
struct vsamp_itt_id {
	uint64_t d[3];
};

struct vsamp_itt_text {
	uint32_t length; /* bytes, at most VSAMP_ITT_TEXT_MAX, no zero among them */
	uint32_t reserved;
	char text[];
};

enum vsamp_itt_value_type {
	VSAMP_ITT_U64 = 1,
	VSAMP_ITT_S64 = 2,
	VSAMP_ITT_U32 = 3,
	VSAMP_ITT_S32 = 4,
	VSAMP_ITT_U16 = 5,
	VSAMP_ITT_S16 = 6,
	VSAMP_ITT_FLOAT = 7,
	VSAMP_ITT_DOUBLE = 8,
	VSAMP_ITT_CHARS = 64, /* of metadata: a text, whose bytes are counted */
};

/** vsamp_itt_value_size - bytes of a value of a type; 8 for one that isn't known */
static inline size_t vsamp_itt_value_size(uint32_t type)
{
	switch (type) {
	case VSAMP_ITT_CHARS:
		return 1;
	case VSAMP_ITT_U16:
	case VSAMP_ITT_S16:
		return 2;
	case VSAMP_ITT_U32:
	case VSAMP_ITT_S32:
	case VSAMP_ITT_FLOAT:
		return 4;
	default:
		return 8;
	}
}

struct vsamp_itt_counter {
	uint32_t domain; /* its name: a string */
	uint32_t type;	 /* enum vsamp_itt_value_type; 0: u64 */
};

struct vsamp_itt_counter_meta {
	uint32_t kind; /* context metadata type of the API: 5 is the unit */
	uint32_t reserved;
	uint64_t value;
};

struct vsamp_itt_histogram {
	uint32_t domain;
	uint16_t x, y; /* enum vsamp_itt_value_type */
};

/* The clock showed base at the record's time */
struct vsamp_itt_clock {
	uint64_t frequency; /* Hz */
	uint64_t base;
};

struct vsamp_itt_mapping {
	uint64_t start, length, offset; /* addresses; offset in the file */
	uint64_t dev, inode;		/* 0: not known; dev: major << 32 | minor */
	uint8_t id_size;		/* bytes of the build-id, 0: not known */
	uint8_t id[20];
	uint8_t reserved[3];
};

struct vsamp_itt_sync_object {
	uint64_t address;
	uint32_t type; /* string */
	uint32_t attribute;
};

struct vsamp_itt_frame {
	uint64_t begin, end; /* ticks, or VSAMP_ITT_NOW */
};

struct vsamp_itt_marker {
	uint32_t scope; /* of the API */
	uint32_t reserved;
};

/* As many bytes as the counter's type has, then zeros */
struct vsamp_itt_value {
	uint64_t bits;
};

struct vsamp_itt_metadata {
	uint8_t type;  /* enum vsamp_itt_value_type */
	uint8_t scope; /* of the API; 0: none was given */
	uint16_t reserved;
	uint32_t count; /* of values in data, each as wide as its type, then zeros */
	uint8_t data[];
};

struct vsamp_itt_relation {
	uint32_t relation; /* of the API */
	uint32_t reserved;
};

/* count values of x, then of y, if it isn't told that y has none; 8 bytes each, as of a counter */
struct vsamp_itt_points {
	uint32_t count;
	uint32_t has_y;
	uint64_t bits[];
};

enum vsamp_itt_pause_scope {
	VSAMP_ITT_PAUSE_HOST = 1,
	VSAMP_ITT_PAUSE_OFFLOAD = 2, /* changes nothing here */
	VSAMP_ITT_PAUSE_SESSION = 3, /* nor does it: the recorder was asked, and tells itself */
	VSAMP_ITT_PAUSE_START = 4,   /* the process began so: from before its first call */
	VSAMP_ITT_PAUSE_ALL = 0x7fffffff,
};

enum vsamp_itt_sync_call {
	VSAMP_ITT_SYNC_PREPARE = 1,
	VSAMP_ITT_SYNC_CANCEL = 2,
	VSAMP_ITT_SYNC_ACQUIRED = 3,
	VSAMP_ITT_SYNC_RELEASING = 4,
	VSAMP_ITT_SYNC_DESTROY = 5,
};

enum vsamp_itt_stitch_call {
	VSAMP_ITT_STITCH_CREATE = 1,
	VSAMP_ITT_STITCH_DESTROY = 2,
	VSAMP_ITT_STITCH_ENTER = 3,
	VSAMP_ITT_STITCH_LEAVE = 4,
};

/* A record taken apart, or to be put together */
struct vsamp_itt_call {
	uint64_t time;
	uint8_t type, flags;
	uint32_t handle;
	uint32_t name;	/* string; 0: none */
	uint32_t clock; /* clock domain, if VSAMP_ITT_HAS_CLOCK */
	uint64_t stamp; /* time of that */
	uint64_t fn;
	struct vsamp_itt_id id, parent;
	const void *body; /* what is of the type, 8-byte aligned if the record is */
	size_t body_size;
};

/**
 * vsamp_itt_decode - take a record apart
 * @record: 8-byte aligned
 * @room: bytes up to the end of what there is
 * @call: filled; its body points into the record
 *
 * Returns the record's bytes; -EBADMSG for what is none: it runs over @room, lacks what its flags
 * or its type say, or has a text that is longer than it may be.
 */
int vsamp_itt_decode(const void *record, size_t room, struct vsamp_itt_call *call);

/**
 * vsamp_itt_encode - put a record together
 * @to: 8-byte aligned, with room for VSAMP_ITT_RECORD_MAX bytes
 * @call: flags of parts are set where these aren't 0, or are given already; the body is padded
 *
 * Returns the record's bytes; -E2BIG if it would be too long. Collectors don't call it: it is for
 * programs that make recordings of their own.
 */
int vsamp_itt_encode(void *to, const struct vsamp_itt_call *call);

#ifdef __cplusplus
}
#endif

#endif
