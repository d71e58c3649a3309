// SPDX-License-Identifier: MIT
/* Sessions: /dev/vsamp, and requests for it to the control family */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vsamp/control.h>
#include <vsamp/holder.h>

#include "netlink.h"

struct vsamp_session {
	struct netlink nl;
	int fd;
	char first_event[VSAMP_EVENT_NAME_MAX]; /* for texts */
};

/* What a request said, so that a refusal can name what is at fault */
struct request_names {
	const struct vsamp_config *config;
	uint32_t event_start[VSAMP_EVENTS_MAX]; /* offset of each event's attribute */
	uint32_t event_end;
};

static int netlink_text(const struct netlink_error *e, const char *doing, const char *what,
			struct vsamp_error *err)
{
	if (e->text[0])
		return vsamp_fail(err, e->code, "%s%s%s", what ? what : "", what ? ": " : "",
				  e->text);
	return vsamp_fail(err, e->code, "%s%svsamp's module refused to %s: %s", what ? what : "",
			  what ? ": " : "", doing, strerror(-e->code));
}

static int device_open(struct vsamp_error *err)
{
	int fd = open(VSAMP_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	switch (errno) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return vsamp_fail(
			err, -ENOENT,
			"%s: the kernel module is not loaded; load it with 'modprobe vsamp'",
			VSAMP_DEVICE);
	case EACCES:
		return vsamp_fail(
			err, -EACCES,
			"%s: no permission: run as root, or with CAP_PERFMON and access to the device",
			VSAMP_DEVICE);
	case EPERM:
		return vsamp_fail(
			err, -EPERM,
			"%s: kernel lockdown forbids it (/sys/kernel/security/lockdown is 'confidentiality')",
			VSAMP_DEVICE);
	case EXDEV:
		return vsamp_fail(
			err, -EXDEV,
			"%s: samples carry the pids of the initial pid namespace, and this process is in another: run vsamp outside the container",
			VSAMP_DEVICE);
	default:
		return vsamp_fail(err, -errno, "%s: %s", VSAMP_DEVICE, strerror(errno));
	}
}

static int control_connect(struct netlink *nl, struct vsamp_error *err)
{
	int ret = netlink_open(nl, VSAMP_GENL_NAME);

	if (ret == -ENOENT)
		return vsamp_fail(err, ret,
				  "the kernel module is not loaded; load it with 'modprobe vsamp'");
	if (ret)
		return vsamp_fail(err, ret, "generic netlink: %s", strerror(-ret));
	return 0;
}

int vsamp_session_open(struct vsamp_session **session, struct vsamp_error *err)
{
	struct vsamp_session *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	s->fd = device_open(err);
	if (s->fd < 0) {
		ret = s->fd;
		goto err_free;
	}
	ret = control_connect(&s->nl, err);
	if (ret)
		goto err_close;
	*session = s;
	return 0;

err_close:
	close(s->fd);
err_free:
	free(s);
	return ret;
}

void vsamp_session_close(struct vsamp_session *session)
{
	if (!session)
		return;
	netlink_close(&session->nl);
	close(session->fd);
	free(session);
}

int vsamp_session_fd(const struct vsamp_session *session)
{
	return session->fd;
}

static struct nlmsghdr *session_request(struct vsamp_session *s, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = netlink_request(&s->nl, cmd, flags);

	mnl_attr_put_u32(nlh, VSAMP_A_SESSION_FD, s->fd);
	return nlh;
}

