// SPDX-License-Identifier: MIT
/*
 * A collector that counts the calls of each entry in a static part's list, and knows no more of it
 * than its layout. With ITT_COUNT_NEXT, another collector, it hands each call on to what that has bound,
 * so both are told of the same run; without, to nothing, and leaves alone what the static part does
 * itself.
 *
 * ITT_COUNT_DIR/PID has the slots, as they are mapped, however the process ends: a call is counted
 * before it is handed on. ITT_INIT_USLEEP makes the initialisation take so long.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS 1024

/* An entry of a list; the last has no name */
struct entry {
	const char *name;
	void **pointer;
	void *stub;
	void *null; /* what the static part does itself */
	int group;
};

/* The beginning of what a static part has */
struct global {
	unsigned char magic[8];
	unsigned long version[3];
	long state[3];
	pthread_mutex_t mutex;
	void *lib, *error_handler, *path;
	struct entry *list;
};

typedef void collector_fn(struct global *g, int groups);

/* Each is of one entry of one static part; what they are in a file is read by counts.py */
struct slot {
	char name[56];
	uint64_t count;
};

__attribute__((visibility("hidden"), aligned(4096))) struct slot itt_slots[SLOTS];
__attribute__((visibility("hidden"))) void *itt_next[SLOTS];
extern char itt_calls[] __attribute__((visibility("hidden")));

static void **pointer[SLOTS];
static int used;
static void *next;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Whatever the arguments are, they are where they were when the call goes on */
#ifndef __x86_64__
#error "only x86-64 has been thought of"
#endif
__asm__(".text\n"
	".balign 16\n"
	"itt_calls:\n"
	".set n, 0\n"
	".rept 1024\n"
	"	lock incq itt_slots + 64 * n + 56(%rip)\n"
	"	jmp *itt_next + 8 * n(%rip)\n"
	"	.balign 16\n"
	"	.set n, n + 1\n"
	".endr\n");

static void *nothing(void)
{
	return NULL;
}

static void *caller(void)
{
	return itt_slots;
}

/* OpenMP takes it for an error if it gets no caller of a stack */
static void *without(const char *name)
{
	return strcmp(name, "__itt_stack_caller_create") ? nothing : caller;
}

static int slot_new(const char *name, void **of)
{
	int i = used++;

	if (i >= SLOTS)
		abort();
	strncpy(itt_slots[i].name, name, sizeof(itt_slots[i].name) - 1);
	pointer[i] = of;
	return i;
}

static int slot_find(const char *name, void **of)
{
	for (int i = 0; i < used; i++)
		if (pointer[i] == of &&
		    !strncmp(itt_slots[i].name, name, sizeof(itt_slots[i].name) - 1))
			return i;
	return slot_new(name, of);
}

/* Puts the slots into the process's file */
static void map(void)
{
	const char *dir = getenv("ITT_COUNT_DIR");
	char path[4096];
	void *at;
	int fd;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%d", dir, getpid());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(itt_slots)))
		return;
	at = mmap(itt_slots, sizeof(itt_slots), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		  0);
	close(fd);
	if (at != itt_slots)
		abort();
	/* cppcheck-suppress memleak ; the slots are there */
}

static void fork_child(void)
{
	static struct slot names[SLOTS];

	memcpy(names, itt_slots, sizeof(names));
	map();
	for (int i = 0; i < used; i++)
		memcpy(itt_slots[i].name, names[i].name, sizeof(names[i].name));
}

/* What this process was before an exec may have slots already */
static void begin(void)
{
	const char *path = getenv("ITT_COUNT_NEXT");

	map();
	while (used < SLOTS && itt_slots[used].name[0])
		used++;
	pthread_atfork(NULL, NULL, fork_child);
	next = path ? dlopen(path, RTLD_LAZY) : NULL;
	if (path && !next)
		abort();
}

/* The other collector is shown a list of the same entries, whose pointers are ours */
static void next_call(const char *name, struct global *g, int groups, void **bound)
{
	collector_fn *f = (collector_fn *)dlsym(next, name);
	struct entry *list = g->list, shown[SLOTS];
	int n = 0;

	for (; list[n].name; n++) {
		shown[n] = list[n];
		shown[n].pointer = &bound[n];
	}
	shown[n].name = NULL;
	g->list = shown;
	f(g, groups);
	g->list = list;
}

static void entry_bind(struct entry *e, void *bound)
{
	int i;

	if (!next && e->null) {
		__atomic_store_n(e->pointer, e->null, __ATOMIC_RELEASE);
		return;
	}
	i = slot_find(e->name, e->pointer);
	itt_next[i] = bound ? bound : without(e->name);
	__atomic_store_n(e->pointer, itt_calls + 16 * i, __ATOMIC_RELEASE);
}

void __itt_api_init(struct global *g, int groups);
void __itt_api_init(struct global *g, int groups)
{
	const char *wait = getenv("ITT_INIT_USLEEP");
	void *bound[SLOTS] = { 0 };

	pthread_mutex_lock(&lock);
	if (!used)
		begin();
	itt_slots[slot_find("init", NULL)].count++;
	if (next)
		next_call("__itt_api_init", g, groups, bound);
	for (int i = 0; g->list[i].name; i++)
		entry_bind(&g->list[i], bound[i]);
	pthread_mutex_unlock(&lock);
	if (wait)
		usleep(atoi(wait));
}

/* Calls that are under way still find what they went to */
void __itt_api_fini(struct global *g);
void __itt_api_fini(struct global *g)
{
	void *bound[SLOTS] = { 0 };

	pthread_mutex_lock(&lock);
	itt_slots[slot_find("fini", NULL)].count++;
	if (next)
		next_call("__itt_api_fini", g, 0, bound);
	for (int i = 0; next && g->list[i].name; i++)
		__atomic_store_n(g->list[i].pointer, bound[i], __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}
