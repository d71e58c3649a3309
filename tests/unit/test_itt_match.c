// SPDX-License-Identifier: MIT
/*
 * What ITT calls mean: each rule as a row of a table, whose meaning was worked out by hand; random
 * calls beside a model that finds out in another way; and models that are wrong on purpose, which
 * rows of the table must tell.
 */
#include "mkfile.h"

#include "itt_model.h"
#include "itt_ops.h"

#define END 90 /* of threads, where the script doesn't tell */

struct rule {
	const char *what, *script, *means;
};

static const struct rule rules[] = {
	/* Simple tasks */
	{ "nested tasks: a's time includes b's", "@0 Ba @1 Bb @2 E @3 E",
	  "Ta 0-3 3/2; Tb 1-2 1/1 depth 1; " },
	{ "an end ends the most recent begin", "@0 Ba @1 Ba @2 E @5 E",
	  "Ta 0-5 5/4; Ta 1-2 1/1 depth 1; " },
	{ "one after the other", "@0 Ba @1 E @2 Ba @4 E", "Ta 0-1 1/1; Ta 2-4 2/2; " },
	{ "a name is optional", "@0 B @1 E", "T 0-1 1/1; " },
	{ "each thread has its own", "@0 Ba t2 @1 Bb t1 @2 E t2 @5 E",
	  "Ta 0-2 2/2; T2b 1-5 4/4; " },
	{ "an end on another thread ends nothing", "@0 Ba t2 @1 E t1 @2 E",
	  "Ta 0-2 2/2; unmatched T 1; " },
	{ "an end without a begin", "@0 E @1 Ba @2 E @3 E", "Ta 1-2 1/1; unmatched T 2; " },
	{ "domains nest in each other", "@0 Ba d2 @1 Bb @2 E d1 @3 E",
	  "Ta 0-3 3/2; Tb 1-2 1/1 depth 1; " },
	{ "the innermost of its domain, and what is in it", "@0 Ba d2 @1 Bb d3 @2 Bc d1 @4 E",
	  "Ta 0-4 4/1; Tb 1-4 3/1 depth 1 mismatched; Tc 2-4 2/2 depth 2 mismatched; "
	  "mismatched 1; " },
	{ "what was ended so has no end any more", "@0 Ba d2 @1 Bb d1 @4 E d2 @5 E",
	  "Ta 0-4 4/1; Tb 1-4 3/3 depth 1 mismatched; unmatched T 1; mismatched 1; " },
	{ "nothing of its domain is under way", "@0 Ba d2 @1 E d1 @2 E",
	  "Ta 0-2 2/2; unmatched T 1; " },
	{ "the thread ends before its tasks", "@0 Ba @2 Bb @5 q",
	  "Ta 0-5 5/2 cut; Tb 2-5 3/3 depth 1 cut; cut 2; " },
	{ "so does the recording", "@0 Ba", "Ta 0-90 90/90 cut; cut 1; " },
	{ "another thread of the same number", "@0 Ba @3 Sx @4 Q @5 E @6 Nx",
	  "Ta 0-3 3/3 cut; Vx 3; unmatched T 1; unmatched V 1; cut 1; " },
	{ "a function's address names it", "@0 B&40 @1 E", "T0x40 0-1 1/1; " },
	{ "each end ends one", "@0 Ba @1 Ba @2 Ba @3 E @4 E @5 E @6 E",
	  "Ta 0-5 5/2; Ta 1-4 3/2 depth 1; Ta 2-3 1/1 depth 2; unmatched T 1; " },
	{ "at the same time, by their calls", "@1 Ba Bb E @3 E",
	  "Ta 1-3 2/2; Tb 1-1 0/0 depth 1; " },

	/* Overlapped tasks */
	{ "time is the later begin's", "@0 Oa#1 @2 Ob#2 @6 X#1 @9 X#2",
	  "Oa 0-6 6/2; Ob 2-9 7/7; " },
	{ "also of nested ones", "@0 Oa#1 @2 Ob#2 @5 X#2 @9 X#1",
	  "Oa 0-9 9/6; Ob 2-5 3/3 depth 1; " },
	{ "of three, two end before the last", "@0 Oa#1 @1 Ob#2 @2 Oc#3 @4 X#1 @6 X#3 @8 X#2",
	  "Oa 0-4 4/1; Ob 1-8 7/3; Oc 2-6 4/4 depth 1; " },
	{ "its end is on its thread", "@0 Oa#1 t2 @3 X#1 t1 @5 X#1",
	  "Oa 0-5 5/5; unmatched O 1; " },
	{ "an id may be under way on two threads", "@0 Oa#1 t2 @1 Ob#1 t1 @3 X#1 t2 @7 X#1",
	  "Oa 0-3 3/3; O2b 1-7 6/6; " },
	{ "only its own id ends it", "@0 Oa#1 @3 X#2 @5 X#1", "Oa 0-5 5/5; unmatched O 1; " },
	{ "its id is mandatory", "@0 Oa @1 X", "no id 2; " },
	{ "an id under way twice: the most recent", "@0 Oa#1 @2 Ob#1 @5 X#1 @9 X#1",
	  "Oa 0-9 9/6; Ob 2-5 3/3 depth 1; " },
	{ "ends of simple tasks leave it alone", "@0 Oa#1 @1 Bb @2 E @3 E @4 X#1",
	  "Oa 0-4 4/3; Tb 1-2 1/1; unmatched T 1; " },
	{ "and its ends them", "@0 Ba @2 Oo#1 @4 E @6 X#1", "Ta 0-4 4/2; Oo 2-6 4/4; " },
	{ "nor does that of a simple task that tells its time",
	  "@0 Oa#1 @1 Bb @2 E~0:9 @3 E~0:9 @4 X#1", "Oa 0-4 4/1; Tb 1-9 8/8; unmatched T 1; " },
	{ "its id is mandatory where it tells its time, too", "@0 Oa~0:3 @1 X~0:4", "no id 2; " },
	{ "an event's end leaves it alone, and its end the event", "@0 Oa#1 @1 Sa @2 X#1 @3 Na",
	  "Oa 0-2 2/2; Va 1-3 2/2; " },
	{ "its thread ends before it", "@0 Oa#1 @4 q", "Oa 0-4 4/4 cut; cut 1; " },

	/* Ids */
	{ "of a simple task: no key of its end", "@0 Ba#1 @1 Bb#2 @2 E @3 E",
	  "Ta 0-3 3/2; Tb 1-2 1/1 depth 1; " },
	{ "in a second domain: rebound", "@0 Oa#7 d2 @1 Ob#7 @4 X#7 d1 @6 X#7",
	  "Oa 0-6 6/3; Ob 1-4 3/3 depth 1; rebound 2; " },
	{ "an end in another domain ends it all the same", "@0 Oa#7 d2 @3 X#7",
	  "Oa 0-3 3/3; rebound 1; " },
	{ "a parent's too", "@0 Ga#7 d2 @1 Bb^7 @2 E", "Ra 0; Tb 1-2 1/1; rebound 1; " },
	{ "on whatever thread", "@0 #7 t2 d2 @1 Bb#7 @2 E", "T2b 1-2 1/1; rebound 1; " },
	{ "a destroyed id is free", "@0 #7 $7 d2 @1 Oa#7 @2 X#7", "Oa 1-2 1/1; " },
	{ "its reuse in one domain is fine", "@0 Ga#7 @1 Gb#7", "Ra 0; Rb 1; " },
	{ "null is none", "@0 Ba#0^0 d2 @1 Bb#0^0 @2 E d1 @3 E",
	  "Ta 0-3 3/2; Tb 1-2 1/1 depth 1; " },
	{ "a parent that nothing has", "@0 Ba^7 @1 E", "Ta 0-1 1/1; " },
	{ "its own parent", "@0 Ba#7^7 @1 E", "Ta 0-1 1/1; " },
	{ "parents don't nest", "@0 Oa#1 @1 Bb^1 @3 X#1 @5 E", "Oa 0-3 3/1; Tb 1-5 4/4; " },

	/* Clock domains */
	{ "by the pair that is given", "@0 K3:500000000:100 @10 Ba~3:100 @20 E~3:104",
	  "Ta 0-8 8/8; " },
	{ "none: the clock of the records", "@10 Ba~0:3 @12 E~0:7", "Ta 3-7 4/4; " },
	{ "begin and end by different ones", "@0 K3:1000000000:0 @10 Ba @12 E~3:30",
	  "Ta 10-30 20/20; " },
	{ "a reset", "@0 K3:1000000000:0 @10 Ba~3:10 @20 K3:1000000000:0 @25 E~3:5",
	  "Ta 10-25 15/15; " },
	{ "calls' order, not times', nests",
	  "@0 K3:1000000000:0 @10 Ba~3:5 @11 Bb~3:2 @12 E~3:9 @13 E~3:20",
	  "Tb 2-9 7/7 depth 1; Ta 5-20 15/11; " },
	{ "overlapped ones", "@0 K3:1000000000:0 @1 Oa#1~3:10 @2 Ob#2~3:12 @3 X#1~3:15 @4 X#2~3:19",
	  "Oa 10-15 5/2; Ob 12-19 7/7; " },
	{ "an end before its begin", "@0 K3:1000000000:0 @10 Ba~3:50 @11 E~3:20",
	  "Ta 50-50 0/0 backwards; backwards 1; " },
	{ "of an overlapped one", "@0 K3:1000000000:0 @10 Oa#1~3:50 @11 X#1~3:20",
	  "Oa 50-50 0/0 backwards; backwards 1; " },
	{ "without a clock, too", "@10 Ba~0:9 @11 E~0:8", "Ta 9-9 0/0 backwards; backwards 1; " },
	{ "a function's address and a time", "@0 K3:1000000000:0 @10 B&40~3:5 @12 E~3:7",
	  "T0x40 5-7 2/2; " },
	{ "what it showed when it was defined", "@5 K3:500000000:100 @10 Ba~3:101 @20 E~3:110",
	  "Ta 7-25 18/18; " },
	{ "before it was defined, by the first that is told",
	  "@10 Ba~3:4 E~3:6 @20 K3:1000000000:14", "Ta 10-12 2/2; " },
	{ "a clock that is not defined", "@1 Ba~5:70 @3 E", "Ta 1-3 2/2; undefined 1; " },

	/* Events */
	{ "a start alone", "@0 Sa", "Va 0; " },
	{ "a start and an end", "@0 Sa @4 Na", "Va 0-4 4/4; " },
	{ "nested: time is the innermost's", "@0 Sa @2 Sb @5 Nb @9 Na",
	  "Va 0-9 9/6; Vb 2-5 3/3 depth 1; " },
	{ "overlapping: time is the later start's", "@0 Sa @4 Sb @6 Na @10 Nb",
	  "Va 0-6 6/4; Vb 4-10 6/6; " },
	{ "of the same type", "@0 Sa @3 Sa @5 Na @9 Na", "Va 0-9 9/7; Va 3-5 2/2 depth 1; " },
	{ "the nearest start, the first stays a tick", "@0 Sa @5 Sa @9 Na", "Va 0; Va 5-9 4/4; " },
	{ "a tick takes no time", "@0 Sa @3 Sb @9 Na", "Va 0-9 9/9; Vb 3 depth 1; " },
	{ "an end of another event", "@0 Sa @1 Nb @4 Na", "Va 0-4 4/4; unmatched V 1; " },
	{ "an end that comes again", "@0 Sa @1 Na @4 Na", "Va 0-1 1/1; unmatched V 1; " },
	{ "any row of starts: the nearest without an end", "@0 Sa @1 Sa @2 Sa @3 Na @5 Na",
	  "Va 0; Va 1-5 4/3; Va 2-3 1/1 depth 1; " },
	{ "intervening ones are nested", "@0 Sa @1 Sb @2 Sb @3 Na @4 Nb",
	  "Va 0-3 3/2; Vb 1 depth 1; Vb 2-4 2/2; " },
	{ "a start again behind its end", "@0 Sa @2 Na @3 Sa @4 Na", "Va 0-2 2/2; Va 3-4 1/1; " },
	{ "per thread", "@0 Sa t2 @3 Na", "Va 0; unmatched V 1; " },
	{ "an end in a pause isn't there", "@0 Sa @2 P @3 Na @4 C @6 Na",
	  "Va 0-6 4/4; paused 1; " },
	{ "nor is a start", "@0 P @1 Sa @2 C @3 Na", "unmatched V 1; paused 1; " },
	{ "under way in a pause", "@0 Sa @2 P @4 C @6 Na", "Va 0-6 4/4; " },
	{ "whatever domain is off", "@0 x Sa @2 Na", "Va 0-2 2/2; " },
	{ "tasks are beside them", "@0 Ba @2 Se @4 Ne @6 E", "Ta 0-6 6/6; Ve 2-4 2/2; " },

	/* Pauses */
	{ "time in one doesn't count", "@0 Ba @2 P @5 C @9 E", "Ta 0-9 6/6; " },
	{ "nesting goes on in it", "@0 Ba @2 P @3 Bb @4 E @6 C @7 E",
	  "Ta 0-7 3/3; Tb 3-4 0/0 depth 1; " },
	{ "a begin in it", "@0 P @2 Ba @5 C @9 E", "Ta 2-9 4/4; " },
	{ "an end in it", "@0 Ba @3 P @5 E @7 C", "Ta 0-5 3/3; " },
	{ "it is of all threads", "@0 Ba t2 @2 P @5 C t1 @9 E", "Ta 0-9 6/6; " },
	{ "it doesn't nest", "@0 Ba @1 P @2 P @4 C @6 E", "Ta 0-6 3/3; " },
	{ "that of the offload changes nothing", "@0 Ba @1 Po @4 E", "Ta 0-4 4/4; " },
	{ "it lasts to the end", "@0 Ba @3 P", "Ta 0-90 3/3 cut; cut 1; " },
	{ "a resume alone", "@0 Ba @3 C @4 E", "Ta 0-4 4/4; " },

	/* Domains off and on */
	{ "what is under way ends", "@0 Ba d2 @1 Bb d1 @3 x @4 E @5 Ba @6 o @7 Ba @8 E d2 @9 E",
	  "Ta 0-3 3/1 cut; Tb 1-9 8/7 depth 1; Ta 7-8 1/1 depth 1; cut 1; off 2; " },
	{ "calls that begin and end while it is off", "@0 x Ba @1 E Oa#1 @2 X#1 o @3 Ba @4 E",
	  "Ta 3-4 1/1; off 4; " },
	{ "on all threads", "@0 Ba t2 @1 Ob#3 t1 @4 x",
	  "Ta 0-4 4/4 cut; O2b 1-4 3/3 cut; cut 2; " },

	/* The rest */
	{ "a region ends on any thread", "@0 Ra#1 t2 @4 r#1", "Ra 0-4 4/4; " },
	{ "its begin again, and an end too many", "@0 Ra#1 @1 Rb#1 @3 r#1 @4 r#1",
	  "Ra 0-3 3/3; unmatched R 1; repeated 1; " },
	{ "it needs an id", "@0 Ra @1 r", "no id 2; " },
	{ "regions overlap without taking time", "@0 Ra#1 @1 Rb#2 @3 r#1 @4 r#2",
	  "Ra 0-3 3/3; Rb 1-4 3/3; " },
	{ "a frame", "@0 F @1 F @3 f @4 f", "F 0-3 3/3; unmatched F 1; repeated 1; " },
	{ "a domain has its own", "@0 F d2 @1 F d1 @2 f d2 @5 f", "F 0-2 2/2; F 1-5 4/4; " },
	{ "a thread too", "@0 F t2 @1 F t1 @2 f t2 @5 f", "F 0-2 2/2; F2 1-5 4/4; " },
	{ "by id, of the process", "@0 F#3 t2 @2 f#3", "F 0-2 2/2; " },
	{ "a frame of both times", "@20 U5-9 U9-5",
	  "F 5-9 4/4; F 9-9 0/0 backwards; backwards 1; " },
	{ "a frame up to the call", "@20 U5-18446744073709551615", "F 5-20 15/15; " },
	{ "a frame of no time at all", "@20 U18446744073709551615-18446744073709551615",
	  "F 20-20 0/0; " },
	{ "of the same id on two threads: the begin again is left out", "@0 F#3 t2 @1 F#3 @2 f#3",
	  "F 0-2 2/2; repeated 1; " },
	{ "of a thread that ended", "@0 F#3 @1 F @2 q t2 @5 f#3",
	  "F 0-5 5/5; F 1-2 1/1 depth 1 cut; cut 1; " },
	{ "a marker", "@3 Mm", "Mm 3; " },
	{ "a task group", "@3 Ga#1", "Ra 3; " },
	{ "a wait", "@0 Jm#5 @1 W#5 @4 A#5", "Wm 1-4 3/3; " },
	{ "for an object that nothing names", "@1 W#5 @4 A#5", "W 1-4 3/3; " },
	{ "that is given up", "@1 W#5 @4 Y#5", "W 1-4 3/3; " },
	{ "what is free is acquired without one", "@1 A#5 Z#5 Y#5", "" },
	{ "each thread's is its own", "@1 W#5 t2 @2 W#5 @3 A#5 t1 @6 A#5",
	  "W 1-6 5/5; W2 2-3 1/1; " },
	{ "each object's is its own", "@1 W#5 @2 W#6 @3 A#5 @4 A#6", "W 1-3 2/2; W 2-4 2/2; " },
	{ "its begin again", "@1 W#5 @2 W#5 @5 A#5", "W 1-5 4/4; prepared 1; " },
	{ "it takes no time of tasks", "@0 Ba @1 W#5 @3 A#5 @4 E", "Ta 0-4 4/4; W 1-3 2/2; " },
	{ "a pause in it", "@1 W#5 @2 P @4 C @5 A#5", "W 1-5 2/2; " },
	{ "an object is called otherwise from then on", "@0 Jm#5 @1 W#5 @2 A#5 Jn#5 @3 W#5 @4 A#5",
	  "Wm 1-2 1/1; Wn 3-4 1/1; " },
	{ "and by no name when it is destroyed", "@0 Jm#5 z#5 @1 W#5 @2 A#5", "W 1-2 1/1; " },
	{ "who waits when the thread ends is told apart, as workers do", "@1 W#5 @4 q",
	  "W 1-4 3/3 cut; " },
	{ "what began in an earlier file", "@0 Ba+ Ob#1+ Sc+ @2 E X#1 Nc @3 Bd E",
	  "Ta 0-2 2/0 continued; Ob 0-2 2/2 continued; Vc 0-2 2/2 continued; Td 3-3 0/0; " },
	{ "what was lost", "@1 L9 @2 E", "lost 9; unmatched T 1; " },
	{ "detached", "@0 Ba @1 Ra#1 @2 D @3 Bb",
	  "Ta 0-2 2/2 cut; Ra 1-2 1/1 cut; cut 2; off 1; " },
};

