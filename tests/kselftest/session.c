// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "insns.h"
#include "session.h"

struct config config_instructions(uint64_t sav)
{
	return (struct config){
		.events = { { CONFIG_INSTRUCTIONS, 0, sav, VSAMP_EVENT_USER, 0 } },
		.n_events = 1,
	};
}

int session_open(void)
{
	int fd = open(VSAMP_DEVICE, O_RDWR | O_CLOEXEC);

	/* cppcheck-suppress resourceLeak */
	return fd < 0 ? -errno : fd;
}

struct nl_msg *session_request(struct client *c, int cmd, int fd)
{
	struct nl_msg *msg = client_request(c, cmd, 0);

	nla_put_u32(msg, VSAMP_A_SESSION_FD, fd);
	return msg;
}

void put_event(struct nl_msg *msg, const struct event *event)
{
	struct nlattr *nest = nla_nest_start(msg, VSAMP_A_EVENT | NLA_F_NESTED);

	nla_put_u64(msg, VSAMP_EVENT_A_CONFIG, event->config);
	if (event->perf)
		nla_put_u32(msg, VSAMP_EVENT_A_TYPE, event->type);
	else
		nla_put_u32(msg, VSAMP_EVENT_A_COUNTER, event->counter);
	nla_put_u64(msg, VSAMP_EVENT_A_SAV, event->sav);
	nla_put_u32(msg, VSAMP_EVENT_A_FLAGS, event->flags);
	if (event->set)
		nla_put_u32(msg, VSAMP_EVENT_A_SET, event->set);
	nla_nest_end(msg, nest);
}

void put_config(struct nl_msg *msg, const struct config *config)
{
	int i;

	nla_put_u32(msg, VSAMP_A_BACKEND, config->backend ? config->backend : VSAMP_BACKEND_INTEL);
	for (i = 0; i < config->n_events; i++)
		put_event(msg, &config->events[i]);
	if (config->cpus)
		nla_put_string(msg, VSAMP_A_CPUS, config->cpus);
	for (i = 0; i < config->n_pids; i++)
		nla_put_u32(msg, VSAMP_A_PID, config->pids[i]);
	for (i = 0; i < config->n_cgroups; i++)
		nla_put_u32(msg, VSAMP_A_CGROUP_FD, config->cgroups[i]);
	if (config->flags)
		nla_put_u32(msg, VSAMP_A_FLAGS, config->flags);
	if (config->ring_size)
		nla_put_u32(msg, VSAMP_A_RING_SIZE, config->ring_size);
	if (config->watermark)
		nla_put_u32(msg, VSAMP_A_WATERMARK, config->watermark);
	if (config->pmi_limit)
		nla_put_u32(msg, VSAMP_A_PMI_LIMIT, config->pmi_limit);
	if (config->set)
		nla_put_u32(msg, VSAMP_A_SET, config->set < 0 ? 0 : config->set);
	if (config->mux_ms)
		nla_put_u32(msg, VSAMP_A_MUX_MS, config->mux_ms);
	if (config->stacks)
		nla_put_u32(msg, VSAMP_A_STACKS, config->stacks);
	if (config->stack_depth)
		nla_put_u32(msg, VSAMP_A_STACK_DEPTH, config->stack_depth);
}

int session_configure(struct client *c, int fd, const struct config *config)
{
	struct nl_msg *msg = session_request(c, VSAMP_CMD_CONFIGURE, fd);

	put_config(msg, config);
	return client_do(c, msg);
}

void put_sav(struct nl_msg *msg, uint32_t event, uint64_t sav, uint32_t flags)
{
	struct nlattr *nest = nla_nest_start(msg, VSAMP_A_EVENT | NLA_F_NESTED);

	nla_put_u32(msg, VSAMP_EVENT_A_INDEX, event);
	nla_put_u64(msg, VSAMP_EVENT_A_SAV, sav);
	if (flags)
		nla_put_u32(msg, VSAMP_EVENT_A_FLAGS, flags);
	nla_nest_end(msg, nest);
}

