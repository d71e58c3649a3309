// SPDX-License-Identifier: MIT
/*
 * Fuzzes everything that reads a .vsamp file, down to the rows of a report.
 *
 * The input becomes a file with right CRCs, as a wrong one ends reading early: pieces {type, cpu,
 * size (2 bytes), time (8 bytes), payload} each become a chunk, stored as it is. Pieces of type 0
 * hold ring records for the writer to pack, or to refuse. An input that begins with the magic of
 * files is read as it is.
 *
 *	fuzz_file seeds FOLDER		writes inputs to start from
 *	fuzz_file FOLDER		fuzzes (libFuzzer has the options)
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vsamp.h>
#include <vsamp/profile.h>

#include "chunk.h"
#include "crc32c.h"
#include "file_private.h"
#include "pack.h"
#include "recording_private.h"

#define META(calibration)                                                   \
	"{\"events\":[{\"index\":0,\"name\":\"a\",\"sav\":1,\"target\":9}," \
	"{\"index\":1,\"name\":\"b\",\"set\":1}],"                          \
	"\"calibration\":{" calibration "},\"clock\":{\"khz\":1000}}"

/* Sets one after the other, in time slices, and with values that change */
static const char *const metas[] = {
	META("\"sets\":2"),
	META("\"sets\":2,\"mux_ms\":4"),
	META("\"sets\":2,\"adaptive\":true,\"sav_floor\":1000"),
};

struct piece {
	uint8_t type, cpu;
	uint16_t size;
	uint64_t time;
} __attribute__((packed));

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		abort();
}

static void put_chunk(int fd, uint16_t type, uint32_t cpu, uint64_t time, const void *data,
		      uint32_t size)
{
	bool of_cpu = type == VSAMP_CHUNK_RECORDS || type == VSAMP_CHUNK_SIDEBAND;
	struct chunk_header h = {
		.type = type,
		.cpu = of_cpu ? cpu : VSAMP_CPU_NONE,
		.raw_size = size,
		.size = size,
		.time_min = time,
		.time_max = time,
	};

	/* the column of kinds tells how many there are */
	if (type == VSAMP_CHUNK_RECORDS && size >= 4 * (PACK_KIND + 1))
		memcpy(&h.count, (const char *)data + 4 * PACK_KIND, 4);
	h.crc = crc32c(crc32c(0, &h.type, sizeof(h) - 4), data, size);
	put(fd, &h, sizeof(h));
	put(fd, data, size);
}

/* Lets the writer pack the records, and takes the chunks that it made */
static void put_packed(int fd, uint32_t cpu, const void *data, size_t size)
{
	static uint64_t records[8192];
	char path[64], block[4096];
	struct vsamp_writer *w;
	int packed = memfd_create("packed", MFD_CLOEXEC);
	ssize_t n;

	memcpy(records, data, size); /* not more than a piece has */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", packed);
	if (vsamp_writer_open(&w, path, NULL))
		abort();
	vsamp_writer_records(w, cpu, records, size, NULL);
	vsamp_writer_sideband(w, cpu, records, size, NULL);
	if (vsamp_writer_close(w, NULL))
		abort();
	lseek(packed, sizeof(struct file_header), SEEK_SET);
	while ((n = read(packed, block, sizeof(block))) > 0)
		put(fd, block, n);
	close(packed);
}

static void put_pieces(int fd, const char *meta, const uint8_t *data, size_t size)
{
	struct file_header h = { .version = FILE_VERSION, .size = sizeof(h) };
	struct piece p;

	memcpy(h.magic, FILE_MAGIC, sizeof(h.magic));
	h.crc = crc32c(0, &h, sizeof(h) - 4);
	put(fd, &h, sizeof(h));
	put_chunk(fd, VSAMP_CHUNK_META, 0, 0, meta, strlen(meta));
	while (size > sizeof(p)) {
		memcpy(&p, data, sizeof(p));
		data += sizeof(p);
		size -= sizeof(p);
		if (p.size > size)
			p.size = size;
		if (p.type)
			put_chunk(fd, p.type, p.cpu, p.time, data, p.size);
		else
			put_packed(fd, p.cpu, data, p.size);
		data += p.size;
		size -= p.size;
	}
}

static void read_callers(struct vsamp_profile *p, const struct vsamp_profile_row *rows,
			 size_t count)
{
	struct vsamp_profile_caller *callers;
	struct vsamp_error err;
	size_t n;

	for (size_t i = 0; i < count; i++) {
		if (!vsamp_profile_callers(p, rows[i].number, 1, &callers, &n, &err))
			free(callers);
		if (!vsamp_profile_callees(p, rows[i].number, 1, &callers, &n, &err))
			free(callers);
	}
}

