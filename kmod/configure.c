// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIGURE: what a request's attributes may say. Every check comes before any change.
 */
#include <linux/cpu.h>
#include <linux/log2.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <asm/cpufeature.h>

#include "compat.h"
#include "configure.h"
#include "control.h"
#include "session.h"

#define CONFIGURE_PMI_LIMIT	400
#define CONFIGURE_PMI_LIMIT_MAX	100000
#define CONFIGURE_CPUS_LEN	4096

/* A configuration that is being read, and where its events' parts stand in the request */
struct configure {
	struct session_config *config;
	const struct nlattr *counter[VSAMP_EVENTS_MAX];
	const struct nlattr *sav[VSAMP_EVENTS_MAX];
};

static const u32 configure_flags = VSAMP_FLAG_INHERIT | VSAMP_FLAG_ON_EXEC | VSAMP_FLAG_HYPERVISOR;
static const u32 configure_event_flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL | VSAMP_EVENT_FORCE;

static const struct nla_policy configure_event_policy[VSAMP_EVENT_A_MAX + 1] = {
	[VSAMP_EVENT_A_CONFIG]	= NLA_POLICY_MASK(NLA_U64, VSAMP_CONFIG_MASK),
	[VSAMP_EVENT_A_COUNTER]	= NLA_POLICY_RANGE(NLA_U32, 0, 63),
	[VSAMP_EVENT_A_SAV]	= { .type = NLA_U64 },
	[VSAMP_EVENT_A_FLAGS]	= NLA_POLICY_MASK(NLA_U32, configure_event_flags),
};

const struct nla_policy configure_policy[VSAMP_A_PMI_LIMIT + 1] = {
	[VSAMP_A_SESSION_FD]	= CONTROL_POLICY_FD,
	[VSAMP_A_BACKEND]	= { .type = NLA_U32 },
	[VSAMP_A_EVENT]		= NLA_POLICY_NESTED(configure_event_policy),
	[VSAMP_A_CPUS]		= { .type = NLA_NUL_STRING, .len = CONFIGURE_CPUS_LEN },
	[VSAMP_A_PID]		= { .type = NLA_U32 },
	[VSAMP_A_FLAGS]		= NLA_POLICY_MASK(NLA_U32, configure_flags),
	[VSAMP_A_RING_SIZE]	= { .type = NLA_U32 },
	[VSAMP_A_WATERMARK]	= NLA_POLICY_MIN(NLA_U32, 1),
	[VSAMP_A_PMI_LIMIT]	= NLA_POLICY_MIN(NLA_U32, 1),
};

static int configure_parse_event(struct configure *c, const struct nlattr *attr,
				 struct netlink_ext_ack *extack)
{
	struct session_config *config = c->config;
	struct nlattr *attrs[VSAMP_EVENT_A_MAX + 1];
	struct pmu_event *event = &config->events[config->event_count];
	u64 floor;
	int i, err;

	if (config->event_count == VSAMP_EVENTS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "more than 16 events");
		return -E2BIG;
	}
	err = nla_parse_nested(attrs, VSAMP_EVENT_A_MAX, attr, configure_event_policy, extack);
	if (err)
		return err;
	if (!attrs[VSAMP_EVENT_A_COUNTER] || !attrs[VSAMP_EVENT_A_SAV] ||
	    !attrs[VSAMP_EVENT_A_FLAGS]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "an event needs a counter, a SAV and flags");
		return -EINVAL;
	}
	event->counter = nla_get_u32(attrs[VSAMP_EVENT_A_COUNTER]);
	event->sav = nla_get_u64(attrs[VSAMP_EVENT_A_SAV]);
	event->flags = nla_get_u32(attrs[VSAMP_EVENT_A_FLAGS]);
	if (attrs[VSAMP_EVENT_A_CONFIG]) {
		event->config = nla_get_u64(attrs[VSAMP_EVENT_A_CONFIG]);
	} else if (event->counter < VSAMP_COUNTER_FIXED) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "an event of a general counter needs a config");
		return -EINVAL;
	}
	if (!(event->flags & (VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL))) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_EVENT_A_FLAGS],
				    "an event counts user mode, the kernel or both");
		return -EINVAL;
	}
	floor = event->flags & VSAMP_EVENT_FORCE ? VSAMP_SAV_MIN : VSAMP_SAV_FLOOR;
	if (event->sav && event->sav < floor) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_EVENT_A_SAV],
				    "SAV below 1000 (2 with VSAMP_EVENT_FORCE)");
		return -ERANGE;
	}
	for (i = 0; i < config->event_count; i++) {
		if (config->events[i].counter == event->counter) {
			NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_EVENT_A_COUNTER],
					    "another event has this counter");
			return -EEXIST;
		}
	}
	c->counter[i] = attrs[VSAMP_EVENT_A_COUNTER];
	c->sav[i] = attrs[VSAMP_EVENT_A_SAV];
	config->event_count++;
	return 0;
}

