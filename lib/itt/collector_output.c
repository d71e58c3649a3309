// SPDX-License-Identifier: MIT
/* collector_output.c: the one file of all threads, and processes, where there is no recorder */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector.h"
#include "output.h"

bool output_get(void)
{
	const char *file = secure_getenv("VSAMP_ITT_OUTPUT");
	char here[sizeof(process.dir)] = "";
	int n;

	/* The program may change its working directory */
	if (!file || !*file || (*file != '/' && !getcwd(here, sizeof(here))))
		return false;
	n = snprintf(process.dir, sizeof(process.dir), "%s%s%s", here, *here ? "/" : "", file);
	process.output = (size_t)n < sizeof(process.dir);
	return process.output;
}

/* %p is the process */
bool output_path(char *path, size_t size)
{
	const char *pid = strstr(process.dir, "%p");
	int n = pid ? snprintf(path, size, "%.*s%u%s", (int)(pid - process.dir), process.dir,
			       process.pid, pid + 2) :
		      snprintf(path, size, "%s", process.dir);

	return (size_t)n < size;
}

/* Empty, or begun by whichever process was first: what it is to begin with is the same for all */
static bool file_begin(int fd)
{
	struct output_header h = { 0 };
	ssize_t n = pread(fd, &h, sizeof(h), 0);
	struct stat st;

	if (n == sizeof(h) && !memcmp(h.magic, OUTPUT_MAGIC, sizeof(h.magic)))
		return true;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > OUTPUT_PAGE || n < 0)
		return false;
	for (size_t i = 0; i < sizeof(h.magic); i++)
		if (h.magic[i])
			return false;
	return !file_grow(fd, 0, OUTPUT_PAGE) &&
	       pwrite(fd, OUTPUT_MAGIC, sizeof(h.magic), 0) == sizeof(h.magic);
}

/* Where there is room for @size bytes that is nobody else's; 0: nowhere */
static uint64_t file_take(int fd, size_t size)
{
	struct output_header *h;
	uint64_t at;

	h = mmap(NULL, OUTPUT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h == MAP_FAILED)
		return 0;
	at = OUTPUT_PAGE + __atomic_fetch_add(&h->used, size, __ATOMIC_RELAXED);
	munmap(h, OUTPUT_PAGE);
	return at;
}

static void *piece_map(int fd, struct stream *s, uint32_t slot, size_t size)
{
	uint64_t at = file_take(fd, OUTPUT_PAGE + size);
	struct output_piece p = { OUTPUT_PIECE_MAGIC, s->header ? s->output : at, slot, size };
	void *map;

	if (!at || file_grow(fd, at, OUTPUT_PAGE + size) ||
	    pwrite(fd, &p, sizeof(p), at) != sizeof(p))
		return NULL;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		   at + OUTPUT_PAGE);
	if (map == MAP_FAILED)
		return NULL;
	if (!s->header)
		s->output = at;
	s->output_segment = at + OUTPUT_PAGE;
	return map;
}

void *output_map(struct stream *s, uint32_t slot, size_t size)
{
	int fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	void *map = NULL;

	if (fd < 0)
		return NULL;
	if (file_begin(fd))
		map = piece_map(fd, s, slot, size);
	close(fd);
	return map;
}

void output_end(const struct stream *s)
{
	uint64_t used = (s->at - s->segment + OUTPUT_PAGE - 1) & ~(OUTPUT_PAGE - 1UL);
	int fd = open(s->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, s->output_segment + used,
		  s->segment_size - used);
	close(fd);
}
