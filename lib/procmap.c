// SPDX-License-Identifier: MIT
/* procmap.c: processes and their mappings over time */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file_private.h"
#include "jitdump.h"
#include "nspid.h"
#include "perf_record.h"
#include "procmap.h"

/* Of all processes: more is a file made to exhaust memory */
#define ENTRIES_MAX (32U << 20)
#define COMM_MAX    256
#define NO_JITDUMP  UINT32_MAX

struct mapping {
	uint64_t start, end;
	uint64_t pgoff;
	uint32_t module;
	bool anon;
};

/* Mappings by address, shared after a fork until one side changes them */
struct mappings {
	unsigned int users;
	size_t count, room;
	struct mapping row[];
};

void procmap_init(struct procmap *pm, struct modules *modules)
{
	*pm = (struct procmap){ .modules = modules };
}

static void mappings_put(struct procmap *pm, struct mappings *m)
{
	if (!m || --m->users)
		return;
	pm->entries -= m->room;
	free(m);
}

void procmap_free(struct procmap *pm)
{
	for (size_t i = 0; i < pm->procs; i++)
		mappings_put(pm, pm->proc[i].mappings);
	free(pm->proc);
	intern_free(&pm->pids);
	intern_free(&pm->identities);
}

static int64_t identity_number(struct procmap *pm, uint32_t pid, const char *comm)
{
	struct {
		struct procmap_identity fixed;
		char comm[COMM_MAX];
	} key = { .fixed.pid = pid };
	size_t length = strnlen(comm, COMM_MAX - 1);

	memcpy(key.comm, comm, length);
	return intern_number(&pm->identities, &key, sizeof(key.fixed) + length + 1);
}

struct proc *procmap_proc_slow(struct procmap *pm, uint32_t pid)
{
	int64_t number = intern_id(&pm->pids, pm->recent, pid), identity;

	if (number < 0)
		return NULL;
	if ((size_t)number == pm->procs) {
		/* grows as a power of two does */
		if (!(pm->procs & (pm->procs - 1))) {
			size_t room = pm->procs ? 2 * pm->procs : 1;
			struct proc *procs = realloc(pm->proc, room * sizeof(*procs));

			if (!procs)
				return NULL;
			pm->proc = procs;
		}
		/* no record tells the name of the kernel's idle task */
		identity = identity_number(pm, pid, pid ? "" : "swapper");
		if (identity < 0)
			return NULL;
		pm->proc[pm->procs++] = (struct proc){ .identity = identity,
						       .jitdump = NO_JITDUMP };
	}
	pm->last_pid = pid;
	pm->last = &pm->proc[number];
	return pm->last;
}

/* Makes the mappings of @p its own, with room for @more */
static int mappings_own(struct procmap *pm, struct proc *p, size_t more)
{
	struct mappings *old = p->mappings, *m;
	size_t count = old ? old->count : 0, room = 8;

	if (old && old->users == 1 && old->count + more <= old->room)
		return 0;
	while (room < count + more)
		room *= 2;
	if (pm->entries + room > ENTRIES_MAX)
		return -E2BIG;
	m = malloc(sizeof(*m) + room * sizeof(m->row[0]));
	if (!m)
		return -ENOMEM;
	m->users = 1;
	m->room = room;
	m->count = count;
	if (old)
		memcpy(m->row, old->row, count * sizeof(m->row[0]));
	pm->entries += room;
	mappings_put(pm, old);
	p->mappings = m;
	return 0;
}

/* The first row that ends behind @addr. Addresses are anywhere: no branch could be foreseen */
static size_t mappings_at(const struct mappings *m, uint64_t addr)
{
	const struct mapping *row = m->row;
	size_t n = m->count;

	for (; n > 1; n -= n / 2)
		row += row[n / 2 - 1].end <= addr ? n / 2 : 0;
	return row - m->row + (n && row->end <= addr);
}

