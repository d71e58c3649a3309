/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The GPU's command streamers, and their interrupts: what Gen9's execlists
 * submit runs at once. Nothing is drawn; what a driver can see of its commands
 * is what they store.
 */
#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "vsamp-igpu.h"

#define GT_IMR(i)       (0x44304 + 0x10 * (i))
#define GT_IIR(i)       (0x44308 + 0x10 * (i))
#define GT_IER(i)       (0x4430c + 0x10 * (i))
#define MASTER_IRQ      0x44200
#define MASTER_ENABLE   0x80000000u

#define IRQ_USER        (1u << 0)
#define IRQ_SWITCH      (1u << 8)

/* Of an engine, from its base */
#define RING_TAIL       0x30
#define RING_HEAD       0x34
#define RING_HWS        0x80
#define RING_MI_MODE    0x9c
#define MI_MODE_IDLE    0x200
#define RING_EIR        0xb0
#define RING_RESET      0xd0
#define RING_ELSP       0x230
#define RING_CSB_PTR    0x3a0

/* Of a context's image, in dwords */
#define LRC_HEAD        5
#define LRC_TAIL        7
#define LRC_START       9
#define LRC_CTL         11
#define LRC_PDP0_UDW    0x31
#define LRC_PDP0_LDW    0x33
#define LRC_OACTX       0x129

#define CSB_ENTRIES     6
#define CSB_ACTIVE      0x01    /* idle to active */
#define CSB_SWITCH      0x14
#define CSB_IDLE        0x18

#define CS_COMMANDS     1000000 /* of a submission: an endless one ends */
#define CS_DEPTH        4       /* of batches that call batches */

static const struct {
    uint32_t base;
    int iir, shift;
    uint32_t master;
} engines[IGPU_ENGINES] = {
    { 0x02000, 0, 0, 1 << 0 }, { 0x22000, 0, 16, 1 << 1 },
    { 0x12000, 1, 0, 1 << 2 }, { 0x1c000, 1, 16, 1 << 3 },
    { 0x1a000, 3, 0, 1 << 6 },
};

static uint32_t master_pending(VsampIgpu *s)
{
    uint32_t p = 0;

    for (int i = 0; i < IGPU_ENGINES; i++) {
        if (*igpu_reg(s, GT_IIR(engines[i].iir)) &
            *igpu_reg(s, GT_IER(engines[i].iir)) &
            0xffffu << engines[i].shift) {
            p |= engines[i].master;
        }
    }
    return p;
}

static void irq_update(VsampIgpu *s)
{
    bool raise = *igpu_reg(s, MASTER_IRQ) & MASTER_ENABLE && master_pending(s);

    if (raise && msi_enabled(PCI_DEVICE(s))) {
        msi_notify(PCI_DEVICE(s), 0);
        raise = false;
    }
    pci_set_irq(PCI_DEVICE(s), raise);
}

static void engine_irq(VsampIgpu *s, int e, uint32_t bits)
{
    *igpu_reg(s, GT_IIR(engines[e].iir)) |=
        bits << engines[e].shift & ~*igpu_reg(s, GT_IMR(engines[e].iir));
}

/* An address of the GPU's: through a process's page tables, or the GGTT if 0 */
static bool cs_translate(VsampIgpu *s, uint64_t pml4, uint64_t va, uint64_t *pa)
{
    uint64_t e = pml4 | 1;

    if (!pml4) {
        if (va >> 32 || va >> 12 >= IGPU_GGTT_SIZE / 8) {
            return false;
        }
        e = le64_to_cpu(s->ggtt[va >> 12]);
    }
    for (int shift = 39; pml4 && shift >= 12; shift -= 9) {
        uint64_t t = 0;

        pci_dma_read(PCI_DEVICE(s), (e & MAKE_64BIT_MASK(12, 36)) +
                     (va >> shift & 511) * 8, &t, 8);
        e = le64_to_cpu(t);
        if (!(e & 1)) {
            return false;
        }
        if (shift == 21 && e & 0x80) {
            *pa = (e & MAKE_64BIT_MASK(21, 27)) | (va & 0x1fffff);
            return true;
        }
    }
    *pa = (e & MAKE_64BIT_MASK(12, 36)) | (va & 4095);
    return e & 1;
}

