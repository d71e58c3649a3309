/* SPDX-License-Identifier: MIT */
/* Kernels whose results plain code tells, for the machine that runs whole ones */
kernel void add(global const int *a, global const int *b, global int *c)
{
	int i = get_global_id(0);

	c[i] = a[i] + b[i];
}

kernel void divergent(global const uint *n, global uint *out)
{
	int i = get_global_id(0);
	uint s = 1;

	for (uint j = 0; j < n[i]; j++) {
		s = s * 3 + j;
		if (s & 64)
			continue;
		if ((s & 1023) == 77)
			break;
		s ^= s >> 7;
	}
	out[i] = s;
}

kernel void nested(global const int *a, global int *out, int limit)
{
	int i = get_global_id(0), v = a[i], r;

	if (v > limit) {
		out[i] = v - limit;
		if (v & 1) {
			out[i + 1024] = 1;
			if (v & 2)
				out[i + 2048] = v * v;
		} else {
			out[i + 1024] = v / 3;
		}
	} else if (v < -limit) {
		out[i] = -v;
	} else {
		out[i] = 7;
	}
}

kernel void early(global const int *a, global int *out, int n)
{
	int i = get_global_id(0);

	if (i >= n)
		return;
	for (int j = 0; j < 8; j++) {
		if (a[(i + j) & 63] == 13) {
			out[i] = j;
			return;
		}
	}
	out[i] = -1;
}

kernel void histogram(global const uchar *a, global uint *bins, global uint *most)
{
	int i = get_global_id(0);

	atomic_add(bins + (a[i] & 15), a[i]);
	atomic_inc(bins + 16 + (a[i] >> 6));
	atomic_max(most, a[i]);
}

kernel void reduction(global const int *a, global int *out, local int *t)
{
	int l = get_local_id(0);

	t[l] = a[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
		if (l < s)
			t[l] += t[l + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		out[get_group_id(0)] = t[0];
}

kernel void divide(global const int *a, global const int *b, global int *out, uint by)
{
	int i = get_global_id(0);

	out[4 * i] = a[i] / b[i];
	out[4 * i + 1] = a[i] % b[i];
	out[4 * i + 2] = (uint)a[i] / by;
	out[4 * i + 3] = (uint)a[i] % (uint)b[i];
}

kernel void choice(global const int *a, global int *out)
{
	int i = get_global_id(0), v = a[i];

	switch (v & 7) {
	case 0: v += 100; break;
	case 1: v = -v; /* fall through */
	case 2: v *= 5; break;
	case 3: v ^= 0x55; break;
	case 5: v = out[i] + 1; break;
	default: v <<= 2;
	}
	out[i] = v;
}

uint collatz(uint n);
__attribute__((noinline)) uint collatz(uint n)
{
	uint steps = 0;

	while (n > 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

kernel void called(global const uint *a, global uint *out)
{
	int i = get_global_id(0);

	out[i] = collatz(a[i]);
	if (a[i] & 1)
		out[i] += collatz(a[i] + 2) << 16;
}

kernel void floats(global const float *a, global float *out, global half *h, global uchar4 *c)
{
	int i = get_global_id(0);
	float f = a[i];

	out[i] = fma(f, 0.5f, 3.0f) * f - fabs(f);
	vstore_half(f, i, h);
	c[i] = convert_uchar4_sat((float4)(f, f * 2, -f, f * 100));
}

kernel void longs(global const long *a, global long *out, global const int *by)
{
	int i = get_global_id(0);

	out[2 * i] = a[i] * by[i] + (a[i] >> (by[i] & 63));
	out[2 * i + 1] = (ulong)a[i] > 1ul << 40 ? a[i] - by[i] : (long)popcount(a[i]);
}

kernel void plane(global int *out, int width)
{
	int x = get_global_id(0), y = get_global_id(1);

	out[y * width + x] = (int)(get_local_id(0) << 20 | get_local_id(1) << 16 | get_group_id(0) << 12 |
				   get_group_id(1) << 8 | get_global_size(0));
}

kernel void until(global const int *a, global int *out, int n)
{
	int i = get_global_id(0), v = a[i], k = 0;

	do {
		if ((v & 7) == 5) {
			out[i] = -k;
			return;
		}
		v = (v & 3) == 1 ? v * 5 + 2 : (v >> 1) + a[v & 7];
		k++;
	} while (v > n && k < 50);
	out[i + 64] = v;
}

kernel void table(global const uint *a, global uint *out, uint n)
{
	uint t[24];
	int i = get_global_id(0);

	for (int j = 0; j < 24; j++)
		t[j] = a[j] * i;
	for (uint j = 0; j < n; j++)
		t[(t[j] + j) % 24] += a[i & 15];
	out[i] = t[a[i] % 24];
}
