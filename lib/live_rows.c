// SPDX-License-Identifier: MIT
/* live_rows.c: sums of symbols */
#include "live_private.h"

static double *sums_of(const struct vsamp_live *live, uint32_t symbol)
{
	void *sums = live->sums.data;

	return (double *)sums + symbol * live->rec.events;
}

int live_count(struct vsamp_live *live, uint32_t spot, uint32_t event, double weight)
{
	const struct name *name = &live->placer.names.name[spot];
	int64_t symbol = tally_number(&live->symbols, name, sizeof(*name));
	size_t row = live->rec.events * sizeof(double);
	struct counts counts;

	if (symbol < 0)
		return -ENOMEM;
	if (symbol * row == live->sums.size) {
		if (buf_reserve(&live->sums, row))
			return -ENOMEM;
		memset(live->sums.data + live->sums.size, 0, row);
		live->sums.size += row;
	}
	counts = tally_counts(&live->symbols, symbol);
	counts.samples[event]++;
	counts.events[event] += weight;
	sums_of(live, symbol)[event] += weight;
	live->last.samples++;
	live->last.event_samples[event]++;
	live->last.events[event] += weight;
	live->last.sums[event] += weight;
	return 0;
}

void live_begin_step(struct vsamp_live *live)
{
	size_t count = live->sums.size / sizeof(double);
	double *sums = (void *)live->sums.data;
	struct vsamp_live_totals last = { 0 };

	for (size_t i = 0; i < count; i++)
		sums[i] *= VSAMP_LIVE_KEPT;
	for (size_t e = 0; e < live->rec.events; e++)
		last.sums[e] = live->last.sums[e] * VSAMP_LIVE_KEPT;
	live->last = last;
	if (live->symbols.counts.size)
		memset(live->symbols.counts.data, 0, live->symbols.counts.size);
}

void vsamp_live_zero(struct vsamp_live *live)
{
	if (live->sums.size)
		memset(live->sums.data, 0, live->sums.size);
	if (live->symbols.counts.size)
		memset(live->symbols.counts.data, 0, live->symbols.counts.size);
	live->last = (struct vsamp_live_totals){ 0 };
	live->all = (struct vsamp_live_totals){ 0 };
}

static int by_sum(const void *a, const void *b, void *arg)
{
	const struct vsamp_live_row *x = a, *y = b;
	size_t event = *(const size_t *)arg;
	int ret;

	if (x->sums[event] != y->sums[event])
		return x->sums[event] > y->sums[event] ? -1 : 1;
	ret = strcmp(x->module, y->module);
	return ret ? ret : strcmp(x->symbol, y->symbol);
}

int vsamp_live_rows(struct vsamp_live *live, size_t event, struct vsamp_live_row **rows,
		    size_t *count, struct vsamp_error *err)
{
	const struct names *n = &live->placer.names;
	uint32_t symbols = live->symbols.keys.count;

	*count = 0;
	*rows = calloc(symbols + 1UL, sizeof(**rows));
	if (!*rows)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < symbols; i++) {
		const struct name *name = intern_key(&live->symbols.keys, i);
		struct counts counts = tally_counts(&live->symbols, i);

		if (sums_of(live, i)[event] <= 0)
			continue;
		(*rows)[(*count)++] = (struct vsamp_live_row){
			.module = names_module(n, name->label),
			.symbol = names_symbol(n, name->symbol),
			.note = names_note(n, name->label),
			.samples = counts.samples,
			.events = counts.events,
			.sums = sums_of(live, i),
		};
	}
	if (*count)
		qsort_r(*rows, *count, sizeof(**rows), by_sum, &event);
	return 0;
}
