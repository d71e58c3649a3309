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
 * A GPU's stream is an open file of /dev/vsamp_gpu, with one ring, and otherwise the same; see
 * below, "GPUs".
 *
 * All times in records are ticks of the session's clock (VSAMP_A_CLOCK): the TSC where it is
 * invariant, else nanoseconds of the kernel's fast monotonic clock.
 */
#ifndef _UAPI_VSAMP_H
#define _UAPI_VSAMP_H

#include <linux/types.h>

#define VSAMP_DEVICE		"/dev/vsamp"
#define VSAMP_GPU_DEVICE	"/dev/vsamp_gpu"
#define VSAMP_GENL_NAME		"vsamp"
#define VSAMP_GENL_VERSION	1

/* Limits that a request is checked against */
#define VSAMP_EVENTS_MAX	32	/* events of a session */
#define VSAMP_PIDS_MAX		1024	/* pids named by one request */
#define VSAMP_SAV_MIN		2	/* with VSAMP_EVENT_FORCE */
#define VSAMP_SAV_FLOOR		1000	/* without */
#define VSAMP_MUX_MS_MAX	1000	/* a set's time, from 1 */
#define VSAMP_CGROUPS_MAX	64	/* cgroups named by one request */
#define VSAMP_STACK_DEPTH_MAX	127	/* frames of the kernel, and of the user; from 1 */
#define VSAMP_GPU_REGS_MAX	1024	/* registers of a GPU's configuration */
#define VSAMP_GPU_EXPONENT_MAX	31	/* a GPU's timer: 2 << exponent ticks of its timestamp */
#define VSAMP_GPU_BUFFER_MIN	(1U << 17)	/* bytes that a GPU writes its reports to */
#define VSAMP_GPU_BUFFER_MAX	(1U << 24)
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
	VSAMP_RECORD_SET	= 7,
	VSAMP_RECORD_SAV	= 8,
	VSAMP_RECORD_OA		= 9,
	VSAMP_RECORD_OA_LOST	= 10,
	VSAMP_RECORD_GPU_CLOCK	= 11,
};

struct vsamp_record_header {
	__u16	type;		/* enum vsamp_record_type */
	__u16	size;		/* bytes, header included */
	__u16	event;		/* sample, SAV: the event's index; set: number; state: code; OA:
				 * enum vsamp_gpu_format
				 */
	__u16	flags;		/* sample: VSAMP_SAMPLE_*; OA lost: VSAMP_GPU_LOST_* */
};

#define VSAMP_SAMPLE_USER	(1U << 0)	/* ip is in user mode */
#define VSAMP_SAMPLE_GUEST	(1U << 1)	/* a virtual machine ran; ip is in it */
#define VSAMP_SAMPLE_SKID	(1U << 2)	/* seen in the kernel; ip: where the user goes on */
#define VSAMP_SAMPLE_STACK	(1U << 3)	/* a struct vsamp_stack is behind the sample */

/* One overflow of one counter. ip is where the interrupt was taken: skid is possible. */
struct vsamp_record_sample {
	struct vsamp_record_header h;
	__u64	time;
	__u64	ip;
	__u32	pid;		/* of the process (tgid), initial pid namespace */
	__u32	tid;
};

/*
 * The callers of a sample's ip, innermost first: kernel return addresses, then user ones. Where ip
 * is in the kernel, the first of the user's is where the user goes on. The kernel's are found by
 * its own unwinder, the user's by frame pointers: code without them hides callers. A side that
 * wasn't asked for has none, and isn't cut; nor is the user's of a thread that never was in user
 * mode.
 */
struct vsamp_stack {
	__u16	kernel;		/* frames */
	__u16	user;
	__u32	flags;		/* VSAMP_STACK_* */
	__u64	ip[];
};

/* There are more than could be had: deeper than STACK_DEPTH, or not to be read, or not found */
#define VSAMP_STACK_KERNEL_CUT	(1U << 0)
#define VSAMP_STACK_USER_CUT	(1U << 1)

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
 * went on: unthrottle, count = 0. Of kperf: sampling of some events was, and of all goes on, which
 * is seen by the first sample that comes then.
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
	VSAMP_STATE_SUSPEND	= 8,	/* the machine goes to sleep; nothing is counted */
	VSAMP_STATE_WAKE	= 9,	/* from it; goes on as it was before */
};

struct vsamp_record_state {
	struct vsamp_record_header h;
	__u64	time;
	__u64	arg;
};

