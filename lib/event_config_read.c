// SPDX-License-Identifier: MIT
/* Configuration files of events, as their users write them: anything may be in them */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vsamp.h>
#include <vsamp/cpulist.h>

#include "event_config_priv.h"
#include "event_priv.h"

#define FILE_MAX (1U << 20)

struct reader {
	struct vsamp_event_config *config;
	struct event_section *section; /* that lines belong to; NULL: none yet */
	const char *path;
	unsigned int line;
	struct vsamp_error *err;
};

static int reader_fail(struct reader *r, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int reader_fail(struct reader *r, int code, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return vsamp_fail(r->err, code, "%s:%u: %s", r->path, r->line, text);
}

static int key_sav(struct reader *r, const char *value)
{
	const char *wrong = event_sav_parse(value, &r->section->sav);

	if (wrong)
		return reader_fail(r, -EINVAL, "'%.40s' is no Sample-After value: %s", value,
				   wrong);
	return 0;
}

static int key_calibrate(struct reader *r, const char *value)
{
	static const char *const words[] = { "no", "yes", "off", "on", "false", "true", "0", "1" };

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(value, words[i])) {
			r->section->calibrate = i & 1;
			return 0;
		}
	return reader_fail(r, -EINVAL, "calibrate is yes or no, not '%.40s'", value);
}

/* An alias must mean one thing */
static int alias_check(struct reader *r, const char *alias)
{
	const struct event_section *s = r->section;
	const struct event_section *other = event_config_find_alias(r->config, alias);
	struct event_code code;
	int ret;

	if (strlen(alias) >= VSAMP_EVENT_NAME_MAX)
		return reader_fail(r, -EINVAL, "%.40s...: too long for an event's name", alias);
	if (event_name_same(alias, "") || strpbrk(alias, ":=[]"))
		return reader_fail(r, -EINVAL, "'%s' can't be a name", alias);
	ret = event_encode(alias, &code, NULL);
	if (ret ? ret != -ENOENT : !s->known || !event_code_same(&code, &s->code))
		return reader_fail(r, -EINVAL, "%s is the name of another event", alias);
	for (unsigned int i = 0; !other && i < r->config->n; i++)
		if (event_name_same(alias, r->config->section[i].name))
			other = &r->config->section[i];
	if (other && other != s)
		return reader_fail(r, -EINVAL, "%s is a name of [%s] already", alias, other->spec);
	return 0;
}

static int key_alias(struct reader *r, const char *value)
{
	char alias[EVENT_CONFIG_LINE_MAX];
	const char *list = value;
	unsigned int n = 0;
	int ret;

	while (event_list_next(&list, alias, sizeof(alias))) {
		if (++n > EVENT_CONFIG_ALIASES_MAX)
			return reader_fail(r, -E2BIG, "more than %d names",
					   EVENT_CONFIG_ALIASES_MAX);
		ret = alias_check(r, alias);
		if (ret)
			return ret;
	}
	strcpy(r->section->alias, value);
	return 0;
}

static int key_counters(struct reader *r, const char *value)
{
	char text[EVENT_CONFIG_LINE_MAX];
	struct vsamp_cpulist list;
	uint32_t counters = 0;
	size_t n = 0;
	int ret;

	for (; *value; value++)
		if (!isspace((unsigned char)*value))
			text[n++] = *value;
	text[n] = '\0';
	ret = vsamp_cpulist_parse(&list, text);
	if (ret == -ENOMEM)
		return reader_fail(r, ret, "out of memory");
	for (unsigned int i = 0; !ret && i < list.n; i++)
		if (list.cpu[i] < VSAMP_COUNTER_FIXED)
			counters |= 1U << list.cpu[i];
		else
			ret = -EINVAL;
	vsamp_cpulist_free(&list);
	if (ret)
		return reader_fail(
			r, ret, "'%.40s' are no general counters: give a list like 0-3,5, up to %d",
			text, VSAMP_COUNTER_FIXED - 1);
	r->section->counters = counters;
	return 0;
}

static int key_not_with(struct reader *r, const char *value)
{
	char name[EVENT_CONFIG_LINE_MAX];
	const char *list = value;

	while (event_list_next(&list, name, sizeof(name)))
		if (event_name_same(name, "") || strlen(name) >= VSAMP_EVENT_NAME_MAX)
			return reader_fail(r, -EINVAL, "'%.40s' is no name of an event", name);
	strcpy(r->section->not_with, value);
	return 0;
}

static const struct {
	const char *name;
	enum event_config_key key;
	int (*read)(struct reader *r, const char *value);
} keys[] = {
	{ "sav", EVENT_KEY_SAV, key_sav },
	{ "calibrate", EVENT_KEY_CALIBRATE, key_calibrate },
	{ "alias", EVENT_KEY_ALIAS, key_alias },
	{ "counters", EVENT_KEY_COUNTERS, key_counters },
	{ "not-with", EVENT_KEY_NOT_WITH, key_not_with },
};

