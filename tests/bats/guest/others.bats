#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report, info, stat, list and doctor as typed, in a guest with the PMU and two CPUs

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

setup_file() {
	vsamp record -q -a -e INST_RETIRED:sav=100003 -e BR_INST_RETIRED.ALL_BRANCHES:u:sav=50021 \
		-o "$BATS_FILE_TMPDIR/two.vsamp" -- ./loop
}

setup() {
	loop=$PWD/loop
	cd "$BATS_FILE_TMPDIR" || return
}

between() {
	if [ "$1" -lt "$2" ] || [ "$1" -gt "$3" ]; then
		echo "$1 is not in $2..$3"
		return 1
	fi
}

@test "report shows each event with its rows, the loop on top" {
	run vsamp report two.vsamp
	[ "$status" -eq 0 ]
	[[ $output == *INST_RETIRED* && $output == *BR_INST_RETIRED* && $output == *loop* ]]
}

@test "report: FILE, -i FILE and a folder's vsamp.data are the same" {
	vsamp report two.vsamp >a
	vsamp report -i two.vsamp >b
	cp two.vsamp vsamp.data
	vsamp report | sed 's/vsamp\.data/two.vsamp/' >c
	cmp a b
	cmp a c
}

@test "report --json: the sums agree" {
	vsamp report --json two.vsamp >j
	jq -e '.version == 1 and .produced == .written + .lost' j
	jq -e '. as $r | [range(.events | length)] | all(. as $e |
		([$r.symbols[].samples[$e]] | add) == $r.events[$e].samples and
		([$r.modules[].samples[$e]] | add) == $r.events[$e].samples and
		([$r.processes[].samples[$e]] | add) == $r.events[$e].samples)' j
	jq -e '.events | all(.lost == 0 and (.name | length > 0) and has("target") and has("sav"))' j
}

@test "report --sort tells rows apart by its keys" {
	vsamp report --json two.vsamp >j
	for k in process module symbol process,module module,symbol process,module,symbol; do
		run vsamp report --sort $k two.vsamp
		[ "$status" -eq 0 ]
		[[ $output == *loop* ]]
	done
}

@test "report -e, -n, -p take less" {
	run vsamp report -e BR_INST_RETIRED.ALL_BRANCHES two.vsamp
	[ "$status" -eq 0 ]
	[[ $output != *"INST_RETIRED.ANY"* ]]
	all=$(vsamp report two.vsamp | wc -l)
	one=$(vsamp report -n 1 two.vsamp | wc -l)
	[ "$one" -lt "$all" ]
	pid=$(vsamp report --json two.vsamp | jq '[.processes[] | select(.comm == "loop")][0].pid')
	vsamp report -p "$pid" --json two.vsamp | jq -e "[.processes[].pid] | unique == [$pid]"
	run vsamp report -e nosuch two.vsamp
	[ "$status" -ne 0 ]
	[[ $output == *nosuch* ]]
}

@test "report of a file cut off anywhere: what is left, and that something is missing" {
	size=$(stat -c %s two.vsamp)
	for part in 1 3 5 7 9; do
		head -c $((size * part / 10)) two.vsamp >cut.vsamp
		run --separate-stderr vsamp report --json cut.vsamp
		if [ "$status" -eq 0 ]; then
			[ "$(jq .complete <<<"$output")" = false ]
		else
			[ "$status" -eq 1 ]
			[[ $stderr == *cut.vsamp* ]]
		fi
	done
}

@test "report of a file with one byte changed says that it is damaged, or is the same" {
	vsamp report --json two.vsamp | jq 'del(.file)' >good
	size=$(stat -c %s two.vsamp)
	for i in $(seq 20); do
		cp two.vsamp bad.vsamp
		at=$((size * i / 21))
		old=$(od -An -tu1 -j $at -N1 bad.vsamp | tr -d ' ')
		printf '%b' "\\x$(printf %02x $((old ^ 0x55)))" | dd of=bad.vsamp bs=1 seek=$at conv=notrunc 2>/dev/null
		run --separate-stderr vsamp report --json bad.vsamp
		[ "$status" -eq 1 ] || [ "$(jq .complete <<<"$output")" = false ] ||
			[ "$(jq 'del(.file)' <<<"$output")" = "$(cat good)" ]
	done
}

@test "info tells the run; --json too" {
	run vsamp info two.vsamp
	[ "$status" -eq 0 ]
	[[ $output == *"vsamp record"* && $output == *loop* && $output == *"$(uname -r)"* ]]
	vsamp info --json two.vsamp >j
	jq -e . j
	grep -q "$(cat /proc/sys/kernel/random/boot_id)" j
}