/* Puts a mapping in the place of whatever was there */
static int mappings_add(struct procmap *pm, struct proc *p, const struct mapping *new)
{
	struct mapping piece[3];
	struct mappings *m;
	size_t pieces = 0, from, to;
	int ret = mappings_own(pm, p, 2);

	if (ret)
		return ret;
	m = p->mappings;
	from = mappings_at(m, new->start);
	for (to = from; to < m->count && m->row[to].start < new->end; to++)
		;
	if (from < to && m->row[from].start < new->start) {
		piece[pieces] = m->row[from];
		piece[pieces++].end = new->start;
	}
	piece[pieces++] = *new;
	if (from < to && m->row[to - 1].end > new->end) {
		piece[pieces] = m->row[to - 1];
		piece[pieces].pgoff += new->end - piece[pieces].start;
		piece[pieces++].start = new->end;
	}
	memmove(&m->row[from + pieces], &m->row[to], (m->count - to) * sizeof(m->row[0]));
	memcpy(&m->row[from], piece, pieces * sizeof(m->row[0]));
	m->count += pieces - (to - from);
	return 0;
}

/* Whether the record has a string at @offset that ends before the trailer */
static bool string_ok(const struct perf_event_header *rec, size_t offset)
{
	size_t end = rec->size - sizeof(struct sideband_id);

	return offset < end && memchr((const char *)rec + offset, '\0', end - offset);
}

static int apply_comm(struct procmap *pm, const struct comm_record *rec)
{
	struct proc *p;
	int64_t identity;

	if (!string_ok(&rec->h, sizeof(*rec)) || rec->pid != rec->tid)
		return 0;
	p = procmap_proc(pm, rec->pid);
	identity = identity_number(pm, rec->pid, rec->comm);
	if (!p || identity < 0)
		return -ENOMEM;
	p->identity = identity;
	if (rec->h.misc & PERF_RECORD_MISC_COMM_EXEC) {
		mappings_put(pm, p->mappings);
		p->mappings = NULL;
		p->jitdump = NO_JITDUMP;
	}
	return 0;
}

static int apply_fork(struct procmap *pm, const struct task_record *rec)
{
	struct mappings *m;
	uint32_t jitdump;
	struct proc *p;
	int64_t identity;
	char comm[COMM_MAX];

	if (rec->h.size < sizeof(*rec) + sizeof(struct sideband_id) || rec->pid == rec->ppid)
		return 0; /* a thread */
	p = procmap_proc(pm, rec->ppid);
	if (!p)
		return -ENOMEM;
	m = p->mappings;
	jitdump = p->jitdump;
	/* the key may move when another is taken in */
	strcpy(comm, procmap_identity_at(pm, p->identity)->comm);
	p = procmap_proc(pm, rec->pid);
	identity = identity_number(pm, rec->pid, comm);
	if (!p || identity < 0)
		return -ENOMEM;
	p->identity = identity;
	p->ns_pid = 0; /* it may have been another process's number */
	if (m)
		m->users++;
	mappings_put(pm, p->mappings);
	p->mappings = m;
	p->jitdump = jitdump;
	return 0;
}

