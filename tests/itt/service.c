// SPDX-License-Identifier: MIT
/*
 * usage: service COUNT LIBRARY...
 *
 * Runs until it is killed, in the task "serve" and the region "open", by a thread called "server".
 * Every ms it tells a task "request" of the domain "service", and one named by a function that each
 * LIBRARY gives; the file COUNT has how many of each, as 8 bytes. They are loaded behind the first
 * request. SIGUSR1 ends "serve", and begins it again.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ittnotify.h"

static volatile sig_atomic_t again;

static void on_signal(int signal)
{
	(void)signal;
	again = 1;
}

static volatile uint64_t *counter(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0644);

	if (fd < 0 || ftruncate(fd, 8))
		exit(1);
	return mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

int main(int argc, char **argv)
{
	__itt_domain *d = __itt_domain_create("service");
	__itt_string_handle *serve = __itt_string_handle_create("serve");
	__itt_string_handle *request = __itt_string_handle_create("request");
	__itt_id id = __itt_id_make(NULL, 7);
	volatile uint64_t *count = counter(argv[1]);
	void *fn[8];
	int fns = 0;

	signal(SIGUSR1, on_signal);
	__itt_thread_set_name("server");
	__itt_region_begin(d, id, __itt_null, __itt_string_handle_create("open"));
	__itt_task_begin(d, __itt_null, __itt_null, serve);
	for (;;) {
		__itt_task_begin(d, __itt_null, __itt_null, request);
		__itt_task_end(d);
		for (; 2 + fns < argc && fns < 8; fns++) {
			void *library = dlopen(argv[2 + fns], RTLD_NOW);
			void *(*give)(void) = library ? (void *(*)(void))dlsym(library, "give") :
							NULL;

			if (!give)
				return 1;
			fn[fns] = give();
		}
		for (int i = 0; i < fns; i++) {
			__itt_task_begin_fn(d, __itt_null, __itt_null, fn[i]);
			__itt_task_end(d);
		}
		++*count;
		if (again) {
			again = 0;
			__itt_task_end(d);
			__itt_task_begin(d, __itt_null, __itt_null, serve);
		}
		usleep(1000);
	}
}
