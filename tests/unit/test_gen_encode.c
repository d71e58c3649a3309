// SPDX-License-Identifier: MIT
/*
 * Instructions of GPUs: bytes that are known, and what is refused. That all forms have the bytes of
 * Intel's assembler is for gen/iga.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <vsamp/gen.h>

#define G(n, at, t)                                                                           \
	{                                                                                     \
		.file = VSAMP_GEN_GRF, .type = VSAMP_GEN_##t, .num = n, .sub = at, .width = 1 \
	}
#define A(n, at, t)                                                                            \
	{                                                                                      \
		.file = VSAMP_GEN_ARF, .type = VSAMP_GEN_##t, .num = VSAMP_GEN_##n, .sub = at, \
		.width = 1                                                                     \
	}
#define I(value, t)                                                        \
	{                                                                  \
		.file = VSAMP_GEN_IMM, .type = VSAMP_GEN_##t, .imm = value \
	}
#define TO(n, at, t)                                                                            \
	{                                                                                       \
		.file = VSAMP_GEN_GRF, .type = VSAMP_GEN_##t, .num = n, .sub = at, .hstride = 1 \
	}

/* mov r10.0:ud tm0.0:ud, as a timer is started */
static const struct vsamp_gen_ins timer = {
	.op = VSAMP_GEN_MOV,
	.exec = 1,
	.dst = TO(10, 0, UD),
	.src = { A(TM0, 0, UD) },
};

static const struct vsamp_gen_ins difference = {
	.op = VSAMP_GEN_ADD,
	.exec = 1,
	.dst = TO(20, 0, UD),
	.src = { G(21, 0, UD),
		 { .file = VSAMP_GEN_GRF,
		   .type = VSAMP_GEN_UD,
		   .num = 22,
		   .width = 1,
		   .negate = true } },
};

static enum vsamp_gen_status encode(int platform, const struct vsamp_gen_ins *ins, uint32_t *words)
{
	return vsamp_gen_encode(vsamp_gen_model_get(platform), ins, words);
}

static void expect(int platform, const struct vsamp_gen_ins *ins, uint32_t d0, uint32_t d1,
		   uint32_t d2, uint32_t d3)
{
	const uint32_t wanted[4] = { d0, d1, d2, d3 };
	struct vsamp_gen_ins again;
	uint32_t words[4];
	size_t used;

	assert_int_equal(encode(platform, ins, words), VSAMP_GEN_OK);
	assert_memory_equal(words, wanted, sizeof(words));
	assert_int_equal(vsamp_gen_decode(vsamp_gen_model_get(platform), words, sizeof(words),
					  &again, &used),
			 VSAMP_GEN_OK);
	assert_int_equal(used, 16);
	assert_memory_equal(&again, ins, sizeof(again));
}

static void refused(int platform, const struct vsamp_gen_ins *ins, enum vsamp_gen_status why)
{
	uint32_t words[4] = { 1, 2, 3, 4 };
	const uint32_t before[4] = { 1, 2, 3, 4 };

	assert_int_equal(encode(platform, ins, words), why);
	assert_memory_equal(words, before, sizeof(words));
}

static void known_bytes(void **state)
{
	struct vsamp_gen_ins jump = {
		.op = VSAMP_GEN_JMPI, .exec = 1, .mask_off = true, .jump = 16
	};
	struct vsamp_gen_ins wait = timer;

	expect(VSAMP_GEN_GEN9, &difference, 0x00000040, 0x22800208, 0x020002a0, 0x000042c0);
	/* from the next instruction, and from the jump itself */
	expect(VSAMP_GEN_GEN9, &jump, 0x00000020, 0x34000004, 0x0e001400, 0);
	expect(VSAMP_GEN_XE, &jump, 0x80000020, 0x00004000, 0, 0x10);
	wait.mask_off = true;
	wait.src[0] = (struct vsamp_gen_operand)G(12, 0, UD);
	wait.swsb = (struct vsamp_gen_swsb){ .pipe = VSAMP_GEN_PIPE_I, .distance = 7 };
	expect(VSAMP_GEN_XE_HPG, &wait, 0x80001f61, 0x0a050220, 0x00000c04, 0);
	wait.swsb = (struct vsamp_gen_swsb){ .mode = VSAMP_GEN_TOKEN_SRC, .token = 31 };
	expect(VSAMP_GEN_XE_HPC, &wait, 0x8000bf61, 0x0a050220, 0x00000c04, 0);
}

