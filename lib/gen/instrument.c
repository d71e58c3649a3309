// SPDX-License-Identifier: MIT
/* instrument.c: a tool is asked what to insert into each kernel of a binary */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument.h"

enum vsamp_gen_status instrument_fail(struct vsamp_gen_instrument *i, enum vsamp_gen_status status,
				      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(i->why, sizeof(i->why), format, args);
	va_end(args);
	return status;
}

static bool is_unused(const struct vsamp_gen_instrument *i, size_t at, size_t size)
{
	for (size_t n = at; n < at + size; n++)
		if (!(i->coder->unused[n / 8] >> n % 8 & 1))
			return false;
	return true;
}

/* @size bytes that the coder doesn't give to anybody; of file NONE: there are none */
static struct vsamp_gen_reg register_keep(struct vsamp_gen_instrument *i, size_t size)
{
	size_t grf = i->model->grf_size;

	for (size_t at = 0; at + size <= i->model->grf_num * grf; at += size) {
		if (!is_unused(i, at, size))
			continue;
		for (size_t n = at; n < at + size; n++)
			i->coder->unused[n / 8] &= ~(1U << n % 8);
		return (struct vsamp_gen_reg){ VSAMP_GEN_GRF, at / grf, at % grf };
	}
	return (struct vsamp_gen_reg){ 0 };
}

/* Of 1 (not told) the widest */
static uint8_t simd_of(const struct vsamp_gen_kernel *k)
{
	return k->simd == 8 || k->simd == 16 ? k->simd : 32;
}

static uint8_t token_choose(struct vsamp_gen_instrument *i)
{
	uint32_t used = kernel_tokens(i);

	for (int n = i->model->token_num - 1; n >= 0; n--)
		if (!(used >> n & 1))
			return n;
	i->token_shared = i->model->token_num;
	return 0;
}

static enum vsamp_gen_status coder_make(struct vsamp_gen_instrument *i)
{
	const struct vsamp_gen_kernel *k = i->kernel;
	struct vsamp_gen_config config = {
		.platform = i->model->platform,
		.profile = i->options->profile,
		.free = k->free,
		.free_num = k->free_num,
		.simd = simd_of(k),
		.token = token_choose(i),
		.carry = i->options->carry,
	};
	enum vsamp_gen_status status = vsamp_gen_coder_open(&i->coder, &config);

	if (status)
		return instrument_fail(
			i, status, "the options' address model, or the kernel's free registers: %s",
			vsamp_gen_status_text(status));
	memcpy(i->unused, i->coder->unused, sizeof(i->unused));
	i->base = register_keep(i, i->options->profile.a64 ? 8 : 4);
	i->coder->config.profile_base = i->base;
	i->coder->config.r0 = register_keep(i, i->model->grf_size);
	return VSAMP_GEN_OK;
}

struct vsamp_gen_coder *vsamp_gen_instrument_coder(struct vsamp_gen_instrument *i)
{
	return i->coder;
}

const struct vsamp_gen_kernel *vsamp_gen_instrument_kernel(const struct vsamp_gen_instrument *i)
{
	return i->kernel;
}

struct vsamp_gen_reg vsamp_gen_instrument_base(const struct vsamp_gen_instrument *i)
{
	return i->base;
}

size_t vsamp_gen_instrument_count(const struct vsamp_gen_instrument *i)
{
	return i->lines - i->first;
}

const struct vsamp_gen_ins *vsamp_gen_instrument_ins(const struct vsamp_gen_instrument *i, size_t n)
{
	return n < i->lines - i->first ? &i->line[i->first + n].ins : NULL;
}

size_t vsamp_gen_instrument_offset(const struct vsamp_gen_instrument *i, size_t n)
{
	return n < i->lines - i->first ? i->line[i->first + n].at : i->end;
}

bool vsamp_gen_instrument_meets(const struct vsamp_gen_instrument *i, size_t n)
{
	return n < i->lines - i->first && line_meets(&i->line[i->first + n]);
}

size_t vsamp_gen_instrument_block_count(const struct vsamp_gen_instrument *i)
{
	return i->blocks;
}

bool vsamp_gen_instrument_block(const struct vsamp_gen_instrument *i, size_t block, size_t *first,
				size_t *num)
{
	if (block >= i->blocks)
		return false;
	*first = i->block[block] - i->first;
	*num = (block + 1 < i->blocks ? i->block[block + 1] : i->lines) - i->block[block];
	return true;
}

/* @n: of all lines */
static enum vsamp_gen_status insert(struct vsamp_gen_instrument *i, size_t n, enum gen_place place,
				    const struct vsamp_gen_proc *proc)
{
	enum vsamp_gen_status status = insertion_check(i, n, proc);
	struct gen_insertion *at;
	struct vsamp_gen_ins *copy;

	if (status)
		return status;
	if (!proc->num)
		return VSAMP_GEN_OK;
	if (i->insertions == i->room) {
		size_t room = i->room ? 2 * i->room : 16;
		struct gen_insertion *more = realloc(i->insertion, room * sizeof(*more));

		if (!more)
			return coder_fail(i->coder, VSAMP_GEN_ENOMEM, "no memory");
		i->insertion = more;
		i->room = room;
	}
	copy = malloc(proc->num * sizeof(*copy));
	if (!copy)
		return coder_fail(i->coder, VSAMP_GEN_ENOMEM, "no memory");
	memcpy(copy, proc->ins, proc->num * sizeof(*copy));
	at = &i->insertion[i->insertions];
	*at = (struct gen_insertion){ .line = n, .place = place, .order = i->insertions };
	at->proc.ins = copy;
	at->proc.num = at->proc.room = proc->num;
	i->insertions++;
	return VSAMP_GEN_OK;
}

