// SPDX-License-Identifier: MIT
/*
 * usage: busy_machine FILE SAMPLES PROGRAM... -- LIBRARY...
 *
 * Writes a recording of a busy machine: 16 CPUs that sample two events some 1000 times a second
 * each, 300 processes with four threads each, of which another one begins 5 times a second for
 * one that ends. The ELF files are their code: each process has one program and all the libraries;
 * one sample in six is in the kernel. The same arguments make the same file, but that META has
 * none of the machine.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/file.h>

#include "../../lib/file_private.h"
#include "../../lib/perf_record.h"
#include "busy_code.h"

#define CPUS	       16
#define EVENTS	       2
#define PROCESSES      300
#define THREADS	       4
#define MODULES_MAX    16
#define KERNEL_CODE    MODULES_MAX
#define SPOTS	       200
#define KERNEL	       0xffffffff81000000ULL
#define KERNEL_SYMBOLS 40000
#define KHZ	       2400000ULL
#define MS_TICKS       KHZ
#define BEGIN	       (1000 * MS_TICKS)

static const uint64_t sav[EVENTS] = { 2400000, 1700003 };

static const char meta[] =
	"{\"version\":1,\"generator\":\"busy_machine\",\"command_line\":[\"vsamp\",\"record\",\"-a\"],"
	"\"hostname\":\"somewhere\",\"kernel_release\":\"6.1\",\"machine\":\"x86_64\","
	"\"boot_id\":\"-\",\"cpus_online\":\"0-15\",\"started_realtime_ns\":86400000000000,"
	"\"clock\":{\"source\":\"tsc\",\"khz\":2400000},\"backend\":\"intel\","
	"\"scope\":{\"kind\":\"machine\",\"cpus\":\"0-15\",\"pids\":[],\"command\":null},"
	"\"calibration\":{\"mode\":\"none\",\"adaptive\":false,\"scope\":\"cpu\",\"runs\":1,"
	"\"sets\":1,\"mux_ms\":null,\"sav_floor\":100},\"events\":["
	"{\"index\":0,\"name\":\"CPU_CLK_UNHALTED\",\"user\":true,\"kernel\":true,\"set\":0,"
	"\"sav\":2400000,\"sav_source\":\"frequency\",\"calibration\":\"frequency\","
	"\"counted\":null,\"cal_ns\":null,\"target\":null},"
	"{\"index\":1,\"name\":\"INST_RETIRED\",\"user\":true,\"kernel\":true,\"set\":0,"
	"\"sav\":1700003,\"sav_source\":\"calibrated\",\"calibration\":\"run\","
	"\"counted\":1700003000,\"cal_ns\":1000000000,\"target\":null}]}";

struct spot {
	size_t module; /* or KERNEL_CODE */
	const struct busy_function *function;
};

struct process {
	uint32_t pid;
	size_t program;
	uint64_t base[MODULES_MAX]; /* by module */
	struct spot spot[SPOTS];    /* where it is, mostly */
	struct spot now[THREADS];
};

/* What runs on a CPU, and till when; when it is sampled next */
struct cpu {
	struct process *process;
	unsigned int thread;
	uint64_t until, next[EVENTS];
	uint64_t records;
};

static struct vsamp_writer *w;
static struct vsamp_error err;
static struct busy_module module[MODULES_MAX];
static size_t modules, programs; /* programs come first */
static struct busy_code kernel;
static struct process process[PROCESSES];
static struct cpu cpu[CPUS];
static uint32_t pids = 1000;
static uint64_t samples[EVENTS];
static uint64_t seed = 20240229;

static void must(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "busy_machine: %s\n", err.text);
	exit(1);
}

static void put_json(enum vsamp_chunk_type type, const char *text)
{
	struct json_object *obj = json_tokener_parse(text);

	must(vsamp_writer_json(w, type, obj, &err));
	json_object_put(obj);
}

/* Symbols as a kernel has them, in number and in length */
static void put_kernel(void)
{
	static const char *const part[] = { "page", "get",  "inode", "folio", "alloc", "skb",
					    "task", "lock", "bio",   "queue", "sock",  "read" };
	FILE *lines = tmpfile();
	uint64_t at = KERNEL, size;

	for (int i = 0; lines && i < KERNEL_SYMBOLS; i++) {
		size = 16 + busy_random(&seed) % 32 * (busy_random(&seed) % 32 + 1);
		fprintf(lines, "%016llx T %s_%s_%s_%x\n", (unsigned long long)at, part[i % 12],
			part[i / 12 % 12], part[i / 144 % 12], i);
		busy_code_add(&kernel, at, size);
		at += size;
	}
	busy_code_ready(&kernel, &seed);
	if (!lines)
		abort();
	rewind(lines);
	must(writer_kallsyms(w, lines, NULL, 0, &err));
	fclose(lines);
}

