/* SPDX-License-Identifier: MIT */
/*
 * itt_global.h: what a static part and a collector share, whoever made them
 *
 * Fields behind string_list came one by one, while version_build says too little of which there
 * are: a collector looks for the calls that go with them in the list of calls.
 */
#ifndef ITT_GLOBAL_H
#define ITT_GLOBAL_H

#include <pthread.h>

#include "ittnotify.h"

enum itt_group {
	ITT_GROUP_LEGACY = 1 << 0,
	ITT_GROUP_CONTROL = 1 << 1,
	ITT_GROUP_THREAD = 1 << 2,
	ITT_GROUP_MARK = 1 << 3,
	ITT_GROUP_SYNC = 1 << 4,
	ITT_GROUP_FSYNC = 1 << 5,
	ITT_GROUP_JIT = 1 << 6,
	ITT_GROUP_MODEL = 1 << 7,
	ITT_GROUP_COUNTER = 1 << 8,
	ITT_GROUP_FRAME = 1 << 9,
	ITT_GROUP_STITCH = 1 << 10,
	ITT_GROUP_HEAP = 1 << 11,
	ITT_GROUP_STRUCTURE = 1 << 12,
	ITT_GROUP_SUPPRESS = 1 << 13,
	ITT_GROUP_ARRAYS = 1 << 14,
	ITT_GROUP_MODULE = 1 << 15,
	ITT_GROUP_ALL = -1,
};

#define ITT_MAGIC                                              \
	{                                                      \
		0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30 \
	}

/* A call; the list of them ends with one without a name */
struct itt_api {
	const char *name;
	void **pointer;
	void *stub;
	void *null; /* what it points to without a collector; NULL: nothing */
	int group;
};

struct itt_thread_info {
	const char *nameA;
	void *nameW;
	long tid;
	int state, extra1;
	void *extra2;
	struct itt_thread_info *next;
};

/* An __itt_counter is the address of one */
struct itt_counter_info {
	const char *nameA;
	void *nameW;
	const char *domainA;
	void *domainW;
	int type;
	long index;
	int extra1;
	void *extra2;
	struct itt_counter_info *next;
};

struct itt_global {
	unsigned char magic[8];
	unsigned long version_major, version_minor, version_build;
	volatile long api_initialized, mutex_initialized, atomic_counter;
	pthread_mutex_t mutex; /* recursive; held while a collector is initialised */
	void *lib;
	void *error_handler;
	const char **dll_path;
	struct itt_api *api_list;
	struct itt_global *next;
	struct itt_thread_info *thread_list;
	__itt_domain *domain_list;
	__itt_string_handle *string_list;
	int state; /* __itt_collection_state; before there were those: 0 normal, 1 paused */
	struct itt_counter_info *counter_list;
	unsigned int ipt_collect_events;
	__itt_histogram *histogram_list;
	__itt_counter_metadata *counter_metadata_list;
};

typedef void itt_api_init_fn(struct itt_global *g, int groups);
typedef void itt_api_fini_fn(struct itt_global *g);

#endif
