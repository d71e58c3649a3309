#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recording as typed, in a guest with the PMU and two CPUs. ./loop retires 200 000 000 user
# instructions in its function loop, and ends.

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

ev=INST_RETIRED:u:sav=100000

setup() {
	loop=$PWD/loop
	spin=$PWD/spin
	onterminal=$PWD/onterminal
	started=()
	cd "$BATS_TEST_TMPDIR" || return
}

# Runs until the test ends
background() {
	"$@" &
	started+=($!)
}

teardown() {
	[ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
	wait
}

# report_says FILE FILTER EXPECTED: what jq finds in the report
report_says() {
	local said
	said=$(vsamp report --json "$1" | jq -c "$2")
	[ "$said" = "$3" ] || { echo "$2 is $said"; return 1; }
}

# between VALUE LOW HIGH
between() {
	if [ "$1" -lt "$2" ] || [ "$1" -gt "$3" ]; then
		echo "$1 is not in $2..$3"
		return 1
	fi
}

samples() {
	vsamp report --json "$1" | jq '.events[0].samples'
}

@test "a command: samples of its own and no other" {
	background "$spin"
	vsamp record -e $ev -- "$loop"
	between "$(samples vsamp.data)" 1999 2002
	report_says vsamp.data '.lost' 0
	report_says vsamp.data '.complete' true
	report_says vsamp.data '[.symbols[] | select(.symbol == "loop")] | length' 1
}

@test "what it says while it records is on standard error" {
	run --separate-stderr vsamp record -e $ev -- "$loop"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[[ $stderr == *vsamp.data* ]]
}

@test "-q says nothing" {
	run vsamp record -q -e $ev -- "$loop"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "the file is its owner's alone" {
	vsamp record -q -e $ev -o my.vsamp -- "$loop"
	[ "$(stat -c %a my.vsamp)" = 600 ]
}

@test "a file that exists is kept as .old" {
	vsamp record -q -e $ev -- "$loop"
	cp vsamp.data first
	vsamp record -q -e $ev -- true
	cmp first vsamp.data.old
	run ! cmp -s first vsamp.data
}

@test "-o where no file can be made" {
	run vsamp record -e $ev -o no/such/folder/x -- "$loop"
	[ "$status" -eq 1 ]
	[[ $output == *no/such/folder/x* ]]
}

@test "the command's status is passed on" {
	run vsamp record -q -e $ev -- bash -c 'exit 7'
	[ "$status" -eq 7 ]
	run vsamp record -q -e $ev -- bash -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
}

@test "commands that can't be launched: 127, 126, and no file" {
	run -127 vsamp record -e $ev -- no-such-command
	[[ $output == *no-such-command* ]]
	touch not-executable
	run vsamp record -e $ev -- ./not-executable
	[ "$status" -eq 126 ]
	[[ $output == *not-executable* ]]
	[ ! -e vsamp.data ]
}

@test "the command's own options are its own" {
	run vsamp record -q -e $ev bash -c 'printf "%s " "$@"' x -e -a -h
	[ "$status" -eq 0 ]
	[ "$output" = "-e -a -h " ]
	run vsamp record -q -e $ev -- bash -c 'printf "%s " "$@"' x --cal -- -d
	[ "$output" = "--cal -- -d " ]
}

@test "-cal yes starts no yes, and -cal ./yes does" {
	printf '#!/bin/sh\necho started\n' >yes
	chmod +x yes
	run vsamp record -q -e INST_RETIRED -cal yes -d 1 -a
	[ "$status" -eq 0 ]
	[[ $output != *started* && $output != *$'y\ny'* ]]
	run vsamp record -q -e INST_RETIRED -cal ./yes
	[ "$status" -eq 0 ]
	[[ $output == *started*started* ]]
}

@test "each spelling of calibration counts first, then records" {
	for c in -cal -calibration --cal --calibration -cal=yes --cal=all --calibration=all '-cal yes' '--cal all'; do
		# shellcheck disable=SC2086 # one word or two
		run vsamp record -e INST_RETIRED $c -d 0.1 -a
		[ "$status" -eq 0 ] || { echo "$c: $output"; return 1; }
		[[ $output == *"calibrating, 1 of 2 runs"* ]] || { echo "$c: $output"; return 1; }
		report_says vsamp.data '.events[0].sav_source' '"calibrated"'
	done
}

@test "without calibration there is one run" {
	for c in '' '-cal no' -cal=no --cal=none; do
		# shellcheck disable=SC2086 # one word or two
		run vsamp record -e INST_RETIRED $c -d 0.1 -a
		[ "$status" -eq 0 ]
		[[ $output != *calibrating* ]] || { echo "$c: $output"; return 1; }
		report_says vsamp.data '.events[0].sav_source' '"default"'
	done
}

@test "-e in the ways people type it" {
	for e in inst_retired INST_RETIRED.ANY 'Instructions Retired' instructions r00c0; do
		vsamp record -q -e "$e:u:sav=1000000" -- "$loop"
		between "$(samples vsamp.data)" 199 202 || { echo "$e"; return 1; }
	done
}

@test "several events, in one -e or in more" {
	vsamp record -q -e INST_RETIRED:u:sav=100003 -e BR_INST_RETIRED.ALL_BRANCHES:u:sav=50021 -- "$loop"
	report_says vsamp.data '[.events[].sav]' '[100003,50021]'
	# 200 000 000 instructions, 99 999 998 jumps
	between "$(samples vsamp.data)" 1999 2001
	between "$(vsamp report --json | jq '.events[1].samples')" 1998 2000
	vsamp record -q -e INST_RETIRED:u,Clockticks:u -- "$loop"
	report_says vsamp.data '.events | length' 2
}

@test "more events than counters: one set after the other, in one file" {
	run vsamp record -e "$(printf 'r%02xc0:u,' {1..9})r0ac0:u,instructions:u:sav=100000" -- "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"recording, 1 of 2 runs: set 1 of 2 ("*"recording, 2 of 2 runs: set 2 of 2 ("* ]]
	report_says vsamp.data '[.events[].set] | unique' '[0,1]'
	between "$(vsamp report --json | jq '.events[10].samples')" 1999 2001
	run vsamp stat -e "$(printf 'r%02xc0:u,' {1..9})branches:u" -- "$loop"
	[ "$status" -eq 1 ]
	[[ $output == *"--mux"* ]]
}

@test "a SAV below the floor needs --force" {
	run vsamp record -e INST_RETIRED:u:sav=999 -- true
	[ "$status" -ne 0 ]
	[[ $output == *--force* ]]
	[ ! -e vsamp.data ]
	vsamp record -q --force -e INST_RETIRED:u:sav=999 -- true
	run vsamp record --force -e INST_RETIRED:u:sav=1 -- true
	[ "$status" -ne 0 ]
}

@test ":u and :k are user and kernel" {
	vsamp record -q -a -e INST_RETIRED:u:sav=100000 -- "$loop"
	report_says vsamp.data '[.symbols[] | select(.module | startswith("["))] | map(select(.module == "[kernel]")) | length' 0
	vsamp record -q -a -e INST_RETIRED:k:sav=10000 -- "$loop"
	# but for one whose counter ran over on the way out of the kernel
	in_loop=$(vsamp report --json | jq '[.symbols[] | select(.module | endswith("/loop")) | .samples[0]] | add // 0')
	between "$in_loop" 0 2
	[ "$(samples vsamp.data)" -gt 100 ]
}

@test "-a takes in what else runs" {
	background taskset 2 "$spin"
	vsamp record -q -a -e $ev -- taskset 1 "$loop"
	report_says vsamp.data '[.processes[].comm] | (index("spin") != null) and (index("loop") != null)' true
}

@test "-C takes in one CPU only" {
	background taskset 1 "$spin"
	vsamp record -q -C 1 -e $ev -d 0.2
	report_says vsamp.data '[.processes[].comm] | index("spin")' null
	vsamp record -q -C 0 -e $ev -d 0.2
	report_says vsamp.data '[.processes[].comm] | index("spin") != null' true
	run vsamp record -C 7 -e $ev -d 0.2
	[ "$status" -ne 0 ]
	[[ $output == *7* ]]
}

@test "-p --children takes in one process and its children" {
	background bash -c "sleep 1.2; '$loop'; exec '$spin'"
	background "$spin"
	vsamp record -q -p "${started[0]}" --children -e $ev -d 2
	report_says vsamp.data '[.symbols[] | select(.symbol == "loop")] | length' 1
	report_says vsamp.data "[.processes[].pid] | index(${started[1]})" null
}

@test "-p of a process that there is not" {
	run vsamp record -p 99999 -e $ev -d 0.2
	[ "$status" -ne 0 ]
	[[ $output == *99999* ]]
	[ ! -e vsamp.data ]
}

@test "-p ends when the processes do" {
	background sleep 0.5
	run timeout 20 vsamp record -q -p "${started[0]}" -e $ev -d 10
	[ "$status" -eq 0 ]
	report_says vsamp.data '.elapsed_ns < 2000000000' true
}

@test "-d ends the recording; -D begins it later" {
	background "$spin"
	vsamp record -q -a -e $ev -d 0.5
	between "$(vsamp report --json | jq .elapsed_ns)" 490000000 700000000
	vsamp record -q -a -e $ev -d 0.5 -D 300
	between "$(vsamp report --json | jq .elapsed_ns)" 490000000 700000000
}

@test "Ctrl-C ends it with a file" {
	background "$spin"
	timeout -s INT 1 vsamp record -q -a -e $ev || true
	report_says vsamp.data .complete true
	[ "$(samples vsamp.data)" -gt 0 ]
}

@test "a command is launched as the user who called sudo" {
	chmod 777 .
	run sudo -u user sudo vsamp record -q -e $ev -- sh -c 'id -un'
	[ "$status" -eq 0 ]
	[ "$output" = user ]
	run sudo -u user sudo vsamp record -q --user root -e $ev -- sh -c 'id -un'
	[ "$output" = root ]
	run vsamp record -q --user user -e $ev -- sh -c 'id -un; id -gn; id -Gn; echo $HOME'
	[ "${lines[0]}" = user ]
	[ "${lines[1]}" != root ]
	[[ ${lines[2]} != *root* ]]
	run vsamp record -e $ev --user no-such-user -- true
	[ "$status" -ne 0 ]
	[[ $output == *no-such-user* ]]
}

@test "a plain user is refused, with the remedy" {
	cd /tmp
	run sudo -u user vsamp record -e $ev -- true
	[ "$status" -eq 1 ]
	[[ $output == *root* || $output == *CAP_PERFMON* ]]
}

@test "another pid namespace: the module refuses, with the reason; perf does not" {
	run unshare -pf --mount-proc vsamp record -b intel -e $ev -- true
	[ "$status" -eq 1 ]
	[[ $output == *"pid namespace"* ]]
	[ ! -e vsamp.data ]
	run unshare -pf --mount-proc vsamp record -e $ev -- "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"backend perf: "*"pid namespace"* ]]
	between "$(samples vsamp.data)" 1999 2002
}

@test "another network namespace makes no difference" {
	ip netns add other
	run ip netns exec other vsamp record -q -e $ev -- "$loop"
	ip netns del other
	[ "$status" -eq 0 ]
	between "$(samples vsamp.data)" 1999 2002
}

@test "a second recording at once is refused, and names the first" {
	background vsamp record -q -a -e $ev -d 3 -o first.vsamp
	sleep 0.5
	run vsamp record -e $ev -- true
	[ "$status" -eq 1 ]
	[[ $output == *${started[0]}* ]]
	[ ! -e vsamp.data ]
}

@test "a perf event that holds the counters: a refusal with a remedy, or they are shared" {
	background perf stat -e instructions sleep 5
	sleep 0.5
	run vsamp record -b intel -e $ev -- true
	[ "$status" -eq 1 ]
	[[ $output == *perf* ]]
	[ ! -e vsamp.data ]
	run vsamp record -e $ev -- "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"backend kperf: intel: "*perf* ]]
	between "$(samples vsamp.data)" 1999 2002
	[ "$(vsamp info --json | jq -r .meta.backend)" = kperf ]
}

@test "--no-sideband: samples, without names of processes" {
	vsamp record -q --no-sideband -e $ev -- "$loop"
	between "$(samples vsamp.data)" 1999 2002
}

@test "a ring too small loses, and every command says so" {
	background "$spin"
	run vsamp record -q -a --ring-size 16K -e INST_RETIRED:sav=1000 --pmi-limit 100000 -d 0.3
	[[ $output == *"records are lost"*"--ring-size"* ]]
	[ "$(vsamp report --json | jq .lost)" -gt 0 ]
	report_says vsamp.data '.produced - .written - .lost' 0
	for c in report info; do
		run vsamp $c
		[[ $output == *WARNING*lost* ]]
	done
}

@test "on a terminal it says how far it is, each second; else not" {
	TERM=xterm run "$onterminal" vsamp record -a -e $ev -d 2.5
	[ "$status" -eq 0 ]
	[[ $output == *"1 of 2.5 s"*"2 of 2.5 s"* ]]
	[[ $output != *"3 of 2.5 s"* ]]
	TERM=xterm run "$onterminal" vsamp record -q -a -e $ev -d 1.5
	[ -z "$output" ]
	run vsamp record -a -e $ev -d 1.5
	[[ $output != *" of 1.5 s"* ]]
}
