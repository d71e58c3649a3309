// SPDX-License-Identifier: MIT
/*
 * Separate debug files, made by objcopy and strip, and where they are looked for. /usr/lib/debug is
 * an empty one of our own: tests run in a mount namespace of theirs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "debuginfod.h"
#include "module.h"

#define DEBUG_DIR "/usr/lib/debug"

static char dir[] = "/tmp/vsamp-debug-XXXXXX";
static uint64_t hidden; /* where the function is that only debug files name */
static struct buildid id;
static bool made_dir;

static void run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		fail_msg("%s", command);
}

static uint64_t asked(const char *command)
{
	FILE *f = popen(command, "r");
	uint64_t v = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%" SCNx64, &v), 1);
	pclose(f);
	return v;
}

static void read_id(const char *name)
{
	int fd = open(name, O_RDONLY);

	assert_int_equal(elfsym_read_id(fd, &id), 0);
	close(fd);
}

static int setup(void **state)
{
	FILE *f;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	f = fopen("lib.c", "w");
	fputs("#include <stdlib.h>\n"
	      "static __attribute__((noinline)) int hidden(int x) { return x + atoi(\"3\"); }\n"
	      "int shown(int x)\n{\n\treturn hidden(x) * 3 + rand();\n}\n",
	      f);
	fclose(f);
	run("gcc -g -O1 -fPIC -shared -Wl,--build-id=sha1 -o whole.so lib.c");
	run("gcc -g -O1 -fPIC -shared -Wl,--build-id=none -o noid.so lib.c");
	run("objcopy --only-keep-debug whole.so lib.debug && strip -o plain.so whole.so");
	run("objcopy --only-keep-debug noid.so noid.debug && strip -o noid-plain.so noid.so &&"
	    "objcopy --add-gnu-debuglink=noid.debug noid-plain.so");
	hidden = asked("nm whole.so | awk '$3 == \"hidden\" { print $1 }'");
	read_id("whole.so");
	made_dir = !mkdir(DEBUG_DIR, 0755);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", DEBUG_DIR, "tmpfs", 0, NULL)) {
		print_message("not root: the tests need a mount namespace\n");
		return -1;
	}
	unsetenv("DEBUGINFOD_URLS");
	return 0;
}

static int teardown(void **state)
{
	umount(DEBUG_DIR);
	if (made_dir)
		rmdir(DEBUG_DIR);
	run("rm -r %s", dir);
	return 0;
}

/* Whether the file's hidden function is named, and the note that there is then */
static const char *hidden_named(const char *name, const struct buildid *with, bool *named)
{
	static const struct module_origin elsewhere;
	struct module_key key = { .pid = 1 };
	struct elfsym_symbol sym = { .name = "" };
	struct modules ms;
	const char *note;
	char path[256];
	int64_t number;

	if (with)
		key.id = *with;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	modules_init(&ms, &elsewhere);
	number = modules_number(&ms, &key, path);
	*named = !modules_find(&ms, number, hidden, &sym) && !strcmp(sym.name, "hidden");
	note = ms.module[number].note;
	modules_free(&ms);
	return note;
}

static void expect_named(const char *name, const struct buildid *with)
{
	bool named;

	assert_null(hidden_named(name, with, &named));
	assert_true(named);
}

static void expect_stripped(const char *name, const struct buildid *with)
{
	bool named;
	const char *note = hidden_named(name, with, &named);

	assert_false(named);
	assert_non_null(note);
	assert_non_null(strstr(note, "stripped"));
}

static void test_by_build_id(void **state)
{
	char hex[BUILDID_HEX];

	expect_stripped("plain.so", &id);
	buildid_format(&id, hex);
	run("mkdir -p " DEBUG_DIR "/.build-id/%.2s && cp lib.debug " DEBUG_DIR
	    "/.build-id/%.2s/%s.debug",
	    hex, hex, hex + 2);
	expect_named("plain.so", &id);
	expect_named("plain.so", NULL); /* the recording has none, but the file */
	/* one of another file under that name */
	run("objcopy --only-keep-debug noid.so " DEBUG_DIR "/.build-id/%.2s/%s.debug", hex,
	    hex + 2);
	expect_stripped("plain.so", &id);
	run("rm -r " DEBUG_DIR "/.build-id");
}

