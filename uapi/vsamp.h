/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * vsamp: what the kernel module and userspace agree on
 *
 * A session is an open file of /dev/vsamp. It is controlled through the generic netlink family
 * VSAMP_GENL_NAME, whose requests name the session by its file descriptor, and read through one
 * mapped ring per CPU. A session runs once: open, configure, start, [pause, resume], stop; the last
 * close of the file stops it too and gives every register back. A mapping keeps the file open.
 *
 * open() fails with EACCES without CAP_PERFMON or CAP_SYS_ADMIN, with EPERM where lockdown forbids
 * it, and with EXDEV outside the initial pid namespace.
 *
 * All times in records are ticks of the session's clock (VSAMP_A_CLOCK): the TSC where it is
 * invariant, else nanoseconds of the kernel's fast monotonic clock.
 */
#ifndef _UAPI_VSAMP_H
#define _UAPI_VSAMP_H

#include <linux/types.h>

#define VSAMP_DEVICE		"/dev/vsamp"
#define VSAMP_GENL_NAME		"vsamp"
#define VSAMP_GENL_VERSION	1

/* Limits that a request is checked against */
#define VSAMP_EVENTS_MAX	16	/* events of a session */
#define VSAMP_PIDS_MAX		1024	/* pids named by one request */
#define VSAMP_SAV_MIN		2	/* with VSAMP_EVENT_FORCE */
#define VSAMP_SAV_FLOOR		1000	/* without */
#define VSAMP_RING_SIZE_MIN	(1U << 14)	/* bytes a CPU */
#define VSAMP_RING_SIZE_MAX	(1U << 30)
#define VSAMP_RING_SIZE_DEFAULT	(1U << 20)

/*
 * Rings
 *
 * Ring of CPU n: its control page is mapped shared, read and write, from offset
 * VSAMP_MMAP_CTRL(n); its data, shared and read-only, from offset VSAMP_MMAP_DATA(n) with a length
 * of twice data_size: the pages appear twice in a row, so that no record ever has a seam. A ring
 * exists from the start of the session, or from when its CPU came online (VSAMP_STATE_ONLINE, and
 * EPOLLPRI on the file).
 *
 * The record at position p (a count of bytes that never wraps) begins at byte p & (data_size - 1)
 * of the data. The reader loads head (acquire), reads records from tail to head, and stores tail
 * (release). The kernel uses no other word of the page, and trusts tail only as far as "full".
 */
#define VSAMP_RING_VERSION	1
#define VSAMP_MMAP_CPU_SHIFT	32
#define VSAMP_MMAP_CTRL(cpu)	((__u64)(cpu) << VSAMP_MMAP_CPU_SHIFT)
#define VSAMP_MMAP_DATA(cpu)	(VSAMP_MMAP_CTRL(cpu) | (1ULL << 31))

struct vsamp_ring_page {
	__u32	version;	/* VSAMP_RING_VERSION */
	__u32	cpu;
	__u64	data_size;	/* bytes, a power of two */
	__u8	__pad0[48];
	__u64	head;		/* written by the kernel */
	__u8	__pad1[56];
	__u64	tail;		/* written by the reader */
	__u8	__pad2[56];
};

/*
 * Records: a header, then what its type says. Sizes are multiples of 8; a reader skips types it
 * does not know and bytes behind those it knows.
 */
enum vsamp_record_type {
	VSAMP_RECORD_SAMPLE	= 1,
	VSAMP_RECORD_LOST	= 2,
	VSAMP_RECORD_CLOCK	= 3,
	VSAMP_RECORD_THROTTLE	= 4,
	VSAMP_RECORD_UNTHROTTLE	= 5,
	VSAMP_RECORD_STATE	= 6,
};

struct vsamp_record_header {
	__u16	type;		/* enum vsamp_record_type */
	__u16	size;		/* bytes, header included */
	__u16	event;		/* sample: index of the event; state: enum vsamp_state_code */
	__u16	flags;		/* sample: VSAMP_SAMPLE_* */
};

#define VSAMP_SAMPLE_USER	(1U << 0)	/* ip is in user mode */
#define VSAMP_SAMPLE_GUEST	(1U << 1)	/* a virtual machine ran; ip is of its exit */
#define VSAMP_SAMPLE_SKID	(1U << 2)	/* seen in the kernel; ip: where the user goes on */

/* One overflow of one counter. ip is where the interrupt was taken: skid is possible. */
struct vsamp_record_sample {
	struct vsamp_record_header h;
	__u64	time;
	__u64	ip;
	__u32	pid;		/* of the process (tgid), initial pid namespace */
	__u32	tid;
};