static void config_put_events(struct nlmsghdr *nlh, const struct vsamp_config *config,
			      struct request_names *names)
{
	for (unsigned int i = 0; i < config->n_events; i++) {
		const struct vsamp_event *ev = &config->events[i];
		struct nlattr *nest;
		uint32_t flags = 0;

		if (ev->user)
			flags |= VSAMP_EVENT_USER;
		if (ev->kernel)
			flags |= VSAMP_EVENT_KERNEL;
		if (config->force)
			flags |= VSAMP_EVENT_FORCE;
		names->event_start[i] = nlh->nlmsg_len;
		nest = mnl_attr_nest_start(nlh, VSAMP_A_EVENT);
		mnl_attr_put_u64(nlh, VSAMP_EVENT_A_CONFIG, ev->config);
		mnl_attr_put_u32(nlh, VSAMP_EVENT_A_COUNTER, ev->counter);
		mnl_attr_put_u64(nlh, VSAMP_EVENT_A_SAV, config->count_only ? 0 : ev->sav);
		mnl_attr_put_u32(nlh, VSAMP_EVENT_A_FLAGS, flags);
		mnl_attr_nest_end(nlh, nest);
	}
	names->event_end = nlh->nlmsg_len;
}

static void config_put(struct nlmsghdr *nlh, const struct vsamp_config *config,
		       struct request_names *names)
{
	mnl_attr_put_u32(nlh, VSAMP_A_BACKEND, VSAMP_BACKEND_INTEL);
	config_put_events(nlh, config, names);
	if (config->cpus)
		mnl_attr_put_strz(nlh, VSAMP_A_CPUS, config->cpus);
	for (unsigned int i = 0; i < config->n_pids; i++)
		mnl_attr_put_u32(nlh, VSAMP_A_PID, config->pids[i]);
	if (config->flags)
		mnl_attr_put_u32(nlh, VSAMP_A_FLAGS, config->flags);
	if (config->ring_size)
		mnl_attr_put_u32(nlh, VSAMP_A_RING_SIZE, config->ring_size);
	if (config->pmi_limit)
		mnl_attr_put_u32(nlh, VSAMP_A_PMI_LIMIT, config->pmi_limit);
}

/* Names what the attribute at an offset of the request was; NULL: nothing to say */
static const char *request_culprit(const struct nlmsghdr *nlh, const struct request_names *names,
				   uint32_t offset, char *out, size_t size)
{
	const struct vsamp_config *config = names->config;
	const struct nlattr *attr;

	for (unsigned int i = config->n_events; i-- > 0;)
		if (offset >= names->event_start[i] && offset < names->event_end)
			return config->events[i].name;
	if (!offset || offset + sizeof(*attr) > nlh->nlmsg_len)
		return NULL;
	attr = (const struct nlattr *)((const char *)nlh + offset);
	switch (mnl_attr_get_type(attr)) {
	case VSAMP_A_CPUS:
		snprintf(out, size, "CPUs %s", config->cpus);
		return out;
	case VSAMP_A_PID:
		snprintf(out, size, "process %u", mnl_attr_get_u32(attr));
		return out;
	case VSAMP_A_RING_SIZE:
		snprintf(out, size, "ring size %u", config->ring_size);
		return out;
	case VSAMP_A_PMI_LIMIT:
		snprintf(out, size, "interrupt limit %u", config->pmi_limit);
		return out;
	default:
		return NULL;
	}
}

int vsamp_session_configure(struct vsamp_session *session, const struct vsamp_config *config,
			    struct vsamp_error *err)
{
	struct nlmsghdr *nlh = session_request(session, VSAMP_CMD_CONFIGURE, NLM_F_ACK);
	struct request_names names = { .config = config };
	struct netlink_error e;
	char culprit[300];

	if (!config->n_events || config->n_events > VSAMP_EVENTS_MAX ||
	    config->n_pids > VSAMP_PIDS_MAX || (config->cpus && strlen(config->cpus) > 4096))
		return vsamp_fail(err, -E2BIG,
				  "at least one event; at most %d events, %d processes",
				  VSAMP_EVENTS_MAX, VSAMP_PIDS_MAX);
	snprintf(session->first_event, sizeof(session->first_event), "%s", config->events[0].name);
	config_put(nlh, config, &names);
	if (!netlink_talk(&session->nl, nlh, NULL, NULL, &e))
		return 0;
	if (e.code == -EOPNOTSUPP)
		return vsamp_fail(
			err, e.code,
			"the processor says it is virtual: its counters may be shared or absent; -b intel programs them all the same");
	return netlink_text(&e, "configure the session",
			    request_culprit(nlh, &names, e.offset, culprit, sizeof(culprit)), err);
}

