// SPDX-License-Identifier: MIT
/* gpu_module.c: GPU streams of the module: /dev/vsamp_gpu, and requests for it */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vsamp/gpu_stream.h>

#include "gpu_module.h"
#include "netlink.h"
#include "oa_private.h"
#include "session.h"

/* Some seconds of reports at 1 kHz */
#define RING_SIZE      (4u << 20)

/* Of the GPU's own clock, in all that the module drives */
#define TIMESTAMP_BITS 36

struct gpu_module {
	struct vsamp_gpu gpu;
	struct gpu_module_info info;
	struct vsamp_oa_device device;
	struct netlink nl;
	int fd;
	bool runs;
	uint64_t period_ns;
	struct vsamp_ring *ring;
};

int gpu_module_message(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *a[VSAMP_A_MAX + 1];
	struct gpu_module_info *info = arg;
	const struct nlattr *name;

	netlink_parse(nlh, a, VSAMP_A_MAX);
	name = a[VSAMP_A_GPU_NAME];
	if (!name || mnl_attr_get_payload_len(name) != strlen(info->slot) + 1 ||
	    memcmp(mnl_attr_get_str(name), info->slot, strlen(info->slot)))
		return 0;
	info->found = true;
	info->number = netlink_u32(a[VSAMP_A_GPU]);
	info->formats = netlink_u32(a[VSAMP_A_GPU_FORMATS]);
	info->hz = netlink_u64(a[VSAMP_A_GPU_HZ]);
	info->slices = netlink_u32(a[VSAMP_A_GPU_SLICES]);
	info->subslices = netlink_u32(a[VSAMP_A_GPU_SUBSLICES]);
	info->eus = netlink_u32(a[VSAMP_A_GPU_EUS]);
	return 0;
}

static int info_get(struct gpu_module *m, struct vsamp_error *err)
{
	struct nlmsghdr *nlh = netlink_request(&m->nl, VSAMP_CMD_GPU_GET, NLM_F_DUMP);
	struct netlink_error e;

	m->info = (struct gpu_module_info){ .slot = m->gpu.slot };
	if (netlink_talk(&m->nl, nlh, gpu_module_message, &m->info, &e))
		return control_refused(&e, "say which GPUs it has", m->gpu.slot, err);
	if (!m->info.found)
		return vsamp_fail(err, -ENODEV,
				  "%s: the module does not drive it: its log (dmesg) tells why",
				  m->gpu.slot);
	if (!m->info.hz)
		return vsamp_fail(err, -ENODEV, "%s: the module tells no rate of the GPU's clock",
				  m->gpu.slot);
	m->device.timestamp_hz = m->info.hz;
	m->device.gpu_max_hz = m->gpu.max_hz;
	if (m->gpu.platform)
		oa_topology_masks(&m->device, m->gpu.platform->version, m->info.slices,
				  m->info.subslices);
	m->device.eus = m->info.eus;
	return 0;
}

int gpu_module_open(struct gpu_module **module, const struct vsamp_gpu *gpu,
		    struct vsamp_error *err)
{
	struct gpu_module *m = calloc(1, sizeof(*m));
	int ret;

	if (!m)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	m->gpu = *gpu;
	m->fd = control_device_open(VSAMP_GPU_DEVICE, err);
	if (m->fd < 0) {
		ret = m->fd;
		goto free;
	}
	ret = control_connect(&m->nl, err);
	if (ret)
		goto close;
	ret = info_get(m, err);
	if (ret)
		goto disconnect;
	*module = m;
	return 0;

disconnect:
	netlink_close(&m->nl);
close:
	close(m->fd);
free:
	free(m);
	return ret;
}

