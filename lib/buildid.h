/* SPDX-License-Identifier: MIT */
/* buildid.h: build-ids, the names that linkers give to what they made */
#ifndef BUILDID_H
#define BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILDID_MAX 20
#define BUILDID_HEX (2 * BUILDID_MAX + 1)

struct buildid {
	uint8_t size; /* 0 = none */
	uint8_t data[BUILDID_MAX];
};

static inline bool buildid_equal(const struct buildid *a, const struct buildid *b)
{
	return a->size == b->size && !__builtin_memcmp(a->data, b->data, a->size);
}

/* Lower-case hex; "" for none */
const char *buildid_format(const struct buildid *id, char hex[BUILDID_HEX]);

/* Reads hex digits up to the first other character; *end, if not NULL, tells where. 0 or -EINVAL */
int buildid_parse(struct buildid *id, const char *hex, const char **end);

/* Finds the GNU build-id among ELF notes of this machine's byte order. 0 or -ENOENT */
int buildid_from_notes(struct buildid *id, const void *notes, size_t size);

#define KERNEL_NOTES "/sys/kernel/notes" /* of the kernel that runs, for everybody to read */

/* The same from a file of notes, such as this one. 0, -ENOENT, or the error of open(2) */
int buildid_from_notes_file(struct buildid *id, const char *path);

#endif