@test "stat counts exactly, a command's own instructions only" {
	vsamp stat --json -e INST_RETIRED:u -- "$loop" >j
	between "$(jq '.events[0].count' j)" 200000000 200000000
}

@test "stat as text names the event and the count" {
	run vsamp stat -e INST_RETIRED:u -- "$loop"
	[ "$status" -eq 0 ]
	[[ $(tr -d ", '" <<<"$output") == *200000000* ]]
	[[ $output == *INST_RETIRED* ]]
}

@test "stat agrees with perf stat" {
	perf stat -x, -o p -e instructions:u,branches:u "$loop"
	vsamp stat --json -e INST_RETIRED:u,BR_INST_RETIRED.ALL_BRANCHES:u -- "$loop" >j
	[ "$(jq '.events[0].count' j)" -eq "$(grep instructions p | cut -d, -f1)" ]
	[ "$(jq '.events[1].count' j)" -eq "$(grep branches p | cut -d, -f1)" ]
}

@test "stat passes a command's status on" {
	run vsamp stat -e INST_RETIRED -- bash -c 'exit 5'
	[ "$status" -eq 5 ]
	run -127 vsamp stat -e INST_RETIRED -- no-such-command
}

@test "stat -a, -C, -d" {
	vsamp stat --json -a -d 0.2 -e INST_RETIRED >j
	[ "$(jq '.events[0].count' j)" -gt 0 ]
	vsamp stat --json -C 1 -d 0.2 -e INST_RETIRED >j
	[ "$(jq '.events[0].count' j)" -gt 0 ]
}

@test "stat and record agree" {
	n=$(vsamp stat --json -e INST_RETIRED:u -- "$loop" | jq '.events[0].count')
	vsamp record -q -e INST_RETIRED:u:sav=100003 -o r.vsamp -- "$loop"
	[ "$(vsamp report --json r.vsamp | jq '.events[0].count')" -eq "$n" ]
	[ "$(vsamp report --json r.vsamp | jq '.events[0].samples')" -eq $((n / 100003)) ]
}

@test "doctor finds nothing to say" {
	run vsamp doctor
	[ "$status" -eq 0 ]
	[[ $output != *FAIL* ]]
	vsamp doctor --json | jq -e '.exit_code == 0 and (.choice | .backend == "intel" and .best and .events_why == null)'
}

@test "doctor: a plain user lacks the capability" {
	run sudo -u user vsamp doctor
	[ "$status" -eq 15 ]
	[[ $output == *CAP_PERFMON* ]]
}

@test "doctor: another pid namespace" {
	run unshare -pf --mount-proc vsamp doctor
	[ "$status" -eq 14 ]
}

@test "doctor: a perf event holds the counters" {
	perf stat -e instructions sleep 5 &
	holder=$!
	sleep 0.5
	run vsamp doctor
	kill $holder
	# which it shares with kperf
	[ "$status" -eq 0 ]
	[[ $output == *"warning  holders"*"perf (pid $holder)"*"; kperf counts all the same"* ]]
	[[ $output == *"hardware events are counted by kperf; intel: "*"perf (pid $holder)"* ]]
}

@test "doctor: one of software holds none" {
	perf stat -e cpu-clock sleep 5 &
	holder=$!
	sleep 0.5
	run vsamp doctor
	kill $holder
	[ "$status" -eq 0 ]
}

@test "doctor: a vsamp session holds the counters" {
	vsamp record -q -a -e INST_RETIRED -d 3 -o busy.vsamp &
	holder=$!
	sleep 0.5
	run vsamp doctor
	kill -INT $holder
	wait $holder
	[ "$status" -eq 20 ]
	[[ $output == *vsamp*$holder* ]]
	[[ $output == *"perf samples cpu-clock, since intel: "*"kperf, perf: another vsamp session of vsamp (pid $holder)"* ]]
}

@test "list is of this processor" {
	run vsamp list
	[ "$status" -eq 0 ]
	[[ ${lines[1]} == clock* ]]
	vsamp list --json >list.json
	jq -e '[.events[].name] | index("INST_RETIRED.ANY") != null' list.json
	# as many counters as the kernel's own driver found
	general=$(dmesg | sed -n 's/.*generic registers: *//p')
	jq -e --argjson n "$general" '.events[] | select(.name == "INST_RETIRED.ANY").usable_counters |
		(.general | length) == $n and .fixed == [0]' list.json
	run vsamp list clock
	[[ $output =~ CPU_CLK_UNHALTED.THREAD\ +2000003\ +default\ +yes\ +0-[0-9]+,\ fixed\ 1 ]]
	[[ $output != *"isn't loaded"* ]]
}
