// SPDX-License-Identifier: GPL-2.0
/*
 * Control: the generic netlink family
 *
 * A request names its session by a file descriptor of the sender. Descriptors are looked up only
 * where the sender is the running task, that is in doit and in a dump's start; what continues a
 * dump is whoever reads. The file found is held for as long as the request lasts.
 */
#include <linux/cpu.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <asm/cpufeature.h>

#include "clock.h"
#include "compat.h"
#include "control.h"
#include "ring.h"
#include "session.h"

#define CONTROL_PMI_LIMIT	400
#define CONTROL_PMI_LIMIT_MAX	100000
#define CONTROL_CPUS_LEN	4096

static struct genl_family control_family;

#ifdef COMPAT_NEEDS_TEXT
char *compat_text(void)
{
	static char text[64][COMPAT_TEXT_SIZE];
	static atomic_t next;

	return text[(unsigned int)atomic_inc_return(&next) % ARRAY_SIZE(text)];
}
#endif

/* Sessions */

static struct file *control_file(const struct nlattr *attr)
{
	struct file *file = fget(nla_get_u32(attr));

	if (file && file->f_op != &session_fops) {
		fput(file);
		file = NULL;
	}
	return file;
}

/* Part of the policy, so that a dump's refusal has its text, too */
static int control_check_fd(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct file *file = control_file(attr);

	if (!file) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "not a file descriptor of /dev/vsamp");
		return -EBADF;
	}
	fput(file);
	return 0;
}

/* The sender's session; its file is to be put */
static struct file *control_session(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = attrs[VSAMP_A_SESSION_FD];
	struct file *file;

	if (!attr) {
		NL_SET_ERR_MSG(extack, "the session's file descriptor is missing");
		return ERR_PTR(-EINVAL);
	}
	file = control_file(attr);
	if (!file) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "not a file descriptor of /dev/vsamp");
		return ERR_PTR(-EBADF);
	}
	return file;
}

/* Policies */

static const u32 control_flags = VSAMP_FLAG_INHERIT | VSAMP_FLAG_ON_EXEC | VSAMP_FLAG_HYPERVISOR;
static const u32 control_event_flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL | VSAMP_EVENT_FORCE;

static const struct nla_policy control_event_policy[VSAMP_EVENT_A_MAX + 1] = {
	[VSAMP_EVENT_A_CONFIG]	= NLA_POLICY_MASK(NLA_U64, VSAMP_CONFIG_MASK),
	[VSAMP_EVENT_A_COUNTER]	= NLA_POLICY_RANGE(NLA_U32, 0, 63),
	[VSAMP_EVENT_A_SAV]	= { .type = NLA_U64 },
	[VSAMP_EVENT_A_FLAGS]	= NLA_POLICY_MASK(NLA_U32, control_event_flags),
};

static const struct nla_policy control_none_policy[1] = { };

static const struct nla_policy control_session_policy[VSAMP_A_SESSION_FD + 1] = {
	[VSAMP_A_SESSION_FD]	= NLA_POLICY_VALIDATE_FN(NLA_U32, control_check_fd),
};

static const struct nla_policy control_configure_policy[VSAMP_A_PMI_LIMIT + 1] = {
	[VSAMP_A_SESSION_FD]	= NLA_POLICY_VALIDATE_FN(NLA_U32, control_check_fd),
	[VSAMP_A_BACKEND]	= { .type = NLA_U32 },
	[VSAMP_A_EVENT]		= NLA_POLICY_NESTED(control_event_policy),
	[VSAMP_A_CPUS]		= { .type = NLA_NUL_STRING, .len = CONTROL_CPUS_LEN },
	[VSAMP_A_PID]		= { .type = NLA_U32 },
	[VSAMP_A_FLAGS]		= NLA_POLICY_MASK(NLA_U32, control_flags),
	[VSAMP_A_RING_SIZE]	= { .type = NLA_U32 },
	[VSAMP_A_WATERMARK]	= NLA_POLICY_MIN(NLA_U32, 1),
	[VSAMP_A_PMI_LIMIT]	= NLA_POLICY_MIN(NLA_U32, 1),
};

/* CONFIGURE: every check before any change */

static int control_parse_event(struct session_config *config, const struct nlattr *attr,
			       struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[VSAMP_EVENT_A_MAX + 1];
	struct pmu_event *event = &config->events[config->event_count];
	u64 floor;
	int i, err;

	if (config->event_count == VSAMP_EVENTS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "more than 16 events");
		return -E2BIG;
	}
	err = nla_parse_nested(attrs, VSAMP_EVENT_A_MAX, attr, control_event_policy, extack);
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
	config->event_count++;
	return 0;
}

