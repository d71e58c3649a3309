/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_OA_CONTROL_H
#define _VSAMP_OA_CONTROL_H

#include <net/netlink.h>

#include <vsamp.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;

extern const struct nla_policy oa_control_policy[VSAMP_A_GPU_BUFFER + 1];
extern const struct nla_policy oa_control_stream_policy[VSAMP_A_SESSION_FD + 1];

int oa_control_get(struct sk_buff *skb, struct netlink_callback *cb);
int oa_control_configure(struct sk_buff *skb, struct genl_info *info);
int oa_control_run(struct sk_buff *skb, struct genl_info *info);
int oa_control_stats_start(struct netlink_callback *cb);
int oa_control_stats(struct sk_buff *skb, struct netlink_callback *cb);
int oa_control_stats_done(struct netlink_callback *cb);

#endif /* _VSAMP_OA_CONTROL_H */
