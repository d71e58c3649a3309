// SPDX-License-Identifier: MIT
/* A library that comes and goes, with a static part of its own */
#include "ittnotify.h"

void plugin_run(void);
void plugin_run(void)
{
	__itt_domain *d = __itt_domain_create("plugin");

	__itt_task_begin(d, __itt_null, __itt_null, __itt_string_handle_create("plugged"));
	__itt_task_end(d);
}

/* Its static part is between both, so that it is amid a library that is loaded where it was */
char plugin_before[768 << 10] = { 1 }, plugin_data[256 << 10];

/* The end of its static part */
void plugin_end(void);
void plugin_end(void)
{
	__itt_fini_ittlib();
}
