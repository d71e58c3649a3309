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
#include <linux/module.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "clock.h"
#include "compat.h"
#include "configure.h"
#include "control.h"
#include "oa_control.h"
#include "ring.h"
#include "session.h"

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

/*
 * Part of the policy, so that a dump's refusal has its text in older kernels, too. They warn when
 * they describe a policy of an integer that has a function: there it is four bytes.
 */
int control_check_fd(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct file *file;

	if (nla_len(attr) != sizeof(u32)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "the session's file descriptor is a u32");
		return -EINVAL;
	}
	file = control_file(attr);
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

/* Like control_check_fd() */
static int control_check_backend(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (nla_len(attr) != sizeof(u32)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "a backend is a u32");
		return -EINVAL;
	}
	if (!pmu_find(nla_get_u32(attr))) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "no such backend");
		return -EOPNOTSUPP;
	}
	return 0;
}

static const struct nla_policy control_caps_policy[VSAMP_A_BACKEND + 1] = {
	[VSAMP_A_BACKEND]	= NLA_POLICY_VALIDATE_FN(NLA_BINARY, control_check_backend,
							 sizeof(u32)),
};

static const struct nla_policy control_session_policy[VSAMP_A_SESSION_FD + 1] = {
	[VSAMP_A_SESSION_FD]	= CONTROL_POLICY_FD,
};

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
	err = configure_parse(config, info);
	if (err)
		goto out_config;

	session_lock();
	if (session->state > VSAMP_SESSION_READY) {
		NL_SET_ERR_MSG(info->extack, "this session has been started");
		err = -EBADFD;
	} else {
		session_configure(session, config);
	}
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

static int control_sav_set(struct sk_buff *skb, struct genl_info *info)
{
	u64 sav[VSAMP_EVENTS_MAX] = {};
	struct session *session;
	struct file *file;
	int err;

	file = control_session(info->attrs, info->extack);
	if (IS_ERR(file))
		return PTR_ERR(file);
	session = file->private_data;
	session_lock();
	err = configure_parse_sav(session, sav, info);
	if (!err)
		session_set_sav(session, sav);
	session_unlock();
	fput(file);
	return err;
}

/* Dumps: a message a CPU. cb->args: the next CPU; and the session's file, or the backend. */

struct control_cursor {
	unsigned long cpu;
	struct file *file;
	const struct pmu_ops *pmu;
};

static struct control_cursor *control_cursor(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct control_cursor) > sizeof(cb->args));
	return (void *)cb->args;
}

int control_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, VSAMP_A_PAD);
}

static int control_caps_put_counters(struct sk_buff *skb, const struct pmu_caps *caps)
{
	if (nla_put_u32(skb, VSAMP_A_PERFMON_VERSION, caps->version) ||
	    control_put_u64(skb, VSAMP_A_COUNTERS, caps->counters) ||
	    nla_put_u32(skb, VSAMP_A_COUNTER_WIDTH, min(caps->width, caps->width_fixed)) ||
	    nla_put_u32(skb, VSAMP_A_EVENTS_ABSENT, caps->events_absent))
		return -EMSGSIZE;
	return 0;
}

static int control_caps_fill(struct sk_buff *skb, u32 backend, int cpu,
			     const struct pmu_caps *caps)
{
	if (nla_put_u32(skb, VSAMP_A_CPU, cpu) ||
	    nla_put_u32(skb, VSAMP_A_BACKEND, backend) ||
	    nla_put_string(skb, VSAMP_A_MODULE_VERSION, VSAMP_VERSION) ||
	    (caps->counters && control_caps_put_counters(skb, caps)) ||
	    control_put_u64(skb, VSAMP_A_SAV_MAX, caps->sav_max) ||
	    nla_put_u32(skb, VSAMP_A_CLOCK, clock_kind()) ||
	    control_put_u64(skb, VSAMP_A_CLOCK_KHZ, clock_khz()))
		return -EMSGSIZE;
	if (arch_is_virtual())
		return nla_put_flag(skb, VSAMP_A_HYPERVISOR);
	return 0;
}

