#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where the module is loaded, and the processor has no counters

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "record and stat say that there is no PMU" {
	for c in record stat; do
		run vsamp $c -e INST_RETIRED -- true
		[ "$status" -eq 1 ]
		[[ $output == *PMU* || $output == *counters* ]]
	done
	[ ! -e vsamp.data ]
}

@test "doctor says so" {
	run vsamp doctor
	[ "$status" -eq 17 ]
}
