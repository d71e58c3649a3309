/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The GPU's OA unit: reports at multiples of the timer's period, written
 * through the GGTT into a circular buffer
 *
 * All counters are functions of the timestamp: tests/vm/README.md tells which,
 * so that whoever has a report can work out what must be in it.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "vsamp-igpu.h"

#define CONTROL_ENABLE      1
#define CONTROL_FORMAT(v)   ((v) >> 2 & 7)
#define FORMAT_A32          5       /* A32u40_A4u32_B8_C8 */
#define TIMER_ENABLE        2
#define TIMER_EXPONENT(v)   ((v) >> 2 & 0x1f)
#define STATUS_LOST         1
#define STATUS_OVERFLOW     2
#define REASON_TIMER        (1u << 19)
#define CLOCK_RATIO         60      /* of the GPU, in 16.67 MHz */

#define LOAD_PERIOD         0x10000 /* ticks */
#define LOAD_BUSY           0xa000  /* of these, at each one's beginning */
#define CLOCKS_A_TICK       84

#define FAULT_EVERY         100     /* reports */

static const IgpuOaRegs oa_gen9 = {
    .control = 0x2b00, .debug = 0x2b04, .status = 0x2b08, .head = 0x2b0c,
    .tail = 0x2b10, .buffer = 0x2b14, .timer = 0x2360,
};

static const IgpuOaRegs oa_gen12 = {
    .control = 0xdaf4, .debug = 0xdaf8, .status = 0xdafc, .head = 0xdb00,
    .tail = 0xdb04, .buffer = 0xdb08, .timer = 0x2b28,
};

static const char *const igpu_oa_faults[IGPU_FAULTS] = {
    [IGPU_FAULT_NONE] = "none",
    [IGPU_FAULT_STUCK_TAIL] = "stuck-tail",   /* TAIL stays from the 100th on */
    [IGPU_FAULT_TORN] = "torn",         /* half of each 100th report is missing */
    [IGPU_FAULT_OVERFLOW] = "overflow", /* the status bit, at each 100th */
    [IGPU_FAULT_LOST] = "lost",         /* each 100th isn't written */
    [IGPU_FAULT_TIMESTAMP] = "timestamp",     /* of each 100th is a tick late */
    [IGPU_FAULT_COUNTER] = "counter",   /* A0 of each 100th is one too many */
    [IGPU_FAULT_NO_ACK] = "no-ack",     /* forcewake isn't acknowledged */
    [IGPU_FAULT_HALF_RATE] = "half-rate",   /* reports come half as often */
};

static uint64_t oa_busy(uint64_t t)
{
    return t / LOAD_PERIOD * LOAD_BUSY + MIN(t % LOAD_PERIOD, LOAD_BUSY);
}

static void oa_fill(VsampIgpu *s, uint32_t *r, uint64_t t)
{
    /* in twelfths of the clock */
    static const uint8_t b_factor[8] = { 0, 12, 12, 6, 4, 4, 2, 8 };
    uint64_t busy = oa_busy(t), clock = CLOCKS_A_TICK * t;
    uint32_t id = REASON_TIMER;

    if (s->gen == 9) {
        id |= CLOCK_RATIO | (uint32_t)CLOCK_RATIO << 25;
    }
    r[0] = cpu_to_le32(id);
    r[1] = cpu_to_le32(t);
    r[3] = cpu_to_le32(clock);
    for (int i = 0; i < 32; i++) {
        uint64_t a = CLOCKS_A_TICK * busy * (i + 1);

        r[4 + i] = cpu_to_le32(a);
        ((uint8_t *)&r[40])[i] = a >> 32;
    }
    for (int i = 32; i < 36; i++) {
        r[4 + i] = cpu_to_le32(CLOCKS_A_TICK * busy * (i + 1));
    }
    for (int i = 0; i < 8; i++) {
        r[48 + i] = cpu_to_le32(CLOCKS_A_TICK / 12 * t * b_factor[i]);
        r[56 + i] = cpu_to_le32(CLOCKS_A_TICK / 3 * busy * (i + 1));
    }
}

