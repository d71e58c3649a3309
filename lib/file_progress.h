/* SPDX-License-Identifier: MIT */
/* file_progress.h: tells who watches */
#ifndef FILE_PROGRESS_H
#define FILE_PROGRESS_H

#include <stdint.h>

void progress_tell(uint64_t done, uint64_t total);

#endif