int session_set_sav(struct client *c, int fd, uint32_t event, uint64_t sav, uint32_t flags)
{
	struct nl_msg *msg = session_request(c, VSAMP_CMD_SAV_SET, fd);

	put_sav(msg, event, sav, flags);
	return client_do(c, msg);
}

int session_command(struct client *c, int cmd, int fd)
{
	return client_do(c, session_request(c, cmd, fd));
}

static void take_event_stats(struct nlattr *nest, struct stats *s, struct cpu_stats *cpu)
{
	struct nlattr *attrs[VSAMP_STATS_A_MAX + 1];
	uint32_t i;

	if (nla_parse_nested(attrs, VSAMP_STATS_A_MAX, nest, NULL) || !attrs[VSAMP_STATS_A_EVENT] ||
	    !attrs[VSAMP_STATS_A_COUNT] || !attrs[VSAMP_STATS_A_SAMPLES])
		return;
	i = nla_get_u32(attrs[VSAMP_STATS_A_EVENT]);
	if (i >= VSAMP_EVENTS_MAX)
		return;
	cpu->count[i] = nla_get_u64(attrs[VSAMP_STATS_A_COUNT]);
	cpu->samples[i] = nla_get_u64(attrs[VSAMP_STATS_A_SAMPLES]);
	if (attrs[VSAMP_STATS_A_ENABLED] && attrs[VSAMP_STATS_A_RUNNING]) {
		cpu->enabled[i] = nla_get_u64(attrs[VSAMP_STATS_A_ENABLED]);
		cpu->running[i] = nla_get_u64(attrs[VSAMP_STATS_A_RUNNING]);
	}
	s->count[i] += cpu->count[i];
	s->samples[i] += cpu->samples[i];
}

void take_stats(struct nlattr *attrs, int len, void *arg)
{
	struct stats *s = arg;
	struct cpu_stats cpu = { .present = true };
	struct nlattr *a;
	uint32_t n = MAX_CPUS;
	int rem;

	nla_for_each_attr(a, attrs, len, rem) {
		switch (nla_type(a)) {
		case VSAMP_A_CPU:
			n = nla_get_u32(a);
			break;
		case VSAMP_A_STATE:
			s->state = nla_get_u32(a);
			break;
		case VSAMP_A_END_REASON:
			s->end_reason = nla_get_u32(a);
			break;
		case VSAMP_A_PRODUCED:
			cpu.produced = nla_get_u64(a);
			break;
		case VSAMP_A_WRITTEN:
			cpu.written = nla_get_u64(a);
			break;
		case VSAMP_A_LOST:
			cpu.lost = nla_get_u64(a);
			break;
		case VSAMP_A_PMIS:
			cpu.pmis = nla_get_u64(a);
			break;
		case VSAMP_A_THROTTLED:
			cpu.throttled = nla_get_u64(a);
			break;
		case VSAMP_A_STATS_EVENT:
			take_event_stats(a, s, &cpu);
			break;
		}
	}
	s->cpus++;
	s->produced += cpu.produced;
	s->written += cpu.written;
	s->lost += cpu.lost;
	s->pmis += cpu.pmis;
	s->throttled += cpu.throttled;
	if (n < MAX_CPUS)
		s->cpu[n] = cpu;
}

int session_stats(struct client *c, int fd, struct stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	return client_dump(c, session_request(c, VSAMP_CMD_STATS_GET, fd), take_stats, stats);
}

int ring_map(int fd, int cpu, struct ring *ring)
{
	void *p = mmap(NULL, sizeof(*ring->page), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       VSAMP_MMAP_CTRL(cpu));

	if (p == MAP_FAILED)
		return -errno;
	ring->page = p;
	ring->size = ring->page->data_size;
	p = mmap(NULL, 2 * ring->size, PROT_READ, MAP_SHARED, fd, VSAMP_MMAP_DATA(cpu));
	if (p == MAP_FAILED) {
		int ret = -errno;

		munmap(ring->page, sizeof(*ring->page));
		return ret;
	}
	ring->data = p;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	munmap((void *)ring->data, 2 * ring->size);
	munmap(ring->page, sizeof(*ring->page));
}

