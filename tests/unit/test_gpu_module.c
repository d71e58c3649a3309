// SPDX-License-Identifier: MIT
/* What is asked of the module for a GPU's stream, and what is understood of its answers */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp/gpu_stream.h>

#include "gpu_module.h"
#include "netlink.h"

static char buffer[NETLINK_REQUEST_MAX];

static struct nlmsghdr *message(void)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	return nlh;
}

static void test_config(void **state)
{
	const struct vsamp_oa_platform *p = vsamp_oa_platform_name("kblgt2");
	const struct vsamp_oa_set *set = vsamp_oa_set_find(p, "TestOa");
	struct nlattr *a[VSAMP_A_MAX + 1];
	struct nlmsghdr *nlh = message();
	const struct vsamp_gpu_reg *reg;

	gpu_module_config_put(nlh, 3, 1, 12, set);
	netlink_parse(nlh, a, VSAMP_A_MAX);
	assert_int_equal(netlink_u32(a[VSAMP_A_GPU]), 3);
	assert_int_equal(netlink_u32(a[VSAMP_A_GPU_FORMAT]), VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8);
	assert_int_equal(netlink_u32(a[VSAMP_A_GPU_EXPONENT]), 12);
	assert_true(netlink_u32(a[VSAMP_A_RING_SIZE]) >= VSAMP_RING_SIZE_MIN);
	/* mux, boolean and flex of the set, in this order */
	assert_int_equal(mnl_attr_get_payload_len(a[VSAMP_A_GPU_REGS]), (13 + 22 + 1) * 8);
	reg = mnl_attr_get_payload(a[VSAMP_A_GPU_REGS]);
	assert_int_equal(reg[0].address, 0x9840);
	assert_int_equal(reg[1].address, 0x9888);
	assert_int_equal(reg[13].address, set->boolean.reg[0].address);
	assert_int_equal(reg[35].address, 0xe65c);
	assert_int_equal(reg[35].value, set->flex.reg[0].value);
}

/* All sets of GPUs that the module may have: what it takes has their registers */
static void test_room(void **state)
{
	for (uint32_t id = 0; id < 0x10000; id++) {
		const struct vsamp_oa_platform *p = vsamp_oa_platform_find(id);

		for (unsigned int i = 0; p && i < p->sets; i++)
			assert_true(p->set[i].mux.n + p->set[i].boolean.n + p->set[i].flex.n <=
				    VSAMP_GPU_REGS_MAX);
	}
}

static struct nlmsghdr *gpu_message(const char *name)
{
	struct nlmsghdr *nlh = message();

	mnl_attr_put_u32(nlh, VSAMP_A_GPU, 5);
	mnl_attr_put_strz(nlh, VSAMP_A_GPU_NAME, name);
	mnl_attr_put_u32(nlh, VSAMP_A_GPU_FORMATS, 1 << 1);
	mnl_attr_put_u64(nlh, VSAMP_A_GPU_HZ, 12000000);
	mnl_attr_put_u32(nlh, VSAMP_A_GPU_SLICES, 1);
	mnl_attr_put_u32(nlh, VSAMP_A_GPU_SUBSLICES, 7);
	mnl_attr_put_u32(nlh, VSAMP_A_GPU_EUS, 23);
	return nlh;
}

static void test_messages(void **state)
{
	struct gpu_module_info info = { .slot = "0000:00:02.0" };

	/* others, a name that is cut, and none */
	assert_int_equal(gpu_module_message(gpu_message("0000:00:02.1"), &info), 0);
	assert_int_equal(gpu_module_message(gpu_message("0000:00:02"), &info), 0);
	assert_int_equal(gpu_module_message(gpu_message(""), &info), 0);
	assert_int_equal(gpu_module_message(message(), &info), 0);
	assert_false(info.found);
	assert_int_equal(gpu_module_message(gpu_message("0000:00:02.0"), &info), 0);
	assert_true(info.found);
	assert_int_equal(info.number, 5);
	assert_int_equal(info.formats, 2);
	assert_int_equal(info.hz, 12000000);
	assert_int_equal(info.slices, 1);
	assert_int_equal(info.subslices, 7);
	assert_int_equal(info.eus, 23);
}

/* Who has no reports, and where there is no module */
static void test_open(void **state)
{
	struct vsamp_gpu gpu = { .slot = "0000:00:02.0",
				 .path = VSAMP_GPU_FREE,
				 .why = "so it is" };
	struct vsamp_gpu_stream *s;
	struct vsamp_error err;

	gpu.platform = vsamp_oa_platform_name("kblgt2");
	assert_int_equal(vsamp_gpu_stream_open(&s, &gpu, &err), -ENODEV);
	assert_non_null(strstr(err.text, "so it is"));
	gpu.path = VSAMP_GPU_MODULE;
	assert_true(vsamp_gpu_stream_open(&s, &gpu, &err) < 0);
	assert_true(*err.text);
	vsamp_gpu_stream_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
