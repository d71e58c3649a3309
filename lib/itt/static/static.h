/* SPDX-License-Identifier: MIT */
/* static.h: what the files of the static part share */
#ifndef STATIC_H
#define STATIC_H

#include "itt_global.h"

#pragma GCC visibility push(hidden)

#define LOAD(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define STORE(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)

extern struct itt_global __itt_static_global;

/* The collector's path: @given, or else that of the environment; NULL: there is none */
const char *__itt_static_library(const char *given);

/* What creates without a collector: __itt_X_own */
#define ITT_V(group, name, parameters, arguments)
#define ITT_VD(group, name, parameters, arguments)
#define ITT_ALIAS(group, name, listed, parameters, arguments)
#define ITT_R(group, type, name, parameters, arguments)
#define ITT_VARIADIC(group, name, parameters)
#define ITT_VS(group, name, parameters, arguments)	 void __itt_##name##_own parameters;
#define ITT_RS(group, type, name, parameters, arguments) type __itt_##name##_own parameters;
#include "ittnotify_calls.h"

#pragma GCC visibility pop

#endif