static int session_command(struct vsamp_session *session, uint8_t cmd, const char *doing,
			   struct vsamp_error *err)
{
	struct nlmsghdr *nlh = session_request(session, cmd, NLM_F_ACK);
	struct netlink_error e;

	if (!netlink_talk(&session->nl, nlh, NULL, NULL, &e))
		return 0;
	return netlink_text(&e, doing, NULL, err);
}

/* Turns "busy" into who it is and what to do, where /proc tells */
static void session_busy(const struct vsamp_session *session, struct vsamp_error *err)
{
	struct vsamp_holder holder[3];
	size_t n = vsamp_holders_find("/proc", holder, 3);
	char list[256];
	size_t used = 0;

	if (!n)
		return;
	if (holder[0].kind == VSAMP_HOLDER_WATCHDOG) {
		vsamp_fail(err, -EBUSY,
			   "%s: counter held by the NMI watchdog; run with --nmi-watchdog=off",
			   session->first_event);
		return;
	}
	for (size_t i = 0; i < n && i < 3; i++) {
		char text[96];

		vsamp_holder_text(&holder[i], text, sizeof(text));
		used += snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", or by " : "",
				 text);
		if (used >= sizeof(list))
			break;
	}
	vsamp_fail(err, -EBUSY, "%s: counters held by %s%s; end that and start again",
		   session->first_event, list, n > 3 ? ", or others" : "");
}

int vsamp_session_start(struct vsamp_session *session, struct vsamp_error *err)
{
	struct vsamp_error why = { 0 };
	int ret = session_command(session, VSAMP_CMD_START, "start the session", &why);

	/* The module can't see who it is that reserved them; of all other holders it tells */
	if (ret == -EBUSY && strstr(why.text, "reserved by perf"))
		session_busy(session, &why);
	return ret ? vsamp_fail(err, ret, "%s", why.text) : 0;
}

int vsamp_session_stop(struct vsamp_session *session, struct vsamp_error *err)
{
	return session_command(session, VSAMP_CMD_STOP, "stop the session", err);
}

int vsamp_session_pause(struct vsamp_session *session, struct vsamp_error *err)
{
	return session_command(session, VSAMP_CMD_PAUSE, "pause the session", err);
}

int vsamp_session_resume(struct vsamp_session *session, struct vsamp_error *err)
{
	return session_command(session, VSAMP_CMD_RESUME, "resume the session", err);
}

/* A row more in an array of rows of a size; NULL: no memory */
static void *row_add(void **rows, unsigned int *n, size_t size)
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