static void messages(void **state)
{
	struct vsamp_gen_ins send = {
		.op = VSAMP_GEN_SEND,
		.exec = 8,
		.mask_off = true,
		.swsb = { .mode = VSAMP_GEN_TOKEN_SET },
		.dst = { .file = VSAMP_GEN_ARF },
		.src = { { .file = VSAMP_GEN_GRF, .num = 20 },
			 { .file = VSAMP_GEN_GRF, .num = 30 } },
		.sfid = 0xc,
		.payload = 1,
		.desc = 0x020d42ff,
	};

	expect(VSAMP_GEN_XE, &send, 0x80034031, 0x00000000, 0xc5fe140c, 0x03501e0c);
	send.exec = 1;
	send.sfid = 0xf;
	send.desc = 0x0200c584;
	expect(VSAMP_GEN_XE_HPG, &send, 0x80004031, 0x00000000, 0xfb08140c, 0x00301e0c);
	send.swsb.mode = VSAMP_GEN_TOKEN_NONE;
	send.op = VSAMP_GEN_SENDS;
	send.exec = 16;
	send.sfid = 0xc;
	send.desc = 0x020d42ff;
	expect(VSAMP_GEN_GEN9, &send, 0x0c800033, 0x0001e014, 0x00000281, 0x020d42ff);
	refused(VSAMP_GEN_XE, &send, VSAMP_GEN_EUNSUPPORTED);
	send.desc |= 1U << 31;
	refused(VSAMP_GEN_GEN9, &send, VSAMP_GEN_ERANGE);
}

/* What an assembler may take and hardware doesn't have */
static void refusals(void **state)
{
	struct vsamp_gen_ins ins = difference;

	ins.dst.type = VSAMP_GEN_UQ;
	refused(VSAMP_GEN_XE, &ins, VSAMP_GEN_EUNSUPPORTED);
	refused(VSAMP_GEN_GEN11, &ins, VSAMP_GEN_EUNSUPPORTED);
	ins = timer;
	ins.pred = VSAMP_GEN_PRED_SEQ;
	ins.flag = 2;
	refused(VSAMP_GEN_GEN9, &ins, VSAMP_GEN_ERANGE);
	assert_int_equal(encode(VSAMP_GEN_XE_HPC, &ins, (uint32_t[4]){ 0 }), VSAMP_GEN_OK);
	ins.flag = 0;
	ins.pred = VSAMP_GEN_ANY8H;
	refused(VSAMP_GEN_XE_HPC, &ins, VSAMP_GEN_EUNSUPPORTED);
	ins = difference;
	ins.src[1] = (struct vsamp_gen_operand)A(TM0, 0, UD);
	refused(VSAMP_GEN_GEN9, &ins, VSAMP_GEN_EUNSUPPORTED);
	assert_int_equal(encode(VSAMP_GEN_XE, &ins, (uint32_t[4]){ 0 }), VSAMP_GEN_OK);
	ins = difference;
	ins.acc_write = true;
	refused(VSAMP_GEN_XE_HPC, &ins, VSAMP_GEN_EUNSUPPORTED);
	ins = timer;
	ins.channel = 4;
	refused(VSAMP_GEN_XE_HPC, &ins, VSAMP_GEN_EUNSUPPORTED);
	ins.swsb.distance = 1;
	ins.channel = 0;
	refused(VSAMP_GEN_GEN9, &ins, VSAMP_GEN_EUNSUPPORTED);
	ins.swsb.distance = 8;
	refused(VSAMP_GEN_XE, &ins, VSAMP_GEN_EUNSUPPORTED);
}

