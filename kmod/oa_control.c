// SPDX-License-Identifier: GPL-2.0
/*
 * Requests about GPUs: GPU_* of the generic netlink family, which names a stream by a file
 * descriptor of /dev/vsamp_gpu as control.c does a session
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <net/genetlink.h>

#include "compat.h"
#include "configure.h"
#include "control.h"
#include "oa.h"
#include "oa_control.h"
#include "ring.h"

#define OA_FORMATS BIT(VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8)	/* of all that are known */

static struct file *oa_control_file(const struct nlattr *attr)
{
	struct file *file = fget(nla_get_u32(attr));

	if (file && file->f_op != &oa_fops) {
		fput(file);
		file = NULL;
	}
	return file;
}

/* Like control_check_fd() */
static int oa_control_check_fd(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct file *file;

	if (nla_len(attr) != sizeof(u32)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "the stream's file descriptor is a u32");
		return -EINVAL;
	}
	file = oa_control_file(attr);
	if (!file) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "not a file descriptor of " VSAMP_GPU_DEVICE);
		return -EBADF;
	}
	fput(file);
	return 0;
}

#define OA_POLICY_FD NLA_POLICY_VALIDATE_FN(NLA_BINARY, oa_control_check_fd, sizeof(u32))

const struct nla_policy oa_control_stream_policy[VSAMP_A_SESSION_FD + 1] = {
	[VSAMP_A_SESSION_FD]	= OA_POLICY_FD,
};

const struct nla_policy oa_control_policy[VSAMP_A_GPU_BUFFER + 1] = {
	[VSAMP_A_SESSION_FD]	= OA_POLICY_FD,
	[VSAMP_A_RING_SIZE]	= { .type = NLA_U32 },
	[VSAMP_A_WATERMARK]	= NLA_POLICY_MIN(NLA_U32, 1),
	[VSAMP_A_GPU]		= { .type = NLA_U32 },
	[VSAMP_A_GPU_FORMAT]	= { .type = NLA_U32 },
	[VSAMP_A_GPU_EXPONENT]	= NLA_POLICY_MAX(NLA_U32, VSAMP_GPU_EXPONENT_MAX),
	[VSAMP_A_GPU_REGS]	= { .type = NLA_BINARY,
				    .len = VSAMP_GPU_REGS_MAX * sizeof(struct vsamp_gpu_reg) },
	[VSAMP_A_GPU_BUFFER]	= { .type = NLA_U32 },
};

/* The sender's stream; its file is to be put */
static struct file *oa_control_stream(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	struct file *file;

	if (!attrs[VSAMP_A_SESSION_FD]) {
		NL_SET_ERR_MSG(extack, "the stream's file descriptor is missing");
		return ERR_PTR(-EINVAL);
	}
	file = oa_control_file(attrs[VSAMP_A_SESSION_FD]);
	if (!file) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_SESSION_FD],
				    "not a file descriptor of " VSAMP_GPU_DEVICE);
		return ERR_PTR(-EBADF);
	}
	return file;
}

/* GPU_GET: cb->args[0] is the next number */

static int oa_control_fill(struct sk_buff *skb, const struct oa_gpu *gpu)
{
	if (nla_put_u32(skb, VSAMP_A_GPU, gpu->number) ||
	    nla_put_string(skb, VSAMP_A_GPU_NAME, pci_name(gpu->pdev)) ||
	    nla_put_u32(skb, VSAMP_A_GPU_ID, gpu->pdev->device) ||
	    nla_put_u32(skb, VSAMP_A_GPU_REVISION, gpu->pdev->revision) ||
	    nla_put_u32(skb, VSAMP_A_GPU_UNIT, gpu->layout->unit) ||
	    nla_put_u32(skb, VSAMP_A_GPU_FORMATS, OA_FORMATS) ||
	    nla_put_u32(skb, VSAMP_A_GPU_SLICES, gpu->slices) ||
	    nla_put_u32(skb, VSAMP_A_GPU_SUBSLICES, gpu->subslices) ||
	    nla_put_u32(skb, VSAMP_A_GPU_EUS, gpu->eus) ||
	    control_put_u64(skb, VSAMP_A_GPU_HZ, gpu->hz))
		return -EMSGSIZE;
	return gpu->stream ? nla_put_flag(skb, VSAMP_A_GPU_BUSY) : 0;
}