static int configure_parse_pid(struct session_config *config, const struct nlattr *attr,
			       struct netlink_ext_ack *extack)
{
	struct pid *pid;

	if (config->pid_count == VSAMP_PIDS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "more than 1024 PIDs");
		return -E2BIG;
	}
	if (task_active_pid_ns(current) != &init_pid_ns) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "PIDs of another than the initial pid namespace");
		return -EXDEV;
	}
	rcu_read_lock();
	pid = find_pid_ns(nla_get_u32(attr), &init_pid_ns);
	if (pid && pid_task(pid, PIDTYPE_TGID))
		get_pid(pid);
	else
		pid = NULL;
	rcu_read_unlock();
	if (!pid) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "no such process");
		return -ESRCH;
	}
	if (!config->pids)
		config->pids = kcalloc(VSAMP_PIDS_MAX, sizeof(*config->pids), GFP_KERNEL_ACCOUNT);
	if (!config->pids) {
		put_pid(pid);
		return -ENOMEM;
	}
	config->pids[config->pid_count++] = pid;
	return 0;
}

static int configure_parse_cpus(struct session_config *config, const struct nlattr *attr,
				struct netlink_ext_ack *extack)
{
	if (!attr) {
		cpumask_copy(config->cpus, cpu_possible_mask);
		return 0;
	}
	if (cpulist_parse(nla_data(attr), config->cpus)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "not a list of CPUs of this machine");
		return -EINVAL;
	}
	if (cpumask_empty(config->cpus) || !cpumask_subset(config->cpus, cpu_possible_mask)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "no CPU, or a CPU that this machine can't have");
		return -EINVAL;
	}
	return 0;
}

static int configure_parse_numbers(struct session_config *config, struct nlattr **attrs,
				   struct netlink_ext_ack *extack)
{
	config->ring_size = VSAMP_RING_SIZE_DEFAULT;
	if (attrs[VSAMP_A_RING_SIZE])
		config->ring_size = nla_get_u32(attrs[VSAMP_A_RING_SIZE]);
	if (config->ring_size < VSAMP_RING_SIZE_MIN || config->ring_size > VSAMP_RING_SIZE_MAX ||
	    !is_power_of_2(config->ring_size)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_RING_SIZE],
				    "ring size: a power of two from 16 KB to 1 GB");
		return -EINVAL;
	}
	config->watermark = config->ring_size / 4;
	if (attrs[VSAMP_A_WATERMARK])
		config->watermark = nla_get_u32(attrs[VSAMP_A_WATERMARK]);
	if (config->watermark > config->ring_size) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_WATERMARK],
				    "watermark beyond the ring's size");
		return -EINVAL;
	}
	config->pmi_limit = CONFIGURE_PMI_LIMIT;
	if (attrs[VSAMP_A_PMI_LIMIT])
		config->pmi_limit = nla_get_u32(attrs[VSAMP_A_PMI_LIMIT]);
	if (config->pmi_limit > CONFIGURE_PMI_LIMIT_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_PMI_LIMIT], "PMI limit beyond 100000");
		return -ERANGE;
	}
	return 0;
}

