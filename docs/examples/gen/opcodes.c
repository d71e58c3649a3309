// SPDX-License-Identifier: MIT
/*
 * opcodes.c: how many instructions of each kind threads execute
 *
 * Blocks are counted as bbl does, since all instructions of one are executed as often as its first. But
 * where channels meet that isn't so, and nothing can be inserted: how often join, endif, else, while and
 * halt are executed is not known. What is in front of a kernel's entry is not counted.
 */
#include <string.h>

#include "tool.h"

/* One for each block, and behind it those of the block's other instructions, at the same counter */
static enum vsamp_gen_status build(struct vsamp_gen_instrument *i, struct tool_run *run)
{
	size_t begin = run->sites, blocks, first, num;
	enum vsamp_gen_status status = tool_bbl.build(i, run);
	struct tool_site *site;

	blocks = run->sites - begin;
	for (size_t b = 0; !status && b < blocks; b++) {
		run->site[begin + b].num = 1;
		vsamp_gen_instrument_block(i, b, &first, &num);
		for (size_t n = 1; n < num; n++) {
			site = tool_site(run, i, first + n, 0);
			if (!site)
				return VSAMP_GEN_ENOMEM;
			site->at = run->site[begin + b].at;
		}
	}
	return status;
}

static void report_kernel(const char *kernel, const uint64_t *executed, const bool *meets,
			  struct tool_out *out)
{
	for (int op = 0; op < VSAMP_GEN_OPS; op++) {
		struct tool_cell cells[] = {
			{ .name = "kernel", .text = kernel },
			{ .name = "opcode", .text = vsamp_gen_op_name(op) },
			{ .name = "executed", .value = executed[op], .unknown = meets[op] },
		};

		if (!executed[op] && !meets[op])
			continue;
		out->row(out->arg, cells, 3);
		out->written += executed[op];
	}
}

static void report(const struct tool_run *run, const uint8_t *buffer, struct tool_out *out)
{
	uint64_t executed[VSAMP_GEN_OPS] = { 0 };
	bool meets[VSAMP_GEN_OPS] = { false };

	for (size_t n = 0; n < run->sites; n++) {
		const struct tool_site *site = &run->site[n];

		if (site->meets)
			meets[site->ins.op] = true;
		else
			executed[site->ins.op] += tool_u64(buffer + site->at);
		if (n + 1 < run->sites && site[1].kernel == site->kernel)
			continue;
		report_kernel(site->kernel, executed, meets, out);
		memset(executed, 0, sizeof(executed));
		memset(meets, 0, sizeof(meets));
	}
}

const struct tool tool_opcodes = { "opcodes", "how many instructions of each kind threads execute",
				   build, report };