static int control_parse_pid(struct session_config *config, const struct nlattr *attr,
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

static int control_parse_cpus(struct session_config *config, const struct nlattr *attr,
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

static int control_parse_numbers(struct session_config *config, struct nlattr **attrs,
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
	config->pmi_limit = CONTROL_PMI_LIMIT;
	if (attrs[VSAMP_A_PMI_LIMIT])
		config->pmi_limit = nla_get_u32(attrs[VSAMP_A_PMI_LIMIT]);
	if (config->pmi_limit > CONTROL_PMI_LIMIT_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_PMI_LIMIT], "PMI limit beyond 100000");
		return -ERANGE;
	}
	return 0;
}

static int control_parse_flags(struct session_config *config, const struct nlattr *attr,
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
static int control_parse_lists(struct session_config *config, struct genl_info *info)
{
	struct nlattr *attr;
	int err, rest;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		err = 0;
		if (nla_type(attr) == VSAMP_A_EVENT)
			err = control_parse_event(config, attr, info->extack);
		else if (nla_type(attr) == VSAMP_A_PID)
			err = control_parse_pid(config, attr, info->extack);
		if (err)
			return err;
	}
	if (!config->event_count) {
		NL_SET_ERR_MSG(info->extack, "no event");
		return -EINVAL;
	}
	return 0;
}

static int control_parse(struct session_config *config, struct genl_info *info)
{
	int err;

	if (info->attrs[VSAMP_A_BACKEND] &&
	    nla_get_u32(info->attrs[VSAMP_A_BACKEND]) != VSAMP_BACKEND_INTEL) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[VSAMP_A_BACKEND], "no such backend");
		return -EOPNOTSUPP;
	}
	err = control_parse_lists(config, info);
	if (err)
		return err;
	err = control_parse_cpus(config, info->attrs[VSAMP_A_CPUS], info->extack);
	if (err)
		return err;
	err = control_parse_numbers(config, info->attrs, info->extack);
	if (err)
		return err;
	return control_parse_flags(config, info->attrs[VSAMP_A_FLAGS], info->extack);
}

/* What the CPUs have. Those that are offline now are checked when they come. */
static int control_check_caps(const struct session_config *config, struct netlink_ext_ack *extack)
{
	struct pmu_caps caps;
	int i, cpu;

	for_each_cpu_and(cpu, config->cpus, cpu_online_mask) {
		pmu_intel.caps(cpu, &caps);
		if (!caps.version) {
			NL_SET_ERR_MSG_FMT(extack,
					   "no PMU here: CPU %d has no Intel architectural performance monitoring",
					   cpu);
			return -ENODEV;
		}
		for (i = 0; i < config->event_count; i++) {
			if (!(caps.counters & BIT_ULL(config->events[i].counter))) {
				NL_SET_ERR_MSG_FMT(extack, "event %d: CPU %d has no counter %u", i,
						   cpu, config->events[i].counter);
				return -EINVAL;
			}
			if (config->events[i].sav > caps.sav_max) {
				NL_SET_ERR_MSG_FMT(extack, "event %d: SAV above %llu", i,
						   caps.sav_max);
				return -ERANGE;
			}
		}
	}
	return 0;
}

static int control_configure(struct sk_buff *skb, struct genl_info *info)
{
	struct session_config *config;
	struct session *session;
	struct file *file;
	int err;

	file = control_session(info->attrs, info->extack);
	if (IS_ERR(file))
		return PTR_ERR(file);
	session = file->private_data;
	err = -EACCES;
	if (!netlink_capable(skb, CAP_PERFMON) && !netlink_capable(skb, CAP_SYS_ADMIN)) {
		NL_SET_ERR_MSG(info->extack, "CAP_PERFMON or CAP_SYS_ADMIN is needed");
		goto out_put;
	}
	err = -ENOMEM;
	config = kzalloc(sizeof(*config), GFP_KERNEL_ACCOUNT);
	if (!config)
		goto out_put;
	if (!zalloc_cpumask_var(&config->cpus, GFP_KERNEL_ACCOUNT))
		goto out_free;
	err = control_parse(config, info);
	if (err)
		goto out_config;

	session_lock();
	cpus_read_lock();
	err = control_check_caps(config, info->extack);
	cpus_read_unlock();
	if (!err && session->state > VSAMP_SESSION_READY) {
		NL_SET_ERR_MSG(info->extack, "this session has been started");
		err = -EBADFD;
	}
	if (!err)
		session_configure(session, &pmu_intel, config);
	session_unlock();

out_config:
	if (err)
		session_config_free(config);
out_free:
	kfree(config);
out_put:
	fput(file);
	return err;
}

