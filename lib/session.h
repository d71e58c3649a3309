/* SPDX-License-Identifier: MIT */
/* What a session is to the library: what its backend does for each call of vsamp/control.h */
#ifndef SESSION_H
#define SESSION_H

#include <vsamp/control.h>
#include <vsamp/ring.h>

struct session_ops {
	bool silent; /* its fd doesn't tell of CPUs that come and go: statistics do */
	void (*close)(struct vsamp_session *s);
	int (*configure)(struct vsamp_session *s, const struct vsamp_config *config,
			 struct vsamp_error *err);
	int (*start)(struct vsamp_session *s, struct vsamp_error *err);
	int (*stop)(struct vsamp_session *s, struct vsamp_error *err);
	int (*pause)(struct vsamp_session *s, struct vsamp_error *err);
	int (*resume)(struct vsamp_session *s, struct vsamp_error *err);
	int (*set_sav)(struct vsamp_session *s, unsigned int event, uint64_t sav, bool force,
		       struct vsamp_error *err);
	/* *stats is zeroed; rows may come in any order, and are freed by the caller on errors */
	int (*stats)(struct vsamp_session *s, struct vsamp_stats *stats, struct vsamp_error *err);
	int (*ring)(struct vsamp_session *s, uint32_t cpu, struct vsamp_ring **ring,
		    struct vsamp_error *err);
};

/* The first member of each backend's own */
struct vsamp_session {
	const struct session_ops *ops;
	int fd;
};

/* Of the module, control.c; *caps is zeroed and freed by the caller on errors */
int module_session_open(struct vsamp_session **session, uint32_t backend, struct vsamp_error *err);
int module_caps_get(struct vsamp_caps *caps, uint32_t backend, struct vsamp_error *err);

/* For all that talks to the module. A device's file descriptor, or a negative errno value */
struct netlink;
struct netlink_error;
int control_device_open(const char *device, struct vsamp_error *err);
int control_connect(struct netlink *nl, struct vsamp_error *err);
/* The error's code; what: whose fault it is, NULL: not known */
int control_refused(const struct netlink_error *e, const char *doing, const char *what,
		    struct vsamp_error *err);

/* Of perf_event_open(2): perf_source.c, perf_caps.c */
int perf_session_open(struct vsamp_session **session, struct vsamp_error *err);
int perf_caps_get(struct vsamp_caps *caps, struct vsamp_error *err);

/* A row more, zeroed, in an array of rows of a size; NULL: no memory */
void *session_row_add(void **rows, unsigned int *n, size_t size);

#endif
