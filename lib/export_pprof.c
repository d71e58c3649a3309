// SPDX-License-Identifier: MIT
/*
 * pprof's profiles: of each event two values, samples and events; the process, and the ITT task and
 * event that the time belongs to, as labels. Functions are told by name and module, addresses aren't.
 */
#include <errno.h>
#include <zlib.h>

#include "export.h"
#include "lib/profile.pb-c.h"

/* Messages of one kind, all of one size, and the list of them that protobuf-c wants */
struct messages {
	struct buf buf;
	void **list;
	size_t count;
};

struct pprof {
	const struct export *x;
	struct vsamp_profile *profile;
	struct intern strings, functions;
	struct messages samples, locations, lines, functions_told, mappings, labels;
	struct buf ids, values;
};

#define LABELS	  4 /* of a sample, at most */
#define GZIP_PART (1U << 30)

static int64_t string(struct pprof *p, const char *s)
{
	return intern_string(&p->strings, s);
}

/* Numbers of functions + 1 of a place's stack are put behind the others; how many, or -ENOMEM */
static int add_ids(struct pprof *p, const struct place *place)
{
	struct export_function function[EXPORT_FRAMES_MAX];
	size_t n = export_functions(p->profile, place, function);

	for (size_t i = 0; i < n; i++) {
		uint64_t id = intern_number(&p->functions, &function[i], sizeof(function[i])) + 1;

		if (!id || buf_add(&p->ids, &id, sizeof(id)))
			return -ENOMEM;
	}
	return n;
}

static int add_values(struct pprof *p, struct counts counts)
{
	for (size_t i = 0; i < p->x->events; i++) {
		int64_t value[2] = { counts.samples[p->x->event[i]],
				     export_events(p->x, counts, p->x->event[i]) };

		if (buf_add(&p->values, value, sizeof(value)))
			return -ENOMEM;
	}
	return 0;
}

static int add_text(struct pprof *p, Pprof__Label *label, const char *key, const char *text)
{
	label->key = string(p, key);
	label->str = string(p, text);
	return label->key < 0 || label->str < 0 ? -ENOMEM : 0;
}

/* Labels for the task and the event that there are; how many, or -ENOMEM */
static int add_spans(struct pprof *p, uint32_t number, const struct place *place,
		     Pprof__Label *label)
{
	static const char *const keys[] = { "itt_task", "itt_event" };
	const struct vsamp_profile *profile = p->profile;
	struct leaf leaf;
	int n = 0;

	leaf_fill(profile, number, place->spot, &leaf);
	for (int i = 0; i < 2; i++) {
		const char *name;

		if (leaf.key[KEY_TASK + i] == NOT_ASKED)
			continue;
		name = intern_key(&profile->span_texts, leaf.key[KEY_TASK + i]);
		if (*name && add_text(p, &label[n++], keys[i], name))
			return -ENOMEM;
	}
	return n;
}

/* As many as there is room for are put behind the others; how many they are, or -ENOMEM */
static int add_labels(struct pprof *p, uint32_t number, const struct place *place)
{
	const struct procmap_identity *id = procmap_identity_at(&p->profile->placer.procmap,
								place->identity);
	Pprof__Label label[LABELS] = { PPROF__LABEL__INIT, PPROF__LABEL__INIT, PPROF__LABEL__INIT,
				       PPROF__LABEL__INIT };
	int spans = add_spans(p, number, place, &label[2]);

	label[0].key = string(p, "pid");
	label[0].num = id->pid;
	if (spans < 0 || label[0].key < 0 || add_text(p, &label[1], "comm", id->comm) ||
	    buf_add(&p->labels.buf, label, sizeof(label)))
		return -ENOMEM;
	return 2 + spans;
}

static bool place_wanted(const struct pprof *p, struct counts counts)
{
	for (size_t i = 0; i < p->x->events; i++)
		if (counts.samples[p->x->event[i]])
			return true;
	return false;
}

static int add_samples(struct pprof *p)
{
	const struct places *places = &p->profile->places;

	for (uint32_t i = 0; i < places->count; i++) {
		const struct place *place = &places_cell(places, i)->place;
		Pprof__Sample sample = PPROF__SAMPLE__INIT;
		int n, labels;

		if (!place_wanted(p, places_counts(places, i)))
			continue;
		n = add_ids(p, place);
		labels = add_labels(p, i, place);
		if (n < 0 || labels < 0 || add_values(p, places_counts(places, i)))
			return -ENOMEM;
		sample.n_location_id = n;
		sample.n_label = labels;
		if (buf_add(&p->samples.buf, &sample, sizeof(sample)))
			return -ENOMEM;
	}
	return 0;
}