enum vsamp_gen_status vsamp_gen_instrument_insert_before(struct vsamp_gen_instrument *i, size_t n,
							 const struct vsamp_gen_proc *proc)
{
	if (n >= i->lines - i->first)
		return coder_fail(i->coder, VSAMP_GEN_EINVAL, "there is no instruction %zu", n);
	if (line_meets(&i->line[i->first + n]))
		return coder_fail(i->coder, VSAMP_GEN_EINVAL,
				  "before %s: jumps lead to it itself; insert before what follows",
				  vsamp_gen_op_name(i->line[i->first + n].ins.op));
	return insert(i, i->first + n, GEN_PLACE_BEFORE, proc);
}

enum vsamp_gen_status vsamp_gen_instrument_insert_after(struct vsamp_gen_instrument *i, size_t n,
							const struct vsamp_gen_proc *proc)
{
	if (n >= i->lines - i->first)
		return coder_fail(i->coder, VSAMP_GEN_EINVAL, "there is no instruction %zu", n);
	if (line_leaves(&i->line[i->first + n]))
		return coder_fail(i->coder, VSAMP_GEN_EINVAL,
				  "after %s: it may go elsewhere; insert before where it leads to",
				  vsamp_gen_op_name(i->line[i->first + n].ins.op));
	return insert(i, i->first + n + 1, GEN_PLACE_AFTER, proc);
}

enum vsamp_gen_status vsamp_gen_instrument_insert_begin(struct vsamp_gen_instrument *i,
							const struct vsamp_gen_proc *proc)
{
	return insert(i, i->first, GEN_PLACE_BEGIN, proc);
}

enum vsamp_gen_status vsamp_gen_instrument_insert_end(struct vsamp_gen_instrument *i,
						      const struct vsamp_gen_proc *proc)
{
	enum vsamp_gen_status status = VSAMP_GEN_OK;
	size_t before = i->insertions;

	for (size_t n = i->first; n < i->lines && !status; n++)
		if (i->line[n].ins.eot)
			status = insert(i, n, GEN_PLACE_BEFORE, proc);
	while (status && i->insertions > before)
		proc_clear(&i->insertion[--i->insertions].proc);
	return status;
}

static void instrument_close(struct vsamp_gen_instrument *i)
{
	for (size_t n = 0; n < i->insertions; n++)
		proc_clear(&i->insertion[n].proc);
	free(i->insertion);
	free(i->line);
	free(i->block);
	vsamp_gen_coder_close(i->coder);
}

static enum vsamp_gen_status kernel_build(struct vsamp_gen_instrument *i,
					  const struct vsamp_gen_tool *tool,
					  struct gen_rewritten *to)
{
	enum vsamp_gen_status status = kernel_read(i);

	if (!status)
		status = coder_make(i);
	if (status)
		return status;
	status = tool->on_kernel_build(i, tool->arg);
	if (status && i->base.file == VSAMP_GEN_NONE)
		return instrument_fail(i, VSAMP_GEN_ENOREG,
				       "it leaves no registers, or its compiler didn't tell which");
	if (status)
		return instrument_fail(i, status, "%s",
				       *i->coder->error ? i->coder->error :
							  vsamp_gen_status_text(status));
	return i->insertions ? kernel_rewrite(i, to) : VSAMP_GEN_OK;
}

static enum vsamp_gen_status kernels_build(struct vsamp_gen_binary *b,
					   const struct vsamp_gen_tool *tool,
					   const struct vsamp_gen_instrument_options *options,
					   struct gen_rewritten *new, char *why, size_t why_size)
{
	enum vsamp_gen_status status = VSAMP_GEN_OK;

	for (size_t n = 0; n < b->kernels && !status; n++) {
		struct vsamp_gen_instrument i = { .kernel = &b->kernel[n],
						  .model = b->model,
						  .options = options };

		if (b->replaced[n].code)
			status = instrument_fail(&i, VSAMP_GEN_EINVAL,
						 "it has other code already: write and open it");
		else
			status = kernel_build(&i, tool, &new[n]);
		if (status && why && why_size)
			snprintf(why, why_size, "%s: %s", i.kernel->name, i.why);
		instrument_close(&i);
	}
	return status;
}

enum vsamp_gen_status
vsamp_gen_instrument_binary(struct vsamp_gen_binary *b, const struct vsamp_gen_tool *tool,
			    const struct vsamp_gen_instrument_options *options,
			    struct vsamp_gen_instrument_result *results, char *why, size_t why_size)
{
	struct gen_rewritten *new = calloc(b->kernels, sizeof(*new));
	enum vsamp_gen_status status;

	if (!new) {
		if (why && why_size)
			snprintf(why, why_size, "out of memory");
		return VSAMP_GEN_ENOMEM;
	}
	status = kernels_build(b, tool, options, new, why, why_size);
	for (size_t n = 0; n < b->kernels; n++) {
		if (!status && new[n].with.code) {
			gen_binary_give(b, n, &new[n].with, new[n].size);
		} else {
			free(new[n].with.code);
			free(new[n].with.moved);
		}
		if (!status && results)
			results[n] = new[n].result;
	}
	free(new);
	return status;
}