static int caps_message(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *a[VSAMP_A_MAX + 1];
	struct vsamp_caps *caps = arg;
	struct vsamp_cpu_caps *c;

	netlink_parse(nlh, a, VSAMP_A_MAX);
	c = row_add((void **)&caps->cpu, &caps->n, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->cpu = netlink_u32(a[VSAMP_A_CPU]);
	c->perfmon_version = netlink_u32(a[VSAMP_A_PERFMON_VERSION]);
	c->counters = netlink_u64(a[VSAMP_A_COUNTERS]);
	c->counter_width = netlink_u32(a[VSAMP_A_COUNTER_WIDTH]);
	c->events_absent = netlink_u32(a[VSAMP_A_EVENTS_ABSENT]);
	c->sav_max = netlink_u64(a[VSAMP_A_SAV_MAX]);
	c->clock = netlink_u32(a[VSAMP_A_CLOCK]);
	c->clock_khz = netlink_u64(a[VSAMP_A_CLOCK_KHZ]);
	c->hypervisor = a[VSAMP_A_HYPERVISOR];
	if (a[VSAMP_A_MODULE_VERSION])
		snprintf(caps->module_version, sizeof(caps->module_version), "%.*s",
			 (int)mnl_attr_get_payload_len(a[VSAMP_A_MODULE_VERSION]),
			 mnl_attr_get_str(a[VSAMP_A_MODULE_VERSION]));
	return 0;
}

int vsamp_caps_get(struct vsamp_caps *caps, struct vsamp_error *err)
{
	struct netlink_error e;
	struct netlink nl;
	int ret;

	memset(caps, 0, sizeof(*caps));
	ret = control_connect(&nl, err);
	if (ret)
		return ret;
	ret = netlink_talk(&nl, netlink_request(&nl, VSAMP_CMD_CAPS_GET, NLM_F_DUMP), caps_message,
			   caps, &e);
	netlink_close(&nl);
	if (!ret && !caps->n)
		ret = vsamp_fail(
			err, -ENODEV,
			"this machine has no performance counters that vsamp can use; 'vsamp doctor' tells more");
	else if (ret)
		netlink_text(&e, "say what it can", NULL, err);
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

static int stats_attr(const struct nlattr *attr, void *arg)
{
	struct nlattr *a[VSAMP_STATS_A_MAX + 1];
	struct vsamp_cpu_stats *c = arg;
	uint32_t i;

	if (mnl_attr_get_type(attr) != VSAMP_A_STATS_EVENT)
		return MNL_CB_OK;
	netlink_parse_nested(attr, a, VSAMP_STATS_A_MAX);
	i = netlink_u32(a[VSAMP_STATS_A_EVENT]);
	if (a[VSAMP_STATS_A_EVENT] && i < VSAMP_EVENTS_MAX) {
		c->event[i].count = netlink_u64(a[VSAMP_STATS_A_COUNT]);
		c->event[i].samples = netlink_u64(a[VSAMP_STATS_A_SAMPLES]);
	}
	return MNL_CB_OK;
}

static int stats_message(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *a[VSAMP_A_MAX + 1];
	struct vsamp_stats *stats = arg;
	struct vsamp_cpu_stats *c;

	netlink_parse(nlh, a, VSAMP_A_MAX);
	stats->state = netlink_u32(a[VSAMP_A_STATE]);
	stats->end_reason = netlink_u32(a[VSAMP_A_END_REASON]);
	if (!a[VSAMP_A_CPU])
		return 0;
	c = row_add((void **)&stats->cpu, &stats->n, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->cpu = netlink_u32(a[VSAMP_A_CPU]);
	c->produced = netlink_u64(a[VSAMP_A_PRODUCED]);
	c->written = netlink_u64(a[VSAMP_A_WRITTEN]);
	c->lost = netlink_u64(a[VSAMP_A_LOST]);
	c->pmis = netlink_u64(a[VSAMP_A_PMIS]);
	c->throttled = netlink_u64(a[VSAMP_A_THROTTLED]);
	mnl_attr_parse(nlh, sizeof(struct genlmsghdr), stats_attr, c);
	return 0;
}

int vsamp_session_stats(struct vsamp_session *session, struct vsamp_stats *stats,
			struct vsamp_error *err)
{
	struct nlmsghdr *nlh = session_request(session, VSAMP_CMD_STATS_GET, NLM_F_DUMP);
	struct netlink_error e;
	int ret;

	memset(stats, 0, sizeof(*stats));
	ret = netlink_talk(&session->nl, nlh, stats_message, stats, &e);
	if (ret) {
		vsamp_stats_free(stats);
		return netlink_text(&e, "give statistics", NULL, err);
	}
	if (stats->n)
		qsort(stats->cpu, stats->n, sizeof(*stats->cpu), row_cpu_compare);
	return 0;
}

void vsamp_stats_free(struct vsamp_stats *stats)
{
	free(stats->cpu);
	memset(stats, 0, sizeof(*stats));
}
