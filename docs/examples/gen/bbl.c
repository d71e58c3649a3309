// SPDX-License-Identifier: MIT
/*
 * bbl IN OUT ADDRESS: counts how often threads execute each basic block of a file's kernels, in a buffer
 * of zeros at an address
 *
 * Prints of each block: its kernel, its place there, its instructions, and where in the buffer its
 * counter of 64 bits is.
 */
#include <stdio.h>
#include <stdlib.h>

#include <vsamp/gen_build.h>
#include <vsamp/gen_instrument.h>

#define COUNTER 8 /* bytes */

static enum vsamp_gen_status count_block(struct vsamp_gen_instrument *i, size_t first,
					 struct vsamp_gen_reg address, uint32_t at)
{
	struct vsamp_gen_coder *coder = vsamp_gen_instrument_coder(i);
	struct vsamp_gen_proc *proc;
	enum vsamp_gen_status status = vsamp_gen_proc_make(&proc);

	if (status)
		return status;
	status = vsamp_gen_compute_address(coder, proc, address, vsamp_gen_instrument_base(i), at,
					   NULL);
	if (!status)
		status = vsamp_gen_atomic_inc(coder, proc, address, COUNTER, NULL);
	if (!status)
		status = vsamp_gen_instrument_insert_before(i, first, proc);
	vsamp_gen_proc_free(proc);
	return status;
}

/* @arg: where in the buffer the next counter is */
static enum vsamp_gen_status on_kernel_build(struct vsamp_gen_instrument *i, void *arg)
{
	uint32_t *next = arg;
	struct vsamp_gen_reg address;
	size_t first, num;
	enum vsamp_gen_status status = vsamp_gen_vreg_make(
		vsamp_gen_instrument_coder(i), VSAMP_GEN_VREG_GRF, 2,
		VSAMP_GEN_VREG_SCRATCH | VSAMP_GEN_VREG_MSG_ADDR, &address);

	for (size_t b = 0; !status && vsamp_gen_instrument_block(i, b, &first, &num); b++) {
		status = count_block(i, first, address, *next);
		printf("%s %#zx %zu %u\n", vsamp_gen_instrument_kernel(i)->name,
		       vsamp_gen_instrument_offset(i, first), num, *next);
		*next += COUNTER;
	}
	return status;
}

static void *file_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(64 << 20);

	*size = f && data ? fread(data, 1, 64 << 20, f) : 0;
	if (f)
		fclose(f);
	return data;
}

static int file_write(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	int failed = !f || fwrite(data, 1, size, f) != size;

	if (f && fclose(f))
		failed = 1;
	if (failed)
		perror(path);
	return failed;
}

int main(int argc, char **argv)
{
	struct vsamp_gen_instrument_options options = { .profile = { VSAMP_GEN_STATELESS, true } };
	uint32_t next = 0;
	struct vsamp_gen_tool tool = { on_kernel_build, &next };
	struct vsamp_gen_binary *binary = NULL;
	char why[256] = "usage: bbl IN OUT ADDRESS";
	void *data = NULL, *made = NULL;
	size_t size = 0;
	int failed = argc != 4;

	if (!failed) {
		data = file_read(argv[1], &size);
		options.buffer = strtoull(argv[3], NULL, 0);
		failed = vsamp_gen_binary_open(&binary, data, size, why, sizeof(why)) ||
			 vsamp_gen_instrument_binary(binary, &tool, &options, NULL, why,
						     sizeof(why));
	}
	if (!failed && vsamp_gen_binary_write(binary, &made, &size)) {
		snprintf(why, sizeof(why), "%s: can't be written again", argv[1]);
		failed = 1;
	}
	if (failed)
		fprintf(stderr, "%s\n", why);
	else
		failed = file_write(argv[2], made, size);
	vsamp_gen_binary_close(binary);
	free(made);
	free(data);
	return failed;
}
