// SPDX-License-Identifier: MIT
/* Rings of the module: mapped, as uapi/vsamp.h tells */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring_private.h"

struct module_ring {
	struct vsamp_ring ring;
	struct vsamp_ring_page *page; /* shared with the kernel */
	const char *data;	      /* data_size bytes, twice in a row */
};

static int module_ring_take(struct vsamp_ring *ring, const char **data, uint64_t *size,
			    struct vsamp_error *err)
{
	struct module_ring *r = (struct module_ring *)ring;
	uint64_t head = __atomic_load_n(&r->page->head, __ATOMIC_ACQUIRE);

	if (head - ring->tail > ring->data_size)
		return vsamp_fail(err, -EBADMSG,
				  "ring of CPU %u: head %" PRIu64 " can't follow tail %" PRIu64,
				  ring->cpu, head, ring->tail);
	*data = r->data + (ring->tail & (ring->data_size - 1));
	*size = head - ring->tail;
	return 0;
}

static void module_ring_release(struct vsamp_ring *ring, uint64_t size)
{
	struct module_ring *r = (struct module_ring *)ring;

	/* The page's tail is only told to the kernel, never read */
	__atomic_store_n(&r->page->tail, ring->tail + size, __ATOMIC_RELEASE);
}

static void module_ring_close(struct vsamp_ring *ring)
{
	struct module_ring *r = (struct module_ring *)ring;

	munmap((void *)r->data, 2 * ring->data_size);
	munmap(r->page, sysconf(_SC_PAGESIZE));
	free(r);
}

static const struct ring_ops module_ring_ops = {
	.take = module_ring_take,
	.release = module_ring_release,
	.close = module_ring_close,
};

static int ring_check_page(const struct vsamp_ring *r, uint32_t version, struct vsamp_error *err)
{
	if (version != VSAMP_RING_VERSION)
		return vsamp_fail(
			err, -EPROTO,
			"ring of CPU %u has version %u, this vsamp reads %d: module and command don't match",
			r->cpu, version, VSAMP_RING_VERSION);
	if (r->data_size < VSAMP_RING_SIZE_MIN || r->data_size > VSAMP_RING_SIZE_MAX ||
	    r->data_size & (r->data_size - 1))
		return vsamp_fail(err, -EPROTO, "ring of CPU %u says it has %" PRIu64 " bytes",
				  r->cpu, r->data_size);
	return 0;
}

int vsamp_ring_open(struct vsamp_ring **ring, int fd, uint32_t cpu, struct vsamp_error *err)
{
	struct module_ring *r = calloc(1, sizeof(*r));
	void *map;
	int ret;

	if (!r)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	r->ring.ops = &module_ring_ops;
	r->ring.cpu = cpu;
	map = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   VSAMP_MMAP_CTRL(cpu));
	if (map == MAP_FAILED) {
		ret = vsamp_fail(err, -errno, "ring of CPU %u can't be mapped: %s", cpu,
				 strerror(errno));
		goto err_free;
	}
	r->page = map;
	r->ring.data_size = __atomic_load_n(&r->page->data_size, __ATOMIC_RELAXED);
	ret = ring_check_page(&r->ring, __atomic_load_n(&r->page->version, __ATOMIC_RELAXED), err);
	if (ret)
		goto err_unmap;
	map = mmap(NULL, 2 * r->ring.data_size, PROT_READ, MAP_SHARED, fd, VSAMP_MMAP_DATA(cpu));
	if (map == MAP_FAILED) {
		ret = vsamp_fail(err, -errno, "data of CPU %u's ring can't be mapped: %s", cpu,
				 strerror(errno));
		goto err_unmap;
	}
	r->data = map;
	r->ring.tail = __atomic_load_n(&r->page->tail, __ATOMIC_RELAXED);
	*ring = &r->ring;
	return 0;

err_unmap:
	munmap(r->page, sysconf(_SC_PAGESIZE));
err_free:
	free(r);
	return ret;
}
