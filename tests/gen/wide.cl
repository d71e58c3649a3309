/* SPDX-License-Identifier: MIT */
/* Kernels that have as many kinds of instructions as functions and types of OpenCL make */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
kernel void maths(global float *x, global float *y)
{
	int i = get_global_id(0);
	float a = x[i], b = y[i];
	y[i] = sin(a) + cos(b) * tan(a) + exp(b) - log(a) + pow(a, b) + rsqrt(a) + atan2(a, b) +
	       floor(a) + ceil(b) + rint(a) + trunc(b) + round(a) + fmod(a, b) +
	       fract(b, x + i + 1) + a / b + native_sin(a) + native_cos(b) + native_log2(a) +
	       native_exp2(b) + native_powr(a, b) + native_recip(b) + native_sqrt(a) + fabs(a) +
	       fmin(a, b) + clamp(a, b, 1.0f) + mix(a, b, 0.3f) + sign(a) + ldexp(a, 3) + ilogb(b) +
	       hypot(a, b) + isnan(a) + isinf(b) + nextafter(a, b);
}

kernel void ints(global int *x, global uint *y, global long *z, global ulong *w)
{
	int i = get_global_id(0);
	x[i] = x[i + 1] / x[i + 2] + x[i + 3] % x[i + 4] + mul_hi(x[i], x[i + 5]) +
	       mad24(x[i], x[i + 6], x[i + 7]) + hadd(x[i], x[i + 1]) + rhadd(x[i + 2], x[i + 3]) +
	       add_sat(x[i], x[i + 4]) + sub_sat(x[i], x[i + 2]) + abs(x[i]) + clz(x[i]) +
	       popcount(x[i]) + (x[i] & 0xff0) + (x[i + 9] << x[i + 8]) +
	       bitselect(x[i], x[i + 1], x[i + 2]) + min(x[i], x[i + 1]) + max(x[i + 2], x[i + 3]);
	y[i] = y[i + 1] / y[i + 2] + y[i + 3] % y[i + 4] + mul_hi(y[i], y[i + 5]) +
	       hadd(y[i], y[i + 1]) + rotate(y[i], y[i + 2]) + ctz(y[i]) + ((y[i] >> 5) & 0x7f) +
	       ((y[i] & ~0xff00) | ((y[i + 1] & 0xff) << 8)) + (y[i] & y[i + 1] | y[i + 2]) +
	       (y[i] ^ y[i + 1] ^ y[i + 2]) + (y[i] + y[i + 1] + y[i + 2]);
	z[i] = z[i + 1] * z[i + 2] + z[i + 3] / z[i + 4] + z[i] % 7 + mul_hi(z[i], z[i + 1]) +
	       (z[i] >> x[i]) - z[i + 8] + add_sat(z[i], z[i + 4]) + min(z[i], z[i + 2]) +
	       abs(z[i]);
	w[i] = w[i + 1] * w[i + 2] + w[i + 3] / w[i + 4] + clz(w[i]) + popcount(w[i + 2]) +
	       rotate(w[i], w[i + 3]) - w[i + 5] + (float)w[i + 3] +
	       convert_ulong_sat(*(global float *)(x + i));
}

kernel void halves(global half *h, global half4 *q, global float *f)
{
	int i = get_global_id(0);
	half a = h[i], b = h[i + 1];
	h[i] = a * b + fma(a, b, (half)1.5h) + sqrt(a) + native_recip(b) + exp(a) + sin(b) +
	       fmin(a, b) + floor(b) + (a > b ? a : b + 2.0h);
	q[i] = mad(q[i + 1], q[i + 2], q[i + 3]) + (half4)(f[i]);
	f[i] = convert_float(h[i + 2]) + dot(q[i], q[i + 1]);
}

kernel void atoms(global int *a, local int *l, global float *f, global uint *u, global long *q)
{
	int i = get_local_id(0);
	l[i] = a[i];
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	atomic_add(&l[i & 3], 2);
	atomic_inc(a);
	atomic_min(a + 1, i);
	atomic_xchg(a + 2, i);
	int old = atomic_cmpxchg(a + 3, 1, i);
	atomic_or(l + 5, old);
	atomic_sub(l + 6, 3);
	atomic_dec(l + 7);
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	barrier(CLK_LOCAL_MEM_FENCE);
	f[i] = l[(i + 1) & 63];
	u[i] = atomic_and(u + 100, 3u) + atomic_max(u + 1, 5u);
}

