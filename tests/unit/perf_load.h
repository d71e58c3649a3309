/* SPDX-License-Identifier: MIT */
/*
 * A load of known CPU time, and what a session recorded of it
 *
 * The load is the test program itself, executed again: main() calls load_main() first.
 */
#ifndef PERF_LOAD_H
#define PERF_LOAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vsamp/control.h>
#include <vsamp/ring.h>

#define LOAD_EVENTS 2

static inline uint64_t load_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* All but all of the time is spent between its first and its last instruction */
__attribute__((noinline, section("load"))) static void load_loop(void)
{
	for (volatile unsigned int i = 0; i < 300000; i++)
		;
}

extern char __start_load[], __stop_load[];

static inline void load_spin(uint64_t ns)
{
	uint64_t end = load_clock(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (load_clock(CLOCK_THREAD_CPUTIME_ID) < end)
		load_loop();
}

static inline void *load_thread(void *ns)
{
	load_spin(*(uint64_t *)ns);
	return NULL;
}

/* What is executed: tells where its loop is, spins, and has children or threads that do */
static inline void load_main(int argc, char **argv)
{
	uint64_t where[2] = { (uintptr_t)__start_load, (uintptr_t)__stop_load }, ns;
	int children, threads;
	pthread_t thread;

	if (argc != 6 || strcmp(argv[1], "load"))
		return;
	if (write(atoi(argv[2]), where, sizeof(where)) != sizeof(where))
		_exit(1);
	ns = strtoull(argv[3], NULL, 10);
	children = atoi(argv[4]);
	threads = atoi(argv[5]);
	for (int i = 0; i < children; i++)
		if (!fork()) {
			load_spin(ns);
			_exit(0);
		}
	for (int i = 0; i < threads; i++)
		pthread_create(&thread, NULL, load_thread, &ns);
	load_spin(ns);
	while (wait(NULL) > 0)
		;
	/* The process ends with its last thread */
	pthread_exit(NULL);
}

struct load {
	pid_t pid;
	int go;
	int where;
	uint64_t begin, end; /* its loop; known once it has begun */
	struct rusage usage; /* with its children's, once it has ended */
};

/* Forks what will spin for ns, once in itself and in each child and thread, after load_go() */
static inline bool load_fork(struct load *l, uint64_t ns, int children, int threads)
{
	int go[2], where[2];
	char fd[16], time[32], forks[16], clones[16], byte;

	if (pipe(go) || pipe(where))
		return false;
	l->pid = fork();
	if (!l->pid) {
		close(go[1]);
		snprintf(fd, sizeof(fd), "%d", where[1]);
		snprintf(time, sizeof(time), "%llu", (unsigned long long)ns);
		snprintf(forks, sizeof(forks), "%d", children);
		snprintf(clones, sizeof(clones), "%d", threads);
		if (read(go[0], &byte, 1) == 1)
			execl("/proc/self/exe", "load", "load", fd, time, forks, clones, NULL);
		_exit(1);
	}
	close(go[0]);
	close(where[1]);
	l->go = go[1];
	l->where = where[0];
	return l->pid > 0;
}

static inline bool load_go(struct load *l)
{
	uint64_t where[2];
	bool ok = write(l->go, "g", 1) == 1 &&
		  read(l->where, where, sizeof(where)) == sizeof(where);

	l->begin = where[0];
	l->end = where[1];
	return ok;
}

static inline bool load_end(struct load *l)
{
	int status;
	bool ok = wait4(l->pid, &status, 0, &l->usage) == l->pid && !status;

	close(l->go);
	close(l->where);
	return ok;
}

/* CPU time of the load's own process so far */
static inline uint64_t load_used(const struct load *l)
{
	clockid_t clock;

	return clock_getcpuclockid(l->pid, &clock) ? 0 : load_clock(clock);
}

/* Lets its process have so much, then holds it: it does nothing until load_continue() */
static inline void load_hold(const struct load *l, uint64_t used)
{
	int status;

	while (load_used(l) < used)
		usleep(1000);
	kill(l->pid, SIGSTOP);
	waitpid(l->pid, &status, WUNTRACED);
}

static inline void load_continue(const struct load *l)
{
	kill(l->pid, SIGCONT);
}

static inline uint64_t load_ns(const struct load *l)
{
	return (l->usage.ru_utime.tv_sec + l->usage.ru_stime.tv_sec) * 1000000000ULL +
	       (l->usage.ru_utime.tv_usec + l->usage.ru_stime.tv_usec) * 1000ULL;
}

/* What came out of the rings of a session, all of it */
struct taken {
	uint64_t records, lost;
	uint64_t samples[LOAD_EVENTS];
	uint64_t user, in_loop, of_pid; /* samples */
	uint64_t states[VSAMP_STATE_FOREIGN + 1];
	uint64_t state_time[VSAMP_STATE_FOREIGN + 1]; /* of the last of these */
	uint64_t clocks, throttles, savs;
	uint64_t paused_samples; /* between a PAUSE and a RESUME */
	/* of samples with stacks, and the most frames that one has */
	uint64_t stacks, cut, kernel_most, user_most;
};

static inline void taken_add(struct taken *t, const struct load *l,
			     const struct vsamp_record_sample *s)
{
	const struct vsamp_stack *stack = (const void *)(s + 1);

	t->samples[s->h.event]++;
	t->user += !!(s->h.flags & VSAMP_SAMPLE_USER);
	t->in_loop += s->ip >= l->begin && s->ip < l->end;
	t->of_pid += s->pid == (uint32_t)l->pid;
	if (!(s->h.flags & VSAMP_SAMPLE_STACK))
		return;
	t->stacks++;
	t->cut += !!(stack->flags & VSAMP_STACK_USER_CUT);
	if (t->kernel_most < stack->kernel)
		t->kernel_most = stack->kernel;
	if (t->user_most < stack->user)
		t->user_most = stack->user;
}

static inline void taken_ring(struct taken *t, const struct load *l, const char *data, size_t size)
{
	bool paused = false;

	for (size_t at = 0; at < size;) {
		const struct vsamp_record_sample *s = (const void *)(data + at);

		t->records += s->h.type != VSAMP_RECORD_LOST;
		switch (s->h.type) {
		case VSAMP_RECORD_SAMPLE:
			taken_add(t, l, s);
			t->paused_samples += paused;
			break;
		case VSAMP_RECORD_LOST:
			t->lost += ((const struct vsamp_record_lost *)s)->count;
			break;
		case VSAMP_RECORD_STATE:
			t->states[s->h.event]++;
			t->state_time[s->h.event] = s->time;
			if (s->h.event == VSAMP_STATE_PAUSE || s->h.event == VSAMP_STATE_RESUME)
				paused = s->h.event == VSAMP_STATE_PAUSE;
			break;
		case VSAMP_RECORD_CLOCK:
			t->clocks++;
			break;
		case VSAMP_RECORD_SAV:
			t->savs++;
			break;
		case VSAMP_RECORD_THROTTLE:
			t->throttles++;
			break;
		}
		at += s->h.size;
	}
}

#endif