static int read_key(struct reader *r, const char *name, const char *value)
{
	struct event_section *s = r->section;

	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].name, name))
			continue;
		if (!s)
			return reader_fail(r, -EINVAL, "'%s' stands before any [EVENT]", name);
		if (s->keys_here & keys[i].key)
			return reader_fail(r, -EINVAL, "%s is given twice for [%s]", name, s->spec);
		if (!*value)
			return reader_fail(r, -EINVAL, "%s has no value", name);
		s->keys |= keys[i].key;
		s->keys_here |= keys[i].key;
		return keys[i].read(r, value);
	}
	return reader_fail(
		r, -EINVAL,
		"'%.40s' is no key: they are sav, calibrate, alias, counters and not-with", name);
}

/* The section of this event and these levels, that some file had; NULL: none */
static struct event_section *section_find(const struct vsamp_event_config *config,
					  const struct event_section *wanted)
{
	for (unsigned int i = 0; i < config->n; i++) {
		struct event_section *s = &config->section[i];

		if (s->user != wanted->user || s->kernel != wanted->kernel)
			continue;
		if (s->known && wanted->known ? event_code_same(&s->code, &wanted->code) :
						event_name_same(s->name, wanted->name))
			return s;
	}
	return NULL;
}

static struct event_section *section_add(struct reader *r, const struct event_section *new)
{
	struct vsamp_event_config *config = r->config;
	struct event_section *all;

	all = realloc(config->section, (config->n + 1) * sizeof(*all));
	if (!all)
		return NULL;
	config->section = all;
	all[config->n] = *new;
	return &all[config->n++];
}

/* NAME, NAME:u, NAME:k, where an alias of a section stands for what that is */
static int section_parse(struct reader *r, char *text, struct event_section *new)
{
	char typed[EVENT_CONFIG_LINE_MAX];
	struct vsamp_event ev = { .arch_bit = -1 };
	const struct event_section *alias;
	const char *modifier;
	char *name;

	strcpy(typed, text);
	if (event_modifiers(&ev, text, text, NULL) || ev.sav)
		return reader_fail(r, -EINVAL, "[%.60s]: sav has a line of its own", typed);
	name = event_text_trim(text);
	if (event_name_same(name, "") || strpbrk(name, "[],="))
		return reader_fail(r, -EINVAL, "[%.60s]: no name of an event", typed);
	if (strlen(name) >= VSAMP_EVENT_NAME_MAX - strlen(":uk"))
		return reader_fail(r, -EINVAL, "[%.40s...]: too long for an event's name", typed);
	if (event_is_misspelt_modifier(name, &modifier))
		return reader_fail(r, -EINVAL, "[%.60s]: '%s' is neither u nor k", typed, modifier);
	*new = (struct event_section){ .user = ev.user, .kernel = ev.kernel };
	alias = event_config_find_alias(r->config, name);
	if (alias && !ev.user && !ev.kernel) {
		new->user = alias->user;
		new->kernel = alias->kernel;
	}
	strcpy(new->name, alias ? alias->name : name);
	snprintf(new->spec, sizeof(new->spec), "%.*s%s%s%s", VSAMP_EVENT_NAME_MAX - 4, new->name,
		 new->user || new->kernel ? ":" : "", new->user ? "u" : "", new->kernel ? "k" : "");
	new->known = !event_encode(new->name, &new->code, NULL);
	return 0;
}

static int read_section(struct reader *r, char *text)
{
	struct event_section new;
	size_t length = strlen(text);
	int ret;

	if (text[length - 1] != ']')
		return reader_fail(r, -EINVAL, "'%.60s' does not end with ]", text);
	text[length - 1] = '\0';
	ret = section_parse(r, text + 1, &new);
	if (ret)
		return ret;
	r->section = section_find(r->config, &new);
	if (r->section && r->section->file == r->config->files)
		return reader_fail(r, -EINVAL,
				   "[%s]: line %u begins a section of this event already", new.spec,
				   r->section->line);
	if (!r->section && r->config->n == EVENT_CONFIG_SECTIONS_MAX)
		return reader_fail(r, -E2BIG, "more than %d sections", EVENT_CONFIG_SECTIONS_MAX);
	if (!r->section)
		r->section = section_add(r, &new);
	if (!r->section)
		return reader_fail(r, -ENOMEM, "out of memory");
	r->section->file = r->config->files;
	r->section->line = r->line;
	r->section->keys_here = 0;
	return 0;
}

