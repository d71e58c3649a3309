// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"
#include "terminal.h"

#define PROGRESS_NS 1000000000ULL

void progress_begin(struct progress *p, uint64_t total_ns, bool quiet)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	*p = (struct progress){
		.began_ns = now,
		.total_ns = total_ns,
		.next_ns = quiet || !terminal_draws(STDERR_FILENO) ? UINT64_MAX : now + PROGRESS_NS,
	};
}

uint64_t progress_show(struct progress *p, uint64_t deadline)
{
	uint64_t now = p->next_ns == UINT64_MAX ? 0 : clock_ns(CLOCK_MONOTONIC);
	char total[32] = "";

	if (now >= p->next_ns) {
		if (p->total_ns)
			snprintf(total, sizeof(total), " of %g", p->total_ns / 1e9);
		fprintf(stderr, "\r\033[K%.0f%s s", (now - p->began_ns) / 1e9, total);
		p->shown = true;
		p->next_ns = now + PROGRESS_NS;
	}
	return deadline && deadline < p->next_ns ? deadline : p->next_ns;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->next_ns = UINT64_MAX;
}
