/* SPDX-License-Identifier: MIT */
/* Functions that call functions, one of them itself where the compiler can do that */
int leaf(int x, global int *a);
long middle(long x, global int *a, float f);
__attribute__((noinline)) int leaf(int x, global int *a)
{
	int t[10];

	for (int i = 0; i < 10; i++)
		t[i] = a[i] * x;
	for (int i = 0; i < x; i++)
		a[i] += t[(x + i) % 10];
	return x < 2 ? x : t[x % 10] * 3 - 1;
}

__attribute__((noinline)) long middle(long x, global int *a, float f)
{
	if (f > 3)
		return leaf((int)x, a) + leaf((int)f, a + 1);
	while (x > f)
		x -= leaf((int)x & 15, a) | 1;
	return x;
}

__attribute__((noinline)) float16 wide(float16 a, float16 b, int n)
{
	for (int i = 0; i < n; i++)
		a = a * b + i;
	return a;
}

kernel void caller(global int *a, global float *f, int n)
{
	int i = get_global_id(0);

	a[i] = middle(a[i], a, f[i]);
	if (f[i] > 2)
		f[i] = leaf(n, a);
}

kernel void vectors(global float16 *f, int n)
{
	int i = get_global_id(0);

	f[i] = wide(f[i], f[i + 1], n);
}

kernel void plain(global int *a)
{
	a[get_global_id(0)]++;
}
