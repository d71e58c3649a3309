// SPDX-License-Identifier: MIT
/* itt_load.c: the ITT records of a recording, and when their threads ended */
#include "file_private.h"
#include "itt_private.h"
#include "perf_record.h"

/* What is found, by its number as an intern gives it */
struct found {
	struct vsamp_itt_thread thread;
	size_t blocks, first; /* of the row of all blocks */
	uint64_t last;	      /* ticks, of its last record */
	uint64_t exit;	      /* ns, UINT64_MAX: not known */
};

struct load {
	struct vsamp_recording *rec;
	struct intern threads; /* struct vsamp_itt_thread */
	struct found *found;
	size_t founds;
	struct itt_block *block;
	uint32_t *of; /* by ITT chunk: number of its thread */
	size_t chunks;
};

static int found_add(struct load *l, const struct vsamp_chunk *chunk,
		     const struct vsamp_itt_thread *thread)
{
	int64_t number = intern_number(&l->threads, thread, sizeof(*thread));
	struct found *more;

	if (number < 0)
		return -ENOMEM;
	if ((size_t)number == l->founds) {
		/* grows as a power of two does */
		if (!(number & (number - 1))) {
			more = realloc(l->found, (number ? 2 * number : 1) * sizeof(*more));
			if (!more)
				return -ENOMEM;
			l->found = more;
		}
		l->found[l->founds++] = (struct found){ .thread = *thread, .exit = UINT64_MAX };
	}
	l->of[l->chunks++] = number;
	l->found[number].blocks++;
	if (chunk->time_max > l->found[number].last)
		l->found[number].last = chunk->time_max;
	return 0;
}

/* Whose the chunks are, which their first bytes tell */
static int find_threads(struct load *l, const struct vsamp_chunk *chunk, size_t chunks,
			struct vsamp_error *err)
{
	for (size_t i = 0; i < chunks; i++) {
		struct vsamp_itt_thread thread;
		void *data;
		int ret;

		if (chunk[i].type != VSAMP_CHUNK_ITT)
			continue;
		ret = vsamp_reader_load(l->rec->reader, &chunk[i], &data, err);
		if (ret)
			return ret;
		if (chunk[i].raw_size < sizeof(thread)) {
			free(data);
			return vsamp_fail(err, -EBADMSG,
					  "%s: the chunk at byte %llu: its contents make no sense",
					  vsamp_reader_path(l->rec->reader),
					  (unsigned long long)chunk[i].offset);
		}
		memcpy(&thread, data, sizeof(thread));
		free(data);
		if (found_add(l, &chunk[i], &thread))
			return vsamp_fail(err, -ENOMEM, "out of memory");
	}
	return 0;
}

static void give_blocks(struct load *l, const struct vsamp_chunk *chunk, size_t chunks)
{
	size_t first = 0;

	for (size_t i = 0; i < l->founds; i++) {
		l->found[i].first = first;
		first += l->found[i].blocks;
		l->found[i].blocks = 0;
	}
	for (size_t i = 0, n = 0; i < chunks; i++) {
		struct found *f;

		if (chunk[i].type != VSAMP_CHUNK_ITT)
			continue;
		f = &l->found[l->of[n++]];
		l->block[f->first + f->blocks++] = (struct itt_block){ .chunk = &chunk[i] };
	}
}

