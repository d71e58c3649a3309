/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_USER_IP_H
#define _VSAMP_USER_IP_H

#include <linux/types.h>

struct pt_regs;

void user_ip_init(void);
u64 user_ip(struct pt_regs *regs);

#endif /* _VSAMP_USER_IP_H */
