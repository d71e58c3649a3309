// SPDX-License-Identifier: MIT
#include <limits.h>
#include <stddef.h>

#include "demangle.h"
#include "names.h"

#define UNKNOWN	  "[unknown]"
#define NO_MODULE UINT32_MAX
#define NOTE_NO_KERNEL                                                                      \
	"the recording has no kernel symbols, and this isn't its boot, or they are hidden " \
	"(kernel.kptr_restrict): record as root"

void names_init(struct names *n, struct vsamp_recording *rec, struct modules *modules)
{
	*n = (struct names){ .rec = rec, .modules = modules };
}

void names_free(struct names *n)
{
	intern_free(&n->spots);
	free(n->near);
	intern_free(&n->labels);
	intern_free(&n->symbols);
	intern_free(&n->lines);
	intern_free(&n->raw);
	buf_free(&n->demangled);
	buf_free(&n->notes);
	kallsyms_close(n->live);
	free(n->name);
	free(n->line_of);
	free(n->with_id);
}

static int64_t label_number(struct names *n, const char *path, const struct buildid *id,
			    const char *note)
{
	char hex[BUILDID_HEX] = "";
	struct buf key = { 0 };
	int64_t number;

	if (id)
		buildid_format(id, hex);
	if (buf_add(&key, path, strlen(path) + 1) || buf_add(&key, hex, strlen(hex) + 1)) {
		buf_free(&key);
		return -ENOMEM;
	}
	number = intern_number(&n->labels, key.data, key.size);
	buf_free(&key);
	if (number >= 0 && number * sizeof(note) == n->notes.size &&
	    buf_add(&n->notes, &note, sizeof(note)))
		return -ENOMEM;
	return number;
}

/* Of the symbol as it is shown; each name is demangled once */
static int64_t symbol_number(struct names *n, const char *name)
{
	char shown[DEMANGLE_MAX];
	int64_t raw, number;
	uint32_t known;

	if (n->mangled || !demangle_wanted(name))
		return intern_string(&n->symbols, name);
	raw = intern_string(&n->raw, name);
	if (raw < 0)
		return raw;
	if (raw * sizeof(known) < n->demangled.size)
		return ((const uint32_t *)n->demangled.data)[raw];
	number = intern_string(&n->symbols, demangle(name, shown) ? shown : name);
	known = number;
	if (number >= 0 && buf_add(&n->demangled, &known, sizeof(known)))
		return -ENOMEM;
	return number;
}

/* The kernel that runs is that of the recording in the recording's boot, and with its build-id, only */
static struct kallsyms *find_live(struct names *n)
{
	const struct module_origin *origin = &n->modules->origin;

	if (!n->live_tried && origin->same_boot && !kallsyms_open_live(&n->live) &&
	    !buildid_equal(kallsyms_kernel_id(n->live), &origin->kernel)) {
		kallsyms_close(n->live);
		n->live = NULL;
	}
	n->live_tried = true;
	return n->live;
}

/* Symbols by the snapshot that was current, or else by the next one: the module was loaded between */
static int find_kernel(struct names *n, const struct spot *spot, struct kallsyms_symbol *sym,
		       struct vsamp_error *err)
{
	size_t first = spot->module & ~SPOT_KERNEL;
	struct kallsyms *k = n->rec->snapshots ? NULL : find_live(n);

	*sym = (struct kallsyms_symbol){ .name = UNKNOWN, .module = KALLSYMS_KERNEL };
	if (k && kallsyms_find(k, spot->offset, sym))
		sym->id = kallsyms_kernel_id(k);
	for (size_t i = first; i < n->rec->snapshots && i < first + 2; i++) {
		int ret = recording_kallsyms(n->rec, i, &k, err);

		if (ret)
			return ret;
		if (!kallsyms_find(k, spot->offset, sym))
			break;
		if (i == first)
			sym->id = kallsyms_kernel_id(k);
	}
	return 0;
}

static int name_kernel(struct names *n, const struct spot *spot, struct name *name,
		       struct vsamp_error *err)
{
	struct kallsyms_symbol sym;
	int64_t label, symbol;
	int ret = find_kernel(n, spot, &sym, err);

	if (ret)
		return ret;
	label = label_number(n, sym.module, sym.id,
			     n->rec->snapshots || n->live ? NULL : NOTE_NO_KERNEL);
	symbol = intern_string(&n->symbols, sym.name);
	if (label < 0 || symbol < 0)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	name->label = label;
	name->symbol = symbol;
	return 0;
}

static int find_ids(struct names *n)
{
	const struct modules *ms = n->modules;

	free(n->with_id);
	n->with_id = malloc((ms->paths.count + 1UL) * sizeof(*n->with_id));
	if (!n->with_id)
		return -ENOMEM;
	n->paths = ms->paths.count;
	memset(n->with_id, 0xff, (n->paths + 1UL) * sizeof(*n->with_id));
	for (uint32_t i = ms->count; i-- > 0;)
		if (ms->module[i].id.size)
			n->with_id[ms->module[i].path_number] = i;
	return 0;
}