/* Each record is told some time after the one before it; 0: it is of before the recording */
static void put_sideband(void *record, size_t size, uint32_t pid, uint64_t *time)
{
	struct sideband_id id = { pid, pid, *time * 1000000 / KHZ, *time ? pid % CPUS : 0, 0 };

	if (*time)
		*time += MS_TICKS / 100;
	memcpy((char *)record + size - sizeof(id), &id, sizeof(id));
	must(vsamp_writer_sideband(w, id.cpu, record, size, &err));
}

static void put_task(uint32_t type, uint32_t pid, uint32_t parent, uint32_t tid, uint64_t *time)
{
	struct {
		struct task_record task;
		struct sideband_id id;
	} r = { .task = { { type, 0, sizeof(r) }, pid, parent, tid, parent, 0 } };

	put_sideband(&r, sizeof(r), parent, time);
}

static void put_comm(const struct process *p, uint64_t *time)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		char comm[16];
		struct sideband_id id;
	} r = {
		{ PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(r) }, p->pid, p->pid, "", {}
	};
	const char *path = module[p->program].path, *name = strrchr(path, '/');

	snprintf(r.comm, sizeof(r.comm), "%s", name ? name + 1 : path);
	put_sideband(&r, sizeof(r), p->pid, time);
}

static void put_mapping(const struct process *p, const struct busy_module *m, uint64_t base,
			uint64_t *time)
{
	struct mmap2_record r = {
		.h = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID },
		.pid = p->pid,
		.tid = p->pid,
		.addr = base + m->start,
		.len = m->size,
		.pgoff = m->offset,
		.build_id_size = sizeof(m->id),
		.prot = 5,
		.flags = 2,
	};
	size_t name = (strlen(m->path) + 8) & ~7UL;
	uint64_t space[600] = { 0 };

	memcpy(r.build_id, m->id, sizeof(m->id));
	r.h.size = sizeof(r) + name + sizeof(struct sideband_id);
	memcpy(space, &r, sizeof(r));
	strncpy((char *)space + sizeof(r), m->path, name);
	put_sideband(space, r.h.size, p->pid, time);
}

/* Where what is linked at 0 is; programs may be linked to their place */
static uint64_t module_base(size_t i)
{
	if (i >= programs)
		return 0x7f0000000000 + (i << 32) + (busy_random(&seed) % 0x10000 << 12);
	if (module[i].start >= 0x400000)
		return 0;
	return 0x550000000000 + (busy_random(&seed) % 0x1000000 << 12);
}

/* A sixth is the kernel's, half of the rest the program's own */
static struct spot spot_any(const struct process *p)
{
	size_t m = p->program;

	if (busy_random(&seed) % 6 == 0)
		return (struct spot){ KERNEL_CODE, busy_code_function(&kernel, &seed) };
	if (busy_random(&seed) % 2)
		m = programs + busy_random(&seed) % (modules - programs);
	return (struct spot){ m, busy_code_function(&module[m].code, &seed) };
}

static void process_begin(struct process *p, uint64_t time)
{
	*p = (struct process){ .pid = pids, .program = busy_random(&seed) % programs };
	pids += THREADS;
	if (time)
		put_task(PERF_RECORD_FORK, p->pid, 1, p->pid, &time);
	put_comm(p, &time);
	for (size_t i = 0; i < modules; i++) {
		if (i < programs && i != p->program)
			continue;
		p->base[i] = module_base(i);
		put_mapping(p, &module[i], p->base[i], &time);
	}
	for (size_t i = 0; i < SPOTS; i++)
		p->spot[i] = spot_any(p);
	for (uint32_t i = 1; i < THREADS; i++)
		put_task(PERF_RECORD_FORK, p->pid, p->pid, p->pid + i, &time);
}

static void process_end(const struct process *p, uint64_t time)
{
	for (uint32_t i = THREADS; i-- > 0;)
		put_task(PERF_RECORD_EXIT, p->pid, p->pid, p->pid + i, &time);
}

/* A process does the same over and over, mostly; the earlier of its spots more often, and longer */
static struct spot spot_next(struct process *p, unsigned int thread)
{
	size_t a = busy_random(&seed) % SPOTS, b = busy_random(&seed) % SPOTS;
	struct spot *now = &p->now[thread];

	if (!now->function || busy_random(&seed) % 2)
		*now = busy_random(&seed) % 50 ? p->spot[a * b / SPOTS] : spot_any(p);
	return *now;
}

