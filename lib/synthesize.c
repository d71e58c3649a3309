// SPDX-License-Identifier: MIT
/* Sideband records of processes that already run, from /proc */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "nspid.h"
#include "perf_record.h"
#include "sideband_private.h"

#define NAME_MAX_BYTES 4096
/* Kept until they are worth a call of the writer */
#define GATHER_SIZE    65536

struct file_id {
	uint64_t dev;
	uint64_t ino;
	uint8_t size; /* 0 = the file has no build-id */
	uint8_t id[BUILDID_MAX];
};

struct synthesis {
	struct vsamp_writer *w;
	struct vsamp_error *err;
	struct file_id *files;
	size_t n_files;
	size_t used;
	char gathered[GATHER_SIZE];
};

struct record_trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

static int synthesis_flush(struct synthesis *s)
{
	int ret = s->used ? vsamp_writer_sideband(s->w, 0, s->gathered, s->used, s->err) : 0;

	s->used = 0;
	return ret;
}

static int synthesis_add_whole(struct synthesis *s, const struct perf_event_header *h)
{
	int ret = s->used + h->size > sizeof(s->gathered) ? synthesis_flush(s) : 0;

	if (ret)
		return ret;
	memcpy(s->gathered + s->used, h, h->size);
	s->used += h->size;
	return 0;
}

/* Appends fixed, then name padded to 8 bytes, then the trailer; sets the record's size */
static int synthesis_add(struct synthesis *s, struct perf_event_header *h, size_t fixed,
			 const char *name, uint32_t pid, uint32_t tid)
{
	struct record_trailer trailer = { .pid = pid, .tid = tid };
	size_t length = strlen(name), padded = (length + 8) & ~(size_t)7;
	char *out;
	int ret;

	h->size = fixed + padded + sizeof(trailer);
	if (s->used + h->size > sizeof(s->gathered)) {
		ret = synthesis_flush(s);
		if (ret)
			return ret;
	}
	out = s->gathered + s->used;
	memset(out, 0, h->size);
	memcpy(out, h, fixed);
	memcpy(out + fixed, name, length);
	memcpy(out + fixed + padded, &trailer, sizeof(trailer));
	s->used += h->size;
	return 0;
}

