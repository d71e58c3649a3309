// SPDX-License-Identifier: MIT
/* tool.c: kernels that are given to a tool, and its sites */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define BUFFER_MAX (1ULL << 32) /* offsets in it have 32 bits */

const struct tool *tool_find(const char *name)
{
	static const struct tool *const tools[] = { &tool_opcodes, &tool_bbl, &tool_timers,
						    &tool_memtrace };

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (!strcmp(tools[i]->name, name))
			return tools[i];
	return NULL;
}

static enum vsamp_gen_status on_kernel_build(struct vsamp_gen_instrument *i, void *arg)
{
	struct tool_run *run = arg;
	enum vsamp_gen_status status;

	if (run->only && strcmp(run->only, vsamp_gen_instrument_kernel(i)->name))
		return VSAMP_GEN_OK;
	status = run->tool->build(i, run);
	return !status && run->size > BUFFER_MAX ? VSAMP_GEN_ERANGE : status;
}

enum vsamp_gen_status tool_instrument(struct tool_run *run, struct vsamp_gen_binary *binary,
				      uint64_t buffer, struct vsamp_gen_instrument_result *results,
				      char *why, size_t why_size)
{
	struct vsamp_gen_tool tool = { on_kernel_build, run };
	struct vsamp_gen_instrument_options options = {
		.buffer = buffer,
		.profile = { VSAMP_GEN_STATELESS, true },
	};

	run->model = vsamp_gen_binary_model(binary);
	return vsamp_gen_instrument_binary(binary, &tool, &options, results, why, why_size);
}

void tool_free(struct tool_run *run)
{
	free(run->site);
	run->site = NULL;
	run->sites = 0;
}

struct tool_site *tool_site(struct tool_run *run, struct vsamp_gen_instrument *i, size_t n,
			    uint64_t size)
{
	const struct vsamp_gen_ins *ins = vsamp_gen_instrument_ins(i, n);
	struct tool_site *site = reallocarray(run->site, run->sites + 1, sizeof(*site));

	if (!site)
		return NULL;
	run->site = site;
	site += run->sites++;
	*site = (struct tool_site){
		.kernel = vsamp_gen_instrument_kernel(i)->name,
		.offset = vsamp_gen_instrument_offset(i, n),
		.num = 1,
		.meets = vsamp_gen_instrument_meets(i, n),
		.at = run->size,
	};
	if (ins)
		site->ins = *ins;
	run->size += size;
	return site;
}

enum vsamp_gen_status tool_count(struct vsamp_gen_instrument *i, struct vsamp_gen_proc *proc,
				 struct vsamp_gen_reg address, uint64_t at,
				 const struct vsamp_gen_pred *pred)
{
	struct vsamp_gen_coder *coder = vsamp_gen_instrument_coder(i);
	enum vsamp_gen_status status = vsamp_gen_compute_address(
		coder, proc, address, vsamp_gen_instrument_base(i), at, NULL);

	return status ? status : vsamp_gen_atomic_inc(coder, proc, address, 8, pred);
}

static enum vsamp_gen_status registers(struct vsamp_gen_instrument *i, unsigned int flag,
				       struct vsamp_gen_reg *reg)
{
	return vsamp_gen_vreg_make(vsamp_gen_instrument_coder(i), VSAMP_GEN_VREG_GRF, 2,
				   VSAMP_GEN_VREG_SCRATCH | flag, reg);
}

enum vsamp_gen_status tool_address(struct vsamp_gen_instrument *i, struct vsamp_gen_reg *reg)
{
	return registers(i, VSAMP_GEN_VREG_MSG_ADDR, reg);
}

enum vsamp_gen_status tool_data(struct vsamp_gen_instrument *i, struct vsamp_gen_reg *reg)
{
	return registers(i, VSAMP_GEN_VREG_MSG_DATA, reg);
}

uint32_t tool_u32(const uint8_t *from)
{
	return from[0] | from[1] << 8 | from[2] << 16 | (uint32_t)from[3] << 24;
}

uint64_t tool_u64(const uint8_t *from)
{
	return tool_u32(from) | (uint64_t)tool_u32(from + 4) << 32;
}
