/* SPDX-License-Identifier: MIT */
/*
 * output.h: the one file that programs tell to where there is no recorder, as docs/itt-spool.md tells
 *
 * It holds the files of spool.h in pieces: each one's header, and each of its segments.
 */
#ifndef ITT_OUTPUT_H
#define ITT_OUTPUT_H

#include <stdint.h>

#define OUTPUT_MAGIC	   "VSAMPITO"
#define OUTPUT_PIECE_MAGIC "VSAMPITP"
#define OUTPUT_PAGE	   4096u /* bytes of the file's header, and of what is before each piece */

struct output_header {
	char magic[8];
	uint64_t used; /* bytes behind this page that are given away */
};

/* At a multiple of OUTPUT_PAGE; the piece is a page behind it */
struct output_piece {
	char magic[8];
	uint64_t
		of; /* where that of the header of the same file is; of a header: where it is itself */
	uint32_t slot; /* of the segment in its file; of a header 0 */
	uint32_t size; /* bytes of the piece */
};

#endif
