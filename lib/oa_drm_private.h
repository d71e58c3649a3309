/* SPDX-License-Identifier: MIT */
/* oa_drm_private.h: what i915's and xe's streams have in common, and what each does in its own way */
#ifndef OA_DRM_PRIVATE_H
#define OA_DRM_PRIVATE_H

#include <limits.h>
#include <sys/ioctl.h>
#include <sys/types.h>

#include <vsamp/oa_clock.h>
#include "oa_drm.h"

#define OA_READ_SIZE	  (64 * 1024)

/* Of i915's streams and of xe's alike */
#define OA_STREAM_ENABLE  _IO('i', 0)
#define OA_STREAM_DISABLE _IO('i', 1)

/* What asks the kernel; tests answer instead */
struct oa_calls {
	int (*ioctl)(int fd, unsigned long request, void *arg); /* -1 and errno */
	ssize_t (*read)(int fd, void *buf, size_t size);
	uint64_t (*raw)(void); /* ns, CLOCK_MONOTONIC_RAW */
};

extern const struct oa_calls oa_calls_system;

/* What a stream has */
enum oa_record_type {
	OA_REPORT,
	OA_REPORTS_LOST, /* the unit could not write some */
	OA_BUFFER_LOST,	 /* its buffer overflowed: all that was in it is lost */
};

struct oa_record {
	enum oa_record_type type;
	const void *report; /* VSAMP_OA_REPORT_SIZE bytes; NULL: it is of a loss */
};

struct oa_drm;

/* Functions return 0, or what is said, or a negative errno value */
struct oa_driver {
	const char *name;
	const char *paranoid; /* the setting that keeps users out */
	/* Fills in the device, and ticks_of_stamp */
	int (*query)(struct oa_drm *d, struct vsamp_error *err);
	/* The configuration's number */
	int (*config_add)(struct oa_drm *d, const struct vsamp_oa_set *set, uint64_t *config);
	void (*config_remove)(struct oa_drm *d, uint64_t config);
	/* A stream that does not run yet, as a file descriptor */
	int (*stream_open)(struct oa_drm *d, uint64_t config, unsigned int exponent);
	/* How large the record at @at is, or 0: it is no record; a type of -1 is to be skipped */
	size_t (*record)(const uint8_t *at, size_t left, int *type, const void **report);
	/* After read() failed by EIO: losses are added to d->lost */
	int (*io_error)(struct oa_drm *d);
	/* One try */
	int (*pair)(struct oa_drm *d, struct vsamp_oa_pair *pair);
};

extern const struct oa_driver oa_driver_i915, oa_driver_xe;

struct oa_drm {
	const struct oa_driver *driver;
	const struct oa_calls *calls;
	struct vsamp_gpu gpu;
	char metrics[PATH_MAX]; /* folder of the configurations that the driver has */
	int fd, stream;		/* -1: none */
	struct vsamp_oa_device device;
	uint32_t ticks_of_stamp; /* a pair's reading times this is in ticks of reports */
	unsigned int stamp_bits; /* width of that reading */
	uint32_t unit;		 /* of xe */
	uint16_t engine[4];	 /* of xe: one of the unit's, as it names them */

	uint64_t config;
	bool config_ours; /* it was added, and is to be removed */
	uint64_t period_ns;
	unsigned int exponent;
	struct vsamp_ring *ring; /* of the last start; NULL: there was none */
	uint8_t *buffer;
	size_t filled, at;
	unsigned int lost; /* bits of enum oa_record_type that are still to be told */
};

/* An opened one, with these answers; takes @fd over where it succeeds */
int oa_drm_new(struct oa_drm **drm, const struct vsamp_gpu *gpu, int fd,
	       const struct oa_calls *calls, struct vsamp_error *err);

/* An ioctl of the GPU's node, again where a signal came in between; a negative errno value */
int oa_drm_ioctl(const struct oa_drm *d, int fd, unsigned long request, void *arg);

/* Reads the GPU's clock beside the machine's: the narrowest of several tries. 0 or a negative errno */
int oa_drm_pair(struct oa_drm *d, struct vsamp_oa_pair *pair, struct vsamp_error *err);

/* The next record of a running one. 1; 0: there is none now; or a negative errno value */
int oa_drm_next(struct oa_drm *d, struct oa_record *record, struct vsamp_error *err);

/* oa_ring.c: with the clocks as they are before the start */
int oa_ring_open(struct vsamp_ring **ring, struct oa_drm *drm, struct vsamp_error *err);

/* What the driver has, before it is stopped; and the clocks after that */
int oa_ring_drain(struct vsamp_ring *ring, struct vsamp_error *err);
int oa_ring_end(struct vsamp_ring *ring, struct vsamp_error *err);

#endif
