/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_CONFIGURE_H
#define _VSAMP_CONFIGURE_H

#include <net/netlink.h>

#include <vsamp.h>

struct genl_info;
struct session_config;

extern const struct nla_policy configure_policy[VSAMP_A_PMI_LIMIT + 1];

int configure_parse(struct session_config *config, struct genl_info *info);

#endif /* _VSAMP_CONFIGURE_H */
