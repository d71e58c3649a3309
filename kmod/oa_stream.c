// SPDX-License-Identifier: GPL-2.0
/*
 * A stream: from the registers that start the GPU's OA unit to records in a ring
 *
 * DOC: the race with TAIL
 *
 * The GPU moves TAIL in steps of 64 bytes, and may do so before what it wrote is seen in memory.
 * But it writes reports in order, to memory that was zeroed: a report whose successor has begun to
 * show is whole. The newest one is held back until then, or until the unit was stopped.
 *
 * DOC: loss
 *
 * The unit says that it lost something, not how much. But the timer's reports are of multiples of
 * its period: a longer interval between two tells what isn't there, whatever the reason. When the
 * buffer was full, what hasn't been read may have been written over: all of it is dropped, and the
 * unit is started anew. Reports are copied in batches, and go to the ring after a look whether the
 * GPU has caught up meanwhile.
 */
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/pci.h>
#include <linux/poll.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include "clock.h"
#include "compat.h"
#include "oa.h"
#include "ring.h"
#include "session.h"

#define OA_POLL_MS	5
#define OA_STOP_US	50000
#define OA_SETTLE_US	500	/* that a configuration of the network takes */
#define OA_REASON(id)	((id) >> 19 & 0x3f)
#define OA_REASON_TIMER	BIT(0)

static u64 oa_stream_period(const struct oa_stream *stream)
{
	return 2ULL << stream->config.exponent;
}

/* Records; the ring has but this writer, which holds the lock */

static void oa_stream_write(struct oa_stream *stream, void *record, u32 keep)
{
	preempt_disable();
	ring_write(stream->ring, record, keep);
	preempt_enable();
}

static void oa_stream_write_state(struct oa_stream *stream, enum vsamp_state_code code)
{
	struct vsamp_record_state state = {
		.h.type = VSAMP_RECORD_STATE,
		.h.size = sizeof(state),
		.h.event = code,
		.arg = stream->config.gpu,
	};

	oa_stream_write(stream, &state, 0);
}

/* How the GPU's clock stands to the session's, and that to the kernel's */
static void oa_stream_write_clocks(struct oa_stream *stream, u32 keep)
{
	struct vsamp_record_gpu_clock pair = {
		.h.type = VSAMP_RECORD_GPU_CLOCK,
		.h.size = sizeof(pair),
	};

	oa_gpu_pair(stream->gpu, &pair);
	stream->next_pair = pair.time + clock_khz() * MSEC_PER_SEC;
	oa_stream_write(stream, &pair, keep);
	preempt_disable();
	clock_write(stream->ring, keep);
	preempt_enable();
}

/* Up to here, a timestamp, each period should have had a report */
static void oa_stream_lose(struct oa_stream *stream, u32 to, u64 count, u64 time)
{
	struct vsamp_record_oa_lost lost = {
		.h.type = VSAMP_RECORD_OA_LOST,
		.h.size = sizeof(lost),
		.h.flags = stream->lost_flags,
		.time = time,
		.from = stream->last,
		.to = to,
		.count = count,
	};

	stream->gpu_lost += count;
	stream->lost_flags = 0;
	oa_stream_write(stream, &lost, RING_KEEP);
}

static void oa_stream_report(struct oa_stream *stream, const u32 *report, u64 time)
{
	u64 room[(sizeof(struct vsamp_record_oa) + OA_REPORT) / sizeof(u64)];
	struct vsamp_record_oa *record = (void *)room;
	u32 stamp = le32_to_cpu((__force __le32)report[1]);
	u64 period = oa_stream_period(stream);
	u64 gap = stamp - stream->last;

	if (OA_REASON(le32_to_cpu((__force __le32)report[0])) & OA_REASON_TIMER) {
		if (gap >= period + period / 2 && gap <= S32_MAX)
			oa_stream_lose(stream, stamp, div64_u64(gap + period / 2, period) - 1,
				       time);
		stream->last = stamp;
	}
	record->h = (struct vsamp_record_header) {
		.type = VSAMP_RECORD_OA,
		.size = sizeof(room),
		.event = stream->config.format,
	};
	record->time = time;
	memcpy(record->report, report, OA_REPORT);
	oa_stream_write(stream, record, RING_KEEP);
}

/* The unit */

static void oa_stream_set(struct oa_stream *stream, u32 reg, u32 value)
{
	struct vsamp_gpu_reg *saved = &stream->saved[stream->saved_count++];

	saved->address = reg;
	saved->value = oa_read(stream->gpu, reg);
	oa_write(stream->gpu, reg, value);
}