/*
 * Time slices (MUX_MS): here this CPU stopped counting the events of set h.event, and went on with
 * another set, or ended. Times are ticks since the start: enabled, in which it counted whatever
 * set; running, in which it counted this one.
 */
struct vsamp_record_set {
	struct vsamp_record_header h;
	__u64	time;
	__u64	enabled;
	__u64	running;
};

/*
 * A Sample-After value was changed: samples of this event that follow, on this CPU, took sav events
 * each, up to the next such record. A change may bring two: one for the period that was under way,
 * which ends soon, and one for those after it. No sample is written whose SAV record found no room:
 * the record comes with the next sample that does.
 */
struct vsamp_record_sav {
	struct vsamp_record_header h;
	__u64	time;
	__u64	sav;
};

/*
 * GPUs
 *
 * A GPU that is bound to the module's PCI driver, VSAMP_GPU_DRIVER, which binds to none by itself,
 * has a number (VSAMP_CMD_GPU_GET). Its OA unit writes reports of counters to memory at multiples
 * of a period; they come in a ring, which is mapped as that of CPU 0. The ring has CLOCK and STATE
 * records, too, and LOST records where it was full: what is lost there is not the GPU's fault. A
 * stream runs once: open, GPU_CONFIGURE, GPU_START, GPU_STOP; the last close of the file stops it
 * too and gives every register back, and so does unbinding the GPU.
 */
#define VSAMP_GPU_DRIVER	"vsamp_oa"

/* A report as the GPU wrote it, little endian */
struct vsamp_record_oa {
	struct vsamp_record_header h;
	__u64	time;		/* when it was found in memory, not when it was made */
	__u8	report[];
};

/*
 * The GPU lost reports between two of its timestamps, the 32 bits that reports have: those of the
 * report before and the one after, in front of which this comes; at the end of a run, of the end.
 * count is the number of periods of the timer that had no report.
 */
struct vsamp_record_oa_lost {
	struct vsamp_record_header h;
	__u64	time;
	__u32	from;
	__u32	to;
	__u64	count;
};

#define VSAMP_GPU_LOST_OVERFLOW	(1U << 0)	/* the buffer was full; the unit was restarted */
#define VSAMP_GPU_LOST_REPORT	(1U << 1)	/* the GPU said that it couldn't write some */

/*
 * The same instant on the GPU's clock and the session's, to within bracket ticks of the latter: at
 * the start, once a second and at the end. The low 32 bits are what reports have.
 */
struct vsamp_record_gpu_clock {
	struct vsamp_record_header h;
	__u64	time;
	__u64	bracket;	/* ticks between the reads before and after */
	__u64	timestamp;	/* ticks of VSAMP_A_GPU_HZ, as wide as the GPU has it */
};

/* Layouts of a report */
enum vsamp_gpu_format {
	VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8 = 1,	/* 256 bytes */
};

/* Register layouts of the OA unit */
enum vsamp_gpu_unit {
	VSAMP_GPU_UNIT_GEN9	= 1,	/* Gen9 */
	VSAMP_GPU_UNIT_OAG	= 2,	/* Gen12's of all engines */
};

/* VSAMP_A_GPU_REGS is an array of these, which are written in this order */
struct vsamp_gpu_reg {
	__u32	address;
	__u32	value;
};

/*
 * Control family. Every refusal carries an extended-ack text and, where one is at fault, the
 * attribute (but for a dump without SESSION_FD, in older kernels). Nothing is changed by a request
 * that is refused. Its errors, apart from those of netlink itself:
 *
 *	EBADF		SESSION_FD isn't a /dev/vsamp, CGROUP_FD no folder of the cgroup v2 tree
 *	EBADFD		the session isn't in a state for this command
 *	EACCES		the sender may not configure: CAP_PERFMON or CAP_SYS_ADMIN is needed
 *	EINVAL, ERANGE, E2BIG, EEXIST	an attribute is missing or wrong, out of range, too often,
 *			or a counter of a set, or an event's SAV, is asked for twice
 *	EXDEV		PIDs, from outside the initial pid namespace
 *	ESRCH		no such process
 *	EOPNOTSUPP	no such backend, or it can't do this; or the machine is virtual and
 *			FLAG_HYPERVISOR isn't given; kperf: perf can't count the event here
 *	ENODEV		no PMU here, or none that works
 *	ENOENT		kperf: no PMU here has the event; CGROUP_FD: removed
 *	EBUSY		START: somebody else has the counters; no register was written
 *	ENOMEM		START: no memory for the rings, or more than the module's ring_mb_max
 *
 * and of GPU_*:
 *
 *	EBADF		SESSION_FD isn't a /dev/vsamp_gpu
 *	ENODEV		no such GPU is bound to VSAMP_GPU_DRIVER, or its registers don't answer
 *	EACCES		GPU_REGS: a register that no configuration may write
 *	EOPNOTSUPP	the GPU has no such format
 *	EBUSY		GPU_START: the GPU's unit is in use, or the machine goes to sleep or down
 */
