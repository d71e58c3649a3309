// SPDX-License-Identifier: MIT
/*
 * bbl.c: how often threads execute each basic block
 *
 * The buffer has a counter of 8 bytes for each block, in the blocks' order. Where channels meet, at a
 * block's end, an instruction is executed more often than the block, or less: they are not of its number.
 */
#include "tool.h"

static enum vsamp_gen_status count_block(struct vsamp_gen_instrument *i, size_t first,
					 struct vsamp_gen_reg address, uint64_t at)
{
	struct vsamp_gen_proc *proc;
	enum vsamp_gen_status status = vsamp_gen_proc_make(&proc);

	if (status)
		return status;
	status = tool_count(i, proc, address, at, NULL);
	if (!status)
		status = vsamp_gen_instrument_insert_before(i, first, proc);
	vsamp_gen_proc_free(proc);
	return status;
}

static enum vsamp_gen_status build(struct vsamp_gen_instrument *i, struct tool_run *run)
{
	struct vsamp_gen_reg address = { 0 };
	struct tool_site *site;
	size_t first, num;
	enum vsamp_gen_status status = tool_address(i, &address);

	for (size_t b = 0; !status && vsamp_gen_instrument_block(i, b, &first, &num); b++) {
		site = tool_site(run, i, first, 8);
		if (!site)
			return VSAMP_GEN_ENOMEM;
		while (vsamp_gen_instrument_meets(i, first + num - 1))
			num--;
		site->num = num;
		status = count_block(i, first, address, site->at);
	}
	return status;
}

static void report(const struct tool_run *run, const uint8_t *buffer, struct tool_out *out)
{
	for (size_t n = 0; n < run->sites; n++) {
		const struct tool_site *site = &run->site[n];
		struct tool_cell cells[] = {
			{ .name = "kernel", .text = site->kernel },
			{ .name = "offset", .value = site->offset, .hex = true },
			{ .name = "instructions", .value = site->num },
			{ .name = "executed", .value = tool_u64(buffer + site->at) },
		};

		out->row(out->arg, cells, 4);
		out->written += cells[3].value;
	}
}

const struct tool tool_bbl = { "bbl", "how often threads execute each basic block", build, report };