static int configure_parse_flags(struct session_config *config, const struct nlattr *attr,
				 struct netlink_ext_ack *extack)
{
	if (attr)
		config->flags = nla_get_u32(attr);
	if (config->flags & (VSAMP_FLAG_INHERIT | VSAMP_FLAG_ON_EXEC) && !config->pid_count) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "INHERIT and ON_EXEC need a PID");
		return -EINVAL;
	}
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR) && !(config->flags & VSAMP_FLAG_HYPERVISOR)) {
		NL_SET_ERR_MSG(extack,
			       "this machine is virtual, its PMU may be shared or absent; use another backend, or VSAMP_FLAG_HYPERVISOR");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* The attributes that may come more than once */
static int configure_parse_lists(struct configure *c, struct genl_info *info)
{
	struct nlattr *attr;
	int err, rest;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		err = 0;
		if (nla_type(attr) == VSAMP_A_EVENT)
			err = configure_parse_event(c, attr, info->extack);
		else if (nla_type(attr) == VSAMP_A_PID)
			err = configure_parse_pid(c->config, attr, info->extack);
		if (err)
			return err;
	}
	if (!c->config->event_count) {
		NL_SET_ERR_MSG(info->extack, "no event");
		return -EINVAL;
	}
	return 0;
}

/* What a CPU has */
static int configure_check_cpu(const struct configure *c, int cpu, struct netlink_ext_ack *extack)
{
	const struct session_config *config = c->config;
	struct pmu_caps caps;
	int i;

	config->pmu->caps(cpu, &caps);
	if (!caps.version) {
		NL_SET_ERR_MSG_FMT(extack,
				   "no PMU here: CPU %d has no Intel architectural performance monitoring",
				   cpu);
		return -ENODEV;
	}
	for (i = 0; i < config->event_count; i++) {
		if (!(caps.counters & BIT_ULL(config->events[i].counter))) {
			NL_SET_BAD_ATTR(extack, c->counter[i]);
			NL_SET_ERR_MSG_FMT(extack, "event %d: CPU %d has no counter %u", i, cpu,
					   config->events[i].counter);
			return -EINVAL;
		}
		if (config->events[i].sav > caps.sav_max) {
			NL_SET_BAD_ATTR(extack, c->sav[i]);
			NL_SET_ERR_MSG_FMT(extack, "event %d: SAV above %llu", i, caps.sav_max);
			return -ERANGE;
		}
	}
	return 0;
}

/* Those that are offline now are checked when they come */
static int configure_check_cpus(const struct configure *c, struct netlink_ext_ack *extack)
{
	int cpu, err = 0;

	cpus_read_lock();
	for_each_cpu_and(cpu, c->config->cpus, cpu_online_mask) {
		err = configure_check_cpu(c, cpu, extack);
		if (err)
			break;
	}
	cpus_read_unlock();
	return err;
}

static int configure_parse_backend(struct session_config *config, const struct nlattr *attr,
				   struct netlink_ext_ack *extack)
{
	if (attr && nla_get_u32(attr) != VSAMP_BACKEND_INTEL) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "no such backend");
		return -EOPNOTSUPP;
	}
	config->pmu = &pmu_intel;
	return 0;
}

/*
 * configure_parse() - fill in a configuration from a request's attributes
 */
int configure_parse(struct session_config *config, struct genl_info *info)
{
	struct configure c = { .config = config };
	int err;

	err = configure_parse_backend(config, info->attrs[VSAMP_A_BACKEND], info->extack);
	if (err)
		return err;
	err = configure_parse_lists(&c, info);
	if (err)
		return err;
	err = configure_parse_cpus(config, info->attrs[VSAMP_A_CPUS], info->extack);
	if (err)
		return err;
	err = configure_parse_numbers(config, info->attrs, info->extack);
	if (err)
		return err;
	err = configure_parse_flags(config, info->attrs[VSAMP_A_FLAGS], info->extack);
	if (err)
		return err;
	return configure_check_cpus(&c, info->extack);
}
