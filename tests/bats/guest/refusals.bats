#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What keeps the counters from being taken, and ends a run: the text, the exit code, and that no
# file is left; in a guest with the PMU and the module foreign

bats_require_minimum_version 1.5.0

act=/sys/module/foreign/parameters/act
ring_mb=/sys/module/vsamp/parameters/ring_mb_max

setup() {
	loop=$PWD/loop
	cd "$BATS_TEST_TMPDIR" || return
}

# refused STATUS TEXT OPTION...: record says TEXT, ends with STATUS and makes no file
refused() {
	local expected=$1 text=$2

	shift 2
	run vsamp record "$@"
	[ "$status" -eq "$expected" ] || { echo "status $status, not $expected"; return 1; }
	[[ $output == *"$text"* ]] || { echo "'$text' is not in: $output"; return 1; }
	[ ! -e vsamp.data ]
}

@test "counters that run and are nobody's: firmware's, or of a tool that crashed" {
	taskset 1 sh -c "echo run >$act"
	refused 1 "INST_RETIRED:u: -b intel: CPU 0: counter 0 is running but nobody reserved it (firmware or a crashed tool); reboot" \
		-b intel -e INST_RETIRED:u -- "$loop"
	run vsamp doctor
	[ "$status" -eq 0 ]
	[[ $output == *"warning "*"firmware or a crashed tool"*"reboot"* ]]
	taskset 1 sh -c "echo select >$act"
	vsamp record -q -b intel -e INST_RETIRED:u:sav=100000 -- "$loop"
	[ "$(vsamp report --json | jq '.events[0].samples')" -eq 2000 ]
}

@test "a counter that somebody reserved without perf" {
	echo take >$act
	refused 1 "reserved by perf (a perf event, the NMI watchdog or a KVM guest)" \
		-b intel -e INST_RETIRED:u -- "$loop"
	echo give >$act
}

@test "somebody else writes to the PMU: the run ends, the file is kept, and both are said" {
	(
		until [ -s vsamp.data ]; do
			sleep 0.1
		done
		taskset 1 sh -c "echo off >$act"
	) &
	run vsamp record -b intel -C 0 -e INST_RETIRED -d 20
	[ "$status" -eq 1 ]
	[[ $output == *"somebody else wrote to the performance counters: the recording ended there"* ]]
	run vsamp report
	[ "$status" -eq 0 ]
	[[ $output == *"somebody else wrote to the counters, which ended the recording"* ]]
	vsamp info --json 2>/dev/null | jq -e '.complete and .produced == .written + .lost'
}

@test "rings larger than the administrator allows" {
	old=$(cat $ring_mb)
	echo 1 >$ring_mb
	refused 1 "ring_mb_max" -b intel -a -e INST_RETIRED --ring-size 64M -d 1
	echo "$old" >$ring_mb
}

@test "Sample-After values that the counter can't hold, or below the floor" {
	refused 2 "INST_RETIRED" -e INST_RETIRED:sav=1 -- "$loop"
	refused 1 "INST_RETIRED: Sample-After value 281474976710656 is above 140737488355327, the most that the counter holds" \
		-b intel -e INST_RETIRED:sav=281474976710656 -- "$loop"
	refused 1 "--force" -e INST_RETIRED:sav=999 -- "$loop"
}

@test "bits of raw events that aren't for everybody: transactions, any thread, the pin" {
	for raw in r2000000c0 r1000000c0 r2000c0 r800c0; do
		refused 2 "$raw: " -b intel -e $raw -- "$loop"
	done
}

@test "the module stays while a session is open" {
	vsamp record -q -b intel -a -e INST_RETIRED -d 20 3>&- &
	pid=$!
	until [ -s vsamp.data ]; do
		sleep 0.1
	done
	run rmmod vsamp
	[ "$status" -ne 0 ]
	[[ $output == *"in use"* ]]
	kill $pid
	wait $pid || true
	rm vsamp.data
	rmmod vsamp
	[ ! -e /dev/vsamp ]
	refused 1 "module" -b intel -e INST_RETIRED:u -- "$loop"
	run vsamp doctor
	[ "$status" -eq 12 ] || [ "$status" -eq 10 ]
	insmod /vm/vsamp.ko
}
