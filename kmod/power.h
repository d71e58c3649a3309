/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_POWER_H
#define _VSAMP_POWER_H

int power_init(void);
void power_exit(void);

#endif /* _VSAMP_POWER_H */
