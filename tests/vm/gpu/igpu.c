// SPDX-License-Identifier: MIT
/*
 * usage: igpu NAME [VALUE]
 *
 * Reads or writes a register of the emulated GPU's own, which no real one has
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BAR "/sys/bus/pci/devices/0000:00:02.0/resource4"

static const char *const names[] = { "magic",  "fault", "made",	 "dropped", "dma-errors",
				     "asleep", "hash",	"ahead", "writes" };

int main(int argc, char **argv)
{
	volatile uint32_t *reg;
	unsigned int i;
	int fd;

	for (i = 0; argc > 1 && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(argv[1], names[i]))
			break;
	if (argc < 2 || i == sizeof(names) / sizeof(*names))
		return 2;
	fd = open(BAR, O_RDWR | O_SYNC);
	reg = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || reg == MAP_FAILED) {
		perror(BAR);
		return 1;
	}
	if (argc > 2)
		reg[i] = strtoul(argv[2], NULL, 0);
	else
		printf("%#x\n", reg[i]);
	return 0;
}