void gpu_module_config_put(struct nlmsghdr *nlh, uint32_t number, uint32_t format,
			   uint32_t exponent, const struct vsamp_oa_set *set)
{
	const struct vsamp_oa_regs *const list[] = { &set->mux, &set->boolean, &set->flex };
	struct vsamp_gpu_reg reg[VSAMP_GPU_REGS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		for (unsigned int k = 0; k < list[i]->n && n < VSAMP_GPU_REGS_MAX; k++, n++)
			reg[n] = (struct vsamp_gpu_reg){ list[i]->reg[k].address,
							 list[i]->reg[k].value };
	mnl_attr_put_u32(nlh, VSAMP_A_GPU, number);
	mnl_attr_put_u32(nlh, VSAMP_A_GPU_FORMAT, format);
	mnl_attr_put_u32(nlh, VSAMP_A_GPU_EXPONENT, exponent);
	mnl_attr_put(nlh, VSAMP_A_GPU_REGS, n * sizeof(reg[0]), reg);
	mnl_attr_put_u32(nlh, VSAMP_A_RING_SIZE, RING_SIZE);
}

static struct nlmsghdr *request(struct gpu_module *m, uint8_t cmd)
{
	struct nlmsghdr *nlh = netlink_request(&m->nl, cmd, NLM_F_ACK);

	mnl_attr_put_u32(nlh, VSAMP_A_SESSION_FD, m->fd);
	return nlh;
}

static int talk(struct gpu_module *m, struct nlmsghdr *nlh, const char *doing,
		struct vsamp_error *err)
{
	struct netlink_error e;

	if (!netlink_talk(&m->nl, nlh, NULL, NULL, &e))
		return 0;
	if (e.code == -EBUSY && !e.text[0])
		return vsamp_fail(err, e.code,
				  "%s: another program reads this GPU's OA reports: end that one",
				  m->gpu.slot);
	return control_refused(&e, doing, m->gpu.slot, err);
}

int gpu_module_start(struct gpu_module *m, const struct vsamp_oa_set *set, uint64_t period_ns,
		     struct vsamp_error *err)
{
	enum vsamp_oa_format format = vsamp_oa_platform_format(m->gpu.platform);
	struct nlmsghdr *nlh = request(m, VSAMP_CMD_GPU_CONFIGURE);
	unsigned int exponent;
	int ret;

	if (!(m->info.formats >> format & 1))
		return vsamp_fail(
			err, -EINVAL,
			"%s: the module does not read this GPU's reports in a layout that "
			"is known here: module and command don't match",
			m->gpu.slot);
	exponent = vsamp_gpu_exponent(m->info.hz, period_ns, &m->period_ns);
	gpu_module_config_put(nlh, m->info.number, format, exponent, set);
	ret = talk(m, nlh, "configure the GPU's stream", err);
	if (!ret)
		ret = talk(m, request(m, VSAMP_CMD_GPU_START), "start the GPU's stream", err);
	if (ret)
		return ret;
	m->runs = true;
	ret = vsamp_ring_open(&m->ring, m->fd, 0, err);
	if (ret)
		gpu_module_stop(m, NULL);
	return ret;
}

int gpu_module_stop(struct gpu_module *m, struct vsamp_error *err)
{
	if (!m->runs)
		return 0;
	m->runs = false;
	return talk(m, request(m, VSAMP_CMD_GPU_STOP), "stop the GPU's stream", err);
}

const struct vsamp_oa_device *gpu_module_device(const struct gpu_module *m)
{
	return &m->device;
}

unsigned int gpu_module_bits(const struct gpu_module *m)
{
	return TIMESTAMP_BITS;
}

uint64_t gpu_module_period(const struct gpu_module *m)
{
	return m->period_ns;
}

int gpu_module_fd(const struct gpu_module *m)
{
	return m->fd;
}

struct vsamp_ring *gpu_module_ring(const struct gpu_module *m)
{
	return m->ring;
}

/* The last close of the file stops it, too */
void gpu_module_close(struct gpu_module *m)
{
	if (!m)
		return;
	vsamp_ring_close(m->ring);
	netlink_close(&m->nl);
	close(m->fd);
	free(m);
}
