/* SPDX-License-Identifier: MIT */
/* The folder in which programs that run already tell by ITT */
#ifndef JOINING_H
#define JOINING_H

#include "spooling.h"

/* Takes that of the options, if there is one, so that nobody else does meanwhile; of those that are sampled */
int joining_open(struct spooling *s, const struct options *o, struct vsamp_error *err);

#endif
