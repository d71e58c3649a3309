// SPDX-License-Identifier: MIT
/* annotate.c: finds the addresses of a row's samples, and the file with its code */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vsamp/annotate.h>

#include "kernel_file.h"
#include "profile_private.h"
#include "vdso.h"

#define BY (VSAMP_BY_MODULE | VSAMP_BY_SYMBOL)

/* An address of a symbol that has samples */
struct spot_key {
	uint64_t start, end, address;
};

struct gather {
	struct vsamp_profile *p;
	const char *vmlinux;
	struct tally spots;	/* by struct spot_key */
	struct names_code code; /* of the last one */
	bool pieces;		/* they are in several ranges */
};

/* What is handed out, in one piece with its lists */
struct code {
	struct vsamp_code code;
	struct tally spots;
	struct vsamp_code_range *range;
	struct vsamp_code_count *count;
};

static int gather_place(struct gather *g, uint32_t number, struct vsamp_error *err)
{
	struct vsamp_profile *p = g->p;
	const struct place *place = &places_cell(&p->places, number)->place;
	struct spot_key key;
	uint64_t start = g->code.sym.start;
	int ret = names_code(&p->placer.names, place->spot, &g->code, err);

	if (ret == -ENOENT)
		return vsamp_fail(err, ret,
				  "no symbol is known there, so there is no code to show");
	if (ret)
		return ret;
	g->pieces |= g->spots.keys.count && start != g->code.sym.start;
	key = (struct spot_key){ g->code.sym.start, g->code.sym.end, g->code.address };
	if (tally_add(&g->spots, &key, sizeof(key), places_counts(&p->places, number)) < 0)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	return 0;
}

static int gather_row(struct gather *g, const struct leaf *want, struct vsamp_error *err)
{
	struct vsamp_profile *p = g->p;
	int ret = 0;

	for (uint32_t i = 0; i < p->places.count && !ret; i++) {
		uint32_t spot = places_cell(&p->places, i)->place.spot;
		struct leaf leaf;

		if (!profile_wants_spot(p, spot))
			continue;
		leaf_fill(p, i, spot, &leaf);
		leaf_mask(&leaf, p->by);
		if (!memcmp(&leaf, want, sizeof(leaf)))
			ret = gather_place(g, i, err);
	}
	return ret;
}

static int by_address(const void *a, const void *b, void *arg)
{
	const struct intern *keys = arg;
	const struct spot_key *x = intern_key(keys, *(const uint32_t *)a);
	const struct spot_key *y = intern_key(keys, *(const uint32_t *)b);

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Estimates reach over the time in which the event wasn't counted, as those of rows do */
static struct vsamp_code_count count_of(const struct vsamp_profile *p, const struct tally *spots,
					uint32_t number, uint64_t shift)
{
	const struct spot_key *key = intern_key(&spots->keys, number);
	struct counts counts = tally_counts(spots, number);

	for (size_t e = 0; e < p->rec->events; e++)
		counts.events[e] /= p->rec->event[e].share;
	return (struct vsamp_code_count){ key->address - shift, counts.samples, counts.events };
}

static int code_fill(struct code *c, const struct vsamp_profile *p, uint64_t shift)
{
	uint32_t n = c->spots.keys.count;
	uint32_t *order = malloc((n + 1UL) * sizeof(*order));

	c->range = calloc(n + 1UL, sizeof(*c->range));
	c->count = calloc(n + 1UL, sizeof(*c->count));
	if (!order || !c->range || !c->count) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_address, &c->spots.keys);
	for (uint32_t i = 0; i < n; i++) {
		const struct spot_key *key = intern_key(&c->spots.keys, order[i]);
		struct vsamp_code_range *last = c->range + c->code.count;

		if (!i || last[-1].start != key->start - shift ||
		    last[-1].end != key->end - shift) {
			*last = (struct vsamp_code_range){ key->start - shift, key->end - shift,
							   c->count + i, 0 };
			c->code.count++;
			last++;
		}
		last[-1].count++;
		c->count[i] = count_of(p, &c->spots, order[i], shift);
	}
	c->code.ranges = c->range;
	free(order);
	return 0;
}