/* HEAD, then where the buffer is, then TAIL: else the unit believes that it's full */
static void oa_unit_on(struct oa_stream *stream)
{
	const struct oa_layout *r = stream->gpu->layout;
	struct oa_gpu *gpu = stream->gpu;
	u32 base = stream->buffer.base;
	u32 order = ilog2(stream->buffer.size / VSAMP_GPU_BUFFER_MIN);

	oa_buffer_zero(&stream->buffer);
	stream->head = 0;
	oa_write(gpu, r->status, 0);
	oa_write(gpu, r->head, base);
	if (r->buffer_high)
		oa_write(gpu, r->buffer_high, 0);
	oa_write(gpu, r->buffer, base | OA_BUFFER_SIZE(order) | OA_BUFFER_GGTT);
	oa_write(gpu, r->tail, base);
	oa_write(gpu, r->control, OA_CONTROL_FORMAT(OA_FORMAT_A32) | OA_CONTROL_ENABLE);
}

/* Whether it has stopped */
static bool oa_unit_off(struct oa_stream *stream)
{
	const struct oa_layout *r = stream->gpu->layout;
	struct oa_gpu *gpu = stream->gpu;
	bool stopped = true;
	u32 v;

	oa_write(gpu, r->control, 0);
	if (readl_poll_timeout(gpu->regs + r->control, v, !(v & OA_CONTROL_ENABLE), 10,
			       OA_STOP_US)) {
		pci_warn(gpu->pdev, "its OA unit doesn't stop\n");
		stopped = false;
	}
	if (!r->tlb)
		return stopped;
	oa_write(gpu, r->tlb, 1);
	if (readl_poll_timeout(gpu->regs + r->tlb, v, !(v & 1), 10, OA_STOP_US)) {
		pci_warn(gpu->pdev, "its OA unit doesn't forget addresses\n");
		stopped = false;
	}
	return stopped;
}

/* All that is written for a run, but for the buffer's registers, is saved by the way */
static void oa_unit_program(struct oa_stream *stream)
{
	const struct oa_layout *r = stream->gpu->layout;
	struct oa_config *config = &stream->config;
	struct oa_gpu *gpu = stream->gpu;
	u32 i;

	oa_stream_set(stream, OA_RC_CONTROL, oa_read(gpu, OA_RC_CONTROL) & ~OA_RC_HW_ENABLE);
	oa_stream_set(stream, OA_RC_STATE, 0);
	oa_stream_set(stream, r->debug, r->debug_set << 16 | r->debug_set);
	if (r->count)
		oa_stream_set(stream, r->count, oa_read(gpu, r->count) | OA_COUNT_ENABLE);
	if (r->noa_set)
		oa_stream_set(stream, OA_NOA, oa_read(gpu, OA_NOA) | r->noa_set);
	for (i = 0; i < config->reg_count; i++) {
		if (oa_layout_is_port(config->regs[i].address))
			oa_write(gpu, config->regs[i].address, config->regs[i].value);
		else
			oa_stream_set(stream, config->regs[i].address, config->regs[i].value);
	}
	usleep_range(OA_SETTLE_US, 2 * OA_SETTLE_US);
	oa_stream_set(stream, r->status, 0);
	if (r->buffer_high)
		oa_stream_set(stream, r->buffer_high, 0);
	oa_stream_set(stream, r->tail, 0);
	oa_stream_set(stream, r->buffer, 0);
	oa_stream_set(stream, r->head, 0);
	oa_stream_set(stream, r->control, 0);
	oa_stream_set(stream, r->timer, OA_TIMER_EXPONENT(config->exponent) | OA_TIMER_ENABLE |
					OA_TIMER_RESUME);
}

static void oa_unit_restore(struct oa_stream *stream)
{
	const struct oa_layout *r = stream->gpu->layout;
	const struct vsamp_gpu_reg *saved;

	while (stream->saved_count) {
		saved = &stream->saved[--stream->saved_count];
		if (saved->address == r->debug)
			oa_write(stream->gpu, r->debug, 0xffffU << 16 | saved->value);
		else
			oa_write(stream->gpu, saved->address, saved->value);
	}
}

/* Taking reports */

static u32 oa_stream_pos(struct oa_stream *stream, u32 add)
{
	return (stream->head + add) & (stream->buffer.size - 1);
}

static bool oa_report_is_there(const u32 *report)
{
	return READ_ONCE(report[0]) || READ_ONCE(report[1]);
}

/* Bytes behind head that the GPU has given away; a part of a report isn't counted */
static u32 oa_stream_given(struct oa_stream *stream)
{
	u32 tail = oa_read(stream->gpu, stream->gpu->layout->tail) - stream->buffer.base;

	return round_down((tail - stream->head) & (stream->buffer.size - 1), OA_REPORT);
}

