// SPDX-License-Identifier: GPL-2.0
/*
 * GPUs that nobody else drives
 *
 * The driver binds to no GPU by itself, and to none that has a driver: somebody has to name it in
 * the device's driver_override and bind it. Then its registers are reserved here, and i915 or xe
 * can't come in. Nothing is written to it but to keep it awake while it's looked at, and in a run.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "clock.h"
#include "oa.h"

#define OA_BAR_SIZE	(16U << 20)
#define OA_ACK_US	50000
#define OA_TIMESTAMP	0x2358		/* of the render engine; 0x235c: its upper half */
#define OA_CTC_MODE	0xa26c
#define OA_CTC_DIVIDER	BIT(0)
#define OA_CTC_SHIFT(v)	((v) >> 1 & 3)
#define OA_RPM_CONFIG0	0x0d00
#define OA_CRYSTAL(v)	((v) >> 3 & 7)
#define OA_OVERRIDE	0x44074
#define OA_PAIR_TRIES	3
#define OA_STAMP_TRIES	3

static DEFINE_MUTEX(oa_mutex);
static LIST_HEAD(oa_gpus);		/* in the order of their numbers */
static u32 oa_next_number;

/* Who keeps a domain awake writes its bit, of a masked register, and waits to see it elsewhere */
static const struct {
	u32 request;
	u32 ack;
} oa_domains[] = {
	{ 0xa188, 0x130044 },	/* GT */
	{ 0xa278, 0x0d84 },	/* render */
};

#define OA_AWAKE	BIT(0)	/* the kernel's bit */

void oa_lock(void)
{
	mutex_lock(&oa_mutex);
}

void oa_unlock(void)
{
	mutex_unlock(&oa_mutex);
}

struct oa_gpu *oa_gpu_find(u32 number)
{
	struct oa_gpu *gpu = oa_gpu_next(number);

	return gpu && gpu->number == number ? gpu : NULL;
}

/* The first that has this number or a later one */
struct oa_gpu *oa_gpu_next(u32 number)
{
	struct oa_gpu *gpu;

	list_for_each_entry(gpu, &oa_gpus, list)
		if (gpu->number >= number)
			return gpu;
	return NULL;
}

u32 oa_read(struct oa_gpu *gpu, u32 reg)
{
	return readl(gpu->regs + reg);
}

void oa_write(struct oa_gpu *gpu, u32 reg, u32 value)
{
	writel(value, gpu->regs + reg);
}

static int oa_domain_set(struct oa_gpu *gpu, int domain, u32 awake)
{
	u32 ack;

	oa_write(gpu, oa_domains[domain].request, OA_AWAKE << 16 | awake);
	return readl_poll_timeout(gpu->regs + oa_domains[domain].ack, ack,
				  (ack & OA_AWAKE) == awake, 10, OA_ACK_US);
}

/* Until oa_gpu_sleep() its registers can be accessed, and it doesn't enter RC6 */
int oa_gpu_wake(struct oa_gpu *gpu)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(oa_domains); i++) {
		err = oa_domain_set(gpu, i, OA_AWAKE);
		if (err)
			goto err_sleep;
	}
	return 0;

err_sleep:
	for (; i >= 0; i--)
		oa_domain_set(gpu, i, 0);
	return err;
}

void oa_gpu_sleep(struct oa_gpu *gpu)
{
	int i;

	for (i = ARRAY_SIZE(oa_domains) - 1; i >= 0; i--)
		if (oa_domain_set(gpu, i, 0))
			pci_warn(gpu->pdev, "it was told that it may sleep, and doesn't answer\n");
}

/* Its registers aren't there any more: they read as all ones, of which none is told to anybody */
bool oa_gpu_is_gone(struct oa_gpu *gpu)
{
	return oa_read(gpu, gpu->layout->control) == U32_MAX;
}

u64 oa_gpu_timestamp(struct oa_gpu *gpu)
{
	u32 low, high, before, tries = OA_STAMP_TRIES;

	high = oa_read(gpu, OA_TIMESTAMP + 4);
	do {
		before = high;
		low = oa_read(gpu, OA_TIMESTAMP);
		high = oa_read(gpu, OA_TIMESTAMP + 4);
	} while (high != before && --tries);
	return (u64)high << 32 | low;
}

/* The best of a few tries */
void oa_gpu_pair(struct oa_gpu *gpu, struct vsamp_record_gpu_clock *pair)
{
	u64 before, bracket, timestamp;
	unsigned long flags;
	int i;

	pair->bracket = U64_MAX;
	for (i = 0; i < OA_PAIR_TRIES; i++) {
		local_irq_save(flags);
		before = clock_read();
		timestamp = oa_gpu_timestamp(gpu);
		bracket = clock_read() - before;
		local_irq_restore(flags);
		if (bracket >= pair->bracket)
			continue;
		pair->bracket = bracket;
		pair->time = before + bracket / 2;
		pair->timestamp = timestamp;
	}
}

/* What its registers say of the timestamp's frequency; 0: nothing that is known */
static u64 oa_gpu_hz(struct oa_gpu *gpu, bool low_power)
{
	static const u32 crystals[] = { 24000000, 19200000, 38400000, 25000000 };
	u32 mode = oa_read(gpu, OA_CTC_MODE), config, shift, crystal, divider;

	if (mode & OA_CTC_DIVIDER) {
		divider = oa_read(gpu, OA_OVERRIDE);
		return ((divider & 0x3ff) + 1) * 1000000 + 1000000 / ((divider >> 12 & 0xf) + 1);
	}
	if (gpu->layout->unit == VSAMP_GPU_UNIT_GEN9) {
		crystal = low_power ? 19200000 : 24000000;
		shift = OA_CTC_SHIFT(mode);
	} else {
		config = oa_read(gpu, OA_RPM_CONFIG0);
		if (OA_CRYSTAL(config) >= ARRAY_SIZE(crystals))
			return 0;
		crystal = crystals[OA_CRYSTAL(config)];
		shift = OA_CTC_SHIFT(config);
	}
	return crystal >> (3 - shift);
}

