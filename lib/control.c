// SPDX-License-Identifier: MIT
/* Sessions of the module: /dev/vsamp, and requests for it to the control family */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vsamp/holder.h>

#include "netlink.h"
#include "session.h"

struct module_session {
	struct vsamp_session session;
	struct netlink nl;
	uint32_t backend;
	char first_event[VSAMP_EVENT_NAME_MAX]; /* for texts */
};

/* What a request said, so that a refusal can name what is at fault */
struct request_names {
	const struct vsamp_config *config;
	uint32_t event_start[VSAMP_EVENTS_MAX]; /* offset of each event's attribute */
	uint32_t event_end;
};

int control_refused(const struct netlink_error *e, const char *doing, const char *what,
		    struct vsamp_error *err)
{
	if (e->text[0])
		return vsamp_fail(err, e->code, "%s%s%s", what ? what : "", what ? ": " : "",
				  e->text);
	return vsamp_fail(err, e->code, "%s%svsamp's module refused to %s: %s", what ? what : "",
			  what ? ": " : "", doing, strerror(-e->code));
}

int control_device_open(const char *device, struct vsamp_error *err)
{
	int fd = open(device, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	switch (errno) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return vsamp_fail(
			err, -ENOENT,
			"%s: the kernel module is not loaded; load it with 'modprobe vsamp'",
			device);
	case EACCES:
		return vsamp_fail(
			err, -EACCES,
			"%s: no permission: run as root, or with CAP_PERFMON and access to the device",
			device);
	case EPERM:
		return vsamp_fail(
			err, -EPERM,
			"%s: kernel lockdown forbids it (/sys/kernel/security/lockdown is 'confidentiality')",
			device);
	case EXDEV:
		return vsamp_fail(
			err, -EXDEV,
			"%s: samples carry the pids of the initial pid namespace, and this process is in another: run vsamp outside the container",
			device);
	default:
		return vsamp_fail(err, -errno, "%s: %s", device, strerror(errno));
	}
}

int control_connect(struct netlink *nl, struct vsamp_error *err)
{
	int ret = netlink_open(nl, VSAMP_GENL_NAME);

	if (ret == -ENOENT)
		return vsamp_fail(err, ret,
				  "the kernel module is not loaded; load it with 'modprobe vsamp'");
	if (ret)
		return vsamp_fail(err, ret, "generic netlink: %s", strerror(-ret));
	return 0;
}

static struct module_session *module_session(struct vsamp_session *s)
{
	return (struct module_session *)s;
}

static void module_close(struct vsamp_session *session)
{
	netlink_close(&module_session(session)->nl);
	close(session->fd);
	free(session);
}

static struct nlmsghdr *session_request(struct module_session *s, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = netlink_request(&s->nl, cmd, flags);

	mnl_attr_put_u32(nlh, VSAMP_A_SESSION_FD, s->session.fd);
	return nlh;
}

static uint32_t config_event_flags(const struct vsamp_config *config, const struct vsamp_event *ev)
{
	return (ev->user ? VSAMP_EVENT_USER : 0) | (ev->kernel ? VSAMP_EVENT_KERNEL : 0) |
	       (config->force ? VSAMP_EVENT_FORCE : 0);
}

static void config_put_events(struct nlmsghdr *nlh, uint32_t backend,
			      const struct vsamp_config *config, struct request_names *names)
{
	for (unsigned int i = 0; i < config->n_events; i++) {
		const struct vsamp_event *ev = &config->events[i];
		struct nlattr *nest;

		names->event_start[i] = nlh->nlmsg_len;
		nest = mnl_attr_nest_start(nlh, VSAMP_A_EVENT);
		if (backend == VSAMP_BACKEND_KPERF) {
			mnl_attr_put_u32(nlh, VSAMP_EVENT_A_TYPE, ev->perf_type);
			mnl_attr_put_u64(nlh, VSAMP_EVENT_A_CONFIG, ev->perf_config);
		} else {
			mnl_attr_put_u64(nlh, VSAMP_EVENT_A_CONFIG, ev->config);
			mnl_attr_put_u32(nlh, VSAMP_EVENT_A_COUNTER, ev->counter);
			mnl_attr_put_u32(nlh, VSAMP_EVENT_A_SET, ev->set);
		}
		mnl_attr_put_u64(nlh, VSAMP_EVENT_A_SAV, config->count_only ? 0 : ev->sav);
		mnl_attr_put_u32(nlh, VSAMP_EVENT_A_FLAGS, config_event_flags(config, ev));
		mnl_attr_nest_end(nlh, nest);
	}
	names->event_end = nlh->nlmsg_len;
}

