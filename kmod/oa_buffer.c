// SPDX-License-Identifier: GPL-2.0
/*
 * The memory that a GPU writes its reports to: pages from anywhere, that the GGTT and a mapping of
 * the kernel's put in a row
 */
#include <linux/dma-mapping.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "oa.h"

#define OA_GGTT			(8U << 20)	/* where its entries are in the BAR */
#define OA_PTE_PRESENT		BIT_ULL(0)
#define OA_GGC			0x50		/* in the configuration space */
#define OA_GGC_SIZE(v)		((v) >> 6 & 3)	/* 1 MB << this, of entries */
#define OA_FLUSH		0x101008	/* has the GPU read changed entries */
#define OA_FLUSH_ENABLE		BIT(0)

static void __iomem *oa_buffer_pte(struct oa_buffer *buffer, unsigned int page)
{
	u32 entry = buffer->base / SZ_4K + page;

	return buffer->gpu->regs + OA_GGTT + entry * sizeof(u64);
}

/* Near the end of what the GGTT can reach: firmware's picture is at its begin */
static int oa_buffer_place(struct oa_buffer *buffer)
{
	u64 end;
	u16 ggc;

	pci_read_config_word(buffer->gpu->pdev, OA_GGC, &ggc);
	if (!OA_GGC_SIZE(ggc))
		return -ENODEV;
	end = (u64)SZ_1M << OA_GGC_SIZE(ggc);	/* bytes of entries */
	end = end / sizeof(u64) * SZ_4K;
	buffer->base = end - 2 * VSAMP_GPU_BUFFER_MAX;
	return 0;
}

/* The GPU has taken note of the entries before a page is anybody else's */
static void oa_buffer_unmap(struct oa_buffer *buffer, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		writeq(buffer->ptes[i], oa_buffer_pte(buffer, i));
	oa_write(buffer->gpu, OA_FLUSH, OA_FLUSH_ENABLE);
	oa_read(buffer->gpu, OA_FLUSH);
	for (i = 0; i < count; i++)
		dma_unmap_page(&buffer->gpu->pdev->dev, buffer->dma[i], SZ_4K, DMA_BIDIRECTIONAL);
}

static int oa_buffer_map(struct oa_buffer *buffer)
{
	struct device *dev = &buffer->gpu->pdev->dev;
	unsigned int i;

	for (i = 0; i < buffer->page_count; i++) {
		buffer->dma[i] = dma_map_page(dev, buffer->pages[i], 0, SZ_4K, DMA_BIDIRECTIONAL);
		if (dma_mapping_error(dev, buffer->dma[i])) {
			oa_buffer_unmap(buffer, i);
			return -ENOMEM;
		}
		buffer->ptes[i] = readq(oa_buffer_pte(buffer, i));
		writeq(buffer->dma[i] | OA_PTE_PRESENT, oa_buffer_pte(buffer, i));
	}
	oa_write(buffer->gpu, OA_FLUSH, OA_FLUSH_ENABLE);
	return 0;
}

static void oa_buffer_free_pages(struct oa_buffer *buffer)
{
	unsigned int i;

	vunmap(buffer->data);
	for (i = 0; buffer->pages && i < buffer->page_count && buffer->pages[i]; i++)
		__free_page(buffer->pages[i]);
	kvfree(buffer->pages);
	kvfree(buffer->dma);
	kvfree(buffer->ptes);
	memset(buffer, 0, sizeof(*buffer));
}

static int oa_buffer_alloc_pages(struct oa_buffer *buffer)
{
	unsigned int i, n = buffer->page_count;

	buffer->pages = kvcalloc(n, sizeof(*buffer->pages), GFP_KERNEL_ACCOUNT);
	buffer->dma = kvcalloc(n, sizeof(*buffer->dma), GFP_KERNEL_ACCOUNT);
	buffer->ptes = kvcalloc(n, sizeof(*buffer->ptes), GFP_KERNEL_ACCOUNT);
	if (!buffer->pages || !buffer->dma || !buffer->ptes)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		buffer->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!buffer->pages[i])
			return -ENOMEM;
	}
	buffer->data = vmap(buffer->pages, n, VM_MAP, PAGE_KERNEL);
	return buffer->data ? 0 : -ENOMEM;
}

/*
 * oa_buffer_alloc() - memory that the GPU, which is awake, can write to
 * @size: a power of two
 */
int oa_buffer_alloc(struct oa_buffer *buffer, struct oa_gpu *gpu, u32 size)
{
	int err;

	if (PAGE_SIZE != SZ_4K)
		return -EOPNOTSUPP;
	buffer->gpu = gpu;
	buffer->size = size;
	buffer->page_count = size / SZ_4K;
	err = oa_buffer_place(buffer);
	if (!err)
		err = oa_buffer_alloc_pages(buffer);
	if (!err)
		err = oa_buffer_map(buffer);
	if (err)
		oa_buffer_free_pages(buffer);
	return err;
}

/* The GPU writes there no more */
void oa_buffer_free(struct oa_buffer *buffer)
{
	oa_buffer_unmap(buffer, buffer->page_count);
	oa_buffer_free_pages(buffer);
}

static void oa_buffer_sync(struct oa_buffer *buffer, u32 pos, bool for_cpu)
{
	struct device *dev = &buffer->gpu->pdev->dev;
	dma_addr_t dma = buffer->dma[pos / SZ_4K] + pos % SZ_4K;

	if (for_cpu)
		dma_sync_single_for_cpu(dev, dma, OA_REPORT, DMA_BIDIRECTIONAL);
	else
		dma_sync_single_for_device(dev, dma, OA_REPORT, DMA_BIDIRECTIONAL);
}

/* What isn't 0 afterwards was written by the GPU, which is off */
void oa_buffer_zero(struct oa_buffer *buffer)
{
	unsigned int i;

	memset(buffer->data, 0, buffer->size);
	for (i = 0; i < buffer->page_count; i++)
		dma_sync_single_for_device(&buffer->gpu->pdev->dev, buffer->dma[i], SZ_4K,
					   DMA_BIDIRECTIONAL);
}

/* A report, or what there is of it; none crosses a page's end */
const u32 *oa_buffer_look(struct oa_buffer *buffer, u32 pos)
{
	oa_buffer_sync(buffer, pos, true);
	return (const u32 *)(buffer->data + pos);
}

/* It was taken: its id and timestamp tell no more that it's there */
void oa_buffer_clear(struct oa_buffer *buffer, u32 pos)
{
	memset(buffer->data + pos, 0, 2 * sizeof(u32));
	oa_buffer_sync(buffer, pos, false);
}
