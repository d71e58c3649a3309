// SPDX-License-Identifier: MIT
/*
 * memtrace.c: the addresses of each message to memory
 *
 * The buffer has a trace of each kernel (struct vsamp_gen_trace). A record has 64 bytes of head, of which
 * the first four dwords are the message's number from 1 on, the channels that it is for, the hardware
 * thread's number and zero; then the registers that the message has addresses in. A message whose header
 * has its only address, and one that is no access, is not traced.
 */
#include "tool.h"

enum { MESSAGE, CHANNELS = 4, THREAD = 8, HEAD = 64 };

enum {
	DATA_PORT_0 = 0xa,
	DATA_PORT_1 = 0xc,
	LOCAL = 0xe,
	GLOBAL = 0xf,
};

static unsigned int bits(uint32_t desc, unsigned int low, unsigned int num)
{
	return desc >> low & ((1U << num) - 1);
}

static bool is_send(const struct vsamp_gen_ins *ins)
{
	return ins->op == VSAMP_GEN_SEND || ins->op == VSAMP_GEN_SENDS ||
	       ins->op == VSAMP_GEN_SENDC || ins->op == VSAMP_GEN_SENDSC;
}

static bool is_data_port(const struct vsamp_gen_ins *ins)
{
	return ins->sfid == DATA_PORT_0 || ins->sfid == DATA_PORT_1;
}

/* Bytes of each address; 0: it isn't traced */
static unsigned int address_size(const struct vsamp_gen_model *model,
				 const struct vsamp_gen_ins *ins)
{
	static const unsigned char sizes[] = { 0, 0, 4, 8 };

	if (!is_send(ins) || ins->eot || !bits(ins->desc, 25, 4))
		return 0;
	if (is_data_port(ins) && bits(ins->desc, 19, 1))
		return 0;
	if (is_data_port(ins))
		return ins->sfid == DATA_PORT_1 && bits(ins->desc, 14, 5) >= 0x10 ? 8 : 4;
	/* operations of the load-store cache: a load, a store, an atomic; behind them are fences */
	if (model->lsc && (ins->sfid == LOCAL || ins->sfid == GLOBAL) && bits(ins->desc, 0, 6) < 30)
		return sizes[bits(ins->desc, 7, 2)];
	return 0;
}

/* Of a block there is one address */
static unsigned int addresses(const struct vsamp_gen_ins *ins)
{
	return !is_data_port(ins) && bits(ins->desc, 15, 1) ? 1 : ins->exec;
}

/* Message, channels and thread to @head; the mask is computed before a flag is changed */
static enum vsamp_gen_status describe(struct vsamp_gen_instrument *i, struct vsamp_gen_proc *proc,
				      struct vsamp_gen_reg head, const struct vsamp_gen_ins *ins,
				      uint32_t message)
{
	struct vsamp_gen_coder *coder = vsamp_gen_instrument_coder(i);
	struct vsamp_gen_pred pred = { ins->pred, ins->pred_invert, ins->flag, ins->flag_sub };
	struct vsamp_gen_reg to[] = { head, head, head, head };
	enum vsamp_gen_status status;

	for (unsigned int n = 1; n < 4; n++)
		to[n].sub += 4 * n;
	status = vsamp_gen_compute_simd_mask(coder, proc, to[1], ins->mask_off,
					     vsamp_gen_exec_mask(ins->exec, ins->channel), &pred);
	if (!status)
		status = vsamp_gen_get_tid(coder, proc, to[2], NULL);
	if (!status)
		status = vsamp_gen_make_unary(coder, proc, VSAMP_GEN_MOV, to[0], VSAMP_GEN_UD,
					      vsamp_gen_of_imm(message, VSAMP_GEN_UD), NULL);
	if (!status)
		status = vsamp_gen_make_unary(coder, proc, VSAMP_GEN_MOV, to[3], VSAMP_GEN_UD,
					      vsamp_gen_of_imm(0, VSAMP_GEN_UD), NULL);
	return status;
}

struct registers {
	struct vsamp_gen_reg head, record, scratch;
};

static enum vsamp_gen_status record(struct vsamp_gen_instrument *i, struct vsamp_gen_proc *proc,
				    const struct registers *r, const struct vsamp_gen_trace *trace,
				    const struct tool_site *site, uint32_t message)
{
	static const struct vsamp_gen_pred room = { .mode = VSAMP_GEN_PRED_SEQ, .flag = 1 };
	struct vsamp_gen_coder *coder = vsamp_gen_instrument_coder(i);
	enum vsamp_gen_status status = describe(i, proc, r->head, &site->ins, message);

	if (!status)
		status = vsamp_gen_trace_reserve(coder, proc, trace, vsamp_gen_instrument_base(i),
						 r->record, r->scratch, &room);
	if (!status)
		status = vsamp_gen_store_mem_block(coder, proc, r->record, r->head, 16, 1, &room);
	if (!status)
		status = vsamp_gen_compute_address(coder, proc, r->record, r->record, HEAD, NULL);
	if (!status)
		status = vsamp_gen_store_payload_addresses(coder, proc, r->record, &site->ins,
							   &room);
	return status;
}