static void config_put(struct nlmsghdr *nlh, uint32_t backend, const struct vsamp_config *config,
		       struct request_names *names)
{
	mnl_attr_put_u32(nlh, VSAMP_A_BACKEND, backend);
	config_put_events(nlh, backend, config, names);
	if (backend == VSAMP_BACKEND_INTEL && config->mux_ms)
		mnl_attr_put_u32(nlh, VSAMP_A_MUX_MS, config->mux_ms);
	else if (backend == VSAMP_BACKEND_INTEL)
		mnl_attr_put_u32(nlh, VSAMP_A_SET, config->set);
	if (config->cpus)
		mnl_attr_put_strz(nlh, VSAMP_A_CPUS, config->cpus);
	for (unsigned int i = 0; i < config->n_cgroups; i++)
		mnl_attr_put_u32(nlh, VSAMP_A_CGROUP_FD, config->cgroups[i]);
	if (config->stacks)
		mnl_attr_put_u32(nlh, VSAMP_A_STACKS, config->stacks);
	if (config->stack_depth)
		mnl_attr_put_u32(nlh, VSAMP_A_STACK_DEPTH, config->stack_depth);
	for (unsigned int i = 0; i < config->n_pids; i++)
		mnl_attr_put_u32(nlh, VSAMP_A_PID, config->pids[i]);
	if (config->flags)
		mnl_attr_put_u32(nlh, VSAMP_A_FLAGS, config->flags);
	if (config->ring_size)
		mnl_attr_put_u32(nlh, VSAMP_A_RING_SIZE, config->ring_size);
	if (config->pmi_limit)
		mnl_attr_put_u32(nlh, VSAMP_A_PMI_LIMIT, config->pmi_limit);
}

/* A cgroup by its folder, whose name the kernel marks if it has been removed */
static void cgroup_culprit(uint32_t fd, char *out, size_t size)
{
	char link[32], path[256];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%u", fd);
	n = readlink(link, path, sizeof(path));
	snprintf(out, size, "cgroup%s%.*s", n > 0 ? " " : "", n > 0 ? (int)n : 0, path);
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
	case VSAMP_A_CGROUP_FD:
		cgroup_culprit(mnl_attr_get_u32(attr), out, size);
		return out;
	case VSAMP_A_RING_SIZE:
		snprintf(out, size, "ring size %u", config->ring_size);
		return out;
	case VSAMP_A_SET:
		snprintf(out, size, "set %u", config->set);
		return out;
	case VSAMP_A_MUX_MS:
		snprintf(out, size, "time slices of %u ms", config->mux_ms);
		return out;
	case VSAMP_A_PMI_LIMIT:
		snprintf(out, size, "interrupt limit %u", config->pmi_limit);
		return out;
	default:
		return NULL;
	}
}

static int module_configure(struct vsamp_session *session, const struct vsamp_config *config,
			    struct vsamp_error *err)
{
	struct module_session *s = module_session(session);
	struct nlmsghdr *nlh = session_request(s, VSAMP_CMD_CONFIGURE, NLM_F_ACK);
	struct request_names names = { .config = config };
	struct netlink_error e;
	char culprit[300];

	snprintf(s->first_event, sizeof(s->first_event), "%s", config->events[0].name);
	config_put(nlh, s->backend, config, &names);
	if (!netlink_talk(&s->nl, nlh, NULL, NULL, &e))
		return 0;
	if (e.code == -EOPNOTSUPP && strstr(e.text, "this machine is virtual"))
		return vsamp_fail(
			err, e.code,
			"the processor says it is virtual: its counters may be shared or absent; -b intel programs them all the same");
	return control_refused(&e, "configure the session",
			       request_culprit(nlh, &names, e.offset, culprit, sizeof(culprit)),
			       err);
}

static int session_command(struct vsamp_session *session, uint8_t cmd, const char *doing,
			   struct vsamp_error *err)
{
	struct module_session *s = module_session(session);
	struct nlmsghdr *nlh = session_request(s, cmd, NLM_F_ACK);
	struct netlink_error e;

	if (!netlink_talk(&s->nl, nlh, NULL, NULL, &e))
		return 0;
	return control_refused(&e, doing, NULL, err);
}

/* Turns "busy" into who it is and what to do, where /proc tells */
static void session_busy(const struct module_session *session, struct vsamp_error *err)
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

static int module_start(struct vsamp_session *session, struct vsamp_error *err)
{
	struct vsamp_error why = { 0 };
	int ret = session_command(session, VSAMP_CMD_START, "start the session", &why);

	/* The module can't see who it is that reserved them; of all other holders it tells */
	if (ret == -EBUSY && strstr(why.text, "reserved by perf"))
		session_busy(module_session(session), &why);
	return ret ? vsamp_fail(err, ret, "%s", why.text) : 0;
}

