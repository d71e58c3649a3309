#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# names of what was really sampled on this machine, by time: cpu-clock needs no counters

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	rm -f "${map:-}"
}

record() {
	run -0 vsamp record -b perf -e cpu-clock -o vsamp.data -- "$@"
}

# percent WHAT...: of the row that has all of this in its columns, whole; 0 if there is none
percent() {
	vsamp report --csv | python3 -c '
import csv, sys
total = part = 0
for row in csv.DictReader(sys.stdin):
	samples = int(row["cpu-clock samples"])
	total += samples
	if set(sys.argv[1:]) <= set(row.values()):
		part += samples
print(int(100 * part / total))' "$@"
}

@test "code made at run time has the name that it had at the time of the sample" {
	record "$TREE/build/tests/progs/jit" dump 150
	dump=$(echo "$PWD"/jit-*.dump)
	first=$(percent "$dump" jit_first)
	second=$(percent "$dump" jit_second)
	echo "$first % and $second %"
	# at one address one after the other, the second for three times as long
	((first >= 15 && first <= 35 && second >= 60 && second <= 85))
	# another file in its place: not that of the recording
	cp "$dump" copy && mv copy "$dump"
	[ "$(percent "[unknown]" "[anon]")" -gt 90 ]
}

@test "perf reads the same jitdump as we do" {
	# build-ids by the kernel: beside another who asks for them, as a vsamp record of other CPUs does,
	# it marks everybody's mappings so, and perf takes device numbers for a build-id where it asked for none
	perf record -q --buildid-mmap -k mono -e cpu-clock -F 2000 -o perf.data "$TREE/build/tests/progs/jit" dump 150
	perf inject --jit -i perf.data -o injected.data
	theirs=$(perf report -i injected.data --stdio 2>perf.log | awk '$NF == "jit_second" { print int($1) }')
	rm jit-*.dump
	record "$TREE/build/tests/progs/jit" dump 150
	ours=$(percent "$(echo "$PWD"/jit-*.dump)" jit_second)
	echo "$ours % and $theirs %"
	((theirs >= 60 && ours - theirs <= 15 && theirs - ours <= 15))
}

@test "code made at run time has the names of /tmp/perf-PID.map" {
	record "$TREE/build/tests/progs/jit" map 150
	map=$(vsamp report --json | jq -r '"/tmp/perf-\([.rows[] | select(.symbol == "jit_second")][0].pid).map"')
	[ -e "$map" ]
	[ "$(percent "[anon]" jit_second)" -ge 60 ]
	[ "$(percent "[anon]" jit_first)" -ge 15 ]
	rm "$map"
	run -0 --separate-stderr vsamp report
	[[ $output == *"[anon]"*"[unknown]"*"# [anon]: code made at run time"* ]]
}

@test "names of C++ and Rust are as in the source, or --no-demangle" {
	cat >names.c <<-EOF
		#include <stdlib.h>
		void cpp(unsigned long n) __asm__("_ZN5outer5innerEm");
		void rust(unsigned long n) __asm__("_ZN4core4slow4spin17h0123456789abcdefE");
		void __attribute__((noinline)) cpp(unsigned long n) { while (n--) __asm__ volatile(""); }
		void __attribute__((noinline)) rust(unsigned long n) { while (n--) __asm__ volatile(""); }
		int main(void) { cpp(300000000); rust(300000000); return 0; }
	EOF
	gcc -O1 -o names names.c
	record ./names
	[ "$(percent "outer::inner(unsigned long)")" -ge 30 ]
	[ "$(percent "core::slow::spin")" -ge 30 ]
	run -0 --separate-stderr vsamp report --no-demangle
	[[ $output == *_ZN5outer5innerEm* && $output == *_ZN4core4slow4spin17h0123456789abcdefE* ]]
	[[ $output != *outer::inner* ]]
	run -0 --separate-stderr vsamp script
	[[ $output == *"outer::inner(unsigned long)"* ]]
	run -0 --separate-stderr vsamp script --no-demangle
	[[ $output == *_ZN5outer5innerEm* && $output != *outer::inner* ]]
}

@test "a program that was replaced is noticed, and the note says what to do" {
	printf 'void __attribute__((noinline)) slow(unsigned long n) { while (n--) __asm__ volatile(""); }\nint main(void) { slow(300000000); return 0; }\n' >slow.c
	gcc -O1 -o program slow.c
	record ./program
	[ "$(percent "$PWD/program" slow)" -ge 60 ]
	sed -i 's/slow(300000000)/slow(3)/' slow.c
	gcc -O1 -o program slow.c
	[ "$(percent "$PWD/program" slow)" -eq 0 ]
	run -0 --separate-stderr vsamp report
	[[ $output == *"# $PWD/program: replaced since the recording"*"put back"* ]]
	rm program
	run -0 --separate-stderr vsamp report
	[[ $output == *"# $PWD/program: not found: "* ]]
}

@test "the vDSO is named" {
	printf '#include <time.h>\nint main(void) { struct timespec t; for (int i = 0; i < 6000000; i++) clock_gettime(CLOCK_MONOTONIC, &t); return 0; }\n' >times.c
	gcc -O1 -o times times.c
	record ./times
	run -0 --separate-stderr vsamp report
	[[ $output == *"[vdso]"*clock_gettime* ]]
}
