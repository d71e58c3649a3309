/* SPDX-License-Identifier: MIT */
/* Sessions whose samples have stacks; and a ring's samples, one by one */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <fcntl.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "session.h"

/* Why there's no such backend here, or NULL */
static inline const char *samples_missing(uint32_t backend)
{
	char buf[8];

	if (backend != VSAMP_BACKEND_INTEL)
		return NULL;
	if (!HAVE_INTEL)
		return "there is no backend intel";
	if (file_read("/proc/sys/kernel/nmi_watchdog", buf, sizeof(buf)) && buf[0] == '1')
		return "the NMI watchdog holds a counter";
	return NULL;
}

/* perf lowers its limit where interrupts take long, as they do where two CPUs run in turns */
static inline void samples_no_limit(void)
{
	int fd = open("/proc/sys/kernel/perf_cpu_time_max_percent", O_WRONLY);

	if (fd < 0 || write(fd, "0", 1) != 1)
		abort();
	close(fd);
}

/* Instructions with both stacks, one sample in @sav; of the machine */
static inline struct config samples_config(uint32_t backend, uint64_t sav, uint32_t modes)
{
	struct config config = config_instructions(sav);
	struct event *event = config.events;

	config.backend = backend;
	config.stacks = VSAMP_STACKS_KERNEL | VSAMP_STACKS_USER;
	event->flags = modes;
	if (backend == VSAMP_BACKEND_KPERF) {
		samples_no_limit();
		event->perf = true;
		event->type = PERF_TYPE_HARDWARE;
		event->config = PERF_INSTRUCTIONS;
	} else {
		/* what is held back would not be lost, but miss */
		config.pmi_limit = 100000;
	}
	return config;
}

struct samples {
	struct ring ring;
	uint64_t pos, head;
	const struct vsamp_record_sample *sample; /* the present one, */
	const struct vsamp_stack *stack;	  /* NULL: without */
	uint64_t wrong;				  /* stacks that don't fit their records */
};

/* Of the ring of a CPU, from where it was read up to; false: it can't be mapped */
static inline bool samples_begin(struct samples *s, int fd, int cpu)
{
	memset(s, 0, sizeof(*s));
	if (ring_map(fd, cpu, &s->ring))
		return false;
	s->pos = s->ring.page->tail;
	s->head = __atomic_load_n(&s->ring.page->head, __ATOMIC_ACQUIRE);
	return true;
}

static inline void samples_take(struct samples *s, const struct vsamp_record_header *h)
{
	size_t size = sizeof(*s->sample);

	s->sample = (const void *)h;
	s->stack = NULL;
	if (h->flags & VSAMP_SAMPLE_STACK) {
		s->stack = (const void *)(s->sample + 1);
		size += sizeof(*s->stack) + (s->stack->kernel + s->stack->user) * 8;
	}
	s->wrong += h->size != size;
}

/* false: there are no more */
static inline bool samples_next(struct samples *s)
{
	while (s->pos < s->head) {
		const struct vsamp_record_header *h = (const void *)(s->ring.data +
								     (s->pos & (s->ring.size - 1)));

		if (!h->size)
			break;
		s->pos += h->size;
		if (h->type != VSAMP_RECORD_SAMPLE)
			continue;
		samples_take(s, h);
		return true;
	}
	return false;
}

/* Whether the ip is in [begin, end) */
static inline bool samples_at(const struct samples *s, const char *begin, const char *end)
{
	return s->sample->ip - (uintptr_t)begin < (uintptr_t)(end - begin);
}

/* The user's frames, behind the kernel's */
static inline const uint64_t *samples_user(const struct samples *s)
{
	return (const uint64_t *)s->stack->ip + s->stack->kernel;
}

static inline void samples_end(struct samples *s)
{
	ring_unmap(&s->ring);
}

#endif
