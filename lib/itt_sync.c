// SPDX-License-Identifier: MIT
/* itt_sync.c: waits for synchronization objects, from "prepare" to "acquired" or "cancel" */
#include "itt_match.h"

int itt_sync_object(struct itt_match *m, const struct itt_moment *at)
{
	const struct vsamp_itt_sync_object *body = at->c->body;
	struct itt_object *row = itt_table_row(&m->objects, &body->address, sizeof(body->address));
	const char *type, *name;
	int ret = 0;

	if (!row)
		return -ENOMEM;
	type = body->type ? itt_defs_string(&m->defs, body->type, &ret) : NULL;
	name = itt_call_name(m, at, &ret);
	if (ret)
		return ret;
	row->type = type ? type : row->type; /* who renames it doesn't tell */
	row->name = name;
	return 0;
}

/* A call that has nothing but its time, of no domain; @object: the number of its row */
static int plain(struct itt_match *m, struct itt_moment *at, struct vsamp_itt_call *call,
		 uint32_t object)
{
	static const uint32_t none;
	int64_t domain = itt_table_number(&m->defs.domains, &none, sizeof(none));

	if (domain < 0)
		return domain;
	*call = (struct vsamp_itt_call){ .time = at->c->time };
	at->c = call;
	at->domain = domain;
	at->id = object;
	return 0;
}

static int wait_begin(struct itt_match *m, struct itt_moment *at)
{
	uint32_t before = at->lane->spans;
	int ret = itt_begin(m, at, VSAMP_SPAN_WAIT, true);
	const struct itt_object *object = itt_table_at(&m->objects, at->id);
	struct vsamp_span *span;

	if (ret || at->lane->spans == before)
		return ret;
	span = &at->lane->span[before];
	span->domain = object->type ? object->type : "";
	span->name = object->name ? object->name : "";
	return 0;
}

int itt_sync(struct itt_match *m, const struct itt_moment *given)
{
	struct itt_moment at = *given;
	struct vsamp_itt_call call;
	uint64_t address;
	int64_t object;
	int ret;

	m->b->itt->counts.syncs++;
	memcpy(&address, at.c->body, sizeof(address));
	object = itt_table_number(&m->objects, &address, sizeof(address));
	if (object < 0)
		return object;
	ret = plain(m, &at, &call, object);
	if (ret)
		return ret;
	switch (given->c->handle) {
	case VSAMP_ITT_SYNC_PREPARE:
		return wait_begin(m, &at);
	case VSAMP_ITT_SYNC_ACQUIRED:
	case VSAMP_ITT_SYNC_CANCEL:
		return itt_end(m, &at, VSAMP_SPAN_WAIT, true);
	case VSAMP_ITT_SYNC_DESTROY:
		*(struct itt_object *)itt_table_at(&m->objects, object) = (struct itt_object){ 0 };
		break;
	}
	return 0;
}
