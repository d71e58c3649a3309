/* SPDX-License-Identifier: MIT */
/* Ring records, as far as all who read them must know */
#ifndef VSAMP_RECORD_H
#define VSAMP_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <vsamp.h>

/* Least size of a record of a known type, else 0; all known types have their time behind the header */
static inline size_t record_size_min(uint16_t type)
{
	switch (type) {
	case VSAMP_RECORD_SAMPLE:
		return sizeof(struct vsamp_record_sample);
	case VSAMP_RECORD_LOST:
		return sizeof(struct vsamp_record_lost);
	case VSAMP_RECORD_CLOCK:
		return sizeof(struct vsamp_record_clock);
	case VSAMP_RECORD_THROTTLE:
	case VSAMP_RECORD_UNTHROTTLE:
		return sizeof(struct vsamp_record_throttle);
	case VSAMP_RECORD_STATE:
		return sizeof(struct vsamp_record_state);
	}
	return 0;
}

#endif
