// SPDX-License-Identifier: MIT
/* Reads any bytes as a configuration file of events, and uses what it says */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vsamp.h>
#include <vsamp/event_config.h>
#include <vsamp/schedule.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct vsamp_event_config *config)
{
	struct vsamp_event events[VSAMP_EVENTS_MAX];
	unsigned int n = 0, sets;
	const char *event, *aliases;

	for (unsigned int i = 0; vsamp_event_config_section(config, i, &event, &aliases); i++) {
		vsamp_events_parse(events, &n, event, config, NULL);
		vsamp_events_parse(events, &n, aliases, config, NULL);
	}
	for (unsigned int i = 0; i < n; i++)
		if (events[i].sav < VSAMP_SAV_MIN || events[i].sav > INT64_MAX)
			abort();
	vsamp_events_schedule(events, n, 0x070000000f, 0, 0, &sets, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vsamp_event_config *config = vsamp_event_config_new();
	int fd = memfd_create("events.conf", 0);
	struct vsamp_error err;
	char path[64];

	if (!config || fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!vsamp_event_config_read(config, path, &err))
		use(config);
	close(fd);
	vsamp_event_config_free(config);
	return 0;
}