/* START, STOP, PAUSE, RESUME */
static int control_run(struct sk_buff *skb, struct genl_info *info)
{
	struct session *session;
	struct file *file;
	int err = -EOPNOTSUPP;

	file = control_session(info->attrs, info->extack);
	if (IS_ERR(file))
		return PTR_ERR(file);
	session = file->private_data;
	session_lock();
	switch (info->genlhdr->cmd) {
	case VSAMP_CMD_START:
		err = session_start(session, info->extack);
		break;
	case VSAMP_CMD_STOP:
		err = session_stop(session, info->extack);
		break;
	case VSAMP_CMD_PAUSE:
		err = session_pause(session, true, info->extack);
		break;
	case VSAMP_CMD_RESUME:
		err = session_pause(session, false, info->extack);
		break;
	}
	session_unlock();
	fput(file);
	return err;
}

/* Dumps: a message a CPU. cb->args: the next CPU, and the session's file. */

struct control_cursor {
	unsigned long cpu;
	struct file *file;
};

static struct control_cursor *control_cursor(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct control_cursor) > sizeof(cb->args));
	return (void *)cb->args;
}

static int control_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, VSAMP_A_PAD);
}

static int control_caps_fill(struct sk_buff *skb, int cpu, const struct pmu_caps *caps)
{
	if (nla_put_u32(skb, VSAMP_A_CPU, cpu) ||
	    nla_put_u32(skb, VSAMP_A_BACKEND, VSAMP_BACKEND_INTEL) ||
	    nla_put_string(skb, VSAMP_A_MODULE_VERSION, VSAMP_VERSION) ||
	    nla_put_u32(skb, VSAMP_A_PERFMON_VERSION, caps->version) ||
	    control_put_u64(skb, VSAMP_A_COUNTERS, caps->counters) ||
	    nla_put_u32(skb, VSAMP_A_COUNTER_WIDTH, min(caps->width, caps->width_fixed)) ||
	    nla_put_u32(skb, VSAMP_A_EVENTS_ABSENT, caps->events_absent) ||
	    control_put_u64(skb, VSAMP_A_SAV_MAX, caps->sav_max) ||
	    nla_put_u32(skb, VSAMP_A_CLOCK, clock_kind()) ||
	    control_put_u64(skb, VSAMP_A_CLOCK_KHZ, clock_khz()))
		return -EMSGSIZE;
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return nla_put_flag(skb, VSAMP_A_HYPERVISOR);
	return 0;
}

static int control_caps_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct control_cursor *cursor = control_cursor(cb);
	struct pmu_caps caps;
	unsigned int cpu;
	void *message;

	cpus_read_lock();
	for (cpu = cursor->cpu; cpu < nr_cpu_ids; cpu++) {
		if (!cpu_online(cpu))
			continue;
		pmu_intel.caps(cpu, &caps);
		if (!caps.version)
			continue;
		message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				      &control_family, NLM_F_MULTI, VSAMP_CMD_CAPS_GET);
		if (!message)
			break;
		if (control_caps_fill(skb, cpu, &caps)) {
			genlmsg_cancel(skb, message);
			break;
		}
		genlmsg_end(skb, message);
	}
	cpus_read_unlock();
	cursor->cpu = cpu;
	return skb->len;
}

static int control_stats_start(struct netlink_callback *cb)
{
	struct control_cursor *cursor = control_cursor(cb);
	struct session *session;
	struct file *file;

	file = control_session(compat_dump_attrs(cb), cb->extack);
	if (IS_ERR(file))
		return PTR_ERR(file);
	cursor->file = file;
	session = file->private_data;
	session_lock();
	WRITE_ONCE(session->changes_seen, session->changes);
	session_unlock();
	return 0;
}

static int control_stats_done(struct netlink_callback *cb)
{
	fput(control_cursor(cb)->file);
	return 0;
}

