#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Calibration and events' properties as typed, in a guest with the PMU and two CPUs. ./loop retires
# 200 000 000 user instructions, 99 999 999 of them branches, in 0.2 s, and ends. The PMU has 8
# general counters, and fixed ones for instructions, cycles and reference cycles.

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

# ref-cycles are counted by one counter only: three sets
three=ref-cycles:u,ref-cycles:k,ref-cycles

setup() {
	loop=$PWD/loop
	started=()
	cd "$BATS_TEST_TMPDIR" || return
	export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
	mkdir -p config/vsamp
}

# Runs until the test ends
background() {
	"$@" &
	started+=($!)
}

teardown() {
	rm -rf /etc/vsamp
	[ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
	wait
}

# values FILE: each event's Sample-After value and where it is from
values() {
	vsamp report --json "$1" | jq -r '.events[] | "\(.sav) \(.sav_source)"' | paste -sd' '
}

# sources FILE: where the Sample-After values of the three events are from
sources() {
	vsamp report --json "$1" | jq -r '.events[].sav_source' | paste -sd' '
}

# is VALUE EXPECTED
is() {
	[ "$1" = "$2" ] && return
	echo "'$1' is not '$2'"
	return 1
}

# between VALUE LOW HIGH
between() {
	[ -n "$1" ] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] && return
	echo "'$1' is not in $2..$3"
	return 1
}

# says TEXT...: in what the last command printed
says() {
	local text
	for text; do
		grep -qiE -- "$text" <<<"$output" || { echo "'$text' is not in: $output"; return 1; }
	done
}

# refuses CONFIG LINE [TEXT...]: a recording and its calibration with this file are refused as a
# wrong call, with file and line, and nothing is made
refuses() {
	local config=$1 line=$2
	shift 2
	printf '%b' "$config" >bad.conf
	run -2 vsamp record --event-config bad.conf -e INST_RETIRED -o none.vsamp -- "$loop"
	says "bad.conf:$line" "$@"
	is "$(ls none.vsamp* 2>/dev/null)" ""
	run -2 vsamp calibrate --event-config bad.conf -e INST_RETIRED -- "$loop"
	says "bad.conf:$line"
}

# --- which events are calibrated ---

# Clockticks and Instructions Retired are by property; branches aren't
each=(-e Clockticks -e INST_RETIRED -e branches -d 0.05)

# calibrates SOURCES OPTION...: of the three events
calibrates() {
	local expected=$1
	shift
	vsamp record -q "${each[@]}" "$@"
	is "$(sources vsamp.data)" "$expected" || { echo "$*"; return 1; }
}

@test "no option, no, none: nothing is calibrated" {
	calibrates "default default default"
	calibrates "default default default" -cal no
	calibrates "default default default" -cal=no
	calibrates "default default default" --cal=none
	calibrates "default default default" --calibration none
	is "$(values vsamp.data)" "2000003 default 2000003 default 200003 default"
}

@test "-cal, yes, all, adaptive: all events are calibrated" {
	calibrates "frequency calibrated calibrated" -cal
	calibrates "frequency calibrated calibrated" -cal yes
	calibrates "frequency calibrated calibrated" --cal=all
	calibrates "frequency calibrated calibrated" --calibration
	calibrates "frequency calibrated calibrated" --cal=adaptive
	calibrates "frequency calibrated calibrated" --cal adaptive
	calibrates "frequency calibrated calibrated" -cal -- "$loop"
}

@test "event: those whose property says so" {
	calibrates "frequency calibrated default" --cal=event
	calibrates "frequency calibrated default" --cal event
	calibrates "frequency calibrated default" --cal=event -- "$loop"
}

@test "properties of a file: the default value, and calibrate on and off" {
	cat >f.conf <<-END
		[INST_RETIRED.ANY]
		sav = 3000017
		calibrate = no
		[branches]
		sav = 300007
		calibrate = yes
		[Clockticks]
		calibrate = no
	END
	calibrates "default config config" --event-config f.conf
	is "$(values vsamp.data)" "2000003 default 3000017 config 300007 config"
	calibrates "default config calibrated" --event-config f.conf --cal=event
	# all events, even if it is off for some
	calibrates "frequency calibrated calibrated" --event-config f.conf -cal
}

@test "what is given on the command line wins, and that is said" {
	printf '[branches]\nsav = 300007\ncalibrate = yes\n' >f.conf
	for c in -cal --cal=event --cal=adaptive; do
		run vsamp record $c --event-config f.conf -d 0.1 -e INST_RETIRED,branches:sav=70001 -a
		[ "$status" -eq 0 ]
		says 'branches.*70001.*given'
		is "$(values vsamp.data | cut -d' ' -f2-)" "calibrated 70001 explicit"
	done
	run vsamp record --event-config f.conf -d 0.1 -e branches:sav=70001 -a
	is "$(values vsamp.data)" "70001 explicit"
}

