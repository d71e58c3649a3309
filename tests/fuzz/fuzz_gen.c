// SPDX-License-Identifier: MIT
/*
 * Fuzzes the reading and writing of GPU code. The first byte of an input tells what the rest is: 'D'
 * instructions; 'E' what an instruction says; 'K' a kernel, which procedures are put into; 'Z' a file of
 * kernels, likewise. Of all but the last the second byte is the platform.
 *
 *	fuzz_gen FOLDER		fuzzes (libFuzzer has the options)
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/gen_instrument.h>

#define CODE_MAX 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
	if (!holds)
		abort();
}

/* It has the bytes that it was read from, and a text that ends within its room */
static void reads_back(const struct vsamp_gen_model *m, const struct vsamp_gen_ins *ins,
		       const uint8_t *from, size_t used)
{
	uint8_t again[VSAMP_GEN_INS_SIZE];
	char text[VSAMP_GEN_TEXT_SIZE];

	need(vsamp_gen_size(ins) == used);
	need(!vsamp_gen_encode(m, ins, again) && !memcmp(again, from, used));
	memset(text, 'x', sizeof(text));
	need(!vsamp_gen_text(m, ins, text) && memchr(text, 0, sizeof(text)));
	need(strlen(text) < sizeof(text) - 1);
}

/* Other 8 bytes may stand for the same, but for nothing else */
static void expand(const struct vsamp_gen_model *m, const uint8_t *from)
{
	uint8_t word[VSAMP_GEN_COMPACTED_SIZE], whole[VSAMP_GEN_INS_SIZE],
		again[VSAMP_GEN_INS_SIZE];

	if (vsamp_gen_expand(m, from, whole) || vsamp_gen_compact(m, whole, word))
		return;
	need(!vsamp_gen_expand(m, word, again) && !memcmp(whole, again, sizeof(whole)));
}

static void decode(const struct vsamp_gen_model *m, const uint8_t *data, size_t size)
{
	struct vsamp_gen_ins ins;
	size_t used;

	for (size_t at = 0; at < size; at += used) {
		size_t left = size - at < VSAMP_GEN_INS_SIZE ? size - at : VSAMP_GEN_INS_SIZE;
		/* of its own, so that what is read beyond is seen */
		uint8_t *from = malloc(left);

		memcpy(from, data + at, left);
		if (left >= VSAMP_GEN_COMPACTED_SIZE)
			expand(m, from);
		used = VSAMP_GEN_COMPACTED_SIZE;
		if (!vsamp_gen_decode(m, from, left, &ins, &used)) {
			need(used <= left && used >= VSAMP_GEN_COMPACTED_SIZE);
			reads_back(m, &ins, from, used);
		}
		free(from);
	}
}

struct stream {
	const uint8_t *data;
	size_t size;
};

/* The next bytes; zeros behind the end */
static uint32_t take(struct stream *s, unsigned int bytes)
{
	uint32_t value = 0;

	for (; bytes-- && s->size; s->size--)
		value = value << 8 | *s->data++;
	return value;
}

/* Mostly one of a few that there are */
static uint8_t take_below(struct stream *s, unsigned int number)
{
	uint32_t value = take(s, 1);

	return value < 0xf0 ? value % number : value;
}

static uint8_t take_power(struct stream *s)
{
	static const uint8_t powers[] = { 0, 1, 2, 4, 8, 16, 32, VSAMP_GEN_VXH };
	uint8_t n = take_below(s, sizeof(powers));

	return n < sizeof(powers) ? powers[n] : n;
}

static void take_operand(struct stream *s, struct vsamp_gen_operand *o)
{
	uint32_t bits = take(s, 1);

	o->file = bits & 7;
	o->negate = bits >> 3 & 1;
	o->abs = bits >> 4 & 1;
	o->type = take_below(s, VSAMP_GEN_TYPES);
	o->vstride = take_power(s);
	o->width = take_power(s);
	o->hstride = take_power(s);
	o->num = bits >> 5 == 7 ? take(s, 2) : take(s, 1);
	o->sub = bits >> 5 == 7 ? take(s, 2) : take_power(s);
	o->offset = bits & 0x20 ? (int16_t)take(s, 2) : 0;
	o->mme = bits & 0x40 ? take(s, 1) : 0;
	o->imm = (uint64_t)take(s, 4) << 32 | take(s, 4);
}

