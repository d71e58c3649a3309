/* SPDX-License-Identifier: MIT */
/* binary.h: a zebin file from the inside */
#ifndef GEN_BINARY_H
#define GEN_BINARY_H

#include <elf.h>

#include <vsamp/gen_binary.h>

#pragma GCC visibility push(hidden)

/* What a section holds; nothing: data is NULL */
struct gen_bytes {
	const uint8_t *data;
	size_t size;
};

struct gen_section {
	const char *name; /* "": none */
	Elf64_Shdr head;
	struct gen_bytes bytes;
	size_t kernel; /* its number and 1; 0: it is none */
};

/* The code that a kernel has got */
struct gen_replaced {
	uint8_t *code; /* NULL: none */
	size_t *moved; /* where each 8 bytes of the old are, and the end */
};

struct vsamp_gen_binary {
	struct gen_bytes file;
	const struct vsamp_gen_model *model;
	struct gen_section *section;
	size_t sections;
	struct vsamp_gen_kernel *kernel;
	struct vsamp_gen_kernel **by_name;
	struct gen_replaced *replaced; /* of each kernel */
	size_t kernels;
};

/* binary.c: a text within a section of texts; "": there is none there */
const char *gen_text_at(struct gen_bytes texts, uint64_t at);

/* binary.c: a kernel of that name, of @length bytes; NULL: there is none */
struct vsamp_gen_kernel *gen_kernel_named(const struct vsamp_gen_binary *b, const char *name,
					  size_t length);

/* binary_write.c: a kernel that has no other code gets @with, which is the binary's from then on */
void gen_binary_give(struct vsamp_gen_binary *b, size_t n, const struct gen_replaced *with,
		     size_t size);

/* ze_info.c: what the text of .ze_info tells of kernels; what it doesn't tell stays as it is */
void gen_ze_info_read(struct gen_bytes text, struct vsamp_gen_binary *binary);

/*
 * free_list.c: the ranges of the compiler's block about registers, for free(), and the scratch
 * memory. EINVAL: the block isn't whole, or tells of registers that there aren't. ENOMEM
 */
enum vsamp_gen_status gen_free_list_read(struct gen_bytes block, size_t file_size,
					 struct vsamp_gen_kernel *kernel);

#pragma GCC visibility pop

#endif
