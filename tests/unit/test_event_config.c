// SPDX-License-Identifier: MIT
/* Configuration files of events: what they say, where they are wrong, what they do to events */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/event_config.h>

#include "model.h"

#define PROCESSOR_INTEL true
#include "processor_is.h"

#define GENERAL	 0xffffffffULL
#define FIXED(i) (1ULL << (VSAMP_COUNTER_FIXED + (i)))

static char dir[] = "/tmp/vsamp-event-config.XXXXXX";
static char path[64]; /* of a file in it */

static void file_write(const char *text, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static int config_read(struct vsamp_event_config *config, const char *text, struct vsamp_error *err)
{
	file_write(text, strlen(text));
	return vsamp_event_config_read(config, path, err);
}

/* The files' texts one after the other; NULL: no further one */
static struct vsamp_event_config *config_of(const char *text, const char *text2)
{
	struct vsamp_event_config *config = vsamp_event_config_new();
	struct vsamp_error err = { 0 };

	assert_non_null(config);
	if (config_read(config, text, &err))
		fail_msg("%s", err.text);
	if (text2 && config_read(config, text2, &err))
		fail_msg("%s", err.text);
	return config;
}

static struct vsamp_event one(const struct vsamp_event_config *config, const char *typed)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	if (vsamp_events_parse(ev, &n, typed, config, &err))
		fail_msg("%s: %s", typed, err.text);
	assert_int_equal(n, 1);
	return ev[0];
}

static void check_sav(const struct vsamp_event_config *config, const char *typed, uint64_t sav,
		      enum vsamp_sav_source source)
{
	struct vsamp_event ev = one(config, typed);

	assert_int_equal(ev.sav, sav);
	assert_int_equal(ev.sav_source, source);
}

static void properties(void **state)
{
	struct vsamp_event_config *c = config_of(
		"# a comment\r\n"
		"\r\n"
		"[Instructions Retired] ; names of the table are one event\r\n"
		"  sav=5003\r\n"
		"calibrate = OFF\r\n"
		"counters = 2, 0-1\r\n"
		"[L2_RQSTS.ALL_CODE_RD]\n"
		"\tsav\t=\t7001 # trailing\n"
		"calibrate = yes\n"
		"[EVENT_OF.ANOTHER_MODEL]\n"
		"sav = 9001",
		NULL);
	struct vsamp_event ev;

	model_needed();
	check_sav(c, "INST_RETIRED.ANY", 5003, VSAMP_SAV_CONFIG);
	check_sav(c, "instructions:u", 5003, VSAMP_SAV_CONFIG);
	check_sav(c, "rc0", 5003, VSAMP_SAV_CONFIG);
	check_sav(c, "instructions:sav=6000", 6000, VSAMP_SAV_EXPLICIT);
	check_sav(c, "L2_RQSTS.ALL_CODE_RD", 7001, VSAMP_SAV_CONFIG);
	check_sav(c, "re424", 7001, VSAMP_SAV_CONFIG);
	check_sav(c, "branches", 200003, VSAMP_SAV_DEFAULT);
	ev = one(c, "inst_retired.any");
	assert_false(ev.calibrate);
	assert_int_equal(ev.counters, FIXED(0) | 7);
	ev = one(c, "L2_RQSTS.ALL_CODE_RD");
	assert_true(ev.calibrate);
	assert_int_equal(ev.counters, GENERAL);
	/* Without a file nothing of it remains */
	ev = one(NULL, "inst_retired.any");
	assert_true(ev.calibrate);
	assert_int_equal(ev.counters, FIXED(0) | GENERAL);
	assert_int_equal(ev.sav, 2000003);
	vsamp_event_config_free(c);
}

static void levels(void **state)
{
	struct vsamp_event_config *c = config_of("[branches:u]\n"
						 "sav = 1001\n"
						 "[branches]\n"
						 "sav = 3003\n"
						 "calibrate = yes\n"
						 "[branches:uk]\n"
						 "sav = 4003\n"
						 "[cycles:k]\n"
						 "sav = 2003\n",
						 NULL);

	check_sav(c, "branches:u", 1001, VSAMP_SAV_CONFIG);
	check_sav(c, "branches:k", 3003, VSAMP_SAV_CONFIG);
	check_sav(c, "branches", 4003, VSAMP_SAV_CONFIG);
	assert_true(one(c, "branches:u").calibrate); /* the other keys still hold */
	check_sav(c, "cycles:k", 2003, VSAMP_SAV_CONFIG);
	check_sav(c, "cycles", 2000003, VSAMP_SAV_DEFAULT);
	vsamp_event_config_free(c);
}