static struct vsamp_gen_ins take_ins(struct stream *s)
{
	struct vsamp_gen_ins ins = { .op = take_below(s, VSAMP_GEN_OPS) };
	uint32_t bits = take(s, 2);

	ins.exec = take_power(s);
	ins.channel = take_power(s);
	ins.pred_invert = bits & 1;
	ins.mask_off = bits >> 1 & 1;
	ins.acc_write = bits >> 2 & 1;
	ins.saturate = bits >> 3 & 1;
	ins.compacted = bits >> 4 & 1;
	ins.branch = bits >> 5 & 1;
	ins.no_clear = bits >> 6 & 1;
	ins.no_check = bits >> 7 & 1;
	ins.eot = bits >> 8 & 1;
	ins.pred = take_below(s, VSAMP_GEN_PRED_MODES);
	ins.cond = take_below(s, VSAMP_GEN_CONDS);
	ins.flag = take_below(s, 2);
	ins.flag_sub = take_below(s, 2);
	ins.thread = take_below(s, 4);
	ins.function = take_below(s, 16);
	ins.swsb = (struct vsamp_gen_swsb){ take_below(s, 2), take_below(s, 8), take_below(s, 4),
					    take_below(s, 16) };
	take_operand(s, &ins.dst);
	for (int i = 0; i < VSAMP_GEN_SOURCES; i++)
		take_operand(s, &ins.src[i]);
	ins.sync = take_below(s, 16);
	ins.sfid = take_below(s, 16);
	ins.payload = take_below(s, 8);
	ins.desc = take(s, 4);
	ins.exdesc = take(s, 4);
	ins.jump = (int32_t)take(s, 4);
	ins.uip = (int32_t)take(s, 4);
	return ins;
}

/* What can be written is read as what it is */
static void encode(const struct vsamp_gen_model *m, const uint8_t *data, size_t size)
{
	struct stream s = { data, size };
	struct vsamp_gen_ins ins = take_ins(&s), again;
	uint8_t bytes[VSAMP_GEN_INS_SIZE];
	char text[VSAMP_GEN_TEXT_SIZE];
	size_t used;

	vsamp_gen_text(m, &ins, text);
	if (ins.op == VSAMP_GEN_OTHER || vsamp_gen_encode(m, &ins, bytes))
		return;
	need(!vsamp_gen_decode(m, bytes, vsamp_gen_size(&ins), &again, &used));
	need(again.op == ins.op);
	reads_back(m, &again, bytes, used);
}

/* A timer before each block, and behind each third instruction */
static enum vsamp_gen_status insert(struct vsamp_gen_instrument *i, void *arg)
{
	struct vsamp_gen_coder *c = vsamp_gen_instrument_coder(i);
	enum vsamp_gen_status status;
	struct vsamp_gen_proc *proc;
	struct vsamp_gen_reg timer;
	size_t first, num;

	status = vsamp_gen_vreg_make(c, VSAMP_GEN_VREG_DWORD, 1, VSAMP_GEN_VREG_COUNTER, &timer);
	if (status || vsamp_gen_proc_make(&proc))
		return VSAMP_GEN_ENOMEM;
	status = vsamp_gen_stop_timer_ext(c, proc, timer);
	for (size_t b = 0; vsamp_gen_instrument_block(i, b, &first, &num) && !status; b++)
		if (vsamp_gen_instrument_insert_before(i, first, proc))
			status = vsamp_gen_instrument_insert_begin(i, proc);
	for (size_t n = 0; n < vsamp_gen_instrument_count(i) && !status; n += 3)
		vsamp_gen_instrument_insert_after(i, n, proc);
	if (!status)
		vsamp_gen_instrument_insert_end(i, proc);
	vsamp_gen_proc_free(proc);
	return status;
}