static int read_line(struct reader *r, const char *line, size_t length)
{
	char buf[EVENT_CONFIG_LINE_MAX];
	char *text, *equals;

	if (memchr(line, '\0', length))
		return reader_fail(r, -EINVAL, "not text: a byte is 0");
	if (length >= sizeof(buf))
		return reader_fail(r, -EINVAL, "longer than %zu bytes", sizeof(buf) - 1);
	memcpy(buf, line, length);
	buf[length] = '\0';
	buf[strcspn(buf, "#;")] = '\0';
	text = event_text_trim(buf);
	if (!*text)
		return 0;
	if (*text == '[')
		return read_section(r, text);
	equals = strchr(text, '=');
	if (!equals)
		return reader_fail(r, -EINVAL, "'%.60s' is neither KEY = VALUE nor [EVENT]", text);
	*equals = '\0';
	return read_key(r, event_text_trim(text), event_text_trim(equals + 1));
}

static int read_text(struct reader *r, const char *text, size_t size)
{
	const char *end = text + size;
	int ret = 0;

	while (!ret && text < end) {
		const char *newline = memchr(text, '\n', end - text);
		size_t length = (newline ? newline : end) - text;

		r->line++;
		ret = read_line(r, text, length);
		text += length + !!newline;
	}
	return ret;
}

static int file_fail(const char *path, struct vsamp_error *err)
{
	int code = -errno;

	return vsamp_fail(err, code, "%s: %s", path, strerror(-code));
}

/* The whole file, in memory of its own */
static int file_load(const char *path, char **text, size_t *size, struct vsamp_error *err)
{
	/* what isn't a file must not keep us waiting */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = 0;
	struct stat st;
	ssize_t got = 0;

	*text = NULL;
	*size = 0;
	if (fd < 0)
		return file_fail(path, err);
	if (fstat(fd, &st))
		ret = file_fail(path, err);
	else if (!S_ISREG(st.st_mode))
		ret = vsamp_fail(err, -EINVAL, "%s: not a regular file", path);
	else if (!(*text = malloc(FILE_MAX + 1)))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	while (!ret && *size <= FILE_MAX &&
	       (got = read(fd, *text + *size, FILE_MAX + 1 - *size)) > 0)
		*size += got;
	if (!ret && got < 0)
		ret = file_fail(path, err);
	else if (!ret && *size > FILE_MAX)
		ret = vsamp_fail(err, -E2BIG, "%s: larger than %u bytes", path, FILE_MAX);
	close(fd);
	return ret;
}

static int config_copy(struct vsamp_event_config *to, const struct vsamp_event_config *from)
{
	*to = *from;
	if (!from->n)
		to->section = NULL;
	else
		to->section = malloc(from->n * sizeof(*from->section));
	if (!to->section && from->n)
		return -ENOMEM;
	if (from->n)
		memcpy(to->section, from->section, from->n * sizeof(*from->section));
	return 0;
}

int vsamp_event_config_read(struct vsamp_event_config *config, const char *path,
			    struct vsamp_error *err)
{
	struct vsamp_event_config new;
	struct reader r = { .config = &new, .path = path, .err = err };
	size_t size;
	char *text;
	int ret = file_load(path, &text, &size, err);

	if (ret)
		goto out;
	ret = config_copy(&new, config);
	if (ret) {
		vsamp_fail(err, ret, "out of memory");
		goto out;
	}
	new.files++;
	ret = read_text(&r, text, size);
	if (!ret) {
		free(config->section);
		*config = new;
	} else {
		free(new.section);
	}
out:
	free(text);
	return ret;
}

static int read_if_there(struct vsamp_event_config *config, const char *path,
			 struct vsamp_error *err)
{
	/* Another user's folder, as HOME is after su(1), is as good as none */
	if (access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return 0;
	return vsamp_event_config_read(config, path, err);
}

/* Relative paths are not allowed in XDG_CONFIG_HOME and count as none */
static bool user_path(char *path, size_t size)
{
	const char *dir = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const struct passwd *user;
	int length;

	if (dir && *dir == '/') {
		length = snprintf(path, size, "%s/%s", dir, VSAMP_EVENT_CONFIG_USER);
	} else {
		if (!home || *home != '/') {
			user = getpwuid(getuid());
			home = user ? user->pw_dir : NULL;
		}
		if (!home)
			return false;
		length = snprintf(path, size, "%s/.config/%s", home, VSAMP_EVENT_CONFIG_USER);
	}
	return length > 0 && (size_t)length < size;
}

int vsamp_event_config_read_default(struct vsamp_event_config *config, struct vsamp_error *err)
{
	char path[4096];
	int ret = read_if_there(config, VSAMP_EVENT_CONFIG_SYSTEM, err);

	if (!ret && user_path(path, sizeof(path)))
		ret = read_if_there(config, path, err);
	return ret;
}
