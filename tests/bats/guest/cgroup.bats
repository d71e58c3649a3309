#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Cgroups are sampled, in a guest with the PMU and two CPUs. ./loop makes 2000 samples; one runs in
# each of the cgroups one, one/deep and two.

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

ev=INST_RETIRED:u:sav=100000
tree=/sys/fs/cgroup

setup() {
	export loop=$PWD/loop tree
	# any controller will do: perf's is enabled with it. The first test is of a tree without
	[ "$BATS_TEST_NUMBER" -eq 1 ] || echo +pids >$tree/cgroup.subtree_control
	mkdir -p $tree/one/deep $tree/two
	cd "$BATS_TEST_TMPDIR" || return
	# within CGROUP COMMAND...: runs it there
	cat >within <<-'END'
		#!/bin/sh
		echo $$ >"$tree/$1/cgroup.procs" && shift && exec "$@"
	END
	# three loops, of different names
	cat >loops <<-'END'
		#!/bin/sh
		for f in one deep two; do cp "$loop" $f; done
		./within one ./one & ./within one/deep ./deep & ./within two ./two &
		wait
	END
	chmod +x within loops
}

teardown() {
	rmdir $tree/one/deep $tree/one $tree/two 2>/dev/null || true
}

# between VALUE LOW HIGH
between() {
	if [ "$1" -lt "$2" ] || [ "$1" -gt "$3" ]; then
		echo "$1 is not in $2..$3"
		return 1
	fi
}

# samples COMM: how many the processes of that name have
samples() {
	vsamp report --json | jq --arg c "$1" '[.processes[] | select(.comm == $c) | .samples[0]] | add // 0'
}

# has COMM...: these loops have 2000 samples each, give or take those of others' beginnings, and of
# how a period is shared, and no other process has more than a few
has() {
	between "$(vsamp report --json | jq '.events[0].samples')" $(($# * 2000 - 1)) $(($# * 2000 + 5))
	for comm; do
		between "$(samples "$comm")" 1700 2300
	done
	between "$(vsamp report --json | jq .lost)" 0 0
}

@test "perf's part of the tree isn't there before a controller is enabled, which is said" {
	run -1 --separate-stderr vsamp record -b perf -e $ev -G one -d 0.1
	[[ $stderr == *"echo +pids >/sys/fs/cgroup/cgroup.subtree_control"* ]]
	vsamp record -q -b intel -e $ev -G one -- ./loops
	has one deep
}

@test "-G takes in what runs in a cgroup and below it, and nothing else" {
	for b in intel perf; do
		vsamp record -q -b $b -e $ev -G one -- ./loops
		has one deep
		vsamp record -q -b $b -e $ev -G one/deep -- ./loops
		has deep
		vsamp record -q -b $b -e $ev -G $tree/two -- ./loops
		has two
	done
}

@test "several cgroups; one below another is sampled once" {
	for b in intel perf; do
		vsamp record -q -b $b -e $ev -G one/deep,/one -G two,two,one -- ./loops
		has one deep two
		[ "$(vsamp info --json | jq -c '.meta.scope | [.kind, .cgroups, .command == null]')" = \
			'["cgroup",["one","two"],false]' ]
	done
}

@test "the file tells which: report and info" {
	vsamp record -q -e $ev -G two,one -- ./loops
	vsamp report | grep -q '^# recorded: .* of cgroup two one, ended by exit'
	vsamp info | grep -q '^scope  *cgroup$'
	vsamp info | grep -q '^scope cgroups two one$'
	[ "$(vsamp info --json | jq -r .meta.backend)" = intel ]
}

@test "the target of calibration is a total, as of processes" {
	vsamp record -q -e INST_RETIRED:u -cal -d 1 -G two -- ./within two "$loop"
	[ "$(vsamp report --json | jq -r .target_scope)" = total ]
}

@test "stat counts a cgroup" {
	for b in intel perf; do
		vsamp stat --json -b $b -e INST_RETIRED:u -G one -- ./loops >counts
		between "$(jq '.events[0].count' counts)" 400000000 400800000
	done
}

@test "kperf can't, which is said; time is sampled by perf" {
	run --separate-stderr vsamp record -b kperf -e $ev -G one -- ./loops
	[ "$status" -eq 1 ]
	[[ $stderr == *"can't follow a cgroup; -b perf can"* ]]
	[ ! -e vsamp.data ]
	run --separate-stderr vsamp record -v -e cpu-clock -G one -d 0.2
	[ "$status" -eq 0 ]
	[[ $stderr == *"backend perf: "* ]]
}

@test "names that are no cgroups" {
	run -1 --separate-stderr vsamp record -e $ev -G one,one/nosuch -d 1
	[[ $stderr == *"-G: there is no cgroup one/nosuch in $tree"* ]]
	run -1 --separate-stderr vsamp stat -e $ev -G one/cgroup.procs -d 1
	[[ $stderr == *"-G: one/cgroup.procs is no cgroup: give a folder below $tree"* ]]
	run -1 --separate-stderr vsamp record -e $ev -G ../../kernel -d 1
	[[ $stderr == *"-G: ../../kernel is no cgroup"* ]]
	run -1 --separate-stderr vsamp record -e $ev -G "$(printf ',c%s' $(seq 65) | cut -c2-)" -d 1
	[[ $stderr == *"-G: there is no cgroup c1 "* ]]
}

@test "more cgroups than there may be" {
	mkdir $tree/two/{1..65}
	run -1 --separate-stderr vsamp record -e $ev -G "$(printf ',two/%s' {1..65} | cut -c2-)" -d 1
	rmdir $tree/two/{1..65}
	[[ $stderr == *"-G: more than 64 cgroups"* ]]
}

@test "machines without the tree of version 2" {
	run -1 --separate-stderr unshare -m sh -c "umount $tree; vsamp record -e $ev -G one -d 1"
	[[ $stderr == *"-G: the cgroup v2 tree is not mounted; as root: mount -t cgroup2 none /sys/fs/cgroup"* ]]
	run -1 --separate-stderr unshare -m sh -c \
		"umount $tree; mount -t cgroup -o none,name=old old $tree; vsamp record -e $ev -G one -d 1"
	[[ $stderr == *"-G: this machine's cgroups are of version 1"* ]]
}

# The recording has begun
appears() {
	for _ in {1..200}; do
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

@test "a cgroup that is removed while it is sampled" {
	for b in intel perf; do
		mkdir -p $tree/two
		vsamp record -q -b $b -e $ev -G two -o $b.vsamp &
		recorder=$!
		appears $b.vsamp
		./within two "$loop"
		rmdir $tree/two
		sleep 0.5
		kill -INT $recorder
		wait $recorder
		between "$(vsamp report --json $b.vsamp | jq '.events[0].samples')" 1999 2001
		[ "$(vsamp report --json $b.vsamp | jq .complete)" = true ]
	done
}

@test "a CPU that goes and comes" {
	for b in intel perf; do
		vsamp record -q -b $b -e $ev -G two -o $b.vsamp &
		recorder=$!
		appears $b.vsamp
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 1.5
		echo 1 >/sys/devices/system/cpu/cpu1/online
		sleep 1.5
		./within two taskset 2 "$loop"
		kill -INT $recorder
		wait $recorder
		between "$(vsamp report --json $b.vsamp | jq '.events[0].samples')" 1999 2005
	done
}

@test "one that is removed before the run that records is named" {
	run -1 --separate-stderr vsamp record -b intel -e INST_RETIRED:u --cal all -G one,two -- rmdir $tree/two
	[[ $stderr == *"cgroup $tree/two"*"has been removed"* ]]
}
