// SPDX-License-Identifier: MIT
/* oneDNN tells of each primitive that it executes, on each of its threads: 5 products of matrices */
#include <stdio.h>
#include <stdlib.h>

#include <dnnl.h>

#define N 64

static void check(dnnl_status_t status)
{
	if (status) {
		fprintf(stderr, "dnnl: status %d\n", status);
		exit(1);
	}
}

int main(void)
{
	static float a[N][N], b[N][N], c[N][N];
	dnnl_dims_t dims = { N, N };
	dnnl_memory_desc_t desc;
	dnnl_matmul_desc_t product;
	dnnl_primitive_desc_t primitive_desc;
	dnnl_primitive_t primitive;
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_exec_arg_t args[] = { { DNNL_ARG_SRC, NULL },
				   { DNNL_ARG_WEIGHTS, NULL },
				   { DNNL_ARG_DST, NULL } };
	void *data[] = { a, b, c };

	for (int i = 0; i < N; i++) {
		a[i][i] = 2;
		for (int j = 0; j < N; j++)
			b[i][j] = i + j;
	}
	check(dnnl_engine_create(&engine, dnnl_cpu, 0));
	check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
	check(dnnl_memory_desc_init_by_tag(&desc, 2, dims, dnnl_f32, dnnl_ab));
	check(dnnl_matmul_desc_init(&product, &desc, &desc, NULL, &desc));
	check(dnnl_primitive_desc_create(&primitive_desc, &product, NULL, engine, NULL));
	check(dnnl_primitive_create(&primitive, primitive_desc));
	for (int i = 0; i < 3; i++)
		check(dnnl_memory_create(&args[i].memory, &desc, engine, data[i]));
	for (int i = 0; i < 5; i++)
		check(dnnl_primitive_execute(primitive, stream, 3, args));
	check(dnnl_stream_wait(stream));
	return c[3][4] != 14;
}