#define RULES (sizeof(rules) / sizeof(*rules))

static void lib_text(const struct op *ops, size_t n, char *text, size_t size)
{
	struct vsamp_itt *itt = ops_match(ops, n, END);
	const struct vsamp_span *span;
	size_t spans = vsamp_itt_spans(itt, &span);

	meaning_text(text, size, span, spans, vsamp_itt_counts(itt));
	vsamp_itt_free(itt);
}

static void test_rules(void **state)
{
	char text[16384];
	size_t bad = 0;

	for (size_t i = 0; i < RULES; i++) {
		struct op ops[OPS_MAX];
		size_t n = ops_parse(ops, rules[i].script);

		lib_text(ops, n, text, sizeof(text));
		if (strcmp(text, rules[i].means)) {
			print_error("%s:\n\t%s\n\tis  %s\n\tnot %s\n", rules[i].what,
				    rules[i].script, text, rules[i].means);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
}

/* How many rows of the table a model has wrong */
static size_t model_fails(enum model_wrong wrong, bool say)
{
	static struct model m;
	char text[16384];
	size_t bad = 0;

	for (size_t i = 0; i < RULES; i++) {
		struct op ops[OPS_MAX];
		size_t n = ops_parse(ops, rules[i].script);

		if (strstr(rules[i].script, "~5"))
			continue; /* knows no clock that isn't there */
		model_run(&m, ops, n, END, wrong);
		model_text(&m, text, sizeof(text));
		if (!strcmp(text, rules[i].means))
			continue;
		if (say)
			print_error("model: %s:\n\t%s\n\tis  %s\n\tnot %s\n", rules[i].what,
				    rules[i].script, text, rules[i].means);
		bad++;
	}
	return bad;
}

static void test_model(void **state)
{
	assert_int_equal(model_fails(MODEL_RIGHT, true), 0);
}

static void test_wrong_models(void **state)
{
	assert_true(model_fails(MODEL_NO_THREADS, false) >= 3);
	assert_true(model_fails(MODEL_NO_DOMAINS, false) >= 3);
	assert_true(model_fails(MODEL_FIFO, false) >= 3);
	assert_true(model_fails(MODEL_BY_TIME, false) >= 1);
}

/* A generator of its own, so that a seed is the same everywhere */
static uint64_t random_state;

static unsigned int roll(unsigned int below)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 33) % below;
}

