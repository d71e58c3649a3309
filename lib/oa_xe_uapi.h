/* SPDX-License-Identifier: MIT */
/*
 * oa_xe_uapi.h: the part of xe's interface that OA needs, whose header distributions don't have yet
 *
 * Names are the kernel's, without DRM_XE_ and drm_xe_.
 */
#ifndef OA_XE_UAPI_H
#define OA_XE_UAPI_H

#include <stdint.h>
#include <sys/ioctl.h>

struct xe_device_query {
	uint64_t extensions;
	uint32_t query, size; /* with a size of 0 it is told */
	uint64_t data;
	uint64_t reserved[2];
};

struct xe_observation_param {
	uint64_t extensions;
	uint64_t observation_type, observation_op;
	uint64_t param;
};

#define XE_IOCTL_DEVICE_QUERY _IOWR('d', 0x40, struct xe_device_query)
#define XE_IOCTL_OBSERVATION  _IOW('d', 0x4b, struct xe_observation_param)

enum {
	XE_QUERY_GT_LIST = 3,
	XE_QUERY_GT_TOPOLOGY = 5,
	XE_QUERY_ENGINE_CYCLES = 6,
	XE_QUERY_OA_UNITS = 8,
};

struct xe_gt {
	uint16_t type, tile_id, gt_id, pad[3];
	uint32_t reference_clock;
	uint64_t near_mem_regions, far_mem_regions;
	uint16_t ip_ver_major, ip_ver_minor, ip_ver_rev, pad2;
	uint64_t reserved[7];
};

struct xe_query_gt_list {
	uint32_t num_gt, pad;
	struct xe_gt gt_list[];
};

/* Followed by its bytes, and the next one */
struct xe_query_topology_mask {
	uint16_t gt_id, type;
	uint32_t num_bytes;
};

enum {
	XE_TOPO_DSS_GEOMETRY = 1,
	XE_TOPO_DSS_COMPUTE = 2,
	XE_TOPO_EU_PER_DSS = 4,
	XE_TOPO_SIMD16_EU_PER_DSS = 5,
};

struct xe_engine {
	uint16_t engine_class, engine_instance, gt_id, pad;
};

struct xe_query_engine_cycles {
	struct xe_engine eci;
	int32_t clockid;
	uint32_t width;
	uint64_t engine_cycles, cpu_timestamp, cpu_delta;
};

/* Followed by its engines, and the next one */
struct xe_oa_unit {
	uint64_t extensions;
	uint32_t oa_unit_id, oa_unit_type;
	uint64_t capabilities, oa_timestamp_freq;
	uint64_t reserved[4];
	uint64_t num_engines;
};

struct xe_query_oa_units {
	uint64_t extensions;
	uint32_t num_oa_units, pad;
};

#define XE_OA_UNIT_TYPE_OAG    0
#define XE_OBSERVATION_TYPE_OA 0

enum {
	XE_OBSERVATION_OP_STREAM_OPEN,
	XE_OBSERVATION_OP_ADD_CONFIG,
	XE_OBSERVATION_OP_REMOVE_CONFIG,
};

struct xe_ext_set_property {
	struct {
		uint64_t next_extension;
		uint32_t name, pad;
	} base;
	uint32_t property, pad;
	uint64_t value;
	uint64_t reserved[2];
};

enum {
	XE_OA_PROPERTY_OA_UNIT_ID = 1,
	XE_OA_PROPERTY_SAMPLE_OA,
	XE_OA_PROPERTY_OA_METRIC_SET,
	XE_OA_PROPERTY_OA_FORMAT,
	XE_OA_PROPERTY_OA_PERIOD_EXPONENT,
	XE_OA_PROPERTY_OA_DISABLED,
};

struct xe_oa_config {
	uint64_t extensions;
	char uuid[36];
	uint32_t n_regs;
	uint64_t regs_ptr;
};

#define XE_OBSERVATION_IOCTL_STATUS _IO('i', 3)

struct xe_oa_stream_status {
	uint64_t extensions;
	uint64_t oa_status;
	uint64_t reserved[3];
};

enum {
	XE_OASTATUS_REPORT_LOST = 1 << 0,
	XE_OASTATUS_BUFFER_OVERFLOW = 1 << 1,
	XE_OASTATUS_COUNTER_OVERFLOW = 1 << 2,
};

#endif
