// SPDX-License-Identifier: MIT
/* buildid.c: build-ids */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "buildid.h"

#define NOTES_MAX 65536

const char *buildid_format(const struct buildid *id, char hex[BUILDID_HEX])
{
	static const char digit[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < id->size && i < BUILDID_MAX; i++) {
		hex[2 * i] = digit[id->data[i] >> 4];
		hex[2 * i + 1] = digit[id->data[i] & 15];
	}
	hex[2 * i] = '\0';
	return hex;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

int buildid_parse(struct buildid *id, const char *hex, const char **end)
{
	struct buildid got = { 0 };

	for (; hex_digit(hex[0]) >= 0; hex += 2) {
		if (hex_digit(hex[1]) < 0 || got.size == BUILDID_MAX)
			return -EINVAL;
		got.data[got.size++] = hex_digit(hex[0]) << 4 | hex_digit(hex[1]);
	}
	if (!got.size)
		return -EINVAL;
	*id = got;
	if (end)
		*end = hex;
	return 0;
}

int buildid_from_notes(struct buildid *id, const void *notes, size_t size)
{
	const char *at = notes;
	Elf64_Nhdr note;

	while (size >= sizeof(note)) {
		uint64_t name_room, desc_room;

		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		size -= sizeof(note);
		name_room = (note.n_namesz + 3ULL) & ~3ULL;
		desc_room = (note.n_descsz + 3ULL) & ~3ULL;
		if (name_room + note.n_descsz > size)
			return -ENOENT;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note.n_descsz > 0 &&
		    note.n_descsz <= BUILDID_MAX) {
			*id = (struct buildid){ .size = note.n_descsz };
			memcpy(id->data, at + name_room, note.n_descsz);
			return 0;
		}
		if (name_room + desc_room > size)
			return -ENOENT;
		at += name_room + desc_room;
		size -= name_room + desc_room;
	}
	return -ENOENT;
}

int buildid_from_notes_file(struct buildid *id, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char notes[NOTES_MAX];
	size_t size = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (size < sizeof(notes) && (n = read(fd, notes + size, sizeof(notes) - size)) > 0)
		size += n;
	if (n < 0)
		n = -errno;
	close(fd);
	return n < 0 ? (int)n : buildid_from_notes(id, notes, size);
}