static enum vsamp_gen_status insert_none(struct vsamp_gen_instrument *i, void *arg)
{
	return VSAMP_GEN_OK;
}

/* Of what was made, all that was is: instructions end where others begin, and jumps lead there */
static void written(const struct vsamp_gen_binary *b, bool made,
		    const struct vsamp_gen_instrument_options *options)
{
	static const struct vsamp_gen_tool none = { insert_none, NULL };
	struct vsamp_gen_binary *again;
	void *data;
	size_t size;

	if (vsamp_gen_binary_write(b, &data, &size))
		return;
	need(!vsamp_gen_binary_open(&again, data, size, NULL, 0));
	need(vsamp_gen_binary_kernels(again) == vsamp_gen_binary_kernels(b));
	if (made)
		need(!vsamp_gen_instrument_binary(again, &none, options, NULL, NULL, 0));
	vsamp_gen_binary_close(again);
	free(data);
}

static void rewrite(const uint8_t *data, size_t size)
{
	static const struct vsamp_gen_tool tool = { insert, NULL };
	struct vsamp_gen_instrument_options options = { 1ULL << 40,
							{ VSAMP_GEN_STATELESS, true },
							0 };
	struct vsamp_gen_binary *b;
	char why[64];
	bool made;

	if (vsamp_gen_binary_open(&b, data, size, why, sizeof(why))) {
		need(memchr(why, 0, sizeof(why)));
		return;
	}
	made = !vsamp_gen_instrument_binary(b, &tool, &options, NULL, why, sizeof(why));
	written(b, made, &options);
	vsamp_gen_binary_close(b);
}

/* A file of one kernel that leaves the registers from 100 to 126 */
static void kernel(unsigned int platform, const uint8_t *code, size_t size)
{
	static const uint32_t products[] = { 0x12, 0x1a, 0x1d, 0x4f6, 0x4f7 };
	static const char names[] = "\0.text.k\0.gtpin_info.k\0.note.intelgt.compat";
	unsigned int grf = vsamp_gen_model_get(platform)->grf_size;
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr section[5];
		char names[64];
		uint32_t note[6], list[11];
		uint8_t code[CODE_MAX];
	} file = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			  .e_machine = 205,
			  .e_shoff = offsetof(__typeof__(file), section),
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = 5,
			  .e_shstrndx = 1 },
		.section = { { 0 },
			     { .sh_type = SHT_STRTAB,
			       .sh_offset = offsetof(__typeof__(file), names),
			       .sh_size = sizeof(names) },
			     { .sh_name = 1,
			       .sh_type = SHT_PROGBITS,
			       .sh_offset = offsetof(__typeof__(file), code),
			       .sh_size = size },
			     { .sh_name = 9,
			       .sh_type = SHT_LOUSER,
			       .sh_offset = offsetof(__typeof__(file), list),
			       .sh_size = sizeof(file.list) },
			     { .sh_name = 23,
			       .sh_type = SHT_NOTE,
			       .sh_offset = offsetof(__typeof__(file), note),
			       .sh_size = sizeof(file.note) } },
		.note = { 8, 4, 1, 0, 0, products[platform] },
		.list = { 5, 1, 0, 16, 1, 0, 24, 0xdeadd00d, 1, 100 * grf | 27 * grf << 16,
			  0xdeadbeef },
	};

	if (size > CODE_MAX)
		return;
	memcpy(file.names, names, sizeof(names));
	memcpy(&file.note[3], "IntelGT", 8);
	memcpy(file.code, code, size);
	rewrite((const uint8_t *)&file, offsetof(__typeof__(file), code) + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int platform = size > 1 ? data[1] % VSAMP_GEN_PLATFORMS : 0;
	const struct vsamp_gen_model *m = vsamp_gen_model_get(platform);

	if (size < 2)
		return 0;
	if (*data == 'D')
		decode(m, data + 2, size - 2);
	else if (*data == 'E')
		encode(m, data + 2, size - 2);
	else if (*data == 'K')
		kernel(platform, data + 2, size - 2);
	else if (*data == 'Z')
		rewrite(data + 1, size - 1);
	return 0;
}
