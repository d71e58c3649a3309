// SPDX-License-Identifier: MIT
/* usage: race THREADS PAIRS: threads that begin at once with the first call of all; pairs of each */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ittnotify.h"

static __itt_domain *domain;
static __itt_string_handle *name;
static pthread_barrier_t barrier;
static long pairs;

static void *call(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < pairs; i++) {
		__itt_task_begin(domain, __itt_null, __itt_null, name);
		__itt_task_end(domain);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t *thread = (pthread_t *)calloc(n, sizeof(*thread));

	if (!n || !thread)
		return 2;
	pairs = atol(argv[2]);
	domain = __itt_domain_create("race");
	name = __itt_string_handle_create("task");
	pthread_barrier_init(&barrier, NULL, n);
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, call, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	return 0;
}