int names_whole(struct names *n)
{
	n->whole = true;
	n->modules->settled = true;
	return find_ids(n);
}

uint32_t names_module_with_id(const struct names *n, uint32_t number)
{
	const struct module *m = &n->modules->module[number];
	/* the file may have changed since the paths were looked at */
	uint32_t other = m->path_number < n->paths ? n->with_id[m->path_number] : NO_MODULE;

	return m->id.size || other == NO_MODULE ? number : other;
}

static int name_user(struct names *n, const struct spot *spot, struct name *name,
		     struct vsamp_error *err)
{
	struct elfsym_symbol sym = { .name = UNKNOWN };
	int64_t label, symbol;
	int ret = 0;

	if (spot->module == SPOT_NONE || spot->module == SPOT_GUEST) {
		label = label_number(n, spot->module == SPOT_NONE ? UNKNOWN : "[guest]", NULL,
				     NULL);
	} else {
		uint32_t number = names_module_with_id(n, spot->module);
		const struct module *m;

		ret = modules_find(n->modules, number, spot->offset, &sym);
		m = &n->modules->module[number];
		label = label_number(n, modules_path(n->modules, number), &m->id, m->note);
	}
	symbol = symbol_number(n, sym.name);
	if (label < 0 || symbol < 0 || ret == -ENOMEM)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	name->label = label;
	name->symbol = symbol;
	return 0;
}

static bool spot_in_kernel(const struct spot *spot)
{
	return spot->module < SPOT_GUEST && spot->module & SPOT_KERNEL;
}

/* Room for the names of all spots, which may become more: it grows by half, at least */
static int names_room(struct names *n)
{
	size_t room = n->spots.count + n->room / 2 + 1UL;
	struct name *name;

	if (n->spots.count <= n->room)
		return 0;
	name = realloc(n->name, room * sizeof(*name));
	if (!name)
		return -ENOMEM;
	n->name = name;
	n->room = room;
	return 0;
}

int names_find(struct names *n, struct vsamp_error *err)
{
	int ret = 0;

	if (names_room(n) || (!n->whole && find_ids(n)))
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (; n->named < n->spots.count && !ret; n->named += !ret) {
		const struct spot *spot = intern_key(&n->spots, n->named);

		ret = spot_in_kernel(spot) ? name_kernel(n, spot, &n->name[n->named], err) :
					     name_user(n, spot, &n->name[n->named], err);
	}
	return ret;
}

static int code_kernel(struct names *n, const struct spot *spot, struct names_code *code,
		       struct vsamp_error *err)
{
	struct kallsyms_symbol sym;
	int ret = find_kernel(n, spot, &sym, err);

	if (ret || !sym.end)
		return ret ? ret : -ENOENT;
	*code = (struct names_code){
		.module = spot->module,
		.address = spot->offset,
		.sym = { sym.start, sym.end, sym.name },
		.id = *sym.id,
	};
	return 0;
}

int names_code(struct names *n, uint32_t number, struct names_code *code, struct vsamp_error *err)
{
	const struct spot *spot = intern_key(&n->spots, number);
	int ret;

	if (spot_in_kernel(spot))
		return code_kernel(n, spot, code, err);
	if (spot->module >= SPOT_GUEST)
		return -ENOENT;
	*code = (struct names_code){ .module = names_module_with_id(n, spot->module) };
	ret = modules_find(n->modules, code->module, spot->offset, &code->sym);
	if (ret)
		return ret == -ENOMEM ? vsamp_fail(err, ret, "out of memory") : ret;
	code->id = n->modules->module[code->module].id;
	return elfsym_address(n->modules->module[code->module].symbols, spot->offset,
			      &code->address);
}

/* The kernel's sources are nowhere */
static int line_user(struct names *n, const struct spot *spot, uint32_t *number)
{
	struct {
		struct names_line fixed;
		char file[PATH_MAX];
	} key;
	const char *file;
	size_t length;
	int64_t ret = modules_line(n->modules, names_module_with_id(n, spot->module), spot->offset,
				   &file, &key.fixed.line);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	length = strnlen(file, sizeof(key.file) - 1);
	memcpy(key.file, file, length);
	key.file[length] = '\0';
	ret = intern_number(&n->lines, &key, offsetof(typeof(key), file) + length + 1);
	if (ret < 0)
		return ret;
	*number = ret;
	return 0;
}

int names_find_lines(struct names *n, struct vsamp_error *err)
{
	n->line_of = malloc((n->spots.count + 1UL) * sizeof(*n->line_of));
	if (!n->line_of)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	memset(n->line_of, 0xff, (n->spots.count + 1UL) * sizeof(*n->line_of));
	for (uint32_t i = 0; i < n->spots.count; i++) {
		const struct spot *spot = intern_key(&n->spots, i);

		if (spot->module < SPOT_KERNEL && line_user(n, spot, &n->line_of[i]))
			return vsamp_fail(err, -ENOMEM, "out of memory");
	}
	return 0;
}
