/* SPDX-License-Identifier: MIT */
/* A kernel with a function that has a symbol, where the compiler is told to call it through a stack */
int helper(int x, global int *a);
__attribute__((noinline)) int helper(int x, global int *a)
{
	for (int i = 0; i < x; i++)
		a[i] += x;
	return x < 2 ? x : x * 3 - 1;
}

kernel void one(global int *a, int n)
{
	int i = get_global_id(0);

	a[i] = helper(a[i], a) + helper(n, a);
}

kernel void two(global int *a, int n)
{
	a[get_global_id(0)] = n;
}
