// SPDX-License-Identifier: GPL-2.0
/* a dump has a struct genl_info (6.7) */
#include <net/genetlink.h>

struct nlattr **probe(struct netlink_callback *cb);
struct nlattr **probe(struct netlink_callback *cb)
{
	return genl_info_dump(cb)->attrs;
}
