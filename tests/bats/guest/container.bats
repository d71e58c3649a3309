#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Processes in pid namespaces of their own, in a guest with the PMU and two CPUs

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

ev=INST_RETIRED:u:sav=100000

setup() {
	export spin=$PWD/spin
	cd "$BATS_TEST_TMPDIR" || return
	own=$(stat -Lc %i /proc/self/ns/pid)
	# container [COMMAND]: in it the loop runs as process 2 for 3 s, or while COMMAND does
	cat >container <<-'END'
		#!/bin/sh
		exec unshare -pf --kill-child --mount-proc sh -c '
			$spin & echo $! >inner; stat -Lc %i /proc/self/ns/pid >ns; eval "${1:-sleep 3}"; kill $!
			true' sh "$@"
	END
	chmod +x container
}

# What the kernel's NSpid says of the loop, as the host sees it
host_pid() {
	for f in /proc/[0-9]*; do
		if [ "$(cat "$f/comm" 2>/dev/null)" = spin ]; then
			awk '/^NSpid:/ { print $2 }' "$f/status"
		fi
	done
}

# The container tells its namespace when its loop runs
begun() {
	for _ in {1..400}; do
		[ ! -s ns ] || return 0
		sleep 0.05
	done
	return 1
}

# spin_is FILE: pid, pid in the container and namespace of the loop, as the report has them
spin_is() {
	vsamp report --json "$1" | jq -c '[.processes[] | select(.comm == "spin")][0] | [.pid, .ns_pid, .pid_namespace]'
}

# both FILE PID: they are PID, and what the container says
both() {
	local said
	said=$(spin_is "$1")
	[ "$said" = "[$2,$(cat inner),$(cat ns)]" ] || { echo "$said"; return 1; }
	[ "$(cat inner)" -eq 2 ]
	vsamp report --sort process "$1" | grep -q "spin ($2, container pid 2)\$"
}

@test "a container that runs already" {
	for b in intel kperf perf; do
		./container &
		sleep 0.7
		pid=$(host_pid)
		vsamp record -q -a -b $b -e $ev -d 0.3 -o a.vsamp
		wait
		both a.vsamp "$pid"
	done
}

@test "one that begins while it is recorded, of which perf tells the namespace" {
	for b in intel perf; do
		rm -f ns
		vsamp record -q -a -b $b -e $ev -o b.vsamp -- ./container 'sleep 2' &
		begun
		pid=$(host_pid)
		wait
		both b.vsamp "$pid"
	done
	[ "$(vsamp info --json b.vsamp | jq ".pid_namespaces | any(.pid_namespace == $(cat ns))")" = true ]
	vsamp info b.vsamp | grep -q "^pid ns  *$(cat ns), of a container: [1-9][0-9]* process"
	vsamp info b.vsamp | grep -q "^pid ns  *$own\$"
}

@test "one that is launched, by perf alone" {
	vsamp record -q -b perf -e $ev -o c.vsamp -- ./container 'sleep 2' &
	begun
	pid=$(host_pid)
	wait
	both c.vsamp "$pid"
}

@test "-p of the host's number, and of report" {
	./container &
	sleep 0.7
	pid=$(host_pid)
	vsamp record -q -p "$pid" -e $ev -d 0.3 -o d.vsamp
	wait
	both d.vsamp "$pid"
	[ "$(vsamp report --json -p "$pid" d.vsamp | jq '.processes | length')" -eq 1 ]
	[ "$(vsamp report --json -p 2 d.vsamp | jq '.processes | length')" -eq 0 ]
}

@test "what was cut off tells of those that ran before" {
	./container &
	sleep 0.7
	pid=$(host_pid)
	vsamp record -q -a -e $ev -d 0.5 -o e.vsamp
	wait
	head -c $(($(stat -c %s e.vsamp) - 100)) e.vsamp >cut.vsamp
	both cut.vsamp "$pid"
}

@test "within one the module refuses, and perf tells the container's numbers" {
	./container "vsamp record -b intel -e $ev -d 0.1 2>intel.err; echo \$? >intel.status
		vsamp record -q -a -e $ev -d 0.3 -o f.vsamp"
	[ "$(cat intel.status)" -eq 1 ]
	grep -q "pid namespace" intel.err
	[ "$(spin_is f.vsamp)" = "[2,null,$(cat ns)]" ] || [ "$(spin_is f.vsamp)" = "[2,null,null]" ]
	[ "$(vsamp info --json f.vsamp | jq .meta.pid_namespace)" = "$(cat ns)" ]
	[ "$(vsamp info --json f.vsamp | jq -r .meta.backend)" = perf ]
}
