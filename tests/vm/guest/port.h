/* SPDX-License-Identifier: MIT */
/*
 * How a guest's bytes get to QEMU without a driver and without interrupts: on x86 by its debug
 * ports, on arm64 by semihosting, which writes to files in QEMU's working directory. The names and
 * numbers are as in tests/vm/run.
 */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <string.h>

enum port { PORT_OUT, PORT_ERR, PORT_RESULT };

#ifdef __x86_64__

#include <sys/io.h>

static inline int port_open(void)
{
	return iopl(3);
}

/* What is run can't use the ports */
static inline void port_close(void)
{
	iopl(0);
}

static inline void port_write(enum port port, const char *data, size_t size)
{
	static const unsigned short number[] = { 0xe9, 0xea, 0xeb };

	outsb(number[port], data, size);
}

static inline void port_end(void)
{
	outb(0, 0x501);
}

#else /* arm64 */

#include <stdint.h>

#define SEMIHOSTING_OPEN  0x01
#define SEMIHOSTING_WRITE 0x05
#define SEMIHOSTING_SEEK  0x0a
#define SEMIHOSTING_FLEN  0x0c
#define SEMIHOSTING_EXIT  0x18

static intptr_t port_file[3];

static inline intptr_t semihosting(uintptr_t operation, const uintptr_t *arguments)
{
	register uintptr_t x0 __asm__("x0") = operation;
	register const uintptr_t *x1 __asm__("x1") = arguments;

	__asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
	return x0;
}

/* To append, which QEMU 7.2 doesn't by itself. Pipes have no length. */
static inline intptr_t port_open_file(const char *name, size_t length)
{
	intptr_t file = semihosting(SEMIHOSTING_OPEN, (uintptr_t[]){ (uintptr_t)name, 8, length });
	intptr_t end = semihosting(SEMIHOSTING_FLEN, (uintptr_t[]){ file });

	if (end > 0)
		semihosting(SEMIHOSTING_SEEK, (uintptr_t[]){ file, end });
	return file;
}

static inline int port_open(void)
{
	/* on the stack, since QEMU finds only what is in memory already */
	const char names[3][8] = { "out", "err", "result" };

	for (int i = 0; i < 3; i++) {
		port_file[i] = port_open_file(names[i], strlen(names[i]));
		if (port_file[i] < 0)
			return -1;
	}
	return 0;
}

static inline void port_close(void)
{
}

static inline void port_write(enum port port, const char *data, size_t size)
{
	semihosting(SEMIHOSTING_WRITE, (uintptr_t[]){ port_file[port], (uintptr_t)data, size });
}

static inline void port_end(void)
{
	/* "the application exited", with status 0 */
	semihosting(SEMIHOSTING_EXIT, (uintptr_t[]){ 0x20026, 0 });
}

#endif

#endif