static const char *release_of(const struct vsamp_recording *rec)
{
	struct json_object *text = json_object_object_get(rec->meta, "kernel_release");
	const char *release = text ? json_object_get_string(text) : NULL;

	return release ? release : "";
}

/* The kernel's file, or that of one of its modules */
static int open_kernel(struct code *c, const struct gather *g, const char *module, uint64_t *shift,
		       struct vsamp_error *err)
{
	struct vsamp_recording *rec = g->p->rec;
	struct kernel_code code = {
		.release = release_of(rec),
		.module = module,
		.id = &g->code.id,
		.path = g->vmlinux,
		.symbol = g->code.sym.name,
		.start = g->code.sym.start,
		.pieces = g->pieces,
	};
	struct kallsyms *k;
	int ret = recording_kallsyms(rec, g->code.module & ~SPOT_KERNEL, &k, err);

	if (ret)
		return ret;
	code.kallsyms = k;
	return kernel_code_open(&code, &c->code, shift) ?
		       vsamp_fail(err, -ENOMEM, "out of memory") :
		       0;
}

/* The kernel's code for every process, as a file. Its symbols are known, so it is the recorded one */
static int open_vdso(void)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	void *image;
	size_t size;

	if (fd >= 0 && (vdso_image(&image, &size) || write(fd, image, size) != (ssize_t)size)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void open_user(struct code *c, const struct gather *g, const char *module)
{
	struct modules *ms = &g->p->placer.modules;
	struct buildid id;
	int fd = strcmp(module, "[vdso]") ? modules_open(ms, g->code.module) : open_vdso();

	if (fd < 0) {
		snprintf(c->code.why, sizeof(c->code.why), "its file: %s",
			 module[0] == '/' ? ms->module[g->code.module].note :
					    "it has none, it is memory");
	} else if (elfsym_read_id(fd, &id) == -EBADMSG) {
		snprintf(c->code.why, sizeof(c->code.why), "its file: not an ELF file");
		close(fd);
		fd = -1;
	}
	c->code.fd = fd;
}

/* Opens the file with the code, or says why there is none */
static int open_file(struct code *c, const struct gather *g, const char *module, uint64_t *shift,
		     struct vsamp_error *err)
{
	if (g->code.module & SPOT_KERNEL)
		return open_kernel(c, g, module, shift, err);
	open_user(c, g, module);
	return 0;
}

int vsamp_profile_code(struct vsamp_profile *p, uint32_t row, const char *vmlinux,
		       struct vsamp_code **code, struct vsamp_error *err)
{
	struct gather g = { .p = p, .vmlinux = vmlinux, .spots.events = p->rec->events };
	struct code *c;
	const struct leaf *row_key;
	uint64_t shift = 0;
	int ret;

	if (!(p->options.flags & VSAMP_PROFILE_CODE))
		return vsamp_fail(err, -EINVAL, "the profile was made without addresses");
	if (row >= p->sums.keys.count || p->inclusive || p->by != BY)
		return vsamp_fail(err, -EINVAL, "no row of modules and symbols, and these alone");
	c = calloc(1, sizeof(*c));
	if (!c)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	c->code.fd = -1;
	row_key = intern_key(&p->sums.keys, row);
	ret = gather_row(&g, row_key, err);
	c->spots = g.spots;
	if (!ret)
		ret = open_file(c, &g, names_module(&p->placer.names, row_key->key[KEY_MODULE]),
				&shift, err);
	if (!ret && code_fill(c, p, shift))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	if (ret) {
		vsamp_code_free(&c->code);
		return ret;
	}
	*code = &c->code;
	return 0;
}

void vsamp_code_free(struct vsamp_code *code)
{
	struct code *c = (struct code *)code;

	if (!c)
		return;
	if (c->code.fd >= 0)
		close(c->code.fd);
	tally_free(&c->spots);
	free(c->range);
	free(c->count);
	free(c);
}