static enum vsamp_gen_status trace_message(struct vsamp_gen_instrument *i, size_t n,
					   const struct registers *r,
					   const struct vsamp_gen_trace *trace,
					   const struct tool_site *site, uint32_t message)
{
	struct vsamp_gen_proc *proc;
	enum vsamp_gen_status status = vsamp_gen_proc_make(&proc);

	if (status)
		return status;
	status = record(i, proc, r, trace, site, message);
	if (!status)
		status = vsamp_gen_instrument_insert_before(i, n, proc);
	vsamp_gen_proc_free(proc);
	return status;
}

/* Which bytes a record needs: those of the registers of the largest message */
static uint32_t record_size(const struct vsamp_gen_model *model, struct vsamp_gen_instrument *i)
{
	const struct vsamp_gen_ins *ins;
	unsigned int most = 0, size = HEAD;

	for (size_t n = 0; (ins = vsamp_gen_instrument_ins(i, n)); n++)
		if (address_size(model, ins) && bits(ins->desc, 25, 4) > most)
			most = bits(ins->desc, 25, 4);
	while (size < HEAD + most * model->grf_size)
		size *= 2;
	return most ? size : 0;
}

/* Each site begins with its kernel's trace; num is the bytes of a record */
static enum vsamp_gen_status build(struct vsamp_gen_instrument *i, struct tool_run *run)
{
	struct vsamp_gen_trace trace = { record_size(run->model, i), run->records, run->size };
	uint64_t end = vsamp_gen_trace_end(&trace);
	const struct vsamp_gen_ins *ins;
	enum vsamp_gen_status status;
	struct tool_site *site;
	struct registers r = { 0 };

	if (!trace.record_size)
		return VSAMP_GEN_OK;
	if (!end || run->size != trace.offset)
		return VSAMP_GEN_ERANGE;
	status = tool_data(i, &r.head);
	if (!status)
		status = tool_address(i, &r.record);
	if (!status)
		status = tool_data(i, &r.scratch);
	for (size_t n = 0; !status && (ins = vsamp_gen_instrument_ins(i, n)); n++) {
		if (!address_size(run->model, ins))
			continue;
		site = tool_site(run, i, n, 0);
		if (!site)
			return VSAMP_GEN_ENOMEM;
		site->at = trace.offset;
		site->num = trace.record_size;
		status = trace_message(i, n, &r, &trace, site, run->sites);
	}
	run->size = end;
	return status;
}

/* False: it was reserved, and never written */
static bool report_record(const struct tool_run *run, uint64_t trace, const uint8_t *from,
			  struct tool_out *out)
{
	uint32_t message = tool_u32(from + MESSAGE), channels = tool_u32(from + CHANNELS);
	const struct tool_site *site = &run->site[message - 1];
	unsigned int size;
	uint64_t list[32];
	size_t num = 0;

	if (!message || message > run->sites || site->at != trace)
		return false;
	size = address_size(run->model, &site->ins);
	for (unsigned int c = 0; c < addresses(&site->ins); c++) {
		const uint8_t *at = from + HEAD + c * size;

		if (addresses(&site->ins) == 1 || channels >> (site->ins.channel + c) & 1)
			list[num++] = size == 8 ? tool_u64(at) : tool_u32(at);
	}
	out->row(out->arg,
		 (struct tool_cell[]){
			 { .name = "kernel", .text = site->kernel },
			 { .name = "offset", .value = site->offset, .hex = true },
			 { .name = "thread", .value = tool_u32(from + THREAD) },
			 { .name = "channels", .value = channels, .hex = true },
			 { .name = "addresses", .list = list, .num = num },
		 },
		 5);
	return true;
}

static void report(const struct tool_run *run, const uint8_t *buffer, struct tool_out *out)
{
	for (size_t n = 0; n < run->sites; n++) {
		const struct tool_site *site = &run->site[n];
		uint64_t asked = tool_u64(buffer + site->at), there = run->records, written = 0;
		const uint8_t *from = buffer + site->at + VSAMP_GEN_TRACE_HEAD;

		if (n && site[-1].at == site->at)
			continue;
		there = asked < there ? asked : there;
		for (uint64_t k = 0; k < there; k++, from += site->num)
			written += report_record(run, site->at, from, out);
		out->written += written;
		out->lost += asked - written;
	}
}

const struct tool tool_memtrace = { "memtrace", "the addresses of each message to memory", build,
				    report };
