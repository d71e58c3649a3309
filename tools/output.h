/* SPDX-License-Identifier: MIT */
/* The file of a recording: it takes its name, and the old one's place, once there is something */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

#include <vsamp/file.h>

struct output {
	struct vsamp_writer *writer;
	const char *path;
	int fd;	      /* until it is kept; negative: it has its name, or is a part */
	char *hidden; /* name until then, of a part until it is complete; NULL: none */
	bool part;    /* of a recording in several files */
};

/* Opens the file beside path, or path itself where that is no regular file (/dev/null) */
int output_open(struct output *out, const char *path, struct vsamp_error *err);

/* Opens path.part, which becomes path when it is complete. *path stays the caller's, and must last. */
int output_open_part(struct output *out, const char *path, struct vsamp_error *err);

/* Closes a part that is complete, and gives it its name */
int output_complete(struct output *out, struct vsamp_error *err);

/* Gives the file its name, but for a part, which is then kept as it is; one that had it becomes path.old */
int output_keep(struct output *out, struct vsamp_error *err);

/* Closes the file, and removes it if it was not kept */
int output_close(struct output *out, struct vsamp_error *err);

#endif
