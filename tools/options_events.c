// SPDX-License-Identifier: MIT
/* The events that the options select, by the files of event properties */
#include <errno.h>

#include <vsamp/event_config.h>

#include "options.h"

static int options_parse_events(struct options *o, const struct vsamp_event_config *config,
				struct vsamp_error *err)
{
	struct vsamp_error why = { 0 };

	for (unsigned int i = 0; i < o->n_event_lists; i++) {
		int ret = vsamp_events_parse(o->events, &o->n_events, o->event_list[i], config,
					     &why);

		if (ret)
			return vsamp_fail(err, ret, "-e: %s", why.text);
	}
	return 0;
}

/* Behind all options, since what a name means depends on the files */
int options_read_events(struct options *o, struct vsamp_error *err)
{
	struct vsamp_event_config *config = vsamp_event_config_new();
	int ret;

	if (!config)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	ret = vsamp_event_config_read_default(config, err);
	if (!ret && o->event_config)
		ret = vsamp_event_config_read(config, o->event_config, err);
	o->n_events = 0;
	if (!ret)
		ret = options_parse_events(o, config, err);
	vsamp_event_config_free(config);
	return ret;
}

int options_add_events(struct options *o, const char *list, struct vsamp_error *err)
{
	if (o->n_event_lists == OPTIONS_LISTS_MAX)
		return vsamp_fail(err, -E2BIG, "-e is given more than %d times", OPTIONS_LISTS_MAX);
	o->event_list[o->n_event_lists++] = list;
	return options_read_events(o, err);
}
