/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_CONTROL_H
#define _VSAMP_CONTROL_H

int control_init(void);
void control_exit(void);

#endif /* _VSAMP_CONTROL_H */
