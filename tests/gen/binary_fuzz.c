// SPDX-License-Identifier: MIT
/*
 * binary_fuzz FILE ROUNDS SEED: reads a file, with bytes that are wrong or missing, again and again,
 * instruments and writes each tenth that is taken
 *
 * Built with the sanitizers. Prints how many of the files were taken, refused, and instrumented; what is
 * told of those that were taken is in the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/gen_instrument.h>

#define SIZE_MAX_READ (1 << 20)

static uint64_t state;

static uint32_t any(uint32_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

/* Every byte that a kernel has is in the file: reading them all shows it */
static unsigned int touch(const struct vsamp_gen_binary *b)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < vsamp_gen_binary_kernels(b); i++) {
		const struct vsamp_gen_kernel *k = vsamp_gen_binary_kernel(b, i);

		sum += strlen(k->name) + k->simd;
		for (size_t at = 0; at < k->size; at++)
			sum += ((const uint8_t *)k->code)[at];
		for (size_t at = 0; at < k->free_num; at++)
			sum += k->free[at].start + k->free[at].size;
		if (k->entry && k->entry >= k->size)
			abort();
	}
	return sum;
}

static void mutate(uint8_t *data, size_t size, size_t heads)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	unsigned int n = 1 + any(6);

	while (n--) {
		/* mostly what heads and tables have */
		size_t at = any(2) ? any(64) : any(2) ? heads + any(size - heads) : any(size);

		data[at] = any(2) ? values[any(sizeof(values))] : any(256);
	}
}

/* A timer before each block */
static enum vsamp_gen_status insert(struct vsamp_gen_instrument *i, void *arg)
{
	struct vsamp_gen_coder *c = vsamp_gen_instrument_coder(i);
	struct vsamp_gen_proc *proc;
	struct vsamp_gen_reg timer;
	enum vsamp_gen_status status;
	size_t first, num;

	(void)arg;
	status = vsamp_gen_vreg_make(c, VSAMP_GEN_VREG_DWORD, 1, VSAMP_GEN_VREG_COUNTER, &timer);
	if (status || vsamp_gen_proc_make(&proc))
		return VSAMP_GEN_ENOMEM;
	status = vsamp_gen_stop_timer_ext(c, proc, timer);
	for (size_t b = 0; vsamp_gen_instrument_block(i, b, &first, &num) && !status; b++)
		if (vsamp_gen_instrument_insert_before(i, first, proc))
			status = vsamp_gen_instrument_insert_begin(i, proc);
	vsamp_gen_proc_free(proc);
	return status;
}

/* Whether all kernels could be; what is written can be read again */
static bool instrumented(struct vsamp_gen_binary *b)
{
	static const struct vsamp_gen_tool tool = { insert, NULL };
	static const struct vsamp_gen_instrument_options options = { 1ULL << 40,
								     { VSAMP_GEN_STATELESS, true },
								     VSAMP_GEN_CARRY_PURE };
	bool done = !vsamp_gen_instrument_binary(b, &tool, &options, NULL, NULL, 0);
	struct vsamp_gen_binary *again;
	void *data;
	size_t size;

	if (vsamp_gen_binary_write(b, &data, &size))
		return false;
	if (vsamp_gen_binary_open(&again, data, size, NULL, 0))
		abort();
	touch(again);
	vsamp_gen_binary_close(again);
	free(data);
	return done;
}

int main(int argc, char **argv)
{
	static uint8_t file[SIZE_MAX_READ];
	unsigned long taken = 0, refused = 0, whole = 0,
		      rounds = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	FILE *in = argc == 4 ? fopen(argv[1], "rb") : NULL;
	size_t size = in ? fread(file, 1, sizeof(file), in) : 0, heads;
	volatile unsigned int sum = 0;

	if (size < 64)
		return 2;
	state = strtoull(argv[3], NULL, 10);
	memcpy(&heads, file + 0x28, sizeof(heads));
	while (rounds--) {
		size_t some = any(4) ? size : any(size);
		uint8_t *data = malloc(some ? some : 1);
		struct vsamp_gen_binary *b;
		char why[128];

		memcpy(data, file, some);
		if (some == size && heads < size)
			mutate(data, some, heads);
		if (vsamp_gen_binary_open(&b, data, some, why, sizeof(why))) {
			refused++;
		} else {
			sum += touch(b);
			if (taken % 10 == 0)
				whole += instrumented(b);
			vsamp_gen_binary_close(b);
			taken++;
		}
		free(data);
	}
	fclose(in);
	printf("%lu taken, %lu refused, %lu instrumented\n", taken, refused, whole);
	return 0;
}