static void later_wins(void **state)
{
	struct vsamp_event_config *c = config_of("[branches]\nsav = 1001\ncalibrate = yes\n"
						 "alias = jumps\n[cycles]\nsav = 5003\n",
						 "[Branch Instructions Retired]\nsav = 2003\n"
						 "[jumps:u]\nsav = 3003\n");
	struct vsamp_error err = { 0 };

	check_sav(c, "branches:k", 2003, VSAMP_SAV_CONFIG);
	check_sav(c, "branches:u", 3003, VSAMP_SAV_CONFIG);
	assert_true(one(c, "branches").calibrate);
	check_sav(c, "JUMPS", 2003, VSAMP_SAV_CONFIG);
	check_sav(c, "cycles", 5003, VSAMP_SAV_CONFIG);
	/* An error leaves all as it was, though it is in the last line */
	assert_int_equal(config_read(c, "[cycles]\nsav = 7001\nsaw = 1\n", &err), -EINVAL);
	check_sav(c, "cycles", 5003, VSAMP_SAV_CONFIG);
	vsamp_event_config_free(c);
}

static void aliases(void **state)
{
	struct vsamp_event_config *c = config_of(
		"[L2_RQSTS.ALL_CODE_RD]\nalias = code reads, l2.code\n"
		"sav = 5003\n"
		"[branches:k]\nalias = kernel-branches\n"
		"[EVENT_OF.ANOTHER_MODEL]\nalias = other\n",
		NULL);
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	model_needed();
	ev[0] = one(c, "Code_Reads:u");
	assert_string_equal(ev[0].name, "Code_Reads");
	assert_int_equal(ev[0].config, 0xe424);
	assert_true(ev[0].user && !ev[0].kernel);
	assert_int_equal(ev[0].sav, 5003);
	assert_int_equal(one(c, "L2 CODE").config, 0xe424);
	/* of a section with levels: these, if no others are typed */
	ev[0] = one(c, "kernel-branches");
	assert_true(!ev[0].user && ev[0].kernel);
	ev[0] = one(c, "kernel-branches:u");
	assert_true(ev[0].user && !ev[0].kernel);
	assert_int_equal(vsamp_events_parse(ev, &n, "other", c, &err), -EINVAL);
	assert_non_null(strstr(err.text, "EVENT_OF.ANOTHER_MODEL"));
	/* the same event by two names */
	assert_int_equal(vsamp_events_parse(ev, &n, "l2code,L2_RQSTS.ALL_CODE_RD", c, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "already selected, as l2code"));
	vsamp_event_config_free(c);
}

static void exclusions(void **state)
{
	struct vsamp_event_config *c = config_of("[branches]\nnot-with = cycles, missing, misses\n"
						 "[branch-misses]\nalias = misses\n"
						 "[instructions:u]\nnot-with = instructions\n",
						 NULL);
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	unsigned int n = 0;

	assert_int_equal(vsamp_events_parse(ev, &n, "cycles:u,ref-cycles", c, NULL), 0);
	assert_int_equal(ev[0].excludes | ev[1].excludes, 0);
	assert_int_equal(vsamp_events_parse(ev, &n, "branches,cycles:k,branch-misses", c, NULL), 0);
	assert_int_equal(ev[0].excludes, 1 << 2);
	assert_int_equal(ev[1].excludes, 0);
	assert_int_equal(ev[2].excludes, 1 << 0 | 1 << 3 | 1 << 4);
	assert_int_equal(ev[3].excludes, 1 << 2);
	assert_int_equal(ev[4].excludes, 1 << 2);
	assert_int_equal(vsamp_events_parse(ev, &n, "instructions:u,instructions:k", c, NULL), 0);
	assert_int_equal(ev[5].excludes, 1 << 6);
	assert_int_equal(ev[6].excludes, 1 << 5);
	vsamp_event_config_free(c);
}