/*
 * count records found no room just before this one. Comes in front of the next record that fits.
 * Not itself counted as produced or written.
 */
struct vsamp_record_lost {
	struct vsamp_record_header h;
	__u64	time;
	__u64	count;
};

/* The same instant on all clocks, to within bracket ticks */
struct vsamp_record_clock {
	struct vsamp_record_header h;
	__u64	time;
	__u64	bracket;	/* ticks between the reads before and after */
	__u64	monotonic_raw;	/* ns */
	__u64	monotonic;	/* ns */
	__u64	realtime;	/* ns */
};

/*
 * Sampling on this CPU was held back: throttle, count = PMIs in the window that went over; and
 * went on: unthrottle, count = 0
 */
struct vsamp_record_throttle {
	struct vsamp_record_header h;
	__u64	time;
	__u64	count;
};

enum vsamp_state_code {
	VSAMP_STATE_START	= 1,
	VSAMP_STATE_STOP	= 2,
	VSAMP_STATE_PAUSE	= 3,
	VSAMP_STATE_RESUME	= 4,
	VSAMP_STATE_ONLINE	= 5,
	VSAMP_STATE_OFFLINE	= 6,
	VSAMP_STATE_FOREIGN	= 7,	/* somebody else wrote to the PMU, the end; arg = MSR */
};

struct vsamp_record_state {
	struct vsamp_record_header h;
	__u64	time;
	__u64	arg;
};

/*
 * Control family. Every refusal carries an extended-ack text and, where one is at fault, the
 * attribute (but for a dump without SESSION_FD, in older kernels). Nothing is changed by a request
 * that is refused. Its errors, apart from those of netlink itself:
 *
 *	EBADF		SESSION_FD isn't a /dev/vsamp
 *	EBADFD		the session isn't in a state for this command
 *	EACCES		the sender may not configure: CAP_PERFMON or CAP_SYS_ADMIN is needed
 *	EINVAL, ERANGE, E2BIG, EEXIST	an attribute is missing or wrong, too large, too often, or a
 *			counter is asked for twice
 *	EXDEV		PIDs, from outside the initial pid namespace
 *	ESRCH		no such process
 *	EOPNOTSUPP	no such backend, or the machine is virtual and FLAG_HYPERVISOR isn't given
 *	ENODEV		no PMU here, or none that works
 *	EBUSY		START: somebody else has the counters; no register was written
 *	ENOMEM		START: no memory for the rings, or more than the module's ring_mb_max
 */
enum vsamp_cmd {
	VSAMP_CMD_UNSPEC,
	VSAMP_CMD_CAPS_GET,	/* dump: one message a CPU that can be sampled */
	VSAMP_CMD_CONFIGURE,
	VSAMP_CMD_START,
	VSAMP_CMD_STOP,
	VSAMP_CMD_PAUSE,
	VSAMP_CMD_RESUME,
	VSAMP_CMD_STATS_GET,	/* dump: one message a CPU of the session */

	__VSAMP_CMD_MAX,
	VSAMP_CMD_MAX = __VSAMP_CMD_MAX - 1,
};

enum vsamp_attr {
	VSAMP_A_UNSPEC,
	VSAMP_A_PAD,
	VSAMP_A_SESSION_FD,	/* u32: a /dev/vsamp of the caller's; all but CAPS_GET */

	/* CONFIGURE */
	VSAMP_A_BACKEND,	/* u32: enum vsamp_backend; also in replies */
	VSAMP_A_EVENT,		/* nest of VSAMP_EVENT_A_*, once an event */
	VSAMP_A_CPUS,		/* string: list of CPUs as in /sys, e.g. "0-3,8"; none: all */
	VSAMP_A_PID,		/* u32, once a process; none: whatever runs on the CPUs */
	VSAMP_A_FLAGS,		/* u32: VSAMP_FLAG_* */
	VSAMP_A_RING_SIZE,	/* u32: bytes a CPU, a power of two */
	VSAMP_A_WATERMARK,	/* u32: bytes in a ring that wake the reader; none: a quarter */
	VSAMP_A_PMI_LIMIT,	/* u32: PMIs a tick (4 ms) and CPU before throttling; none: 400 */

