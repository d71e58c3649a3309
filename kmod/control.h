/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_CONTROL_H
#define _VSAMP_CONTROL_H

#include <linux/types.h>

struct genl_family;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;

extern struct genl_family control_family;

#define CONTROL_POLICY_FD NLA_POLICY_VALIDATE_FN(NLA_BINARY, control_check_fd, sizeof(u32))

int control_check_fd(const struct nlattr *attr, struct netlink_ext_ack *extack);

int control_put_u64(struct sk_buff *skb, int type, u64 value);

int control_init(void);
void control_exit(void);

#endif /* _VSAMP_CONTROL_H */
