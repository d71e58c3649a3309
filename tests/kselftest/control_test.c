// SPDX-License-Identifier: MIT
/*
 * The control family against its specification: each command with each attribute, as specified and
 * malformed in every way the specification rules out. Cases come from tables made from
 * uapi/vsamp.yaml; what a refused request must leave alone is the session's state. Where there is
 * an emulated GPU it is the commands about GPUs that are tested, and a session is a stream of it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/socket.h>

#include "session.h"

enum spec_type {
	SPEC_PAD,
	SPEC_UNUSED,
	SPEC_FLAG,
	SPEC_U8,
	SPEC_U16,
	SPEC_U32,
	SPEC_U64,
	SPEC_STRING,
	SPEC_NEST,
	SPEC_BINARY,
};

struct spec_attr {
	const char *name;
	int number;
	enum spec_type type;
	uint64_t min, max;
	int max_len;
	const struct spec_attr *nest;
};

struct spec_op {
	const char *name;
	int number;
	bool dump;
	const struct spec_attr *set;
	const int *request, *reply;
};

#include "spec_tables.h"

/* one sends what is tested, the other looks at what that did */
static struct client client, watcher;
static int session = -1;

#define GPU    "0000:00:02.0"
#define DEVICE "/sys/bus/pci/devices/" GPU

static bool gpu; /* there is one */
static uint32_t gpu_number;

/* --- requests --- */

static const struct spec_attr *attr_of(const struct spec_attr *set, int number)
{
	for (; set->name; set++)
		if (set->number == number)
			return set;
	return NULL;
}

static bool has(const int *list, int number)
{
	for (; *list; list++)
		if (*list == number)
			return true;
	return false;
}

static int size_of(enum spec_type type)
{
	static const int size[] = { [SPEC_U8] = 1, [SPEC_U16] = 2, [SPEC_U32] = 4, [SPEC_U64] = 8 };

	return type <= SPEC_U64 ? size[type] : 0;
}

/* Whether an event of this command may have it, and must */
static bool event_has(const struct spec_op *op, int number)
{
	if (number == VSAMP_EVENT_A_SAV || number == VSAMP_EVENT_A_FLAGS)
		return true;
	return (number == VSAMP_EVENT_A_INDEX) == (op->number == VSAMP_CMD_SAV_SET);
}

static bool event_needs(const struct spec_op *op, int number)
{
	if (op->number == VSAMP_CMD_SAV_SET)
		return number == VSAMP_EVENT_A_INDEX || number == VSAMP_EVENT_A_SAV;
	/* a fixed counter has no config */
	return number == VSAMP_EVENT_A_COUNTER || number == VSAMP_EVENT_A_SAV ||
	       number == VSAMP_EVENT_A_FLAGS;
}

/* The attributes of a good event, but one */
static void put_event_attrs(struct nl_msg *msg, const struct spec_op *op, int without)
{
	if (op->number == VSAMP_CMD_SAV_SET) {
		if (without != VSAMP_EVENT_A_INDEX)
			nla_put_u32(msg, VSAMP_EVENT_A_INDEX, 0);
		if (without != VSAMP_EVENT_A_SAV)
			nla_put_u64(msg, VSAMP_EVENT_A_SAV, 200000);
		return;
	}
	if (without != VSAMP_EVENT_A_CONFIG)
		nla_put_u64(msg, VSAMP_EVENT_A_CONFIG, CONFIG_INSTRUCTIONS);
	if (without != VSAMP_EVENT_A_COUNTER)
		nla_put_u32(msg, VSAMP_EVENT_A_COUNTER, 0);
	if (without != VSAMP_EVENT_A_SAV)
		nla_put_u64(msg, VSAMP_EVENT_A_SAV, 100000);
	if (without != VSAMP_EVENT_A_FLAGS)
		nla_put_u32(msg, VSAMP_EVENT_A_FLAGS, VSAMP_EVENT_USER);
}

