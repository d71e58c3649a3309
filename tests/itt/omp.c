// SPDX-License-Identifier: MIT
/* What LLVM's OpenMP tells of by itself: regions, loops, barriers and what is waited for */
#include <omp.h>

int main(void)
{
	omp_lock_t lock;
	double sum = 0;

	omp_init_lock(&lock);
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 1000; i++)
		sum += i;
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier
#pragma omp critical
		sum += 1;
#pragma omp single
		{
#pragma omp task
			omp_set_lock(&lock), omp_unset_lock(&lock);
#pragma omp taskwait
		}
	}
	omp_destroy_lock(&lock);
	return sum != 499503;
}
