/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_SELFTEST_H
#define _VSAMP_SELFTEST_H

#ifdef VSAMP_SELFTEST
int selftest_run(void);
#else
static inline int selftest_run(void)
{
	return 0;
}
#endif

#endif /* _VSAMP_SELFTEST_H */
