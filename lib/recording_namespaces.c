// SPDX-License-Identifier: MIT
/* recording_namespaces.c: which pid namespaces the sideband tells of */
#include <errno.h>
#include <stdlib.h>

#include "perf_record.h"
#include "procmap.h"
#include "recording_private.h"

static int by_inode(const void *a, const void *b)
{
	const struct vsamp_recording_namespace *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

static struct vsamp_recording_namespace *namespaces_fold(const struct procmap *pm, size_t *count)
{
	struct vsamp_recording_namespace *list = calloc(pm->procs + 1, sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (size_t i = 0; i < pm->procs; i++)
		if (procmap_namespace_at(pm, i))
			list[n++] = (struct vsamp_recording_namespace){
				.inode = procmap_namespace_at(pm, i),
				.processes = 1,
			};
	qsort(list, n, sizeof(*list), by_inode);
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		if (*count && list[*count - 1].inode == list[i].inode)
			list[*count - 1].processes++;
		else
			list[(*count)++] = list[i];
	}
	return list;
}

int vsamp_recording_namespaces(struct vsamp_recording *rec, struct vsamp_recording_namespace **list,
			       size_t *count, struct vsamp_error *err)
{
	struct vsamp_item item;
	struct procmap pm;
	int ret;

	procmap_init(&pm, NULL);
	vsamp_recording_rewind(rec);
	while ((ret = merge_next_sideband(&rec->merge, &item, err)) > 0) {
		ret = 0;
		/* of others there is no need, nor of modules */
		if (item.sideband->type == PERF_RECORD_NAMESPACES ||
		    item.sideband->type == SIDEBAND_RECORD_NSPID)
			ret = procmap_apply(&pm, item.sideband);
		if (ret) {
			ret = vsamp_fail(err, ret, "out of memory");
			break;
		}
	}
	*count = 0;
	*list = ret < 0 ? NULL : namespaces_fold(&pm, count);
	procmap_free(&pm);
	if (!*list && !ret)
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	return ret;
}
