#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Who is sampled, in a guest with the PMU and two CPUs. At 100 000 instructions a sample, ./family
# makes 400 samples in its two threads and 200 in a child, which it forks after SIGUSR1.

bats_require_minimum_version 1.5.0

ev=INST_RETIRED:u:sav=100000

setup() {
	family=$PWD/family
	cd "$BATS_TEST_TMPDIR" || return
}

# between VALUE LOW HIGH
between() {
	if [ "$1" -lt "$2" ] || [ "$1" -gt "$3" ]; then
		echo "$1 is not in $2..$3"
		return 1
	fi
}

# samples FILE PID: how many samples of the event a process has
samples() {
	vsamp report --json "$1" | jq --argjson pid "$2" \
		'[.processes[] | select(.pid == $pid) | .samples[0]] | add // 0'
}

# family_record OPTION...: records a family that runs already, into vsamp.data; sets parent and child
family_record() {
	"$family" >child &
	parent=$!
	vsamp record -q -e $ev -p $parent "$@" &
	until [ -e vsamp.data ]; do sleep 0.05; done
	kill -USR1 $parent
	wait $parent
	wait $!
	child=$(cat child)
}

# without B, with B: the numbers are the same whatever counts. A thread that perf follows begins a
# period of its own, so that each part may have a sample less than all together.
without() {
	family_record -b "$1"
	between "$(samples vsamp.data $parent)" 399 401
	[ "$(samples vsamp.data "$child")" -eq 0 ]
	between "$(vsamp report --json | jq '.events[0].samples')" 399 401
	[ "$(vsamp info --json | jq .meta.scope.children)" = false ]
}

with() {
	family_record -b "$1" --children
	between "$(vsamp report --json | jq '.events[0].samples')" 598 601
	# a period that one of them began may end in another one
	between "$(samples vsamp.data $parent)" 396 404
	between "$(samples vsamp.data "$child")" 196 204
	[ "$(vsamp info --json | jq .meta.scope.children)" = true ]
}

@test "intel: -p takes in all threads, and no children" { without intel; }
@test "kperf: -p takes in all threads, and no children" { without kperf; }
@test "perf: -p takes in all threads, and no children" { without perf; }
@test "intel: -p --children takes in the child, too" { with intel; }
@test "kperf: -p --children takes in the child, too" { with kperf; }
@test "perf: -p --children takes in the child, too" { with perf; }

# launch OPTION...: records a family that waits for nothing; sets total and child
launch() {
	vsamp record -q -e $ev "$@" -- "$family" now >child
	total=$(vsamp report --json | jq '.events[0].samples')
	child=$(cat child)
}

@test "a command's children are taken in, unless --no-children or --no-inherit" {
	for b in intel kperf perf; do
		launch -b $b
		between "$total" 598 601
		between "$(samples vsamp.data "$child")" 196 204
		launch -b $b --no-children
		between "$total" 399 401
		launch -b $b --no-inherit
		between "$total" 399 401
	done
}

# counted BACKEND OPTION...: sets count
counted() {
	"$family" >child &
	parent=$!
	vsamp stat -e INST_RETIRED:u -p $parent --json -b "$@" >counts &
	sleep 1
	kill -USR1 $parent
	wait $parent
	wait $!
	count=$(jq '.events[0].count' counts)
}

@test "stat counts by the same choice" {
	for b in intel kperf perf; do
		counted $b
		between "$count" 40000000 40100000
		counted $b --children
		between "$count" 60000000 60200000
	done
}
