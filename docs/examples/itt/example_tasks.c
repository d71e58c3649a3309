// SPDX-License-Identifier: MIT
/* A domain and names at file scope, and a task in a task: 3 units of work in "My Task", 1 of them in
 * "My SubTask". In C, what is at file scope can't be created there. */
#include "ittnotify.h"
#include "work.h"

#ifdef __cplusplus
static __itt_domain *domain = __itt_domain_create("MyTraces.MyDomain");
static __itt_string_handle *my_task = __itt_string_handle_create("My Task");
static __itt_string_handle *my_subtask = __itt_string_handle_create("My SubTask");
static void create(void)
{
}
#else
static __itt_domain *domain;
static __itt_string_handle *my_task, *my_subtask;
static void create(void)
{
	domain = __itt_domain_create("MyTraces.MyDomain");
	my_task = __itt_string_handle_create("My Task");
	my_subtask = __itt_string_handle_create("My SubTask");
}
#endif

int main(void)
{
	create();
	__itt_task_begin(domain, __itt_null, __itt_null, my_task);
	work(1);
	__itt_task_begin(domain, __itt_null, __itt_null, my_subtask);
	work(1);
	__itt_task_end(domain);
	work(1);
	__itt_task_end(domain);
	return 0;
}