/* Is it what it's thought to be, does it answer, and does nobody else use the unit? */
static int oa_gpu_check(struct oa_gpu *gpu, bool low_power)
{
	u32 fixed;
	int err;

	err = oa_gpu_wake(gpu);
	if (err) {
		pci_err(gpu->pdev, "it doesn't wake up\n");
		return -ENODEV;
	}
	fixed = oa_read(gpu, gpu->layout->fixed);
	gpu->hz = oa_gpu_hz(gpu, low_power);
	oa_topology_read(gpu, low_power);
	if (!fixed || fixed == U32_MAX || !gpu->hz) {
		pci_err(gpu->pdev, "its registers don't answer as those of such a GPU do\n");
		err = -ENODEV;
	} else if (oa_read(gpu, gpu->layout->control) & OA_CONTROL_ENABLE) {
		pci_err(gpu->pdev, "its OA unit is in use by somebody else\n");
		err = -EBUSY;
	}
	oa_gpu_sleep(gpu);
	return err;
}

/* It takes the right to write to memory along */
static void oa_gpu_disable(struct oa_gpu *gpu)
{
	pci_disable_device(gpu->pdev);
	if (gpu->was_master)
		pci_set_master(gpu->pdev);
}

static int oa_gpu_map(struct oa_gpu *gpu)
{
	struct pci_dev *pdev = gpu->pdev;
	u16 command;
	int err;

	if (pci_resource_len(pdev, 0) < OA_BAR_SIZE) {
		pci_err(pdev, "its registers are smaller than those of such a GPU\n");
		return -ENODEV;
	}
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	gpu->was_master = command & PCI_COMMAND_MASTER;
	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	err = pci_request_region(pdev, 0, VSAMP_GPU_DRIVER);
	if (err)
		goto err_disable;
	gpu->regs = pci_ioremap_bar(pdev, 0);
	if (!gpu->regs) {
		err = -ENOMEM;
		goto err_region;
	}
	return 0;

err_region:
	pci_release_region(pdev, 0);
err_disable:
	oa_gpu_disable(gpu);
	return err;
}

static void oa_gpu_unmap(struct oa_gpu *gpu)
{
	iounmap(gpu->regs);
	pci_release_region(gpu->pdev, 0);
	oa_gpu_disable(gpu);
}

static int oa_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	bool low_power = false;
	struct oa_gpu *gpu;
	int err;

	gpu = kzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return -ENOMEM;
	gpu->pdev = pdev;
	if (pdev->vendor == PCI_VENDOR_ID_INTEL && pdev->class >> 16 == PCI_BASE_CLASS_DISPLAY)
		gpu->layout = oa_layout_find(pdev->device, &low_power);
	err = -ENODEV;
	if (!gpu->layout) {
		pci_err(pdev, "not a GPU whose registers are known here\n");
		goto err_free;
	}
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(39));
	if (err)
		goto err_free;
	err = oa_gpu_map(gpu);
	if (err)
		goto err_free;
	err = oa_gpu_check(gpu, low_power);
	if (err)
		goto err_unmap;
	pci_set_drvdata(pdev, gpu);
	oa_lock();
	gpu->number = oa_next_number++;
	list_add_tail(&gpu->list, &oa_gpus);
	oa_unlock();
	return 0;

err_unmap:
	oa_gpu_unmap(gpu);
err_free:
	kfree(gpu);
	return err;
}

static void oa_gpu_end(struct oa_gpu *gpu, enum vsamp_end_reason reason)
{
	if (gpu->stream)
		oa_stream_end(gpu->stream, reason);
}

static void oa_remove(struct pci_dev *pdev)
{
	struct oa_gpu *gpu = pci_get_drvdata(pdev);

	oa_lock();
	list_del(&gpu->list);	/* with its stream: none may start in between */
	oa_gpu_end(gpu, VSAMP_END_UNBOUND);
	oa_unlock();
	oa_gpu_unmap(gpu);
	kfree(gpu);
}

static void oa_shutdown(struct pci_dev *pdev)
{
	oa_lock();
	oa_gpu_end(pci_get_drvdata(pdev), VSAMP_END_REBOOT);
	oa_unlock();
}

static int oa_suspend(struct device *dev)
{
	oa_lock();
	oa_gpu_end(dev_get_drvdata(dev), VSAMP_END_SLEEP);
	oa_unlock();
	return 0;
}

static int oa_resume(struct device *dev)
{
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(oa_pm, oa_suspend, oa_resume);

/* No table of ids: it has no alias, and takes no device but by driver_override */
static struct pci_driver oa_driver = {
	.name = VSAMP_GPU_DRIVER,
	.probe = oa_probe,
	.remove = oa_remove,
	.shutdown = oa_shutdown,
	.driver.pm = pm_sleep_ptr(&oa_pm),
};

int oa_init(void)
{
	int err;

	err = oa_file_init();
	if (err)
		return err;
	err = pci_register_driver(&oa_driver);
	if (err)
		oa_file_exit();
	return err;
}

/* No file is open any more: a stream held the module */
void oa_exit(void)
{
	pci_unregister_driver(&oa_driver);
	oa_file_exit();
}
