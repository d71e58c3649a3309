#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where the processor says that it is virtual, and has counters

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "doctor: kperf counts, and is the best there is" {
	run vsamp doctor
	[ "$status" -eq 0 ]
	[[ $output == *"warning  hypervisor"*"; kperf counts all the same"*"-> to program them all the same: -b intel"* ]]
	[[ $output == *"hardware events are counted by kperf; intel: the processor says it is virtual"* ]]
	vsamp doctor --json | jq -e '.exit_code == 0 and (.choice | .backend == "kperf" and .best and .events_why == null)'
}

@test "doctor: without the module perf counts" {
	modprobe -r vsamp || rmmod vsamp
	run vsamp doctor
	[ "$status" -eq 10 ] || [ "$status" -eq 12 ]
	[[ $output == *"hardware events are counted by perf; intel: the processor says it is virtual"*"; kperf: "* ]]
}
