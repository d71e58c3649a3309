// SPDX-License-Identifier: MIT
/* Two types of event, marked as single ones: 1 "User Mark", and "Frame Completed" of each of 5 frames */
#include "ittnotify.h"
#include "work.h"

int main(void)
{
	__itt_event mark = __itt_event_create("User Mark", 9);
	__itt_event frame = __itt_event_create("Frame Completed", 15);

	__itt_event_start(mark);
	for (int i = 0; i < 5; i++) {
		work(1);
		__itt_event_start(frame);
	}
	return 0;
}