@test "nothing to calibrate: one run" {
	run vsamp record --cal=event -d 0.1 -e branches -a
	says 'recording, 1 of 1 runs'
	run vsamp record -cal -d 0.1 -e INST_RETIRED:sav=1000003 -a
	says 'recording, 1 of 1 runs' '1000003.*given'
}

# --- files ---

@test "the system's file, the user's, and the one that is named: the last one wins, key by key" {
	mkdir -p /etc/vsamp
	printf '[branches]\nsav = 500009\ncalibrate = yes\n[INST_RETIRED]\nsav = 5000011\n' >/etc/vsamp/events.conf
	vsamp record -q -d 0.05 -a -e INST_RETIRED,branches
	is "$(values vsamp.data)" "5000011 config 500009 config"
	printf '[branches]\nsav = 600011\n' >config/vsamp/events.conf
	vsamp record -q -d 0.05 -a -e INST_RETIRED,branches
	is "$(values vsamp.data)" "5000011 config 600011 config"
	printf '[branches]\nsav = 700001\n' >f.conf
	vsamp record -q -d 0.05 -a --event-config f.conf -e INST_RETIRED,branches
	is "$(values vsamp.data)" "5000011 config 700001 config"
	# the system's file still says that it is calibrated
	vsamp record -q --cal=event -d 0.05 -a --event-config f.conf -e branches
	is "$(sources vsamp.data)" calibrated
}

@test "an alias of a file is a name; its levels are those of the section" {
	printf '[INST_RETIRED.ANY:u]\nalias = work, My Instructions\nsav = 1000003\n' >f.conf
	vsamp record -q --event-config f.conf -e work -- "$loop"
	# 200 000 000 / 1 000 003
	is "$(vsamp report --json | jq -c '.events[0] | [.sav, .samples]')" "[1000003,199]"
	run vsamp list --event-config f.conf 'my instructions'
	[ "$status" -eq 0 ]
	says 'my instructions'
	run -2 vsamp record -e work -- "$loop"
}

@test "counters of a file: what doesn't fit becomes a set of its own" {
	printf '[%s]\ncounters = 3\n' branches LLC-misses branch-misses >f.conf
	run vsamp record --event-config f.conf -d 0.05 -a -e branches,LLC-misses,branch-misses
	[ "$status" -eq 0 ]
	says 'recording, 3 of 3 runs'
	is "$(vsamp info --json | jq -c '[.meta.events[] | [.set, .counter]]')" "[[0,3],[1,3],[2,3]]"
}

@test "not-with of a file: these go to different sets" {
	printf '[branches]\nnot-with = LLC-misses\n' >f.conf
	run vsamp record --event-config f.conf -d 0.05 -a -e branches,LLC-misses,branch-misses
	[ "$status" -eq 0 ]
	says 'recording, 2 of 2 runs'
	is "$(vsamp info --json | jq -c '.meta.events | .[0].set != .[1].set')" true
}

@test "a value below the floor, of a file, needs --force" {
	printf '[INST_RETIRED]\nsav = 999\n' >f.conf
	run vsamp record --event-config f.conf -d 0.05 -e INST_RETIRED -- "$loop"
	[ "$status" -ne 0 ]
	says 999 --force
	[ ! -e vsamp.data ]
	vsamp record -q --force --event-config f.conf -d 0.05 -e INST_RETIRED -- "$loop"
	is "$(values vsamp.data)" "999 config"
}

@test "hostile files are refused with file and line, and nothing is made" {
	refuses 'sav = 5000\n' 1
	refuses '[INST_RETIRED]\nsav = 0\n' 2
	refuses '[INST_RETIRED]\nsav = 1\n' 2
	refuses '[INST_RETIRED]\nsav = 9223372036854775808\n' 2
	refuses '[INST_RETIRED]\nsav = 18446744073709551617\n' 2
	refuses '[INST_RETIRED]\nsav = 99999999999999999999999999999999999\n' 2
	refuses '[INST_RETIRED]\nsav = -5000\n' 2
	refuses '[INST_RETIRED]\nsav = 5000x\n' 2
	refuses '[INST_RETIRED]\nsav = 5e3\n' 2
	refuses '[INST_RETIRED]\nsav =\n' 2
	refuses '[INST_RETIRED]\nsav\n' 2
	refuses '# a comment\n\n[INST_RETIRED]\n\nspeed = 7\n' 5 speed
	refuses '[INST_RETIRED]\ncalibrate = perhaps\n' 2 perhaps
	refuses '[INST_RETIRED]\nsav = 5000\nsav = 6000\n' 3
	refuses '[INST_RETIRED]\nsav = 5000\n[inst retired]\nsav = 6000\n' 3
	refuses '[INST_RETIRED\n' 1
	refuses '[]\n' 1
	refuses '[INST_RETIRED] sav = 5000\n' 1
	refuses '[INST_RETIRED:z]\n' 1
	refuses '[INST_RETIRED]\ncounters = 0-99\n' 2
	refuses '[INST_RETIRED]\ncounters = 7-3\n' 2
	refuses '[INST_RETIRED]\ncounters = x\n' 2
	refuses '[INST_RETIRED]\nalias = branches\n' 2 branches
	refuses '[INST_RETIRED]\nalias = ,,\n' 2
	refuses '[INST_RETIRED]\nsav = 50\0000\n' 2
	refuses "[INST_RETIRED]\n$(printf '%5000s' x) = 1\n" 2
	refuses "$(for i in {1..600}; do printf '[r%04x]\\n' $((i + 256)); done)" '[0-9]+'
}

