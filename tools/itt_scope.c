// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "itt_scope.h"
#include "options.h"

#define ANCESTORS_MAX 1000 /* /proc changes while it is read */

/* 0: it is gone, or has none */
static uint32_t parent_of(uint32_t pid, const char *proc)
{
	char path[128], line[1024];
	const char *end;
	unsigned int parent = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u/stat", proc, pid);
	f = fopen(path, "re");
	/* Its name, in brackets, may have any characters */
	if (f && fgets(line, sizeof(line), f) && (end = strrchr(line, ')')))
		sscanf(end + 1, " %*c %u", &parent);
	if (f)
		fclose(f);
	return parent;
}

static bool pids_have(const struct options *o, uint32_t pid)
{
	for (unsigned int i = 0; i < o->n_pids; i++)
		if ((uint32_t)o->pids[i] == pid)
			return true;
	return false;
}

static bool family_has(const struct options *o, uint32_t pid, const char *proc)
{
	for (int i = 0; pid && i < ANCESTORS_MAX; i++) {
		if (pids_have(o, pid))
			return true;
		pid = o->children ? parent_of(pid, proc) : 0;
	}
	return false;
}

static bool is_below(const char *path, const char *cgroup)
{
	size_t length;

	path += *path == '/';
	cgroup += *cgroup == '/';
	length = strlen(cgroup);
	return !length ||
	       (!strncmp(path, cgroup, length) && (!path[length] || path[length] == '/'));
}

static bool cgroups_have(const struct vsamp_cgroups *cgroups, uint32_t pid, const char *proc)
{
	char path[128], line[8192];
	bool has = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u/cgroup", proc, pid);
	f = fopen(path, "re");
	while (f && !has && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		for (unsigned int i = 0; i < cgroups->n && !strncmp(line, "0::", 3); i++)
			has |= is_below(line + 3, cgroups->name[i]);
	}
	if (f)
		fclose(f);
	return has;
}

bool itt_scope_look(const void *options, uint32_t pid, const char *proc)
{
	const struct options *o = options;

	if (o->n_pids)
		return family_has(o, pid, proc);
	return !o->cgroups.n || cgroups_have(&o->cgroups, pid, proc);
}

bool itt_scope_has(void *options, uint32_t pid)
{
	return itt_scope_look(options, pid, "/proc");
}
