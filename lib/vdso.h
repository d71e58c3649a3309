/* SPDX-License-Identifier: MIT */
/* vdso.h: the code that the kernel gives to every process */
#ifndef VDSO_H
#define VDSO_H

#include <stddef.h>

#include "buildid.h"

/* The image that this process has. 0 or -ENOENT */
int vdso_image(void **image, size_t *size);

/* Its build-id; none if it has none */
void vdso_id(struct buildid *id);

#endif