	/* CAPS_GET and STATS_GET replies */
	VSAMP_A_CPU,		/* u32 */
	VSAMP_A_MODULE_VERSION,	/* string */
	VSAMP_A_PERFMON_VERSION,	/* u32: CPUID leaf 0xA */
	VSAMP_A_COUNTERS,	/* u64: bit i = general counter i, bit 32 + i = fixed counter i */
	VSAMP_A_COUNTER_WIDTH,	/* u32: bits */
	VSAMP_A_EVENTS_ABSENT,	/* u32: CPUID.0AH:EBX, architectural events that don't count */
	VSAMP_A_SAV_MAX,	/* u64 */
	VSAMP_A_CLOCK,		/* u32: enum vsamp_clock */
	VSAMP_A_CLOCK_KHZ,	/* u64: ticks a millisecond */
	VSAMP_A_HYPERVISOR,	/* flag: the CPU says it is virtual */

	VSAMP_A_STATE,		/* u32: enum vsamp_session_state */
	VSAMP_A_END_REASON,	/* u32: enum vsamp_end_reason; with state ended */
	VSAMP_A_PRODUCED,	/* u64: records made, LOST records apart */
	VSAMP_A_WRITTEN,	/* u64: of those, put into the ring */
	VSAMP_A_LOST,		/* u64: of those, found no room */
	VSAMP_A_PMIS,		/* u64: interrupts taken as ours */
	VSAMP_A_THROTTLED,	/* u64: times held back */
	VSAMP_A_STATS_EVENT,	/* nest of VSAMP_STATS_A_*, once an event */

	__VSAMP_A_MAX,
	VSAMP_A_MAX = __VSAMP_A_MAX - 1,
};

enum vsamp_event_attr {
	VSAMP_EVENT_A_UNSPEC,
	VSAMP_EVENT_A_PAD,
	VSAMP_EVENT_A_CONFIG,	/* u64: IA32_PERFEVTSELx, the bits of VSAMP_CONFIG_MASK */
	VSAMP_EVENT_A_COUNTER,	/* u32: i = general counter i, 32 + i = fixed counter i */
	VSAMP_EVENT_A_SAV,	/* u64: Sample-After value; 0 = count, no samples */
	VSAMP_EVENT_A_FLAGS,	/* u32: VSAMP_EVENT_*; at least one of USER and KERNEL */

	__VSAMP_EVENT_A_MAX,
	VSAMP_EVENT_A_MAX = __VSAMP_EVENT_A_MAX - 1,
};

enum vsamp_stats_attr {
	VSAMP_STATS_A_UNSPEC,
	VSAMP_STATS_A_PAD,
	VSAMP_STATS_A_EVENT,	/* u32: index, in the order of CONFIGURE */
	VSAMP_STATS_A_COUNT,	/* u64: events counted while running */
	VSAMP_STATS_A_SAMPLES,	/* u64: overflows that made, or should have made, a sample */

	__VSAMP_STATS_A_MAX,
	VSAMP_STATS_A_MAX = __VSAMP_STATS_A_MAX - 1,
};

/* event 7:0, umask 15:8, edge 18, inv 23, cmask 31:24 */
#define VSAMP_CONFIG_MASK	0xff84ffffULL
#define VSAMP_COUNTER_FIXED	32

#define VSAMP_EVENT_USER	(1U << 0)
#define VSAMP_EVENT_KERNEL	(1U << 1)
#define VSAMP_EVENT_FORCE	(1U << 2)	/* allow a SAV below VSAMP_SAV_FLOOR */

#define VSAMP_FLAG_INHERIT	(1U << 0)	/* children of the pids are members too */
#define VSAMP_FLAG_ON_EXEC	(1U << 1)	/* the pids become members when they next exec */
#define VSAMP_FLAG_HYPERVISOR	(1U << 2)	/* program the PMU although the CPU is virtual */

enum vsamp_backend {
	VSAMP_BACKEND_INTEL	= 1,
};

enum vsamp_clock {
	VSAMP_CLOCK_TSC		= 1,	/* invariant */
	VSAMP_CLOCK_MONOTONIC	= 2,	/* ktime_get_mono_fast_ns() */
};

enum vsamp_session_state {
	VSAMP_SESSION_OPEN	= 1,
	VSAMP_SESSION_READY	= 2,	/* configured */
	VSAMP_SESSION_RUNNING	= 3,
	VSAMP_SESSION_PAUSED	= 4,
	VSAMP_SESSION_ENDED	= 5,
};

enum vsamp_end_reason {
	VSAMP_END_STOP		= 1,	/* as asked */
	VSAMP_END_FOREIGN	= 2,	/* somebody else wrote to the PMU */
};

#endif /* _UAPI_VSAMP_H */