static void ranges(void **state)
{
	struct vsamp_gen_ins ins = difference;

	ins.dst.num = 128;
	refused(VSAMP_GEN_GEN9, &ins, VSAMP_GEN_ERANGE);
	assert_int_equal(encode(VSAMP_GEN_XE, &ins, (uint32_t[4]){ 0 }), VSAMP_GEN_OK);
	ins.dst.num = 20;
	ins.dst.sub = 32;
	refused(VSAMP_GEN_XE, &ins, VSAMP_GEN_ERANGE);
	assert_int_equal(encode(VSAMP_GEN_XE_HPC, &ins, (uint32_t[4]){ 0 }), VSAMP_GEN_OK);
	ins.dst.sub = 2;
	refused(VSAMP_GEN_XE, &ins, VSAMP_GEN_EALIGN);
	ins = difference;
	ins.exec = 3;
	refused(VSAMP_GEN_XE, &ins, VSAMP_GEN_EINVAL);
	ins.exec = 16;
	ins.channel = 8;
	refused(VSAMP_GEN_XE, &ins, VSAMP_GEN_EALIGN);
	ins = difference;
	ins.src[0] = (struct vsamp_gen_operand)I(1, UD);
	refused(VSAMP_GEN_XE, &ins, VSAMP_GEN_EINVAL);
	ins = difference;
	ins.src[1] = (struct vsamp_gen_operand)I(1, UQ);
	refused(VSAMP_GEN_GEN9, &ins, VSAMP_GEN_EINVAL);
	ins.op = VSAMP_GEN_OPS;
	refused(VSAMP_GEN_GEN9, &ins, VSAMP_GEN_EINVAL);
}

static void other_bytes(void **state)
{
	const struct vsamp_gen_model *m = vsamp_gen_model_get(VSAMP_GEN_GEN9);
	/* dph, which isn't read */
	const uint32_t dph[4] = { 0x00800155, 0x0a1e0000, 0x39001400, 0x01040040 };
	/* add, and jmpi of Xe, which has no such form */
	const uint32_t add[2] = { 1U << 29 | 0x40 }, none[2] = { 1U << 29 | 0x20 };
	uint32_t again[4];
	char text[VSAMP_GEN_TEXT_SIZE];
	struct vsamp_gen_ins ins;
	size_t used;

	assert_int_equal(vsamp_gen_decode(m, dph, sizeof(dph), &ins, &used), VSAMP_GEN_OK);
	assert_int_equal(ins.op, VSAMP_GEN_OTHER);
	assert_int_equal(vsamp_gen_encode(m, &ins, again), VSAMP_GEN_OK);
	assert_memory_equal(dph, again, sizeof(dph));
	assert_int_equal(vsamp_gen_text(m, &ins, text), VSAMP_GEN_OK);
	assert_int_equal(vsamp_gen_decode(m, dph, 15, &ins, &used), VSAMP_GEN_EDECODE);
	assert_int_equal(vsamp_gen_decode(m, dph, 7, &ins, &used), VSAMP_GEN_EDECODE);
	assert_int_equal(vsamp_gen_decode(m, add, 8, &ins, &used), VSAMP_GEN_OK);
	assert_int_equal(used, 8);
	assert_true(ins.compacted);
	assert_int_equal(vsamp_gen_size(&ins), 8);
	assert_int_equal(vsamp_gen_encode(m, &ins, again), VSAMP_GEN_OK);
	assert_memory_equal(add, again, sizeof(add));
	m = vsamp_gen_model_get(VSAMP_GEN_XE);
	assert_int_equal(vsamp_gen_decode(m, none, 8, &ins, &used), VSAMP_GEN_EDECODE);
}

/* mad (8|M0) r10.0<1>:f r20.0:f r30.0:f r40.0:f of each platform, which iga64 gives */
static void three_sources(void **state)
{
	static const uint32_t bytes[VSAMP_GEN_PLATFORMS][4] = {
		{ 0x0060015b, 0x0a1e0000, 0x390141c8, 0x0a07203c },
		{ 0x0060005b, 0x0a004008, 0x00214001, 0x0a00043c },
		{ 0x0003005b, 0x0a0402a0, 0x02021404, 0x28041e04 },
		{ 0x0003005b, 0x0a0402a0, 0x02021404, 0x28041e04 },
		{ 0x000c005b, 0x0a0402a0, 0x02021404, 0x28041e04 },
	};

	for (int p = 0; p < VSAMP_GEN_PLATFORMS; p++) {
		unsigned int step = p == VSAMP_GEN_GEN9;
		struct vsamp_gen_ins ins = {
			.op = VSAMP_GEN_MAD,
			.exec = 8,
			.dst = { .file = VSAMP_GEN_GRF,
				 .type = VSAMP_GEN_F,
				 .hstride = 1,
				 .num = 10 },
		};
		uint32_t to[4];

		for (unsigned int i = 0; i < VSAMP_GEN_SOURCES; i++) {
			ins.src[i] = (struct vsamp_gen_operand){ .file = VSAMP_GEN_GRF,
								 .type = VSAMP_GEN_F,
								 .width = 1,
								 .num = 20 + 10 * i };
			ins.src[i].vstride = step << (i < 2);
			ins.src[i].hstride = step && i < 2;
			ins.src[i].width = 1 + (step && i < 2);
		}
		assert_int_equal(vsamp_gen_encode(vsamp_gen_model_get(p), &ins, to), VSAMP_GEN_OK);
		assert_memory_equal(to, bytes[p], sizeof(to));
		ins.src[2].type = VSAMP_GEN_UQ;
		refused(p, &ins, VSAMP_GEN_EUNSUPPORTED);
		ins.src[2].type = VSAMP_GEN_F;
		ins.src[1].num = 256;
		refused(p, &ins, VSAMP_GEN_ERANGE);
	}
}