static void read_all(int fd)
{
	static const unsigned int by[] = {
		VSAMP_BY_PROCESS,
		VSAMP_BY_MODULE | VSAMP_BY_SYMBOL,
		VSAMP_BY_THREAD | VSAMP_BY_CPU | VSAMP_BY_TIME | VSAMP_BY_EVENT,
	};
	struct vsamp_profile_row *rows;
	const struct vsamp_profile_options options = {
		.flags = VSAMP_PROFILE_CALLERS,
		.by = VSAMP_BY_THREAD | VSAMP_BY_CPU | VSAMP_BY_TIME,
		.slice = 1000000,
	};
	struct vsamp_recording *rec;
	struct vsamp_reader *reader;
	struct vsamp_profile *p;
	struct vsamp_error err;
	size_t count;
	int ret;

	if (reader_open_fd(&reader, fd, "fuzz", &err) || recording_from_reader(&rec, reader, &err))
		return;
	if (!vsamp_profile_new(&p, rec, &options, &err)) {
		for (size_t i = 0; i < 2 * sizeof(by) / sizeof(by[0]); i++) {
			ret = i % 2 ? vsamp_profile_inclusive(p, by[i / 2], 0, &rows, &count,
							      &err) :
				      vsamp_profile_rows(p, by[i / 2], 0, &rows, &count, &err);
			if (ret)
				continue;
			read_callers(p, rows, count);
			free(rows);
		}
		vsamp_profile_free(p);
	}
	vsamp_recording_close(rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool whole = size >= 8 && !memcmp(data, FILE_MAGIC, 8);

	for (size_t i = 0; i < (whole ? 1 : sizeof(metas) / sizeof(*metas)); i++) {
		int fd = memfd_create("fuzz", MFD_CLOEXEC);

		if (whole)
			put(fd, data, size);
		else
			put_pieces(fd, metas[i], data, size);
		read_all(fd);
	}
	return 0;
}

static void seed(const char *folder, const char *name, uint8_t type, const void *data,
		 uint16_t size)
{
	struct piece p = { .type = type, .size = size };
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f || fwrite(&p, 1, sizeof(p), f) != sizeof(p) || fwrite(data, 1, size, f) != size ||
	    fclose(f))
		abort();
}