kernel void groups(global int *a, global float *f, global uint *u)
{
	int i = get_global_id(0);
	a[i] = sub_group_reduce_add(a[i]) + sub_group_scan_exclusive_add(i) +
	       sub_group_broadcast(a[i + 1], 3) + sub_group_any(a[i]) + sub_group_all(a[i + 2]);
	f[i] = intel_sub_group_shuffle(f[i], i & 7) + sub_group_reduce_max(f[i + 1]) +
	       intel_sub_group_shuffle_down(f[i], f[i + 1], 2u) +
	       intel_sub_group_shuffle_xor(f[i], 1u);
	u[i] = intel_sub_group_block_read(u) + get_sub_group_local_id();
	intel_sub_group_block_write(u + 64, u[i]);
}

kernel void images(read_only image3d_t a, write_only image2d_t b, read_only image2d_array_t c,
		   read_only image1d_t d, sampler_t s, global float4 *o)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float4 v = read_imagef(a, s, (float4)(at.x, at.y, 1.5f, 0)) +
		   read_imagef(c, s, (int4)(at, 2, 0)) + read_imagef(d, at.x) +
		   convert_float4(read_imageui(c, s, (int4)(at, 1, 0)));
	write_imagef(b, at, v);
	write_imagei(b, at + 1, convert_int4_sat_rte(v));
	o[at.x] = v + (float4)(at.x, at.y, at.x, at.y);
}

typedef struct {
	int k;
	float v[5];
} box;
__attribute__((noinline)) int leaf(int n, global int *a)
{
	if (n & 1) {
		a[n] += 3;
		return n;
	}
	return a[n] * 7;
}

kernel void flow(global int *a, global box *b, int n)
{
	int i = get_global_id(0);
	box c = b[i];
	float keep[40];
	for (int k = 0; k < 40; k++)
		keep[k] = c.v[k % 5] * k;
	for (int k = 0; k < n; k++) {
		if (a[k] == 3)
			continue;
		while (a[k] > i) {
			a[k] -= leaf(k, a);
			if (a[k] == 17)
				goto out;
		}
		for (int j = 0; j < k; j++) {
			if (a[j] < 0)
				return;
			c.k += keep[(a[j] + j) % 40];
			if (c.k > 1000)
				break;
		}
	}
out:
	b[i] = c;
	if (i == 4)
		printf("%d %f\n", c.k, keep[n & 31]);
}

kernel void chars(global char16 *a, global uchar8 *b, global short4 *s, global ushort *t,
		  global char4 *c)
{
	int i = get_global_id(0);
	a[i] = a[i + 1] * a[i + 2] + as_char16(abs_diff(a[i], a[i + 3])) + (a[i] > a[i + 1]);
	b[i] = hadd(b[i], b[i + 1]) + add_sat(b[i + 2], b[i + 3]) +
	       convert_uchar8_sat(convert_int8(b[i + 4]) * 3);
	s[i] = sub_sat(s[i], s[i + 1]) * s[i + 2] + convert_short4(c[i]);
	t[i] = clz(t[i]) + (t[i] >> 3) + mul_hi(t[i], t[i + 1]);
	char4 p = c[i], q = c[i + 1];
	s[i].x += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
}

kernel void conv(global float *f, global int *i, global short *s, global uchar *u, global uint *x)
{
	int k = get_global_id(0);
	f[k] = (float)i[k] + (float)s[k] + (float)x[k] + u[k];
	i[k] = convert_int_rtp(f[k + 1]) + convert_int_rtn(f[k + 2]) + convert_int_rte(f[k + 3]) +
	       (int)f[k + 4];
	x[k] = as_uint(f[k + 3]) + convert_uint_sat(f[k + 8]);
	u[k] = convert_uchar_sat_rte(f[k + 9]);
}

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void doubles(global double *d, global float *f, global long *l, global int *n)
{
	int i = get_global_id(0);
	d[i] = d[i + 1] * d[i + 2] + fma(d[i], d[i + 3], d[i + 4]) - d[i + 5] / d[i + 6] +
	       sqrt(d[i + 7]) + f[i] + n[i] + fmin(d[i], d[i + 1]) + floor(d[i + 2]) +
	       (d[i] > d[i + 1] ? d[i + 3] : 2.5) + exp(d[i]);
	f[i] = (float)d[i + 8];
	n[i] = (int)d[i + 9];
}
#endif
