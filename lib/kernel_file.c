// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elfsym.h"
#include "kernel_file.h"

/* A symbol that every kernel has, at the begin of its code */
#define BEGIN "_stext"

static int file_of(const char *path, const struct buildid *id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct buildid found;

	if (fd >= 0 && (elfsym_read_id(fd, &found) || !buildid_equal(&found, id))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int search(const struct buildid *id, const char *release)
{
	static const char *const places[][2] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/boot/vmlinux-", "" },
	};
	char path[PATH_MAX], hex[BUILDID_HEX];
	int fd = -1;

	buildid_format(id, hex);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
	fd = file_of(path, id);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++)
		if (snprintf(path, sizeof(path), "%s%s%s", places[i][0], release, places[i][1]) <
		    (int)sizeof(path))
			fd = file_of(path, id);
	return fd;
}

int kernel_file_open(const struct buildid *id, const char *path, const char *release)
{
	int fd = -1;

	if (id->size < 2)
		return -ENOENT;
	if (path)
		fd = file_of(path, id);
	else if (!strchr(release, '/'))
		fd = search(id, release);
	return fd < 0 ? -ENOENT : fd;
}

static int begin_in_file(int fd, uint64_t *address)
{
	struct elfsym *es;
	int ret = elfsym_new(&es);

	if (ret)
		return ret;
	ret = elfsym_add_file(es, fd);
	if (ret >= 0)
		ret = elfsym_named(es, BEGIN, address);
	elfsym_free(es);
	return ret == -ENOMEM ? ret : ret ? -ENOENT : 0;
}

int kernel_file_shift(int fd, const struct kallsyms *k, uint64_t *shift)
{
	struct kallsyms_symbol sym;
	uint64_t in_file;
	int ret = begin_in_file(fd, &in_file);

	for (size_t i = 0; i < kallsyms_count(k) && !ret; i++) {
		kallsyms_symbol(k, i, &sym);
		if (strcmp(sym.name, BEGIN) || strcmp(sym.module, KALLSYMS_KERNEL))
			continue;
		*shift = sym.start - in_file;
		return 0;
	}
	return ret ? ret : -ENOENT;
}

/* The kernel itself, which is moved as a whole */
static int open_vmlinux(const struct kernel_code *k, struct vsamp_code *code, uint64_t *shift)
{
	code->fd = kernel_file_open(k->id, k->path, k->release);
	return code->fd < 0 ? code->fd : kernel_file_shift(code->fd, k->kallsyms, shift);
}

/* A module, whose sections are put anywhere: what is known is where the symbol is */
static int open_module(const struct kernel_code *k, struct vsamp_code *code, uint64_t *shift)
{
	char found[PATH_MAX];
	uint64_t value;
	int ret = 0;

	if (!k->path)
		ret = kernel_module_path("/lib/modules", k->release, k->module, found,
					 sizeof(found));
	if (ret || k->pieces || !k->id->size)
		return -ENOENT;
	code->fd = file_of(k->path ? k->path : found, k->id);
	if (code->fd < 0)
		return -ENOENT;
	ret = kernel_module_symbol(code->fd, k->symbol, &value, code->section);
	*shift = k->start - value;
	return ret;
}

static void say_why(const struct kernel_code *k, struct vsamp_code *code)
{
	bool module = strcmp(k->module, KALLSYMS_KERNEL);

	if (k->path)
		snprintf(
			code->why, sizeof(code->why),
			"%.100s is not the uncompressed file of the recorded %s, or another one: its build-id differs, or it has none",
			k->path, module ? "module" : "kernel");
	else if (module)
		snprintf(
			code->why, sizeof(code->why),
			"no file of this module with its build-id, not compressed, is in /lib/modules/%.60s: unpack it, and name it by --vmlinux",
			k->release);
	else
		snprintf(
			code->why, sizeof(code->why),
			"no vmlinux with the build-id of the recorded kernel %.60s is here: install its debug symbols (Debian: linux-image-RELEASE-dbg), or name it by --vmlinux",
			k->release);
}

int kernel_code_open(const struct kernel_code *k, struct vsamp_code *code, uint64_t *shift)
{
	int ret = strcmp(k->module, KALLSYMS_KERNEL) ? open_module(k, code, shift) :
						       open_vmlinux(k, code, shift);

	if (!ret)
		return 0;
	if (code->fd >= 0)
		close(code->fd);
	code->fd = -1;
	code->section[0] = '\0';
	*shift = 0;
	if (ret == -ENOMEM)
		return ret;
	if (k->pieces && strcmp(k->module, KALLSYMS_KERNEL))
		snprintf(
			code->why, sizeof(code->why),
			"the module has several functions of this name, which its file doesn't tell apart");
	else
		say_why(k, code);
	return 0;
}
