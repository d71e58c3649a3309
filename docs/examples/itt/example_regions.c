// SPDX-License-Identifier: MIT
/* A region of events in a loop of 5 frames: "Rendering Phase", which has a start and an end */
#include "ittnotify.h"
#include "work.h"

int main(void)
{
	__itt_event rendering = __itt_event_create("Rendering Phase", 15);

	for (int i = 0; i < 5; i++) {
		work(1);
		__itt_event_start(rendering);
		work(1);
		__itt_event_end(rendering);
	}
	return 0;
}
