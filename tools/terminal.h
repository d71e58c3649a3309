/* SPDX-License-Identifier: MIT */
/* What is shown on a terminal: in colours, through a pager; elsewhere it is plain text */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>

/* 1: @arg was --no-pager or --color; 0: it is none of these; negative: it is wrong, which is said */
int terminal_option(const char *arg);

/* Whether this is one on which more than lines of text can be shown, as TERM tells */
bool terminal_draws(int fd);

/* colour.c: "auto", "always" or "never"; false: it is none of these */
bool colour_choose(const char *when);

/* To be called while standard output is what the user gave */
void colour_begin(void);

/* Begin of a part's heading, of what stands for so many percent, and the end of both; "" if plain */
const char *colour_heading(void);
const char *colour_percent(double percent);
const char *colour_end(void);

/* Prints a share with two digits behind the point, on the right of so many columns */
void colour_print_percent(int width, double percent);

/*
 * pager.c: what follows is shown: on a terminal through the pager of VSAMP_PAGER, PAGER or less(1).
 * Progress is taken away. Errors go there, too, where they would go to a terminal.
 */
void pager_begin(void);
void pager_forbid(void);

/* Waits until the user has read it all; returns the exit code, that of an error if there is no pager */
int pager_end(int code);

/*
 * reading.c: how far the reading of a file is, on standard error if that is a terminal, from the
 * first half second on
 */
void reading_begin(void);
void reading_end(void);

#endif
