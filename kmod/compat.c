// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/kernel.h>

#include "compat.h"

/* The next of the buffers that compat.h tells of */
char *compat_text(void)
{
	static char text[64][COMPAT_TEXT_SIZE];
	static atomic_t next;

	return text[(unsigned int)atomic_inc_return(&next) % ARRAY_SIZE(text)];
}
