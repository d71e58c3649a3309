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
DESTDIR	?=

CFLAGS	?= -O2 -g
PKGS	:= libmnl libdw libelf libzstd json-c
WARN	:= -Wall -Wextra -Wno-unused-parameter -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	   -Wpointer-arith
CPPFLAGS_ALL = -D_GNU_SOURCE -DVSAMP_VERSION='"$(VERSION)"' -Ilib/include -Iuapi -MMD -MP \
	   $(PKG_CFLAGS) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 -fPIC $(WARN) $(CFLAGS)
# looked up once, and only when something needs them: the module doesn't
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PKGS)) -lpfm -lpthread)$(PKG_LIBS)

LIB_SRC	:= $(wildcard lib/*.c)
TOOL_SRC := $(wildcard tools/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
LIB_OBJ	:= $(LIB_SRC:%.c=$(B)/%.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/%.o)
UNIT	:= $(UNIT_SRC:%.c=$(B)/%)
KSELFTEST := $(patsubst %.c,$(B)/%,$(wildcard tests/kselftest/*_test.c))
MAN	:= $(wildcard docs/man/*.[1-8])

.PHONY: all user module unit progs tests progs install install-user install-module dkms-install dkms-remove \
	check lint demo bench clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

#:  make                  the library, the command and the module for the running kernel
all: user module

#:  make user             all but the module
user: $(B)/libvsamp.so $(B)/vsamp

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

install-user: user $(B)/installed/vsamp $(B)/libvsamp.pc
	install -D -m 755 $(B)/installed/vsamp $(DESTDIR)$(BINDIR)/vsamp
	install -D -m 644 $(B)/libvsamp.so.0 $(DESTDIR)$(LIBDIR)/libvsamp.so.0
	ln -sf libvsamp.so.0 $(DESTDIR)$(LIBDIR)/libvsamp.so
	install -D -m 644 $(B)/libvsamp.pc $(DESTDIR)$(LIBDIR)/pkgconfig/libvsamp.pc
	install -d $(DESTDIR)$(INCDIR)/vsamp
	install -m 644 lib/include/vsamp/*.h $(DESTDIR)$(INCDIR)/vsamp
	install -m 644 uapi/vsamp.h $(DESTDIR)$(INCDIR)
	set -e; for m in $(MAN); do \
		install -D -m 644 $$m $(DESTDIR)$(MANDIR)/man$${m##*.}/$${m##*/}; done
	test -n "$(DESTDIR)" || ldconfig

install-module: module
	$(KBUILD) modules_install $(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR))
	test -n "$(DESTDIR)" || depmod $$($(MAKE) -s -C $(KDIR) kernelrelease)

#:  make dkms-install     hands the module to DKMS, which keeps it built for every kernel
DKMS_SRC = /usr/src/vsamp-$(VERSION)
dkms-install:
	install -d $(DESTDIR)$(DKMS_SRC)
	cp --parents Kbuild Makefile VERSION dkms.conf uapi/vsamp.h kmod/Kbuild kmod/*.[ch] kmod/probes/*.c \
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
tests: user unit progs $(KSELFTEST)

# what is sampled and counted in tests: programs of known lengths
PROGS	:= $(addprefix $(B)/tests/progs/,loop spin ticks sample_times make_file)
progs: $(PROGS)

$(B)/tests/progs/%: tests/progs/%.S
	@mkdir -p $(@D)
	$(CC) -nostdlib -static -DINSNS=200000000 -o $@ $<

$(B)/tests/progs/ticks: tests/progs/ticks.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -static -o $@ $<

$(B)/tests/progs/sample_times: $(B)/tests/progs/sample_times.o $(B)/libvsamp.so
	$(CC) $(LDFLAGS) -o $@ $< $(B)/libvsamp.so

$(B)/tests/progs/make_file: $(B)/tests/progs/make_file.o $(B)/unit.a
	$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

$(B)/libvsamp.so.0: $(LIB_OBJ) lib/libvsamp.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,libvsamp.so.0 -Wl,-z,defs \
		-Wl,--version-script=lib/libvsamp.map -o $@ $(LIB_OBJ) $(PKG_LIBS)

$(B)/libvsamp.so: $(B)/libvsamp.so.0
	ln -sf libvsamp.so.0 $@

# in the tree the command finds its library beside itself
$(B)/vsamp: RPATH = -Wl,-rpath,'$$ORIGIN'
$(B)/vsamp $(B)/installed/vsamp: $(TOOL_OBJ) $(B)/libvsamp.so
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(RPATH) -o $@ $(TOOL_OBJ) $(B)/libvsamp.so $(PKG_LIBS)

$(B)/libvsamp.pc: FORCE
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCDIR)' '' \
		'Name: libvsamp' 'Description: event-based sampling: sessions, files, reports' \
		'Version: $(VERSION)' 'Requires.private: $(PKGS)' \
		'Libs: -L$${libdir} -lvsamp' 'Cflags: -I$${includedir}' > $@

# unit tests reach what the library and the command don't export, so they link with the objects
$(B)/unit.a: $(LIB_OBJ) $(filter-out %/main.o,$(TOOL_OBJ))
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
	$(CC) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs $(KSELFTEST_PKGS)) -lpthread

$(B)/tests/kselftest/control_test.o: $(B)/tests/kselftest/spec_tables.h
$(B)/tests/kselftest/spec_tables.h: tests/kselftest/spec_tables.py uapi/vsamp.yaml
	@mkdir -p $(@D)
	$^ > $@

$(B)/tests/kselftest/%.o: PKG_CFLAGS = -I$(B)/tests/kselftest -isystem $(HARNESS)/tools/testing/selftests \
	$(shell pkg-config --cflags $(KSELFTEST_PKGS))
$(B)/tests/kselftest/%.o: WARN += -Wno-sign-compare -Wno-missing-prototypes

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(UNIT:=.d) $(wildcard $(B)/tests/kselftest/*.d $(B)/tests/progs/*.d)
