// SPDX-License-Identifier: MIT
/* The parts of a perf.data file beside its records; and the kernel's symbols as perf takes them */
#include <inttypes.h>

#include "export_perf.h"
#include "file_private.h"
#include "perf_record.h"

/* Their bits in the header; sections come in this order */
#define FEATURE_BUILD_ID   2
#define FEATURE_HOSTNAME   3
#define FEATURE_OSRELEASE  4
#define FEATURE_ARCH	   6
#define FEATURE_EVENT_DESC 12
#define FEATURES	   5

#define NAME_ALIGN	   64
#define KERNEL_NAME	   "[kernel.kallsyms]"
#define PAGE		   4096ULL

struct mmap_record {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
};

struct build_id_record {
	struct perf_event_header h;
	uint32_t pid;
	uint8_t id[20], size, reserved[3];
};

static void put(const struct export *x, const void *data, size_t size)
{
	fwrite(data, 1, size, x->out);
}

static void put_padded(const struct export *x, const char *text, size_t size)
{
	size_t length = strnlen(text, size - 1);

	put(x, text, length);
	while (length++ < size)
		putc(0, x->out);
}

/* The last snapshot knows most modules; 1 if there is none */
static int kernel_symbols(const struct export *x, struct kallsyms **k)
{
	if (!x->rec->snapshots)
		return 1;
	return recording_kallsyms(x->rec, x->rec->snapshots - 1, k, x->err);
}

static void put_mmap(const struct export *x, const char *name, uint64_t from, uint64_t to,
		     uint64_t pgoff)
{
	size_t room = (strlen(name) + 8) & ~7UL;
	struct mmap_record m = {
		.h = { PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
		       sizeof(m) + room + sizeof(struct sideband_id) + sizeof(uint64_t) },
		.pid = UINT32_MAX,
		.addr = from,
		.len = to - from,
		.pgoff = pgoff,
	};
	struct sideband_id id = { .pid = UINT32_MAX };
	uint64_t identifier = 1;

	if (room > PAGE)
		return;
	put(x, &m, sizeof(m));
	put_padded(x, name, room);
	put(x, &id, sizeof(id));
	put(x, &identifier, sizeof(identifier));
}

/* Where the kernel is, by the name and the address of its first symbol; perf finds that again */
static void put_kernel(const struct export *x, const struct kallsyms *k)
{
	struct kallsyms_symbol sym;
	uint64_t from = 0, to = 0;
	char name[512] = "";

	for (size_t i = 0; i < kallsyms_count(k); i++) {
		kallsyms_symbol(k, i, &sym);
		if (strcmp(sym.module, KALLSYMS_KERNEL))
			continue;
		if (!to) {
			from = sym.start;
			snprintf(name, sizeof(name), KERNEL_NAME "%s", sym.name);
		}
		to = sym.end;
	}
	if (to)
		put_mmap(x, name, from, to, from);
}

/* A module's symbols are together; others may be among them, in which case it has several places */
static void put_modules(const struct export *x, const struct kallsyms *k)
{
	struct kallsyms_symbol sym, next;
	uint64_t from = 0;

	for (size_t i = 0; i < kallsyms_count(k); i++) {
		bool last = i + 1 == kallsyms_count(k);

		kallsyms_symbol(k, i, &sym);
		if (!strcmp(sym.module, KALLSYMS_KERNEL))
			continue;
		if (!from)
			from = sym.start & -PAGE;
		if (!last)
			kallsyms_symbol(k, i + 1, &next);
		if (!last && next.module == sym.module)
			continue;
		put_mmap(x, sym.module, from, sym.end, 0);
		from = 0;
	}
}

int perf_put_kernel(const struct export *x)
{
	struct kallsyms *k;
	int ret = kernel_symbols(x, &k);

	if (ret)
		return ret < 0 ? ret : 0;
	put_kernel(x, k);
	put_modules(x, k);
	return 0;
}

