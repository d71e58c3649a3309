# SPDX-License-Identifier: MIT
#
# The module is built by kbuild in its own directory; all else goes to build/.

VERSION	:= $(file < VERSION)
KREL	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KREL)/build
B	:= build

PREFIX	?= /usr/local
BINDIR	?= $(PREFIX)/bin
LIBDIR	?= $(PREFIX)/lib
INCDIR	?= $(PREFIX)/include
MANDIR	?= $(PREFIX)/share/man
UNITDIR	?= $(PREFIX)/lib/systemd/system
SYSCONFDIR ?= /etc
DESTDIR	?=

# For another machine: the prefix of its compiler, and a folder with its libraries and headers
CROSS_COMPILE ?=
SYSROOT	?=
ifneq ($(CROSS_COMPILE),)
CC	:= $(CROSS_COMPILE)gcc $(SYSROOT:%=--sysroot=%)
AR	:= $(CROSS_COMPILE)ar
PKG_CONFIG := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
	   PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(shell $(CC) -print-multiarch)/pkgconfig pkg-config
endif
PKG_CONFIG ?= pkg-config
MACHINE	:= $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))

CFLAGS	?= -O2 -g
PKGS	:= libmnl libdw libelf liblzma libzstd json-c libprotobuf-c zlib
WARN	:= -Wall -Wextra -Wno-unused-parameter -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	   -Wpointer-arith
CPPFLAGS_ALL = -D_GNU_SOURCE -DVSAMP_VERSION='"$(VERSION)"' -Ilib/include -Iuapi -I$(B) -MMD -MP \
	   $(PKG_CFLAGS) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 -fPIC $(WARN) $(CFLAGS)
# looked up once, and only when something needs them: the module doesn't
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell $(PKG_CONFIG) --cflags $(PKGS)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell $(PKG_CONFIG) --libs $(PKGS)) -lpfm -liberty -lpthread -lm)$(PKG_LIBS)

LIB_SRC	:= $(wildcard lib/*.c)
TOOL_SRC := $(wildcard tools/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
LIB_OBJ	:= $(LIB_SRC:%.c=$(B)/%.o) $(B)/lib/profile.pb-c.o $(B)/lib/oa_tables.o
GEN_OBJ	:= $(patsubst %.c,$(B)/%.o,$(wildcard lib/gen/*.c))
# the command has the examples' tools for kernels of GPUs
GEN_TOOLS := $(addprefix $(B)/docs/examples/gen/,tool.o opcodes.o bbl.o timers.o memtrace.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/%.o) $(GEN_TOOLS)
UNIT	:= $(UNIT_SRC:%.c=$(B)/%)
KSELFTEST := $(patsubst %.c,$(B)/%,$(wildcard tests/kselftest/*_test.c))
MAN	:= $(wildcard docs/man/*.[1-8])

.PHONY: all user module unit progs tests tests-arm64 examples install install-user install-module \
	dkms-install dkms-remove check check-kernels lint demo bench clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

#:  make                  the library, the command and the module for the running kernel
all: user module

#:  make user             all but the module
user: $(B)/libvsamp.so $(B)/vsamp $(B)/libvsamp-ittnotify.a $(B)/libvsamp-itt.so $(B)/libvsamp-gen.so

#:  make user CROSS_COMPILE=aarch64-linux-gnu- SYSROOT=FOLDER B=FOLDER    the same for another machine

#:  make module           the module alone; KDIR=FOLDER builds it for another kernel's headers
# kbuild deletes a module that it can't give BTF to
NO_BTF	= $(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=)
KBUILD	= $(MAKE) -C $(KDIR) M=$(CURDIR) $(NO_BTF)

module:
	@test -e "$(KDIR)/Makefile" || { \
		echo "no kernel headers at $(KDIR): install linux-headers-$(KREL)," \
			"or name other headers by KDIR=; 'make user' builds all but the module" >&2; \
		exit 1; }
	$(KBUILD) modules

#:  make install          all of it, below PREFIX (/usr/local); DESTDIR= for packagers
install: install-user install-module

install-user: user $(B)/installed/vsamp $(B)/libvsamp.pc $(B)/vsamp-ittnotify.pc \
		$(B)/libvsamp-gen.pc $(B)/vsamp-record.service
	install -D -m 755 $(B)/installed/vsamp $(DESTDIR)$(BINDIR)/vsamp
	install -D -m 644 $(B)/libvsamp.so.0 $(DESTDIR)$(LIBDIR)/libvsamp.so.0
	ln -sf libvsamp.so.0 $(DESTDIR)$(LIBDIR)/libvsamp.so
	install -D -m 644 $(B)/libvsamp.pc $(DESTDIR)$(LIBDIR)/pkgconfig/libvsamp.pc
	install -D -m 644 $(B)/libvsamp-gen.so.0 $(DESTDIR)$(LIBDIR)/libvsamp-gen.so.0
	ln -sf libvsamp-gen.so.0 $(DESTDIR)$(LIBDIR)/libvsamp-gen.so
	install -D -m 644 $(B)/libvsamp-gen.pc $(DESTDIR)$(LIBDIR)/pkgconfig/libvsamp-gen.pc
	install -D -m 644 $(B)/libvsamp-itt.so $(DESTDIR)$(LIBDIR)/libvsamp-itt.so
	install -D -m 644 $(B)/libvsamp-ittnotify.a $(DESTDIR)$(LIBDIR)/libvsamp-ittnotify.a
	install -D -m 644 $(B)/vsamp-ittnotify.pc $(DESTDIR)$(LIBDIR)/pkgconfig/vsamp-ittnotify.pc
	install -d $(DESTDIR)$(INCDIR)/vsamp/itt
	install -m 644 lib/itt/static/ittnotify.h lib/itt/static/ittnotify_calls.h $(DESTDIR)$(INCDIR)/vsamp/itt
	install -m 644 lib/include/vsamp/*.h $(DESTDIR)$(INCDIR)/vsamp
	install -m 644 uapi/vsamp.h $(DESTDIR)$(INCDIR)
	set -e; for m in $(MAN); do \
		install -D -m 644 $$m $(DESTDIR)$(MANDIR)/man$${m##*.}/$${m##*/}; done
	install -D -m 644 $(B)/vsamp-record.service $(DESTDIR)$(UNITDIR)/vsamp-record.service
	test -e $(DESTDIR)$(SYSCONFDIR)/vsamp/record.conf || \
		install -D -m 644 systemd/record.conf $(DESTDIR)$(SYSCONFDIR)/vsamp/record.conf
	test -n "$(DESTDIR)" || ldconfig

