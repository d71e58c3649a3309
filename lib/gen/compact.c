// SPDX-License-Identifier: MIT
/* compact.c: 8 bytes that stand for 16 of them, and back */
#include <string.h>

#include "compact.h"

#define COMPACT_CONTROL (1ULL << 29)

static uint64_t bits_of(unsigned int width)
{
	return (1ULL << width) - 1;
}

static uint64_t take(const uint64_t *words, struct gen_piece p)
{
	return gen_get(words, (struct gen_field){ p.low, p.width }) << p.from;
}

static void put(uint64_t *words, struct gen_piece p, uint64_t value)
{
	gen_set(words, (struct gen_field){ p.low, p.width }, value >> p.from & bits_of(p.width));
}

static const struct gen_compact_form *form_find(const struct gen_platform *p, uint64_t word)
{
	uint8_t op = gen_get(&word, p->layout->op);

	for (int i = 0; i < GEN_COMPACT_FORMS; i++) {
		const struct gen_compact_form *form = &p->compact->forms[i];

		for (int n = 0; n < GEN_COMPACT_OPS && form->ops[n]; n++)
			if (form->ops[n] == op)
				return form;
	}
	return NULL;
}

/* Of which source; -1: none */
static int immediate_source(const struct gen_layout *l, const uint64_t *words)
{
	for (int i = 0; i < GEN_TWO; i++) {
		const struct gen_operand_layout *f = &l->src[i];

		if (f->imm.width ? gen_get(words, f->imm) : gen_get(words, f->file) == l->file_imm)
			return i;
	}
	return -1;
}

/* 13 bits with a sign before Xe; then 12, the highest of floats and the lowest of others */
static uint32_t immediate_expand(const struct gen_platform *p, const struct gen_compact_form *form,
				 uint8_t type, uint32_t value)
{
	if (!form->imm_typed)
		return (uint32_t)((int32_t)(value << 19) >> 19);
	if (type == p->imm_types[VSAMP_GEN_F])
		return value << 20;
	if (type == p->imm_types[VSAMP_GEN_HF])
		return value << 20 | value << 4;
	if (type == p->imm_types[VSAMP_GEN_UW])
		return value << 16 | value;
	if (type == p->imm_types[VSAMP_GEN_D])
		return (uint32_t)((int32_t)(value << 20) >> 20);
	if (type == p->imm_types[VSAMP_GEN_W]) {
		value = (uint32_t)((int32_t)(value << 20) >> 20) & 0xffff;
		return value << 16 | value;
	}
	return value;
}

static uint32_t immediate_shrink(const struct gen_platform *p, const struct gen_compact_form *form,
				 uint8_t type, uint32_t value)
{
	if (!form->imm_typed)
		return value & 0x1fff;
	if (type == p->imm_types[VSAMP_GEN_F] || type == p->imm_types[VSAMP_GEN_HF])
		return value >> 20;
	return value & 0xfff;
}

static void expand(const struct gen_platform *p, const struct gen_compact_form *form, uint64_t word,
		   uint64_t *to)
{
	int imm;

	for (int i = 0; i < GEN_COMPACT_DIRECT && form->direct[i].width; i++)
		put(to, form->direct[i],
		    gen_get(&word,
			    (struct gen_field){ form->direct[i].from, form->direct[i].width })
			    << form->direct[i].from);
	for (int i = 0; i < GEN_COMPACT_TABLES && form->tables[i].num; i++) {
		const struct gen_compact_table *t = &form->tables[i];
		uint64_t index = take(&word, t->at[0]) | take(&word, t->at[1]);

		for (int n = 0; n < GEN_COMPACT_BITS && t->to[n].width; n++)
			put(to, t->to[n], t->values[index]);
	}
	imm = form->imm[0].width ? immediate_source(p->layout, to) : -1;
	if (imm < 0)
		return;
	/* a constant is where the second source would be */
	to[1] = (uint32_t)to[1] |
		(uint64_t)immediate_expand(p, form, gen_get(to, p->layout->src[imm].type),
					   take(&word, form->imm[0]) | take(&word, form->imm[1]))
			<< 32;
}

/* Whether a table's value gives the bits, of which those from @end on don't matter */
static bool stands_for(const struct gen_compact_table *t, uint64_t value, const uint64_t *words,
		       unsigned int end)
{
	for (int n = 0; n < GEN_COMPACT_BITS && t->to[n].width; n++) {
		uint64_t part = value >> t->to[n].from & bits_of(t->to[n].width);

		if (t->to[n].low < end && take(words, t->to[n]) >> t->to[n].from != part)
			return false;
	}
	return true;
}

static bool shrink(const struct gen_platform *p, const struct gen_compact_form *form,
		   const uint64_t *words, uint64_t *word)
{
	int imm = form->imm[0].width ? immediate_source(p->layout, words) : -1;
	uint64_t again[2] = { 0 };
	uint32_t value;

	for (int i = 0; i < GEN_COMPACT_DIRECT && form->direct[i].width; i++)
		if (imm < 0 || form->direct[i].low < 96)
			*word |= take(words, form->direct[i]);
	for (int i = 0; i < GEN_COMPACT_TABLES && form->tables[i].num; i++) {
		const struct gen_compact_table *t = &form->tables[i];
		uint64_t index = 0;

		if (imm >= 0 && t->to[0].low >= 96)
			continue;
		while (index < t->num &&
		       !stands_for(t, t->values[index], words, imm < 0 ? 128 : 96))
			index++;
		if (index == t->num)
			return false;
		put(word, t->at[0], index);
		put(word, t->at[1], index);
	}
	if (imm >= 0) {
		value = immediate_shrink(p, form, gen_get(words, p->layout->src[imm].type),
					 words[1] >> 32);
		put(word, form->imm[0], value);
		put(word, form->imm[1], value);
	}
	*word |= COMPACT_CONTROL;
	expand(p, form, *word, again);
	return again[0] == words[0] && again[1] == words[1];
}

enum vsamp_gen_status vsamp_gen_expand(const struct vsamp_gen_model *model, const void *from,
				       void *to)
{
	const struct gen_platform *p = gen_platform(model);
	const struct gen_compact_form *form;
	uint64_t word, words[2] = { 0 };

	memcpy(&word, from, sizeof(word));
	form = form_find(p, word);
	if (!(word & COMPACT_CONTROL) || !form)
		return VSAMP_GEN_EDECODE;
	expand(p, form, word, words);
	memcpy(to, words, sizeof(words));
	return VSAMP_GEN_OK;
}

enum vsamp_gen_status vsamp_gen_compact(const struct vsamp_gen_model *model, const void *from,
					void *to)
{
	const struct gen_platform *p = gen_platform(model);
	const struct gen_compact_form *form;
	uint64_t word = 0, words[2];

	memcpy(words, from, sizeof(words));
	form = form_find(p, words[0]);
	if (!form || !shrink(p, form, words, &word))
		return VSAMP_GEN_EUNSUPPORTED;
	memcpy(to, &word, sizeof(word));
	return VSAMP_GEN_OK;
}
