// SPDX-License-Identifier: MIT
/*
 * Streams of the emulated GPU: tests/vm/README.md says what it does, and what each report holds. It
 * tells a hash of all its registers, so that a test can see whether all were given back.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "session.h"

#include "harness.h"

#include "../vm/gpu/load.h"

#define GPU    "0000:00:02.0"
#define DEVICE "/sys/bus/pci/devices/" GPU
#define DRIVER "/sys/bus/pci/drivers/" VSAMP_GPU_DRIVER

/* Of the model's own registers */
enum { FAULT = 1, MADE, DROPPED, DMA_ERRORS, ASLEEP, HASH, AHEAD };
enum { FAULT_OVERFLOW = 3, FAULT_LOST, FAULT_NO_ACK = 7 };

static volatile uint32_t *model(void)
{
	static volatile uint32_t *reg;
	int fd;

	if (reg)
		return reg;
	fd = open(DEVICE "/resource4", O_RDWR | O_SYNC);
	reg = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (reg == MAP_FAILED)
		exit(KSFT_FAIL);
	close(fd);
	return reg;
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int err = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

static int gpu_bind(void)
{
	int err = put(DEVICE "/driver_override", VSAMP_GPU_DRIVER);

	return err ?: put(DRIVER "/bind", GPU);
}

/* GPU_GET */

struct gpu {
	int messages;
	uint32_t number, id, unit, formats, slices, subslices, eus;
	uint64_t hz;
	bool busy;
	char name[32];
};

static void take_gpu(struct nlattr *attrs, int len, void *arg)
{
	struct gpu *gpu = arg;
	struct nlattr *a;
	int rest;

	gpu->messages++;
	nla_for_each_attr(a, attrs, len, rest) {
		switch (nla_type(a)) {
		case VSAMP_A_GPU:
			gpu->number = nla_get_u32(a);
			break;
		case VSAMP_A_GPU_NAME:
			snprintf(gpu->name, sizeof(gpu->name), "%s", nla_get_string(a));
			break;
		case VSAMP_A_GPU_ID:
			gpu->id = nla_get_u32(a);
			break;
		case VSAMP_A_GPU_UNIT:
			gpu->unit = nla_get_u32(a);
			break;
		case VSAMP_A_GPU_FORMATS:
			gpu->formats = nla_get_u32(a);
			break;
		case VSAMP_A_GPU_SLICES:
			gpu->slices = nla_get_u32(a);
			break;
		case VSAMP_A_GPU_SUBSLICES:
			gpu->subslices = nla_get_u32(a);
			break;
		case VSAMP_A_GPU_EUS:
			gpu->eus = nla_get_u32(a);
			break;
		case VSAMP_A_GPU_HZ:
			gpu->hz = nla_get_u64(a);
			break;
		case VSAMP_A_GPU_BUSY:
			gpu->busy = true;
			break;
		}
	}
}

static struct gpu gpu_get(struct client *c)
{
	struct gpu gpu = { 0 };

	client_dump(c, client_request(c, VSAMP_CMD_GPU_GET, 0), take_gpu, &gpu);
	return gpu;
}

/* GPU_STATS_GET */

struct gpu_stats {
	uint64_t produced, written, lost, gpu_lost;
	uint32_t state, reason;
};

static void take_gpu_stats(struct nlattr *attrs, int len, void *arg)
{
	struct gpu_stats *s = arg;
	struct nlattr *a;
	int rest;

	nla_for_each_attr(a, attrs, len, rest) {
		switch (nla_type(a)) {
		case VSAMP_A_PRODUCED:
			s->produced = nla_get_u64(a);
			break;
		case VSAMP_A_WRITTEN:
			s->written = nla_get_u64(a);
			break;
		case VSAMP_A_LOST:
			s->lost = nla_get_u64(a);
			break;
		case VSAMP_A_GPU_LOST:
			s->gpu_lost = nla_get_u64(a);
			break;
		case VSAMP_A_STATE:
			s->state = nla_get_u32(a);
			break;
		case VSAMP_A_END_REASON:
			s->reason = nla_get_u32(a);
			break;
		}
	}
}

/* What a stream's ring held */
struct taken {
	uint64_t records, reports, spacing, wrong, ring_lost;
	uint64_t holes, hole_wrong, gpu_lost, flags;
	uint64_t pairs, pair_wrong, clocks, states;
	uint32_t first, last; /* timestamps of reports */
	uint64_t rest;	      /* lost behind the last of them */
};

FIXTURE(oa)
{
	struct client c;
	struct gpu gpu;
	uint32_t hash;
	int fd;
	uint64_t period;
	struct ring ring;
	struct taken t;
};

static void unmap(FIXTURE_DATA(oa) *self)
{
	if (self->ring.page)
		ring_unmap(&self->ring);
	self->ring.page = NULL;
}

FIXTURE_SETUP(oa)
{
	ASSERT_EQ(0, client_open(&self->c));
	model()[FAULT] = 0;
	model()[AHEAD] = 0;
	self->hash = model()[HASH];
	ASSERT_EQ(0, gpu_bind());
	self->gpu = gpu_get(&self->c);
	self->fd = open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(oa)
{
	unmap(self);
	close(self->fd);
	put(DRIVER "/unbind", GPU);
	EXPECT_EQ(self->hash, model()[HASH]);
	EXPECT_EQ(0, model()[ASLEEP]);
	EXPECT_EQ(0, model()[DMA_ERRORS]);
	client_close(&self->c);
}

struct gpu_config {
	uint32_t exponent, ring_size, buffer;
	const struct vsamp_gpu_reg *regs;
	int n_regs;
};

static int configure(FIXTURE_DATA(oa) *self, const struct gpu_config *config)
{
	struct nl_msg *msg = session_request(&self->c, VSAMP_CMD_GPU_CONFIGURE, self->fd);

	nla_put_u32(msg, VSAMP_A_GPU, self->gpu.number);
	nla_put_u32(msg, VSAMP_A_GPU_FORMAT, VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8);
	nla_put_u32(msg, VSAMP_A_GPU_EXPONENT, config->exponent);
	if (config->ring_size)
		nla_put_u32(msg, VSAMP_A_RING_SIZE, config->ring_size);
	if (config->buffer)
		nla_put_u32(msg, VSAMP_A_GPU_BUFFER, config->buffer);
	if (config->regs)
		nla_put(msg, VSAMP_A_GPU_REGS, config->n_regs * sizeof(*config->regs),
			config->regs);
	self->period = 2ULL << config->exponent;
	return client_do(&self->c, msg);
}

static int start(FIXTURE_DATA(oa) *self, const struct gpu_config *config)
{
	int err = configure(self, config);

	if (!err)
		err = session_command(&self->c, VSAMP_CMD_GPU_START, self->fd);
	return err ?: ring_map(self->fd, 0, &self->ring);
}

static void take_report(FIXTURE_DATA(oa) *self, const struct vsamp_record_oa *r)
{
	struct taken *t = &self->t;
	uint32_t report[64];

	memcpy(report, r->report, sizeof(report));
	if (!t->reports)
		t->first = report[1];
	else if (report[1] - t->last != self->period)
		t->spacing++;
	t->last = report[1];
	t->rest = 0;
	t->wrong += !!load_wrong(report, report[1]);
	t->reports++;
}

/* The model's timestamp is a function of the TSC, which counts ns */
static void take_pair(FIXTURE_DATA(oa) *self, const struct vsamp_record_gpu_clock *r)
{
	int64_t truth = (__int128)r->time * self->gpu.hz / 1000000000;
	int64_t bound = r->bracket / 2 * self->gpu.hz / 1000000000 + 1;
	int64_t error = (int64_t)r->timestamp - truth;

	self->t.pairs++;
	if (error > bound || error < -bound || r->bracket > 10000)
		self->t.pair_wrong++;
}

static void take_record(FIXTURE_DATA(oa) *self, const struct vsamp_record_header *h)
{
	const struct vsamp_record_oa_lost *hole = (const void *)h;
	struct taken *t = &self->t;

	t->records += h->type != VSAMP_RECORD_LOST;
	switch (h->type) {
	case VSAMP_RECORD_OA:
		take_report(self, (const void *)h);
		break;
	case VSAMP_RECORD_OA_LOST:
		t->holes++;
		t->gpu_lost += hole->count;
		t->flags |= h->flags;
		t->hole_wrong += t->reports && hole->from != t->last;
		t->hole_wrong += (hole->to - hole->from) / self->period - hole->count > 1;
		t->rest = hole->count;
		break;
	case VSAMP_RECORD_GPU_CLOCK:
		take_pair(self, (const void *)h);
		break;
	case VSAMP_RECORD_CLOCK:
		t->clocks++;
		break;
	case VSAMP_RECORD_STATE:
		t->states++;
		break;
	case VSAMP_RECORD_LOST:
		t->ring_lost += ((const struct vsamp_record_lost *)h)->count;
		break;
	}
}

static void drain(FIXTURE_DATA(oa) *self)
{
	struct vsamp_ring_page *page = self->ring.page;
	uint64_t head = __atomic_load_n(&page->head, __ATOMIC_ACQUIRE), tail = page->tail;
	const struct vsamp_record_header *h;

	while (tail < head) {
		h = (const void *)(self->ring.data + (tail & (self->ring.size - 1)));
		take_record(self, h);
		tail += h->size;
	}
	__atomic_store_n(&page->tail, tail, __ATOMIC_RELEASE);
}

static void run_for(FIXTURE_DATA(oa) *self, int ms)
{
	for (; ms > 0; ms -= 50) {
		usleep(50000);
		drain(self);
	}
}

static struct gpu_stats stop(FIXTURE_DATA(oa) *self)
{
	struct gpu_stats s = { 0 };

	session_command(&self->c, VSAMP_CMD_GPU_STOP, self->fd);
	drain(self);
	client_dump(&self->c, session_request(&self->c, VSAMP_CMD_GPU_STATS_GET, self->fd),
		    take_gpu_stats, &s);
	return s;
}

TEST_F(oa, what_is_bound_is_told)
{
	EXPECT_EQ(1, self->gpu.messages);
	EXPECT_STREQ(GPU, self->gpu.name);
	EXPECT_FALSE(self->gpu.busy);
	EXPECT_EQ(1U << VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8, self->gpu.formats);
	EXPECT_EQ(1, self->gpu.slices);
	if (self->gpu.id == 0x5912) {
		EXPECT_EQ(7, self->gpu.subslices);
		EXPECT_EQ(23, self->gpu.eus);
		EXPECT_EQ(12000000, self->gpu.hz);
		EXPECT_EQ(VSAMP_GPU_UNIT_GEN9, self->gpu.unit);
	} else {
		EXPECT_EQ(0x9a49, self->gpu.id);
		EXPECT_EQ(0x2f, self->gpu.subslices);
		EXPECT_EQ(70, self->gpu.eus);
		EXPECT_EQ(19200000, self->gpu.hz);
		EXPECT_EQ(VSAMP_GPU_UNIT_OAG, self->gpu.unit);
	}
}

TEST_F(oa, ten_seconds_lose_nothing)
{
	struct gpu_config config = { .exponent = 13, .ring_size = 1 << 22 };
	struct taken *t = &self->t;
	struct gpu_stats s;

	ASSERT_EQ(0, start(self, &config));
	EXPECT_TRUE(gpu_get(&self->c).busy);
	EXPECT_NE(self->hash, model()[HASH]);
	run_for(self, 10000);
	s = stop(self);
	EXPECT_EQ(self->hash, model()[HASH]);
	EXPECT_LE(10 * self->gpu.hz / self->period, t->reports);
	EXPECT_EQ((t->last - t->first) / self->period + 1, t->reports);
	EXPECT_EQ(0, t->spacing);
	EXPECT_EQ(0, t->wrong);
	EXPECT_EQ(0, t->holes);
	EXPECT_EQ(0, s.lost);
	EXPECT_EQ(s.produced, s.written);
	EXPECT_EQ(t->records, s.written);
	EXPECT_LE(11, t->pairs);
	EXPECT_EQ(t->pairs, t->clocks);
	EXPECT_EQ(0, t->pair_wrong);
	EXPECT_EQ(2, t->states);
}

TEST_F(oa, a_tail_ahead_of_memory_brings_nothing_unfinished)
{
	struct gpu_config config = { .exponent = 10 };
	int ahead;

	for (ahead = 1; ahead < 16; ahead += 7) {
		memset(&self->t, 0, sizeof(self->t));
		model()[AHEAD] = ahead;
		ASSERT_EQ(0, start(self, &config));
		run_for(self, 300);
		EXPECT_EQ(0, stop(self).lost);
		EXPECT_LE(3 * self->gpu.hz / self->period / 10, self->t.reports);
		EXPECT_EQ(0, self->t.spacing);
		EXPECT_EQ(0, self->t.wrong);
		unmap(self);
		close(self->fd);
		self->fd = open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC);
	}
}

/* Faster than it's taken: the buffer is full whenever it's looked at, and nothing comes of it */
TEST_F(oa, overflow_is_told_to_the_number)
{
	struct gpu_config config = { .exponent = 5, .ring_size = 1 << 22, .buffer = 1 << 17 };
	struct taken *t = &self->t;
	struct gpu_stats s;

	ASSERT_EQ(0, start(self, &config));
	run_for(self, 100);
	s = stop(self);
	EXPECT_LE(1, t->holes);
	EXPECT_EQ(VSAMP_GPU_LOST_OVERFLOW, t->flags);
	EXPECT_EQ(0, t->wrong + t->hole_wrong + t->ring_lost);
	EXPECT_LE(self->gpu.hz / self->period / 10, t->reports + t->gpu_lost);
	EXPECT_EQ(t->gpu_lost, s.gpu_lost);
	EXPECT_EQ(s.gpu_lost, s.lost);
	EXPECT_EQ(s.produced, s.written + s.lost);
	EXPECT_EQ(t->records, s.written);
}

/* It overflows now and then: each period has its report, or is counted as lost */
TEST_F(oa, overflows_between_reports_are_told_to_the_number)
{
	struct gpu_config config = { .exponent = 12, .ring_size = 1 << 22 };
	struct taken *t = &self->t;
	struct gpu_stats s;

	model()[FAULT] = FAULT_OVERFLOW;
	ASSERT_EQ(0, start(self, &config));
	run_for(self, 600);
	s = stop(self);
	EXPECT_LE(3, t->holes);
	EXPECT_LE(100, t->reports);
	EXPECT_EQ(VSAMP_GPU_LOST_OVERFLOW, t->flags);
	EXPECT_EQ(0, t->wrong + t->hole_wrong + t->ring_lost);
	EXPECT_EQ((t->last - t->first) / self->period + 1 + t->rest, t->reports + t->gpu_lost);
	EXPECT_EQ(t->gpu_lost, s.gpu_lost);
	EXPECT_EQ(s.gpu_lost, s.lost);
}

TEST_F(oa, what_the_gpu_cannot_write_is_told)
{
	struct gpu_config config = { .exponent = 10 };
	uint32_t dropped = model()[DROPPED];
	struct taken *t = &self->t;
	struct gpu_stats s;

	model()[FAULT] = FAULT_LOST;
	ASSERT_EQ(0, start(self, &config));
	run_for(self, 200);
	s = stop(self);
	EXPECT_LE(10, t->holes);
	EXPECT_EQ(t->holes, t->gpu_lost);
	EXPECT_EQ(model()[DROPPED] - dropped, t->gpu_lost);
	EXPECT_EQ((t->last - t->first) / self->period + 1, t->reports + t->gpu_lost);
	EXPECT_EQ(VSAMP_GPU_LOST_REPORT, t->flags);
	EXPECT_EQ(t->gpu_lost, s.lost);
	EXPECT_EQ(0, t->wrong);
}

TEST_F(oa, a_full_ring_is_not_the_gpus_loss)
{
	struct gpu_config config = { .exponent = 10, .ring_size = 1 << 14 };
	struct gpu_stats s;

	ASSERT_EQ(0, start(self, &config));
	usleep(100000);
	s = stop(self);
	EXPECT_EQ(0, s.gpu_lost);
	EXPECT_LE(400, s.lost);
	EXPECT_EQ(s.produced, s.written + s.lost);
	EXPECT_EQ(s.lost, self->t.ring_lost);
	EXPECT_EQ(0, self->t.holes);
}

TEST_F(oa, unbinding_ends_the_stream)
{
	struct gpu_config config = { .exponent = 13 };
	struct pollfd p = { .fd = self->fd };
	struct gpu_stats s;

	ASSERT_EQ(0, start(self, &config));
	run_for(self, 100);
	EXPECT_EQ(0, put(DRIVER "/unbind", GPU));
	EXPECT_EQ(self->hash, model()[HASH]);
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_TRUE(p.revents & POLLHUP);
	s = stop(self);
	EXPECT_EQ(VSAMP_SESSION_ENDED, s.state);
	EXPECT_EQ(VSAMP_END_UNBOUND, s.reason);
	EXPECT_EQ(0, s.lost);
	EXPECT_LE(1, self->t.reports);
	EXPECT_EQ(0, gpu_get(&self->c).messages);
}

/* As far as the kernel's own test of it goes: devices are suspended, and resumed at once */
static int machine_sleep(const char *how)
{
	put("/sys/module/suspend/parameters/pm_test_delay", "0");
	return put("/sys/power/pm_test", "devices") ?: put("/sys/power/state", how);
}

TEST_F(oa, sleep_ends_the_stream)
{
	struct gpu_config config = { .exponent = 13 };
	struct gpu_stats s;

	ASSERT_EQ(0, start(self, &config));
	run_for(self, 100);
	EXPECT_EQ(0, machine_sleep("freeze"));
	EXPECT_EQ(self->hash, model()[HASH]);
	s = stop(self);
	EXPECT_EQ(VSAMP_SESSION_ENDED, s.state);
	EXPECT_EQ(VSAMP_END_SLEEP, s.reason);
	EXPECT_EQ(0, s.lost);
	EXPECT_EQ(0, self->t.spacing + self->t.wrong + self->t.pair_wrong);
	EXPECT_LE(self->gpu.hz / self->period / 10, self->t.reports);
	EXPECT_EQ(2, self->t.states);
	unmap(self);
	close(self->fd);
	self->fd = open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_EQ(0, start(self, &config));
	run_for(self, 50);
	EXPECT_EQ(0, stop(self).lost);
}

/* Minutes a period: there is no report, and none was lost */
TEST_F(oa, the_longest_period)
{
	struct gpu_config config = { .exponent = VSAMP_GPU_EXPONENT_MAX };
	struct gpu_stats s;

	ASSERT_EQ(0, start(self, &config));
	run_for(self, 100);
	s = stop(self);
	EXPECT_EQ(VSAMP_SESSION_ENDED, s.state);
	EXPECT_EQ(0, self->t.reports);
	EXPECT_EQ(0, s.lost);
	EXPECT_EQ(self->t.records, s.written);
	EXPECT_EQ(2, self->t.states);
}

/* Start streams of whatever GPU there is, until killed */
static void start_forever(FIXTURE_DATA(oa) *self, uint32_t *started)
{
	struct gpu_config config = { .exponent = 13, .ring_size = 1 << 14, .buffer = 1 << 17 };

	if (client_open(&self->c))
		_exit(1);
	for (;;) {
		self->fd = open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC);
		self->gpu = gpu_get(&self->c);
		if (!configure(self, &config) &&
		    !session_command(&self->c, VSAMP_CMD_GPU_START, self->fd))
			__atomic_add_fetch(started, 1, __ATOMIC_RELAXED);
		close(self->fd);
	}
}

