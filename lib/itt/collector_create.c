// SPDX-License-Identifier: MIT
/* collector_create.c: what a program creates, once a collector is there */
#include <string.h>

#include "collector.h"

static const uint8_t none[2];

static uint32_t text(const char *name)
{
	return name ? define_text(name, strlen(name)) : 0;
}

/* A copy for the program, as it may look at names; long ones are cut */
static char *text_copy(const char *from)
{
	size_t length = from ? strnlen(from, VSAMP_ITT_TEXT_MAX) : 0;
	char *to = from ? process_alloc(length + 1) : NULL;

	if (to)
		memcpy(to, from, length);
	return to;
}

static __itt_domain *domain_create(const char *name)
{
	struct defined *d = define_named(VSAMP_ITT_DOMAIN, text(name ? name : ""), 0, none);
	__itt_domain *it;

	if (!d)
		return NULL;
	process_lock();
	it = d->object;
	if (!it && (it = process_alloc(sizeof(*it)))) {
		it->flags = 1;
		it->nameA = text_copy(name);
		it->extra1 = d->number;
		define_object(d, it, NULL);
	}
	process_unlock();
	return it;
}

/* Strings aren't looked for by the program's objects: two of a text have one number */
static __itt_string_handle *string_handle_create(const char *name)
{
	static __itt_string_handle **by_number;
	static uint32_t room;
	uint32_t number = text(name);
	__itt_string_handle *it = NULL;

	process_lock();
	if (number < room)
		it = by_number[number];
	if (!it && (it = process_alloc(sizeof(*it)))) {
		it->strA = text_copy(name);
		it->extra1 = number;
		if (number >= room && number < 32768) {
			__itt_string_handle **more = process_alloc((number + 1) * 2 *
								   sizeof(*more));

			if (more && room)
				memcpy(more, by_number, room * sizeof(*more));
			room = more ? (number + 1) * 2 : room;
			by_number = more ? more : by_number;
		}
		if (number && number < room)
			by_number[number] = it;
	}
	process_unlock();
	return it;
}

static __itt_counter counter_make(uint32_t name, const char *name_text, uint32_t domain,
				  const char *domain_text, int type)
{
	uint8_t value[2] = { type > 0 && type <= VSAMP_ITT_DOUBLE ? type : VSAMP_ITT_U64 };
	struct defined *d = define_named(VSAMP_ITT_COUNTER, name, domain, value);
	struct itt_counter_info *it;

	if (!d)
		return NULL;
	process_lock();
	it = d->object;
	if (!it && (it = process_alloc(sizeof(*it)))) {
		it->nameA = text_copy(name_text);
		it->domainA = text_copy(domain_text);
		it->type = type;
		define_object(d, it, NULL);
	}
	process_unlock();
	return (__itt_counter)it;
}

static __itt_counter counter_create_typed(const char *name, const char *domain,
					  __itt_metadata_type type)
{
	return counter_make(text(name ? name : ""), name, text(domain), domain, type);
}

static __itt_counter counter_create(const char *name, const char *domain)
{
	return counter_create_typed(name, domain, __itt_metadata_u64);
}

static __itt_counter counter_create_v3(const __itt_domain *domain, const char *name,
				       __itt_metadata_type type)
{
	return counter_create_typed(name, domain ? domain->nameA : NULL, type);
}

static __itt_histogram *histogram_create(const __itt_domain *domain, const char *name,
					 __itt_metadata_type x, __itt_metadata_type y)
{
	uint8_t value[2] = { x, y };
	struct defined *d = define_named(VSAMP_ITT_HISTOGRAM, text(name ? name : ""),
					 domain_number(domain), value);
	__itt_histogram *it;

	if (!d)
		return NULL;
	process_lock();
	it = d->object;
	if (!it && (it = process_alloc(sizeof(*it)))) {
		it->domain = domain;
		it->nameA = text_copy(name);
		it->x_type = x;
		it->y_type = y;
		define_object(d, it, NULL);
	}
	process_unlock();
	return it;
}

static bool context_is_text(int type)
{
	return type == __itt_context_nameA || type == __itt_context_deviceA ||
	       type == __itt_context_unitsA || type == __itt_context_pci_addrA;
}