static void sections(void **state)
{
	struct vsamp_event_config *c = config_of("[cycles:k]\nalias = a, b\n[Foo]\n", NULL);
	const char *event, *alias;

	assert_true(vsamp_event_config_section(c, 0, &event, &alias));
	assert_string_equal(event, "cycles:k");
	assert_string_equal(alias, "a, b");
	assert_true(vsamp_event_config_section(c, 1, &event, &alias));
	assert_string_equal(event, "Foo");
	assert_string_equal(alias, "");
	assert_false(vsamp_event_config_section(c, 2, &event, &alias));
	vsamp_event_config_free(c);
}

static const struct {
	const char *text;
	unsigned int line;
	const char *says;
} bad[] = {
	{ "sav = 5\n", 1, "before any [EVENT]" },
	{ "\n# c\nhello\n", 3, "'hello' is neither" },
	{ "[cycles\n", 1, "does not end with ]" },
	{ "[\n", 1, "does not end with ]" },
	{ "[cycles] x\n", 1, "does not end with ]" },
	{ "[]\n", 1, "no name" },
	{ "[ :u ]\n", 1, "no name" },
	{ "[[cycles]]\n", 1, "no name" },
	{ "[a,b]\n", 1, "no name" },
	{ "[cycles:x]\n", 1, "'x' is neither u nor k" },
	{ "[cycles:sav=5000]\n", 1, "line of its own" },
	{ "[cycles:sav=0]\n", 1, "line of its own" },
	{ "[cycles]\nsaw = 5\n", 2, "'saw' is no key" },
	{ "[cycles]\n= 5\n", 2, "'' is no key" },
	{ "[cycles]\nsav\n", 2, "neither" },
	{ "[cycles]\nsav =\n", 2, "no value" },
	{ "[cycles]\nsav = # 5000\n", 2, "no value" },
	{ "[cycles]\n\nsav = 0\n", 3, "'0' is no Sample-After value" },
	{ "[cycles]\nsav = 1\n", 2, "at least 2" },
	{ "[cycles]\nsav = -5\n", 2, "'-5' is no" },
	{ "[cycles]\nsav = +5\n", 2, "'+5' is no" },
	{ "[cycles]\nsav = 0x500\n", 2, "'0x500' is no" },
	{ "[cycles]\nsav = 5000 x\n", 2, "'5000 x' is no" },
	{ "[cycles]\nsav = 9223372036854775808\n", 2, "no counter holds so much" },
	{ "[cycles]\nsav = 18446744073709551616\n", 2, "no counter holds so much" },
	{ "[cycles]\ncalibrate = maybe\n", 2, "yes or no, not 'maybe'" },
	{ "[cycles]\nsav = 5003\nsav = 5003\n", 3, "twice" },
	{ "[cycles]\nsav = 5003\n[branches]\n[Clockticks]\n", 4, "line 1 begins" },
	{ "[cycles:uk]\n[cycles:ku]\n", 2, "line 1 begins" },
	{ "[FOO.X]\n[foo_x]\n", 2, "line 1 begins" },
	{ "[cycles]\nalias = ticks\n[ticks]\n", 3, "line 1 begins" },
	{ "[cycles]\nalias = branches\n", 2, "another event" },
#ifdef __x86_64__
	{ "[cycles]\nalias = L2_RQSTS.ALL_CODE_RD\n", 2, "another event" },
	{ "[cycles]\nalias = OFFCORE_RESPONSE_0.DMND_DATA_RD.L3_HIT\n", 2, "another event" },
#endif
	{ "[cycles]\nalias = rc4\n", 2, "another event" },
	{ "[FOO]\nalias = cycles\n", 2, "another event" },
	{ "[cycles]\nalias = x\n[branches]\nalias = y, X\n", 4, "a name of [cycles] already" },
	{ "[cycles:u]\nalias = x\n[cycles:k]\nalias = x\n", 4, "a name of [cycles:u] already" },
	{ "[FOO]\n[cycles]\nalias = foo\n", 3, "a name of [FOO] already" },
	{ "[cycles]\nalias = x,\n", 2, "'' can't be a name" },
	{ "[cycles]\nalias = ._\n", 2, "can't be a name" },
	{ "[cycles]\nalias = x:u\n", 2, "can't be a name" },
	{ "[cycles]\ncounters = 32\n", 2, "no general counters" },
	{ "[cycles]\ncounters = 3-1\n", 2, "no general counters" },
	{ "[cycles]\ncounters = 0,,1\n", 2, "no general counters" },
	{ "[cycles]\ncounters = all\n", 2, "no general counters" },
	{ "[cycles]\ncounters = 99999999999999999999\n", 2, "no general counters" },
	{ "[cycles]\nnot-with = branches,,\n", 2, "no name" },
};