static int module_stop(struct vsamp_session *session, struct vsamp_error *err)
{
	return session_command(session, VSAMP_CMD_STOP, "stop the session", err);
}

static int module_pause(struct vsamp_session *session, struct vsamp_error *err)
{
	return session_command(session, VSAMP_CMD_PAUSE, "pause the session", err);
}

static int module_resume(struct vsamp_session *session, struct vsamp_error *err)
{
	return session_command(session, VSAMP_CMD_RESUME, "resume the session", err);
}

static int module_set_sav(struct vsamp_session *session, unsigned int event, uint64_t sav,
			  bool force, struct vsamp_error *err)
{
	struct module_session *s = module_session(session);
	struct nlmsghdr *nlh = session_request(s, VSAMP_CMD_SAV_SET, NLM_F_ACK);
	struct nlattr *nest = mnl_attr_nest_start(nlh, VSAMP_A_EVENT);
	struct netlink_error e;
	char what[64];

	mnl_attr_put_u32(nlh, VSAMP_EVENT_A_INDEX, event);
	mnl_attr_put_u64(nlh, VSAMP_EVENT_A_SAV, sav);
	mnl_attr_put_u32(nlh, VSAMP_EVENT_A_FLAGS, force ? VSAMP_EVENT_FORCE : 0);
	mnl_attr_nest_end(nlh, nest);
	if (!netlink_talk(&s->nl, nlh, NULL, NULL, &e))
		return 0;
	snprintf(what, sizeof(what), "event %u, SAV %" PRIu64, event, sav);
	return control_refused(&e, "change the Sample-After value", what, err);
}

static int caps_message(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *a[VSAMP_A_MAX + 1];
	struct vsamp_caps *caps = arg;
	struct vsamp_cpu_caps *c;

	netlink_parse(nlh, a, VSAMP_A_MAX);
	c = session_row_add((void **)&caps->cpu, &caps->n, sizeof(*c));
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

int module_caps_get(struct vsamp_caps *caps, uint32_t backend, struct vsamp_error *err)
{
	struct netlink_error e;
	struct nlmsghdr *nlh;
	struct netlink nl;
	int ret;

	ret = control_connect(&nl, err);
	if (ret)
		return ret;
	nlh = netlink_request(&nl, VSAMP_CMD_CAPS_GET, NLM_F_DUMP);
	if (backend != VSAMP_BACKEND_INTEL)
		mnl_attr_put_u32(nlh, VSAMP_A_BACKEND, backend);
	ret = netlink_talk(&nl, nlh, caps_message, caps, &e);
	netlink_close(&nl);
	if (ret)
		return control_refused(&e, "say what it can", NULL, err);
	if (!caps->n)
		return vsamp_fail(
			err, -ENODEV,
			"this machine has no performance counters that vsamp can use; 'vsamp doctor' tells more");
	return 0;
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
		c->event[i].enabled = netlink_u64(a[VSAMP_STATS_A_ENABLED]);
		c->event[i].running = netlink_u64(a[VSAMP_STATS_A_RUNNING]);
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
	c = session_row_add((void **)&stats->cpu, &stats->n, sizeof(*c));
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

static int module_stats(struct vsamp_session *session, struct vsamp_stats *stats,
			struct vsamp_error *err)
{
	struct module_session *s = module_session(session);
	struct nlmsghdr *nlh = session_request(s, VSAMP_CMD_STATS_GET, NLM_F_DUMP);
	struct netlink_error e;

	if (!netlink_talk(&s->nl, nlh, stats_message, stats, &e))
		return 0;
	return control_refused(&e, "give statistics", NULL, err);
}

static int module_ring(struct vsamp_session *session, uint32_t cpu, struct vsamp_ring **ring,
		       struct vsamp_error *err)
{
	return vsamp_ring_open(ring, session->fd, cpu, err);
}

static const struct session_ops module_ops = {
	.close = module_close,
	.configure = module_configure,
	.start = module_start,
	.stop = module_stop,
	.pause = module_pause,
	.resume = module_resume,
	.set_sav = module_set_sav,
	.stats = module_stats,
	.ring = module_ring,
};

int module_session_open(struct vsamp_session **session, uint32_t backend, struct vsamp_error *err)
{
	struct module_session *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	s->session.ops = &module_ops;
	s->backend = backend;
	s->session.fd = control_device_open(VSAMP_DEVICE, err);
	if (s->session.fd < 0) {
		ret = s->session.fd;
		goto err_free;
	}
	ret = control_connect(&s->nl, err);
	if (ret)
		goto err_close;
	*session = &s->session;
	return 0;

err_close:
	close(s->session.fd);
err_free:
	free(s);
	return ret;
}
