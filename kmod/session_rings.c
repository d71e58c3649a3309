// SPDX-License-Identifier: GPL-2.0
/*
 * A session's rings, one for each of its CPUs, and the memory that all rings together may have
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "ring.h"
#include "session.h"

static unsigned long ring_mb_max;
module_param(ring_mb_max, ulong, 0644);
MODULE_PARM_DESC(ring_mb_max, "memory of all rings together, MB (0: a quarter of the machine's)");

static unsigned long session_ring_pages;	/* of all sessions */

static unsigned long session_pages_of_ring(const struct session *session)
{
	const struct session_config *config = &session->config;
	u32 stacks = config->stacks ? ring_stacks_size(config->stack_depth) : 0;

	return (config->ring_size >> PAGE_SHIFT) + 1 + DIV_ROUND_UP(stacks, PAGE_SIZE);
}

static bool session_ring_fits(unsigned long pages)
{
	unsigned long max = ring_mb_max << (20 - PAGE_SHIFT);

	if (!ring_mb_max)
		max = totalram_pages() / 4;
	return session_ring_pages + pages <= max;
}

/* Memory for rings that are not a session's, from what all have together; whether it's to be had */
bool session_pages_take(unsigned long pages)
{
	bool fits;

	session_lock();
	cpus_read_lock();
	fits = session_ring_fits(pages);
	if (fits)
		session_ring_pages += pages;
	cpus_read_unlock();
	session_unlock();
	return fits;
}

void session_pages_give(unsigned long pages)
{
	session_lock();
	cpus_read_lock();
	session_ring_pages -= pages;
	cpus_read_unlock();
	session_unlock();
}

static void session_remove_cpu(struct session *session, int cpu)
{
	ring_free(session->cpu[cpu]->ring);
	kfree(session->cpu[cpu]);
	session->cpu[cpu] = NULL;
	session_ring_pages -= session_pages_of_ring(session);
}

static struct ring *session_alloc_ring(struct session *session, int cpu)
{
	const struct session_config *config = &session->config;
	struct ring *ring;

	ring = ring_alloc(cpu, config->ring_size, config->watermark, &session->wait);
	if (!ring)
		return NULL;
	if (config->stacks && ring_alloc_stacks(ring, config->stacks, config->stack_depth)) {
		ring_free(ring);
		return NULL;
	}
	ring->mute = !config->samples;
	return ring;
}

/* session_add_cpu() - give a CPU its ring, if it has none yet; under the locks of a start */
int session_add_cpu(struct session *session, int cpu, struct netlink_ext_ack *extack)
{
	struct session_cpu *sc;

	if (session->cpu[cpu])
		return 0;
	if (!session_ring_fits(session_pages_of_ring(session))) {
		NL_SET_ERR_MSG(extack,
			       "the rings would be larger than the module's parameter ring_mb_max allows");
		return -ENOMEM;
	}
	sc = kzalloc(sizeof(*sc), GFP_KERNEL_ACCOUNT);
	if (!sc)
		goto err_memory;
	sc->ring = session_alloc_ring(session, cpu);
	if (!sc->ring)
		goto err_memory;
	session_ring_pages += session_pages_of_ring(session);
	smp_store_release(&session->cpu[cpu], sc);	/* whole, see session_cpu() */
	return 0;

err_memory:
	kfree(sc);
	NL_SET_ERR_MSG_FMT(extack, "no memory for the ring of CPU %d", cpu);
	return -ENOMEM;
}

/* Nobody may use a ring; a refused start gives them back */
void session_remove_cpus(struct session *session)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (session->cpu[cpu])
			session_remove_cpu(session, cpu);
}

/* For mmap and poll, which hold no lock: once it has started, a session's rings stay */
struct session_cpu *session_cpu(struct session *session, unsigned long cpu)
{
	/* pairs with session_set_state(), and with session_add_cpu() for a CPU that came later */
	if (cpu >= nr_cpu_ids || smp_load_acquire(&session->state) < VSAMP_SESSION_RUNNING)
		return NULL;
	return smp_load_acquire(&session->cpu[cpu]);	/* likewise */
}
