// SPDX-License-Identifier: MIT
/* gpu_bind.c: gives a GPU to vsamp's module, and takes it away from it */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <vsamp/gpu.h>

#define DRIVER "/sys/bus/pci/drivers/" VSAMP_GPU_DRIVER

/* 0 or a negative errno value */
static int line_write(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, line, strlen(line));
	if (n != (ssize_t)strlen(line))
		ret = n < 0 ? -errno : -EIO;
	close(fd);
	return ret;
}

static int override_write(const struct vsamp_gpu *gpu, const char *root, const char *driver)
{
	char path[PATH_MAX], line[64];

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/driver_override", root, gpu->slot);
	snprintf(line, sizeof(line), "%s\n", driver);
	return line_write(path, line);
}

static int driver_write(const struct vsamp_gpu *gpu, const char *root, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" DRIVER "/%s", root, name);
	return line_write(path, gpu->slot);
}

static int refused(struct vsamp_error *err, int code, const struct vsamp_gpu *gpu, const char *what)
{
	if (code == -EACCES || code == -EPERM)
		return vsamp_fail(err, code, "%s: %s is root's to do", gpu->slot, what);
	if (code == -EBUSY)
		return vsamp_fail(err, code,
				  "%s: %s: something uses its registers, or its OA unit; "
				  "the kernel's log (dmesg) tells",
				  gpu->slot, what);
	return vsamp_fail(err, code, "%s: %s: the kernel refuses: %s; its log (dmesg) tells why",
			  gpu->slot, what, strerror(-code));
}

/* What stands against it before the kernel is asked */
static int bind_check(const struct vsamp_gpu *gpu, const char *root, struct vsamp_error *err)
{
	char path[PATH_MAX];

	if (gpu->path == VSAMP_GPU_I915 || gpu->path == VSAMP_GPU_XE)
		return vsamp_fail(
			err, -EBUSY,
			"%s: %s has it, and its reports are read through %s as it is: there "
			"is nothing to bind. To take it away, which ends its display: echo %s "
			">/sys/bus/pci/drivers/%s/unbind",
			gpu->slot, gpu->driver, gpu->driver, gpu->slot, gpu->driver);
	if (gpu->path == VSAMP_GPU_MODULE)
		return vsamp_fail(err, -EBUSY, "%s: the module has it already", gpu->slot);
	if (*gpu->driver)
		return vsamp_fail(err, -EBUSY,
				  "%s: %s has it; to take it away: echo %s "
				  ">/sys/bus/pci/drivers/%s/unbind",
				  gpu->slot, gpu->driver, gpu->slot, gpu->driver);
	if (gpu->path != VSAMP_GPU_FREE)
		return vsamp_fail(err, -ENODEV, "%s: %s", gpu->slot, gpu->why);
	snprintf(path, sizeof(path), "%s" DRIVER, root);
	if (access(path, F_OK))
		return vsamp_fail(
			err, -ENODEV,
			"%s: the module is not loaded, or has no part for GPUs: "
			"'modprobe vsamp' loads it, 'vsamp doctor' tells what is in its way",
			gpu->slot);
	return 0;
}

int vsamp_gpu_bind(const struct vsamp_gpu *gpu, const char *root, struct vsamp_error *err)
{
	int ret = bind_check(gpu, root, err);

	if (ret)
		return ret;
	ret = override_write(gpu, root, VSAMP_GPU_DRIVER);
	if (ret)
		return refused(err, ret, gpu, "to set its driver_override");
	ret = driver_write(gpu, root, "bind");
	if (ret) {
		override_write(gpu, root, gpu->driver_override);
		return refused(err, ret, gpu, "to bind it to " VSAMP_GPU_DRIVER);
	}
	return 0;
}

int vsamp_gpu_unbind(const struct vsamp_gpu *gpu, const char *root, struct vsamp_error *err)
{
	int ret;

	if (gpu->path != VSAMP_GPU_MODULE)
		return vsamp_fail(err, -ENODEV, "%s: the module does not have it: %s", gpu->slot,
				  *gpu->driver ? gpu->driver : "no driver does");
	ret = driver_write(gpu, root, "unbind");
	if (ret)
		return refused(err, ret, gpu, "to unbind it from " VSAMP_GPU_DRIVER);
	ret = override_write(gpu, root, "");
	if (ret)
		return refused(err, ret, gpu, "to clear its driver_override");
	return 0;
}
