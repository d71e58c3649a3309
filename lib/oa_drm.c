// SPDX-License-Identifier: MIT
/* oa_drm.c: OA reports through the stream of the driver that has the GPU */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <vsamp/gpu_stream.h>
#include <vsamp/machine.h>

#include "oa_drm_private.h"

#define PAIR_TRIES 3

static int system_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg);
}

static uint64_t system_raw(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

const struct oa_calls oa_calls_system = { system_ioctl, read, system_raw };

int oa_drm_ioctl(const struct oa_drm *d, int fd, unsigned long request, void *arg)
{
	int ret;

	do
		ret = d->calls->ioctl(fd, request, arg);
	while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret < 0 ? -errno : ret;
}

/* card0 has its configurations in drm/card0/metrics of the device */
static void metrics_path(struct oa_drm *d)
{
	snprintf(d->metrics, sizeof(d->metrics), "/sys/bus/pci/devices/%s/drm/%s/metrics",
		 d->gpu.slot, d->gpu.card);
}

int oa_drm_new(struct oa_drm **drm, const struct vsamp_gpu *gpu, int fd,
	       const struct oa_calls *calls, struct vsamp_error *err)
{
	struct oa_drm *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	d->driver = gpu->path == VSAMP_GPU_XE ? &oa_driver_xe : &oa_driver_i915;
	d->calls = calls;
	d->gpu = *gpu;
	d->stream = -1;
	d->fd = fd;
	d->device.gpu_max_hz = gpu->max_hz;
	metrics_path(d);
	ret = d->driver->query(d, err);
	if (ret) {
		free(d);
		return ret;
	}
	*drm = d;
	return 0;
}

int oa_drm_open(struct oa_drm **drm, const struct vsamp_gpu *gpu, struct vsamp_error *err)
{
	int fd, ret;

	if ((gpu->path != VSAMP_GPU_I915 && gpu->path != VSAMP_GPU_XE) || !*gpu->node)
		return vsamp_fail(err, -ENODEV, "%s: neither i915 nor xe reads its reports: %s",
				  gpu->slot, gpu->why);
	fd = open(gpu->node, O_RDWR | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		return vsamp_fail(
			err, -EACCES,
			"%s: not permitted: run as root, or as a member of the group that "
			"it belongs to ('render' mostly)",
			gpu->node);
	if (fd < 0)
		return vsamp_fail(err, -errno, "%s: cannot be opened: %s", gpu->node,
				  strerror(errno));
	ret = oa_drm_new(drm, gpu, fd, &oa_calls_system, err);
	if (ret)
		close(fd);
	return ret;
}

const struct vsamp_oa_device *oa_drm_device(const struct oa_drm *d)
{
	return &d->device;
}

unsigned int oa_drm_bits(const struct oa_drm *d)
{
	unsigned int bits = d->stamp_bits;

	for (uint32_t n = d->ticks_of_stamp; n > 1; n /= 2)
		bits++;
	return bits < 64 ? bits : 64;
}

int oa_drm_pair(struct oa_drm *d, struct vsamp_oa_pair *pair, struct vsamp_error *err)
{
	struct vsamp_oa_pair p;

	for (int i = 0; i < PAIR_TRIES; i++) {
		int ret = d->driver->pair(d, &p);

		if (ret < 0)
			return vsamp_fail(err, ret, "%s: %s does not tell the GPU's time: %s",
					  d->gpu.slot, d->driver->name, strerror(-ret));
		p.ticks *= d->ticks_of_stamp;
		if (!i || p.bracket < pair->bracket)
			*pair = p;
	}
	return 0;
}

/* The number of a configuration that somebody added before, 0: nobody did */
static uint64_t config_find(const struct oa_drm *d, const struct vsamp_oa_set *set)
{
	char path[PATH_MAX + 64], line[32];

	snprintf(path, sizeof(path), "%s/%s/id", d->metrics, set->uuid);
	vsamp_machine_line(path, line, sizeof(line));
	return strtoull(line, NULL, 10);
}

static int refused(const struct oa_drm *d, const struct vsamp_oa_set *set, int code,
		   struct vsamp_error *err)
{
	const char *slot = d->gpu.slot, *driver = d->driver->name;

	switch (code) {
	case -EBUSY:
		return vsamp_fail(
			err, code,
			"%s: another program reads this GPU's OA reports, and %s lets one "
			"at a time: end that one",
			slot, driver);
	case -EACCES:
	case -EPERM:
		return vsamp_fail(
			err, code,
			"%s: %s does not permit it: run as root or with CAP_PERFMON, or set "
			"%s=0 by sysctl; a rate above dev.i915.oa_max_sample_rate is root's",
			slot, driver, d->driver->paranoid);
	case -EINVAL:
		return vsamp_fail(
			err, code,
			"%s: %s of this kernel does not take %s of %s: try another set, or a "
			"newer kernel; its log (dmesg) may tell why",
			slot, driver, set->name, d->gpu.platform->title);
	case -ENODEV:
	case -EOPNOTSUPP:
		return vsamp_fail(
			err, code,
			"%s: %s of this kernel has no OA unit for this GPU: a newer kernel "
			"may have",
			slot, driver);
	case -ENOSPC:
	case -ENOMEM:
		return vsamp_fail(
			err, code,
			"%s: %s has no memory for the reports' buffer: end programs that use "
			"the GPU",
			slot, driver);
	default:
		return vsamp_fail(err, code, "%s: %s refuses: %s", slot, driver, strerror(-code));
	}
}

static int config_get(struct oa_drm *d, const struct vsamp_oa_set *set)
{
	int ret;

	d->config_ours = false;
	d->config = config_find(d, set);
	if (d->config)
		return 0;
	ret = d->driver->config_add(d, set, &d->config);
	if (ret == -EADDRINUSE) { /* somebody was quicker */
		d->config = config_find(d, set);
		return d->config ? 0 : ret;
	}
	d->config_ours = !ret;
	return ret;
}

static void config_put(struct oa_drm *d)
{
	if (d->config_ours)
		d->driver->config_remove(d, d->config);
	d->config_ours = false;
}

/* 0, or a negative errno value, and nothing runs */
static int stream_begin(struct oa_drm *d, const struct vsamp_oa_set *set)
{
	int ret;

	d->filled = d->at = d->lost = 0;
	d->buffer = malloc(OA_READ_SIZE);
	if (!d->buffer)
		return -ENOMEM;
	ret = config_get(d, set);
	if (ret)
		goto free;
	d->stream = d->driver->stream_open(d, d->config, d->exponent);
	ret = d->stream < 0 ? d->stream : 0;
	if (ret)
		goto config;
	ret = oa_drm_ioctl(d, d->stream, OA_STREAM_ENABLE, NULL);
	if (ret >= 0)
		return 0;
	close(d->stream);
config:
	config_put(d);
free:
	d->stream = -1;
	free(d->buffer);
	d->buffer = NULL;
	return ret;
}

static void stream_end(struct oa_drm *d)
{
	oa_drm_ioctl(d, d->stream, OA_STREAM_DISABLE, NULL);
	close(d->stream);
	d->stream = -1;
	config_put(d);
	free(d->buffer);
	d->buffer = NULL;
}

int oa_drm_start(struct oa_drm *d, const struct vsamp_oa_set *set, uint64_t period_ns,
		 struct vsamp_error *err)
{
	int ret;

	d->exponent = vsamp_gpu_exponent(d->device.timestamp_hz, period_ns, &d->period_ns);
	vsamp_ring_close(d->ring);
	d->ring = NULL;
	ret = oa_ring_open(&d->ring, d, err);
	if (ret)
		return ret;
	ret = stream_begin(d, set);
	if (!ret)
		return 0;
	vsamp_ring_close(d->ring);
	d->ring = NULL;
	return refused(d, set, ret, err);
}

uint64_t oa_drm_period(const struct oa_drm *d)
{
	return d->period_ns;
}

int oa_drm_fd(const struct oa_drm *d)
{
	return d->stream;
}

/* 1: there is something; 0: nothing now */
static int buffer_fill(struct oa_drm *d, struct vsamp_error *err)
{
	ssize_t n;
	int ret;

	do
		n = d->calls->read(d->stream, d->buffer, OA_READ_SIZE);
	while (n < 0 && errno == EINTR);
	d->at = 0;
	d->filled = n > 0 ? n : 0;
	if (n > 0)
		return 1;
	if (!n || errno == EAGAIN)
		return 0;
	ret = -errno;
	if (ret == -EIO && d->driver->io_error)
		ret = d->driver->io_error(d);
	if (!ret)
		return !!d->lost;
	return vsamp_fail(err, ret, "%s: %s's stream cannot be read: %s", d->gpu.slot,
			  d->driver->name, strerror(-ret));
}

/* Losses come first: what is read after them is of after them */
static bool lost_take(struct oa_drm *d, struct oa_record *record)
{
	enum oa_record_type type;

	for (type = OA_BUFFER_LOST; type > OA_REPORT; type--) {
		if (!(d->lost >> type & 1))
			continue;
		d->lost &= ~(1u << type);
		*record = (struct oa_record){ type, NULL };
		return true;
	}
	return false;
}

/* 1: a record; 0: what was there was none for us */
static int record_take(struct oa_drm *d, struct oa_record *record, struct vsamp_error *err)
{
	size_t size;
	int type;

	record->report = NULL;
	size = d->driver->record(d->buffer + d->at, d->filled - d->at, &type, &record->report);
	if (!size) {
		d->at = d->filled;
		return vsamp_fail(err, -EPROTO, "%s: what %s's stream has is no record",
				  d->gpu.slot, d->driver->name);
	}
	d->at += size;
	record->type = type;
	return type >= 0;
}

int oa_drm_next(struct oa_drm *d, struct oa_record *record, struct vsamp_error *err)
{
	int ret;

	if (d->stream < 0)
		return vsamp_fail(err, -EINVAL, "%s: its reports were not started", d->gpu.slot);
	for (;;) {
		if (lost_take(d, record))
			return 1;
		if (d->at < d->filled) {
			ret = record_take(d, record, err);
			if (ret)
				return ret;
		} else {
			ret = buffer_fill(d, err);
			if (ret <= 0)
				return ret;
		}
	}
}

struct vsamp_ring *oa_drm_ring(const struct oa_drm *d)
{
	return d->ring;
}

int oa_drm_stop(struct oa_drm *d, struct vsamp_error *err)
{
	int ret, end;

	if (d->stream < 0)
		return 0;
	ret = oa_ring_drain(d->ring, err);
	stream_end(d);
	end = oa_ring_end(d->ring, ret ? NULL : err);
	return ret ? ret : end;
}

void oa_drm_free(struct oa_drm *d)
{
	if (!d)
		return;
	if (d->stream >= 0)
		stream_end(d);
	vsamp_ring_close(d->ring);
	close(d->fd);
	free(d);
}
