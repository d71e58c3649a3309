// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIGURE: what a request's attributes may say. Every check comes before any change.
 */
#include <linux/cpu.h>
#include <linux/log2.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <net/genetlink.h>

#include "compat.h"
#include "configure.h"
#include "control.h"
#include "scope.h"
#include "session.h"

#define CONFIGURE_PMI_LIMIT	400
#define CONFIGURE_PMI_LIMIT_MAX	100000
#define CONFIGURE_CPUS_LEN	4096

static const u32 configure_flags = VSAMP_FLAG_INHERIT | VSAMP_FLAG_ON_EXEC | VSAMP_FLAG_HYPERVISOR;
static const u32 configure_stacks = VSAMP_STACKS_KERNEL | VSAMP_STACKS_USER;

const struct nla_policy configure_policy[CONFIGURE_ATTR_MAX + 1] = {
	[VSAMP_A_SESSION_FD]	= CONTROL_POLICY_FD,
	[VSAMP_A_BACKEND]	= { .type = NLA_U32 },
	[VSAMP_A_EVENT]		= NLA_POLICY_NESTED(configure_event_policy),
	[VSAMP_A_CPUS]		= { .type = NLA_NUL_STRING, .len = CONFIGURE_CPUS_LEN },
	[VSAMP_A_PID]		= { .type = NLA_U32 },
	[VSAMP_A_FLAGS]		= NLA_POLICY_MASK(NLA_U32, configure_flags),
	[VSAMP_A_RING_SIZE]	= { .type = NLA_U32 },
	[VSAMP_A_WATERMARK]	= NLA_POLICY_MIN(NLA_U32, 1),
	[VSAMP_A_PMI_LIMIT]	= NLA_POLICY_MIN(NLA_U32, 1),
	[VSAMP_A_SET]		= NLA_POLICY_MAX(NLA_U32, VSAMP_EVENTS_MAX - 1),
	[VSAMP_A_MUX_MS]	= NLA_POLICY_RANGE(NLA_U32, 1, VSAMP_MUX_MS_MAX),
	[VSAMP_A_STACKS]	= NLA_POLICY_MASK(NLA_U32, configure_stacks),
	[VSAMP_A_STACK_DEPTH]	= NLA_POLICY_RANGE(NLA_U32, 1, VSAMP_STACK_DEPTH_MAX),
	[VSAMP_A_CGROUP_FD]	= { .type = NLA_U32 },
};

static int configure_parse_pid(struct session_config *config, const struct nlattr *attr,
			       struct netlink_ext_ack *extack)
{
	struct pid *pid;

	if (config->pid_count == VSAMP_PIDS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "more than " __stringify(VSAMP_PIDS_MAX) " PIDs");
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

static int configure_parse_cgroup(struct session_config *config, const struct nlattr *attr,
				  struct netlink_ext_ack *extack)
{
	int err = scope_cgroup_add(config, nla_get_u32(attr), extack);

	if (err)
		NL_SET_BAD_ATTR(extack, attr);
	return err;
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

int configure_parse_ring(u32 *size, u32 *watermark, struct nlattr **attrs,
			 struct netlink_ext_ack *extack)
{
	*size = VSAMP_RING_SIZE_DEFAULT;
	if (attrs[VSAMP_A_RING_SIZE])
		*size = nla_get_u32(attrs[VSAMP_A_RING_SIZE]);
	if (*size < VSAMP_RING_SIZE_MIN || *size > VSAMP_RING_SIZE_MAX || !is_power_of_2(*size)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_RING_SIZE],
				    "ring size: a power of two from 16 KB to 1 GB");
		return -EINVAL;
	}
	*watermark = *size / 4;
	if (attrs[VSAMP_A_WATERMARK])
		*watermark = nla_get_u32(attrs[VSAMP_A_WATERMARK]);
	if (*watermark > *size) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_WATERMARK],
				    "watermark beyond the ring's size");
		return -EINVAL;
	}
	return 0;
}

static int configure_parse_numbers(struct session_config *config, struct nlattr **attrs,
				   struct netlink_ext_ack *extack)
{
	int err = configure_parse_ring(&config->ring_size, &config->watermark, attrs, extack);

	if (err)
		return err;
	config->pmi_limit = CONFIGURE_PMI_LIMIT;
	if (attrs[VSAMP_A_PMI_LIMIT])
		config->pmi_limit = nla_get_u32(attrs[VSAMP_A_PMI_LIMIT]);
	if (config->pmi_limit > CONFIGURE_PMI_LIMIT_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_PMI_LIMIT], "PMI limit beyond 100000");
		return -ERANGE;
	}
	return 0;
}