static int synthesize_comm(struct synthesis *s, int task, uint32_t pid, uint32_t tid)
{
	struct comm_record record = { .h.type = PERF_RECORD_COMM, .pid = pid, .tid = tid };
	char path[32], comm[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%u/comm", tid);
	fd = openat(task, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* ended meanwhile */
	n = read(fd, comm, sizeof(comm) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	comm[n] = '\0';
	if (comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	return synthesis_add(s, &record.h, sizeof(record), comm, pid, tid);
}

static int synthesize_threads(struct synthesis *s, int proc, uint32_t pid)
{
	char path[32];
	struct dirent *d;
	int ret = 0, fd;
	DIR *task;

	snprintf(path, sizeof(path), "%u/task", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	task = fdopendir(fd);
	if (!task) {
		close(fd);
		return 0;
	}
	while (!ret && (d = readdir(task)))
		if (isdigit((unsigned char)d->d_name[0]))
			ret = synthesize_comm(s, fd, pid, strtoul(d->d_name, NULL, 10));
	closedir(task);
	return ret;
}

/* To open a device may do something, and a pipe may wait */
static int regular_open(int proc, const char *path)
{
	struct stat st;

	if (fstatat(proc, path, &st, 0) || !S_ISREG(st.st_mode))
		return -1;
	return openat(proc, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* The mapped file itself, also if it was deleted or is in another mount namespace */
static int mapping_open(int proc, uint32_t pid, uint64_t start, uint64_t end, const char *name)
{
	char path[64 + NAME_MAX_BYTES];
	int fd;

	snprintf(path, sizeof(path), "%u/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	fd = regular_open(proc, path);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%u/root%s", pid, name);
	return regular_open(proc, path);
}

static void file_id_read(struct file_id *file, int fd)
{
	const void *id;
	ssize_t size;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	if (size > 0 && size <= BUILDID_MAX) {
		memcpy(file->id, id, size);
		file->size = size;
	}
	elf_end(elf);
}

static const struct file_id *synthesis_file(struct synthesis *s, int proc, uint32_t pid,
					    uint64_t start, uint64_t end,
					    const struct mmap2_record *record, const char *name)
{
	uint64_t dev = (uint64_t)record->maj << 32 | record->min;
	struct file_id *more;
	int fd;

	for (size_t i = 0; i < s->n_files; i++)
		if (s->files[i].ino == record->ino && s->files[i].dev == dev)
			return &s->files[i];
	more = reallocarray(s->files, s->n_files + 1, sizeof(*more));
	if (!more)
		return NULL;
	s->files = more;
	more += s->n_files++;
	*more = (struct file_id){ .dev = dev, .ino = record->ino };
	fd = mapping_open(proc, pid, start, end, name);
	if (fd >= 0) {
		file_id_read(more, fd);
		close(fd);
	}
	return more;
}

static int synthesize_mapping(struct synthesis *s, int proc, uint32_t pid, char *line)
{
	struct mmap2_record record = {
		.h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.pid = pid,
		.tid = pid,
		.flags = MAP_PRIVATE,
	};
	const struct file_id *file = NULL;
	uint64_t end;
	char perms[5];
	const char *name;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &record.addr, &end, perms, &record.pgoff, &record.maj, &record.min, &record.ino,
		   &at) < 7 ||
	    !at || perms[2] != 'x')
		return 0;
	name = line[at] ? line + at : "//anon";
	if (strlen(name) > NAME_MAX_BYTES)
		return 0;
	record.len = end - record.addr;
	record.prot = PROT_EXEC | (perms[0] == 'r' ? PROT_READ : 0) |
		      (perms[1] == 'w' ? PROT_WRITE : 0);
	if (perms[3] == 's')
		record.flags = MAP_SHARED;
	if (record.ino && name[0] == '/')
		file = synthesis_file(s, proc, pid, record.addr, end, &record, name);
	if (file && file->size) {
		record.h.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		memset(record.reserved, 0, sizeof(record.reserved));
		memset(record.build_id, 0, sizeof(record.build_id));
		record.build_id_size = file->size;
		memcpy(record.build_id, file->id, file->size);
	}
	return synthesis_add(s, &record.h, sizeof(record), name, pid, pid);
}

static int synthesize_mappings(struct synthesis *s, int proc, uint32_t pid)
{
	char path[32], *line = NULL;
	size_t room = 0;
	int ret = 0, fd;
	FILE *maps;

	snprintf(path, sizeof(path), "%u/maps", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	maps = fdopen(fd, "r");
	if (!maps) {
		close(fd);
		return 0;
	}
	while (!ret && getline(&line, &room, maps) > 0)
		ret = synthesize_mapping(s, proc, pid, line);
	free(line);
	fclose(maps);
	return ret;
}

static int synthesize_process(struct synthesis *s, int proc, uint32_t pid)
{
	int ret = synthesize_threads(s, proc, pid);
	struct nspid_record ns;

	if (!ret && nspid_read(&ns, pid))
		ret = synthesis_add_whole(s, &ns.h);
	return ret ? ret : synthesize_mappings(s, proc, pid);
}

int sideband_synthesize(struct vsamp_writer *w, pid_t pid, int (*between)(void *), void *arg,
			struct vsamp_error *err)
{
	struct synthesis *s = calloc(1, sizeof(*s));
	DIR *proc = opendir("/proc");
	struct dirent *d;
	int ret = 0;

	if (!s || !proc) {
		ret = s ? vsamp_fail(err, -errno, "/proc: %s", strerror(errno)) :
			  vsamp_fail(err, -ENOMEM, "out of memory");
		goto out;
	}
	s->w = w;
	s->err = err;
	if (pid)
		ret = synthesize_process(s, dirfd(proc), pid);
	while (!pid && !ret && (d = readdir(proc))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		ret = synthesize_process(s, dirfd(proc), strtoul(d->d_name, NULL, 10));
		if (!ret && between)
			ret = between(arg);
	}
	if (!ret)
		ret = synthesis_flush(s);
out:
	if (s)
		free(s->files);
	free(s);
	if (proc)
		closedir(proc);
	return ret;
}

int vsamp_sideband_synthesize(struct vsamp_writer *w, pid_t pid, struct vsamp_error *err)
{
	return sideband_synthesize(w, pid, NULL, NULL, err);
}