static void texts(void **state)
{
	const struct vsamp_gen_model *m = vsamp_gen_model_get(VSAMP_GEN_XE_HPG);
	struct vsamp_gen_ins ins = difference;
	char text[VSAMP_GEN_TEXT_SIZE];

	ins.mask_off = true;
	ins.pred = VSAMP_GEN_PRED_SEQ;
	ins.pred_invert = true;
	ins.flag = 1;
	ins.cond = VSAMP_GEN_LT;
	ins.swsb = (struct vsamp_gen_swsb){ .distance = 1,
					    .mode = VSAMP_GEN_TOKEN_DST,
					    .token = 3 };
	assert_int_equal(vsamp_gen_text(m, &ins, text), VSAMP_GEN_OK);
	assert_string_equal(text, "(W&~f1.0) add (1|M0) (lt)f1.0 r20.0<1>:ud r21.0<0;1,0>:ud "
				  "-r22.0<0;1,0>:ud {@1,$3.dst}");
}

static void models(void **state)
{
	assert_null(vsamp_gen_model_get(VSAMP_GEN_PLATFORMS));
	assert_null(vsamp_gen_model_find("xe2"));
	assert_int_equal(vsamp_gen_model_find("dg2")->platform, VSAMP_GEN_XE_HPG);
	assert_int_equal(vsamp_gen_model_find("12p72")->max_block, 512);
	assert_int_equal(vsamp_gen_type_size(VSAMP_GEN_DF), 8);
	assert_int_equal(vsamp_gen_type_size(VSAMP_GEN_TYPES), 0);
	assert_string_equal(vsamp_gen_status_text(VSAMP_GEN_ENOREG), "no register is free");
	assert_string_equal(vsamp_gen_status_text(99), "unknown status");
	assert_string_equal(vsamp_gen_op_name(VSAMP_GEN_CBIT), "cbit");
}

/* A call of a compiler's, which has other bits than iga64's where they mean nothing: they stay */
static void foreign_jump(void **state)
{
	static const uint32_t from[4] = { 0x0060002c, 0x2fe00008, 0x0e490000, 0x50 };
	const struct vsamp_gen_model *model = vsamp_gen_model_get(VSAMP_GEN_GEN9);
	struct vsamp_gen_ins ins;
	uint32_t to[4];
	size_t used;

	assert_int_equal(vsamp_gen_decode(model, from, sizeof(from), &ins, &used), VSAMP_GEN_OK);
	assert_int_equal(ins.op, VSAMP_GEN_CALL);
	assert_int_equal(ins.jump, 0x50);
	assert_int_equal(ins.dst.num, 127);
	ins.jump = -0x60;
	assert_int_equal(vsamp_gen_encode(model, &ins, to), VSAMP_GEN_OK);
	assert_memory_equal(to, from, 12);
	assert_int_equal(to[3], (uint32_t)-0x60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_bytes),	cmocka_unit_test(messages),
		cmocka_unit_test(refusals),	cmocka_unit_test(ranges),
		cmocka_unit_test(other_bytes),	cmocka_unit_test(three_sources),
		cmocka_unit_test(texts),	cmocka_unit_test(models),
		cmocka_unit_test(foreign_jump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