static int configure_parse_stacks(struct session_config *config, struct nlattr **attrs,
				  struct netlink_ext_ack *extack)
{
	if (attrs[VSAMP_A_STACKS])
		config->stacks = nla_get_u32(attrs[VSAMP_A_STACKS]);
	config->stack_depth = VSAMP_STACK_DEPTH_MAX;
	if (!attrs[VSAMP_A_STACK_DEPTH])
		return 0;
	config->stack_depth = nla_get_u32(attrs[VSAMP_A_STACK_DEPTH]);
	if (!config->stacks) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_STACK_DEPTH],
				    "STACK_DEPTH needs STACKS: whose stacks?");
		return -EINVAL;
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
	return 0;
}

static int configure_check_cgroups(const struct session_config *config, struct nlattr **attrs,
				   struct netlink_ext_ack *extack)
{
	if (!config->cgroup_count)
		return 0;
	if (configure_is_kperf(config)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_CGROUP_FD],
				    "kperf can't follow a cgroup; -b perf can");
		return -EOPNOTSUPP;
	}
	if (config->pid_count) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_CGROUP_FD],
				    "PID and CGROUP_FD: one or the other says what is counted");
		return -EINVAL;
	}
	return 0;
}

/* What only one of the backends knows */
static int configure_check_kperf(const struct session_config *config, struct nlattr **attrs,
				 struct netlink_ext_ack *extack)
{
	if (!configure_is_kperf(config))
		return 0;
	if (config->pid_count && attrs[VSAMP_A_CPUS]) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_CPUS],
				    "kperf counts processes on all CPUs; leave out either CPUS or PID");
		return -EOPNOTSUPP;
	}
	if (attrs[VSAMP_A_MUX_MS]) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_MUX_MS],
				    "kperf counts all events at once, perf has them take turns; leave out MUX_MS");
		return -EOPNOTSUPP;
	}
	if (attrs[VSAMP_A_PMI_LIMIT]) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_PMI_LIMIT],
				    "perf has a limit of its own: kernel.perf_event_max_sample_rate; leave out PMI_LIMIT");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* The attributes that may come more than once */
static int configure_parse_lists(struct session_config *config, const struct nlattr **events,
				 struct genl_info *info)
{
	struct nlattr *attr;
	int err, rest;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		err = 0;
		if (nla_type(attr) == VSAMP_A_EVENT)
			err = configure_parse_event(config, events, attr, info->extack);
		else if (nla_type(attr) == VSAMP_A_PID)
			err = configure_parse_pid(config, attr, info->extack);
		else if (nla_type(attr) == VSAMP_A_CGROUP_FD)
			err = configure_parse_cgroup(config, attr, info->extack);
		if (err)
			return err;
	}
	if (!config->event_count) {
		NL_SET_ERR_MSG(info->extack, "no event");
		return -EINVAL;
	}
	return 0;
}

static int configure_parse_backend(struct session_config *config, const struct nlattr *attr,
				   struct netlink_ext_ack *extack)
{
	config->pmu = pmu_find(attr ? nla_get_u32(attr) : VSAMP_BACKEND_INTEL);
	if (!config->pmu) {
		NL_SET_BAD_ATTR(extack, attr);
		NL_SET_ERR_MSG(extack, "no such backend");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Whether they can be counted here; a refusal names the event's attribute */
static int configure_check_events(const struct session_config *config,
				  const struct nlattr **events, struct netlink_ext_ack *extack)
{
	struct pmu_fault fault = { .event = -1 };
	const struct nlattr *event, *attr;
	int err;

	err = config->pmu->check(config, &fault, extack);
	if (err && fault.event >= 0) {
		event = events[fault.event];
		attr = nla_find_nested(event, fault.attr);
		NL_SET_BAD_ATTR(extack, attr ?: event);
	}
	return err;
}

/*
 * configure_parse() - fill in a configuration from a request's attributes
 */
int configure_parse(struct session_config *config, struct genl_info *info)
{
	const struct nlattr *events[VSAMP_EVENTS_MAX];
	int err;

	err = configure_parse_backend(config, info->attrs[VSAMP_A_BACKEND], info->extack);
	if (err)
		return err;
	err = configure_parse_lists(config, events, info);
	if (err)
		return err;
	err = configure_parse_sets(config, events, info->attrs, info->extack);
	if (err)
		return err;
	err = configure_parse_cpus(config, info->attrs[VSAMP_A_CPUS], info->extack);
	if (err)
		return err;
	err = configure_parse_numbers(config, info->attrs, info->extack);
	if (err)
		return err;
	err = configure_parse_stacks(config, info->attrs, info->extack);
	if (err)
		return err;
	err = configure_check_cgroups(config, info->attrs, info->extack);
	if (err)
		return err;
	err = configure_parse_flags(config, info->attrs[VSAMP_A_FLAGS], info->extack);
	if (err)
		return err;
	err = configure_check_kperf(config, info->attrs, info->extack);
	if (err)
		return err;
	return configure_check_events(config, events, info->extack);
}