install-module: module
	$(KBUILD) modules_install $(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR))
	test -n "$(DESTDIR)" || depmod $$($(MAKE) -s -C $(KDIR) kernelrelease)

#:  make dkms-install     hands the module to DKMS, which keeps it built for every kernel
DKMS_SRC = /usr/src/vsamp-$(VERSION)
dkms-install:
	install -d $(DESTDIR)$(DKMS_SRC)
	cp --parents Kbuild Makefile VERSION dkms.conf uapi/vsamp.h kmod/Kbuild kmod/*.[ch] kmod/*/*.[ch] \
		$(DESTDIR)$(DKMS_SRC)
	rm -f $(DESTDIR)$(DKMS_SRC)/kmod/*.mod.c $(DESTDIR)$(DKMS_SRC)/kmod/probes.h
	test -n "$(DESTDIR)" || dkms install vsamp/$(VERSION)

dkms-remove:
	dkms remove vsamp/$(VERSION) --all
	rm -rf $(DKMS_SRC)

#:  make check            every test, most of them in virtual machines; TESTS=PATTERN for some
check:
	scripts/deps
	tests/run-tests $(TESTS:%='%')

#:  make check-kernels    the main jobs with every kernel, kind of machine and number of CPUs
check-kernels:
	scripts/deps
	tests/check-kernels $(TESTS:%='%')

#:  make lint             style and static checks of all sources
lint:
	scripts/deps
	scripts/lint

#:  make demo             records a whole virtual machine, and a program in it
demo:
	scripts/demo

#:  make bench            what a sample costs, beside perf
bench:
	scripts/deps
	tests/bench/run

#:  make clean
clean:
	rm -rf $(B)
	test ! -e "$(KDIR)/Makefile" || $(KBUILD) clean

help:
	@sed -n 's/^#:  //p' Makefile

unit: $(UNIT)

# what suites run, beside what is installed
tests: user unit progs examples $(KSELFTEST)

# the same for guests of another architecture, to build/arm64
tests-arm64:
	sysroot=$$(tests/vm/get-sysroot) && $(MAKE) B=$(B)/arm64 CROSS_COMPILE=aarch64-linux-gnu- \
		SYSROOT="$$sysroot" tests

# what is sampled and counted in tests: programs of known lengths
PROGS	:= $(addprefix $(B)/tests/progs/,loop spin storm ticks phases launchlog kexec sample_times stream print_states onterminal family jit chain print_stacks make_file make_itt make_timeline make_tracks busy_machine)
PROGS	+= $(addprefix $(B)/tests/itt/,print_spool script)
PROGS	+= $(if $(filter x86_64,$(MACHINE)),$(B)/tests/progs/gpu_reports)
progs: $(PROGS)

$(B)/tests/progs/%: tests/progs/$(MACHINE)/%.S
	@mkdir -p $(@D)
	$(CC) -nostdlib -static -DINSNS=200000000 -o $@ $<

$(addprefix $(B)/tests/progs/,ticks phases launchlog onterminal kexec family jit): $(B)/tests/progs/%: tests/progs/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -static -o $@ $<

# its callers are to be found by frame pointers
$(B)/tests/progs/chain: tests/progs/chain.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -static -o $@ $<

$(addprefix $(B)/tests/progs/,sample_times stream gpu_reports print_stacks print_states): %: %.o $(B)/libvsamp.so
	$(CC) $(LDFLAGS) -o $@ $< $(B)/libvsamp.so

# documentation that compiles
EXAMPLES := $(patsubst %.c,$(B)/%,$(wildcard docs/examples/*.c))
examples: $(EXAMPLES)

$(B)/docs/examples/%: $(B)/docs/examples/%.o $(B)/libvsamp.so
	$(CC) $(LDFLAGS) -o $@ $< $(B)/libvsamp.so

# with clang and its sanitizers: tests/fuzz/build
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(B)/unit.a
	$(CC) $(CFLAGS_ALL) -fsanitize=fuzzer -o $@ $< $(B)/unit.a $(PKG_LIBS)

$(addprefix $(B)/tests/progs/,make_file make_itt make_timeline make_tracks busy_machine): %: %.o $(B)/unit.a
	$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(B)/tests/progs/busy_machine: $(B)/tests/progs/busy_code.o

$(B)/tests/itt/print_spool: %: %.o $(B)/unit.a
	$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(B)/tools/gen_instrument.o $(B)/tools/gen_report.o: CPPFLAGS_ALL += -Idocs/examples/gen

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

$(B)/tests/itt/script.o: PKG_CFLAGS = -Ilib/itt/static
$(B)/tests/itt/script: %: %.o $(B)/libvsamp-ittnotify.a
	$(CC) $(LDFLAGS) -o $@ $^ -ldl -lpthread

# pprof's format, as far as it is written
$(B)/lib/profile.pb-c.c: lib/profile.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(B) $<

$(B)/lib/profile.pb-c.o: $(B)/lib/profile.pb-c.c
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

$(B)/lib/export_pprof.o: $(B)/lib/profile.pb-c.c

$(B)/lib/html_files.o: $(wildcard lib/html/*)

# what is known of GPUs; a family's metrics come before its platforms
OA_TABLES := $(patsubst %,lib/oa/%.oa,gen9 sklgt2 kblgt2 cflgt2 gen12 tglgt1 tglgt2 rkl dg1 adl xehpg mtlgt2 mtlgt3 devices)
$(B)/lib/oa_tables.c: lib/oa/tables.awk $(OA_TABLES)
	@mkdir -p $(@D)
	LC_ALL=C awk -f $^ > $@

$(B)/lib/oa_tables.o: $(B)/lib/oa_tables.c
	$(CC) $(CPPFLAGS_ALL) -Ilib $(CFLAGS_ALL) -c -o $@ $<

$(B)/libvsamp.so.0: $(LIB_OBJ) lib/libvsamp.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,libvsamp.so.0 -Wl,-z,defs \
		-Wl,--version-script=lib/libvsamp.map -o $@ $(LIB_OBJ) $(PKG_LIBS)

$(B)/libvsamp.so: $(B)/libvsamp.so.0
	ln -sf libvsamp.so.0 $@

# in the tree the command finds its library beside itself
$(B)/vsamp: RPATH = -Wl,-rpath,'$$ORIGIN'
# GPUs' instructions are of one command: they are in the program
$(B)/vsamp $(B)/installed/vsamp: $(TOOL_OBJ) $(GEN_OBJ) $(B)/libvsamp.so
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(RPATH) -o $@ $(TOOL_OBJ) $(GEN_OBJ) $(B)/libvsamp.so $(PKG_LIBS)

$(B)/vsamp-record.service: systemd/vsamp-record.service.in FORCE
	sed 's,@BINDIR@,$(BINDIR),' $< > $@

$(B)/libvsamp.pc: FORCE
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCDIR)' '' \
		'Name: libvsamp' 'Description: event-based sampling: sessions, files, reports' \
		'Version: $(VERSION)' 'Requires.private: $(PKGS)' \
		'Libs: -L$${libdir} -lvsamp' 'Cflags: -I$${includedir}' > $@

# needs nothing but the C library
$(B)/libvsamp-gen.so.0: $(GEN_OBJ) lib/gen/gen.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,libvsamp-gen.so.0 -Wl,-z,defs \
		-Wl,--version-script=lib/gen/gen.map -o $@ $(GEN_OBJ)

$(B)/libvsamp-gen.so: $(B)/libvsamp-gen.so.0
	ln -sf libvsamp-gen.so.0 $@

$(B)/libvsamp-gen.pc: FORCE
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCDIR)' '' \
		'Name: libvsamp-gen' 'Description: instructions of Intel GPUs' \
		'Version: $(VERSION)' 'Libs: -L$${libdir} -lvsamp-gen' 'Cflags: -I$${includedir}' > $@

# for programs that are to tell of their tasks
ITT_STATIC := $(patsubst %.c,$(B)/%.o,$(wildcard lib/itt/static/*.c))
$(B)/libvsamp-ittnotify.a: $(ITT_STATIC)
	@rm -f $@
	$(AR) rcs $@ $^

# what programs load; it stays, as they have its functions, and needs nothing but the C library
COLLECTOR := $(patsubst %.c,$(B)/%.o,$(wildcard lib/itt/*.c))
$(COLLECTOR): CFLAGS_ALL += -fvisibility=hidden -fno-plt
$(B)/libvsamp-itt.so: $(COLLECTOR) lib/itt/collector.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,libvsamp-itt.so -Wl,-z,defs -Wl,-z,nodelete -Wl,-z,now \
		-Wl,--version-script=lib/itt/collector.map -o $@ $(COLLECTOR)

$(B)/vsamp-ittnotify.pc: FORCE
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCDIR)/vsamp/itt' '' \
		'Name: vsamp-ittnotify' 'Description: tasks and events of a program, for a collector' \
		'Version: $(VERSION)' 'Libs: -L$${libdir} -lvsamp-ittnotify -ldl -lpthread' \
		'Cflags: -I$${includedir}' > $@

# unit tests reach what the library and the command don't export, so they link with the objects
$(B)/unit.a: $(LIB_OBJ) $(GEN_OBJ) $(filter-out %/main.o,$(TOOL_OBJ))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/unit.a
	$(CC) $(LDFLAGS) -o $@ $< $(B)/unit.a $(PKG_LIBS) -lcmocka

$(B)/tests/unit/%.o: CPPFLAGS_ALL += -Ilib -Itools

# the kernel's own harness, with the second client of the control family
HARNESS	= $(eval HARNESS := $$(shell scripts/linux-source))$(HARNESS)
KSELFTEST_PKGS := libnl-genl-3.0

$(B)/tests/kselftest/%_test: $(B)/tests/kselftest/%_test.o $(B)/tests/kselftest/client.o \
		$(B)/tests/kselftest/session.o
	$(CC) $(LDFLAGS) -o $@ $^ $$($(PKG_CONFIG) --libs $(KSELFTEST_PKGS)) -lpthread

$(B)/tests/kselftest/control_test.o: $(B)/tests/kselftest/spec_tables.h
$(B)/tests/kselftest/spec_tables.h: tests/kselftest/spec_tables.py uapi/vsamp.yaml
	@mkdir -p $(@D)
	$^ > $@

$(B)/tests/kselftest/%.o: PKG_CFLAGS = -I$(B)/tests/kselftest -Itests/progs -isystem $(HARNESS)/tools/testing/selftests \
	$(shell $(PKG_CONFIG) --cflags $(KSELFTEST_PKGS))
$(B)/tests/kselftest/%.o: WARN += -Wno-sign-compare -Wno-missing-prototypes

-include $(LIB_OBJ:.o=.d) $(GEN_OBJ:.o=.d) $(ITT_STATIC:.o=.d) $(COLLECTOR:.o=.d) $(TOOL_OBJ:.o=.d) $(UNIT:=.d) $(wildcard $(B)/tests/kselftest/*.d $(B)/tests/progs/*.d $(B)/tests/itt/*.d $(B)/tests/fuzz/*.d) \
	$(EXAMPLES:=.d)
