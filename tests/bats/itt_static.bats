#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What programs are built with: the header and the static part, under a collector that only counts

bats_require_minimum_version 1.5.0

WARN=(-O2 -Wall -Wextra -Wshadow -pedantic -Werror)
PROGRAMS=(docs/examples/itt/example_{tasks,marks,regions} tests/itt/{every_call,race})

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export ITT=$TREE/lib/itt/static TESTS=$TREE/tests/itt EXAMPLES=$TREE/docs/examples/itt
	cd "$BATS_FILE_TMPDIR" || return
	make -s -C "$TREE" build/libvsamp-ittnotify.a build/vsamp-ittnotify.pc
	for p in "${PROGRAMS[@]}"; do
		gcc -std=c99 -D_GNU_SOURCE "${WARN[@]}" -I"$ITT" -o "${p##*/}" "$TREE/$p.c" "$TREE/build/libvsamp-ittnotify.a" -lpthread
		g++ -x c++ -std=c++11 "${WARN[@]}" -I"$ITT" -o "${p##*/}++" "$TREE/$p.c" -x none "$TREE/build/libvsamp-ittnotify.a" -lpthread
	done
	gcc -D_GNU_SOURCE -shared -fPIC -O2 -o count.so "$TESTS/count.c"
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	rm -rf counts
	mkdir counts
	unset INTEL_LIBITTNOTIFY64 ITT_INIT_USLEEP ITT_COUNT_NEXT
	export ITT_COUNT_DIR=$PWD/counts
}

# counted PROGRAM [ARG]...: its calls, NAME N a line
counted() {
	rm -f counts/*
	INTEL_LIBITTNOTIFY64=$PWD/count.so "$@"
	"$TESTS/counts.py" counts
}

@test "what collectors and static parts share has the same layout as others', on both architectures" {
	gcc -std=gnu11 -I"$ITT" -c -o /dev/null "$TESTS/layout.c"
	aarch64-linux-gnu-gcc -std=gnu11 -I"$ITT" -c -o /dev/null "$TESTS/layout.c"
}

@test "without a collector all programs run, and create nothing" {
	for p in example_tasks example_marks example_regions every_call; do
		run -0 "./$p"
		[ -z "$output" ]
	done
	run -0 ./race 4 2000
	[ -z "$(ls counts)" ]
}

@test "a collector that can't be loaded changes nothing for the program" {
	for lib in /nonexistent.so "$TESTS/count.c" /lib/x86_64-linux-gnu/libm.so.6; do
		INTEL_LIBITTNOTIFY64=$lib run -0 ./every_call
		[ -z "$output" ]
	done
}

@test "without a collector a pair of calls costs a few nanoseconds" {
	run -0 timeout 2 ./race 1 50000000
}

@test "the three examples, in C and in C++, call what they say" {
	for form in "" ++; do
		counted "./example_tasks$form" | sort | diff <(printf '%s\n' '__itt_task_begin 2' '__itt_task_end 2' 'init 1') -
		counted "./example_marks$form" | sort | diff <(printf '%s\n' '__itt_event_create 2' '__itt_event_start 6' 'init 1') -
		counted "./example_regions$form" | sort |
			diff <(printf '%s\n' '__itt_event_create 1' '__itt_event_end 5' '__itt_event_start 5' 'init 1') -
	done
}

@test "each call reaches the collector once, and fini does" {
	counted ./every_call >all
	[ "$(wc -l <all)" -ge 75 ]
	grep -qx 'init 1' all
	grep -qx 'fini 1' all
	grep -qx '__itt_formatted_metadata_add 1' all
	grep -qx '__itt_sync_releasing 1' all
	# the C++ form is the same
	counted ./every_call++ | diff - all
}

@test "the header is clean by other compilers, and as later C++" {
	for p in docs/examples/itt/example_{tasks,marks,regions} tests/itt/every_call; do
		for cc in "clang -std=c11" "clang++ -x c++ -std=c++11" "clang++ -x c++ -std=c++20" "g++ -x c++ -std=c++20"; do
			$cc -D_GNU_SOURCE "${WARN[@]}" -I"$ITT" -fsyntax-only "$TREE/$p.c"
		done
	done
}

@test "a domain that is switched off tells nothing, until it is on again" {
	cat >off.c <<-EOF2
		#include "ittnotify.h"
		int main(void)
		{
			__itt_domain *d = __itt_domain_create("off");
			d->flags = 0;
			__itt_task_begin(d, __itt_null, __itt_null, NULL);
			__itt_formatted_metadata_add(d, NULL, 1);
			d->flags = 1;
			__itt_task_end(d);
			return 0;
		}
	EOF2
	gcc -I"$ITT" -o off off.c "$TREE/build/libvsamp-ittnotify.a"
	counted ./off | sort | diff <(printf '%s\n' '__itt_task_end 1' 'init 1') -
}

@test "4 threads that make the first call at once: it is initialised once, and no call is lost" {
	for _ in 1 2 3 4 5; do
		ITT_INIT_USLEEP=20000 counted ./race 4 2000 >calls
		grep -qx 'init 1' calls
		grep -qx '__itt_task_begin 8000' calls
		grep -qx '__itt_task_end 8000' calls
	done
}

@test "with INTEL_NO_ITTNOTIFY_API a program needs no static part, and calls nothing" {
	for p in "${PROGRAMS[@]}"; do
		gcc -std=c99 -D_GNU_SOURCE -DINTEL_NO_ITTNOTIFY_API "${WARN[@]}" -I"$ITT" -o none "$TREE/$p.c" -lpthread
		g++ -x c++ -std=c++11 -DINTEL_NO_ITTNOTIFY_API "${WARN[@]}" -I"$ITT" -o none "$TREE/$p.c" -lpthread
	done
	INTEL_LIBITTNOTIFY64=$PWD/count.so ./none 1 1
	[ -z "$(ls counts)" ]
}

@test "a shared library with its own static part is initialised beside the program" {
	sed 's/int main(void)/int library(void)/' "$EXAMPLES/example_tasks.c" >library.c
	printf '#include "ittnotify.h"\nint library(void);\nint main(void) { __itt_event_start(1); return library(); }\n' >both.c
	gcc -shared -fPIC -I"$ITT" -I"$EXAMPLES" -o liblibrary.so library.c "$TREE/build/libvsamp-ittnotify.a"
	gcc -I"$ITT" -o both both.c "$TREE/build/libvsamp-ittnotify.a" -L. -llibrary -Wl,-rpath,"$PWD"
	counted ./both >calls
	grep -qx 'init 2' calls
	grep -qx '__itt_task_begin 2' calls
}

@test "pkg-config vsamp-ittnotify says how to build with what is installed" {
	make -s -C "$TREE" PREFIX="$PWD/usr" INCDIR="$PWD/usr/include" LIBDIR="$PWD/usr/lib" DESTDIR= build/vsamp-ittnotify.pc
	mkdir -p usr/lib/pkgconfig usr/include/vsamp/itt
	cp "$TREE/build/vsamp-ittnotify.pc" usr/lib/pkgconfig/
	cp "$TREE/build/libvsamp-ittnotify.a" usr/lib/
	cp "$ITT/ittnotify.h" "$ITT/ittnotify_calls.h" usr/include/vsamp/itt/
	export PKG_CONFIG_PATH=$PWD/usr/lib/pkgconfig
	# shellcheck disable=SC2046
	gcc -o installed "$EXAMPLES/example_tasks.c" $(pkg-config --cflags --libs vsamp-ittnotify)
	counted ./installed | grep -qx '__itt_task_begin 2'
	make -s -C "$TREE" build/vsamp-ittnotify.pc
}