TEST_F(oa, unbinding_as_streams_start)
{
	uint32_t *started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, 0,
				 0);
	pid_t pid;
	int i;

	ASSERT_NE(MAP_FAILED, (void *)started);
	pid = fork();
	if (!pid)
		start_forever(self, started);
	for (i = 0; i < 10; i++) {
		usleep(5000);
		EXPECT_EQ(0, put(DRIVER "/unbind", GPU));
		EXPECT_EQ(self->hash, model()[HASH]);
		EXPECT_EQ(0, put(DRIVER "/bind", GPU));
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_LE(1, *started);
	EXPECT_EQ(self->hash, model()[HASH]);
}

TEST_F(oa, death_gives_all_back)
{
	struct gpu_config config = { .exponent = 13 };
	int status, ready[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		self->fd = open(VSAMP_GPU_DEVICE, O_RDWR);
		c = start(self, &config);
		if (write(ready[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_EQ(0, c);
	EXPECT_NE(self->hash, model()[HASH]);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	EXPECT_EQ(self->hash, model()[HASH]);
}

/* What a configuration wrote is written back; a register that isn't for it is refused */
TEST_F(oa, registers_are_given_back)
{
	struct vsamp_gpu_reg regs[] = {
		{ self->gpu.id == 0x5912 ? 0x2740 : 0xd940, 0x12345678 },
		{ self->gpu.id == 0x5912 ? 0x2740 : 0xd940, 0x9abcdef0 },
		{ 0xe458, 5 },
	};
	struct gpu_config config = { .exponent = 13, .regs = regs, .n_regs = 3 };
	struct vsamp_gpu_reg bad = { 0xa188, 1 };
	struct gpu_config refused = { .exponent = 13, .regs = &bad, .n_regs = 1 };

	EXPECT_EQ(-EACCES, configure(self, &refused));
	EXPECT_EQ(VSAMP_A_GPU_REGS, self->c.bad_attr);
	EXPECT_NE(NULL, strstr(self->c.text, "0xa188"));
	ASSERT_EQ(0, start(self, &config));
	EXPECT_EQ(-EBADFD, configure(self, &config));
	EXPECT_EQ(-EBADFD, session_command(&self->c, VSAMP_CMD_GPU_START, self->fd));
	stop(self);
	EXPECT_EQ(self->hash, model()[HASH]);
	EXPECT_EQ(-EBADFD, session_command(&self->c, VSAMP_CMD_GPU_STOP, self->fd));
}

TEST_F(oa, one_stream_a_gpu)
{
	struct gpu_config config = { .exponent = 13 };
	int first = self->fd;

	ASSERT_EQ(0, start(self, &config));
	self->fd = open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_EQ(0, configure(self, &config));
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_GPU_START, self->fd));
	unmap(self); /* it keeps the file open */
	close(first);
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_GPU_START, self->fd));
}