static void put_string(const struct export *x, const char *text)
{
	uint32_t size = (strlen(text) + NAME_ALIGN) / NAME_ALIGN * NAME_ALIGN;

	put(x, &size, sizeof(size));
	put_padded(x, text, size);
}

static void put_meta(const struct export *x, const char *name)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(x->rec->meta, name, &v);
	put_string(x, json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "");
}

static void put_event_names(const struct export *x)
{
	uint32_t head[] = { x->events, PERF_ATTR_SIZE_VER7 }, ids = 1;
	char name[512];

	put(x, head, sizeof(head));
	for (uint64_t i = 0; i < x->events; i++) {
		const struct vsamp_recording_event *e = &x->rec->event[x->event[i]];
		uint8_t attr[PERF_ATTR_SIZE_VER7];
		uint64_t id = i + 1;

		perf_attr_fill(x, x->event[i], attr);
		snprintf(name, sizeof(name), "%s%s", e->name, e->levels);
		put(x, attr, sizeof(attr));
		put(x, &ids, sizeof(ids));
		put_string(x, name);
		put(x, &id, sizeof(id));
	}
}

/* Without the kernel's, perf would take the symbols of whatever kernel it runs on */
static void put_build_id(const struct export *x, const struct buildid *id)
{
	struct build_id_record b = {
		.h = { 67, PERF_RECORD_MISC_KERNEL | 1 << 15, sizeof(b) + NAME_ALIGN },
		.pid = UINT32_MAX,
		.size = id->size,
	};

	memcpy(b.id, id->data, id->size < sizeof(b.id) ? id->size : sizeof(b.id));
	put(x, &b, sizeof(b));
	put_padded(x, KERNEL_NAME, NAME_ALIGN);
}

int perf_put_features(const struct export *x, uint64_t *features)
{
	static const uint8_t bit[FEATURES] = { FEATURE_BUILD_ID, FEATURE_HOSTNAME,
					       FEATURE_OSRELEASE, FEATURE_ARCH,
					       FEATURE_EVENT_DESC };
	struct perf_section section[FEATURES] = { 0 };
	struct kallsyms *k;
	long table = ftell(x->out);
	int ret = kernel_symbols(x, &k), first;
	const struct buildid *id = ret ? NULL : kallsyms_kernel_id(k);

	if (ret < 0)
		return ret;
	first = !id || !id->size;
	put(x, section, (FEATURES - first) * sizeof(section[0]));
	for (int i = first; i < FEATURES; i++) {
		section[i].offset = ftell(x->out);
		if (bit[i] == FEATURE_BUILD_ID)
			put_build_id(x, id);
		else if (bit[i] == FEATURE_EVENT_DESC)
			put_event_names(x);
		else
			put_meta(x, bit[i] == FEATURE_HOSTNAME	? "hostname" :
				    bit[i] == FEATURE_OSRELEASE ? "kernel_release" :
								  "machine");
		section[i].size = ftell(x->out) - section[i].offset;
		*features |= 1ULL << bit[i];
	}
	fseek(x->out, table, SEEK_SET);
	put(x, section + first, (FEATURES - first) * sizeof(section[0]));
	return 0;
}

int export_kallsyms(const struct export *x)
{
	struct kallsyms_symbol sym;
	struct kallsyms *k;
	int ret = kernel_symbols(x, &k);

	if (ret > 0)
		return vsamp_fail(x->err, -ENOENT, "%s: has no kernel symbols",
				  vsamp_reader_path(x->rec->reader));
	if (ret)
		return ret;
	for (size_t i = 0; i < kallsyms_count(k); i++) {
		kallsyms_symbol(k, i, &sym);
		fprintf(x->out, "%016" PRIx64 " t %s", sym.start, sym.name);
		if (strcmp(sym.module, KALLSYMS_KERNEL))
			fprintf(x->out, "\t%s", sym.module);
		putc('\n', x->out);
	}
	return 0;
}
