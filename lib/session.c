// SPDX-License-Identifier: MIT
/* Sessions, whatever counts: each call goes to the backend */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

int vsamp_session_open(struct vsamp_session **session, uint32_t backend, struct vsamp_error *err)
{
	switch (backend) {
	case VSAMP_BACKEND_INTEL:
	case VSAMP_BACKEND_KPERF:
		return module_session_open(session, backend, err);
	case VSAMP_BACKEND_PERF:
		return perf_session_open(session, err);
	default:
		return vsamp_fail(err, -EOPNOTSUPP, "there is no backend %u", backend);
	}
}

void vsamp_session_close(struct vsamp_session *session)
{
	if (session)
		session->ops->close(session);
}

int vsamp_session_fd(const struct vsamp_session *session)
{
	return session->fd;
}

int vsamp_session_configure(struct vsamp_session *session, const struct vsamp_config *config,
			    struct vsamp_error *err)
{
	if (!config->n_events || config->n_events > VSAMP_EVENTS_MAX ||
	    config->n_pids > VSAMP_PIDS_MAX || config->n_cgroups > VSAMP_CGROUPS_MAX ||
	    (config->cpus && strlen(config->cpus) > 4096))
		return vsamp_fail(err, -E2BIG,
				  "at least one event; at most %d events, %d processes, %d cgroups",
				  VSAMP_EVENTS_MAX, VSAMP_PIDS_MAX, VSAMP_CGROUPS_MAX);
	return session->ops->configure(session, config, err);
}

int vsamp_session_start(struct vsamp_session *session, struct vsamp_error *err)
{
	return session->ops->start(session, err);
}

int vsamp_session_stop(struct vsamp_session *session, struct vsamp_error *err)
{
	return session->ops->stop(session, err);
}

int vsamp_session_pause(struct vsamp_session *session, struct vsamp_error *err)
{
	return session->ops->pause(session, err);
}

int vsamp_session_resume(struct vsamp_session *session, struct vsamp_error *err)
{
	return session->ops->resume(session, err);
}

int vsamp_session_set_sav(struct vsamp_session *session, unsigned int event, uint64_t sav,
			  bool force, struct vsamp_error *err)
{
	return session->ops->set_sav(session, event, sav, force, err);
}

int vsamp_session_ring(struct vsamp_session *session, uint32_t cpu, struct vsamp_ring **ring,
		       struct vsamp_error *err)
{
	return session->ops->ring(session, cpu, ring, err);
}

void *session_row_add(void **rows, unsigned int *n, size_t size)
{
	char *more = reallocarray(*rows, *n + 1, size);

	if (!more)
		return NULL;
	*rows = more;
	more += *n * size;
	memset(more, 0, size);
	(*n)++;
	return more;
}

static int row_cpu_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b; /* both kinds of row begin with the CPU */

	return *x < *y ? -1 : *x > *y;
}

int vsamp_caps_get(struct vsamp_caps *caps, uint32_t backend, struct vsamp_error *err)
{
	int ret;

	memset(caps, 0, sizeof(*caps));
	ret = backend == VSAMP_BACKEND_PERF ? perf_caps_get(caps, err) :
					      module_caps_get(caps, backend, err);
	if (ret)
		vsamp_caps_free(caps);
	else
		qsort(caps->cpu, caps->n, sizeof(*caps->cpu), row_cpu_compare);
	return ret;
}

void vsamp_caps_free(struct vsamp_caps *caps)
{
	free(caps->cpu);
	memset(caps, 0, sizeof(*caps));
}

int vsamp_session_stats(struct vsamp_session *session, struct vsamp_stats *stats,
			struct vsamp_error *err)
{
	int ret;

	memset(stats, 0, sizeof(*stats));
	ret = session->ops->stats(session, stats, err);
	if (ret)
		vsamp_stats_free(stats);
	else if (stats->n)
		qsort(stats->cpu, stats->n, sizeof(*stats->cpu), row_cpu_compare);
	return ret;
}

void vsamp_stats_free(struct vsamp_stats *stats)
{
	free(stats->cpu);
	memset(stats, 0, sizeof(*stats));
}
