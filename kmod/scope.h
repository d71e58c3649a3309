/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_SCOPE_H
#define _VSAMP_SCOPE_H

#include <linux/types.h>

struct netlink_ext_ack;
struct session;

int scope_start(struct session *session, struct netlink_ext_ack *extack);
void scope_stop(void);
bool scope_enter(void);

#endif /* _VSAMP_SCOPE_H */
