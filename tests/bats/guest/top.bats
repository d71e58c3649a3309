#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# top in a guest with the PMU, of programs of known code: ./spin and ./loop do nothing but loop

bats_require_minimum_version 1.5.0

setup() {
	loop=$PWD/loop
	cp spin "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return
	./spin 3>&- &
	spin=$!
}

teardown() {
	kill "$spin"
}

# check_spin BACKEND: all samples of a program that only loops are in its loop
check_spin() {
	vsamp top -b "$1" -e INST_RETIRED:u:sav=100000 -p "$spin" -d 1 -n 2 >out
	cat out
	[ "$(grep -c '^vsamp top: ' out)" -eq 2 ]
	[ "$(awk '/ spin  *_start$/ { print $1, $2 }' out | sort -u)" = "100.00% 100.00%" ]
	# and these are all that there are
	awk '/^INST_RETIRED:u: / { all = $2 } / spin  *_start$/ { if ($3 != all || !all) exit 1; n++ }
		END { exit n != 2 }' out
}

@test "intel: a program that only loops" {
	check_spin intel
}

@test "kperf: a program that only loops" {
	check_spin kperf
}

@test "perf: a program that only loops" {
	check_spin perf
}

# Programs that live for less than a refresh are placed by what was mapped when their samples were taken
@test "intel: the machine, and programs that come and go" {
	(
		trap 'exit 0' TERM
		while :; do "$loop"; done
	) 3>&- &
	again=$!
	vsamp top -b intel -e INST_RETIRED:u:sav=100000 -a -d 2 -n 2 >out
	kill $again
	cat out
	awk '/^vsamp top: / { block++ } block == 2 && / loop  *loop$/ { l = $3 } block == 2 && / spin  *_start$/ { s = $3 }
		block == 2 && /^INST_RETIRED:u: / { all = $2 } END { exit !(l > 0 && s > 0 && l + s > 0.8 * all) }' out
	run ! grep -q 'records lost' out
}

@test "intel: the kernel's symbols" {
	vsamp top -b intel -e INST_RETIRED:k:sav=100000 -a -d 1 -n 1 >out
	cat out
	grep -qE ' \[kernel\] +[a-z_]' out
}
