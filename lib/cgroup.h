/* SPDX-License-Identifier: MIT */
#ifndef CGROUP_H
#define CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include <vsamp/error.h>

/* Where the cgroup v2 tree is mounted, by a mountinfo (proc(5)) */
int cgroup_mount(const char *mountinfo, char *out, size_t size, struct vsamp_error *err);

/* Is a folder the other, or below it? Of paths without "." and ".." */
bool cgroup_is_below(const char *path, const char *other);

#endif