static int add_function(struct pprof *p, uint32_t number)
{
	struct export_function f = *(const struct export_function *)intern_key(&p->functions,
									       number);
	Pprof__Function function = PPROF__FUNCTION__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line line = PPROF__LINE__INIT;
	int64_t name = string(p, export_symbol(p->profile, f));

	if (name < 0)
		return -ENOMEM;
	function.id = location.id = line.function_id = number + 1ULL;
	function.name = function.system_name = name;
	location.mapping_id = f.label == EXPORT_TRUNCATED ? 0 : f.label + 1ULL;
	location.n_line = 1;
	if (buf_add(&p->functions_told.buf, &function, sizeof(function)) ||
	    buf_add(&p->locations.buf, &location, sizeof(location)) ||
	    buf_add(&p->lines.buf, &line, sizeof(line)))
		return -ENOMEM;
	return 0;
}

static int add_mapping(struct pprof *p, uint32_t label)
{
	const struct names *names = &p->profile->placer.names;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;

	mapping.id = label + 1ULL;
	mapping.filename = string(p, names_module(names, label));
	mapping.build_id = string(p, names_build_id(names, label));
	mapping.has_functions = true;
	if (mapping.filename < 0 || mapping.build_id < 0)
		return -ENOMEM;
	return buf_add(&p->mappings.buf, &mapping, sizeof(mapping));
}

/* When all are there, and don't move any more */
static int list_make(struct messages *m, size_t size)
{
	m->count = m->buf.size / size;
	m->list = malloc((m->count + 1) * sizeof(*m->list));
	for (size_t i = 0; i < m->count && m->list; i++)
		m->list[i] = m->buf.data + i * size;
	return m->list ? 0 : -ENOMEM;
}

static int lists_make(struct pprof *p)
{
	Pprof__Sample *sample = (void *)p->samples.buf.data;
	Pprof__Location *location = (void *)p->locations.buf.data;
	uint64_t *ids = (void *)p->ids.data;
	int64_t *values = (void *)p->values.data;

	if (list_make(&p->samples, sizeof(Pprof__Sample)) ||
	    list_make(&p->locations, sizeof(Pprof__Location)) ||
	    list_make(&p->lines, sizeof(Pprof__Line)) ||
	    list_make(&p->functions_told, sizeof(Pprof__Function)) ||
	    list_make(&p->mappings, sizeof(Pprof__Mapping)) ||
	    list_make(&p->labels, sizeof(Pprof__Label)))
		return -ENOMEM;
	for (size_t i = 0; i < p->samples.count; i++) {
		sample[i].location_id = ids;
		ids += sample[i].n_location_id;
		sample[i].n_value = 2 * p->x->events;
		sample[i].value = values;
		values += sample[i].n_value;
		sample[i].label = (Pprof__Label **)&p->labels.list[i * LABELS];
	}
	for (size_t i = 0; i < p->locations.count; i++)
		location[i].line = (Pprof__Line **)&p->lines.list[i];
	return 0;
}

static int collect(struct pprof *p)
{
	int ret = string(p, "") < 0 ? -ENOMEM : add_samples(p);

	for (uint32_t i = 0; i < p->functions.count && !ret; i++)
		ret = add_function(p, i);
	for (uint32_t i = 0; i < p->profile->placer.names.labels.count && !ret; i++)
		ret = add_mapping(p, i);
	return ret ? ret : lists_make(p);
}

static int gzip_put(const struct export *x, const uint8_t *data, size_t size)
{
	uint8_t out[1 << 16] = { 0 };
	z_stream z = { 0 };
	int ret;

	/* 16: with the header of gzip */
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY))
		return export_no_memory(x);
	z.next_in = (uint8_t *)data;
	do {
		/* avail_in is smaller than a size */
		if (!z.avail_in) {
			z.avail_in = size < GZIP_PART ? size : GZIP_PART;
			size -= z.avail_in;
		}
		z.next_out = out;
		z.avail_out = sizeof(out);
		ret = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(out, 1, sizeof(out) - z.avail_out, x->out);
	} while (ret == Z_OK);
	deflateEnd(&z);
	return ret == Z_STREAM_END ? 0 : vsamp_fail(x->err, -EIO, "pprof: cannot be compressed");
}