static int control_put_event(struct sk_buff *skb, const struct pmu_stats *stats, int i)
{
	struct nlattr *nest = nla_nest_start(skb, VSAMP_A_STATS_EVENT);

	if (!nest || nla_put_u32(skb, VSAMP_STATS_A_EVENT, i) ||
	    nla_put_u64_64bit(skb, VSAMP_STATS_A_COUNT, stats->count[i], VSAMP_STATS_A_PAD) ||
	    nla_put_u64_64bit(skb, VSAMP_STATS_A_SAMPLES, stats->samples[i], VSAMP_STATS_A_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int control_stats_fill(struct sk_buff *skb, struct session *session, int cpu,
			      const struct session_stats *stats)
{
	int i;

	if (nla_put_u32(skb, VSAMP_A_CPU, cpu) ||
	    nla_put_u32(skb, VSAMP_A_BACKEND, session->pmu->backend) ||
	    nla_put_u32(skb, VSAMP_A_STATE, session->state) ||
	    control_put_u64(skb, VSAMP_A_PRODUCED, stats->produced) ||
	    control_put_u64(skb, VSAMP_A_WRITTEN, stats->written) ||
	    control_put_u64(skb, VSAMP_A_LOST, stats->lost) ||
	    control_put_u64(skb, VSAMP_A_PMIS, stats->pmu.pmis) ||
	    control_put_u64(skb, VSAMP_A_THROTTLED, stats->pmu.throttled))
		return -EMSGSIZE;
	if (session->state == VSAMP_SESSION_ENDED &&
	    nla_put_u32(skb, VSAMP_A_END_REASON, session->end_reason))
		return -EMSGSIZE;
	for (i = 0; i < session->config.event_count; i++)
		if (control_put_event(skb, &stats->pmu, i))
			return -EMSGSIZE;
	return 0;
}

static int control_stats_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct control_cursor *cursor = control_cursor(cb);
	struct session *session = cursor->file->private_data;
	struct session_stats stats;
	unsigned int cpu;
	void *message;

	session_lock();
	cpus_read_lock();
	for (cpu = cursor->cpu; cpu < nr_cpu_ids; cpu++) {
		if (!session_stats(session, cpu, &stats))
			continue;
		message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				      &control_family, NLM_F_MULTI, VSAMP_CMD_STATS_GET);
		if (!message)
			break;
		if (control_stats_fill(skb, session, cpu, &stats)) {
			genlmsg_cancel(skb, message);
			break;
		}
		genlmsg_end(skb, message);
	}
	cpus_read_unlock();
	session_unlock();
	cursor->cpu = cpu;
	return skb->len;
}

#define CONTROL_RUN_OP(command) {				\
	.cmd = command,						\
	.policy = control_session_policy,			\
	.maxattr = ARRAY_SIZE(control_session_policy) - 1,	\
	.doit = control_run,					\
}

static const struct genl_ops control_ops[] = {
	{
		.cmd = VSAMP_CMD_CAPS_GET,
		.policy = control_none_policy,
		.maxattr = ARRAY_SIZE(control_none_policy) - 1,
		.dumpit = control_caps_dump,
	},
	{
		.cmd = VSAMP_CMD_CONFIGURE,
		.policy = control_configure_policy,
		.maxattr = ARRAY_SIZE(control_configure_policy) - 1,
		.doit = control_configure,
	},
	CONTROL_RUN_OP(VSAMP_CMD_START),
	CONTROL_RUN_OP(VSAMP_CMD_STOP),
	CONTROL_RUN_OP(VSAMP_CMD_PAUSE),
	CONTROL_RUN_OP(VSAMP_CMD_RESUME),
	{
		.cmd = VSAMP_CMD_STATS_GET,
		.policy = control_session_policy,
		.maxattr = ARRAY_SIZE(control_session_policy) - 1,
		.start = control_stats_start,
		.dumpit = control_stats_dump,
		.done = control_stats_done,
	},
};

static struct genl_family control_family __ro_after_init = {
	.name = VSAMP_GENL_NAME,
	.version = VSAMP_GENL_VERSION,
	.maxattr = VSAMP_A_MAX,
	.module = THIS_MODULE,
	.ops = control_ops,
	.n_ops = ARRAY_SIZE(control_ops),
	.resv_start_op = VSAMP_CMD_UNSPEC + 1,
	.netnsok = true,
	.parallel_ops = true,
};

int __init control_init(void)
{
	return genl_register_family(&control_family);
}

void control_exit(void)
{
	genl_unregister_family(&control_family);
}