static void malformed(void **state)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct vsamp_event_config *c = vsamp_event_config_new();
		struct vsamp_error err = { 0 };
		const char *event, *alias;
		char begin[96];

		assert_int_equal(config_read(c, bad[i].text, &err), -EINVAL);
		snprintf(begin, sizeof(begin), "%s:%u: ", path, bad[i].line);
		if (strncmp(err.text, begin, strlen(begin)) || !strstr(err.text, bad[i].says))
			fail_msg("'%s': '%s' does not say '%s...%s'", bad[i].text, err.text, begin,
				 bad[i].says);
		assert_false(vsamp_event_config_section(c, 0, &event, &alias));
		vsamp_event_config_free(c);
	}
}

static void calibrate_words(void **state)
{
	static const char *const words[] = { "yes", "ON", "True", "1", "no", "off", "FALSE", "0" };

	for (int i = 0; i < 8; i++) {
		char text[64];
		struct vsamp_event_config *c;

		snprintf(text, sizeof(text), "[%s]\ncalibrate = %s\n",
			 i < 4 ? "branches" : "cycles", words[i]);
		c = config_of(text, NULL);
		assert_int_equal(one(c, i < 4 ? "branches" : "cycles").calibrate, i < 4);
		vsamp_event_config_free(c);
	}
}

/* The largest line, name and file there may be, and one more */
static void limits(void **state)
{
	struct vsamp_event_config *c = vsamp_event_config_new();
	struct vsamp_error err = { 0 };
	char *text = malloc((1 << 20) + 2);
	size_t n = 0;

	memset(text, '#', 1025);
	memcpy(text + 1023, "\n", 2);
	assert_int_equal(config_read(c, text, &err), 0);
	memcpy(text + 1023, "#", 2);
	assert_int_equal(config_read(c, text, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":1: longer than 1023"));

	sprintf(text, "[%092d]\n", 1);
	assert_int_equal(config_read(c, text, &err), 0);
	sprintf(text, "[%093d]\n", 1);
	assert_int_equal(config_read(c, text, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":1: "));
	assert_non_null(strstr(err.text, "too long"));

	for (int i = 0; i < 512; i++)
		n += sprintf(text + n, "[NONE_%d]\n", i);
	assert_int_equal(config_read(c, text, &err), -E2BIG);
	assert_non_null(strstr(err.text, ":512: more than 512 sections")); /* one was there */

	assert_int_equal(config_read(c, "[cycles]\nalias = a,b,c,d,e,f,g,h\n", &err), 0);
	assert_int_equal(config_read(c, "[cycles]\nalias = a,b,c,d,e,f,g,h,i\n", &err), -E2BIG);
	assert_non_null(strstr(err.text, ":2: more than 8 names"));

	memset(text, '\n', (1 << 20) + 1);
	file_write(text, 1 << 20);
	assert_int_equal(vsamp_event_config_read(c, path, &err), 0);
	file_write(text, (1 << 20) + 1);
	assert_int_equal(vsamp_event_config_read(c, path, &err), -E2BIG);
	file_write("[cycles]\nsav = 50\0 0\n", 21);
	assert_int_equal(vsamp_event_config_read(c, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":2: not text"));
	file_write("", 0);
	assert_int_equal(vsamp_event_config_read(c, path, &err), 0);
	free(text);
	vsamp_event_config_free(c);
}

/* All the names there may be take no long time */
static void many_names(void **state)
{
	struct vsamp_event_config *c;
	char *text = malloc(1 << 20);
	size_t n = 0;

	for (int i = 0; i < 512; i++) {
		n += sprintf(text + n, "[r%x]\nalias = ", 0x110 + i);
		for (int j = 0; j < 8; j++)
			n += sprintf(text + n, "%sname %d.%d", j ? "," : "", i, j);
		n += sprintf(text + n, "\n");
	}
	alarm(20);
	c = config_of(text, NULL);
	assert_int_equal(one(c, "NAME511.7").config, 0x110 + 511);
	alarm(0);
	free(text);
	vsamp_event_config_free(c);
}

