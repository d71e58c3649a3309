/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A PCI device with as much of an Intel GPU as it takes to get OA reports from
 * it, by a driver of the kernel's or without one. BAR0 has registers at 0 and
 * the GGTT at 8 MiB. tests/vm/README.md tells what is modelled.
 */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qapi/error.h"
#include "hw/pci/msi.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "vsamp-igpu.h"

#define PTE_PRESENT         1ULL
#define PTE_ADDR            MAKE_64BIT_MASK(12, 34)

#define CS_TIMESTAMP        0x2358      /* of the render engine, 64 bits */
#define RPM_CONFIG0         0x0d00
#define CTC_MODE            0xa26c
#define RC_CONTROL          0xa090
#define RC_HW_ENABLE        (1u << 31)

/* Of no real GPU: the model's own registers, in a BAR of their own */
#define DEBUG_SIZE          4096
#define DEBUG_MAGIC         0x00    /* "VSGP" */
#define DEBUG_FAULT         0x04    /* write: plant an IgpuFault */
#define DEBUG_MADE          0x08    /* reports since reset */
#define DEBUG_DROPPED       0x0c
#define DEBUG_DMA_ERRORS    0x10
#define DEBUG_ASLEEP        0x14    /* accesses without forcewake */
#define DEBUG_HASH          0x18    /* of all registers and the GGTT */
#define DEBUG_AHEAD         0x1c    /* reports that TAIL is ahead of memory */
#define DEBUG_WRITES        0x20    /* over the bus, to registers and the GGTT */

/* A register and the forcewake domain it is in; most that isn't named is awake */
enum { FW_GT, FW_RENDER, FW_DOMAINS };

static const uint32_t fw_ack[FW_DOMAINS] = {
    [FW_GT] = 0x130044, [FW_RENDER] = 0x0d84,
};

static const struct {
    uint32_t first, last;
    int domain;
} fw_ranges[] = {
    { 0x00b00, 0x00d4f, FW_GT }, { 0x00d90, 0x01fff, FW_GT },
    { 0x02000, 0x026ff, FW_RENDER }, { 0x02700, 0x02fff, FW_GT },
    { 0x03000, 0x03fff, FW_RENDER }, { 0x08d00, 0x093ff, FW_GT },
    { 0x09800, 0x0a187, FW_GT }, { 0x0a18c, 0x0a26b, FW_GT },
    { 0x0a27c, 0x0a53f, FW_GT }, { 0x0a5c0, 0x0afff, FW_GT },
    { 0x0d800, 0x0d8ff, FW_RENDER }, { 0x0d900, 0x0dbff, FW_GT },
    { 0x0dc00, 0x0efff, FW_RENDER },
};

uint64_t igpu_timestamp(VsampIgpu *s)
{
    return s->ts_start + muldiv64(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL),
                                  s->ts_hz, NANOSECONDS_PER_SECOND);
}

/* When the timestamp becomes this: the first nanosecond of it */
int64_t igpu_timestamp_ns(VsampIgpu *s, uint64_t ticks)
{
    uint64_t t = ticks - s->ts_start;
    uint64_t ns = muldiv64(t, NANOSECONDS_PER_SECOND, s->ts_hz);

    return muldiv64(ns, s->ts_hz, NANOSECONDS_PER_SECOND) < t ? ns + 1 : ns;
}

/* In RC6, where nothing is counted: it's allowed, and nobody keeps it awake */
bool igpu_sleeps(VsampIgpu *s)
{
    for (int i = 0; i < FW_DOMAINS; i++) {
        if (*igpu_reg(s, fw_ack[i])) {
            return false;
        }
    }
    return *igpu_reg(s, RC_CONTROL) & RC_HW_ENABLE;
}

/* The GPU's own view of memory: page by page through the GGTT */
bool igpu_ggtt_write(VsampIgpu *s, uint32_t addr, const void *buf, uint32_t n)
{
    while (n) {
        uint32_t len = MIN(n, 4096 - (addr & 4095));
        uint64_t pte = le64_to_cpu(s->ggtt[addr >> 12]);

        if (!(pte & PTE_PRESENT) ||
            pci_dma_write(PCI_DEVICE(s), (pte & PTE_ADDR) | (addr & 4095),
                          buf, len) != MEMTX_OK) {
            s->dma_errors++;
            return false;
        }
        addr += len;
        buf += len;
        n -= len;
    }
    return true;
}