static size_t random_ops(struct op *ops, size_t n)
{
	static const char what[] = "BBBBEEEEOOXXSSSNNNRrFfGMPCUqQxo#$KWWAAYZzJ";
	static const char letters[] = "abc";
	uint64_t time = 1;

	ops[0] = (struct op){
		.what = 'K', .id = 3, .thread = 1, .domain = 1, .value = { 1000000000, 0 }
	};
	for (size_t i = 1; i < n; i++) {
		struct op *op = &ops[i];

		time += 1 + roll(3);
		*op = (struct op){
			.what = what[roll(sizeof(what) - 1)],
			.thread = 1 + roll(OPS_THREADS),
			.domain = 1 + roll(3),
			.time = time,
		};
		if (strchr("BORGSNMJ", op->what))
			op->name = letters[roll(3)];
		if (strchr("OXRr#$WAYZzJ", op->what) || (strchr("BFfG", op->what) && !roll(3)))
			op->id = 1 + roll(4) - (op->what == 'O' && !roll(9));
		if (strchr("BORG", op->what) && !roll(4))
			op->parent = 1 + roll(4);
		if (op->what == 'U') {
			op->value[0] = roll(time);
			op->value[1] = roll(time);
		}
		if (op->what == 'K') {
			op->id = 3;
			op->value[0] = roll(2) ? 1000000000 : 500000000;
		}
		if (strchr("BEOX", op->what) && !roll(6)) {
			op->stamped = true;
			op->clock = roll(2) ? 3 : 0;
			op->stamp = roll(time + 10);
		}
	}
	return n;
}