static uint32_t cs_load(VsampIgpu *s, uint64_t pml4, uint64_t va)
{
    uint64_t pa;
    uint32_t v = 0;

    if (cs_translate(s, pml4, va, &pa)) {
        pci_dma_read(PCI_DEVICE(s), pa, &v, 4);
    }
    return le32_to_cpu(v);
}

static void cs_store(VsampIgpu *s, uint64_t pml4, uint64_t va, uint64_t v,
                     int n)
{
    uint64_t pa;

    v = cpu_to_le64(v);
    if (cs_translate(s, pml4, va, &pa)) {
        pci_dma_write(PCI_DEVICE(s), pa, &v, n);
    } else {
        s->dma_errors++;
    }
}

/* Where commands come from: a ring, or a batch in a process's memory */
typedef struct {
    int engine;
    uint64_t pml4;      /* of the process */
    uint64_t space;     /* pml4 or 0, that pc is in */
    uint64_t pc;
    uint64_t ring;      /* with a size: its address, and pc is in it */
    uint32_t size, end;
    int depth;
} Stream;

static uint32_t stream_dword(VsampIgpu *s, const Stream *st, int i)
{
    uint64_t at = st->pc + i * 4;

    if (st->size) {
        at = st->ring + (at & (st->size - 1));
    }
    return cs_load(s, st->space, at);
}

static int command_length(uint32_t dw)
{
    uint32_t op = dw >> 23 & 0x3f;

    switch (dw >> 29) {
    case 0:
        return op < 0x10 ? 1 : (dw & (op == 0x26 ? 0x3f : 0xff)) + 2;
    case 3:
        switch (dw >> 27 & 3) {
        case 1:
            return 1;
        case 2:
            return (dw & 0xffff) + 2;
        }
    }
    return (dw & 0xff) + 2;
}