static uint32_t hash(uint32_t h, const void *data, size_t n)
{
    const uint32_t *p = data;

    for (size_t i = 0; i < n / 4; i++) {
        h = (h ^ p[i]) * 0x01000193;
    }
    return h;
}

static uint64_t debug_read(void *opaque, hwaddr addr, unsigned size)
{
    VsampIgpu *s = opaque;

    switch (addr) {
    case DEBUG_MAGIC:
        return 0x50475356;
    case DEBUG_FAULT:
        return s->fault;
    case DEBUG_MADE:
        return s->made;
    case DEBUG_DROPPED:
        return s->dropped;
    case DEBUG_DMA_ERRORS:
        return s->dma_errors;
    case DEBUG_ASLEEP:
        return s->asleep_accesses;
    case DEBUG_HASH:
        return hash(hash(0x811c9dc5, s->regs, sizeof(s->regs)), s->ggtt,
                    sizeof(s->ggtt));
    case DEBUG_AHEAD:
        return s->tail_ahead;
    case DEBUG_WRITES:
        return s->writes;
    }
    return 0;
}

static void debug_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    VsampIgpu *s = opaque;

    if (addr == DEBUG_FAULT) {
        s->fault = val < IGPU_FAULTS ? val : IGPU_FAULT_NONE;
    } else if (addr == DEBUG_AHEAD) {
        s->tail_ahead = MIN(val, IGPU_PENDING - 1);
    }
}

static const MemoryRegionOps debug_ops = {
    .read = debug_read,
    .write = debug_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

uint64_t igpu_regs_read(void *opaque, hwaddr addr, unsigned size)
{
    VsampIgpu *s = opaque;
    uint32_t val;

    switch (addr) {
    case CS_TIMESTAMP:
        return (uint32_t)igpu_timestamp(s);
    case CS_TIMESTAMP + 4:
        return igpu_timestamp(s) >> 32;
    }
    if (igpu_oa_read(s, addr, &val) || igpu_cs_read(s, addr, &val)) {
        return val;
    }
    return *igpu_reg(s, addr);
}

/* A request's bits, which are masked; acknowledged at once */
static bool forcewake_write(VsampIgpu *s, uint32_t addr, uint32_t val)
{
    uint32_t ack;

    switch (addr) {
    case 0xa188:
        ack = 0x130044;
        break;
    case 0xa278:
        ack = 0xd84;
        break;
    case 0xa270:
        ack = 0xd88;
        break;
    case 0xa540 ... 0xa56c:
        ack = 0xd50 + (addr - 0xa540);
        break;
    default:
        return false;
    }
    *igpu_reg(s, addr) &= ~(val >> 16);
    *igpu_reg(s, addr) |= val & val >> 16;
    if (s->fault != IGPU_FAULT_NO_ACK) {
        *igpu_reg(s, ack) = *igpu_reg(s, addr);
    }
    return true;
}

void igpu_regs_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    VsampIgpu *s = opaque;

    switch (addr) {
    case CS_TIMESTAMP:
    case CS_TIMESTAMP + 4:
        return;
    case 0x45400 ... 0x4540c:   /* power wells: as asked */
        *igpu_reg(s, addr) = (val & 0xaaaaaaaa) | (val & 0xaaaaaaaa) >> 1;
        return;
    case 0x138124:              /* mailbox of the firmware: done, no error */
        val &= 0x7fffff00;
        break;
    }
    if (forcewake_write(s, addr, val) || igpu_oa_write(s, addr, val) ||
        igpu_cs_write(s, addr, val)) {
        return;
    }
    *igpu_reg(s, addr) = val;
}

/*
 * What comes over the bus finds the GPU asleep, unless forcewake keeps it awake.
 * To submit work wakes it up.
 */
