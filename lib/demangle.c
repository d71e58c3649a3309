// SPDX-License-Identifier: MIT
/*
 * demangle.c: C++ and Rust names, by the demanglers of GCC
 *
 * They are part of libiberty and are linked in, which their licences allow: LICENSES/README. A short
 * name can stand for a huge one, so what is written is bounded. Nesting is by libiberty.
 */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "demangle.h"

#define PLT	       "@plt" /* behind the name of what a stub calls */
#define NAME_MAX_BYTES 8192   /* more are nested too deeply for libiberty anyway */

struct text {
	char *out;
	size_t size;
	jmp_buf full;
};

/*
 * The demanglers know no way to stop them. A jump leaks at most the letters of one Rust name, if
 * they are beyond ASCII.
 */
static void take(const char *part, size_t size, void *arg)
{
	struct text *t = arg;

	if (size >= DEMANGLE_MAX - t->size)
		longjmp(t->full, 1);
	if (size)
		memcpy(t->out + t->size, part, size);
	t->size += size;
}

bool demangle_wanted(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

bool demangle(const char *name, char *out)
{
	struct text t = { .out = out };
	char stub[NAME_MAX_BYTES];
	size_t size = strlen(name);
	bool plt = size > strlen(PLT) && !strcmp(name + size - strlen(PLT), PLT);

	if (!demangle_wanted(name) || size >= sizeof(stub) || setjmp(t.full))
		return false;
	memcpy(stub, name, size + 1);
	if (plt)
		stub[size - strlen(PLT)] = '\0';
	/* Rust's older names look like those of C++ */
	if (!rust_demangle_callback(stub, DMGL_PARAMS | DMGL_ANSI, take, &t)) {
		t.size = 0;
		if (!cplus_demangle_v3_callback(stub, DMGL_PARAMS | DMGL_ANSI, take, &t))
			return false;
	}
	if (plt)
		take(PLT, strlen(PLT), &t);
	out[t.size] = '\0';
	return t.size;
}
