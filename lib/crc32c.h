/* SPDX-License-Identifier: MIT */
/* crc32c.h: CRC-32C (Castagnoli), as iSCSI has it (RFC 3720) */
#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues @crc over @size bytes; the first call passes 0. Thread-safe. */
uint32_t crc32c(uint32_t crc, const void *data, size_t size);

/* The same, as it is done where no instruction does it */
uint32_t crc32c_by_tables(uint32_t crc, const void *data, size_t size);

#endif
