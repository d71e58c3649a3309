#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where the module is not loaded, and where there is nothing it could do

bats_require_minimum_version 1.5.0

setup() {
	loop=$PWD/loop
	cd "$BATS_TEST_TMPDIR" || return
}

@test "record and stat count by perf, and say what would be better" {
	run vsamp stat -e INST_RETIRED:u -- "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"backend perf: intel, kperf: no module vsamp is installed"* ]]
	[[ $output == *"200000000  INST_RETIRED:u"* ]]
	run vsamp record -e INST_RETIRED:u:sav=100000 -- "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"backend perf: intel, kperf: no module vsamp is installed"* ]]
	jq -e '.events[0].samples == 2000 and .lost == 0 and .symbols[0].symbol == "loop"' < <(vsamp report --json)
	[ "$(vsamp info --json | jq -r .meta.backend)" = perf ]
}

@test "what is asked for by name is not replaced" {
	for b in intel kperf; do
		for c in record stat; do
			run vsamp $c -b $b -e INST_RETIRED -- true
			[ "$status" -eq 1 ]
			[[ $output == *"no module vsamp is installed"* ]]
		done
	done
	[ ! -e vsamp.data ]
}

@test "calibration by perf: instructions, and time" {
	vsamp record -q -cal -i 1 -e INST_RETIRED:u -- "$loop"
	# 0.2 s of instructions, and the launch
	jq -e '.events[0] | .samples >= 195 and .samples <= 215 and .sav_source == "calibrated"' < <(vsamp report --json)
	vsamp record -q -cal -i 2 -e cpu-clock -- "$loop"
	jq -e '.events[0] | .samples >= 95 and .samples <= 105 and .sav_source == "frequency" and .sav == 2000001' \
		< <(vsamp report --json)
}

@test "--mux is of a backend that isn't there" {
	run vsamp record --mux 4 -e INST_RETIRED -- true
	[ "$status" -eq 1 ]
	[[ $output == *"--mux is of the intel backend"* ]]
	[ ! -e vsamp.data ]
}

@test "doctor says what to do" {
	run vsamp doctor
	[ "$status" -eq 10 ] || [ "$status" -eq 12 ]
	[[ $output == *modprobe* ]]
	# this machine has a PMU
	[[ $output == *"hardware events are counted by perf; intel, kperf: "* ]]
	vsamp doctor --json | jq -e '.choice | .backend == "perf" and (.best | not) and .events_why == null'
}

@test "doctor: a user has what kernel.perf_event_paranoid leaves" {
	perf=/proc/sys/kernel/perf_event_paranoid
	was=$(cat $perf)
	for level in 3 2 1; do
		echo $level >$perf
		run sudo -u user vsamp doctor --json
		echo "$output" >$level
	done
	echo "$was" >$perf
	jq -e '.choice == null and (.checks[-1].text | contains("perf_event_paranoid is 3"))' 3
	jq -e '.choice.events == "CPU_CLK_UNHALTED.THREAD:u,INST_RETIRED.ANY:u"' 2
	jq -e '.choice.backend == "perf" and .choice.events == "CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY"' 1
}
