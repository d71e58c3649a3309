// SPDX-License-Identifier: GPL-2.0
/*
 * CONFIGURE: what an event of a request may say, and which of the events are counted
 */
#include <linux/stringify.h>
#include <net/netlink.h>

#include "compat.h"
#include "configure.h"
#include "session.h"

static const u32 configure_event_flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL | VSAMP_EVENT_FORCE;

const struct nla_policy configure_event_policy[VSAMP_EVENT_A_MAX + 1] = {
	[VSAMP_EVENT_A_CONFIG]	= { .type = NLA_U64 },
	[VSAMP_EVENT_A_COUNTER]	= NLA_POLICY_RANGE(NLA_U32, 0, 63),
	[VSAMP_EVENT_A_SAV]	= { .type = NLA_U64 },
	[VSAMP_EVENT_A_FLAGS]	= NLA_POLICY_MASK(NLA_U32, configure_event_flags),
	[VSAMP_EVENT_A_SET]	= NLA_POLICY_MAX(NLA_U32, VSAMP_EVENTS_MAX - 1),
	[VSAMP_EVENT_A_TYPE]	= { .type = NLA_U32 },
};

bool configure_is_kperf(const struct session_config *config)
{
	return config->pmu->backend == VSAMP_BACKEND_KPERF;
}

int configure_check_sav(const struct nlattr *attr, u32 flags, struct netlink_ext_ack *extack)
{
	u64 floor = flags & VSAMP_EVENT_FORCE ? VSAMP_SAV_MIN : VSAMP_SAV_FLOOR;

	if (nla_get_u64(attr) >= floor)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "SAV below " __stringify(VSAMP_SAV_FLOOR)
			    " (" __stringify(VSAMP_SAV_MIN) " with VSAMP_EVENT_FORCE)");
	return -ERANGE;
}

/* Whether an event's counter is another's of its set */
static bool configure_is_taken(const struct session_config *config, const struct pmu_event *event)
{
	const struct pmu_event *e;

	for (e = config->events; e < config->events + config->event_count; e++)
		if (e->set == event->set && e->counter == event->counter)
			return true;
	return false;
}

/* An event of the intel backend has a counter, and a general counter a select */
static int configure_parse_counter(struct session_config *config, struct pmu_event *event,
				   struct nlattr **attrs, const struct nlattr *attr,
				   struct netlink_ext_ack *extack)
{
	if (!attrs[VSAMP_EVENT_A_COUNTER]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "an event needs a counter, a SAV and flags");
		return -EINVAL;
	}
	if (attrs[VSAMP_EVENT_A_TYPE]) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_EVENT_A_TYPE],
				    "only events of the backend kperf have a type");
		return -EINVAL;
	}
	event->counter = nla_get_u32(attrs[VSAMP_EVENT_A_COUNTER]);
	if (!attrs[VSAMP_EVENT_A_CONFIG] && event->counter < VSAMP_COUNTER_FIXED) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "an event of a general counter needs a config");
		return -EINVAL;
	}
	if (event->config & ~VSAMP_CONFIG_MASK) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_EVENT_A_CONFIG],
				    "a config has no bits but those of VSAMP_CONFIG_MASK");
		return -EINVAL;
	}
	if (configure_is_taken(config, event)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_EVENT_A_COUNTER],
				    "another event of the set has this counter");
		return -EEXIST;
	}
	return 0;
}

/* An event of the kperf backend is named as perf does */
static int configure_parse_type(struct pmu_event *event, struct nlattr **attrs,
				const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (!attrs[VSAMP_EVENT_A_TYPE] || !attrs[VSAMP_EVENT_A_CONFIG]) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "an event of kperf needs a type, a config, a SAV and flags");
		return -EINVAL;
	}
	if (attrs[VSAMP_EVENT_A_COUNTER]) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_EVENT_A_COUNTER],
				    "perf chooses the counters of kperf's events");
		return -EINVAL;
	}
	event->type = nla_get_u32(attrs[VSAMP_EVENT_A_TYPE]);
	return 0;
}

/* What events of all backends have */
static int configure_parse_common(struct pmu_event *event, struct nlattr **attrs,
				  const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (!attrs[VSAMP_EVENT_A_SAV] || !attrs[VSAMP_EVENT_A_FLAGS]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "an event needs a SAV and flags");
		return -EINVAL;
	}
	event->sav = nla_get_u64(attrs[VSAMP_EVENT_A_SAV]);
	event->flags = nla_get_u32(attrs[VSAMP_EVENT_A_FLAGS]);
	if (attrs[VSAMP_EVENT_A_CONFIG])
		event->config = nla_get_u64(attrs[VSAMP_EVENT_A_CONFIG]);
	if (attrs[VSAMP_EVENT_A_SET])
		event->set = nla_get_u32(attrs[VSAMP_EVENT_A_SET]);
	if (!(event->flags & (VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL))) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_EVENT_A_FLAGS],
				    "an event counts user mode, the kernel or both");
		return -EINVAL;
	}
	return event->sav ? configure_check_sav(attrs[VSAMP_EVENT_A_SAV], event->flags, extack) : 0;
}

/*
 * configure_parse_event() - add an event to a configuration whose backend is known
 * @events: by event, where it stands in the request
 */
int configure_parse_event(struct session_config *config, const struct nlattr **events,
			  const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[VSAMP_EVENT_A_MAX + 1];
	struct pmu_event *event = &config->events[config->event_count];
	int err;

	if (config->event_count == VSAMP_EVENTS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "more than " __stringify(VSAMP_EVENTS_MAX) " events");
		return -E2BIG;
	}
	err = nla_parse_nested(attrs, VSAMP_EVENT_A_MAX, attr, configure_event_policy, extack);
	if (err)
		return err;
	err = configure_parse_common(event, attrs, attr, extack);
	if (err)
		return err;
	if (configure_is_kperf(config))
		err = configure_parse_type(event, attrs, attr, extack);
	else
		err = configure_parse_counter(config, event, attrs, attr, extack);
	if (err)
		return err;
	events[config->event_count++] = attr;
	config->samples |= event->sav;
	return 0;
}

/*
 * configure_parse_sets() - which set is counted, or that all are in turn; the events are known
 */
int configure_parse_sets(struct session_config *config, const struct nlattr **events,
			 struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = attrs[VSAMP_A_SET], *set;
	bool found = false;
	int i;

	if (attrs[VSAMP_A_MUX_MS]) {
		config->mux_ms = nla_get_u32(attrs[VSAMP_A_MUX_MS]);
		if (!attr)
			return 0;
		NL_SET_ERR_MSG_ATTR(extack, attr, "either SET or MUX_MS: one set, or all in turn");
		return -EINVAL;
	}
	config->set = attr ? nla_get_u32(attr) : config->events[0].set;
	for (i = 0; i < config->event_count; i++) {
		if (config->events[i].set == config->set) {
			found = true;
		} else if (!attr) {
			set = nla_find_nested(events[i], VSAMP_EVENT_A_SET);
			NL_SET_BAD_ATTR(extack, set ?: events[i]);
			NL_SET_ERR_MSG(extack, "events of several sets need SET or MUX_MS");
			return -EINVAL;
		}
	}
	if (!found) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "no event is of this set");
		return -EINVAL;
	}
	return 0;
}
