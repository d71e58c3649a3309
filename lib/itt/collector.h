/* SPDX-License-Identifier: MIT */
/* collector.h: what the parts of libvsamp-itt.so share */
#ifndef ITT_COLLECTOR_H
#define ITT_COLLECTOR_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <vsamp/itt_record.h>

#include "spool.h"
#include "static/itt_global.h"

#pragma GCC visibility push(hidden)

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Why records aren't made at once */
enum stream_hold {
	HOLD_BUSY = 1, /* one is being made: a signal's handler finds it, or a slow path itself */
	HOLD_SLOW = 2, /* the clock is none that is read by one instruction, or there is no file */
};

/* A thread's records on their way to its file, or a process's definitions */
struct stream {
	uint8_t *at, *end; /* where the next record goes; end of the room for records */
	uint32_t hold;	   /* enum stream_hold */
	uint32_t segment_size;
	uint8_t *segment;	     /* that is written; NULL: none */
	struct spool_header *header; /* NULL: there is no file */
	uint32_t slot;		     /* of the segment */
	uint32_t number;	     /* of the next segment */
	uint32_t slots;		     /* that the file has */
	uint64_t full_at;   /* segments that were taken when there was no room for another */
	uint64_t lost_told; /* of header->lost, by LOST records */
	uint64_t retry;	    /* header->lost from which on it is tried again to get a segment */
	struct {	    /* mappings that are told, in which functions were */
		uintptr_t start, length;
	} code[4];
	unsigned int code_next;
	const uint8_t *fresh; /* where it was when the collector's initialisation ended */
	char path[512];
	uint64_t output;		 /* in a file of all: where that of the header is, */
	uint64_t output_segment;	 /* and the segment that is written */
	uint8_t *kept[SPOOL_KEPT];	 /* slots that are mapped for good */
	uint32_t number_of[SPOOL_SLOTS]; /* by slot: the segment that is, or was, in it */
};

/* Never NULL: threads without a file share one that is on hold */
extern __thread struct stream *self __attribute__((tls_model("initial-exec")));

/* collector_process.c: of the process; what changes does so under the lock */
extern struct process {
	pthread_mutex_t lock; /* recursive */
	char dir[384];	      /* or the file of all threads, */
	bool output;	      /* if this says so */
	uint64_t limit;	      /* bytes that a thread's file may have which are not drained */
	uint32_t clock;	      /* enum spool_clock */
	bool on;	      /* there is where to write */
	uint32_t pid;
	uint64_t pidns; /* inode of its PID namespace; 0: not known */
	uint64_t start;
	uint32_t files;
} process;

/* Once, under the lock of the first static part; false: nothing is collected */
bool process_begin(void);
/* Its numbers, as they are now */
void process_identify(void);

/** process_alloc - zeroed memory that is never freed, under the lock; NULL: there is none */
void *process_alloc(size_t size);

static inline void process_lock(void)
{
	pthread_mutex_lock(&process.lock);
}

static inline void process_unlock(void)
{
	pthread_mutex_unlock(&process.lock);
}

static inline uint64_t ticks(void)
{
	struct timespec t;

	if (UNLIKELY(process.clock != SPOOL_CLOCK_TSC)) {
		clock_gettime(process.clock == SPOOL_CLOCK_MONOTONIC ? CLOCK_MONOTONIC :
								       CLOCK_MONOTONIC_RAW,
			      &t);
		return t.tv_sec * 1000000000ULL + t.tv_nsec;
	}
	return spool_tsc();
}

/* collector_stream.c */

/* The calling thread's stream, opened; NULL: calls are dropped */
struct stream *stream_open(void);

/* A file of its own; NULL: there can't be one. @tid: 0: of definitions */
struct stream *stream_new(uint32_t tid, uint32_t segment_size);
/* The calling thread's is opened by its next call */
void stream_forget(void);
/* Nothing is mapped any more */
void stream_free(struct stream *s);
/*
 * A forked child's: what is written is its own, and goes nowhere. It stays, as the fork may have come
 * from a signal's handler, to which a record that is being made goes on.
 */
void stream_leave(struct stream *s);
/* So that a forked child's thread opens its own */
void stream_forked(void);

/* A stream that is on hold: opens the thread's; NULL: there is none, or a call in a call is lost */
struct stream *stream_enter(struct stream *s);

/* Room for a record of @size bytes in another segment; NULL: it is lost, and counted */
uint8_t *stream_more(struct stream *s, size_t size);

static inline struct stream *stream_mine(void)
{
	return LIKELY(self->header) ? self : stream_open();
}

/**
 * stream_begin - room for a record, whose bytes are all to be written
 * @stream: self, or another that is locked; receives that of the record
 * @size: of 8 bytes
 *
 * NULL: it can't be told. Otherwise stream_commit() is to follow.
 */
static inline uint8_t *stream_begin(struct stream **stream, size_t size)
{
	struct stream *s = *stream;
	uint8_t *at;

	if (LIKELY(!s->hold))
		s->hold = HOLD_BUSY;
	else if (!(s = stream_enter(s)))
		return NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	at = s->at;
	if (UNLIKELY(size > (size_t)(s->end - at))) {
		at = stream_more(s, size);
		if (!at) {
			s->hold &= ~HOLD_BUSY;
			return NULL;
		}
	}
	*stream = s;
	return at;
}