static void print_ops(const struct op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		print_error("t%u d%u @%llu %c%c #%u ^%u %s%u:%llu\n", ops[i].thread, ops[i].domain,
			    (unsigned long long)ops[i].time, ops[i].what,
			    ops[i].name ? ops[i].name : ' ', ops[i].id, ops[i].parent,
			    ops[i].stamped ? "~" : "", ops[i].clock,
			    (unsigned long long)ops[i].stamp);
}

/* The task, or the event, that a time of a thread is the model's; NULL: none */
static const struct vsamp_span *model_at(const struct model *m, uint32_t tid, uint64_t time,
					 bool event)
{
	for (size_t i = 0; i < m->spans; i++) {
		const struct vsamp_span *s = &m->span[i].s;

		if (s->tid == tid && s->kind <= VSAMP_SPAN_EVENT &&
		    (s->kind == VSAMP_SPAN_EVENT) == event && model_owns(m, &m->span[i], time))
			return s;
	}
	return NULL;
}

/* Each time is the same span's; and in a pause or not */
static void check_times(const struct model *m, const struct vsamp_itt *itt)
{
	const struct vsamp_span *is[2], *should;

	for (uint32_t tid = 1; tid <= OPS_THREADS; tid++)
		for (uint64_t time = 0; time < 300; time++) {
			assert_int_equal(vsamp_itt_paused(itt, 10, time), m->paused_at[time]);
			vsamp_itt_at(itt, 10, tid, time, &is[0], &is[1]);
			for (int event = 0; event < 2; event++) {
				should = model_at(m, tid, time, event);
				assert_int_equal(!is[event], !should);
				if (!should)
					continue;
				assert_int_equal(is[event]->begin, should->begin);
				assert_int_equal(is[event]->exclusive, should->exclusive);
				assert_string_equal(is[event]->name, should->name);
			}
		}
}

static void test_random(void **state)
{
	static struct model m;
	static char is[65536], should[65536];
	const struct vsamp_span *span;
	struct op ops[120];
	struct vsamp_itt *itt;
	size_t spans;

	for (uint64_t seed = 0; seed < 3000; seed++) {
		size_t n;

		random_state = seed;
		n = random_ops(ops, 10 + seed % 110);
		model_run(&m, ops, n, 1000, MODEL_RIGHT);
		model_text(&m, should, sizeof(should));
		itt = ops_match(ops, n, 1000);
		spans = vsamp_itt_spans(itt, &span);
		meaning_text(is, sizeof(is), span, spans, vsamp_itt_counts(itt));
		if (strcmp(is, should)) {
			print_ops(ops, n);
			fail_msg("seed %llu:\nis  %s\nnot %s", (unsigned long long)seed, is,
				 should);
		}
		if (seed % 50 == 0)
			check_times(&m, itt);
		vsamp_itt_free(itt);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_wrong_models),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
