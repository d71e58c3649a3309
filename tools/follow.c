// SPDX-License-Identifier: MIT
#include "follow.h"
#include "say.h"

/* Without the module there is one run, whose processes may be all that is followed */
static bool follows_processes(const struct options *o, const struct run *r)
{
	return r->backend == VSAMP_BACKEND_PERF && (run_is_launch(o) || o->n_pids);
}

int follow_open(struct vsamp_sideband **sideband, const struct options *o, const struct run *r,
		struct vsamp_error *err)
{
	size_t size = o->sideband_size ? o->sideband_size : VSAMP_SIDEBAND_SIZE_DEFAULT;
	int ret;

	if (!follows_processes(o, r))
		ret = vsamp_sideband_open(sideband, size, err);
	else if (run_is_launch(o))
		ret = vsamp_sideband_open_processes(sideband, size, &r->child.pid, 1, o->children,
						    err);
	else
		ret = vsamp_sideband_open_processes(sideband, size, o->pids, o->n_pids, o->children,
						    err);
	if (!ret && vsamp_sideband_size(*sideband) < size)
		say("sideband: the locked-memory limit (ulimit -l, kernel.perf_event_mlock_kb) allows buffers of %zu KiB only, not %zu",
		    vsamp_sideband_size(*sideband) >> 10, size >> 10);
	return ret;
}

int follow_synthesize(struct vsamp_writer *w, const struct options *o, const struct run *r,
		      struct vsamp_error *err)
{
	int ret = 0;

	if (run_is_launch(o))
		return vsamp_sideband_synthesize(w, r->child.pid, err);
	if (!follows_processes(o, r))
		return vsamp_sideband_synthesize(w, 0, err);
	for (unsigned int i = 0; i < o->n_pids && !ret; i++)
		ret = vsamp_sideband_synthesize(w, o->pids[i], err);
	return ret;
}
