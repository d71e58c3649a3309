// SPDX-License-Identifier: GPL-2.0
/*
 * SAV_SET: which Sample-After values of a session are to change. Every check comes before any
 * change.
 */
#include <linux/cpu.h>
#include <linux/minmax.h>
#include <net/genetlink.h>

#include "compat.h"
#include "configure.h"
#include "control.h"
#include "session.h"

static const u32 configure_sav_flags = VSAMP_EVENT_FORCE;

static const struct nla_policy configure_sav_event_policy[VSAMP_EVENT_A_MAX + 1] = {
	[VSAMP_EVENT_A_SAV]	= { .type = NLA_U64 },
	[VSAMP_EVENT_A_FLAGS]	= NLA_POLICY_MASK(NLA_U32, configure_sav_flags),
	[VSAMP_EVENT_A_INDEX]	= { .type = NLA_U32 },
};

const struct nla_policy configure_sav_policy[VSAMP_A_EVENT + 1] = {
	[VSAMP_A_SESSION_FD]	= CONTROL_POLICY_FD,
	[VSAMP_A_EVENT]		= NLA_POLICY_NESTED(configure_sav_event_policy),
};

static u64 configure_sav_max(const struct session_config *config)
{
	struct pmu_caps caps;
	u64 max = U64_MAX;
	int cpu;

	cpus_read_lock();
	for_each_cpu_and(cpu, config->cpus, cpu_online_mask) {
		config->pmu->caps(cpu, &caps);
		max = min(max, caps.sav_max);
	}
	cpus_read_unlock();
	return max;
}

static int configure_check_index(const struct session_config *config, const struct nlattr *attr,
				 const u64 *sav, struct netlink_ext_ack *extack)
{
	u32 i = nla_get_u32(attr);

	if (i >= config->event_count || config->events[i].set != config->set) {
		NL_SET_BAD_ATTR(extack, attr);
		NL_SET_ERR_MSG_FMT(extack, "this session counts no event %u", i);
		return -EINVAL;
	}
	if (!config->events[i].sav) {
		NL_SET_BAD_ATTR(extack, attr);
		NL_SET_ERR_MSG_FMT(extack, "event %u is counted, not sampled", i);
		return -EINVAL;
	}
	if (sav[i]) {
		NL_SET_BAD_ATTR(extack, attr);
		NL_SET_ERR_MSG_FMT(extack, "event %u twice", i);
		return -EEXIST;
	}
	return 0;
}

static int configure_parse_sav_event(const struct session_config *config, u64 max, u64 *sav,
				     const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[VSAMP_EVENT_A_MAX + 1];
	const struct nlattr *index, *value;
	int err;

	err = nla_parse_nested(attrs, VSAMP_EVENT_A_MAX, attr, configure_sav_event_policy, extack);
	if (err)
		return err;
	index = attrs[VSAMP_EVENT_A_INDEX];
	value = attrs[VSAMP_EVENT_A_SAV];
	if (!index || !value) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "a change needs an index and a SAV");
		return -EINVAL;
	}
	err = configure_check_index(config, index, sav, extack);
	if (err)
		return err;
	err = configure_check_sav(value, attrs[VSAMP_EVENT_A_FLAGS] ?
				  nla_get_u32(attrs[VSAMP_EVENT_A_FLAGS]) : 0, extack);
	if (err)
		return err;
	if (nla_get_u64(value) > max) {
		NL_SET_BAD_ATTR(extack, value);
		NL_SET_ERR_MSG_FMT(extack, "event %u: SAV above %llu", nla_get_u32(index), max);
		return -ERANGE;
	}
	sav[nla_get_u32(index)] = nla_get_u64(value);
	return 0;
}

static int configure_check_state(const struct session *session, struct netlink_ext_ack *extack)
{
	if (session->state != VSAMP_SESSION_RUNNING && session->state != VSAMP_SESSION_PAUSED) {
		NL_SET_ERR_MSG(extack, "this session isn't running");
		return -EBADFD;
	}
	if (!session->config.pmu->sav) {
		NL_SET_ERR_MSG(extack, "a session of this backend keeps its SAVs");
		return -EOPNOTSUPP;
	}
	if (session->config.mux_ms) {
		NL_SET_ERR_MSG(extack, "a session in time slices keeps its SAVs");
		return -EOPNOTSUPP;
	}
	return 0;
}

/*
 * configure_parse_sav() - what a request asks for, of a session that is locked
 * @sav: by event; 0 for those that are to stay as they are
 */
int configure_parse_sav(const struct session *session, u64 *sav, struct genl_info *info)
{
	const struct session_config *config = &session->config;
	struct nlattr *attr;
	bool found = false;
	int err, rest;
	u64 max;

	err = configure_check_state(session, info->extack);
	if (err)
		return err;
	max = configure_sav_max(config);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(attr) != VSAMP_A_EVENT)
			continue;
		found = true;
		err = configure_parse_sav_event(config, max, sav, attr, info->extack);
		if (err)
			return err;
	}
	if (found)
		return 0;
	NL_SET_ERR_MSG(info->extack, "no event");
	return -EINVAL;
}
