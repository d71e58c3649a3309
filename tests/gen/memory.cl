/* SPDX-License-Identifier: MIT */
/* Kernels that reach memory in as many ways as OpenCL has */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable

kernel void long_atoms(global long *q, global ulong *u)
{
	int i = get_global_id(0);

	q[i + 8] = atom_add(q, 3L) + atom_xchg(q + 1, i) + atom_cmpxchg(q + 2, 1L, 4L) + atom_min(q + 3, i) +
		   atom_max(q + 4, i) + atom_and(q + 5, 7L) + atom_or(q + 6, 8L) + atom_xor(q + 7, 9L) +
		   atom_inc(q) + atom_dec(q + 1);
	u[i + 8] = atom_sub(u, 3UL);
}

kernel void local_atoms(global int *a, local int *l, local uint *m)
{
	int i = get_local_id(0);

	l[i] = a[i];
	m[i] = i;
	barrier(CLK_LOCAL_MEM_FENCE);
	a[i] = atomic_add(l, i) + atomic_sub(l + 1, 2) + atomic_xchg(l + 2, i) + atomic_inc(l + 3) + atomic_dec(l + 4) +
	       atomic_cmpxchg(l + 5, i, 3) + atomic_min(l + 6, i) + atomic_max(l + 7, i) + atomic_and(l + 8, i) +
	       atomic_or(l + 9, i) + atomic_xor(l + 10, i) + atomic_min(m, 3u) + atomic_max(m + 1, 4u);
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	a[i + 64] = l[63 - i] + m[i];
}

kernel void blocks(global uint *a, global ushort *s, global ulong *l, global uchar *c, global uint *to)
{
	uint x = intel_sub_group_block_read(a);
	uint2 y = intel_sub_group_block_read2(a + 32);
	uint4 z = intel_sub_group_block_read4(a + 64);
	uint8 w = intel_sub_group_block_read8(a + 128);

	intel_sub_group_block_write2(to, y + x);
	intel_sub_group_block_write4(to + 64, z * 3);
	intel_sub_group_block_write8(to + 128, w ^ 5);
	intel_sub_group_block_write_us(s + 64, intel_sub_group_block_read_us(s) + (ushort)1);
	intel_sub_group_block_write_us2(s + 128, intel_sub_group_block_read_us2(s) + (ushort2)1);
	intel_sub_group_block_write_uc(c + 128, intel_sub_group_block_read_uc(c));
	intel_sub_group_block_write_ul(l + 128, intel_sub_group_block_read_ul(l));
}

kernel void shuffles(global int *a, global long *l, global half *h, global uchar4 *c)
{
	int i = get_sub_group_local_id(), g = get_global_id(0);

	a[g] = intel_sub_group_shuffle(a[g], i ^ 3) + intel_sub_group_shuffle_up(a[g], a[g + 1], 3u) +
	       intel_sub_group_shuffle_xor(a[g], (uint)a[0]) + get_sub_group_size() + get_num_sub_groups() + get_max_sub_group_size() +
	       sub_group_reduce_min(a[g]) + sub_group_scan_inclusive_max(a[g + 2]);
	l[g] = intel_sub_group_shuffle(l[g], i + 1) + sub_group_reduce_add(l[g]) + sub_group_broadcast(l[g], 2);
	h[g] = intel_sub_group_shuffle(h[g], 5) + sub_group_reduce_max(h[g]) + sub_group_scan_exclusive_add(h[g]);
	sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
	c[g].x = intel_sub_group_shuffle((uint)c[g].x, 1);
}

kernel void spills(global float16 *a, global float16 *b, int n)
{
	int i = get_global_id(0);
	float16 v[20];
	float big[300];

	for (int k = 0; k < 20; k++)
		v[k] = a[i + k];
	for (int k = 0; k < 300; k++)
		big[k] = a[k & 7].x * k;
	for (int r = 0; r < n; r++) {
		for (int k = 0; k < 19; k++)
			v[k] = v[k] * v[k + 1] + v[(k + 3) % 20];
		v[r % 20].s3 += big[(r * 7 + i) % 300];
		big[(r + i) % 300] -= v[3].s4;
	}
	for (int k = 0; k < 20; k++)
		b[i + k] = v[k] + big[k];
}

kernel void vectors(global uchar16 *a, global short16 *s, global ulong8 *u, global float3 *f)
{
	int i = get_global_id(0);
	uchar16 v = shuffle2(a[i], a[i + 1], a[i + 2]);

	a[i] = v + convert_uchar16_sat(s[i]);
	s[i] = mad_sat(s[i], s[i + 1], s[i + 2]) + upsample(convert_char16(a[i]), a[i + 1]);
	u[i] = (u[i] << 3) + u[i + 1].s76543210 * u[i + 2];
	f[i] = cross(f[i], f[i + 1]) + normalize(f[i + 2]) * length(f[i]);
	vstore3(vload3(i, (global float *)f + 1), i + 1, (global float *)f);
	prefetch(a + 7, 4);
}

kernel void copies(global int *a, local int *l, global int *b)
{
	event_t e = async_work_group_copy(l, a, 64, 0);

	wait_group_events(1, &e);
	b[get_local_id(0)] = l[get_local_id(0) ^ 1];
	e = async_work_group_strided_copy(l, a, 16, 4, 0);
	wait_group_events(1, &e);
	b[get_local_id(0) + 64] = l[get_local_id(0) & 15];
	e = async_work_group_copy(b + 128, l, 16, 0);
	wait_group_events(1, &e);
}

constant int TABLE[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };

kernel void constants(constant int *c, global int *a, constant float4 *f, global float4 *g)
{
	int i = get_global_id(0);

	a[i] = c[i] + TABLE[a[i] & 15] + get_work_dim() + get_local_size(1) + get_global_offset(0) + get_num_groups(2);
	g[i] = f[i & 7];
	printf("%d %s %f\n", a[i], "text", g[i].x);
}

kernel void more_images(read_only image2d_t a, read_only image2d_array_t b, read_only image3d_t c, read_only image1d_buffer_t d,
			read_only image2d_array_t e, sampler_t s, global float *o, global int *n)
{
	const sampler_t fixed = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float2 f = convert_float2(at) * 0.25f;

	o[0] = read_imagef(a, at + 1).y * 2;
	n[at.x] = read_imagei(b, fixed, (float4)(f, 1, 0)).x + read_imageui(b, s, (int4)(at, 1, 0)).y + get_image_width(b) +
		  get_image_height(a) + get_image_array_size(b) + get_image_channel_data_type(d) + get_image_channel_order(c) + get_image_depth(c);
	o[at.x] = read_imagef(d, at.x).w + read_imagef(e, s, (float4)(f, 2, 0)).x;
}
