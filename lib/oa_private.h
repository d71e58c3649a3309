/* SPDX-License-Identifier: MIT */
/* oa_private.h: the tables that are made of lib/oa/, and the equations in them */
#ifndef OA_PRIVATE_H
#define OA_PRIVATE_H

#include <vsamp/oa.h>

/* How high the stack of a program may grow; tables.awk sees to it */
#define OA_STACK 8

enum oa_op_kind {
	OA_END,
	/* that push: a number, a difference, a field of the device by its offset, an earlier metric */
	OA_NUMBER,
	OA_DELTA,
	OA_DEVICE,
	OA_METRIC,
	/* that take two and push one */
	OA_ADD,
	OA_SUBTRACT,
	OA_MULTIPLY,
	OA_QUOTIENT,
	OA_DIVIDE,
	OA_AND,
	OA_MAX,
};

struct vsamp_oa_op {
	enum oa_op_kind kind;
	uint32_t value;
};

/* Slices, each of which has the same subslices; execution units are left as they are */
void oa_topology_masks(struct vsamp_oa_device *device, unsigned int version, uint32_t slices,
		       uint32_t subslices);

extern const struct vsamp_oa_platform oa_platforms[];
extern const size_t oa_platforms_n;

#endif
