// SPDX-License-Identifier: MIT
/* gpu.c: the Intel GPUs that /sys tells of, and by whom their reports can be had */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vsamp/gpu.h>
#include <vsamp/machine.h>

#define DEVICES	      "/sys/bus/pci/devices"
#define VENDOR_INTEL  0x8086
#define CLASS_DISPLAY 0x03 /* the upper byte of three */

/* Those in processors, of Gen9 to 12.0, are what the module drives */
#define MODULE_FIRST  900
#define MODULE_END    1210

static void attribute_path(char path[PATH_MAX], const char *root, const char *slot,
			   const char *name)
{
	snprintf(path, PATH_MAX, "%s" DEVICES "/%s/%s", root, slot, name);
}

static uint64_t attribute_number(const char *root, const char *slot, const char *name, int base)
{
	char path[PATH_MAX], line[32];

	attribute_path(path, root, slot, name);
	vsamp_machine_line(path, line, sizeof(line));
	return strtoull(line, NULL, base);
}

static void driver_read(struct vsamp_gpu *g, const char *root)
{
	char path[PATH_MAX], to[PATH_MAX];
	const char *name;
	ssize_t n;

	attribute_path(path, root, g->slot, "driver");
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0)
		return;
	to[n] = '\0';
	name = strrchr(to, '/');
	snprintf(g->driver, sizeof(g->driver), "%.31s", name ? name + 1 : to);
}

/* drm/renderD128 in the device's folder is /dev/dri/renderD128 */
static void nodes_read(struct vsamp_gpu *g, const char *root)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *dir;

	attribute_path(path, root, g->slot, "drm");
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		if (strlen(e->d_name) >= sizeof(g->card))
			continue;
		if (!strncmp(e->d_name, "card", 4))
			snprintf(g->card, sizeof(g->card), "%.15s", e->d_name);
		else if (!strncmp(e->d_name, "renderD", 7))
			snprintf(g->node, sizeof(g->node), "/dev/dri/%.15s", e->d_name);
	}
	if (dir)
		closedir(dir);
}

/* i915 tells it of the card, xe of the device */
static void rate_read(struct vsamp_gpu *g, const char *root)
{
	char name[64];
	uint64_t mhz;

	snprintf(name, sizeof(name), "drm/%s/gt_max_freq_mhz", g->card);
	mhz = attribute_number(root, g->slot, name, 10);
	if (!mhz)
		mhz = attribute_number(root, g->slot, "tile0/gt0/freq0/max_freq", 10);
	g->max_hz = mhz < UINT32_MAX ? mhz * 1000000 : 0;
}

/* Of drivers that have the GPU, each is its only way in */
static void path_choose_driver(struct vsamp_gpu *g)
{
	static const struct {
		const char *driver;
		enum vsamp_gpu_path path;
		const char *why;
	} ways[] = {
		{ VSAMP_GPU_DRIVER, VSAMP_GPU_MODULE, "vsamp's module has it" },
		{ "i915", VSAMP_GPU_I915, "i915 has it, and reads its reports for others" },
		{ "xe", VSAMP_GPU_XE, "xe has it, and reads its reports for others" },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(g->driver, ways[i].driver))
			continue;
		g->path = ways[i].path;
		snprintf(g->why, sizeof(g->why), "%s", ways[i].why);
		return;
	}
	snprintf(g->why, sizeof(g->why), "%s has it, which reads no reports: unbind it there",
		 g->driver);
}

static void path_choose(struct vsamp_gpu *g)
{
	const struct vsamp_oa_platform *p = g->platform;

	if (!p) {
		snprintf(g->why, sizeof(g->why),
			 "what GPU has the id %04x is not known to this version of vsamp", g->id);
	} else if (!p->sets) {
		snprintf(g->why, sizeof(g->why),
			 "no metrics of %s are known to this version of vsamp", p->title);
	} else if (*g->driver) {
		path_choose_driver(g);
	} else if (p->version < MODULE_FIRST || p->version >= MODULE_END) {
		snprintf(g->why, sizeof(g->why),
			 "no driver has it, and the module does not drive %s: load i915 or xe",
			 p->title);
	} else {
		g->path = VSAMP_GPU_FREE;
		snprintf(g->why, sizeof(g->why),
			 "no driver has it: 'vsamp gpu bind %s' gives it to the module", g->slot);
	}
}

/* Whether the device is an Intel GPU */
static bool gpu_read(struct vsamp_gpu *g, const char *root, const char *slot)
{
	char path[PATH_MAX];

	memset(g, 0, sizeof(*g));
	if (strlen(slot) >= sizeof(g->slot))
		return false;
	strcpy(g->slot, slot);
	if (attribute_number(root, slot, "vendor", 16) != VENDOR_INTEL ||
	    attribute_number(root, slot, "class", 16) >> 16 != CLASS_DISPLAY)
		return false;
	g->id = attribute_number(root, slot, "device", 16);
	g->revision = attribute_number(root, slot, "revision", 16);
	attribute_path(path, root, slot, "driver_override");
	vsamp_machine_line(path, g->driver_override, sizeof(g->driver_override));
	if (!strcmp(g->driver_override, "(null)"))
		g->driver_override[0] = '\0';
	driver_read(g, root);
	nodes_read(g, root);
	rate_read(g, root);
	g->platform = vsamp_oa_platform_find(g->id);
	path_choose(g);
	return true;
}

static int by_slot(const void *a, const void *b)
{
	return strcmp(((const struct vsamp_gpu *)a)->slot, ((const struct vsamp_gpu *)b)->slot);
}

int vsamp_gpus_find(struct vsamp_gpu **gpu, size_t *gpus, const char *root, struct vsamp_error *err)
{
	struct vsamp_gpu g, *more, *all = NULL;
	char path[PATH_MAX];
	struct dirent *e;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s" DEVICES, root);
	dir = opendir(path);
	if (!dir && errno != ENOENT)
		return vsamp_fail(err, -errno, "%s: cannot be read: %s", path, strerror(errno));
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || !gpu_read(&g, root, e->d_name))
			continue;
		more = realloc(all, (n + 1) * sizeof(*all));
		if (!more) {
			free(all);
			closedir(dir);
			return vsamp_fail(err, -ENOMEM, "out of memory");
		}
		all = more;
		all[n++] = g;
	}
	if (dir)
		closedir(dir);
	if (n)
		qsort(all, n, sizeof(*all), by_slot);
	*gpu = all;
	*gpus = n;
	return 0;
}

const char *vsamp_gpu_path_name(enum vsamp_gpu_path path)
{
	static const char *const name[] = {
		[VSAMP_GPU_NONE] = "none",     [VSAMP_GPU_I915] = "i915",    [VSAMP_GPU_XE] = "xe",
		[VSAMP_GPU_MODULE] = "module", [VSAMP_GPU_FREE] = "unbound",
	};

	return name[path];
}