static void put_gpu(struct nl_msg *msg, int without)
{
	if (without != VSAMP_A_GPU)
		nla_put_u32(msg, VSAMP_A_GPU, gpu_number);
	if (without != VSAMP_A_GPU_FORMAT)
		nla_put_u32(msg, VSAMP_A_GPU_FORMAT, VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8);
	if (without != VSAMP_A_GPU_EXPONENT)
		nla_put_u32(msg, VSAMP_A_GPU_EXPONENT, 13);
}

/* What a good request holds, whatever the command, so that only the fault under test is one */
static void put_good(struct nl_msg *msg, const struct spec_op *op, int without)
{
	struct nlattr *nest;

	if (has(op->request, VSAMP_A_SESSION_FD) && without != VSAMP_A_SESSION_FD)
		nla_put_u32(msg, VSAMP_A_SESSION_FD, session);
	if (has(op->request, VSAMP_A_BACKEND) && without != VSAMP_A_BACKEND)
		nla_put_u32(msg, VSAMP_A_BACKEND, VSAMP_BACKEND_INTEL);
	if (op->number == VSAMP_CMD_GPU_CONFIGURE)
		put_gpu(msg, without);
	if (has(op->request, VSAMP_A_EVENT) && without != VSAMP_A_EVENT) {
		nest = nla_nest_start(msg, VSAMP_A_EVENT | NLA_F_NESTED);
		put_event_attrs(msg, op, 0);
		nla_nest_end(msg, nest);
	}
}

/* An attribute with some value that its type allows */
static void put_any(struct nl_msg *msg, const struct spec_attr *a)
{
	uint64_t value = a->min;

	switch (a->type) {
	case SPEC_STRING:
		nla_put_string(msg, a->number, "0");
		break;
	case SPEC_NEST:
		nla_nest_end_keep_empty(msg, nla_nest_start(msg, a->number | NLA_F_NESTED));
		break;
	default:
		nla_put(msg, a->number, size_of(a->type), &value);
	}
}

static struct nl_msg *request(const struct spec_op *op, int without)
{
	struct nl_msg *msg = client_request(&client, op->number, 0);

	put_good(msg, op, without);
	return msg;
}

static void take_state(struct nlattr *attrs, int len, void *state)
{
	struct nlattr *a = nla_find(attrs, len, VSAMP_A_STATE);

	if (a)
		*(uint32_t *)state = nla_get_u32(a);
}

static uint32_t session_state(void)
{
	uint32_t state = 0;
	struct stats s;

	if (gpu) {
		client_dump(&watcher, session_request(&watcher, VSAMP_CMD_GPU_STATS_GET, session),
			    take_state, &state);
		return state;
	}
	return session_stats(&watcher, session, &s) ? 0 : s.state;
}

/* A stream in the state in which this command is good */
static void prepare_stream(const struct spec_op *op)
{
	struct nl_msg *msg;

	if (session >= 0)
		close(session);
	session = open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC);
	if (op->number == VSAMP_CMD_GPU_CONFIGURE)
		return;
	msg = session_request(&watcher, VSAMP_CMD_GPU_CONFIGURE, session);
	put_gpu(msg, 0);
	client_do(&watcher, msg);
	if (op->number != VSAMP_CMD_GPU_START)
		session_command(&watcher, VSAMP_CMD_GPU_START, session);
}

/* A session in the state in which this command is good */
static void prepare(const struct spec_op *op)
{
	struct config config = config_instructions(100000);

	if (session >= 0)
		close(session);
	session = session_open();
	if (op->number == VSAMP_CMD_CAPS_GET || op->number == VSAMP_CMD_CONFIGURE)
		return;
	session_configure(&watcher, session, &config);
	if (op->number == VSAMP_CMD_START)
		return;
	session_command(&watcher, VSAMP_CMD_START, session);
	if (op->number == VSAMP_CMD_RESUME)
		session_command(&watcher, VSAMP_CMD_PAUSE, session);
}

/* --- results --- */

