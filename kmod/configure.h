/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_CONFIGURE_H
#define _VSAMP_CONFIGURE_H

#include <net/netlink.h>

#include <vsamp.h>

struct genl_info;
struct session;
struct session_config;

#define CONFIGURE_ATTR_MAX VSAMP_A_CGROUP_FD

extern const struct nla_policy configure_policy[CONFIGURE_ATTR_MAX + 1];

extern const struct nla_policy configure_sav_policy[VSAMP_A_EVENT + 1];

int configure_parse(struct session_config *config, struct genl_info *info);

extern const struct nla_policy configure_event_policy[VSAMP_EVENT_A_MAX + 1];

bool configure_is_kperf(const struct session_config *config);
int configure_parse_event(struct session_config *config, const struct nlattr **events,
			  const struct nlattr *attr, struct netlink_ext_ack *extack);
int configure_parse_sets(struct session_config *config, const struct nlattr **events,
			 struct nlattr **attrs, struct netlink_ext_ack *extack);

/* Of a ring, whose size and watermark have defaults */
int configure_parse_ring(u32 *size, u32 *watermark, struct nlattr **attrs,
			 struct netlink_ext_ack *extack);

int configure_check_sav(const struct nlattr *attr, u32 flags, struct netlink_ext_ack *extack);
int configure_parse_sav(const struct session *session, u64 *sav, struct genl_info *info);

#endif /* _VSAMP_CONFIGURE_H */
