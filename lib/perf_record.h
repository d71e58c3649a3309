/* SPDX-License-Identifier: MIT */
/* The kernel's sideband records, as perf_event_open(2) gives them */
#ifndef VSAMP_PERF_RECORD_H
#define VSAMP_PERF_RECORD_H

#include <stdint.h>

#include <linux/perf_event.h>

#include "buildid.h"

struct comm_record {
	struct perf_event_header h;
	uint32_t pid, tid;
	char comm[];
};

struct task_record {
	struct perf_event_header h;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct mmap2_record {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[BUILDID_MAX];
		};
	};
	uint32_t prot, flags;
	char filename[];
};

/*
 * Not the kernel's, who has no types so high: a process in another pid namespace than the recorder.
 * The trailer is as behind the kernel's.
 */
#define SIDEBAND_RECORD_NSPID 0x8000

struct nspid_record {
	struct perf_event_header h;
	uint32_t pid;
	uint32_t ns_pid; /* in its own namespace */
	uint64_t ns;	 /* inode of that */
	uint32_t trailer_pid, trailer_tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

struct lost_record {
	struct perf_event_header h;
	uint64_t id, lost;
};

#endif
