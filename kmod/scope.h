/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_SCOPE_H
#define _VSAMP_SCOPE_H

#include <linux/types.h>

struct netlink_ext_ack;
struct session;
struct session_config;
struct task_struct;

int scope_start(struct session *session, struct netlink_ext_ack *extack);
void scope_stop(void);
bool scope_enter(void);

/* scope_cgroup.c */
int scope_cgroup_add(struct session_config *config, int fd, struct netlink_ext_ack *extack);
void scope_cgroups_free(struct session_config *config);
bool scope_cgroups_have(const struct session_config *config, struct task_struct *task);

#endif /* _VSAMP_SCOPE_H */
