/* SPDX-License-Identifier: MIT */
/* summary.h: what commands that read a recording say of it */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include <vsamp/recording.h>

struct json_object;

/* Lines that begin with '#': the machine, what was asked, the events, whether all is there */
void summary_print(const struct vsamp_recording *rec, const char *path);

/* The same as members of @root: file, complete, produced, written, lost, elapsed_ns, warnings */
void summary_json(const struct vsamp_recording *rec, const char *path, struct json_object *root);
struct json_object *summary_json_event(const struct vsamp_recording_event *event);

/* Prints JSON */
void summary_put(struct json_object *root);

/*
 * Says loudly, on standard error, what the reader must know. Returns the exit code of the command:
 * an error where the file is damaged.
 */
int summary_end(const char *command, const struct vsamp_recording *rec);

/* A text of the META or END chunk by JSON pointer, "" where there is none */
const char *summary_text(struct json_object *obj, const char *pointer);

/* A list of strings there, with blanks between; to be freed. NULL: no list, or no memory */
char *summary_list(struct json_object *obj, const char *pointer);

#endif