static void seeds(const char *folder)
{
	const struct {
		struct vsamp_record_clock clock;
		struct vsamp_record_sample sample[2];
		struct vsamp_record_lost lost;
		struct vsamp_record_state state;
		struct vsamp_record_sav sav;
		struct vsamp_record_sample after;
		struct vsamp_record_set set;
	} records = {
		{ { VSAMP_RECORD_CLOCK, sizeof(records.clock), 0, 0 }, 10, 1, 20, 30, 40 },
		{ { { VSAMP_RECORD_SAMPLE, 32, 0, VSAMP_SAMPLE_USER }, 11, 0x1010, 5, 5 },
		  { { VSAMP_RECORD_SAMPLE, 32, 1, 0 }, 12, 0xffffffff81000010, 5, 6 } },
		{ { VSAMP_RECORD_LOST, sizeof(records.lost), 0, 0 }, 13, 7 },
		{ { VSAMP_RECORD_STATE, sizeof(records.state), VSAMP_STATE_STOP, 0 }, 14, 0 },
		{ { VSAMP_RECORD_SAV, sizeof(records.sav), 1, 0 }, 15, 1000 },
		{ { VSAMP_RECORD_SAMPLE, 32, 1, 0 }, 16, 0xffffffff81000010, 5, 6 },
		{ { VSAMP_RECORD_SET, sizeof(records.set), 1, 0 }, 17, 6, 2 },
	};
	static const struct {
		struct vsamp_record_sample sample;
		struct {
			uint16_t kernel, user;
			uint32_t flags;
			uint64_t ip[3];
		} stack;
		struct vsamp_record_sample other;
		struct {
			uint16_t kernel, user;
			uint32_t flags;
		} none;
	} stacked = {
		{ { VSAMP_RECORD_SAMPLE, 64, 0, VSAMP_SAMPLE_STACK },
		  11,
		  0xffffffff81000014,
		  5,
		  5 },
		{ 1, 2, VSAMP_STACK_USER_CUT, { 0xffffffff81000010, 0x1010, 0x1020 } },
		{ { VSAMP_RECORD_SAMPLE, 40, 0, VSAMP_SAMPLE_STACK | VSAMP_SAMPLE_USER },
		  12,
		  0x1010,
		  5,
		  5 },
		{ 0, 0, VSAMP_STACK_KERNEL_CUT },
	};
	const struct {
		struct perf_event_header comm;
		uint32_t pid, tid;
		char name[8];
		struct sideband_id id;
		struct perf_event_header mmap;
		uint32_t mpid, mtid;
		uint64_t addr, len, pgoff, dev, ino, generation, prot;
		char file[16];
		struct sideband_id mid;
		struct perf_event_header fork;
		uint32_t child, parent, ctid, ptid;
		uint64_t time;
		struct sideband_id fid;
	} sideband = {
		{ PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 48 },
		5,
		5,
		"five",
		{ 5, 5, 1, 0, 0 },
		{ PERF_RECORD_MMAP2, 0, 112 },
		5,
		5,
		0x1000,
		0x1000,
		0,
		1,
		2,
		3,
		5,
		"/bin/true",
		{ 5, 5, 2, 0, 0 },
		{ PERF_RECORD_FORK, 0, 56 },
		6,
		5,
		6,
		5,
		3,
		{ 5, 5, 3, 0, 0 },
	};
	static const char kallsyms[] =
		"build-id 1234 [kernel]\nbuild-id 56 [one]\n\n"
		"ffffffff81000000 T _stext\n10 t work\n40000000 t one\t[one]\n";
	static const char run[] = "{\"set\":1,\"events\":[{\"index\":1,\"sav\":7,\"cal_ns\":5,"
				  "\"calibration\":\"run\",\"counted\":70,\"target\":10}]}";
	static const char end[] = "{\"reason\":\"exit\",\"elapsed_ns\":5,\"cpus\":[{\"cpu\":0,"
				  "\"produced\":3,\"written\":2,\"lost\":1,\"read\":2}],"
				  "\"runs\":[{\"set\":1,\"elapsed_ns\":4}],"
				  "\"events\":[{\"index\":0,\"samples\":1,\"count\":5,"
				  "\"sav\":2,\"enabled\":8,\"running\":4,\"target\":9}]}";
	/* columns of two samples: header, tables of 1 + 2 + 1 bytes, then what is of each */
	static const uint8_t columns[] = {
		0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
		2, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0,
		0, 5, 0, 2, 1, 1, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 1, 2, 3, 4,
	};

	/* columns of one sample, whose stack has two frames, and lacks some of the user's */
	static const uint8_t stacks[] = {
		0,
		0,
		0,
		0,
		3,
		0,
		0,
		0,
		2,
		0,
		0,
		0,
		2,
		0,
		0,
		0,
		1,
		0,
		0,
		0,
		1,
		0,
		0,
		0,
		2,
		0,
		0,
		0,
		1,
		0,
		0,
		0,
		1,
		0,
		0,
		0,
		2,
		0,
		0,
		0,
		0x80,
		0x80,
		VSAMP_SAMPLE_STACK << 2,
		7,
		0,
		4,
		1,
		1,
		0,
		0,
		0,
		0,
		0,
		1,
		0,
		2,
		0,
		0,
		0,
		2,
		0,
		0,
		0,
		2,
		0,
		0,
		0,
		4,
		0,
		0,
		0,
		1,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		4,
		1 << 2 | VSAMP_STACK_USER_CUT,
		0,
		1,
		0,
		1,
		6,
		0,
		5,
		0,
		0,
	};

	seed(folder, "records", 0, &records, sizeof(records));
	seed(folder, "stacked", 0, &stacked, sizeof(stacked));
	seed(folder, "stacks", VSAMP_CHUNK_RECORDS, stacks, sizeof(stacks));
	seed(folder, "sideband", 0, &sideband, sizeof(sideband));
	seed(folder, "columns", VSAMP_CHUNK_RECORDS, columns, sizeof(columns));
	seed(folder, "kallsyms", VSAMP_CHUNK_KALLSYMS, kallsyms, sizeof(kallsyms) - 1);
	seed(folder, "run", VSAMP_CHUNK_RUN, run, sizeof(run) - 1);
	seed(folder, "end", VSAMP_CHUNK_END, end, sizeof(end) - 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc == 3 && !strcmp((*argv)[1], "seeds")) {
		seeds((*argv)[2]);
		exit(0);
	}
	return 0;
}
