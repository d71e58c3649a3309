#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where the module is loaded, and the processor has no counters

bats_require_minimum_version 1.5.0

setup() {
	loop=$PWD/loop
	cd "$BATS_TEST_TMPDIR" || return
}

@test "record and stat say that there is no PMU" {
	for c in record stat; do
		run vsamp $c -e INST_RETIRED -- true
		[ "$status" -eq 1 ]
		[[ $output == *"INST_RETIRED: this machine has no performance counters"*"-e cpu-clock samples by time"* ]]
	done
	[ ! -e vsamp.data ]
}

@test "without -e it samples by time, and says so" {
	run vsamp record -- "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"events: cpu-clock, since this machine has no performance counters"* ]]
	# 0.2 s, a sample each millisecond
	jq -e '.events[0] | .name == "cpu-clock" and .samples >= 190 and .samples <= 210' < <(vsamp report --json)
	jq -e '.lost == 0 and .produced == .written and .symbols[0].symbol == "loop"' < <(vsamp report --json)
	[ "$(vsamp info --json | jq -r .meta.backend)" = perf ]
}

@test "a user samples what is theirs" {
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	chmod 777 .
	run sudo -u user vsamp record -- "$loop"
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	[ "$status" -eq 0 ]
	[[ $output == *"events: cpu-clock:u, since "* ]]
	jq -e '.events[0] | .name == "cpu-clock" and .samples >= 190 and .samples <= 210' < <(vsamp report --json)
	jq -e '.symbols[0].symbol == "loop"' < <(vsamp report --json)
}

@test "doctor says so, and that time can be sampled" {
	run vsamp doctor
	[ "$status" -eq 17 ]
	[[ $output == *"no performance counters"* ]]
	[[ $output == *"'vsamp record -- ./app' works: perf samples cpu-clock, since this machine has no"* ]]
	run vsamp doctor --json
	jq -e '.choice | .backend == "perf" and .best and .events == "cpu-clock"' <<<"$output"
}

@test "doctor: a user is told of what keeps time from being sampled" {
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	run sudo -u user vsamp doctor
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	[ "$status" -eq 15 ]
	[[ $output == *"nothing can be sampled: cpu-clock:u: perf: kernel.perf_event_paranoid is 3"* ]]
	run sudo -u user vsamp doctor
	[[ $output == *"perf samples cpu-clock:u, since this machine has no"*"perf_event_paranoid is 2"* ]]
	echo 1 >/proc/sys/kernel/perf_event_paranoid
	run sudo -u user vsamp doctor
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	[[ $output == *"perf samples cpu-clock, since this machine has no"* ]]
}
