#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where the module is not loaded, and where there is nothing it could do

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "record and stat say what to do" {
	for c in record stat; do
		run vsamp $c -e INST_RETIRED -- true
		[ "$status" -eq 1 ]
		[[ $output == *modprobe* ]]
	done
	[ ! -e vsamp.data ]
}

@test "doctor says what to do" {
	run vsamp doctor
	[ "$status" -eq 10 ] || [ "$status" -eq 12 ]
	[[ $output == *modprobe* ]]
}
