/* SPDX-License-Identifier: MIT */
/* The kernel's test harness, and what our tests add to it */
#ifndef HARNESS_H
#define HARNESS_H

#include <kselftest_harness.h>

/* Refused, with a text, and with the attribute that is at fault (0: none is) */
#define EXPECT_REFUSED(ret, attr)                       \
	do {                                            \
		EXPECT_GT(0, ret);                      \
		EXPECT_STRNE("", self->c.text);         \
		EXPECT_EQ(attr, self->c.bad_attr)       \
		{                                       \
			TH_LOG("\"%s\"", self->c.text); \
		}                                       \
	} while (0)

#endif
