// SPDX-License-Identifier: MIT
/* collector_data.c: values: of counters and histograms, and what belongs to tasks */
#include <string.h>

#include "collector.h"

#define DATA_MAX 32768u /* bytes of values that are told of one call */

/* A record with a name, an id and a body in two parts, any of which may be none */
static void put(uint8_t type, uint8_t flags, uint32_t handle, uint32_t name, const __itt_id *id,
		uint64_t head, const void *tail, size_t tail_size)
{
	bool has_id = id && (id->d1 | id->d2 | id->d3);
	size_t size = 16 + (name ? 8 : 0) + (has_id ? sizeof(*id) : 0) + 8 +
		      ((tail_size + 7) & ~7UL);
	struct stream *s = self;
	uint8_t *at = stream_begin(&s, size), *part;

	if (!at)
		return;
	stream_time(at);
	part = at + 16;
	if (name) {
		*(uint64_t *)part = name;
		part += 8;
	}
	if (has_id) {
		*(__itt_id *)part = *id;
		part += sizeof(*id);
	}
	*(uint64_t *)part = head;
	if (tail_size) {
		*(uint64_t *)(at + size - 8) = 0;
		memcpy(part + 8, tail, tail_size);
	}
	stream_commit(s, at, type,
		      flags | (name ? VSAMP_ITT_HAS_NAME : 0) | (has_id ? VSAMP_ITT_HAS_ID : 0),
		      size, handle);
}

static void metadata_put(const __itt_domain *d, const __itt_id *id, const __itt_string_handle *key,
			 uint8_t type, uint8_t scope, size_t count, size_t width, const void *data,
			 bool cut)
{
	struct vsamp_itt_metadata head = { .type = type, .scope = scope };
	uint64_t word;

	if (!data)
		count = 0;
	if (count > DATA_MAX / width) {
		count = DATA_MAX / width;
		cut = true;
	}
	head.count = count;
	memcpy(&word, &head, sizeof(word));
	put(VSAMP_ITT_METADATA, cut ? VSAMP_ITT_TRUNCATED : 0, domain_number(d), string_number(key),
	    id, word, data, count * width);
}

static void metadata_values(const __itt_domain *d, const __itt_id *id, uint8_t scope,
			    const __itt_string_handle *key, __itt_metadata_type type, size_t count,
			    const void *data)
{
	bool known = type > __itt_metadata_unknown && type <= __itt_metadata_double;

	metadata_put(d, id, key, known ? type : 0, scope, known ? count : 0,
		     vsamp_itt_value_size(type), data, !known && count);
}

/* Without a length it ends at its zero */
static void metadata_text(const __itt_domain *d, const __itt_id *id, uint8_t scope,
			  const __itt_string_handle *key, const char *data, size_t length)
{
	size_t told = data ? strnlen(data,
				     length < VSAMP_ITT_TEXT_MAX ? length : VSAMP_ITT_TEXT_MAX) :
			     0;
	bool cut = told == VSAMP_ITT_TEXT_MAX && length > told && data[told];

	metadata_put(d, id, key, VSAMP_ITT_CHARS, scope, told, 1, data, cut);
}

#define DOMAIN const __itt_domain *d

static void metadata_add(DOMAIN, __itt_id id, __itt_string_handle *key, __itt_metadata_type type,
			 size_t count, void *data)
{
	metadata_values(d, &id, 0, key, type, count, data);
}

static void metadata_add_with_scope(DOMAIN, __itt_scope scope, __itt_string_handle *key,
				    __itt_metadata_type type, size_t count, void *data)
{
	metadata_values(d, NULL, scope, key, type, count, data);
}

static void metadata_str_add(DOMAIN, __itt_id id, __itt_string_handle *key, const char *data,
			     size_t length)
{
	metadata_text(d, &id, 0, key, data, length);
}

static void metadata_str_add_with_scope(DOMAIN, __itt_scope scope, __itt_string_handle *key,
					const char *data, size_t length)
{
	metadata_text(d, NULL, scope, key, data, length);
}

/*
 * A static part can't hand a format's arguments on: if this is the call that had it initialise, what
 * is there for them is anything. A thread that has told nothing since its initialisation is one.
 */
static void formatted(DOMAIN, const __itt_id *id, const __itt_string_handle *format, va_list args)
{
	const struct stream *s = self;
	char text[VSAMP_ITT_TEXT_MAX];
	const char *from = format && format->strA ? format->strA : "";
	size_t n;

	if (s->fresh && s->at == s->fresh) {
		n = strnlen(from, sizeof(text) - 1);
		memcpy(text, from, n);
	} else {
		n = format_text(text, sizeof(text), from, args);
	}
	metadata_put(d, id, format, VSAMP_ITT_CHARS, 0, n, 1, text, n == sizeof(text) - 1);
}

static void formatted_metadata_add(DOMAIN, __itt_string_handle *format, ...)
{
	va_list args;

	va_start(args, format);
	formatted(d, NULL, format, args);
	va_end(args);
}