static int run(const struct spec_op *op, struct nl_msg *msg)
{
	return op->dump ? client_dump(&client, msg, NULL, NULL) : client_do(&client, msg);
}

/*
 * The request is refused and changes nothing, and it is told why: by a text, and by the attribute that
 * is at fault (-1: no matter which) or missing. With @core the refusal is the netlink core's, of the
 * message as such, which has no text.
 */
static void refused(const struct spec_op *op, struct nl_msg *msg, int attr, bool core,
		    const char *what, const char *which)
{
	uint32_t before = session_state();
	int ret = run(op, msg);
	bool ok = ret < 0 && session_state() == before;

	if (!core)
		ok = ok && (client.text[0] || client.miss_attr);
	if (attr >= 0)
		ok = ok && (client.bad_attr == attr || client.miss_attr == attr);
	if (!ok)
		ksft_print_msg("%d \"%s\", attribute %d, missing %d, state %u before, %u after\n",
			       ret, client.text, client.bad_attr, client.miss_attr, before,
			       session_state());
	ksft_test_result(ok, "%s: %s%s%s is refused\n", op->name, which, *which ? " " : "", what);
}

/* --- cases --- */

/* A value as long as @len says, whatever the type */
static void put_len(struct nl_msg *msg, int number, int len)
{
	char *p = nla_data(nla_reserve(msg, number, len));

	memset(p, '1', len);
}

static void put_number(struct nl_msg *msg, const struct spec_attr *a, uint64_t value)
{
	nla_put(msg, a->number, size_of(a->type), &value);
}

/* Each malformed form of one attribute, at the level of the request or in the nest of an event */
static void test_attr(const struct spec_op *op, const struct spec_attr *a, bool in_event)
{
	int size = size_of(a->type), number = a->number, form;
	uint64_t most = size && size < 8 ? (1ULL << 8 * size) - 1 : ~0ULL;

	for (form = 0; form < 8; form++) {
		struct nl_msg *msg = request(op, in_event ? VSAMP_A_EVENT : number);
		struct nlattr *nest = in_event ? nla_nest_start(msg, VSAMP_A_EVENT | NLA_F_NESTED) :
						 NULL;
		const char *what = NULL;

		if (in_event)
			put_event_attrs(msg, op, number);
		if (form == 0 && size) {
			what = "a byte short";
			put_len(msg, number, size - 1);
		} else if (form == 1 && size) {
			what = "a byte long";
			put_len(msg, number, size + 1);
		} else if (form == 2 && size && a->min > 0) {
			what = "below its least value";
			put_number(msg, a, a->min - 1);
		} else if (form == 3 && size && a->max < most) {
			what = "above its largest value";
			put_number(msg, a, a->max + 1);
		} else if (form == 4 && a->type != SPEC_FLAG && a->type != SPEC_BINARY) {
			what = "empty";
			put_len(msg, number, 0);
		} else if (form == 5 && a->type == SPEC_NEST) {
			what = "without the mark of a nest";
			nla_nest_end_keep_empty(msg, nla_nest_start(msg, number));
		} else if (form == 5 && size) {
			what = "marked as a nest";
			put_len(msg, number | NLA_F_NESTED, size);
		} else if (form == 6 && a->type == SPEC_STRING) {
			what = "of 60000 bytes";
			put_len(msg, number, 60000);
		} else if (form == 6 && a->type == SPEC_BINARY) {
			what = "not of whole registers";
			put_len(msg, number, 3 * sizeof(struct vsamp_gpu_reg) - 1);
		} else if (form == 7 && a->type == SPEC_BINARY) {
			what = "of too many registers";
			put_len(msg, number,
				(VSAMP_GPU_REGS_MAX + 1) * sizeof(struct vsamp_gpu_reg));
		}
		if (nest)
			nla_nest_end(msg, nest);
		if (what)
			refused(op, msg, a->type == SPEC_NEST ? -1 : number, false, what, a->name);
		else
			nlmsg_free(msg);
	}
}

