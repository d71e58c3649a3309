// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfod.h"

typedef int find_fn(void *client, const unsigned char *id, int size, char **path);

static struct {
	bool tried;
	void *client;
	find_fn *find[2];
	const char *trouble;
} server;

static void server_connect(void)
{
	static const char *const names[] = {
		[DEBUGINFOD_DEBUG] = "debuginfod_find_debuginfo",
		[DEBUGINFOD_EXECUTABLE] = "debuginfod_find_executable",
	};
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *(*begin)(void), *library;

	if (server.tried || !urls || !*urls)
		return;
	server.tried = true;
	library = dlopen("libdebuginfod.so.1", RTLD_NOW);
	begin = library ? (void *(*)(void))dlsym(library, "debuginfod_begin") : NULL;
	for (int i = 0; begin && i < 2; i++) {
		*(void **)&server.find[i] = dlsym(library, names[i]);
		if (!server.find[i])
			begin = NULL;
	}
	server.client = begin ? begin() : NULL;
	if (!server.client)
		server.trouble = "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 can't be used: "
				 "install libdebuginfod1";
}

static void server_failed(int error)
{
	static char text[200];

	snprintf(text, sizeof(text),
		 "the servers of DEBUGINFOD_URLS don't answer (%s): unset it, or see what "
		 "DEBUGINFOD_VERBOSE=1 tells",
		 strerror(error));
	server.trouble = text;
}

int debuginfod_open(const struct buildid *id, enum debuginfod_kind kind)
{
	int fd;

	server_connect();
	if (!server.client || server.trouble)
		return -1;
	fd = server.find[kind](server.client, id->data, id->size, NULL);
	/* -ENOENT: it answered, that it hasn't the file */
	if (fd < 0 && fd != -ENOENT && fd != -EINVAL)
		server_failed(-fd);
	return fd < 0 ? -1 : fd;
}

const char *debuginfod_trouble(void)
{
	return server.trouble;
}