int oa_control_get(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct oa_gpu *gpu;
	void *message;

	oa_lock();
	for (; (gpu = oa_gpu_next(cb->args[0])); cb->args[0] = gpu->number + 1) {
		message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				      &control_family, NLM_F_MULTI, VSAMP_CMD_GPU_GET);
		if (!message)
			break;
		if (oa_control_fill(skb, gpu)) {
			genlmsg_cancel(skb, message);
			break;
		}
		genlmsg_end(skb, message);
	}
	oa_unlock();
	return skb->len;
}

/* GPU_CONFIGURE */

static int oa_parse_rings(struct oa_config *config, struct nlattr **attrs,
			  struct netlink_ext_ack *extack)
{
	int err = configure_parse_ring(&config->ring_size, &config->watermark, attrs, extack);

	if (err)
		return err;
	config->buffer_size = VSAMP_GPU_BUFFER_MAX;
	if (attrs[VSAMP_A_GPU_BUFFER])
		config->buffer_size = nla_get_u32(attrs[VSAMP_A_GPU_BUFFER]);
	if (config->buffer_size < VSAMP_GPU_BUFFER_MIN ||
	    config->buffer_size > VSAMP_GPU_BUFFER_MAX || !is_power_of_2(config->buffer_size)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_GPU_BUFFER],
				    "the GPU's buffer: a power of two from 128 KB to 16 MB");
		return -EINVAL;
	}
	return 0;
}

static int oa_parse_unit(struct oa_config *config, struct nlattr **attrs,
			 struct netlink_ext_ack *extack)
{
	if (!attrs[VSAMP_A_GPU] || !attrs[VSAMP_A_GPU_FORMAT] || !attrs[VSAMP_A_GPU_EXPONENT]) {
		NL_SET_ERR_MSG(extack, "GPU, GPU_FORMAT and GPU_EXPONENT are needed");
		return -EINVAL;
	}
	config->gpu = nla_get_u32(attrs[VSAMP_A_GPU]);
	config->exponent = nla_get_u32(attrs[VSAMP_A_GPU_EXPONENT]);
	config->format = nla_get_u32(attrs[VSAMP_A_GPU_FORMAT]);
	if (config->format != VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[VSAMP_A_GPU_FORMAT],
				    "the GPU makes no such reports");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Only registers that say what counters count */
static int oa_parse_regs(struct oa_config *config, const struct nlattr *attr,
			 const struct oa_layout *layout, struct netlink_ext_ack *extack)
{
	const struct vsamp_gpu_reg *reg;
	u32 i;

	if (!attr)
		return 0;
	if (nla_len(attr) % sizeof(*reg)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "not a whole number of registers");
		return -EINVAL;
	}
	config->reg_count = nla_len(attr) / sizeof(*reg);
	config->regs = kvmalloc(nla_len(attr), GFP_KERNEL_ACCOUNT);
	if (!config->regs)
		return -ENOMEM;
	memcpy(config->regs, nla_data(attr), nla_len(attr));
	for (i = 0; i < config->reg_count; i++) {
		reg = &config->regs[i];
		if (oa_layout_allows(layout, reg->address))
			continue;
		NL_SET_ERR_MSG_FMT(extack, "register %#x is none that a configuration may write",
				   reg->address);
		NL_SET_BAD_ATTR(extack, attr);
		return -EACCES;
	}
	return 0;
}

static int oa_parse(struct oa_config *config, struct genl_info *info)
{
	struct oa_gpu *gpu;
	int err;

	err = oa_parse_unit(config, info->attrs, info->extack);
	if (!err)
		err = oa_parse_rings(config, info->attrs, info->extack);
	if (err)
		return err;
	gpu = oa_gpu_find(config->gpu);
	if (!gpu) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[VSAMP_A_GPU],
				    "no such GPU is bound to the driver " VSAMP_GPU_DRIVER);
		return -ENODEV;
	}
	return oa_parse_regs(config, info->attrs[VSAMP_A_GPU_REGS], gpu->layout, info->extack);
}