static int control_caps_start(struct netlink_callback *cb)
{
	const struct nlattr *attr = compat_dump_attrs(cb)[VSAMP_A_BACKEND];
	struct control_cursor *cursor = control_cursor(cb);

	cursor->pmu = pmu_find(attr ? nla_get_u32(attr) : VSAMP_BACKEND_INTEL);
	return cursor->pmu ? 0 : -EOPNOTSUPP;
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
		cursor->pmu->caps(cpu, &caps);
		if (!caps.sav_max)
			continue;
		message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				      &control_family, NLM_F_MULTI, VSAMP_CMD_CAPS_GET);
		if (!message)
			break;
		if (control_caps_fill(skb, cursor->pmu->backend, cpu, &caps)) {
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

/* At most, with 16 attributes and 7 in each event's nest; a dump's buffer is never smaller */
#define CONTROL_STATS_SIZE						\
	(NLMSG_HDRLEN + GENL_HDRLEN + (16 + VSAMP_EVENTS_MAX * 7) * (NLA_HDRLEN + sizeof(u64)))

static int control_put_event(struct sk_buff *skb, const struct pmu_stats *stats, int i, bool times)
{
	struct nlattr *nest = nla_nest_start(skb, VSAMP_A_STATS_EVENT);

	if (!nest || nla_put_u32(skb, VSAMP_STATS_A_EVENT, i) ||
	    nla_put_u64_64bit(skb, VSAMP_STATS_A_COUNT, stats->count[i], VSAMP_STATS_A_PAD) ||
	    nla_put_u64_64bit(skb, VSAMP_STATS_A_SAMPLES, stats->samples[i], VSAMP_STATS_A_PAD))
		return -EMSGSIZE;
	if (times &&
	    (nla_put_u64_64bit(skb, VSAMP_STATS_A_ENABLED, stats->enabled[i], VSAMP_STATS_A_PAD) ||
	     nla_put_u64_64bit(skb, VSAMP_STATS_A_RUNNING, stats->running[i], VSAMP_STATS_A_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int control_stats_fill(struct sk_buff *skb, struct session *session, int cpu,
			      const struct session_stats *stats)
{
	bool times = session->config.mux_ms || session->config.pmu->read;
	int i;

	BUILD_BUG_ON(CONTROL_STATS_SIZE > NLMSG_GOODSIZE);
	if (nla_put_u32(skb, VSAMP_A_CPU, cpu) ||
	    nla_put_u32(skb, VSAMP_A_BACKEND, session->config.pmu->backend) ||
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
		if (control_put_event(skb, &stats->pmu, i, times))
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
	/* an empty one would end the dump */
	return skb->len || cpu >= nr_cpu_ids ? skb->len : -EMSGSIZE;
}

#define CONTROL_RUN_OP(command) {				\
	.cmd = command,						\
	.policy = control_session_policy,			\
	.maxattr = ARRAY_SIZE(control_session_policy) - 1,	\
	.doit = control_run,					\
}

#define CONTROL_GPU_OP(command) {				\
	.cmd = command,						\
	.policy = oa_control_stream_policy,			\
	.maxattr = ARRAY_SIZE(oa_control_stream_policy) - 1,	\
	.doit = oa_control_run,					\
}

static const struct genl_ops control_ops[] = {
	{
		.cmd = VSAMP_CMD_CAPS_GET,
		.policy = control_caps_policy,
		.maxattr = ARRAY_SIZE(control_caps_policy) - 1,
		.start = control_caps_start,
		.dumpit = control_caps_dump,
	},
	{
		.cmd = VSAMP_CMD_CONFIGURE,
		.policy = configure_policy,
		.maxattr = CONFIGURE_ATTR_MAX,
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
	{
		.cmd = VSAMP_CMD_SAV_SET,
		.policy = configure_sav_policy,
		.maxattr = ARRAY_SIZE(configure_sav_policy) - 1,
		.doit = control_sav_set,
	},
	{
		.cmd = VSAMP_CMD_GPU_GET,
		.dumpit = oa_control_get,
	},
	{
		.cmd = VSAMP_CMD_GPU_CONFIGURE,
		.policy = oa_control_policy,
		.maxattr = ARRAY_SIZE(oa_control_policy) - 1,
		.doit = oa_control_configure,
	},
	CONTROL_GPU_OP(VSAMP_CMD_GPU_START),
	CONTROL_GPU_OP(VSAMP_CMD_GPU_STOP),
	{
		.cmd = VSAMP_CMD_GPU_STATS_GET,
		.policy = oa_control_stream_policy,
		.maxattr = ARRAY_SIZE(oa_control_stream_policy) - 1,
		.start = oa_control_stats_start,
		.dumpit = oa_control_stats,
		.done = oa_control_stats_done,
	},
};

struct genl_family control_family __ro_after_init = {
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