static bool asleep(VsampIgpu *s, uint32_t addr)
{
    for (int i = 0; i < ARRAY_SIZE(fw_ranges); i++) {
        if (addr >= fw_ranges[i].first && addr <= fw_ranges[i].last &&
            !*igpu_reg(s, fw_ack[fw_ranges[i].domain])) {
            s->asleep_accesses++;
            return true;
        }
    }
    return false;
}

static uint64_t mmio_read(void *opaque, hwaddr addr, unsigned size)
{
    return asleep(opaque, addr) ? 0 : igpu_regs_read(opaque, addr, size);
}

static void mmio_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    ((VsampIgpu *)opaque)->writes++;
    if (igpu_cs_submits(addr) || !asleep(opaque, addr)) {
        igpu_regs_write(opaque, addr, val, size);
    }
}

static const MemoryRegionOps regs_ops = {
    .read = mmio_read,
    .write = mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

static uint64_t ggtt_read(void *opaque, hwaddr addr, unsigned size)
{
    VsampIgpu *s = opaque;
    uint64_t v = 0;

    memcpy(&v, (uint8_t *)s->ggtt + addr, size);
    return le64_to_cpu(v);
}

static void ggtt_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    VsampIgpu *s = opaque;

    s->writes++;
    val = cpu_to_le64(val);
    memcpy((uint8_t *)s->ggtt + addr, &val, size);
}

static const MemoryRegionOps ggtt_ops = {
    .read = ggtt_read,
    .write = ggtt_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 8 },
    .impl = { .min_access_size = 4, .max_access_size = 8 },
};

/* The registers that tell the timestamp's frequency; whether they can */
static bool clock_registers(VsampIgpu *s)
{
    static const uint32_t crystal_gen9[] = { 24000000 };
    static const uint32_t crystal_gen12[] = {
        24000000, 19200000, 38400000, 25000000
    };
    const uint32_t *crystal = s->gen == 9 ? crystal_gen9 : crystal_gen12;
    int n = s->gen == 9 ? 1 : 4;

    for (int i = 0; i < n; i++) {
        for (int shift = 0; shift < 4; shift++) {
            if (crystal[i] >> (3 - shift) != s->ts_hz) {
                continue;
            }
            if (s->gen == 9) {
                *igpu_reg(s, CTC_MODE) = shift << 1;
            } else {
                *igpu_reg(s, RPM_CONFIG0) = i << 3 | shift << 1;
            }
            return true;
        }
    }
    return false;
}

static void igpu_reset(DeviceState *dev)
{
    VsampIgpu *s = VSAMP_IGPU(dev);

    igpu_oa_reset(s);
    igpu_cs_reset(s);
    memset(s->regs, 0, sizeof(s->regs));
    memset(s->ggtt, 0, sizeof(s->ggtt));
    s->made = s->dropped = s->dma_errors = s->asleep_accesses = 0;
    s->writes = 0;
    clock_registers(s);
    *igpu_reg(s, RC_CONTROL) = RC_HW_ENABLE | 1 << 27 | 1 << 18;
    *igpu_reg(s, 0x51000) = 1u << 30 | 1 << 28 | 1 << 21;  /* DFSM: no pipes */
    *igpu_reg(s, 0x9120) = 1 << 25 | 8 << 20;  /* FUSE2: 1 slice, 3 subslices */
    if (s->gen == 9) {
        *igpu_reg(s, 0x9134) = 1 << 9;  /* of the second, 7 EUs of 8 */
    } else {
        *igpu_reg(s, 0x9134) = 1 << 3;  /* 7 pairs of EUs of 8 */
        *igpu_reg(s, 0x9138) = 1;       /* slices that are enabled */
        *igpu_reg(s, 0x913c) = 0x2f;    /* subslices: 5 of 6 */
    }
    *igpu_reg(s, 0x42000) = ~0;         /* fuses: ready */
    *igpu_reg(s, 0xc000) = 1;           /* GUC_STATUS: in reset */
    *igpu_reg(s, 0x145998) = 0x00070716;        /* RP_STATE_CAP */
}