enum vsamp_cmd {
	VSAMP_CMD_UNSPEC,
	VSAMP_CMD_CAPS_GET,	/* dump: one message a CPU that can be sampled; of a BACKEND */
	VSAMP_CMD_CONFIGURE,
	VSAMP_CMD_START,
	VSAMP_CMD_STOP,
	VSAMP_CMD_PAUSE,
	VSAMP_CMD_RESUME,
	VSAMP_CMD_STATS_GET,	/* dump: one message a CPU of the session */
	VSAMP_CMD_SAV_SET,	/* of events of a session that runs or is paused */
	VSAMP_CMD_GPU_GET,	/* dump: one message a GPU that can be streamed from */
	VSAMP_CMD_GPU_CONFIGURE,
	VSAMP_CMD_GPU_START,
	VSAMP_CMD_GPU_STOP,
	VSAMP_CMD_GPU_STATS_GET,	/* dump: one message */

	__VSAMP_CMD_MAX,
	VSAMP_CMD_MAX = __VSAMP_CMD_MAX - 1,
};

enum vsamp_attr {
	VSAMP_A_UNSPEC,
	VSAMP_A_PAD,
	VSAMP_A_SESSION_FD,	/* u32: a /dev/vsamp of the caller's, or a /dev/vsamp_gpu; all
				 * but CAPS_GET and GPU_GET
				 */

	/* CONFIGURE; EVENT also SAV_SET, BACKEND also CAPS_GET */
	VSAMP_A_BACKEND,	/* u32: enum vsamp_backend; none: intel; also in replies */
	VSAMP_A_EVENT,		/* nest of VSAMP_EVENT_A_*, once an event */
	VSAMP_A_CPUS,		/* string: list of CPUs as in /sys, e.g. "0-3,8"; none: all;
				 * kperf: not with PID
				 */
	VSAMP_A_PID,		/* u32, once a process; none: whatever runs on the CPUs */
	VSAMP_A_FLAGS,		/* u32: VSAMP_FLAG_* */
	VSAMP_A_RING_SIZE,	/* u32: bytes a CPU, a power of two */
	VSAMP_A_WATERMARK,	/* u32: bytes in a ring that wake the reader; none: a quarter */
	VSAMP_A_PMI_LIMIT,	/* u32: intel: PMIs a tick (4 ms) and CPU before throttling; none:
				 * 400; those with stacks count for more by the time they take, so
				 * that all together take half of a tick at most
				 */
	VSAMP_A_SET,		/* u32: count the events of this set only; none: all are of one */
	VSAMP_A_MUX_MS,		/* u32: intel: count all sets in turn, for so long each; not with
				 * SET
				 */

	VSAMP_A_STACKS,		/* u32: VSAMP_STACKS_*: samples with stacks; none: without */
	VSAMP_A_STACK_DEPTH,	/* u32: with STACKS: frames of either side, at most; none: 127 */
	VSAMP_A_CGROUP_FD,	/* u32: intel: a folder of the cgroup v2 tree, once a cgroup:
				 * whatever runs in it or below; not with PID
				 */

	/*
	 * CAPS_GET and STATS_GET replies; PERFMON_VERSION, COUNTERS, COUNTER_WIDTH and
	 * EVENTS_ABSENT of intel only
	 */
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

	/*
	 * GPU_CONFIGURE, which takes RING_SIZE and WATERMARK, too; GPU_GET has GPU as well.
	 * GPU_STATS_GET has GPU, STATE, END_REASON, PRODUCED, WRITTEN, LOST, GPU_LOST
	 */
	VSAMP_A_GPU,		/* u32: its number */
	VSAMP_A_GPU_FORMAT,	/* u32: enum vsamp_gpu_format */
	VSAMP_A_GPU_EXPONENT,	/* u32: a report each 2 << this ticks of its timestamp */
	VSAMP_A_GPU_REGS,	/* struct vsamp_gpu_reg[]; none: the counters as they are */
	VSAMP_A_GPU_BUFFER,	/* u32: bytes, a power of two; none: 16 MB */

