// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups of a scope: whose processes, and those of cgroups below them, a session counts
 *
 * Which cgroup a task is in is looked up in the tree of version 2, whenever the task comes to a CPU
 * and when it execs: often it has moved itself just before. One that is moved while it runs, and
 * does neither, is counted as before until it does. What is known of a cgroup that is removed is
 * kept until the session is closed.
 */
#include <linux/cgroup.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/stringify.h>

#include "scope.h"
#include "session.h"

#ifdef CONFIG_CGROUPS

/*
 * scope_cgroup_add() - make a cgroup one of the scope
 * @fd: of its folder, open in the calling process
 */
int scope_cgroup_add(struct session_config *config, int fd, struct netlink_ext_ack *extack)
{
	struct cgroup *cgroup;

	if (config->cgroup_count == VSAMP_CGROUPS_MAX) {
		NL_SET_ERR_MSG(extack, "more than " __stringify(VSAMP_CGROUPS_MAX) " cgroups");
		return -E2BIG;
	}
	if (!config->cgroups)
		config->cgroups = kcalloc(VSAMP_CGROUPS_MAX, sizeof(*config->cgroups),
					  GFP_KERNEL_ACCOUNT);
	if (!config->cgroups)
		return -ENOMEM;
	cgroup = cgroup_get_from_fd(fd);
	if (IS_ERR(cgroup)) {
		if (PTR_ERR(cgroup) == -ENOENT)
			NL_SET_ERR_MSG(extack, "this cgroup has been removed");
		else
			NL_SET_ERR_MSG(extack, "not a folder of the cgroup v2 tree");
		return PTR_ERR(cgroup);
	}
	config->cgroups[config->cgroup_count++] = cgroup;
	return 0;
}

void scope_cgroups_free(struct session_config *config)
{
	while (config->cgroup_count)
		cgroup_put(config->cgroups[--config->cgroup_count]);
	kfree(config->cgroups);
	config->cgroups = NULL;
}

bool scope_cgroups_have(const struct session_config *config, struct task_struct *task)
{
	struct cgroup *cgroup;
	bool found = false;
	unsigned int i;

	rcu_read_lock();
	cgroup = task_dfl_cgroup(task);
	for (i = 0; i < config->cgroup_count && !found; i++)
		found = cgroup_is_descendant(cgroup, config->cgroups[i]);
	rcu_read_unlock();
	return found;
}

#else /* !CONFIG_CGROUPS */

int scope_cgroup_add(struct session_config *config, int fd, struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "this kernel is built without cgroups");
	return -EOPNOTSUPP;
}

void scope_cgroups_free(struct session_config *config)
{
}

bool scope_cgroups_have(const struct session_config *config, struct task_struct *task)
{
	return false;
}

#endif
