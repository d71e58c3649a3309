// SPDX-License-Identifier: MIT
/* vsamp itt env: what programs are to be started with, so that they are collected */
#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vsamp/control.h>

#include "cmd.h"
#include "itt.h"
#include "say.h"
#include "spooling.h"
#include "usage.h"

#define DIR_MAX	 383   /* bytes that a collector has room for */
#define DIR_MODE 01733 /* whoever may make files; only root lists, and nobody removes others' */

struct env {
	const char *asked; /* the folder, or file, as given */
	bool file, make, shell, json;
	char dir[DIR_MAX + 1];
	char collector[SPOOLING_LIBRARY_MAX];
	const char *clock; /* NULL: none is to be set */
	struct {
		const char *name, *value;
	} row[3];
	size_t rows;
};

/* What the module's sessions have, or else perf's */
static uint32_t session_clock(void)
{
	uint32_t clock = VSAMP_CLOCK_MONOTONIC_RAW;
	struct vsamp_caps caps;

	if (vsamp_caps_get(&caps, VSAMP_BACKEND_INTEL, NULL))
		return clock;
	if (caps.n)
		clock = caps.cpu[0].clock;
	vsamp_caps_free(&caps);
	return clock;
}

/* Programs run elsewhere, so it is to be a whole path */
static int env_dir(struct env *e)
{
	const char *dir = e->asked, *option = e->file ? "--output" : "--dir";
	char here[PATH_MAX] = "";
	int n;

	if (!*dir)
		return itt_usage("env", "%s: '' is no name", option);
	for (const char *c = dir; *c; c++)
		if ((unsigned char)*c < ' ')
			return itt_usage("env",
					 "%s: a name with control characters can't be in a unit",
					 option);
	if (*dir != '/' && !getcwd(here, sizeof(here))) {
		say("itt env: %s: the working directory is gone: give the whole path", dir);
		return EXIT_ERROR;
	}
	while (!strncmp(dir, "./", 2))
		dir += 2;
	n = snprintf(e->dir, sizeof(e->dir), "%s%s%s", here, *here ? "/" : "", dir);
	while (n > 1 && n <= DIR_MAX && e->dir[n - 1] == '/')
		e->dir[--n] = '\0';
	if (n <= DIR_MAX)
		return 0;
	say("itt env: %s: the path has %d bytes, and programs have room for %d: name another by %s",
	    e->asked, n, DIR_MAX, option);
	return EXIT_ERROR;
}

/* With those above it, as mkdir -p does */
static int dir_make(const char *dir)
{
	char path[DIR_MAX + 1];

	stpcpy(path, dir);
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	if (mkdir(path, 0700))
		return errno == EEXIST ? 0 :
					 -errno; /* which may be another's, and stays as it is */
	return chmod(path, DIR_MODE) ? -errno : 0;
}

static int env_make(const struct env *e)
{
	int ret = e->make ? dir_make(e->dir) : 0;
	struct stat st;

	if (!ret && !stat(e->dir, &st) && !S_ISDIR(st.st_mode))
		ret = -ENOTDIR;
	if (!ret)
		return 0;
	say("itt env: %s: there can't be such a folder: %s%s", e->dir, strerror(-ret),
	    ret == -EACCES || ret == -EPERM ? ": do it as root, or name another by --dir" :
					      ": name another by --dir");
	return EXIT_ERROR;
}

/* What is to be done about the folder; false: nothing. *@mode: as it is, 0: it is not there */
static bool dir_advice(const char *dir, char *text, size_t size, unsigned int *mode)
{
	struct stat st;

	*mode = 0;
	if (stat(dir, &st)) {
		snprintf(
			text, size,
			"%s is not there: --make makes it; so does RuntimeDirectory=, of a single service, in /run",
			dir);
		return true;
	}
	*mode = st.st_mode & 07777;
	if (!(st.st_mode & 0002))
		snprintf(
			text, size,
			"only its owner, or group, can write to %s (mode %04o): services of other users need 'chmod %o'",
			dir, *mode, DIR_MODE);
	else if (!(st.st_mode & S_ISVTX))
		snprintf(text, size,
			 "whoever can write to %s can remove others' files (mode %04o): 'chmod %o'",
			 dir, *mode, DIR_MODE);
	else
		return false;
	return true;
}

/* As systemd.exec(5) has it: in double quotes if need be, and % means something */
static void unit_print(const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if (*text == '%')
			putchar('%');
		putchar(*text);
	}
}

