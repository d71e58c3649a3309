/* SPDX-License-Identifier: MIT */
/* Kernels that go in as many ways as C has */
kernel void nests(global int *a, global int *b, int n, int m)
{
	int i = get_global_id(0), s = 0;

	for (int j = 0; j < a[i]; j++) {
		if (b[j] < 0)
			continue;
		for (int k = j; k < b[i]; k++) {
			if (a[k] == n)
				break;
			if (a[k] == m)
				goto next;
			int t = a[k];
			do {
				if (t & 4)
					continue;
				s += t;
				if (s > 10000)
					return;
			} while ((t = t * 3 / 4 + b[t & 15]) > i);
		}
		s ^= j;
next:
		while (s > n)
			s -= a[s & 31] | 1;
	}
	b[i] = s;
}

kernel void uniform(global int *a, int n, int m)
{
	int s = 0;

	for (int j = 0; j < n; j++) {
		if (a[j] == m)
			continue;
		if (a[j] > n * m)
			break;
		switch (a[j] % 6) {
		case 0: s += 3; break;
		case 1: s *= a[j + 1];
		case 2: s -= m; break;
		case 4: for (int k = 0; k < m; k++) s ^= a[k]; break;
		}
	}
	a[get_global_id(0)] = s;
}

kernel void many(global int *a, global float *f)
{
	int i = get_global_id(0), v = a[i];

	switch (v) {
	case 0: f[i] = sin(f[i]); break;
	case 1: f[i] = cos(f[i]); break;
	case 2: f[i] += 3; /* fall through */
	case 3: f[i] *= 2; break;
	case 4: if (f[i] > 0) f[i] = sqrt(f[i]); else return; break;
	case 5: barrier(CLK_LOCAL_MEM_FENCE); break;
	case 6: while (f[i] > 1) f[i] *= 0.5f; break;
	case 7: f[i] = a[i + 1]; break;
	case 8: f[i] = a[i + 2] * 3; break;
	case 100: f[i] = 100; break;
	case 2000: f[i] = a[-i]; break;
	default: a[i] = 0;
	}
}

kernel void irregular(global int *a, int n)
{
	int i = get_global_id(0), v = a[i];

	if (v & 1)
		goto second;
first:
	v += n;
	if (v % 5 == 0)
		goto third;
second:
	v = v * 3 + 1;
	if (v > 1000)
		goto out;
	if (v & 2)
		goto first;
third:
	v >>= 1;
	if (v > 3)
		goto second;
out:
	a[i] = v;
}

kernel void waits(global int *a, local int *l, global volatile int *flag)
{
	int i = get_local_id(0);

	for (int s = 1; s < 64; s <<= 1) {
		l[i] = a[i] + s;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l[i ^ s] > 4)
			a[i] += l[i ^ s];
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
	while (!*flag)
		mem_fence(CLK_GLOBAL_MEM_FENCE);
	if (i == 0)
		atomic_xchg(flag, 0);
}

__attribute__((reqd_work_group_size(8, 8, 1))) kernel void fixed(global int *a)
{
	a[get_global_id(0) + 64 * get_global_id(1)] += get_local_id(1);
}

#ifndef NO_EIGHT
__attribute__((intel_reqd_sub_group_size(8)))
#endif
kernel void eight(global int *a, global long *b)
{
	int i = get_global_id(0);

	while (a[i] > 3)
		a[i] -= b[i] % 7;
}

__attribute__((intel_reqd_sub_group_size(16))) kernel void sixteen(global int *a, global long *b)
{
	int i = get_global_id(0);

	while (a[i] > 3)
		a[i] -= b[i] % 7;
}

__attribute__((intel_reqd_sub_group_size(32))) kernel void thirty_two(global int *a, global short *b)
{
	int i = get_global_id(0);

	while (a[i] > 3) {
		if (b[i] == 5)
			break;
		a[i] -= b[i] & 7;
	}
}
