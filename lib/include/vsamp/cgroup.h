/* SPDX-License-Identifier: MIT */
/*
 * vsamp/cgroup.h: cgroups by their names in the tree of version 2
 *
 * Thread-safe for distinct objects.
 */
#ifndef VSAMP_CGROUP_H
#define VSAMP_CGROUP_H

#include <vsamp/error.h>

#include "vsamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* None is another, or below another: each process is in one of them at most */
struct vsamp_cgroups {
	unsigned int n;
	int fd[VSAMP_CGROUPS_MAX];     /* of the folders */
	char *name[VSAMP_CGROUPS_MAX]; /* below the mount point, "/": the uppermost */
};

/**
 * vsamp_cgroups_open - add the cgroups of a list
 * @cgroups: {0} at first; on errors what was added before stays
 * @list: "system.slice/ssh.service,/sys/fs/cgroup/user.slice": names below the mount point of the
 *	  cgroup v2 tree, or whole paths
 *
 * One that is, or is below, another one is left out. Errors: -ENOENT no such cgroup; -ENOTDIR,
 * -EBADF what is named isn't a cgroup; -ENOTSUP the tree isn't mounted, or this machine's cgroups
 * are of version 1; -E2BIG; of open(2).
 */
int vsamp_cgroups_open(struct vsamp_cgroups *cgroups, const char *list, struct vsamp_error *err);
void vsamp_cgroups_close(struct vsamp_cgroups *cgroups);

#ifdef __cplusplus
}
#endif

#endif