/* Attributes that this command doesn't take, known ones and unknown */
static void test_strangers(const struct spec_op *op)
{
	const struct spec_attr *a;
	struct nl_msg *msg;

	for (a = op->set; a->name; a++) {
		if (a->type == SPEC_PAD || a->type == SPEC_UNUSED || has(op->request, a->number))
			continue;
		msg = request(op, 0);
		put_any(msg, a);
		refused(op, msg, a->number, false, "which belongs elsewhere", a->name);
	}
	msg = request(op, 0);
	put_len(msg, VSAMP_A_MAX + 1, 4);
	refused(op, msg, VSAMP_A_MAX + 1, false, "unknown attribute", "an");
	msg = request(op, 0);
	put_len(msg, NLA_TYPE_MASK, 4);
	refused(op, msg, NLA_TYPE_MASK, false, "attribute of the last number", "an");
	msg = request(op, 0);
	put_len(msg, 0, 4);
	refused(op, msg, -1, false, "attribute of number 0", "an");
}

/* The message as such */
static void test_message(const struct spec_op *op)
{
	struct spec_op other = *op;
	struct genlmsghdr *g;
	struct nl_msg *msg;

	other.dump = !op->dump;
	refused(&other, request(op, 0), -1, true,
		op->dump ? "not asked for as a dump" : "asked for as a dump", "");

	msg = request(op, 0);
	nlmsg_append(msg, "xy", 2, 0);
	refused(op, msg, -1, true, "with two bytes behind the attributes", "");

	msg = request(op, 0);
	g = genlmsg_hdr(nlmsg_hdr(msg));
	g->reserved = 1;
	refused(op, msg, -1, true, "with the header's reserved bits", "");
}

static void test_session_fd(const struct spec_op *op)
{
	int null = open("/dev/null", O_RDWR), i;
	int other = open(gpu ? VSAMP_DEVICE : VSAMP_GPU_DEVICE, O_RDWR);
	const struct {
		int fd;
		const char *what;
	} bad[] = {
		{ null, "that is /dev/null" },
		{ other, "of the other kind" },
		{ nl_socket_get_fd(client.sock), "that is the socket" },
		{ 999, "that is not open" },
		{ -1, "-1" },
	};

	for (i = 0; i < 5; i++) {
		struct nl_msg *msg = request(op, VSAMP_A_SESSION_FD);

		nla_put_u32(msg, VSAMP_A_SESSION_FD, bad[i].fd);
		refused(op, msg, VSAMP_A_SESSION_FD, false, bad[i].what, "session-fd");
	}
	close(null);
	close(other);
	/* what a dump's start says is not passed on by every kernel */
	refused(op, request(op, VSAMP_A_SESSION_FD), -1, op->dump, "missing", "session-fd");
}

static void test_event(const struct spec_op *op)
{
	const struct spec_attr *nest = attr_of(op->set, VSAMP_A_EVENT)->nest, *a;
	struct nl_msg *msg;
	struct nlattr *n;

	refused(op, request(op, VSAMP_A_EVENT), -1, false, "missing", "event");
	for (a = nest; a->name; a++) {
		if (a->type == SPEC_PAD || a->type == SPEC_UNUSED)
			continue;
		if (event_has(op, a->number))
			test_attr(op, a, true);
		msg = request(op, VSAMP_A_EVENT);
		n = nla_nest_start(msg, VSAMP_A_EVENT | NLA_F_NESTED);
		if (!event_has(op, a->number)) {
			put_event_attrs(msg, op, 0);
			put_any(msg, a);
			nla_nest_end(msg, n);
			refused(op, msg, a->number, false, "which belongs elsewhere", a->name);
			continue;
		}
		put_event_attrs(msg, op, a->number);
		nla_nest_end(msg, n);
		/* what has a default may be left out: that is no refusal to test */
		if (event_needs(op, a->number))
			refused(op, msg, -1, false, "missing", a->name);
		else
			nlmsg_free(msg);
	}
	msg = request(op, VSAMP_A_EVENT);
	n = nla_nest_start(msg, VSAMP_A_EVENT | NLA_F_NESTED);
	put_event_attrs(msg, op, 0);
	put_len(msg, VSAMP_EVENT_A_MAX + 1, 4);
	nla_nest_end(msg, n);
	refused(op, msg, -1, false, "unknown attribute in an event", "an");
}