static int found_order(const void *a, const void *b)
{
	const struct vsamp_itt_thread *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

struct exit {
	uint32_t pid, tid;
	uint64_t time; /* ns */
};

static int exit_order(const void *a, const void *b)
{
	const struct exit *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* A thread's exit is the first of its number that is not before its last record */
static void use_exits(struct load *l, struct exit *exit, size_t exits)
{
	if (exits)
		qsort(exit, exits, sizeof(*exit), exit_order);
	for (size_t i = 0; i < l->founds; i++) {
		struct found *f = &l->found[i];
		const struct exit wanted = { f->thread.pid, f->thread.tid,
					     vsamp_clock_fit_raw(l->rec->clock, f->last) };
		size_t low = 0, high = exits;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (exit_order(&exit[middle], &wanted) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < exits && exit[low].pid == wanted.pid && exit[low].tid == wanted.tid)
			f->exit = exit[low].time;
	}
}

/* What makes no sense is told by those who read all of the sideband */
static int take_exits(struct buf *exits, const uint8_t *at, size_t size)
{
	const uint8_t *end = at + size;

	while ((size_t)(end - at) >= SIDEBAND_SIZE_MIN) {
		const struct task_record *task = (const void *)at;
		struct exit exit;

		if (task->h.size < SIDEBAND_SIZE_MIN || task->h.size % 8 || task->h.size > end - at)
			break;
		if (task->h.type == PERF_RECORD_EXIT &&
		    task->h.size >= sizeof(*task) + sizeof(struct sideband_id)) {
			exit = (struct exit){ task->pid, task->tid, sideband_time(&task->h) };
			if (buf_add(exits, &exit, sizeof(exit)))
				return -ENOMEM;
		}
		at += task->h.size;
	}
	return 0;
}

static int find_exits(struct load *l, const struct vsamp_chunk *chunk, size_t chunks,
		      struct vsamp_error *err)
{
	struct buf exits = { 0 };
	int ret = 0;

	for (size_t i = 0; i < chunks && !ret; i++) {
		void *data;

		if (chunk[i].type != VSAMP_CHUNK_SIDEBAND)
			continue;
		ret = vsamp_reader_load(l->rec->reader, &chunk[i], &data, err);
		if (ret)
			break;
		if (take_exits(&exits, data, chunk[i].raw_size))
			ret = vsamp_fail(err, -ENOMEM, "out of memory");
		free(data);
	}
	if (!ret)
		use_exits(l, (void *)exits.data, exits.size / sizeof(struct exit));
	buf_free(&exits);
	return ret;
}

/* ns, of the last there is */
static uint64_t recording_end(const struct load *l)
{
	uint64_t end = l->rec->time_max;

	for (size_t i = 0; i < l->founds; i++)
		if (l->found[i].last > end)
			end = l->found[i].last;
	return vsamp_clock_fit_raw(l->rec->clock, end);
}

static int build(struct vsamp_itt **itt, struct load *l, struct vsamp_error *err)
{
	struct itt_source *source = calloc(l->founds + 1, sizeof(*source));
	uint64_t *end = calloc(l->founds + 1, sizeof(*end)), last = recording_end(l);
	int ret;

	for (size_t i = 0; source && end && i < l->founds; i++) {
		const struct found *f = &l->found[i];

		source[i] = (struct itt_source){ f->thread, l->block + f->first, f->blocks };
		end[i] = f->exit < last ? f->exit : last;
	}
	if (source && end)
		ret = itt_build(itt, source, end, l->founds, l->rec, l->rec->clock, err);
	else
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	free(source);
	free(end);
	return ret;
}

int vsamp_itt_new(struct vsamp_itt **itt, struct vsamp_recording *rec, struct vsamp_error *err)
{
	struct load l = { .rec = rec };
	const struct vsamp_chunk *chunk;
	size_t chunks = vsamp_reader_chunks(rec->reader, &chunk), n = 0;
	int ret;

	for (size_t i = 0; i < chunks; i++)
		n += chunk[i].type == VSAMP_CHUNK_ITT;
	l.of = calloc(n + 1, sizeof(*l.of));
	l.block = calloc(n + 1, sizeof(*l.block));
	if (l.of && l.block)
		ret = find_threads(&l, chunk, chunks, err);
	else
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	if (!ret) {
		give_blocks(&l, chunk, chunks);
		if (l.founds)
			qsort(l.found, l.founds, sizeof(*l.found), found_order);
		ret = l.founds ? find_exits(&l, chunk, chunks, err) : 0;
	}
	if (!ret)
		ret = build(itt, &l, err);
	intern_free(&l.threads);
	free(l.found);
	free(l.block);
	free(l.of);
	return ret;
}

bool itt_recorded(const struct vsamp_recording *rec)
{
	const struct vsamp_chunk *chunk;
	size_t chunks = vsamp_reader_chunks(rec->reader, &chunk);

	for (size_t i = 0; i < chunks; i++)
		if (chunk[i].type == VSAMP_CHUNK_ITT)
			return true;
	return false;
}

static int records_order(const void *a, const void *b)
{
	const struct vsamp_itt_records *const *x = a, *const *y = b;

	return found_order(&(*x)->thread, &(*y)->thread);
}

int vsamp_itt_match(struct vsamp_itt **itt, const struct vsamp_itt_records *records, size_t threads,
		    const struct vsamp_clock_fit *clock, struct vsamp_error *err)
{
	const struct vsamp_itt_records **order = calloc(threads + 1, sizeof(*order));
	struct itt_source *source = calloc(threads + 1, sizeof(*source));
	struct itt_block *block = calloc(threads + 1, sizeof(*block));
	uint64_t *end = calloc(threads + 1, sizeof(*end));
	int ret;

	if (order && source && block && end) {
		for (size_t i = 0; i < threads; i++)
			order[i] = &records[i];
		qsort(order, threads, sizeof(*order), records_order);
		for (size_t i = 0; i < threads; i++) {
			block[i] = (struct itt_block){ .data = order[i]->data,
						       .size = order[i]->size };
			source[i] = (struct itt_source){ order[i]->thread, &block[i],
							 order[i]->size ? 1 : 0 };
			end[i] = order[i]->end;
		}
		ret = itt_build(itt, source, end, threads, NULL, clock, err);
	} else {
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	}
	free(order);
	free(source);
	free(block);
	free(end);
	return ret;
}