static void take_set(const struct vsamp_record_set *set, struct seen *seen)
{
	uint64_t sum = 0;
	int i;

	if (set->h.event >= VSAMP_EVENTS_MAX || set->enabled < seen->set_enabled ||
	    set->running < seen->set_running[set->h.event]) {
		seen->set_wrong++;
		return;
	}
	seen->set_running[set->h.event] = set->running;
	seen->set_enabled = set->enabled;
	for (i = 0; i < VSAMP_EVENTS_MAX; i++)
		sum += seen->set_running[i];
	seen->set_wrong += sum != set->enabled;
}

static void take_record(const struct vsamp_record_header *h, struct seen *seen, uint64_t *time)
{
	const struct vsamp_record_sample *sample = (const void *)h;
	const struct vsamp_record_lost *lost = (const void *)h;
	const struct vsamp_record_state *state = (const void *)h;

	if (h->type < 16)
		seen->types[h->type]++;
	/* all types have the time at the same place */
	if (lost->time < *time)
		seen->backwards++;
	*time = lost->time;
	if (h->type == VSAMP_RECORD_LOST) {
		seen->lost += lost->count;
		return;
	}
	seen->records++;
	if (h->type == VSAMP_RECORD_SAMPLE && h->event < VSAMP_EVENTS_MAX) {
		if (!seen->first_ip)
			seen->first_ip = sample->ip;
		seen->last_pid = sample->pid;
		seen->samples[h->event]++;
		seen->sav_sum[h->event] += seen->sav[h->event];
	} else if (h->type == VSAMP_RECORD_SAV && h->event < VSAMP_EVENTS_MAX) {
		seen->sav[h->event] = ((const struct vsamp_record_sav *)h)->sav;
	} else if (h->type == VSAMP_RECORD_SET) {
		take_set((const void *)h, seen);
	} else if (h->type == VSAMP_RECORD_STATE && h->event < 10) {
		seen->states[h->event]++;
		if (h->event == VSAMP_STATE_FOREIGN)
			seen->foreign_reg = state->arg;
	}
}

void ring_read(struct ring *ring, struct seen *seen)
{
	uint64_t head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->tail, time = 0;

	while (tail < head) {
		const struct vsamp_record_header *h = (const void *)(ring->data +
								     (tail & (ring->size - 1)));

		if (h->size < sizeof(*h) + 8 || h->size % 8 || h->size > head - tail) {
			seen->malformed++;
			break;
		}
		take_record(h, seen, &time);
		tail += h->size;
	}
	__atomic_store_n(&ring->page->tail, tail, __ATOMIC_RELEASE);
}

void session_read(int fd, struct seen *seen)
{
	struct ring ring;
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (ring_map(fd, cpu, &ring))
			continue;
		ring_read(&ring, seen);
		ring_unmap(&ring);
	}
}

void run_instructions(uint64_t n)
{
	insns_run(n);
}

struct loop loop_prepare(void)
{
	struct loop loop;
	int go[2];

	if (pipe(go))
		abort();
	loop.go = go[1];
	loop.pid = fork();
	if (!loop.pid) {
		char c;

		close(go[1]);
		pin(0);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		execl("./loop", "loop", NULL);
		_exit(127);
	}
	close(go[0]);
	return loop;
}

void loop_go(struct loop *loop)
{
	close(loop->go);
}

bool loop_is_running(struct loop *loop)
{
	return waitpid(loop->pid, NULL, WNOHANG) == 0;
}

int cpus_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

uint64_t msr_read(int cpu, uint32_t reg)
{
	char path[64];
	uint64_t value;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &value, sizeof(value), reg) != sizeof(value))
		value = ~0ULL;
	if (fd >= 0)
		close(fd);
	return value;
}

bool file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n < 0 ? 0 : n] = 0;
	return n >= 0;
}