static void put_sample(uint32_t number, uint16_t event, uint64_t time)
{
	struct cpu *c = &cpu[number];
	struct process *p = c->process;
	struct spot spot = spot_next(p, c->thread);
	struct vsamp_record_sample s = {
		{ VSAMP_RECORD_SAMPLE, sizeof(s), event,
		  spot.module == KERNEL_CODE ? 0 : VSAMP_SAMPLE_USER },
		.time = time,
		.pid = p->pid,
		.tid = p->pid + c->thread,
	};

	s.ip = busy_code_place(spot.function, &seed);
	if (spot.module != KERNEL_CODE)
		s.ip += p->base[spot.module];
	must(vsamp_writer_records(w, number, &s, sizeof(s), &err));
	c->records++;
	samples[event]++;
}

static void put_clock(uint32_t number, uint64_t time)
{
	struct vsamp_record_clock c = {
		{ VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 }, time, 20, time * 1000000 / KHZ, 0, 0
	};

	must(vsamp_writer_records(w, number, &c, sizeof(c), &err));
	cpu[number].records++;
}

/* A CPU's samples of a millisecond; turns take up to some milliseconds, most of them less */
static void cpu_run(uint32_t number, uint64_t from, uint64_t to)
{
	struct cpu *c = &cpu[number];

	if (from >= c->until) {
		c->process = &process[busy_random(&seed) % PROCESSES];
		c->thread = busy_random(&seed) % THREADS;
		c->until = from + (busy_random(&seed) % 12 + 1) * MS_TICKS;
	}
	for (;;) {
		int event = c->next[1] < c->next[0];
		uint64_t time = c->next[event];

		if (time >= to)
			return;
		put_sample(number, event, time);
		/* about a millisecond, but halts and the instructions' pace come between */
		c->next[event] = time + MS_TICKS * 3 / 4 + busy_random(&seed) % (MS_TICKS / 2);
	}
}

/* Processes of CPUs that run are not ended: turns are short */
static void process_replace(uint64_t time)
{
	struct process *p = &process[busy_random(&seed) % PROCESSES];

	for (uint32_t i = 0; i < CPUS; i++)
		if (cpu[i].process == p)
			return;
	process_end(p, time);
	process_begin(p, time + MS_TICKS / 10);
}

/* Returns how long it took, in ns */
static uint64_t run(uint64_t wanted)
{
	uint64_t time = BEGIN;

	for (uint32_t i = 0; i < CPUS; i++)
		for (int e = 0; e < EVENTS; e++)
			cpu[i].next[e] = time + busy_random(&seed) % MS_TICKS;
	for (int ms = 0; samples[0] + samples[1] < wanted; ms++, time += MS_TICKS) {
		if (ms % 200 == 199)
			process_replace(time);
		for (uint32_t i = 0; i < CPUS; i++) {
			if (ms % 1000 == 0)
				put_clock(i, time);
			cpu_run(i, time, time + MS_TICKS);
		}
	}
	return (time - BEGIN) * 1000000 / KHZ;
}

static void put_end(uint64_t ns)
{
	char text[8192];
	int n = sprintf(text,
			"{\"reason\":\"signal\",\"elapsed_ns\":%" PRIu64 ",\"exit_status\":null,"
			"\"sideband_lost\":0,\"runs\":[],\"cpus\":[",
			ns);

	for (int i = 0; i < CPUS; i++)
		n += sprintf(text + n,
			     "%s{\"cpu\":%d,\"produced\":%" PRIu64 ",\"written\":%" PRIu64
			     ",\"lost\":0,\"read\":%" PRIu64 "}",
			     i ? "," : "", i, cpu[i].records, cpu[i].records, cpu[i].records);
	n += sprintf(text + n, "],\"events\":[");
	for (int e = 0; e < EVENTS; e++)
		n += sprintf(text + n,
			     "%s{\"index\":%d,\"sav\":%" PRIu64 ",\"count\":%" PRIu64
			     ",\"samples\":%" PRIu64 ",\"target\":null}",
			     e ? "," : "", e, sav[e], samples[e] * sav[e], samples[e]);
	strcpy(text + n, "]}");
	put_json(VSAMP_CHUNK_END, text);
}

static void read_modules(int argc, char **argv)
{
	for (int i = 3; i < argc && modules < MODULES_MAX; i++) {
		if (strcmp(argv[i], "--"))
			busy_module_read(&module[modules++], argv[i], &seed);
		else
			programs = modules;
	}
}

int main(int argc, char **argv)
{
	read_modules(argc, argv);
	if (!programs || programs == modules) {
		fputs("usage: busy_machine FILE SAMPLES PROGRAM... -- LIBRARY...\n", stderr);
		return 2;
	}
	must(vsamp_writer_open(&w, argv[1], &err));
	put_json(VSAMP_CHUNK_META, meta);
	put_kernel();
	for (int i = 0; i < PROCESSES; i++)
		process_begin(&process[i], 0);
	put_end(run(strtoull(argv[2], NULL, 10)));
	must(vsamp_writer_close(w, &err));
	return 0;
}
