// SPDX-License-Identifier: MIT
/* oa_metrics.c: which GPUs and sets of metrics there are, and the values of a set */
#include <string.h>
#include <strings.h>

#include "oa_private.h"

const struct vsamp_oa_platform *vsamp_oa_platform_find(uint32_t id)
{
	for (size_t p = 0; p < oa_platforms_n; p++)
		for (unsigned int i = 0; i < oa_platforms[p].ids; i++)
			if (oa_platforms[p].id[i] == id)
				return &oa_platforms[p];
	return NULL;
}

const struct vsamp_oa_platform *vsamp_oa_platform_name(const char *name)
{
	for (size_t p = 0; p < oa_platforms_n; p++)
		if (!strcmp(oa_platforms[p].name, name))
			return &oa_platforms[p];
	return NULL;
}

enum vsamp_oa_format vsamp_oa_platform_format(const struct vsamp_oa_platform *platform)
{
	if (platform->version < 1255)
		return VSAMP_OA_FORMAT_A32U40_A4U32_B8_C8;
	if (platform->version < 2000)
		return VSAMP_OA_FORMAT_A24U40_A14U32_B8_C8;
	return VSAMP_OA_FORMAT_NONE;
}

const struct vsamp_oa_set *vsamp_oa_set_find(const struct vsamp_oa_platform *platform,
					     const char *name)
{
	for (unsigned int i = 0; i < platform->sets; i++)
		if (!strcasecmp(platform->set[i].name, name))
			return &platform->set[i];
	return NULL;
}

/*
 * A number while it is worked with. Whole ones have 128 bits: a product of what many reports add up
 * to, which is divided next, must not wrap.
 */
struct operand {
	bool is_real;
	unsigned __int128 whole;
	double real;
};

static struct operand whole(unsigned __int128 v)
{
	return (struct operand){ .whole = v };
}

static struct operand real(double v)
{
	return (struct operand){ .is_real = true, .real = v };
}

static double as_real(struct operand v)
{
	return v.is_real ? v.real : (double)v.whole;
}

static unsigned __int128 as_whole(struct operand v)
{
	if (!v.is_real)
		return v.whole;
	if (!(v.real > 0))
		return 0;
	return v.real >= 0x1p64 ? UINT64_MAX : (uint64_t)v.real;
}

static struct operand real_apply(enum oa_op_kind kind, double a, double b)
{
	switch (kind) {
	case OA_ADD:
		return real(a + b);
	case OA_SUBTRACT:
		return real(a - b);
	case OA_MULTIPLY:
		return real(a * b);
	case OA_MAX:
		return real(a > b ? a : b);
	default:
		return real(b != 0 ? a / b : 0);
	}
}

static struct operand whole_apply(enum oa_op_kind kind, unsigned __int128 a, unsigned __int128 b)
{
	unsigned __int128 v;

	switch (kind) {
	case OA_ADD:
		return whole(a + b < a ? ~(unsigned __int128)0 : a + b);
	case OA_SUBTRACT: /* modulo 2^64, as the counters */
		return whole((uint64_t)(a - b));
	case OA_MULTIPLY:
		return whole(__builtin_mul_overflow(a, b, &v) ? ~(unsigned __int128)0 : v);
	case OA_AND:
		return whole(a & b);
	case OA_MAX:
		return whole(a > b ? a : b);
	default:
		return whole(b ? a / b : 0);
	}
}

static struct operand apply(enum oa_op_kind kind, struct operand a, struct operand b)
{
	if (kind == OA_DIVIDE)
		return real_apply(kind, as_real(a), as_real(b));
	if (kind != OA_QUOTIENT && kind != OA_AND && (a.is_real || b.is_real))
		return real_apply(kind, as_real(a), as_real(b));
	return whole_apply(kind, as_whole(a), as_whole(b));
}

/* What a program is about */
struct facts {
	const struct vsamp_oa_device *device;
	const struct vsamp_oa_deltas *deltas;
	const struct vsamp_oa_value *value; /* of the metrics so far */
};

static struct operand operand(const struct facts *f, const struct vsamp_oa_op *op)
{
	const struct vsamp_oa_number *v;
	uint64_t field;

	switch (op->kind) {
	case OA_DELTA:
		return whole(f->deltas->value[op->value]);
	case OA_DEVICE:
		memcpy(&field, (const char *)f->device + op->value, sizeof(field));
		return whole(field);
	case OA_METRIC:
		v = &f->value[op->value].value;
		return v->is_real ? real(v->real) : whole(v->whole);
	default:
		return whole(op->value);
	}
}

static struct vsamp_oa_number run(const struct facts *f, const struct vsamp_oa_op *op)
{
	struct operand stack[OA_STACK];
	unsigned __int128 whole_part;
	int n = 0;

	for (; op->kind != OA_END; op++) {
		if (op->kind < OA_ADD) {
			stack[n++] = operand(f, op);
		} else {
			n--;
			stack[n - 1] = apply(op->kind, stack[n - 1], stack[n]);
		}
	}
	whole_part = as_whole(stack[0]);
	return (struct vsamp_oa_number){
		.is_real = stack[0].is_real,
		.whole = whole_part > UINT64_MAX ? UINT64_MAX : (uint64_t)whole_part,
		.real = as_real(stack[0]),
	};
}

void vsamp_oa_evaluate(struct vsamp_oa_value *value, const struct vsamp_oa_set *set,
		       const struct vsamp_oa_device *device, const struct vsamp_oa_deltas *deltas)
{
	const struct facts facts = { device, deltas, value };

	for (unsigned int i = 0; i < set->metrics; i++) {
		const struct vsamp_oa_metric *m = &set->metric[i];

		value[i] = (struct vsamp_oa_value){ .value = run(&facts, m->value) };
		if (m->max)
			value[i].max = run(&facts, m->max);
		value[i].available = !m->need || run(&facts, m->need).whole;
	}
}