/*
 * The header's second half makes the record valid: whoever is killed before it has made none. That
 * of the next is none before, as its place may have been written when the slot had another segment.
 */
static inline void stream_publish(struct stream *s, uint8_t *at, uint64_t second, size_t size)
{
	*(uint64_t *)(at + size + 8) = 0;
	__atomic_store_n((uint64_t *)(at + 8), second, __ATOMIC_RELEASE);
	s->at = at + size;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline uint64_t stream_second(uint8_t type, uint8_t flags, size_t size, uint32_t handle)
{
	return type | (uint64_t)flags << 8 | (uint64_t)size << 16 | (uint64_t)handle << 32;
}

static inline void stream_commit(struct stream *s, uint8_t *at, uint8_t type, uint8_t flags,
				 size_t size, uint32_t handle)
{
	stream_publish(s, at, stream_second(type, flags, size, handle), size);
	s->hold &= ~HOLD_BUSY;
}

static inline void stream_time(uint8_t *at)
{
	*(uint64_t *)at = ticks();
}

/* A record with the time of now, without parts and with up to @size bytes of a body */
void stream_put(uint8_t type, uint8_t flags, uint32_t handle, const void *body, size_t size);

/* Makes that a store to these bytes needs no room; 0, or a negative errno value */
int file_grow(int fd, uint64_t at, size_t size);

/* collector_output.c: where there is no recorder */

/* Takes the file, whose name is in the environment */
bool output_get(void);
/* Its name, for this process */
bool output_path(char *path, size_t size);
/* Room for a stream's header, if it has none, or for a segment in a slot; NULL: there is none */
void *output_map(struct stream *s, uint32_t slot, size_t size);
/* What is left of the last segment isn't needed */
void output_end(const struct stream *s);

/* collector_define.c: numbers of what programs create. Any text may be NULL. */
struct defined {
	struct defined *next;  /* of the same hash */
	struct defined *newer; /* in the order of definition */
	void *object;	       /* what the program has of it, if anything */
	struct itt_global *of; /* the static part whose object it is; NULL: ours */
	uint64_t hash;
	uint32_t number;
	uint8_t type;	  /* enum vsamp_itt_type */
	uint8_t value[2]; /* enum vsamp_itt_value_type: of a counter, or x and y of a histogram */
	uint16_t size;	  /* of the record */
	uint64_t record[];
};

uint32_t define_text(const char *text, size_t length);
uint32_t define_domain(const __itt_domain *domain);
uint32_t define_string(const __itt_string_handle *string);

/* Finds or makes; NULL: no memory. @value: of a counter; x and y of a histogram */
struct defined *define_named(uint8_t type, uint32_t name, uint32_t domain, const uint8_t value[2]);

/* By what the program has; NULL: not known */
const struct defined *defined_object(uint8_t type, const void *object);
void define_object(struct defined *d, void *object, struct itt_global *of);

/* A further record of what is defined, e.g. a clock's, also for processes that are forked */
void define_again(uint8_t type, uint8_t flags, uint32_t handle, uint32_t name, const void *body,
		  size_t size);

/* Forgets the objects of a static part that is gone */
void define_forget(const struct itt_global *of);

/* How many there are of a type, numbered from 1 */
uint32_t define_count(uint8_t type);

/* Begins the process's file of definitions, if there is none, and tells what is not told yet */
void define_tell(void);
/* The same, if there is something */
void define_more(void);
/* A forked child's is to be another one */
void define_forked(void);

static inline uint32_t domain_number(const __itt_domain *d)
{
	if (UNLIKELY(!d))
		return 0;
	return LIKELY(d->extra1) ? (uint32_t)d->extra1 : define_domain(d);
}

static inline uint32_t string_number(const __itt_string_handle *s)
{
	if (UNLIKELY(!s))
		return 0;
	return LIKELY(s->extra1) ? (uint32_t)s->extra1 : define_string(s);
}

/* collector_modules.c */

/* Mappings that came since the last time, told */
void modules_tell(void);
/* So that the mapping of a function is told */
void modules_know(struct stream *s, uintptr_t fn);
/* Whether all of it is in a library that is loaded, or in the program */
bool modules_have(const void *at, size_t size);

/* collector_create.c: what a static part kept before there was a collector, of the lists that it has */
void create_known(struct itt_global *g, bool counters, bool histograms, bool metadata);

/* collector_bind.c: stores null functions in all pointers of all static parts that are known */
void bind_nothing(void);

/* collector_format.c: a format with its arguments; returns the bytes, below @room */
size_t format_text(char *to, size_t room, const char *format, va_list args);

/* collector_pause.c */

/* Whether the process is paused to begin with */
void pause_begin(void);
/* That it is paused already, once, to a process's first file */
void pause_tell(void);

/* What is bound: each part has calls */
struct binding {
	const char *name; /* without __itt_ */
	void *function;
};

extern const struct binding bindings_tasks[], bindings_data[], bindings_threads[],
	bindings_create[], bindings_pause[];

#pragma GCC visibility pop

#endif