static void formatted_metadata_add_overlapped(DOMAIN, __itt_id id, __itt_string_handle *format, ...)
{
	va_list args;

	va_start(args, format);
	formatted(d, &id, format, args);
	va_end(args);
}

static void counter_add(__itt_counter counter, uint64_t by)
{
	const struct defined *c = defined_object(VSAMP_ITT_COUNTER, counter);

	if (c)
		put(VSAMP_ITT_COUNTER_ADD, 0, c->number, 0, NULL, by, NULL, 0);
}

static void counter_inc(__itt_counter counter)
{
	counter_add(counter, 1);
}

static void counter_inc_delta(__itt_counter counter, unsigned long long by)
{
	counter_add(counter, by);
}

static void counter_dec(__itt_counter counter)
{
	counter_add(counter, -1ULL);
}

static void counter_dec_delta(__itt_counter counter, unsigned long long by)
{
	counter_add(counter, -by);
}

static void counter_inc_v3(DOMAIN, __itt_string_handle *name)
{
	put(VSAMP_ITT_COUNTER_ADD, 0, domain_number(d), string_number(name), NULL, 1, NULL, 0);
}

static void counter_inc_delta_v3(DOMAIN, __itt_string_handle *name, unsigned long long by)
{
	put(VSAMP_ITT_COUNTER_ADD, 0, domain_number(d), string_number(name), NULL, by, NULL, 0);
}

static void counter_dec_v3(DOMAIN, __itt_string_handle *name)
{
	put(VSAMP_ITT_COUNTER_ADD, 0, domain_number(d), string_number(name), NULL, -1ULL, NULL, 0);
}

static void counter_dec_delta_v3(DOMAIN, __itt_string_handle *name, unsigned long long by)
{
	put(VSAMP_ITT_COUNTER_ADD, 0, domain_number(d), string_number(name), NULL, -by, NULL, 0);
}

/* No byte more than the type has is read */
static void counter_set_value(__itt_counter counter, void *value)
{
	const struct defined *c = defined_object(VSAMP_ITT_COUNTER, counter);
	uint64_t bits = 0;

	if (!c || !value)
		return;
	memcpy(&bits, value, vsamp_itt_value_size(c->value[0]));
	put(VSAMP_ITT_COUNTER_SET, 0, c->number, 0, NULL, bits, NULL, 0);
}

static void counter_set_value_ex(__itt_counter counter, __itt_clock_domain *clock,
				 unsigned long long time, void *value)
{
	const struct defined *c = defined_object(VSAMP_ITT_COUNTER, counter);
	uint64_t part[3] = { clock ? (uint32_t)clock->extra1 : 0, time };

	if (!c || !value)
		return;
	memcpy(&part[2], value, vsamp_itt_value_size(c->value[0]));
	stream_put(VSAMP_ITT_COUNTER_SET, VSAMP_ITT_HAS_CLOCK, c->number, part, sizeof(part));
}

static size_t points_copy(uint64_t *to, const void *from, unsigned int type, size_t n)
{
	size_t width = vsamp_itt_value_size(type);

	for (size_t i = 0; i < n; i++) {
		to[i] = 0;
		memcpy(&to[i], (const uint8_t *)from + i * width, width);
	}
	return n;
}

static void histogram_submit(__itt_histogram *histogram, size_t length, void *x, void *y)
{
	const struct defined *h = defined_object(VSAMP_ITT_HISTOGRAM, histogram);
	uint64_t bits[2 * 256];
	struct vsamp_itt_points head = { .has_y = y != NULL };
	uint64_t word;

	if (!h || !x)
		return;
	for (size_t n; length; length -= n) {
		size_t used;

		n = length < 256 ? length : 256;
		head.count = n;
		memcpy(&word, &head, sizeof(word));
		used = points_copy(bits, x, h->value[0], n);
		if (y)
			used += points_copy(bits + n, y, h->value[1], n);
		put(VSAMP_ITT_HISTOGRAM_SUBMIT, 0, h->number, 0, NULL, word, bits,
		    used * sizeof(*bits));
		x = (uint8_t *)x + n * vsamp_itt_value_size(h->value[0]);
		y = y ? (uint8_t *)y + n * vsamp_itt_value_size(h->value[1]) : NULL;
	}
}

#define BIND(name)                    \
	{                             \
#name, (void *)(name) \
	}

const struct binding bindings_data[] = {
	BIND(metadata_add),
	BIND(metadata_add_with_scope),
	BIND(metadata_str_add),
	BIND(metadata_str_add_with_scope),
	BIND(formatted_metadata_add),
	BIND(formatted_metadata_add_overlapped),
	BIND(counter_inc),
	BIND(counter_inc_delta),
	BIND(counter_dec),
	BIND(counter_dec_delta),
	BIND(counter_inc_v3),
	BIND(counter_inc_delta_v3),
	BIND(counter_dec_v3),
	BIND(counter_dec_delta_v3),
	BIND(counter_set_value),
	BIND(counter_set_value_ex),
	{ "counter_set_value_v3", (void *)counter_set_value },
	BIND(histogram_submit),
	{ 0 },
};
