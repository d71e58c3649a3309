// SPDX-License-Identifier: MIT
/* crc32c.c: CRC-32C, eight bytes a step: by the processor's instruction, or else by tables */
#include <pthread.h>
#include <string.h>

#include "crc32c.h"

#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void table_fill(void)
{
	for (int i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[0][i] = crc;
	}
	for (int step = 1; step < 8; step++)
		for (int i = 0; i < 256; i++)
			table[step][i] = table[step - 1][i] >> 8 ^
					 table[0][table[step - 1][i] & 0xff];
}

uint32_t crc32c_by_tables(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;

	pthread_once(&table_once, table_fill);
	crc = ~crc;
	for (; size >= 8; p += 8, size -= 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		v ^= crc;
		crc = table[7][v & 0xff] ^ table[6][v >> 8 & 0xff] ^ table[5][v >> 16 & 0xff] ^
		      table[4][v >> 24 & 0xff] ^ table[3][v >> 32 & 0xff] ^
		      table[2][v >> 40 & 0xff] ^ table[1][v >> 48 & 0xff] ^ table[0][v >> 56];
	}
	while (size--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xff];
	return ~crc;
}

#ifdef __x86_64__
static __attribute__((target("sse4.2"))) uint32_t by_instruction(uint32_t crc, const uint8_t *p,
								 size_t size)
{
	uint64_t sum = ~crc & UINT32_MAX;

	for (; size >= 8; p += 8, size -= 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		sum = __builtin_ia32_crc32di(sum, v);
	}
	while (size--)
		sum = __builtin_ia32_crc32qi(sum, *p++);
	return ~(uint32_t)sum;
}

uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
	return __builtin_cpu_supports("sse4.2") ? by_instruction(crc, data, size) :
						  crc32c_by_tables(crc, data, size);
}
#else
uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
	return crc32c_by_tables(crc, data, size);
}
#endif
