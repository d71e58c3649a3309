// SPDX-License-Identifier: MIT
/*
 * sample_times FILE BEGIN END: whether all samples of FILE have times from BEGIN to END, and rise on
 * each CPU
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <vsamp.h>
#include <vsamp/recording.h>

#define CPUS_MAX 64

static uint64_t last[CPUS_MAX], begin, end;

static int check_sample(const struct vsamp_item *item)
{
	const char *fault = NULL;

	if (item->cpu >= CPUS_MAX)
		fault = "is of an unexpected CPU";
	else if (item->time < begin || item->time > end)
		fault = "is not within the run";
	else if (item->time <= last[item->cpu])
		fault = "is not after the one before";
	if (fault) {
		printf("sample at %" PRIu64 " on CPU %u %s\n", item->time, item->cpu, fault);
		return -1;
	}
	last[item->cpu] = item->time;
	return 0;
}

int main(int argc, char **argv)
{
	struct vsamp_recording *rec;
	struct vsamp_error err;
	struct vsamp_item item;
	unsigned int samples = 0;
	int ret;

	if (argc != 4) {
		fprintf(stderr, "usage: sample_times FILE BEGIN END\n");
		return 2;
	}
	begin = strtoull(argv[2], NULL, 0);
	end = strtoull(argv[3], NULL, 0);
	if (vsamp_recording_open(&rec, argv[1], &err)) {
		printf("%s\n", err.text);
		return 1;
	}
	while ((ret = vsamp_recording_next(rec, &item, &err)) > 0) {
		if (!item.record || item.record->type != VSAMP_RECORD_SAMPLE)
			continue;
		samples++;
		if (check_sample(&item))
			return 1;
	}
	vsamp_recording_close(rec);
	if (ret)
		printf("%s\n", err.text);
	printf("%u samples\n", samples);
	return ret || !samples;
}