/* The replies hold what is specified, of the specified size, and nothing else */
struct reply {
	const struct spec_op *op;
	int messages, wrong;
	bool seen[VSAMP_A_MAX + 1];
};

static void check_reply(struct nlattr *attrs, int len, void *arg)
{
	struct reply *r = arg;
	struct nlattr *a;
	int rem;

	r->messages++;
	nla_for_each_attr(a, attrs, len, rem) {
		const struct spec_attr *spec = attr_of(r->op->set, nla_type(a));
		bool ok = spec && (spec->type == SPEC_PAD || has(r->op->reply, nla_type(a)));

		if (ok && size_of(spec->type))
			ok = nla_len(a) == size_of(spec->type);
		if (ok && spec->type == SPEC_FLAG)
			ok = nla_len(a) == 0;
		if (ok && spec->type == SPEC_STRING)
			ok = nla_len(a) > 0 && ((char *)nla_data(a))[nla_len(a) - 1] == 0;
		if (!ok) {
			ksft_print_msg("attribute %d of %d bytes\n", nla_type(a), nla_len(a));
			r->wrong++;
		} else {
			r->seen[nla_type(a)] = true;
		}
	}
}

static void test_reply(const struct spec_op *op)
{
	struct reply r = { .op = op };
	const int *n;
	int ret = client_dump(&client, request(op, 0), check_reply, &r);

	ksft_test_result(!ret && r.messages == (gpu ? 1 : cpus_online()),
			 "%s: has a message a %s\n", op->name, gpu ? "GPU" : "CPU");
	ksft_test_result(!r.wrong, "%s: replies hold what is specified\n", op->name);
	for (n = op->reply; *n; n++) {
		/* only said of a virtual CPU, and of a session that has ended */
		if (*n == VSAMP_A_HYPERVISOR || *n == VSAMP_A_END_REASON)
			continue;
		ksft_test_result(r.seen[*n], "%s: replies hold %s\n", op->name,
				 attr_of(op->set, *n)->name);
	}
}

/* The same of a GPU's stream; there is no more to be said of other commands after its end */
static void test_stream_ended(const struct spec_op *op)
{
	int ret;

	if (op->number == VSAMP_CMD_GPU_START)
		session_command(&watcher, VSAMP_CMD_GPU_START, session);
	session_command(&watcher, VSAMP_CMD_GPU_STOP, session);
	if (op->number == VSAMP_CMD_GPU_STATS_GET || op->number == VSAMP_CMD_GPU_GET) {
		ret = run(op, request(op, 0));
		ksft_test_result(!ret, "%s: is accepted after the end\n", op->name);
	} else if (op->number != VSAMP_CMD_GPU_CONFIGURE) {
		refused(op, request(op, 0), -1, false, "after the end", "");
	}
}

/* What only the driver itself can say no to */
static void test_gpu_configure(const struct spec_op *op)
{
	const struct vsamp_gpu_reg odd = { 0x2741, 0 }, foreign = { 0xa188, 1 };
	const struct {
		int attr, size;
		const void *value;
		const char *what;
	} bad[] = {
		{ VSAMP_A_GPU, 4, &(uint32_t){ gpu_number + 1 }, "that is not bound" },
		{ VSAMP_A_GPU_FORMAT, 4, &(uint32_t){ 31 }, "that it doesn't make" },
		{ VSAMP_A_GPU_BUFFER, 4, &(uint32_t){ 3 << 17 }, "that is no power of two" },
		{ VSAMP_A_RING_SIZE, 4, &(uint32_t){ 3 << 14 }, "that is no power of two" },
		{ VSAMP_A_GPU_REGS, sizeof(odd), &odd, "at an odd address" },
		{ VSAMP_A_GPU_REGS, sizeof(foreign), &foreign, "that is forcewake's" },
	};
	static const int needed[] = { VSAMP_A_GPU, VSAMP_A_GPU_FORMAT, VSAMP_A_GPU_EXPONENT };
	int i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct nl_msg *msg = request(op, bad[i].attr);

		nla_put(msg, bad[i].attr, bad[i].size, bad[i].value);
		refused(op, msg, bad[i].attr, false, bad[i].what,
			attr_of(op->set, bad[i].attr)->name);
	}
	for (i = 0; i < 3; i++)
		refused(op, request(op, needed[i]), -1, false, "missing",
			attr_of(op->set, needed[i])->name);
}