static void shell_print(const char *text)
{
	putchar('\'');
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	putchar('\'');
}

static void row_print(const struct env *e, const char *name, const char *value)
{
	bool quoted = strpbrk(value, " \"'\\");

	if (e->shell) {
		printf("export %s=", name);
		shell_print(value);
	} else {
		printf("Environment=%s%s=", quoted ? "\"" : "", name);
		unit_print(value);
		if (quoted)
			putchar('"');
	}
	putchar('\n');
}

static void env_print(const struct env *e)
{
	char advice[2 * DIR_MAX];
	unsigned int mode;

	if (!e->file && dir_advice(e->dir, advice, sizeof(advice), &mode))
		printf("# %s\n", advice);
	if (!e->shell)
		puts("[Service]");
	for (size_t i = 0; i < e->rows; i++)
		row_print(e, e->row[i].name, e->row[i].value);
}

static void env_print_json(const struct env *e)
{
	struct json_object *root = json_object_new_object(), *rows = json_object_new_object();
	char advice[2 * DIR_MAX], octal[16];
	unsigned int mode = 0;
	bool advised = !e->file && dir_advice(e->dir, advice, sizeof(advice), &mode);

	snprintf(octal, sizeof(octal), "%04o", mode);
	for (size_t i = 0; i < e->rows; i++)
		json_object_object_add(rows, e->row[i].name,
				       json_object_new_string(e->row[i].value));
	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "environment", rows);
	json_object_object_add(root, "dir", e->file ? NULL : json_object_new_string(e->dir));
	json_object_object_add(root, "mode", mode ? json_object_new_string(octal) : NULL);
	json_object_object_add(root, "advice", advised ? json_object_new_string(advice) : NULL);
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
							  JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}

/* -1: go on; else the exit code */
static int env_options(struct env *e, const char **dir, const char **output, int argc, char **argv)
{
	static const struct option options[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ "output", required_argument, NULL, 'o' },
		{ "make", no_argument, NULL, 'm' },
		{ "shell", no_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	optind = 0;
	while ((c = usage_next("itt env", argc, argv, ":h", options)) != -1) {
		switch (c) {
		case 'd':
			*dir = optarg;
			break;
		case 'o':
			*output = optarg;
			break;
		case 'm':
			e->make = true;
			break;
		case 's':
			e->shell = true;
			break;
		case 'j':
			e->json = true;
			break;
		case 'h':
			itt_help();
			return 0;
		default:
			return EXIT_USAGE;
		}
	}
	return optind < argc ? usage_wrong("itt env", argv[optind], "--dir names a folder") : -1;
}

/* As env_options() */
static int env_parse(struct env *e, int argc, char **argv)
{
	const char *dir = NULL, *output = NULL;
	int code = env_options(e, &dir, &output, argc, argv);

	if (code >= 0)
		return code;
	if (e->shell && e->json)
		return itt_usage("env", "--shell and --json: one or the other");
	if (output && (dir || e->make))
		return itt_usage(
			"env", "--output is a file instead of a folder: without --dir and --make");
	e->file = output;
	e->asked = output ? output : dir ? dir : ITT_DIR_DEFAULT;
	code = env_dir(e);
	return code ? code : -1;
}

static void env_add(struct env *e, const char *name, const char *value)
{
	e->row[e->rows].name = name;
	e->row[e->rows++].value = value;
}

int itt_env(int argc, char **argv)
{
	struct env e = { 0 };
	int code = env_parse(&e, argc, argv);

	if (code >= 0)
		return code;
	if (!spooling_collector(e.collector, sizeof(e.collector))) {
		say("itt env: there is no libvsamp-itt.so beside libvsamp.so: install vsamp as a whole ('make install-user')");
		return EXIT_ERROR;
	}
	code = env_make(&e);
	if (code)
		return code;
	e.clock = e.file ? NULL : spooling_clock(session_clock());
	env_add(&e, "INTEL_LIBITTNOTIFY64", e.collector);
	env_add(&e, e.file ? "VSAMP_ITT_OUTPUT" : "VSAMP_ITT_DIR", e.dir);
	if (e.clock)
		env_add(&e, "VSAMP_ITT_CLOCK", e.clock);
	if (e.json)
		env_print_json(&e);
	else
		env_print(&e);
	return 0;
}