static void oa_fill_faulty(VsampIgpu *s, uint32_t *r, uint64_t t)
{
    oa_fill(s, r, t);
    if (s->oa.number % FAULT_EVERY != FAULT_EVERY - 1) {
        return;
    }
    switch (s->fault) {
    case IGPU_FAULT_TORN:
        memset(r + IGPU_REPORT / 8, 0, IGPU_REPORT / 2);
        break;
    case IGPU_FAULT_TIMESTAMP:
        r[1] = cpu_to_le32(t + 1);
        break;
    case IGPU_FAULT_COUNTER:
        r[4] = cpu_to_le32(le32_to_cpu(r[4]) + 1);
        break;
    case IGPU_FAULT_OVERFLOW:
        *igpu_reg(s, s->oa.regs->status) |= STATUS_OVERFLOW;
        break;
    }
}

/* Reports reach memory in order; of the one that is next, the first 64 bytes early */
static void oa_land(VsampIgpu *s, uint32_t ahead)
{
    IgpuOa *oa = &s->oa;

    while (oa->last - oa->first > ahead) {
        IgpuReport *p = &oa->pending[oa->first++ % IGPU_PENDING];

        igpu_ggtt_write(s, p->offset, p->data, IGPU_REPORT);
    }
    if (oa->first != oa->last) {
        IgpuReport *p = &oa->pending[oa->first % IGPU_PENDING];

        igpu_ggtt_write(s, p->offset, p->data, 64);
    }
}

static bool oa_page_is_there(VsampIgpu *s, uint32_t addr)
{
    return le64_to_cpu(s->ggtt[addr >> 12]) & 1;
}

static void oa_report(VsampIgpu *s, uint64_t t)
{
    IgpuOa *oa = &s->oa;
    uint32_t base = *igpu_reg(s, oa->regs->buffer) & ~0x3fu;
    uint32_t size = (128 * KiB) << (*igpu_reg(s, oa->regs->buffer) >> 3 & 7);
    uint32_t tail = *igpu_reg(s, oa->regs->tail) - base;
    uint32_t head = *igpu_reg(s, oa->regs->head) - base;
    uint32_t next = (tail + IGPU_REPORT) % size;
    IgpuReport *p = &oa->pending[oa->last % IGPU_PENDING];

    if (tail > size - IGPU_REPORT) {
        return;     /* the guest has put it outside of the buffer */
    }
    if ((s->fault == IGPU_FAULT_LOST &&
         oa->number % FAULT_EVERY == FAULT_EVERY - 1) ||
        !oa_page_is_there(s, base + tail)) {
        *igpu_reg(s, oa->regs->status) |= STATUS_LOST;
        s->dropped++;
        oa->number++;
        return;
    }
    if (next == (head & ~(IGPU_REPORT - 1u))) {
        *igpu_reg(s, oa->regs->status) |= STATUS_OVERFLOW;
    }
    memset(p, 0, sizeof(*p));
    p->offset = base + tail;
    oa_fill_faulty(s, (uint32_t *)p->data, t);
    oa->last++;
    oa_land(s, s->tail_ahead);
    if (s->fault != IGPU_FAULT_STUCK_TAIL || oa->number < FAULT_EVERY) {
        *igpu_reg(s, oa->regs->tail) = base + next;
    }
    oa->number++;
    s->made++;
}

static uint64_t oa_period(VsampIgpu *s)
{
    uint64_t ticks =
        2ULL << TIMER_EXPONENT(*igpu_reg(s, s->oa.regs->timer));

    return s->fault == IGPU_FAULT_HALF_RATE ? 2 * ticks : ticks;
}

static void oa_timer_set(VsampIgpu *s, uint64_t now)
{
    s->oa.next = (now / oa_period(s) + 1) * oa_period(s);
    timer_mod(s->oa.timer, igpu_timestamp_ns(s, s->oa.next));
}

static void oa_timer(void *opaque)
{
    VsampIgpu *s = opaque;

    if (!igpu_sleeps(s)) {
        oa_report(s, s->oa.next);
    }
    oa_timer_set(s, s->oa.next);
}

