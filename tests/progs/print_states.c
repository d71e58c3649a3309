// SPDX-License-Identifier: MIT
/*
 * print_states FILE: what the session did on each CPU, a line each: its states, and how many samples
 * follow on each:
 *
 *	CPU start N pause N resume N stop N
 */
#include <inttypes.h>
#include <stdio.h>

#include <vsamp.h>
#include <vsamp/recording.h>

#define CPUS_MAX   64
#define STATES_MAX 64

static const char *const names[] = {
	[VSAMP_STATE_START] = "start",
	[VSAMP_STATE_STOP] = "stop",
	[VSAMP_STATE_PAUSE] = "pause",
	[VSAMP_STATE_RESUME] = "resume",
};

static struct cpu {
	unsigned int states;
	uint32_t code[STATES_MAX];
	uint64_t samples[STATES_MAX];
} cpu[CPUS_MAX];

static bool take(const struct vsamp_item *item)
{
	const struct vsamp_record_header *h = item->record;
	struct cpu *c;

	if (!h || (h->type != VSAMP_RECORD_SAMPLE && h->type != VSAMP_RECORD_STATE))
		return true;
	if (item->cpu >= CPUS_MAX)
		return false;
	c = &cpu[item->cpu];
	if (h->type == VSAMP_RECORD_STATE) {
		if (c->states == STATES_MAX)
			return false;
		c->code[c->states++] = h->event;
		return true;
	}
	if (!c->states)
		return false;
	c->samples[c->states - 1]++;
	return true;
}

static void print(unsigned int number)
{
	const struct cpu *c = &cpu[number];

	printf("%u", number);
	for (unsigned int i = 0; i < c->states; i++) {
		const char *name = c->code[i] < sizeof(names) / sizeof(names[0]) ?
					   names[c->code[i]] :
					   NULL;

		printf(" %s %" PRIu64, name ? name : "other", c->samples[i]);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct vsamp_recording *rec;
	struct vsamp_error err;
	struct vsamp_item item;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: print_states FILE\n");
		return 2;
	}
	if (vsamp_recording_open(&rec, argv[1], &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	while ((ret = vsamp_recording_next(rec, &item, &err)) > 0) {
		if (!take(&item)) {
			fprintf(stderr, "a record is where it can't be\n");
			return 1;
		}
	}
	vsamp_recording_close(rec);
	for (unsigned int i = 0; i < CPUS_MAX; i++)
		if (cpu[i].states)
			print(i);
	return ret < 0;
}
