/* SPDX-License-Identifier: MIT */
/*
 * vsamp/error.h: how the library says what went wrong
 *
 * Functions that can fail return 0 or a negative errno value, and fill a struct vsamp_error whose
 * text tells the user what happened, with which input, and what to do. err may be NULL.
 */
#ifndef VSAMP_ERROR_H
#define VSAMP_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_error {
	int code;	/* negative errno value, 0 = none */
	char text[512]; /* one line without control characters, no program name */
};

/**
 * vsamp_fail - fill an error
 * @err: what to fill; may be NULL
 * @code: negative errno value
 * @fmt: printf format of the text; truncated to fit
 *
 * Returns @code, so that callers can write `return vsamp_fail(err, -EINVAL, ...)`. Thread-safe for
 * distinct @err.
 */
int vsamp_fail(struct vsamp_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
