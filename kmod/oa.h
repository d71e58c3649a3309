/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Streams of a GPU's OA unit: oa_layout.c knows registers, oa_topology.c fuses, oa_gpu.c GPUs,
 * oa_buffer.c the memory that reports are written to, oa_stream.c a stream's run, oa_file.c
 * /dev/vsamp_gpu, oa_control.c the requests.
 */
#ifndef _VSAMP_OA_H
#define _VSAMP_OA_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <vsamp.h>

struct netlink_ext_ack;
struct oa_stream;
struct page;
struct pci_dev;
struct ring;

#define OA_REPORT	256	/* bytes, of the one format there is */
#define OA_BATCH	16	/* reports that are taken at once */

/* Registers from first to last */
struct oa_range {
	u32 first;
	u32 last;
};

/*
 * struct oa_layout - where an OA unit's registers are
 * @fixed: a register that isn't 0 in any GPU of its kind, if the GPU is awake
 * @buffer_high: the upper half of @buffer; 0: none
 * @count: where counting is enabled that reports are to be valid; 0: it always is
 * @tlb: where to have the unit's TLB invalidated; 0: none
 * @debug_set: bits of @debug that a run sets
 * @noa_set: bits of OA_NOA that a run sets
 * @allowed: registers that a configuration may write, up to an empty one
 */
struct oa_layout {
	enum vsamp_gpu_unit unit;
	u32 fixed;
	u32 control;
	u32 debug;
	u32 status;
	u32 head;
	u32 tail;
	u32 buffer;
	u32 buffer_high;
	u32 timer;
	u32 count;
	u32 tlb;
	u32 debug_set;
	u32 noa_set;
	const struct oa_range *allowed;
};

/*
 * struct oa_gpu - a GPU that is bound to the driver
 * @slices: a mask
 * @subslices: a mask, of those that each slice has
 * @eus: execution units in all
 * @was_master: it could write to memory before, and is to when it's given back
 */
struct oa_gpu {
	struct list_head list;
	u32 number;
	struct pci_dev *pdev;
	const struct oa_layout *layout;
	void __iomem *regs;
	u64 hz;			/* of its timestamp */
	u32 slices;
	u32 subslices;
	u32 eus;
	bool was_master;
	struct oa_stream *stream;	/* that runs */
};

/* What VSAMP_CMD_GPU_CONFIGURE says */
struct oa_config {
	u32 gpu;
	u32 format;
	u32 exponent;
	struct vsamp_gpu_reg *regs;
	u32 reg_count;
	u32 buffer_size;	/* a power of two */
	u32 ring_size;
	u32 watermark;
};

/*
 * struct oa_buffer - memory that the GPU writes to
 * @base: where the GPU finds it, in its GGTT
 * @ptes: what the GGTT had there
 */
struct oa_buffer {
	struct oa_gpu *gpu;
	u32 size;
	u32 base;
	unsigned int page_count;
	struct page **pages;
	dma_addr_t *dma;
	u64 *ptes;
	u8 *data;
};

/*
 * struct oa_stream - an open /dev/vsamp_gpu
 * @saved: what registers held before the run, in the order in which they were written
 * @head: bytes from the buffer's begin; reports before it were taken
 * @last: timestamp of the newest report that was taken
 * @lost_flags: VSAMP_GPU_LOST_*, said by the GPU since then
 * @gpu_lost: reports in all
 */
struct oa_stream {
	enum vsamp_session_state state;
	enum vsamp_end_reason end_reason;
	struct oa_config config;
	struct oa_gpu *gpu;
	struct oa_buffer buffer;
	struct vsamp_gpu_reg *saved;
	u32 saved_count;
	struct ring *ring;
	u32 head;
	u32 last;
	u32 lost_flags;
	u64 gpu_lost;
	u64 next_pair;
	u32 batch[OA_BATCH][OA_REPORT / sizeof(u32)];
	struct delayed_work poll;
	wait_queue_head_t wait;
};

#define OA_CONTROL_ENABLE	BIT(0)
#define OA_CONTROL_FORMAT(n)	((n) << 2)
#define OA_FORMAT_A32		5
#define OA_STATUS_LOST		BIT(0)
#define OA_STATUS_OVERFLOW	BIT(1)
#define OA_TIMER_RESUME		BIT(0)
#define OA_TIMER_ENABLE		BIT(1)
#define OA_TIMER_EXPONENT(n)	((n) << 2)
#define OA_BUFFER_GGTT		BIT(0)
#define OA_BUFFER_SIZE(order)	((order) << 3)	/* 128 KB << order */
#define OA_COUNT_ENABLE		BIT(30)
#define OA_NOA			0x9840
#define OA_RC_CONTROL		0xa090
#define OA_RC_HW_ENABLE		BIT(31)
#define OA_RC_STATE		0xa094

/* oa_layout.c */
const struct oa_layout *oa_layout_find(u16 device, bool *low_power);
bool oa_layout_allows(const struct oa_layout *layout, u32 address);
bool oa_layout_is_port(u32 address);

/* oa_topology.c */
void oa_topology_read(struct oa_gpu *gpu, bool low_power);

/* oa_gpu.c; under oa_lock() */
void oa_lock(void);
void oa_unlock(void);
struct oa_gpu *oa_gpu_find(u32 number);
struct oa_gpu *oa_gpu_next(u32 number);
u32 oa_read(struct oa_gpu *gpu, u32 reg);
void oa_write(struct oa_gpu *gpu, u32 reg, u32 value);
int oa_gpu_wake(struct oa_gpu *gpu);
void oa_gpu_sleep(struct oa_gpu *gpu);
bool oa_gpu_is_gone(struct oa_gpu *gpu);
u64 oa_gpu_timestamp(struct oa_gpu *gpu);
void oa_gpu_pair(struct oa_gpu *gpu, struct vsamp_record_gpu_clock *pair);
int oa_init(void);
void oa_exit(void);

/* oa_buffer.c */
int oa_buffer_alloc(struct oa_buffer *buffer, struct oa_gpu *gpu, u32 size);
void oa_buffer_free(struct oa_buffer *buffer);
void oa_buffer_zero(struct oa_buffer *buffer);
const u32 *oa_buffer_look(struct oa_buffer *buffer, u32 pos);
void oa_buffer_clear(struct oa_buffer *buffer, u32 pos);

/* oa_stream.c; under oa_lock(), but for the last */
void oa_stream_init(struct oa_stream *stream);
int oa_stream_start(struct oa_stream *stream, struct netlink_ext_ack *extack);
void oa_stream_end(struct oa_stream *stream, enum vsamp_end_reason reason);
void oa_stream_free(struct oa_stream *stream);

/* oa_file.c */
extern const struct file_operations oa_fops;
int oa_file_init(void);
void oa_file_exit(void);

#endif /* _VSAMP_OA_H */