static void context_tell(uint32_t counter, int type, const char *string, uint64_t number)
{
	struct vsamp_itt_counter_meta body = { .kind = type };
	uint32_t name = 0;

	if (context_is_text(type))
		name = text(string);
	else if (type >= __itt_context_tid && type <= __itt_context_cpu_cycles_flag)
		body.value = number;
	else
		return;
	define_again(VSAMP_ITT_COUNTER_META, 0, counter, name, &body, sizeof(body));
}

static void bind_context_metadata_to_counter(__itt_counter counter, size_t length,
					     __itt_context_metadata *metadata)
{
	const struct defined *d = defined_object(VSAMP_ITT_COUNTER, counter);

	for (size_t i = 0; d && metadata && i < length; i++) {
		void *value = metadata[i].value;
		bool is_text = context_is_text(metadata[i].type);

		if (value)
			context_tell(d->number, metadata[i].type, is_text ? value : NULL,
				     is_text ? 0 : *(uint64_t *)value);
	}
}

/* Clock domains are in a list of ours, as all are asked again in a reset */
static __itt_clock_domain *clocks;

static void clock_tell(__itt_clock_domain *c)
{
	struct vsamp_itt_clock body;

	c->info = (__itt_clock_info){ 0 };
	if (c->fn)
		c->fn(&c->info, c->fn_data);
	body = (struct vsamp_itt_clock){ c->info.clock_freq, c->info.clock_base };
	define_again(VSAMP_ITT_CLOCK, 0, c->extra1, 0, &body, sizeof(body));
}

static __itt_clock_domain *clock_domain_create(__itt_get_clock_info_fn fn, void *data)
{
	__itt_clock_domain *c;

	process_lock();
	c = process_alloc(sizeof(*c));
	if (c) {
		c->fn = fn;
		c->fn_data = data;
		c->extra1 = clocks ? clocks->extra1 + 1 : 1;
		c->next = clocks;
		__atomic_store_n(&clocks, c, __ATOMIC_RELEASE);
	}
	process_unlock();
	if (c)
		clock_tell(c);
	return c;
}

static void clock_domain_reset(void)
{
	for (__itt_clock_domain *c = __atomic_load_n(&clocks, __ATOMIC_ACQUIRE); c; c = c->next)
		clock_tell(c);
}

void create_known(struct itt_global *g, bool counters, bool histograms, bool metadata)
{
	for (__itt_domain *d = g->domain_list; d; d = d->next) {
		struct defined *it = define_named(VSAMP_ITT_DOMAIN, text(d->nameA ? d->nameA : ""),
						  0, none);

		/* The oldest leave it to a collector to switch their domains on */
		if (g->version_build < 20151119 && !d->extra1)
			d->flags = 1;
		d->extra1 = it ? it->number : 0;
		if (it)
			define_object(it, d, g);
	}
	for (__itt_string_handle *s = g->string_list; s; s = s->next)
		define_string(s);
	for (struct itt_counter_info *c = counters ? g->counter_list : NULL; c; c = c->next) {
		uint8_t value[2] = { c->type > 0 && c->type <= VSAMP_ITT_DOUBLE ? c->type :
										  VSAMP_ITT_U64 };
		struct defined *it = define_named(VSAMP_ITT_COUNTER, text(c->nameA ? c->nameA : ""),
						  text(c->domainA), value);

		if (it)
			define_object(it, c, g);
	}
	for (__itt_histogram *h = histograms ? g->histogram_list : NULL; h; h = h->next) {
		uint8_t value[2] = { h->x_type, h->y_type };
		struct defined *it = define_named(VSAMP_ITT_HISTOGRAM,
						  text(h->nameA ? h->nameA : ""),
						  domain_number(h->domain), value);

		if (it)
			define_object(it, h, g);
	}
	for (__itt_counter_metadata *m = metadata ? g->counter_metadata_list : NULL; m;
	     m = m->next) {
		const struct defined *it = defined_object(VSAMP_ITT_COUNTER, m->counter);

		if (it)
			context_tell(it->number, m->type, m->str_valueA, m->value);
	}
}

#define BIND(name)                    \
	{                             \
#name, (void *)(name) \
	}

const struct binding bindings_create[] = {
	BIND(domain_create),
	BIND(string_handle_create),
	BIND(counter_create),
	BIND(counter_create_typed),
	BIND(counter_create_v3),
	BIND(histogram_create),
	BIND(bind_context_metadata_to_counter),
	BIND(clock_domain_create),
	BIND(clock_domain_reset),
	{ 0 },
};