static void not_files(void **state)
{
	struct vsamp_event_config *c = vsamp_event_config_new();
	struct vsamp_error err = { 0 };

	unlink(path);
	assert_int_equal(vsamp_event_config_read(c, path, &err), -ENOENT);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(vsamp_event_config_read(c, dir, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a regular file"));
	assert_int_equal(vsamp_event_config_read(c, "/dev/zero", &err), -EINVAL);
	assert_int_equal(mkfifo(path, 0600), 0); /* nobody will ever write to it */
	assert_int_equal(vsamp_event_config_read(c, path, &err), -EINVAL);
	unlink(path);
	vsamp_event_config_free(c);
}

static void user_write(const char *folder, const char *text)
{
	char name[128];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", dir, folder);
	mkdir(name, 0700);
	strcat(name, "/vsamp");
	assert_int_equal(mkdir(name, 0700), 0);
	strcat(name, "/events.conf");
	f = fopen(name, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void user_remove(const char *folder)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -r %s/%s", dir, folder);
	assert_int_equal(system(command), 0);
}

static uint64_t default_sav(int *ret)
{
	struct vsamp_event_config *c = vsamp_event_config_new();
	uint64_t sav;

	*ret = vsamp_event_config_read_default(c, NULL);
	sav = one(c, "r01b0").sav; /* which no system's file will have */
	vsamp_event_config_free(c);
	return sav;
}

static void user_file(void **state)
{
	char xdg[64], file[64];
	int ret;

	snprintf(xdg, sizeof(xdg), "%s/xdg", dir);
	setenv("HOME", dir, 1);
	unsetenv("XDG_CONFIG_HOME");
	assert_int_equal(default_sav(&ret), 200003);
	assert_int_equal(ret, 0);
	user_write(".config", "[r01b0]\nsav = 3001\n");
	assert_int_equal(default_sav(&ret), 3001);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	assert_int_equal(default_sav(&ret), 3001);
	setenv("XDG_CONFIG_HOME", xdg, 1);
	assert_int_equal(default_sav(&ret), 200003);
	assert_int_equal(ret, 0);
	user_write("xdg", "[r01b0]\nsav = 4001\n");
	assert_int_equal(default_sav(&ret), 4001);
	/* A file in the way is as good as none; a file with mistakes is not */
	user_remove("xdg");
	snprintf(file, sizeof(file), "%s/file", dir);
	fclose(fopen(file, "w"));
	setenv("XDG_CONFIG_HOME", file, 1);
	assert_int_equal(default_sav(&ret), 200003);
	assert_int_equal(ret, 0);
	unlink(file);
	user_write("xdg", "[r01b0]\nsav = 1\n");
	setenv("XDG_CONFIG_HOME", xdg, 1);
	assert_int_equal(default_sav(&ret), 200003);
	assert_int_equal(ret, -EINVAL);
	user_remove("xdg");
	user_remove(".config");
}

static void write_file(const struct vsamp_event *events, unsigned int n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	vsamp_event_config_write(f, events, n);
	assert_int_equal(fclose(f), 0);
}

static void round_trip(void **state)
{
	struct vsamp_event_config *c = config_of("[r01b0]\nalias = mine\n", NULL), *again;
	struct vsamp_event ev[VSAMP_EVENTS_MAX], got[VSAMP_EVENTS_MAX];
	const char *list = "cycles,cycles:u,instructions:k,L2_RQSTS.ALL_CODE_RD,"
			   "CYCLE_ACTIVITY:CYCLES_L2_MISS:u,r412e,cpu-clock";
	struct vsamp_error err = { 0 };
	unsigned int n = 0, m = 0;

	model_needed();
	assert_int_equal(vsamp_events_parse(ev, &n, list, c, NULL), 0);
	assert_int_equal(vsamp_events_parse(ev, &n, "mine:k", c, NULL), 0);
	for (unsigned int i = 0; i < n; i++) {
		ev[i].sav = i ? 100003 + i : INT64_MAX;
		ev[i].calibrate = i % 2;
		ev[i].sav_source = VSAMP_SAV_CALIBRATED;
	}
	write_file(ev, n);
	again = vsamp_event_config_new();
	if (vsamp_event_config_read(again, path, &err))
		fail_msg("%s", err.text);
	assert_int_equal(vsamp_events_parse(got, &m, list, again, NULL), 0);
	assert_int_equal(vsamp_events_parse(got, &m, "r01b0:k", again, NULL), 0);
	assert_int_equal(m, n);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(got[i].sav, ev[i].sav);
		assert_int_equal(got[i].sav_source, VSAMP_SAV_CONFIG);
		assert_int_equal(got[i].calibrate, ev[i].calibrate);
	}
	vsamp_event_config_free(c);
	vsamp_event_config_free(again);
}

/* As a person would write it, which is what vsamp-events(5) promises */
static void written_text(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	char text[256] = "";
	unsigned int n = 0;
	FILE *f;

	assert_int_equal(
		vsamp_events_parse(ev, &n, "INST_RETIRED.ANY:u:sav=5003,branches", NULL, NULL), 0);
	write_file(ev, n);
	f = fopen(path, "r");
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	assert_string_equal(text, "[INST_RETIRED.ANY:u]\nsav = 5003\ncalibrate = yes\n"
				  "\n[branches]\nsav = 200003\ncalibrate = no\n");
}

static const char seed[] = "# all there is\n"
			   "[INST_RETIRED.ANY]\nsav = 2000003\ncalibrate = yes\n"
			   "alias = inst, Retired\ncounters = 0-3,7\nnot-with = branches, x\n"
			   "[branches:u]\nalias = b\nsav = 1001\n"
			   "[Foo.Bar]\nalias = foo\ncalibrate = 0\n"
			   "[L2_RQSTS.ALL_CODE_RD:k]\nsav=7001\nnot-with=b,inst\n";

static void mutate(char *text, size_t *n)
{
	static const char *const bits[] = { "[", "]", ":u", "\n",  "=",
					    ",", "#", "\0", "sav", "alias" };
	size_t at = rand() % *n, length;
	const char *bit;

	switch (rand() % 4) {
	case 0:
		text[at] = rand();
		break;
	case 1: /* cut out */
		length = rand() % (*n - at);
		if (*n - length < 2)
			break;
		memmove(text + at, text + at + length, *n - at - length);
		*n -= length;
		break;
	case 2: /* twice */
		length = rand() % (*n - at);
		memmove(text + at + length, text + at, *n - at);
		*n += length;
		break;
	default:
		bit = bits[rand() % 10];
		length = *bit ? strlen(bit) : 1;
		memmove(text + at + length, text + at, *n - at);
		memcpy(text + at, bit, length);
		*n += length;
	}
}

/* Whatever is in a file: it is read or refused, with the line, and what was read can be used */
static void mutations(void **state)
{
	unsigned int good = 0, refused = 0;

	srand(1);
	for (int round = 0; round < 2000; round++) {
		struct vsamp_event_config *c = vsamp_event_config_new();
		struct vsamp_event ev[VSAMP_EVENTS_MAX];
		struct vsamp_error err = { 0 };
		static char text[1 << 20];
		size_t size = sizeof(seed) - 1;
		unsigned int n = 0;

		memcpy(text, seed, size);
		for (int i = rand() % 3; i >= 0; i--)
			mutate(text, &size);
		file_write(text, size);
		if (vsamp_event_config_read(c, path, &err)) {
			refused++;
			assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
			assert_true(atoi(err.text + strlen(path) + 1) > 0);
		} else {
			good++;
			vsamp_events_parse(ev, &n, "branches:u,instructions,cycles", c, NULL);
			assert_int_equal(n, 3);
			vsamp_events_parse(ev, &n, "inst", c, NULL);
			vsamp_events_parse(ev, &n, "b", c, NULL);
		}
		vsamp_event_config_free(c);
	}
	print_message("# %u read, %u refused\n", good, refused);
	assert_true(good > 100 && refused > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(properties), cmocka_unit_test(levels),
		cmocka_unit_test(later_wins), cmocka_unit_test(aliases),
		cmocka_unit_test(exclusions), cmocka_unit_test(sections),
		cmocka_unit_test(malformed),  cmocka_unit_test(calibrate_words),
		cmocka_unit_test(limits),     cmocka_unit_test(many_names),
		cmocka_unit_test(not_files),  cmocka_unit_test(user_file),
		cmocka_unit_test(round_trip), cmocka_unit_test(written_text),
		cmocka_unit_test(mutations),
	};
	int failed;

	setenv("LIBPFM_FORCE_PMU", "skx", 1);
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/events.conf", dir);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return failed;
}