@test "a file with an error does not count in part" {
	mkdir -p /etc/vsamp
	printf '[branches]\nsav = 500009\n[INST_RETIRED]\nsav = 0\n' >/etc/vsamp/events.conf
	run -2 vsamp record -d 0.05 -a -e branches
	says '/etc/vsamp/events.conf:4'
	[ ! -e vsamp.data ]
}

@test "files that are none" {
	run vsamp record --event-config no-such-file -e INST_RETIRED -- "$loop"
	[ "$status" -ne 0 ]
	says no-such-file
	run vsamp record --event-config . -e INST_RETIRED -- "$loop"
	[ "$status" -ne 0 ]
	run timeout 10 vsamp record --event-config /dev/zero -e INST_RETIRED -- "$loop"
	[ "$status" -ne 0 ] && [ "$status" -ne 124 ]
	mkfifo fifo
	run timeout 10 vsamp record --event-config fifo -e INST_RETIRED -- "$loop"
	[ "$status" -ne 0 ] && [ "$status" -ne 124 ]
	[ ! -e vsamp.data ]
	: >empty.conf
	vsamp record -q --event-config empty.conf -e INST_RETIRED -- "$loop"
}

# --- hostile events ---

@test "hostile values and events are refused, and nothing is made" {
	for e in INST_RETIRED:sav=0 INST_RETIRED:sav=1 INST_RETIRED:sav=9223372036854775808 \
		INST_RETIRED:sav=18446744073709551616 INST_RETIRED:sav=-5 INST_RETIRED:sav= \
		INST_RETIRED,inst_retired INST_RETIRED:u,instructions:u,branches INST_RETIRED,INST_RETIRED:sav=5000 \
		amd64_fam17h_zen1::RETIRED_INSTRUCTIONS RETIRED_INSTRUCTIONS arm_ac53::INST_RETIRED; do
		for c in "record -o none.vsamp" "record -cal -o none.vsamp" calibrate; do
			# shellcheck disable=SC2086 # a word or more
			run vsamp $c -e "$e" -- "$loop"
			[ "$status" -eq 2 ] || [ "$status" -eq 1 ] || { echo "$c $e: $status $output"; return 1; }
			says "${e%%[:,]*}"
		done
	done
	is "$(ls none.vsamp* 2>/dev/null)" ""
}

@test "--force lowers the floor of calibration, not below 2" {
	# 5 instructions a sample
	run vsamp record --force -cal -i 0.000001 -d 0.05 -e INST_RETIRED:u -- "$loop"
	[ "$status" -eq 2 ]
	says 0.001
	for sav in 0 1; do
		run vsamp record --force -e INST_RETIRED:sav=$sav -- "$loop"
		[ "$status" -ne 0 ]
	done
	[ ! -e vsamp.data ]
}

# --- vsamp calibrate ---

