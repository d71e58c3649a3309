# SPDX-License-Identifier: MIT
#
# The module is built by kbuild in its own directory; all else goes to build/.
# `make help` lists the targets.

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

CC	?= gcc
CFLAGS	?= -O2 -g
PKGS	:= libmnl libdw libelf libzstd json-c
WARN	:= -Wall -Wextra -Wno-unused-parameter -Wstrict-prototypes -Wmissing-prototypes \
	   -Wvla -Wpointer-arith
CPPFLAGS_ALL = -D_GNU_SOURCE -DVSAMP_VERSION='"$(VERSION)"' -Ilib/include -Iuapi -MMD -MP \
	   $(PKG_CFLAGS) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 -fPIC $(WARN) $(CFLAGS)
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
PKG_LIBS = $(shell pkg-config --libs $(PKGS)) -lpfm -lpthread

LIB_SRC	:= $(wildcard lib/*.c)
TOOL_SRC := $(wildcard tools/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
LIB_OBJ	:= $(LIB_SRC:%.c=$(B)/%.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/%.o)
UNIT	:= $(UNIT_SRC:%.c=$(B)/%)

.PHONY: all user module unit clean help
.DELETE_ON_ERROR:
.SECONDARY:

all: user module

user: $(if $(LIB_SRC),$(B)/libvsamp.so) $(if $(TOOL_SRC),$(B)/vsamp)

module:
	@test -e "$(KDIR)/Makefile" || { \
		echo "no kernel headers at $(KDIR): install linux-headers-$(KREL), or name others by KDIR=;" \
			"'make user' builds all but the module" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

unit: $(UNIT)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

$(B)/libvsamp.so.0: $(LIB_OBJ) $(wildcard lib/libvsamp.map)
	$(CC) -shared $(LDFLAGS) -Wl,-soname,libvsamp.so.0 -Wl,-z,defs \
		$(if $(wildcard lib/libvsamp.map),-Wl$(comma)--version-script=lib/libvsamp.map) \
		-o $@ $(LIB_OBJ) $(PKG_LIBS)

$(B)/libvsamp.so: $(B)/libvsamp.so.0
	ln -sf libvsamp.so.0 $@

# finds its library beside itself, or in the library directory beside its own
$(B)/vsamp: $(TOOL_OBJ) $(B)/libvsamp.so
	$(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN' -o $@ $(TOOL_OBJ) $(B)/libvsamp.so $(PKG_LIBS)

# unit tests reach what the library and the command don't export, so they link with the objects
$(B)/unit.a: $(LIB_OBJ) $(filter-out %/main.o,$(TOOL_OBJ))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/unit.a
	$(CC) $(LDFLAGS) -o $@ $< $(B)/unit.a $(PKG_LIBS) -lcmocka

$(B)/tests/unit/%.o: CPPFLAGS_ALL += -Ilib -Itools

clean:
	rm -rf $(B)
	@test ! -e "$(KDIR)/Makefile" || $(MAKE) -C $(KDIR) M=$(CURDIR) clean

help:
	@sed -n 's/^#: //p' Makefile

comma	:= ,

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(UNIT:=.d)