/* After the session's end its statistics remain, and nothing else can be done with it */
static void test_ended(const struct spec_op *op)
{
	int ret;

	session_command(&watcher, VSAMP_CMD_STOP, session);
	if (op->number == VSAMP_CMD_STATS_GET || op->number == VSAMP_CMD_CAPS_GET) {
		ret = run(op, request(op, 0));
		ksft_test_result(!ret, "%s: is accepted after the end\n", op->name);
	} else if (op->number != VSAMP_CMD_CONFIGURE) {
		if (op->number == VSAMP_CMD_START)
			session_command(&watcher, VSAMP_CMD_START, session);
		session_command(&watcher, VSAMP_CMD_STOP, session);
		refused(op, request(op, 0), -1, false, "after the end", "");
	}
}

static void test_op(const struct spec_op *op)
{
	const int *n;

	if (gpu)
		prepare_stream(op);
	else
		prepare(op);
	test_message(op);
	test_strangers(op);
	for (n = op->request; *n; n++)
		test_attr(op, attr_of(op->set, *n), false);
	if (has(op->request, VSAMP_A_SESSION_FD))
		test_session_fd(op);
	if (has(op->request, VSAMP_A_EVENT))
		test_event(op);
	if (op->number == VSAMP_CMD_GPU_CONFIGURE)
		test_gpu_configure(op);
	if (op->dump)
		test_reply(op);
	ksft_test_result(!run(op, request(op, 0)), "%s: as specified is accepted\n", op->name);
	if (gpu)
		test_stream_ended(op);
	else
		test_ended(op);
}

static void test_unknown_command(int number)
{
	struct spec_op op = spec_ops[0];

	op.name = "no command";
	op.number = number;
	op.dump = false;
	refused(&op, client_request(&client, number, 0), -1, true, number ? "beyond the last" : "0",
		"number");
}

static void take_number(struct nlattr *attrs, int len, void *number)
{
	struct nlattr *a = nla_find(attrs, len, VSAMP_A_GPU);

	if (a)
		*(uint32_t *)number = nla_get_u32(a);
}

static void file_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		ksft_exit_fail_msg("%s: cannot be written\n", path);
	close(fd);
}

static void gpu_bind(void)
{
	file_write(DEVICE "/driver_override", VSAMP_GPU_DRIVER);
	file_write("/sys/bus/pci/drivers/" VSAMP_GPU_DRIVER "/bind", GPU);
	client_dump(&watcher, client_request(&watcher, VSAMP_CMD_GPU_GET, 0), take_number,
		    &gpu_number);
}

int main(void)
{
	const struct spec_op *op;

	ksft_print_header();
	if (client_open(&client) || client_open(&watcher))
		ksft_exit_fail_msg("no family %s: is the module loaded?\n", VSAMP_GENL_NAME);
	gpu = !access(DEVICE, F_OK);
	if (gpu)
		gpu_bind();
	for (op = spec_ops; op->name; op++)
		if (!strncmp(op->name, "gpu-", 4) == gpu)
			test_op(op);
	test_unknown_command(0);
	test_unknown_command(VSAMP_CMD_MAX + 1);
	test_unknown_command(255);
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
