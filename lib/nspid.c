// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "file_private.h"
#include "nspid.h"

struct namespaces_record {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t count;
	struct {
		uint64_t dev, inode;
	} link[];
};

static uint64_t namespace_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

uint64_t nspid_own(void)
{
	return namespace_of("/proc/self/ns/pid");
}

/* The last number of "NSpid:" if there are several: it is told from our namespace inwards */
static uint32_t nspid_parse(const char *line)
{
	uint32_t pid, numbers = 0, last = 0;
	int at;

	if (strncmp(line, "NSpid:", 6))
		return 0;
	for (line += 6; sscanf(line, "%u%n", &pid, &at) == 1; line += at) {
		last = pid;
		numbers++;
	}
	return numbers > 1 ? last : 0;
}

/* Namespaces nest 32 deep below the first; a pid has seven digits and a tab */
#define NSPID_LINE 512

bool nspid_read(struct nspid_record *record, uint32_t pid)
{
	char path[64], line[NSPID_LINE];
	uint32_t found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = nspid_parse(line);
	fclose(f);
	snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
	*record = (struct nspid_record){
		.h = { .type = SIDEBAND_RECORD_NSPID, .size = sizeof(*record) },
		.pid = pid,
		.ns_pid = found,
		.ns = namespace_of(path),
		.trailer_pid = pid,
		.trailer_tid = pid,
	};
	return found && record->ns;
}

uint64_t nspid_of_record(const struct perf_event_header *h, uint32_t *pid)
{
	const struct namespaces_record *r = (const void *)h;
	size_t room = h->size - sizeof(struct sideband_id);

	if (h->type != PERF_RECORD_NAMESPACES || room < sizeof(*r) || r->pid != r->tid ||
	    r->count <= PID_NS_INDEX || (room - sizeof(*r)) / sizeof(r->link[0]) <= PID_NS_INDEX)
		return 0;
	*pid = r->pid;
	return r->link[PID_NS_INDEX].inode;
}

bool nspid_wanted(const struct perf_event_header *h, uint64_t own, uint32_t *pid)
{
	uint64_t ns = nspid_of_record(h, pid);

	return ns && ns != own;
}
