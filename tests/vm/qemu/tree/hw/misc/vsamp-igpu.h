/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A GPU with an OA unit: what its parts share. vsamp-igpu.c is the device and
 * its registers, vsamp-igpu-oa.c the OA unit, vsamp-igpu-cs.c the command
 * streamers.
 */
#ifndef HW_MISC_VSAMP_IGPU_H
#define HW_MISC_VSAMP_IGPU_H

#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw/pci/pci.h"
#include "qom/object.h"

#define TYPE_VSAMP_IGPU "vsamp-igpu"
OBJECT_DECLARE_SIMPLE_TYPE(VsampIgpu, VSAMP_IGPU)

#define IGPU_REGS_SIZE  (8 * MiB)
#define IGPU_GGTT_SIZE  (8 * MiB)
#define IGPU_ENGINES    5
#define IGPU_PENDING    16      /* reports that TAIL may be ahead of memory */
#define IGPU_REPORT     256     /* bytes: A32u40_A4u32_B8_C8 */

/* Faults of the OA unit; see igpu_oa_faults[] */
typedef enum {
    IGPU_FAULT_NONE,
    IGPU_FAULT_STUCK_TAIL,
    IGPU_FAULT_TORN,
    IGPU_FAULT_OVERFLOW,
    IGPU_FAULT_LOST,
    IGPU_FAULT_TIMESTAMP,
    IGPU_FAULT_COUNTER,
    IGPU_FAULT_NO_ACK,
    IGPU_FAULT_HALF_RATE,
    IGPU_FAULTS
} IgpuFault;

/* The registers of an OA unit */
typedef struct {
    uint32_t control, debug, status, head, tail, buffer, timer;
} IgpuOaRegs;

typedef struct {
    uint32_t offset;    /* in the GGTT */
    uint8_t data[IGPU_REPORT];
} IgpuReport;

typedef struct {
    const IgpuOaRegs *regs;
    QEMUTimer *timer;
    bool on;
    uint64_t next;      /* ticks: the next report's */
    int order;          /* of HEAD, BUFFER, TAIL before the unit is enabled */
    uint32_t number;    /* of the next report since then */
    IgpuReport pending[IGPU_PENDING];
    uint32_t first, last;       /* of those, counted on and on */
} IgpuOa;

struct VsampIgpu {
    PCIDevice parent_obj;
    MemoryRegion bar0, regs_mr, ggtt_mr, aperture, debug;

    /* properties */
    uint32_t gen;
    uint32_t ts_hz;
    uint64_t ts_start;
    uint32_t tail_ahead;
    char *fault_name;

    IgpuOa oa;
    uint32_t fault;
    uint32_t made, dropped, dma_errors, asleep_accesses, writes;
    uint32_t elsp[IGPU_ENGINES][4];
    int elsp_n[IGPU_ENGINES];
    bool cs_runs;
    int cs_budget;      /* commands that a submission may still execute */
    uint32_t regs[IGPU_REGS_SIZE / 4];
    uint64_t ggtt[IGPU_GGTT_SIZE / 8];
};

static inline uint32_t *igpu_reg(VsampIgpu *s, uint32_t addr)
{
    return &s->regs[addr / 4];
}

uint64_t igpu_timestamp(VsampIgpu *s);
int64_t igpu_timestamp_ns(VsampIgpu *s, uint64_t ticks);
bool igpu_sleeps(VsampIgpu *s);
bool igpu_ggtt_write(VsampIgpu *s, uint32_t addr, const void *buf, uint32_t n);
uint64_t igpu_regs_read(void *opaque, hwaddr addr, unsigned size);
void igpu_regs_write(void *opaque, hwaddr addr, uint64_t val, unsigned size);

bool igpu_oa_init(VsampIgpu *s, Error **errp);
void igpu_oa_exit(VsampIgpu *s);
void igpu_oa_reset(VsampIgpu *s);
bool igpu_oa_read(VsampIgpu *s, uint32_t addr, uint32_t *val);
bool igpu_oa_write(VsampIgpu *s, uint32_t addr, uint32_t val);
void igpu_oa_update(VsampIgpu *s);

bool igpu_cs_submits(uint32_t addr);
bool igpu_cs_read(VsampIgpu *s, uint32_t addr, uint32_t *val);
bool igpu_cs_write(VsampIgpu *s, uint32_t addr, uint32_t val);
void igpu_cs_reset(VsampIgpu *s);

#endif