/* Reports, a batch at most, that are whole; @off: the unit is, so that all are */
static u32 oa_stream_copy(struct oa_stream *stream, bool off)
{
	u32 given = oa_stream_given(stream), n;
	const u32 *next;

	for (n = 0; n < OA_BATCH && n * OA_REPORT < given; n++) {
		next = oa_buffer_look(&stream->buffer, oa_stream_pos(stream, (n + 1) * OA_REPORT));
		if (!off && !oa_report_is_there(next))
			break;
		dma_rmb();	/* what is in front of it is there, too */
		next = oa_buffer_look(&stream->buffer, oa_stream_pos(stream, n * OA_REPORT));
		if (!oa_report_is_there(next))
			break;
		memcpy(stream->batch[n], next, OA_REPORT);
	}
	return n;
}

/* What the unit says of loss; whether it has to be started anew */
static bool oa_stream_overflows(struct oa_stream *stream)
{
	u32 reg = stream->gpu->layout->status, status = oa_read(stream->gpu, reg);

	if (status & OA_STATUS_LOST) {
		stream->lost_flags |= VSAMP_GPU_LOST_REPORT;
		oa_write(stream->gpu, reg, status & ~OA_STATUS_LOST);
	}
	if (status & OA_STATUS_OVERFLOW)
		stream->lost_flags |= VSAMP_GPU_LOST_OVERFLOW;
	return status & OA_STATUS_OVERFLOW;
}

/* As much as the buffer holds. Whether the unit overflowed; what was in it then is lost. */
static bool oa_stream_take(struct oa_stream *stream, bool off)
{
	u32 rounds = stream->buffer.size / (OA_REPORT * OA_BATCH);
	u64 time = clock_read();
	u32 n, i;

	do {
		n = oa_stream_copy(stream, off);
		if (oa_stream_overflows(stream))
			return true;
		for (i = 0; i < n; i++) {
			oa_stream_report(stream, stream->batch[i], time);
			oa_buffer_clear(&stream->buffer, stream->head);
			stream->head = oa_stream_pos(stream, OA_REPORT);
		}
		if (n)
			oa_write(stream->gpu, stream->gpu->layout->head,
				 stream->buffer.base + stream->head);
		cond_resched();
	} while (n == OA_BATCH && --rounds);
	return false;
}

static void oa_stream_poll_later(struct oa_stream *stream)
{
	queue_delayed_work(compat_system_wq(), &stream->poll, msecs_to_jiffies(OA_POLL_MS));
}

static void oa_stream_poll(struct work_struct *work)
{
	struct oa_stream *stream = container_of(work, struct oa_stream, poll.work);

	oa_lock();
	if (stream->gpu && oa_gpu_is_gone(stream->gpu)) {
		oa_stream_end(stream, VSAMP_END_UNBOUND);
	} else if (stream->gpu) {
		if (oa_stream_take(stream, false)) {
			oa_unit_off(stream);
			oa_unit_on(stream);
		}
		if (clock_read() >= stream->next_pair)
			oa_stream_write_clocks(stream, RING_KEEP);
		oa_stream_poll_later(stream);
	}
	oa_unlock();
}

/* Start and end */

static void oa_stream_set_state(struct oa_stream *stream, enum vsamp_session_state state)
{
	smp_store_release(&stream->state, state);	/* behind the ring */
	if (state == VSAMP_SESSION_ENDED)
		wake_up_interruptible_poll(&stream->wait, EPOLLHUP | EPOLLIN);
}

/* What oa_stream_alloc() took */
static void oa_stream_release(struct oa_stream *stream)
{
	if (stream->ring)
		ring_free(stream->ring);
	kvfree(stream->saved);
	session_pages_give(stream->config.ring_size >> PAGE_SHIFT);
	stream->ring = NULL;
	stream->saved = NULL;
}

static int oa_stream_alloc(struct oa_stream *stream, struct netlink_ext_ack *extack)
{
	const struct oa_config *config = &stream->config;
	/* reached before the ring is too full for a report, as in ring_alloc() */
	u32 most = config->ring_size - 2 * RING_KEEP - sizeof(struct vsamp_record_oa) - OA_REPORT;

	if (!session_pages_take(config->ring_size >> PAGE_SHIFT)) {
		NL_SET_ERR_MSG(extack,
			       "the ring would be larger than the module's parameter ring_mb_max allows");
		return -ENOMEM;
	}
	stream->ring = ring_alloc(0, config->ring_size, min(config->watermark, most),
				  &stream->wait);
	/* a configuration's registers, and those of oa_unit_program() */
	stream->saved = kvcalloc(config->reg_count + 16, sizeof(*stream->saved),
				 GFP_KERNEL_ACCOUNT);
	if (stream->ring && stream->saved)
		return 0;
	oa_stream_release(stream);
	NL_SET_ERR_MSG(extack, "no memory for the ring");
	return -ENOMEM;
}