@test "calibrate prints a file that record takes the same number with" {
	run --separate-stderr vsamp calibrate -i 0.2 -e INST_RETIRED:u,branches:u -- "$loop"
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" >f.conf
	# 200 000 000 and 99 999 999 events, for 200 ms / 0.2 ms = 1000 samples and a little more
	sav=$(sed -nE 's/^sav *= *([0-9]+).*/\1/p' f.conf)
	between "$(sed -n 1p <<<"$sav")" 190000 201000
	between "$(sed -n 2p <<<"$sav")" 95000 100500
	vsamp record -q --event-config f.conf -e INST_RETIRED:u,branches:u -o again.vsamp -- "$loop"
	is "$(values again.vsamp)" "$(paste -sd' ' <<<"${sav//$'\n'/ config$'\n'} config")"
	between "$(vsamp report --json again.vsamp | jq '.events[0].samples')" $((200000000 / $(sed -n 1p <<<"$sav") - 1)) $((200000000 / $(sed -n 1p <<<"$sav") + 1))
	between "$(vsamp report --json again.vsamp | jq '.events[1].samples')" $((99999999 / $(sed -n 2p <<<"$sav") - 1)) $((99999999 / $(sed -n 2p <<<"$sav") + 1))
}

@test "calibrate counts, and records nothing: no file, no record" {
	run --separate-stderr vsamp calibrate -v -d 0.1 -a -e INST_RETIRED,branches
	[ "$status" -eq 0 ]
	[[ $output == *'[INST_RETIRED'*sav*'[branches'*sav* ]]
	is "$(ls -d ./*vsamp* 2>/dev/null)" ""
	[[ $stderr == *"produced 0 records"* ]]
}

@test "calibrate of three sets: a launch for each" {
	printf '#!/bin/bash\necho start >>starts\nexec %s\n' "$loop" >prog && chmod +x prog
	run --separate-stderr vsamp calibrate -i 0.2 -e $three -- ./prog
	[ "$status" -eq 0 ]
	is "$(wc -l <starts)" 3
	printf '%s\n' "$output" >f.conf
	is "$(grep -c '^sav' f.conf)" 3
	vsamp record -q --event-config f.conf -e $three -- "$loop"
	is "$(sources vsamp.data)" "config config config"
	is "$(vsamp report --json | jq '.events[].sav' | paste -sd' ')" "$(sed -nE 's/^sav *= *([0-9]+).*/\1/p' f.conf | paste -sd' ')"
}

@test "calibrate: Clockticks are 1 GHz x 1 ms" {
	run --separate-stderr vsamp calibrate -i 1 -d 0.1 -e Clockticks -a
	[ "$status" -eq 0 ]
	between "$(sed -nE 's/^sav *= *([0-9]+).*/\1/p' <<<"$output")" 999000 1001000
}

@test "calibrate: a program that can't be launched" {
	run -127 vsamp calibrate -e INST_RETIRED -- no-such-program
	touch plain-file
	run -126 vsamp calibrate -e INST_RETIRED -- ./plain-file
}

@test "calibrate: Ctrl-C prints no half file" {
	timeout --preserve-status -s INT 1 vsamp calibrate -d 20 -a -e INST_RETIRED >f.conf || status=$?
	is "${status:-0}" 130
	[ ! -s f.conf ]
}

# --- sets and time slices ---

@test "sets of the machine without a duration are refused, with the remedies" {
	for c in '' -cal; do
		run timeout 10 vsamp record $c -a -e $three
		[ "$status" -eq 2 ] || [ "$status" -eq 1 ]
		says duration --mux
	done
	is "$(ls -d ./*vsamp* 2>/dev/null)" ""
}

@test "--mux: one run, whatever the number of sets" {
	run vsamp record --mux 4 -d 0.1 -a -e $three
	[ "$status" -eq 0 ]
	says 'recording, 1 of 1 runs'
	run vsamp record -cal --mux 4 -d 0.1 -a -e $three
	says 'calibrating, 1 of 2 runs' 'recording, 2 of 2 runs'
}

@test "--mux: lengths that can't be" {
	for ms in 0 -1 x 1001 0.5 99999999999999999999 ''; do
		run vsamp record --mux "$ms" -d 0.1 -a -e $three
		[ "$status" -eq 2 ] || { echo "$ms: $status"; return 1; }
		says mux
	done
	[ ! -e vsamp.data ]
}

@test "--mux and --cal=adaptive are refused together" {
	for order in "--mux 4 --cal=adaptive" "--cal=adaptive --mux 4"; do
		# shellcheck disable=SC2086 # two options
		run vsamp record $order -d 0.1 -a -e $three
		[ "$status" -eq 2 ]
		says adaptive mux
	done
	[ ! -e vsamp.data ]
}

@test "stat of what doesn't fit the counters: refused with the remedy, and in time slices not" {
	run vsamp stat -d 0.1 -a -e $three
	if [ "$status" -ne 0 ]; then
		says --mux
	fi
	run vsamp stat --mux 4 -d 0.1 -a -e $three
	[ "$status" -eq 0 ]
}

# --- lists ---

@test "list shows what is calibrated by property, with the files' changes" {
	printf '[branches]\nsav = 300007\ncalibrate = yes\n' >f.conf
	is "$(vsamp list --json branch | jq -c '[.events[] | select(.name == "BR_INST_RETIRED.ALL_BRANCHES") | .sav, .calibrate]')" "[200003,false]"
	is "$(vsamp list --json --event-config f.conf branch | jq -c '[.events[] | select(.name == "BR_INST_RETIRED.ALL_BRANCHES") | .sav, .calibrate]')" "[300007,true]"
}
