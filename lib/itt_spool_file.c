// SPDX-License-Identifier: MIT
/* itt_spool_file.c: what a thread's file has, while its program may write to it */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "itt_spool_private.h"

#define HEAD sizeof(struct spool_head)

static bool header_ok(const struct spool_header *h)
{
	return !memcmp(h->magic, SPOOL_MAGIC, sizeof(h->magic)) && h->version == SPOOL_VERSION &&
	       h->clock >= SPOOL_CLOCK_TSC && h->clock <= SPOOL_CLOCK_MONOTONIC_RAW &&
	       (h->segment == SPOOL_SEGMENT || h->segment == SPOOL_SEGMENT_DEFS) &&
	       h->points <= SPOOL_POINTS && h->taken.slot < SPOOL_SLOTS &&
	       h->taken.bytes <= h->segment - SPOOL_END && !(h->taken.bytes % 8) &&
	       (!h->taken.bytes || h->taken.bytes >= HEAD);
}

/* A program may end while a thread of it begins its file: the magic comes last */
static bool header_begun(const struct spool_header *h, ssize_t size)
{
	static const char none[sizeof(h->magic)];

	return size >= (ssize_t)sizeof(none) && memcmp(h->magic, none, sizeof(none));
}

static int file_open(const struct vsamp_itt_spool *s, const char *name)
{
	return openat(s->dir, name,
		      (s->take ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

enum spool_look spool_file_look(const struct vsamp_itt_spool *s, const char *name,
				struct spool_header *h, int *fd)
{
	enum spool_look look = SPOOL_BAD;
	struct stat st;
	ssize_t n;

	*fd = file_open(s, name);
	if (*fd < 0)
		return SPOOL_BAD;
	/* One that has another name, too, may be somebody else's */
	if (!fstat(*fd, &st) && S_ISREG(st.st_mode) && st.st_nlink <= 1) {
		n = pread(*fd, h, sizeof(*h), 0);
		if (n >= 0 && !header_begun(h, n))
			look = SPOOL_NOTHING;
		else if (st.st_size >= SPOOL_HEADER && n == sizeof(*h) && header_ok(h))
			look = SPOOL_GOOD;
	}
	if (look == SPOOL_GOOD)
		return look;
	close(*fd);
	*fd = -1;
	return look;
}

static size_t read_some(int fd, void *to, size_t size, uint64_t at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (uint8_t *)to + done, size - done, at + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += n;
	}
	return done & ~7UL;
}

static uint64_t slot_at(const struct spool_file *f, uint32_t slot)
{
	return SPOOL_HEADER + (uint64_t)slot * f->segment;
}

static size_t same(const uint8_t *a, const uint8_t *b, size_t size)
{
	size_t i = 0;

	while (i + 4096 <= size && !memcmp(a + i, b + i, 4096))
		i += 4096;
	while (i + 8 <= size && !memcmp(a + i, b + i, 8))
		i += 8;
	return i;
}

/*
 * The records of a segment that weren't taken yet. While it is being written, what is the same
 * when it is read again is whole: a record's last bytes are stored before those that make it one.
 * That may end within a record, of which the next time has the rest.
 */
static size_t segment_read(struct vsamp_itt_spool *s, const struct spool_file *f, int fd,
			   bool written, bool *cut)
{
	uint64_t at = slot_at(f, f->at.slot) + f->at.bytes;
	size_t size = f->segment - SPOOL_END - f->at.bytes, first_size;
	uint64_t first[2];

	*cut = false;
	if (!written) {
		if (read_some(fd, first, sizeof(first), at) < sizeof(first) || !first[1])
			return 0;
	}
	first_size = size = read_some(fd, s->segment, size, at);
	if (!written)
		size = same(s->segment, s->again, read_some(fd, s->again, size, at));
	*cut = size < first_size;
	return size;
}

/* The times of a record, where it stands */
static void record_convert(const struct vsamp_itt_spool *s, const struct spool_file *f,
			   uint8_t *record, struct vsamp_itt_call *call)
{
	struct vsamp_itt_frame *frame = (struct vsamp_itt_frame *)call->body;
	struct vsamp_itt_header *header = (struct vsamp_itt_header *)record;
	const struct spool_times *c = &s->clock;
	struct vsamp_itt_stamp *stamp;
	size_t before = sizeof(*header);

	call->time = spool_clock_time(c, f->clock, header->time);
	if (call->time < f->not_before)
		call->time = f->not_before;
	header->time = call->time;
	if (call->type == VSAMP_ITT_FRAME_SUBMIT) {
		if (frame->begin != VSAMP_ITT_NOW)
			frame->begin = spool_clock_time(c, f->clock, frame->begin);
		if (frame->end != VSAMP_ITT_NOW)
			frame->end = spool_clock_time(c, f->clock, frame->end);
	}
	if (!(call->flags & VSAMP_ITT_HAS_CLOCK) || call->clock)
		return;
	before += call->flags & VSAMP_ITT_HAS_NAME ? sizeof(struct vsamp_itt_name) : 0;
	before += call->flags & VSAMP_ITT_HAS_FN ? sizeof(uint64_t) : 0;
	stamp = (struct vsamp_itt_stamp *)(record + before);
	stamp->time = spool_clock_time(c, f->clock, stamp->time);
}

/* Files have all losses so far, recordings those since the last time */
static void lost_take(struct vsamp_itt_spool *s, struct spool_file *f, uint64_t *lost)
{
	uint64_t more = *lost > f->at.lost ? *lost - f->at.lost : 0;

	f->at.lost += more;
	s->total.lost += more;
	*lost = more;
}

enum walk {
	WALK_ON,  /* there may be more */
	WALK_BAD, /* bytes came that no collector wrote */
	WALK_NO_MEMORY,
};

/* How many bytes of what was read are records, the last of which may have more of the room */
static size_t segment_walk(struct vsamp_itt_spool *s, struct spool_file *f, size_t size,
			   size_t room, enum walk *walk)
{
	size_t at = 0;

	*walk = WALK_ON;
	while (size - at >= sizeof(struct vsamp_itt_header)) {
		const struct vsamp_itt_header *header = (const void *)(s->segment + at);
		struct vsamp_itt_call call;
		int n;

		if (!header->size && !header->type)
			return at;
		if (header->size > size - at && header->size <= room - at)
			return at;
		n = header->size && header->type ? vsamp_itt_decode(header, size - at, &call) :
						   -EBADMSG;
		if (n < 0) {
			*walk = WALK_BAD;
			return at;
		}
		record_convert(s, f, s->segment + at, &call);
		if (call.type == VSAMP_ITT_LOST)
			lost_take(s, f, (uint64_t *)call.body);
		else if (f->tid)
			s->total.records++;
		s->total.resumes += call.type == VSAMP_ITT_RESUME;
		f->last = call.time;
		if (spool_carry_learn(s, f, &call)) {
			*walk = WALK_NO_MEMORY;
			return at;
		}
		at += n;
	}
	return at;
}

/* Losses that no record tells of yet */
static int lost_tell(struct vsamp_itt_spool *s, struct spool_file *f, uint64_t lost,
		     struct vsamp_error *err)
{
	uint64_t record[3] = { 0, VSAMP_ITT_LOST | sizeof(record) << 16, lost };

	lost_take(s, f, &record[2]);
	if (!record[2])
		return 0;
	record[0] = f->last > f->thread.start ? f->last : f->thread.start;
	return spool_write(s, &f->thread, record, sizeof(record), err);
}

/* Appends what a segment has, and says whether it is a whole one, and where it goes on */
static int segment_drain(struct vsamp_itt_spool *s, struct spool_file *f, int fd,
			 const struct spool_head *head, enum walk *walk, struct vsamp_error *err)
{
	size_t size, room, used;
	bool cut;

	if (!f->at.bytes)
		f->at.bytes = HEAD;
	size = segment_read(s, f, fd, head->next, &cut);
	room = cut ? f->segment - SPOOL_END - f->at.bytes : size;
	used = segment_walk(s, f, size, room, walk);
	if (*walk == WALK_NO_MEMORY)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	if (!used)
		return 0;
	f->at.bytes += used;
	return spool_write(s, &f->thread, s->segment, used, err);
}

static void taken_tell(struct vsamp_itt_spool *s, const struct spool_file *f, int fd)
{
	if (pwrite(fd, &f->at, sizeof(f->at), offsetof(struct spool_header, taken)) !=
	    sizeof(f->at))
		s->failed = true;
}

/*
 * On to the next segment. Once this one is in the recording the program may have its slot; slots that
 * it doesn't keep mapped give their room on the disk back before.
 */
static int segment_next(struct vsamp_itt_spool *s, struct spool_file *f, int fd,
			const struct spool_head *head, struct vsamp_error *err)
{
	uint32_t slot = f->at.slot;
	int ret;

	f->bad = head->next > SPOOL_SLOTS;
	if (f->bad)
		return 0;
	f->at.segments++;
	f->at.slot = head->next - 1;
	f->at.bytes = 0;
	if (!s->take || !f->tid)
		return 0;
	ret = s->writer ? vsamp_writer_flush(s->writer, err) : 0;
	if (ret)
		return ret;
	if (slot >= SPOOL_KEPT)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, slot_at(f, slot),
			  f->segment);
	taken_tell(s, f, fd);
	return 0;
}

/* A program that writes as fast as we read doesn't keep us: as many segments as the file has slots */
static int segments_drain(struct vsamp_itt_spool *s, struct spool_file *f, int fd, uint64_t slots,
			  struct vsamp_error *err)
{
	enum walk walk = WALK_ON;
	int ret = 0;

	for (uint64_t i = 0; i <= slots && !ret && !f->bad; i++) {
		struct spool_head head;
		size_t size = read_some(fd, &head, sizeof(head), slot_at(f, f->at.slot));

		if (size < sizeof(head) || head.number != f->at.segments + 1) {
			/* The first may not be there yet */
			f->bad = f->at.segments || f->at.bytes || (size && head.number);
			break;
		}
		ret = segment_drain(s, f, fd, &head, &walk, err);
		f->bad = walk == WALK_BAD;
		if (ret || f->bad || !head.next)
			break;
		ret = segment_next(s, f, fd, &head, err);
	}
	return ret;
}

static bool header_same(const struct vsamp_itt_spool *s, const struct spool_file *f,
			const struct spool_header *h)
{
	const struct spool_process *p = spool_process(s, f->process);

	return p->pid == h->pid && p->start == h->start && p->pidns == h->pidns &&
	       f->clock == h->clock && f->tid == h->tid && f->number == h->number &&
	       f->segment == h->segment;
}

static uint64_t slots_of(const struct spool_file *f, const struct stat *st)
{
	uint64_t n = st->st_size / f->segment;

	return n < SPOOL_SLOTS ? n : SPOOL_SLOTS;
}

int spool_file_drain(struct vsamp_itt_spool *s, struct spool_file *f, struct vsamp_error *err)
{
	struct spool_header h;
	struct stat st;
	int fd, ret = 0;

	if (spool_file_look(s, f->name, &h, &fd) != SPOOL_GOOD || !header_same(s, f, &h))
		f->bad = true;
	else if (!fstat(fd, &st))
		ret = segments_drain(s, f, fd, slots_of(f, &st), err);
	if (!ret && !f->bad)
		ret = lost_tell(s, f, h.lost, err);
	f->done = f->bad || h.ended;
	s->total.bad += f->bad;
	if (fd >= 0)
		close(fd);
	return ret;
}

void spool_file_give_back(struct vsamp_itt_spool *s, struct spool_file *f)
{
	struct spool_header h;
	int fd;

	if (spool_file_look(s, f->name, &h, &fd) != SPOOL_GOOD)
		return;
	if (header_same(s, f, &h))
		taken_tell(s, f, fd);
	close(fd);
}
