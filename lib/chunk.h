/* SPDX-License-Identifier: MIT */
/* chunk.h: the bytes of a .vsamp file, as docs/file-format.md tells */
#ifndef CHUNK_H
#define CHUNK_H

#include <endian.h>
#include <stdint.h>

#include <vsamp/file.h>

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN,
	       "files are little-endian, and so written as they are");

#define FILE_MAGIC   "\x89VSAMP\r\n"
#define FILE_VERSION 1

struct file_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t size; /* of this header */
	uint32_t reserved[3];
	uint32_t crc; /* CRC-32C of the bytes before it */
};

#define CHUNK_ITT_MAX (256U << 10) /* many threads have one in memory at a time */

#define CHUNK_ZSTD    (1U << 0) /* flags: the payload is one zstd frame */

struct chunk_header {
	uint32_t crc; /* CRC-32C of the rest of the header and of the payload as stored */
	uint16_t type;
	uint16_t flags;
	uint32_t cpu;	/* VSAMP_CPU_NONE: of no CPU */
	uint32_t count; /* records in it */
	uint32_t raw_size;
	uint32_t size; /* of the payload as stored */
	uint64_t time_min;
	uint64_t time_max;
};

_Static_assert(sizeof(struct file_header) == 32, "no padding");
_Static_assert(sizeof(struct chunk_header) == 40, "no padding");

/* Largest decompressed payload of a type, 0 for a type that this version doesn't know */
static inline uint32_t chunk_raw_max(uint16_t type)
{
	switch (type) {
	case VSAMP_CHUNK_META:
	case VSAMP_CHUNK_END:
	case VSAMP_CHUNK_RUN:
		return 4U << 20;
	case VSAMP_CHUNK_RECORDS:
	case VSAMP_CHUNK_SIDEBAND:
	case VSAMP_CHUNK_TRACK:
		return 1U << 20;
	case VSAMP_CHUNK_ITT:
		return CHUNK_ITT_MAX;
	case VSAMP_CHUNK_KALLSYMS:
		return 64U << 20;
	}
	return 0;
}

#endif
