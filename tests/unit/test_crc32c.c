// SPDX-License-Identifier: MIT
/* CRC-32C against the examples of RFC 3720, B.4 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "crc32c.h"

static void test_zeros(void **state)
{
	uint8_t data[32] = { 0 };

	assert_int_equal(crc32c(0, data, 32), 0x8a9136aa);
}

static void test_ones(void **state)
{
	uint8_t data[32];

	memset(data, 0xff, 32);
	assert_int_equal(crc32c(0, data, 32), 0x62a8ab43);
}

static void test_rising(void **state)
{
	uint8_t data[32];

	for (int i = 0; i < 32; i++)
		data[i] = i;
	assert_int_equal(crc32c(0, data, 32), 0x46dd794e);
}

static void test_falling(void **state)
{
	uint8_t data[32];

	for (int i = 0; i < 32; i++)
		data[i] = 31 - i;
	assert_int_equal(crc32c(0, data, 32), 0x113fdb5c);
}

/* A SCSI Read (10) command */
static void test_read10(void **state)
{
	static const uint8_t data[48] = {
		0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0,	0, 0, 0, 0,
		0x14, 0,    0, 0, 0, 0, 4, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
		0x28, 0,    0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0,	0, 0, 0, 0,
	};

	assert_int_equal(crc32c(0, data, 48), 0xd9963a56);
}

/* Catalogues of CRCs give this one for "123456789"; and in pieces of any size it is the same */
static void test_pieces(void **state)
{
	const char *text = "123456789";

	for (size_t cut = 0; cut <= 9; cut++)
		assert_int_equal(crc32c(crc32c(0, text, cut), text + cut, 9 - cut), 0xe3069283);
}

/* Both ways, from any place, any number of bytes */
static void test_tables(void **state)
{
	uint8_t data[100];

	for (int i = 0; i < 100; i++)
		data[i] = i * i;
	assert_int_equal(crc32c_by_tables(0, "123456789", 9), 0xe3069283);
	for (size_t from = 0; from < 9; from++)
		for (size_t size = 0; size <= 91; size++)
			assert_int_equal(crc32c(7, data + from, size),
					 crc32c_by_tables(7, data + from, size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeros),  cmocka_unit_test(test_ones),
		cmocka_unit_test(test_rising), cmocka_unit_test(test_falling),
		cmocka_unit_test(test_read10), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