/* The module that is mapped; -ENOENT where the record makes no sense */
static int64_t mmap2_module(struct procmap *pm, const struct mmap2_record *rec)
{
	struct module_key key = { .pid = rec->pid };

	if (!string_ok(&rec->h, sizeof(*rec)) || rec->addr + rec->len <= rec->addr)
		return -ENOENT;
	if (!(rec->h.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		key.dev = (uint64_t)rec->maj << 32 | rec->min;
		key.ino = rec->ino;
	} else if (rec->build_id_size <= BUILDID_MAX) {
		key.id.size = rec->build_id_size;
		memcpy(key.id.data, rec->build_id, key.id.size);
	}
	return modules_number(pm->modules, &key, rec->filename);
}

static int apply_mmap2(struct procmap *pm, const struct mmap2_record *rec)
{
	struct mapping new = { .start = rec->addr,
			       .end = rec->addr + rec->len,
			       .pgoff = rec->pgoff };
	int64_t module = mmap2_module(pm, rec);
	struct proc *p;

	if (module == -ENOENT)
		return 0;
	p = procmap_proc(pm, rec->pid);
	if (module < 0 || !p)
		return -ENOMEM;
	new.module = module;
	new.anon = pm->modules->module[module].anon;
	if (new.anon)
		new.pgoff = new.start; /* that code is told by its address */
	else if (jitdump_named(rec->filename))
		p->jitdump = module;
	return mappings_add(pm, p, &new);
}

static int apply_nspid(struct procmap *pm, const struct nspid_record *rec)
{
	struct proc *p;

	if (rec->h.size < sizeof(*rec))
		return 0;
	p = procmap_proc(pm, rec->pid);
	if (!p)
		return -ENOMEM;
	p->ns_pid = rec->ns_pid;
	p->ns = rec->ns;
	return 0;
}

static int apply_namespaces(struct procmap *pm, const struct perf_event_header *rec)
{
	uint32_t pid;
	uint64_t ns = nspid_of_record(rec, &pid);
	struct proc *p;

	if (!ns)
		return 0;
	p = procmap_proc(pm, pid);
	if (!p)
		return -ENOMEM;
	p->ns = ns;
	return 0;
}

int procmap_see(struct procmap *pm, const struct perf_event_header *rec)
{
	int64_t module = -ENOENT;

	if (rec->type == PERF_RECORD_MMAP2)
		module = mmap2_module(pm, (const void *)rec);
	return module < 0 && module != -ENOENT ? module : 0;
}

int procmap_apply(struct procmap *pm, const struct perf_event_header *rec)
{
	switch (rec->type) {
	case PERF_RECORD_COMM:
		return apply_comm(pm, (const void *)rec);
	case PERF_RECORD_FORK:
		return apply_fork(pm, (const void *)rec);
	case PERF_RECORD_MMAP2:
		return apply_mmap2(pm, (const void *)rec);
	case PERF_RECORD_NAMESPACES:
		return apply_namespaces(pm, rec);
	case SIDEBAND_RECORD_NSPID:
		return apply_nspid(pm, (const void *)rec);
	case PERF_RECORD_LOST:
		if (rec->size >= sizeof(struct lost_record) + sizeof(struct sideband_id))
			pm->lost += ((const struct lost_record *)rec)->lost;
		return 0;
	}
	return 0;
}

void procmap_namespace(struct procmap *pm, uint32_t pid, uint32_t *ns_pid, uint64_t *ns)
{
	const struct proc *p = procmap_proc(pm, pid);

	*ns_pid = p ? p->ns_pid : 0;
	*ns = p ? p->ns : 0;
}

uint64_t procmap_namespace_at(const struct procmap *pm, size_t number)
{
	return pm->proc[number].ns;
}

void procmap_forget(struct procmap *pm, uint32_t pid)
{
	struct proc *p = procmap_proc(pm, pid);

	if (!p)
		return;
	mappings_put(pm, p->mappings);
	p->mappings = NULL;
	p->jitdump = NO_JITDUMP;
}

int procmap_trim(struct procmap *pm)
{
	struct intern old = pm->identities;
	int ret = 0;

	pm->identities = (struct intern){ 0 };
	for (size_t i = 0; i < pm->procs && !ret; i++) {
		const struct procmap_identity *id = intern_key(&old, pm->proc[i].identity);
		int64_t number = identity_number(pm, id->pid, id->comm);

		if (number < 0)
			ret = -ENOMEM;
		else
			pm->proc[i].identity = number;
	}
	intern_free(&old);
	return ret;
}

int procmap_find(struct procmap *pm, uint32_t pid, uint64_t addr, uint64_t time, uint32_t *module,
		 uint64_t *offset)
{
	const struct proc *p = procmap_proc(pm, pid);
	const struct mapping *row;
	size_t at;

	if (!p || !p->mappings)
		return -ENOENT;
	at = mappings_at(p->mappings, addr);
	row = &p->mappings->row[at];
	if (at == p->mappings->count || row->start > addr)
		return -ENOENT;
	if (row->anon && p->jitdump != NO_JITDUMP) {
		int ret = modules_jit(pm->modules, p->jitdump, addr, time, offset);

		if (ret != -ENOENT) {
			*module = p->jitdump;
			return ret;
		}
	}
	*module = row->module;
	*offset = addr - row->start + row->pgoff;
	return 0;
}