static uint64_t address(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

static void pipe_control(VsampIgpu *s, const Stream *st, const uint32_t *dw)
{
    uint64_t space = dw[1] & 1 << 24 ? 0 : st->pml4;
    uint64_t a = address(dw[2] & ~7u, dw[3]);

    switch (dw[1] >> 14 & 3) {
    case 1:
        cs_store(s, space, a, address(dw[4], dw[5]), 8);
        break;
    case 3:
        cs_store(s, space, a, igpu_timestamp(s), 8);
        break;
    }
}

static void cs_run(VsampIgpu *s, Stream *st);

static void batch_start(VsampIgpu *s, const Stream *st, const uint32_t *dw)
{
    Stream batch = {
        .engine = st->engine,
        .pml4 = st->pml4,
        .space = dw[0] & 1 << 8 ? st->pml4 : 0,
        .pc = address(dw[1] & ~3u, dw[2]),
        .depth = st->depth + 1,
    };

    if (st->depth < CS_DEPTH) {
        cs_run(s, &batch);
    }
}

#define REG(dw) ((dw) & 0x7ffffc)

/* Commands of the memory interface; whether the stream goes on */
static bool mi_command(VsampIgpu *s, const Stream *st, const uint32_t *dw,
                       int len)
{
    uint64_t space = dw[0] & 1 << 22 ? 0 : st->pml4;

    switch (dw[0] >> 23 & 0x3f) {
    case 0x02: /* MI_USER_INTERRUPT */
        engine_irq(s, st->engine, IRQ_USER);
        break;
    case 0x0a: /* MI_BATCH_BUFFER_END */
        return false;
    case 0x20: /* MI_STORE_DATA_IMM */
        cs_store(s, space, address(dw[1], dw[2]),
                 len > 4 ? address(dw[3], dw[4]) : dw[3], len > 4 ? 8 : 4);
        break;
    case 0x22: /* MI_LOAD_REGISTER_IMM */
        for (int i = 1; i + 1 < len; i += 2) {
            igpu_regs_write(s, REG(stream_dword(s, st, i)),
                            stream_dword(s, st, i + 1), 4);
        }
        break;
    case 0x24: /* MI_STORE_REGISTER_MEM */
        cs_store(s, space, address(dw[2], dw[3]),
                 igpu_regs_read(s, REG(dw[1]), 4), 4);
        break;
    case 0x26: /* MI_FLUSH_DW */
        if ((dw[0] >> 14 & 3) == 1) {
            cs_store(s, dw[1] & 4 ? 0 : st->pml4, address(dw[1] & ~7u, dw[2]),
                     dw[3], 4);
        }
        break;
    case 0x29: /* MI_LOAD_REGISTER_MEM */
        igpu_regs_write(s, REG(dw[1]),
                        cs_load(s, space, address(dw[2], dw[3])), 4);
        break;
    case 0x2a: /* MI_LOAD_REGISTER_REG */
        igpu_regs_write(s, REG(dw[2]), igpu_regs_read(s, REG(dw[1]), 4), 4);
        break;
    case 0x31: /* MI_BATCH_BUFFER_START */
        batch_start(s, st, dw);
        return st->size || dw[0] & 1 << 22;     /* or it was a jump */
    }
    return true;
}

static void cs_run(VsampIgpu *s, Stream *st)
{
    while (s->cs_budget-- > 0) {
        uint32_t dw[8] = { 0 };
        int len;

        if (st->size && (st->pc & (st->size - 1)) == st->end) {
            return;
        }
        dw[0] = stream_dword(s, st, 0);
        len = command_length(dw[0]);
        for (int i = 1; i < MIN(len, 8); i++) {
            dw[i] = stream_dword(s, st, i);
        }
        if ((dw[0] & 0xffff0000) == 0x7a000000) {
            pipe_control(s, st, dw);
        } else if (dw[0] >> 29 == 0 && !mi_command(s, st, dw, len)) {
            return;
        }
        st->pc += len * 4;
    }
}

static void csb_event(VsampIgpu *s, int e, uint32_t status, uint32_t id)
{
    uint32_t *ptr = igpu_reg(s, engines[e].base + RING_CSB_PTR);
    uint32_t hws = *igpu_reg(s, engines[e].base + RING_HWS) & ~0xfffu;
    uint32_t n = ((*ptr & 0xff) + 1) % CSB_ENTRIES;

    *ptr = (*ptr & ~0xffu) | n;
    cs_store(s, 0, hws + 0x40 + n * 8, address(status, id), 8);
    cs_store(s, 0, hws + 0x7c, n, 4);
}

/* A context, from its image at lrc; the OA timer's register is a part of it */
static void run_context(VsampIgpu *s, int e, uint32_t lrc)
{
    uint32_t image = lrc + 4096, tail = cs_load(s, 0, image + 4 * LRC_TAIL);
    uint32_t size = (cs_load(s, 0, image + 4 * LRC_CTL) & 0x1ff000) + 4096;
    Stream st = {
        .engine = e,
        .pml4 = address(cs_load(s, 0, image + 4 * LRC_PDP0_LDW),
                        cs_load(s, 0, image + 4 * LRC_PDP0_UDW)),
        .ring = cs_load(s, 0, image + 4 * LRC_START),
        .size = pow2floor(size),
    };

    st.pc = cs_load(s, 0, image + 4 * LRC_HEAD) & (st.size - 1);
    st.end = tail & (st.size - 1);
    if (!e) {
        *igpu_reg(s, s->oa.regs->timer) = cs_load(s, 0, image + 4 * LRC_OACTX);
        igpu_oa_update(s);
    }
    cs_run(s, &st);
    if (!e) {
        cs_store(s, 0, image + 4 * LRC_OACTX,
                 *igpu_reg(s, s->oa.regs->timer), 4);
    }
    cs_store(s, 0, image + 4 * LRC_HEAD, tail, 4);
    *igpu_reg(s, engines[e].base + RING_HEAD) = tail;
    *igpu_reg(s, engines[e].base + RING_TAIL) = tail;
}

/* Two contexts, written as port 1's high and low half, then port 0's */
static void elsp_submit(VsampIgpu *s, int e)
{
    uint32_t *d = s->elsp[e];
    bool two = d[1] & 1;

    s->cs_runs = true;
    s->cs_budget = CS_COMMANDS;
    csb_event(s, e, CSB_ACTIVE, d[2]);
    run_context(s, e, d[3] & ~0xfffu);
    csb_event(s, e, two ? CSB_SWITCH : CSB_IDLE, d[2]);
    if (two) {
        run_context(s, e, d[1] & ~0xfffu);
        csb_event(s, e, CSB_IDLE, d[0]);
    }
    engine_irq(s, e, IRQ_SWITCH);
    irq_update(s);
    s->cs_runs = false;
}

static void elsp_write(VsampIgpu *s, int e, uint32_t val)
{
    if (s->cs_runs) {   /* by a command, or into the GPU's own registers */
        return;
    }
    s->elsp[e][s->elsp_n[e]++] = val;
    if (s->elsp_n[e] == 4) {
        s->elsp_n[e] = 0;
        elsp_submit(s, e);
    }
}

static int engine_of(uint32_t addr, uint32_t *offset)
{
    for (int e = 0; e < IGPU_ENGINES; e++) {
        if (addr >= engines[e].base && addr < engines[e].base + 0x1000) {
            *offset = addr - engines[e].base;
            return e;
        }
    }
    return -1;
}

bool igpu_cs_submits(uint32_t addr)
{
    uint32_t offset;

    return engine_of(addr, &offset) >= 0 && offset == RING_ELSP;
}

bool igpu_cs_read(VsampIgpu *s, uint32_t addr, uint32_t *val)
{
    uint32_t offset;

    if (addr == MASTER_IRQ) {
        *val = *igpu_reg(s, addr) | master_pending(s);
        return true;
    }
    if (engine_of(addr, &offset) >= 0 && offset == RING_MI_MODE) {
        *val = *igpu_reg(s, addr) | MI_MODE_IDLE;
        return true;
    }
    return false;
}

static bool engine_write(VsampIgpu *s, int e, uint32_t offset, uint32_t addr,
                         uint32_t val)
{
    switch (offset) {
    case RING_ELSP:
        elsp_write(s, e, val);
        return true;
    case RING_EIR:
        *igpu_reg(s, addr) &= ~val;
        return true;
    case RING_RESET:    /* asked for: ready for it */
        *igpu_reg(s, addr) &= ~(val >> 16);
        *igpu_reg(s, addr) |= val & val >> 16;
        *igpu_reg(s, addr) = (*igpu_reg(s, addr) & 1) * 3;
        return true;
    }
    return false;
}

bool igpu_cs_write(VsampIgpu *s, uint32_t addr, uint32_t val)
{
    uint32_t offset;
    int e = engine_of(addr, &offset);

    if (e >= 0 && engine_write(s, e, offset, addr, val)) {
        return true;
    }
    switch (addr) {
    case 0x941c:                /* reset, and TLBs': done */
    case 0x4260 ... 0x4270:
        return true;
    case MASTER_IRQ:
        *igpu_reg(s, addr) = val & MASTER_ENABLE;
        irq_update(s);
        return true;
    }
    if ((addr >= 0x44300 && addr < 0x44500 && (addr & 0xf) == 8) ||
        addr == 0xc4008) {      /* what has come: writing clears it */
        *igpu_reg(s, addr) &= ~val;
        irq_update(s);
        return true;
    }
    return false;
}

void igpu_cs_reset(VsampIgpu *s)
{
    memset(s->elsp_n, 0, sizeof(s->elsp_n));
}
