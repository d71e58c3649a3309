// SPDX-License-Identifier: MIT
/* A library that is nothing but 768 KiB of bytes which are no address */
char other_data[768 << 10] = { [0 ...(768 << 10) - 1] = 0x5a };