static void oa_stream_run(struct oa_stream *stream)
{
	pci_set_master(stream->gpu->pdev);
	oa_stream_write_state(stream, VSAMP_STATE_START);
	oa_stream_write_clocks(stream, 0);
	oa_unit_program(stream);
	oa_unit_on(stream);
	stream->last = round_down(oa_gpu_timestamp(stream->gpu), oa_stream_period(stream));
}

static int oa_stream_start_gpu(struct oa_stream *stream, struct oa_gpu *gpu,
			       struct netlink_ext_ack *extack)
{
	int err;

	err = oa_gpu_wake(gpu);
	if (err) {
		NL_SET_ERR_MSG(extack, "the GPU doesn't wake up");
		return -ENODEV;
	}
	if (oa_read(gpu, gpu->layout->control) & OA_CONTROL_ENABLE) {
		NL_SET_ERR_MSG(extack, "the GPU's OA unit is in use by somebody else");
		err = -EBUSY;
		goto err_sleep;
	}
	err = oa_buffer_alloc(&stream->buffer, gpu, stream->config.buffer_size);
	if (err) {
		NL_SET_ERR_MSG(extack, "no memory that the GPU could write to");
		goto err_sleep;
	}
	stream->gpu = gpu;
	gpu->stream = stream;
	oa_stream_run(stream);
	return 0;

err_sleep:
	oa_gpu_sleep(gpu);
	return err;
}

/*
 * oa_stream_start() - begin the stream's run
 */
int oa_stream_start(struct oa_stream *stream, struct netlink_ext_ack *extack)
{
	struct oa_gpu *gpu = oa_gpu_find(stream->config.gpu);
	const char *refusal = session_refused();
	int err;

	if (stream->state != VSAMP_SESSION_READY) {
		NL_SET_ERR_MSG_FMT(extack, "this stream %s", stream->state == VSAMP_SESSION_OPEN ?
				   "isn't configured" : "has been started; open " VSAMP_GPU_DEVICE
				   " again");
		return -EBADFD;
	}
	if (refusal) {
		NL_SET_ERR_MSG_FMT(extack, "%s", refusal);
		return -EBUSY;
	}
	if (!gpu) {
		NL_SET_ERR_MSG(extack, "the GPU was taken from the driver " VSAMP_GPU_DRIVER);
		return -ENODEV;
	}
	if (gpu->stream) {
		NL_SET_ERR_MSG(extack, "another stream of this GPU runs");
		return -EBUSY;
	}
	err = oa_stream_alloc(stream, extack);
	if (err)
		return err;
	err = oa_stream_start_gpu(stream, gpu, extack);
	if (err) {
		oa_stream_release(stream);
		return err;
	}
	oa_stream_set_state(stream, VSAMP_SESSION_RUNNING);
	oa_stream_poll_later(stream);
	return 0;
}

/* What is left, of a unit that was stopped at this timestamp */
static void oa_stream_take_rest(struct oa_stream *stream, u32 end)
{
	s64 period = oa_stream_period(stream), rest;

	oa_stream_take(stream, true);
	rest = (s32)(end - stream->last);
	if (rest >= period)
		oa_stream_lose(stream, end, div64_u64(rest, period), clock_read());
	oa_stream_write_clocks(stream, 0);
}

/*
 * oa_stream_end() - end a run, and give back all but the ring
 */
void oa_stream_end(struct oa_stream *stream, enum vsamp_end_reason reason)
{
	struct oa_gpu *gpu = stream->gpu;
	bool gone = oa_gpu_is_gone(gpu);
	u32 end = oa_gpu_timestamp(gpu);

	if (!oa_unit_off(stream))
		gpu->was_master = false;	/* nor let it write again */
	if (!gone)
		oa_stream_take_rest(stream, end);
	oa_stream_write_state(stream, VSAMP_STATE_STOP);
	oa_unit_restore(stream);
	if (!gpu->was_master)
		pci_clear_master(gpu->pdev);
	oa_buffer_free(&stream->buffer);
	oa_gpu_sleep(gpu);
	gpu->stream = NULL;
	stream->gpu = NULL;
	stream->end_reason = reason;
	oa_stream_set_state(stream, VSAMP_SESSION_ENDED);
}

void oa_stream_init(struct oa_stream *stream)
{
	stream->state = VSAMP_SESSION_OPEN;
	init_waitqueue_head(&stream->wait);
	INIT_DELAYED_WORK(&stream->poll, oa_stream_poll);
}

/*
 * oa_stream_free() - end it if it runs, and free all that is its
 */
void oa_stream_free(struct oa_stream *stream)
{
	oa_lock();
	if (stream->gpu)
		oa_stream_end(stream, VSAMP_END_STOP);
	oa_unlock();
	cancel_delayed_work_sync(&stream->poll);
	if (stream->ring)
		oa_stream_release(stream);
	kvfree(stream->config.regs);
	kfree(stream);
}
