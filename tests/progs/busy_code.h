/* SPDX-License-Identifier: MIT */
/* busy_code.h: code that programs spend their time in: a few places of a few functions, mostly */
#ifndef BUSY_CODE_H
#define BUSY_CODE_H

#include <stddef.h>
#include <stdint.h>

/* What a seed makes is always the same */
static inline uint64_t busy_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 <= x < 1 */
static inline double busy_fraction(uint64_t *state)
{
	return (double)(busy_random(state) >> 11) * 0x1p-53;
}

struct busy_function {
	uint64_t start, size;
};

/* The n-th of the functions is taken n times less often than the first */
struct busy_code {
	struct busy_function *function;
	double *until; /* by function: how often it or one before it is taken; the last: 1 */
	size_t count;
};

struct busy_module {
	const char *path;
	uint8_t id[20];
	uint64_t start, offset, size; /* of the code, as linked; in the file */
	struct busy_code code;	      /* its functions, as linked */
};

/* Takes a function in, with which only that of busy_code_ready() is still to come */
void busy_code_add(struct busy_code *c, uint64_t start, uint64_t size);

/* Puts the functions in an order that has nothing to do with their addresses */
void busy_code_ready(struct busy_code *c, uint64_t *state);

/* A function by chance; an address in it, mostly one of a few */
const struct busy_function *busy_code_function(const struct busy_code *c, uint64_t *state);
uint64_t busy_code_place(const struct busy_function *f, uint64_t *state);

/* The functions of an ELF file. Ends the program with a message if there are none */
void busy_module_read(struct busy_module *m, const char *path, uint64_t *state);

#endif
