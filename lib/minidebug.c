// SPDX-License-Identifier: MIT
/* minidebug.c: .gnu_debugdata, an ELF file with symbols in a section of another, compressed by xz */
#include <errno.h>
#include <gelf.h>
#include <lzma.h>
#include <string.h>

#include "debugfile.h"

#define IMAGE_MAX  (256U << 20)
#define MEMORY_MAX (128U << 20) /* of the decoder */
#define STEP	   (1U << 20)

static Elf_Data *section_find(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (name && !strcmp(name, ".gnu_debugdata"))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

static int decode(const void *data, size_t size, struct buf *image)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&stream, MEMORY_MAX, 0);

	stream.next_in = data;
	stream.avail_in = size;
	while (ret == LZMA_OK && image->size < IMAGE_MAX) {
		if (buf_reserve(image, STEP)) {
			ret = LZMA_MEM_ERROR;
			break;
		}
		stream.next_out = image->data + image->size;
		stream.avail_out = STEP;
		ret = lzma_code(&stream, LZMA_FINISH);
		image->size += STEP - stream.avail_out;
	}
	lzma_end(&stream);
	return ret == LZMA_STREAM_END ? 0 : ret == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

int debugfile_mini(int fd, struct buf *image)
{
	Elf_Data *data;
	Elf *elf;
	int ret;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	data = elf ? section_find(elf) : NULL;
	ret = data && data->d_size ? decode(data->d_buf, data->d_size, image) : -ENOENT;
	elf_end(elf);
	if (ret)
		buf_free(image);
	return ret;
}