static bool oa_format_is_known(VsampIgpu *s)
{
    return CONTROL_FORMAT(*igpu_reg(s, s->oa.regs->control)) == FORMAT_A32;
}

static void oa_enable(VsampIgpu *s)
{
    s->oa.on = true;
    s->oa.number = 0;
    s->oa.first = s->oa.last = 0;
    if (s->oa.order != 3) {
        *igpu_reg(s, s->oa.regs->status) |= STATUS_OVERFLOW;
    }
}

static void oa_disable(VsampIgpu *s)
{
    oa_land(s, 0);
    s->oa.on = false;
    s->oa.order = 0;
}

/* Control or timer were written, here or by a context's image */
void igpu_oa_update(VsampIgpu *s)
{
    bool on = *igpu_reg(s, s->oa.regs->control) & CONTROL_ENABLE;
    bool timer = *igpu_reg(s, s->oa.regs->timer) & TIMER_ENABLE;

    if (on && !s->oa.on) {
        oa_enable(s);
    } else if (!on && s->oa.on) {
        oa_disable(s);
    }
    if (!on || !timer || !oa_format_is_known(s)) {
        timer_del(s->oa.timer);
    } else if (!timer_pending(s->oa.timer)) {
        oa_timer_set(s, igpu_timestamp(s));
    }
}

/* HEAD, then BUFFER, then TAIL; anything else is found out when it's enabled */
static void oa_follow_order(IgpuOa *oa, uint32_t addr)
{
    if (oa->on) {
        return;
    }
    if (addr == oa->regs->head) {
        oa->order = 1;
    } else if (addr == oa->regs->buffer) {
        oa->order = oa->order == 1 ? 2 : 0;
    } else if (addr == oa->regs->tail) {
        oa->order = oa->order == 2 ? 3 : 0;
    }
}

/* TAIL moves in steps of 64 bytes: of what is on its way, a part may have come */
bool igpu_oa_read(VsampIgpu *s, uint32_t addr, uint32_t *val)
{
    if (addr != s->oa.regs->tail || !s->oa.on || !s->tail_ahead) {
        return false;
    }
    *val = *igpu_reg(s, addr) + 64 * (s->oa.number & 3);
    return true;
}

bool igpu_oa_write(VsampIgpu *s, uint32_t addr, uint32_t val)
{
    const IgpuOaRegs *r = s->oa.regs;

    if (addr == r->debug) {     /* masked */
        *igpu_reg(s, addr) = (*igpu_reg(s, addr) & ~(val >> 16)) |
                             (val & val >> 16 & 0xffff);
        return true;
    }
    oa_follow_order(&s->oa, addr);
    if (addr == r->control || addr == r->timer) {
        *igpu_reg(s, addr) = val;
        igpu_oa_update(s);
        return true;
    }
    /*
     * The unit's TLB and the GGTT's entries are read anew: done at once. What
     * programs the network of signals is no register that holds something.
     */
    return addr == 0x9884 || addr == 0x9888 || addr == 0xceec || addr == 0x101008;
}

bool igpu_oa_init(VsampIgpu *s, Error **errp)
{
    for (s->fault = 0; s->fault_name && s->fault < IGPU_FAULTS; s->fault++) {
        if (!strcmp(s->fault_name, igpu_oa_faults[s->fault])) {
            break;
        }
    }
    if (s->fault == IGPU_FAULTS) {
        error_setg(errp, "vsamp-igpu: unknown oa-fault '%s'", s->fault_name);
        return false;
    }
    if (s->tail_ahead >= IGPU_PENDING) {
        error_setg(errp, "vsamp-igpu: oa-tail-ahead: at most %d",
                   IGPU_PENDING - 1);
        return false;
    }
    s->oa.regs = s->gen == 9 ? &oa_gen9 : &oa_gen12;
    s->oa.timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, oa_timer, s);
    return true;
}

void igpu_oa_exit(VsampIgpu *s)
{
    timer_free(s->oa.timer);
}

void igpu_oa_reset(VsampIgpu *s)
{
    timer_del(s->oa.timer);
    s->oa.on = false;
    s->oa.order = 0;
    s->oa.first = s->oa.last = 0;
}