int oa_control_configure(struct sk_buff *skb, struct genl_info *info)
{
	struct oa_config config = {};
	struct oa_stream *stream;
	struct file *file;
	int err;

	file = oa_control_stream(info->attrs, info->extack);
	if (IS_ERR(file))
		return PTR_ERR(file);
	stream = file->private_data;
	oa_lock();
	if (!netlink_capable(skb, CAP_PERFMON) && !netlink_capable(skb, CAP_SYS_ADMIN)) {
		NL_SET_ERR_MSG(info->extack, "CAP_PERFMON or CAP_SYS_ADMIN is needed");
		err = -EACCES;
	} else if (stream->state > VSAMP_SESSION_READY) {
		NL_SET_ERR_MSG(info->extack, "this stream has been started");
		err = -EBADFD;
	} else {
		err = oa_parse(&config, info);
	}
	if (!err) {
		swap(stream->config, config);
		stream->state = VSAMP_SESSION_READY;
	}
	oa_unlock();
	kvfree(config.regs);
	fput(file);
	return err;
}

/* GPU_START, GPU_STOP */
int oa_control_run(struct sk_buff *skb, struct genl_info *info)
{
	struct oa_stream *stream;
	struct file *file;
	int err = 0;

	file = oa_control_stream(info->attrs, info->extack);
	if (IS_ERR(file))
		return PTR_ERR(file);
	stream = file->private_data;
	oa_lock();
	if (info->genlhdr->cmd == VSAMP_CMD_GPU_START) {
		err = oa_stream_start(stream, info->extack);
	} else if (!stream->gpu) {
		NL_SET_ERR_MSG(info->extack, "this stream isn't running");
		err = -EBADFD;
	} else {
		oa_stream_end(stream, VSAMP_END_STOP);
	}
	oa_unlock();
	fput(file);
	return err;
}

/* GPU_STATS_GET: cb->args[0] is the stream's file, [1] whether it was told */

int oa_control_stats_start(struct netlink_callback *cb)
{
	struct file *file = oa_control_stream(compat_dump_attrs(cb), cb->extack);

	if (IS_ERR(file))
		return PTR_ERR(file);
	cb->args[0] = (long)file;
	return 0;
}

int oa_control_stats_done(struct netlink_callback *cb)
{
	fput((struct file *)cb->args[0]);
	return 0;
}

static int oa_control_stats_fill(struct sk_buff *skb, struct oa_stream *stream)
{
	u64 produced = 0, written = 0, lost = 0;

	if (stream->ring)
		ring_counts(stream->ring, &produced, &written, &lost);
	if (nla_put_u32(skb, VSAMP_A_GPU, stream->config.gpu) ||
	    nla_put_u32(skb, VSAMP_A_STATE, stream->state) ||
	    control_put_u64(skb, VSAMP_A_PRODUCED, produced + stream->gpu_lost) ||
	    control_put_u64(skb, VSAMP_A_WRITTEN, written) ||
	    control_put_u64(skb, VSAMP_A_LOST, lost + stream->gpu_lost) ||
	    control_put_u64(skb, VSAMP_A_GPU_LOST, stream->gpu_lost))
		return -EMSGSIZE;
	return stream->state == VSAMP_SESSION_ENDED ?
	       nla_put_u32(skb, VSAMP_A_END_REASON, stream->end_reason) : 0;
}

int oa_control_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct file *file = (struct file *)cb->args[0];
	void *message;
	int err;

	if (cb->args[1]++)
		return 0;
	message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &control_family,
			      NLM_F_MULTI, VSAMP_CMD_GPU_STATS_GET);
	if (!message)
		return -EMSGSIZE;
	oa_lock();
	err = oa_control_stats_fill(skb, file->private_data);
	oa_unlock();
	if (err) {
		genlmsg_cancel(skb, message);
		return err;
	}
	genlmsg_end(skb, message);
	return skb->len;
}
