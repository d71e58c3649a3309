/* SPDX-License-Identifier: MIT */
/* The file of a recording: it takes its name, and the old one's place, once there is something */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <vsamp/file.h>

struct output {
	struct vsamp_writer *writer;
	const char *path;
	int fd;	      /* until it is kept; negative: it has its name */
	char *hidden; /* name until then; NULL: none */
};

/* Opens the file beside path, or path itself where that is no regular file (/dev/null) */
int output_open(struct output *out, const char *path, struct vsamp_error *err);

/* Gives the file its name; one that had it becomes path.old */
int output_keep(struct output *out, struct vsamp_error *err);

/* Closes the file, and removes it if it was not kept */
int output_close(struct output *out, struct vsamp_error *err);

#endif
