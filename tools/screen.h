/* SPDX-License-Identifier: MIT */
/* A terminal that is used as a whole, and given back as it was however we end */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>

#include <vsamp/error.h>

/* Whether standard input and output are a terminal */
bool screen_there(void);

/* Takes it: lines aren't wrapped, keys come at once. Its signals come as keys */
int screen_open(struct vsamp_error *err);
void screen_close(void);

/* Readable when a key waits, or the size has changed */
int screen_fd(void);

/* The next key without waiting: 0 for none. SCREEN_CHANGED: all is to be drawn anew */
#define SCREEN_CHANGED (-1)
int screen_key(void);

unsigned int screen_lines(void);

/* What is printed to standard output in between becomes what the terminal shows */
void screen_begin(void);
void screen_line_end(void);
void screen_end(void);

#endif