static int pack(const struct export *x, const Pprof__Profile *profile)
{
	size_t size = pprof__profile__get_packed_size(profile);
	uint8_t *data = malloc(size + 1);
	int ret;

	if (!data)
		return export_no_memory(x);
	pprof__profile__pack(profile, data);
	ret = gzip_put(x, data, size);
	free(data);
	return ret;
}

static int64_t started(const struct vsamp_recording *rec)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(rec->meta, "started_realtime_ns", &v);
	return json_object_get_int64(v);
}

/* Types of values: of each event its samples, then what they stand for */
static int put_profile(struct pprof *p)
{
	const struct export *x = p->x;
	Pprof__ValueType type[2 * VSAMP_EVENTS_MAX], *types[2 * VSAMP_EVENTS_MAX];
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	char **strings, name[512];
	int ret;

	for (size_t i = 0; i < x->events; i++) {
		const struct vsamp_recording_event *e = &x->rec->event[x->event[i]];

		pprof__value_type__init(&type[2 * i]);
		pprof__value_type__init(&type[2 * i + 1]);
		snprintf(name, sizeof(name), "%s%s_samples", e->name, e->levels);
		type[2 * i].type = string(p, name);
		type[2 * i].unit = type[2 * i + 1].unit = string(p, "count");
		snprintf(name, sizeof(name), "%s%s", e->name, e->levels);
		type[2 * i + 1].type = string(p, name);
		if (type[2 * i].type < 0 || type[2 * i].unit < 0 || type[2 * i + 1].type < 0)
			return export_no_memory(x);
		types[2 * i] = &type[2 * i];
		types[2 * i + 1] = &type[2 * i + 1];
	}
	strings = malloc(p->strings.count * sizeof(*strings));
	if (!strings)
		return export_no_memory(x);
	for (uint32_t i = 0; i < p->strings.count; i++)
		strings[i] = (char *)intern_key(&p->strings, i);
	profile.n_sample_type = 2 * x->events;
	profile.sample_type = types;
	profile.n_sample = p->samples.count;
	profile.sample = (Pprof__Sample **)p->samples.list;
	profile.n_mapping = p->mappings.count;
	profile.mapping = (Pprof__Mapping **)p->mappings.list;
	profile.n_location = p->locations.count;
	profile.location = (Pprof__Location **)p->locations.list;
	profile.n_function = p->functions_told.count;
	profile.function = (Pprof__Function **)p->functions_told.list;
	profile.n_string_table = p->strings.count;
	profile.string_table = strings;
	profile.time_nanos = started(x->rec);
	profile.duration_nanos = vsamp_recording_elapsed(x->rec);
	profile.period_type = types[1];
	profile.period = x->rec->event[x->event[0]].sav;
	profile.default_sample_type = type[1].type;
	ret = pack(x, &profile);

	free(strings);
	return ret;
}

/* By tasks and events, as far as there are some */
static int profile_new(struct pprof *p)
{
	static const unsigned int by[] = { VSAMP_BY_TASK | VSAMP_BY_ITT_EVENT, VSAMP_BY_TASK,
					   VSAMP_BY_ITT_EVENT, 0 };
	int ret = -ENODATA;

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]) && ret == -ENODATA; i++)
		ret = export_profile(p->x, by[i], &p->profile);
	return ret;
}

static void messages_free(struct messages *m)
{
	buf_free(&m->buf);
	free(m->list);
}

int export_pprof(const struct export *x)
{
	struct pprof p = { .x = x };
	int ret = profile_new(&p);

	if (ret)
		return ret;
	ret = collect(&p) ? export_no_memory(x) : put_profile(&p);
	messages_free(&p.samples);
	messages_free(&p.locations);
	messages_free(&p.lines);
	messages_free(&p.functions_told);
	messages_free(&p.mappings);
	messages_free(&p.labels);
	buf_free(&p.ids);
	buf_free(&p.values);
	intern_free(&p.strings);
	intern_free(&p.functions);
	vsamp_profile_free(p.profile);
	return ret;
}