static void igpu_realize(PCIDevice *pdev, Error **errp)
{
    VsampIgpu *s = VSAMP_IGPU(pdev);

    if (s->gen != 9 && s->gen != 12) {
        error_setg(errp, "vsamp-igpu: gen is 9 or 12");
        return;
    }
    if (!s->ts_hz) {
        s->ts_hz = s->gen == 9 ? 12000000 : 19200000;
    }
    if (!clock_registers(s)) {
        error_setg(errp, "vsamp-igpu: no register can tell of a timestamp-hz"
                   " of %u", s->ts_hz);
        return;
    }
    if (!igpu_oa_init(s, errp)) {
        return;
    }
    if (msi_init(pdev, 0xac, 1, true, false, errp)) {
        igpu_oa_exit(s);
        return;
    }
    if (s->gen == 12) {
        pci_config_set_device_id(pdev->config, 0x9a49); /* Tiger Lake GT2 */
        pci_config_set_revision(pdev->config, 1);
    }
    pci_config_set_interrupt_pin(pdev->config, 1);
    pci_set_word(pdev->config + 0x50, 3 << 6);  /* GGC: 8 MB GGTT, no stolen */
    memory_region_init(&s->bar0, OBJECT(s), "vsamp-igpu", 16 * MiB);
    memory_region_init_io(&s->regs_mr, OBJECT(s), &regs_ops, s,
                          "vsamp-igpu-regs", IGPU_REGS_SIZE);
    memory_region_init_io(&s->ggtt_mr, OBJECT(s), &ggtt_ops, s,
                          "vsamp-igpu-ggtt", IGPU_GGTT_SIZE);
    memory_region_add_subregion(&s->bar0, 0, &s->regs_mr);
    memory_region_add_subregion(&s->bar0, IGPU_REGS_SIZE, &s->ggtt_mr);
    memory_region_init(&s->aperture, OBJECT(s), "vsamp-igpu-aperture",
                       256 * MiB);
    pci_register_bar(pdev, 0, PCI_BASE_ADDRESS_MEM_TYPE_64, &s->bar0);
    pci_register_bar(pdev, 2, PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, &s->aperture);
    memory_region_init_io(&s->debug, OBJECT(s), &debug_ops, s,
                          "vsamp-igpu-debug", DEBUG_SIZE);
    pci_register_bar(pdev, 4, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->debug);
}

static void igpu_exit(PCIDevice *pdev)
{
    igpu_oa_exit(VSAMP_IGPU(pdev));
    msi_uninit(pdev);
}

static Property igpu_props[] = {
    DEFINE_PROP_UINT32("gen", VsampIgpu, gen, 9),
    DEFINE_PROP_UINT32("timestamp-hz", VsampIgpu, ts_hz, 0),
    DEFINE_PROP_UINT64("timestamp-start", VsampIgpu, ts_start, 0),
    DEFINE_PROP_UINT32("oa-tail-ahead", VsampIgpu, tail_ahead, 0),
    DEFINE_PROP_STRING("oa-fault", VsampIgpu, fault_name),
    DEFINE_PROP_END_OF_LIST(),
};

static const VMStateDescription igpu_vmstate = {
    .name = TYPE_VSAMP_IGPU,
    .unmigratable = 1,
};

static void igpu_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);

    k->realize = igpu_realize;
    k->exit = igpu_exit;
    k->vendor_id = PCI_VENDOR_ID_INTEL;
    k->device_id = 0x5912;      /* HD Graphics 630 (Kaby Lake GT2) */
    k->revision = 4;
    k->class_id = PCI_CLASS_DISPLAY_VGA;
    dc->reset = igpu_reset;
    dc->vmsd = &igpu_vmstate;
    device_class_set_props(dc, igpu_props);
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
}

static const TypeInfo igpu_info = {
    .name = TYPE_VSAMP_IGPU,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(VsampIgpu),
    .class_init = igpu_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_CONVENTIONAL_PCI_DEVICE },
        { },
    },
};

static void igpu_register(void)
{
    type_register_static(&igpu_info);
}
type_init(igpu_register)
