// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "vdso.h"

int vdso_image(void **image, size_t *size)
{
	uintptr_t at = getauxval(AT_SYSINFO_EHDR), start, end;
	FILE *maps = at ? fopen("/proc/self/maps", "re") : NULL;
	char line[256];
	int ret = -ENOENT;

	if (!maps)
		return -ENOENT;
	while (ret && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) != 2 || start != at)
			continue;
		*image = (void *)at;
		*size = end - start;
		ret = 0;
	}
	fclose(maps);
	return ret;
}

/* The kernel's own image is well-formed */
void vdso_id(struct buildid *id)
{
	const ElfW(Ehdr) * eh;
	const ElfW(Phdr) * ph;
	void *image;
	size_t size;

	*id = (struct buildid){ 0 };
	if (vdso_image(&image, &size))
		return;
	eh = image;
	ph = (const void *)((const char *)image + eh->e_phoff);
	for (int i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_NOTE &&
		    !buildid_from_notes(id, (const char *)image + ph[i].p_offset, ph[i].p_filesz))
			return;
}
