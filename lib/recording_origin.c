// SPDX-License-Identifier: MIT
/* recording_origin.c: where and when a recording was made, beside where we are */
#include <vsamp/machine.h>

#include "recording_private.h"

/* CLOCK records come every second at most while samples do */
#define CLOCK_EVERY_S 2

static uint64_t ended(const struct vsamp_recording *rec)
{
	uint64_t last = 0;

	for (size_t i = 0; i < rec->cpus; i++) {
		const struct recording_told *told = rec->told[rec->cpu[i].cpu];

		if (told && told->realtime > last)
			last = told->realtime;
	}
	return last ? last / 1000000000 + CLOCK_EVERY_S : 0;
}

void recording_origin(const struct vsamp_recording *rec, struct module_origin *origin)
{
	struct vsamp_machine here;
	uint64_t pids = recording_meta_pid_namespace(rec);

	vsamp_machine_get(&here);
	*origin = (struct module_origin){
		.same_boot = here.boot_id[0] && !strcmp(here.boot_id, rec->boot_id),
		.ended = ended(rec),
		.monotonic = rec->monotonic,
	};
	origin->same_pids = origin->same_boot && pids == here.pid_namespace;
	recording_meta_id(rec, "vdso_build_id", &origin->vdso);
	recording_meta_id(rec, "kernel_build_id", &origin->kernel);
}
