// SPDX-License-Identifier: MIT
/* itt_alone.c: recordings of what programs told, without samples */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <vsamp/itt_alone.h>

#include "file_private.h"
#include "file_writer.h"
#include "itt_output.h"
#include "vsamp.h"

#define SAV 1000000 /* of the event that every recording has, and that no sample is of */

static void put(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add(o, key, value);
}

static struct json_object *event_json(void)
{
	struct json_object *o = json_object_new_object();

	put(o, "index", json_object_new_int(0));
	put(o, "name", json_object_new_string("cpu-clock"));
	put(o, "config", json_object_new_string("0x0"));
	put(o, "set", json_object_new_int(0));
	put(o, "counter", json_object_new_int(0));
	put(o, "user", json_object_new_boolean(true));
	put(o, "kernel", json_object_new_boolean(true));
	put(o, "sav", json_object_new_int(SAV));
	put(o, "sav_source", json_object_new_string("default"));
	put(o, "calibration", json_object_new_string("off"));
	return o;
}

static struct json_object *one(struct json_object *row)
{
	struct json_object *list = json_object_new_array();

	json_object_array_add(list, row);
	return list;
}

static struct json_object *words(char *const *argv)
{
	struct json_object *list = json_object_new_array();

	for (; *argv; argv++)
		json_object_array_add(list, json_object_new_string(*argv));
	return list;
}

static struct json_object *clock_json(int clock)
{
	struct json_object *o = json_object_new_object();

	put(o, "source",
	    json_object_new_string(clock == VSAMP_CLOCK_MONOTONIC ? "monotonic" : "monotonic-raw"));
	put(o, "khz", json_object_new_int(1000000));
	return o;
}

static struct json_object *scope_json(void)
{
	struct json_object *o = json_object_new_object();

	put(o, "kind", json_object_new_string("process"));
	put(o, "pids", json_object_new_array());
	return o;
}

/* Of a program, which nothing is known of but what it told: not even when, on a wall's clock */
static struct json_object *meta_json(char *const *command_line, int clock)
{
	struct json_object *o = json_object_new_object();
	struct utsname name;

	put(o, "version", json_object_new_int(1));
	put(o, "generator", json_object_new_string("vsamp " VSAMP_VERSION));
	if (*command_line)
		put(o, "command_line", words(command_line));
	if (!uname(&name)) {
		put(o, "hostname", json_object_new_string(name.nodename));
		put(o, "kernel_release", json_object_new_string(name.release));
		put(o, "machine", json_object_new_string(name.machine));
	}
	put(o, "clock", clock_json(clock));
	put(o, "scope", scope_json());
	put(o, "events", one(event_json()));
	put(o, "sideband", json_object_new_boolean(false));
	return o;
}

static struct json_object *end_json(const struct vsamp_writer *w)
{
	uint64_t elapsed = w->itt.last > w->itt.first ? w->itt.last - w->itt.first : 0;

	struct json_object *o = json_object_new_object(), *event = json_object_new_object();

	put(event, "index", json_object_new_int(0));
	put(event, "sav", json_object_new_int(SAV));
	put(event, "count", json_object_new_int(0));
	put(event, "samples", json_object_new_int(0));
	put(o, "reason", json_object_new_string("exit"));
	put(o, "elapsed_ns", json_object_new_uint64(elapsed));
	put(o, "cpus", json_object_new_array());
	put(o, "events", one(event));
	put(o, "sideband_lost", json_object_new_int(0));
	return o;
}

static int write_json(struct vsamp_writer *w, enum vsamp_chunk_type type, struct json_object *o,
		      struct vsamp_error *err)
{
	int ret = vsamp_writer_json(w, type, o, err);

	json_object_put(o);
	return ret;
}

/* A folder, or the file that programs wrote by themselves */
static int spool_join(struct vsamp_writer *w, const char *path, int clock,
		      struct vsamp_itt_totals *result, struct vsamp_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;
	char dir[480];

	if (fd < 0)
		return vsamp_fail(err, -errno, "%s: %s", path, strerror(errno));
	if (!itt_output_is(fd)) {
		close(fd);
		ret = vsamp_itt_spool_join(w, path, clock, result, err);
		if (ret == -ENOTDIR)
			vsamp_fail(err, ret,
				   "%s: neither a folder nor a file that programs told to", path);
		return ret;
	}
	ret = itt_output_unpack(fd, path, dir, sizeof(dir), err);
	close(fd);
	if (ret)
		return ret;
	ret = vsamp_itt_spool_join(w, dir, clock, result, err);
	vsamp_itt_spool_remove(dir, NULL);
	return ret;
}

int vsamp_itt_alone_write(struct vsamp_writer *w, const char *path, int clock,
			  char *const *command_line, struct vsamp_itt_totals *result,
			  struct vsamp_error *err)
{
	int ret = write_json(w, VSAMP_CHUNK_META, meta_json(command_line, clock), err);

	*result = (struct vsamp_itt_totals){ 0 };
	if (!ret)
		ret = spool_join(w, path, clock, result, err);
	if (!ret && !result->records)
		ret = vsamp_fail(err, -ENODATA, "%s: no program has told anything there", path);
	return ret ? ret : write_json(w, VSAMP_CHUNK_END, end_json(w), err);
}

/* A recording in memory, to be closed by the caller */
static int memory_write(int *fd, const char *path, int clock, struct vsamp_itt_totals *totals,
			struct vsamp_error *err)
{
	char *const nobody[] = { NULL };
	struct vsamp_writer *w;
	char name[32];
	int ret, closed;

	*fd = memfd_create("vsamp", MFD_CLOEXEC);
	if (*fd < 0)
		return vsamp_fail(err, -errno, "%s: there is no memory for it: %s", path,
				  strerror(errno));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", *fd);
	ret = vsamp_writer_open(&w, name, err);
	if (!ret) {
		ret = vsamp_itt_alone_write(w, path, clock, nobody, totals, err);
		closed = vsamp_writer_close(w, ret ? NULL : err);
		ret = ret ? ret : closed;
	}
	if (ret)
		close(*fd);
	return ret;
}

int itt_output_reader(struct vsamp_reader **r, const char *path, struct vsamp_error *err)
{
	struct vsamp_itt_totals totals = { 0 };
	int fd, ret = memory_write(&fd, path, VSAMP_CLOCK_MONOTONIC_RAW, &totals, err);

	if (ret == -ENODATA && totals.clocks)
		ret = memory_write(&fd, path, VSAMP_CLOCK_MONOTONIC, &totals, err);
	return ret ? ret : reader_open_fd(r, fd, path, err);
}
