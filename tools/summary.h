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

/*
 * The same as members of @root: file, complete, produced, written, lost, elapsed_ns, target_scope,
 * stacks, warnings
 */
void summary_json(const struct vsamp_recording *rec, const char *path, struct json_object *root);
struct json_object *summary_json_event(const struct vsamp_recording_event *event);

/* A number that need not be whole, written without a fraction if it is; NAN: null */
struct json_object *summary_json_real(double x);

/* summary_gpu.c: a GPU without its slot, on one line that doesn't end */
void summary_print_gpu(const struct vsamp_gpu_recorded *gpu);
/* All that is told of it, and of all of them */
struct json_object *summary_json_gpu(const struct vsamp_gpu_recorded *gpu);
struct json_object *summary_json_gpus(const struct vsamp_recording *rec);

/* How many sets the events are in */
size_t summary_sets(const struct vsamp_recording *rec);

/* Samples that should have been made and aren't in the file, or VSAMP_UNKNOWN */
int64_t summary_lost(const struct vsamp_recording_event *event);

/* What targets are of: "per cpu", "in total", or "" where that isn't told */
const char *summary_target_scope(const struct vsamp_recording *rec);

/* The sides and the depth of stacks; to be freed. NULL: there are none, or no memory */
char *summary_stacks(const struct vsamp_recording *rec);

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