TEST(a_gpu_is_bound_by_name_only)
{
	put(DEVICE "/driver_override", "\n");
	EXPECT_EQ(-ENODEV, put(DRIVER "/bind", GPU));
}

TEST(a_gpu_that_does_not_wake_is_refused)
{
	uint32_t hash = model()[HASH];

	model()[FAULT] = FAULT_NO_ACK;
	EXPECT_GT(0, gpu_bind());
	model()[FAULT] = 0;
	EXPECT_EQ(hash, model()[HASH]);
}

/* The module goes, and all is as before; while a stream is open it doesn't */
TEST(the_module_goes)
{
	uint32_t hash = model()[HASH];
	int fd;

	ASSERT_EQ(0, gpu_bind());
	fd = open(VSAMP_GPU_DEVICE, O_RDWR | O_CLOEXEC);
	EXPECT_EQ(-1, syscall(SYS_delete_module, "vsamp", O_NONBLOCK));
	close(fd);
	EXPECT_EQ(0, syscall(SYS_delete_module, "vsamp", O_NONBLOCK));
	EXPECT_EQ(hash, model()[HASH]);
	put(DEVICE "/driver_override", "\n"); /* else it's bound at once */
	fd = open("/vm/vsamp.ko", O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(0, syscall(SYS_finit_module, fd, "", 0));
	close(fd);
}

TEST_HARNESS_MAIN
