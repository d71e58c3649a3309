/* SPDX-License-Identifier: MIT */
/* Kernels that have many forms of instructions */
kernel void loops(global float *x, global int *y, int n)
{
	int i = get_global_id(0);
	float s = 0;

	for (int j = 0; j < n; j++) {
		s += x[j] * x[i];
		if (s > 3)
			s = -s;
		else if (y[j] & 1)
			break;
		else
			s = mad(s, x[i], 1.5f);
	}
	x[i] = fma(s, x[i + 1], -x[i + 2] * s);
	atomic_add(y, i);
}

kernel void tiles(global const float *a, global float *b, local float *t, int n)
{
	int l = get_local_id(0), g = get_group_id(0) * get_local_size(0) + l;

	t[l] = a[g];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
		if (l < s)
			t[l] += t[l + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		b[get_group_id(0)] = sqrt(t[0]) / native_exp(t[1]) + sin(t[0]);
}

kernel void wide(global long *a, global ulong *b, global const int *c)
{
	int i = get_global_id(0);

	a[i] = a[i] * c[i] + (long)b[i + 1];
	b[i] = (b[i] >> (c[i] & 63)) ^ (b[i + 2] << 7) | popcount(b[i]);
	if (a[i] > (long)b[i])
		a[i] /= c[i] | 1;
}

kernel void bytes(global uchar4 *a, global short8 *b, global half *h, global uint *u)
{
	int i = get_global_id(0);
	float f = vload_half(i, h);

	a[i] = a[i + 1] * (uchar4)3 + convert_uchar4_sat(b[i].lo);
	b[i] = max(b[i], b[i + 1]) - (short8)(7);
	vstore_half(f * 2, i, h);
	u[i] = mad_hi(u[i], u[i + 1], clz(u[i + 2])) + rotate(u[i], 5u) + abs_diff(u[i], 9u);
	u[i + 1] = select(u[i], u[i + 2], (uint)(f < 0 && u[i] != 4));
}

kernel void pictures(read_only image2d_t from, write_only image2d_t to, sampler_t s)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float4 c = read_imagef(from, s, convert_float2(at) * 0.5f);

	write_imagef(to, at, clamp(c.zyxw + 0.25f, 0.0f, 1.0f));
}

int helper(int x);
__attribute__((noinline)) int helper(int x)
{
	return x < 2 ? x : x * 3 - 1;
}

kernel void choices(global int *a, int n)
{
	int i = get_global_id(0), v = a[i];

	do {
		switch (v & 7) {
		case 0: v = helper(v); break;
		case 1: v += 3; continue;
		case 2: v = -v; break;
		case 5: atomic_max(a + 4, v); return;
		default: v ^= a[v & 15];
		}
		v >>= 1;
	} while (v > n);
	a[i] = v;
}