	/* GPU_GET */
	VSAMP_A_GPU_NAME,	/* string: PCI address, "0000:00:02.0" */
	VSAMP_A_GPU_ID,		/* u32: PCI device id */
	VSAMP_A_GPU_REVISION,	/* u32: PCI revision */
	VSAMP_A_GPU_UNIT,	/* u32: enum vsamp_gpu_unit */
	VSAMP_A_GPU_FORMATS,	/* u32: bit n: enum vsamp_gpu_format n */
	VSAMP_A_GPU_HZ,		/* u64: ticks of its timestamp in a second, as its registers tell */
	VSAMP_A_GPU_BUSY,	/* flag: a stream runs */

	/* GPU_STATS_GET */
	VSAMP_A_GPU_LOST,	/* u64: of LOST, reports that the GPU lost */

	/* GPU_GET, too: what its fuses tell */
	VSAMP_A_GPU_SLICES,	/* u32: bit n: it has slice n */
	VSAMP_A_GPU_SUBSLICES,	/* u32: bit n: each of them has subslice n */
	VSAMP_A_GPU_EUS,	/* u32: execution units in all */

	__VSAMP_A_MAX,
	VSAMP_A_MAX = __VSAMP_A_MAX - 1,
};

enum vsamp_event_attr {
	VSAMP_EVENT_A_UNSPEC,
	VSAMP_EVENT_A_PAD,
	VSAMP_EVENT_A_CONFIG,	/* u64: IA32_PERFEVTSELx, the bits of VSAMP_CONFIG_MASK; see TYPE */
	VSAMP_EVENT_A_COUNTER,	/* u32: intel: i = general counter i, 32 + i = fixed counter i */
	VSAMP_EVENT_A_SAV,	/* u64: Sample-After value; 0 = count only; all 0: no records */
	VSAMP_EVENT_A_FLAGS,	/* u32: VSAMP_EVENT_*: USER, KERNEL or both; SAV_SET: FORCE */
	VSAMP_EVENT_A_SET,	/* u32: events of one set have different counters; none: 0 */
	VSAMP_EVENT_A_INDEX,	/* u32: SAV_SET only: which event, in the order of CONFIGURE */
	VSAMP_EVENT_A_TYPE,	/* u32: kperf: perf_event_attr.type, and CONFIG is its .config */

	__VSAMP_EVENT_A_MAX,
	VSAMP_EVENT_A_MAX = __VSAMP_EVENT_A_MAX - 1,
};

/*
 * ENABLED and RUNNING are given with MUX_MS, and by kperf, where they are perf's: for how long the
 * event was to be counted, and for how long it had a counter. What there was is about COUNT *
 * ENABLED / RUNNING. kperf with PIDs counts what the processes did on all CPUs together: COUNT,
 * ENABLED (of all threads together) and RUNNING are in the message of the first CPU, and 0 in the
 * others.
 */
enum vsamp_stats_attr {
	VSAMP_STATS_A_UNSPEC,
	VSAMP_STATS_A_PAD,
	VSAMP_STATS_A_EVENT,	/* u32: index, in the order of CONFIGURE */
	VSAMP_STATS_A_COUNT,	/* u64: events counted while running; see below */
	VSAMP_STATS_A_SAMPLES,	/* u64: overflows that made, or should have made, a sample */
	VSAMP_STATS_A_ENABLED,	/* u64: ticks in which the CPU counted whatever set; kperf: ns */
	VSAMP_STATS_A_RUNNING,	/* u64: ticks in which it counted the event's set; kperf: ns */

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

#define VSAMP_STACKS_KERNEL	(1U << 0)
#define VSAMP_STACKS_USER	(1U << 1)

enum vsamp_backend {
	VSAMP_BACKEND_INTEL	= 1,
	VSAMP_BACKEND_KPERF	= 2,	/* events of perf's, which shares the counters */
};

enum vsamp_clock {
	VSAMP_CLOCK_TSC		= 1,	/* invariant; + a constant, if a sleep has set it back */
	VSAMP_CLOCK_MONOTONIC	= 2,	/* ktime_get_mono_fast_ns() */
	VSAMP_CLOCK_MONOTONIC_RAW = 3,	/* ns; not of the module */
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
	VSAMP_END_REBOOT	= 3,	/* the machine is being rebooted or halted */
	VSAMP_END_UNBOUND	= 4,	/* the GPU was taken from the module's driver, or is gone */
	VSAMP_END_SLEEP		= 5,	/* the machine went to sleep; of GPUs only */
};

#endif /* _UAPI_VSAMP_H */