/* Where gdb looks, in its order: beside the file, in .debug, in the folder for all */
static void test_debuglink(void **state)
{
	static const char *const where[] = { "", ".debug/", NULL };

	run("cp plain.so linked.so && objcopy --add-gnu-debuglink=lib.debug linked.so && mkdir -p away");
	run("mv lib.debug away");
	expect_stripped("linked.so", &id);
	for (int i = 0; i < 3; i++) {
		char folder[64];

		if (where[i])
			snprintf(folder, sizeof(folder), "%s/%s", dir, where[i]);
		else
			snprintf(folder, sizeof(folder), DEBUG_DIR "%s", dir);
		run("mkdir -p %s && cp away/lib.debug %s/", folder, folder);
		expect_named("linked.so", &id);
		/* a byte more: another checksum, the same build-id */
		run("echo >> %s/lib.debug", folder);
		expect_stripped("linked.so", &id);
		/* the right checksum, in a file of another build-id, or none */
		run("rm %s/lib.debug", folder);
	}
	run("mv away/lib.debug .");
	/* without build-ids the checksum must do */
	hidden = asked("nm noid.so | awk '$3 == \"hidden\" { print $1 }'");
	expect_named("noid-plain.so", NULL);
	run("echo >> noid.debug");
	expect_stripped("noid-plain.so", NULL);
	hidden = asked("nm whole.so | awk '$3 == \"hidden\" { print $1 }'");
}

/* A checksum alone is no proof: here it is right, and the build-id isn't */
static void test_debuglink_other_id(void **state)
{
	run("cp plain.so crossed.so && cp noid.so crossed.debug &&"
	    "objcopy --add-gnu-debuglink=crossed.debug crossed.so");
	expect_stripped("crossed.so", &id);
}

/* A table of symbols as Fedora has it in every file */
static void test_minidebug(void **state)
{
	run("objcopy -S --keep-symbol=hidden lib.debug mini && xz -f mini &&"
	    "cp plain.so mini.so && objcopy --add-section .gnu_debugdata=mini.xz mini.so");
	expect_named("mini.so", &id);
	/* not to the end; and a few bytes that unpack to more than any */
	run("head -c -20 mini.xz > cut.xz && cp plain.so cut.so &&"
	    "objcopy --add-section .gnu_debugdata=cut.xz cut.so");
	expect_stripped("cut.so", &id);
	run("head -c 300M /dev/zero | xz -0 > bomb.xz && cp plain.so bomb.so &&"
	    "objcopy --add-section .gnu_debugdata=bomb.xz bomb.so");
	expect_stripped("bomb.so", &id);
}

static int free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (void *)&at, sizeof(at)), 0);
	assert_int_equal(getsockname(fd, (void *)&at, &size), 0);
	close(fd);
	return ntohs(at.sin_port);
}

static bool port_answers(int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool ok = !connect(fd, (void *)&at, sizeof(at));

	close(fd);
	return ok;
}

/* A server on this machine, which has the whole file and its debug file */
static pid_t server_start(int port)
{
	char number[16];
	pid_t pid;

	snprintf(number, sizeof(number), "%d", port);
	run("mkdir -p served && cp lib.debug plain.so served");
	pid = fork();
	if (!pid) {
		int log = open("debuginfod.log", O_WRONLY | O_CREAT, 0600);

		dup2(log, 1);
		dup2(log, 2);
		execlp("debuginfod", "debuginfod", "-p", number, "-d", ":memory:", "-F", "served",
		       NULL);
		_exit(127);
	}
	for (int i = 0; i < 300 && !port_answers(port); i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			fail_msg("debuginfod ended: see %s/debuginfod.log", dir);
		usleep(50000);
	}
	return pid;
}

static void test_debuginfod(void **state)
{
	int port = free_port();
	pid_t server = server_start(port);
	char url[64];
	bool named = false;

	expect_stripped("plain.so", &id); /* there is a server, but nobody named it */
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", "cache", 1);
	/* until it has looked through the folder; that it isn't there is kept for a while */
	for (int i = 0; i < 200 && !named; i++) {
		run("rm -rf cache");
		hidden_named("plain.so", &id, &named);
		usleep(named ? 0 : 100000);
	}
	assert_true(named);
	expect_named("gone.so", &id); /* the file itself comes from there, too */
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	/* what it sent stays */
	expect_named("plain.so", &id);
}

/* After that it isn't asked again, so this is the last test */
static void test_debuginfod_down(void **state)
{
	struct buildid other = id;
	bool named;

	other.data[0] ^= 1;
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	assert_null(debuginfod_trouble());
	assert_int_equal(debuginfod_open(&other, DEBUGINFOD_DEBUG), -1);
	assert_non_null(strstr(debuginfod_trouble(), "don't answer"));
	assert_non_null(strstr(hidden_named("plain.so", &id, &named), "don't answer"));
	unsetenv("DEBUGINFOD_URLS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_build_id),	   cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_debuglink_other_id), cmocka_unit_test(test_minidebug),
		cmocka_unit_test(test_debuginfod),	   cmocka_unit_test(test_debuginfod_down),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
