// SPDX-License-Identifier: MIT
/*
 * timers.c: how long the threads of each kernel run
 *
 * The buffer has 24 bytes for each kernel: the sum of its threads' times, how many threads have come to
 * their end, and for how many of these the timer's 32 bits were too few; their times are not in the sum.
 */
#include "tool.h"

enum { TIME, THREADS = 8, LOST = 16, SITE = 24 };

static enum vsamp_gen_status start(struct vsamp_gen_instrument *i, struct vsamp_gen_reg timer)
{
	struct vsamp_gen_proc *proc;
	enum vsamp_gen_status status = vsamp_gen_proc_make(&proc);

	if (status)
		return status;
	status = vsamp_gen_start_timer(vsamp_gen_instrument_coder(i), proc, timer, NULL);
	if (!status)
		status = vsamp_gen_instrument_insert_begin(i, proc);
	vsamp_gen_proc_free(proc);
	return status;
}

/* The timer, which has 32 bits, is added to 64 bits of memory */
static enum vsamp_gen_status add_time(struct vsamp_gen_instrument *i, struct vsamp_gen_proc *proc,
				      struct vsamp_gen_reg timer, struct vsamp_gen_reg address,
				      struct vsamp_gen_reg value, uint64_t at)
{
	struct vsamp_gen_coder *coder = vsamp_gen_instrument_coder(i);
	struct vsamp_gen_reg high = { value.file, value.num, value.sub + 4 };
	enum vsamp_gen_status status;

	status = vsamp_gen_make_unary(coder, proc, VSAMP_GEN_MOV, value, VSAMP_GEN_UD,
				      vsamp_gen_of_reg(timer, VSAMP_GEN_UD), NULL);
	if (!status)
		status = vsamp_gen_make_unary(coder, proc, VSAMP_GEN_MOV, high, VSAMP_GEN_UD,
					      vsamp_gen_of_imm(0, VSAMP_GEN_UD), NULL);
	if (!status)
		status = vsamp_gen_compute_address(coder, proc, address,
						   vsamp_gen_instrument_base(i), at, NULL);
	if (!status)
		status = vsamp_gen_atomic_add(coder, proc, address, value, 8, NULL);
	return status;
}

static enum vsamp_gen_status stop(struct vsamp_gen_instrument *i, struct vsamp_gen_reg timer,
				  uint64_t at)
{
	/* the timer is zero then */
	static const struct vsamp_gen_pred overflow = { .mode = VSAMP_GEN_PRED_SEQ, .flag = 0 };
	struct vsamp_gen_reg address = { 0 }, value = { 0 };
	struct vsamp_gen_proc *proc;
	enum vsamp_gen_status status = vsamp_gen_proc_make(&proc);

	if (status)
		return status;
	status = tool_address(i, &address);
	if (!status)
		status = tool_data(i, &value);
	if (!status)
		status = vsamp_gen_stop_timer_ext(vsamp_gen_instrument_coder(i), proc, timer);
	if (!status)
		status = add_time(i, proc, timer, address, value, at + TIME);
	if (!status)
		status = tool_count(i, proc, address, at + THREADS, NULL);
	if (!status)
		status = tool_count(i, proc, address, at + LOST, &overflow);
	if (!status)
		status = vsamp_gen_instrument_insert_end(i, proc);
	vsamp_gen_proc_free(proc);
	return status;
}

static enum vsamp_gen_status build(struct vsamp_gen_instrument *i, struct tool_run *run)
{
	struct tool_site *site = tool_site(run, i, 0, SITE);
	struct vsamp_gen_reg timer = { 0 };
	enum vsamp_gen_status status;

	if (!site)
		return VSAMP_GEN_ENOMEM;
	status = vsamp_gen_vreg_make(vsamp_gen_instrument_coder(i), VSAMP_GEN_VREG_DWORD, 1,
				     VSAMP_GEN_VREG_COUNTER, &timer);
	if (!status)
		status = start(i, timer);
	return status ? status : stop(i, timer, site->at);
}

static void report(const struct tool_run *run, const uint8_t *buffer, struct tool_out *out)
{
	for (size_t n = 0; n < run->sites; n++) {
		const uint8_t *at = buffer + run->site[n].at;
		uint64_t threads = tool_u64(at + THREADS), lost = tool_u64(at + LOST);
		uint64_t timed = threads > lost ? threads - lost : 0;
		struct tool_cell cells[] = {
			{ .name = "kernel", .text = run->site[n].kernel },
			{ .name = "threads", .value = threads },
			{ .name = "cycles", .value = tool_u64(at + TIME) },
			{ .name = "mean", .value = timed ? tool_u64(at + TIME) / timed : 0 },
			{ .name = "lost", .value = lost },
		};

		out->row(out->arg, cells, 5);
		out->written += timed;
		out->lost += lost;
	}
}

const struct tool tool_timers = { "timers", "how long the threads of each kernel run", build,
				  report };
