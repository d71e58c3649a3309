/* SPDX-License-Identifier: MIT */
/* Which backend counts, and which events where none is named */
#ifndef CHOICE_H
#define CHOICE_H

#include <vsamp/backend.h>

#include "options.h"

/*
 * Looks at the machine and chooses; selects events in o if there are none. Says what is not as it
 * would be at its best, unless quiet.
 */
int choice_make(struct vsamp_backend_choice *choice, struct options *o, struct vsamp_error *err);

#endif
