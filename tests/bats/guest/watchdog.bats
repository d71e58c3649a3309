#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where the NMI watchdog is on, in a guest with the PMU

bats_require_minimum_version 1.5.0

watchdog=/proc/sys/kernel/nmi_watchdog

setup() {
	loop=$PWD/loop
	cd "$BATS_TEST_TMPDIR" || return
	echo 1 >$watchdog
}

@test "recording is refused, with the remedy" {
	run vsamp record -b intel -e INST_RETIRED:u -- "$loop"
	[ "$status" -eq 1 ]
	[[ $output == *"--nmi-watchdog=off"* ]]
	[ "$(cat $watchdog)" -eq 1 ]
	[ ! -e vsamp.data ]
}

@test "unless it is asked for by name another backend shares the counters, and says why" {
	run vsamp record -e INST_RETIRED:u:sav=100000 -- "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"backend "*"--nmi-watchdog=off"* ]]
	[ "$(vsamp report --json | jq '.events[0].samples')" -eq 2000 ]
	[ "$(vsamp info --json | jq -r .meta.backend)" != intel ]
	[ "$(cat $watchdog)" -eq 1 ]
}

@test "doctor names it" {
	run vsamp doctor
	[ "$status" -eq 0 ]
	[[ $output == *"warning  nmi-watchdog"*"; kperf counts all the same"* ]]
	[[ $output == *"hardware events are counted by kperf; intel: the NMI watchdog holds a counter (for the time of a recording: --nmi-watchdog=off"* ]]
}

@test "--nmi-watchdog=off turns it off for the time of the recording" {
	run vsamp record -q --nmi-watchdog=off -e INST_RETIRED:u -- cat $watchdog
	[ "$status" -eq 0 ]
	[ "$output" = 0 ]
	[ "$(cat $watchdog)" -eq 1 ]
}

@test "but not for what takes no counter" {
	for backend in '' '-b perf'; do
		# shellcheck disable=SC2086 # two words, or none
		run -0 vsamp record -q $backend --nmi-watchdog=off -e cpu-clock -- cat $watchdog
		[ "$output" = 1 ]
	done
	[ "$(cat $watchdog)" -eq 1 ]
}

@test "and is back after Ctrl-C" {
	timeout -s INT 1 vsamp record -q --nmi-watchdog=off -a -e INST_RETIRED || true
	[ "$(cat $watchdog)" -eq 1 ]
}

@test "and after SIGKILL, at any moment, and holds its counter again" {
	for moment in 0.05 0.2 0.4 0.6 1; do
		vsamp record -q --nmi-watchdog=off -a -e INST_RETIRED &
		recorder=$!
		sleep $moment
		kill -KILL $recorder
		for _ in $(seq 50); do
			[ "$(cat $watchdog)" -eq 0 ] || break
			sleep 0.1
		done
		[ "$(cat $watchdog)" -eq 1 ]
		run vsamp record -b intel -e INST_RETIRED:u -- "$loop"
		[ "$status" -eq 1 ]
		[[ $output == *watchdog* ]]
	done
}

@test "stat has it, too" {
	run vsamp stat --nmi-watchdog=off --json -e INST_RETIRED:u -- "$loop"
	[ "$status" -eq 0 ]
	[ "$(cat $watchdog)" -eq 1 ]
}

@test "one that was off stays off" {
	echo 0 >$watchdog
	vsamp record -q --nmi-watchdog=off -e INST_RETIRED:u -- true
	[ "$(cat $watchdog)" -eq 0 ]
}
