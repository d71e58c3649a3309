// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vsamp.h>
#include <vsamp/holder.h>

static const struct {
	const char *link; /* what an fd of it links to */
	enum vsamp_holder_kind kind;
} held[] = {
	{ "anon_inode:[perf_event]", VSAMP_HOLDER_PERF },
	{ "anon_inode:kvm-vm", VSAMP_HOLDER_KVM },
	{ VSAMP_DEVICE, VSAMP_HOLDER_VSAMP },
};

static void file_first_line(int dir, const char *name, char *out, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

/* Kinds of what the process has open, as bits */
static unsigned int process_holds(int dir)
{
	int fd = openat(dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *fds = fd < 0 ? NULL : fdopendir(fd);
	unsigned int kinds = 0;
	struct dirent *d;

	if (!fds) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((d = readdir(fds))) {
		char link[64];
		ssize_t n = readlinkat(fd, d->d_name, link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = '\0';
		for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
			if (!strcmp(link, held[i].link))
				kinds |= 1U << held[i].kind;
	}
	closedir(fds);
	/* A session's sideband is perf events that hold no counter */
	if (kinds & 1U << VSAMP_HOLDER_VSAMP)
		kinds = 1U << VSAMP_HOLDER_VSAMP;
	return kinds;
}

static void holder_add(struct vsamp_holder *holders, size_t max, size_t *n,
		       enum vsamp_holder_kind kind, pid_t pid, int dir)
{
	if (*n < max) {
		struct vsamp_holder *h = &holders[*n];

		*h = (struct vsamp_holder){ .kind = kind, .pid = pid };
		if (pid)
			file_first_line(dir, "comm", h->comm, sizeof(h->comm));
	}
	(*n)++;
}

size_t vsamp_holders_find(const char *proc, struct vsamp_holder *holders, size_t max)
{
	DIR *dir = opendir(proc);
	struct dirent *d;
	char word[16];
	size_t n = 0;

	if (!dir)
		return 0;
	file_first_line(dirfd(dir), "sys/kernel/nmi_watchdog", word, sizeof(word));
	if (!strcmp(word, "1"))
		holder_add(holders, max, &n, VSAMP_HOLDER_WATCHDOG, 0, -1);
	while ((d = readdir(dir))) {
		pid_t pid = atoi(d->d_name);
		unsigned int kinds;
		int fd;

		if (!isdigit((unsigned char)d->d_name[0]) || pid == getpid())
			continue;
		fd = openat(dirfd(dir), d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue;
		kinds = process_holds(fd);
		for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
			if (kinds >> held[i].kind & 1)
				holder_add(holders, max, &n, held[i].kind, pid, fd);
		close(fd);
	}
	closedir(dir);
	return n;
}

void vsamp_holder_text(const struct vsamp_holder *h, char *out, size_t size)
{
	static const char *const what[] = {
		[VSAMP_HOLDER_NONE] = "nobody",
		[VSAMP_HOLDER_WATCHDOG] = "the NMI watchdog",
		[VSAMP_HOLDER_PERF] = "a perf event",
		[VSAMP_HOLDER_KVM] = "a virtual machine",
		[VSAMP_HOLDER_VSAMP] = "another vsamp session",
	};

	if (h->pid)
		snprintf(out, size, "%s of %s (pid %d)", what[h->kind], h->comm, (int)h->pid);
	else
		snprintf(out, size, "%s", what[h->kind]);
}
