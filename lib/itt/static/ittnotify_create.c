// SPDX-License-Identifier: MIT
/* ittnotify_create.c: what a program creates before a collector is there */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "static.h"

static struct itt_global *const g = &__itt_static_global;

/*
 * What is created before a collector is there is kept, in lists that it walks. Without one to come
 * nothing is created.
 */
static bool wanted(void)
{
	if (LOAD(&g->api_initialized))
		return g->state == __itt_collection_init_successful;
	return __itt_static_library(NULL);
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Behind the last: a collector may be walking. Each list's nodes have a next. */
#define APPEND(list, node)                         \
	do {                                       \
		__typeof__(&(list)) at_ = &(list); \
                                                   \
		while (*at_)                       \
			at_ = &(*at_)->next;       \
		STORE(at_, node);                  \
	} while (0)

/* An own function: by the collector's, if one came meanwhile, else by what creates it here */
#define OWN(type, name, parameters, arguments, create)                             \
	type __itt_##name##_own parameters                                         \
	{                                                                          \
		__itt_##name##_t call;                                             \
		type it;                                                           \
                                                                                   \
		if (!wanted())                                                     \
			return NULL;                                               \
		pthread_mutex_lock(&g->mutex);                                     \
		call = LOAD(&__itt_##name##_ptr__3_0);                             \
		it = call && call != __itt_##name##_own ? call arguments : create; \
		pthread_mutex_unlock(&g->mutex);                                   \
		return it;                                                         \
	}

static __itt_domain *create_domain(const char *name)
{
	__itt_domain *d;

	for (d = g->domain_list; d; d = d->next)
		if (same(d->nameA, name))
			return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->flags = 1;
	d->nameA = copy(name);
	APPEND(g->domain_list, d);
	return d;
}

static __itt_string_handle *create_string(const char *text)
{
	__itt_string_handle *s;

	for (s = g->string_list; s; s = s->next)
		if (same(s->strA, text))
			return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->strA = copy(text);
	APPEND(g->string_list, s);
	return s;
}

static __itt_counter create_counter(const char *name, const char *domain, int type)
{
	struct itt_counter_info *c;

	for (c = g->counter_list; c; c = c->next)
		if (same(c->nameA, name) && same(c->domainA, domain) && c->type == type)
			return (__itt_counter)c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->nameA = copy(name);
	c->domainA = copy(domain);
	c->type = type;
	APPEND(g->counter_list, c);
	return (__itt_counter)c;
}

static __itt_histogram *create_histogram(const __itt_domain *domain, const char *name, int x, int y)
{
	__itt_histogram *h;

	for (h = g->histogram_list; h; h = h->next)
		if (h->domain == domain && same(h->nameA, name))
			return h;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->domain = domain;
	h->nameA = copy(name);
	h->x_type = x;
	h->y_type = y;
	APPEND(g->histogram_list, h);
	return h;
}

static bool context_is_text(int type)
{
	return type == __itt_context_nameA || type == __itt_context_deviceA ||
	       type == __itt_context_unitsA || type == __itt_context_pci_addrA;
}

static bool context_is_number(int type)
{
	return type >= __itt_context_tid && type <= __itt_context_cpu_cycles_flag;
}

static void create_metadata(__itt_counter counter, const __itt_context_metadata *from)
{
	__itt_counter_metadata *m;

	if (!from->value || (!context_is_text(from->type) && !context_is_number(from->type)))
		return;
	m = calloc(1, sizeof(*m));
	if (!m)
		return;
	m->counter = counter;
	m->type = from->type;
	if (context_is_text(from->type))
		m->str_valueA = copy(from->value);
	else
		m->value = *(unsigned long long *)from->value;
	APPEND(g->counter_metadata_list, m);
}

static void create_metadata_all(__itt_counter counter, size_t n, const __itt_context_metadata *from)
{
	for (size_t i = 0; counter && from && i < n; i++)
		create_metadata(counter, &from[i]);
}

OWN(__itt_domain *, domain_create, (const char *name), (name), create_domain(name))
OWN(__itt_string_handle *, string_handle_create, (const char *name), (name), create_string(name))
OWN(__itt_counter, counter_create, (const char *name, const char *domain), (name, domain),
    create_counter(name, domain, __itt_metadata_u64))
OWN(__itt_counter, counter_create_typed,
    (const char *name, const char *domain, __itt_metadata_type type), (name, domain, type),
    create_counter(name, domain, type))
OWN(__itt_counter, counter_create_v3,
    (const __itt_domain *domain, const char *name, __itt_metadata_type type), (domain, name, type),
    create_counter(name, domain ? domain->nameA : NULL, type))
OWN(__itt_histogram *, histogram_create,
    (const __itt_domain *domain, const char *name, __itt_metadata_type x_type,
     __itt_metadata_type y_type),
    (domain, name, x_type, y_type), create_histogram(domain, name, x_type, y_type))

void __itt_bind_context_metadata_to_counter_own(__itt_counter counter, size_t length,
						__itt_context_metadata *metadata)
{
	__itt_bind_context_metadata_to_counter_t call;

	if (!wanted())
		return;
	pthread_mutex_lock(&g->mutex);
	call = LOAD(&__itt_bind_context_metadata_to_counter_ptr__3_0);
	if (call && call != __itt_bind_context_metadata_to_counter_own)
		call(counter, length, metadata);
	else
		create_metadata_all(counter, length, metadata);
	pthread_mutex_unlock(&g->mutex);
}

void __itt_release_resources(void)
{
	pthread_mutex_lock(&g->mutex);
#define FREE_ALL(list, free_parts)          \
	while (list) {                      \
		__typeof__(list) it = list; \
                                            \
		list = it->next;            \
		free_parts;                 \
		free(it);                   \
	}
	FREE_ALL(g->domain_list, free((char *)it->nameA))
	FREE_ALL(g->string_list, free((char *)it->strA))
	FREE_ALL(g->counter_list, (free((char *)it->nameA), free((char *)it->domainA)))
	FREE_ALL(g->histogram_list, free((char *)it->nameA))
	FREE_ALL(g->counter_metadata_list, free((char *)it->str_valueA))
	pthread_mutex_unlock(&g->mutex);
}
