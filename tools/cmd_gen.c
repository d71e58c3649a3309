// SPDX-License-Identifier: MIT
/* vsamp gen: kernels for Intel GPUs, and what is inserted into them */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "filter.h"
#include "gen.h"
#include "say.h"
#include "usage.h"

#define RECORDS_DEFAULT 4096

static const char help[] =
	"usage: vsamp gen model [--json] [PLATFORM]\n"
	"       vsamp gen disassemble [-p PLATFORM] [-k KERNEL] FILE\n"
	"       vsamp gen instrument -t TOOL [-o OUT] [-k KERNEL] [--buffer ADDRESS] [--json] FILE\n"
	"       vsamp gen report -t TOOL -d DUMP [-k KERNEL] [--json] FILE\n"
	"\n"
	"Shows what is known of a platform; or the instructions of the kernels of FILE, which ocloc made\n"
	"with IGC_EnableZEBinary=1 in its environment, as Intel's iga64 has them; or makes OUT, whose\n"
	"kernels do what those of FILE do and count it in a buffer; or prints what a buffer has then.\n"
	"PLATFORM is gen9, gen11, xe, xe-hpg or xe-hpc, or what iga64 and ocloc call it.\n"
	"\n"
	"  -p, --platform PLATFORM  FILE has the bytes of instructions alone, of this platform\n"
	"  -k, --kernel NAME     only this kernel\n"
	"  -t, --tool TOOL       opcodes: instructions of each kind that threads execute\n"
	"                        bbl: how often they execute each basic block\n"
	"                        timers: how long they run\n"
	"                        memtrace: addresses of each message to memory\n"
	"  -o, --output OUT      default: FILE and the tool's name behind a dot\n"
	"      --buffer ADDRESS  of the buffer, default 0: a loader puts it where the output says\n"
	"      --records N       of each kernel, for memtrace, default 4096\n"
	"  -d, --dump DUMP       what the buffer has when the kernels have run\n"
	"      --json            print JSON (docs/json.md)\n"
	"  -h, --help\n"
	"\n"
	"report takes the FILE that OUT was made of, and the same --kernel and --records.\n";

static const char letters[] = ":p:k:t:o:d:h";

static const struct option long_options[] = {
	{ "platform", required_argument, NULL, 'p' }, { "kernel", required_argument, NULL, 'k' },
	{ "tool", required_argument, NULL, 't' },     { "output", required_argument, NULL, 'o' },
	{ "dump", required_argument, NULL, 'd' },     { "buffer", required_argument, NULL, 'b' },
	{ "records", required_argument, NULL, 'r' },  { "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },	      { 0 },
};

/* The verbs, and the letters of the options that each takes */
static const struct verb {
	const char *name, *takes;
	int (*run)(const struct gen_options *o);
	bool file;
} verbs[] = {
	{ "model", "j", gen_model, false },
	{ "disassemble", "pk", gen_disassemble, true },
	{ "instrument", "ktobrj", gen_instrument, true },
	{ "report", "ktdrj", gen_report, true },
};

static const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static int address(const char *text, uint64_t *to)
{
	char *end;

	*to = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || *to % 64)
		return usage_wrong("gen", text, "--buffer takes an address, a multiple of 64");
	return 0;
}

static int records(const char *text, uint32_t *to)
{
	uint64_t n;

	if (filter_number(text, 1, 1 << 24, &n))
		return usage_wrong("gen", text, "--records takes a number from 1 to 16777216");
	*to = n;
	return 0;
}

static int option_take(struct gen_options *o, int c)
{
	switch (c) {
	case 'p':
		o->platform = optarg;
		return 0;
	case 'k':
		o->kernel = optarg;
		return 0;
	case 't':
		o->tool = optarg;
		return 0;
	case 'o':
		o->output = optarg;
		return 0;
	case 'd':
		o->dump = optarg;
		return 0;
	case 'b':
		return address(optarg, &o->buffer);
	case 'r':
		return records(optarg, &o->records);
	case 'j':
		o->json = true;
		return 0;
	default:
		return EXIT_USAGE;
	}
}

static int wrong(const char *what)
{
	say("gen: %s ('vsamp gen -h' has the options)", what);
	return EXIT_USAGE;
}

static int verb_run(const struct verb *verb, const struct gen_options *o, const char *given)
{
	if (!verb)
		return wrong("say model, disassemble, instrument or report");
	if (given[strspn(given, verb->takes)] || (o->platform && o->kernel))
		return wrong("these options don't go together");
	if (verb->file && !o->name)
		return wrong("which FILE?");
	if (strchr(verb->takes, 't') && !o->tool)
		return wrong("which --tool? opcodes, bbl, timers or memtrace");
	if (strchr(verb->takes, 'd') && !o->dump)
		return wrong("which --dump?");
	return verb->run(o);
}

int cmd_gen(int argc, char **argv)
{
	struct gen_options o = { .records = RECORDS_DEFAULT };
	char given[16] = "";
	int c;

	optind = 0;
	while ((c = usage_next("gen", argc, argv, letters, long_options)) != -1) {
		if (c == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option_take(&o, c))
			return EXIT_USAGE;
		if (!strchr(given, c))
			given[strlen(given)] = c;
	}
	if (optind < argc && optind + 1 < argc)
		o.name = argv[optind + 1];
	if (o.name && optind + 2 < argc)
		return usage_wrong("gen", argv[optind + 2], "one name is enough");
	return verb_run(verb_find(argv[optind]), &o, given);
}
