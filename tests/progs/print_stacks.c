// SPDX-License-Identifier: MIT
/* print_stacks FILE: of each sample its stack, a line of addresses as "perf script -F ip" has them */
#include <stdio.h>

#include <vsamp.h>
#include <vsamp/recording.h>

int main(int argc, char **argv)
{
	struct vsamp_recording *rec;
	struct vsamp_error err;
	struct vsamp_item item;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: print_stacks FILE\n");
		return 2;
	}
	if (vsamp_recording_open(&rec, argv[1], &err)) {
		fprintf(stderr, "print_stacks: %s\n", err.text);
		return 1;
	}
	while ((ret = vsamp_recording_next(rec, &item, &err)) > 0) {
		const struct vsamp_record_sample *s = (const void *)item.record;
		const struct vsamp_stack *stack;

		if (!s || s->h.type != VSAMP_RECORD_SAMPLE)
			continue;
		printf("%llx", (unsigned long long)s->ip);
		stack = vsamp_sample_stack(s);
		for (unsigned int i = 0; stack && i < stack->kernel + stack->user; i++)
			printf(" %llx", (unsigned long long)stack->ip[i]);
		putchar('\n');
	}
	if (ret)
		fprintf(stderr, "print_stacks: %s\n", err.text);
	vsamp_recording_close(rec);
	return ret != 0;
}
