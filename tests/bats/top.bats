#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# top as typed, with the CPU clock, on programs that do one thing; on terminals

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
	vsamp top -b perf -e cpu-clock:u -p $$ -d 0.1 -n 1 >/dev/null 2>"$BATS_FILE_TMPDIR/why" || touch "$BATS_FILE_TMPDIR/cannot"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	[ ! -e "$BATS_FILE_TMPDIR/cannot" ] || skip "$(cat "$BATS_FILE_TMPDIR/why")"
	cp "$TREE"/build/tests/progs/spin .
	./spin 3>&- &
	spin=$!
	unset NO_COLOR
	export TERM=xterm
}

teardown() {
	[ -z "$spin" ] || kill "$spin" 2>/dev/null || true # it may have ended in the test
}

escape=$'\033['

# The share of spin's code in each block: its column of decaying sums, or of the last step
shares() {
	awk -v column="$1" '/ spin  *_start$/ { sub("%", "", $column); print $column }' "${2:-out}"
}

# The time that spin has had, in user mode
ticks() {
	awk '{ print $14 }' "/proc/$spin/stat"
}

@test "a program that only loops: all samples are there, as many as time gives; block by block" {
	hz=$(getconf CLK_TCK)
	begin=$(ticks)
	vsamp top -b perf -e cpu-clock:u:sav=1000000 -p "$spin" -d 0.5 -n 3 >out
	[ "$(grep -c '^vsamp top: ' out)" -eq 3 ]
	[ "$(shares 1 | sort -u)" = 100.00 ]
	[ "$(shares 2 | sort -u)" = 100.00 ]
	# a sample a millisecond of its own time, of which some goes by before the first one
	all=$(grep -oE 'all: [0-9]+' out | tail -1 | tr -cd 0-9)
	[ "$all" -le $((1000 * ($(ticks) - begin + 2) / hz)) ]
	[ "$all" -ge $((1000 * ($(ticks) - begin) / hz / 2)) ]
}

@test "the machine: the program that loops is there, each time" {
	vsamp top -b perf -e cpu-clock:u:sav=1000000 -a -d 1 -n 2 >out
	[ "$(shares 1 | wc -l)" -eq 2 ]
	grep -qE '^cpu-clock:u: [0-9]+ samples for [0-9]+ events, SAV 1000000$' out
}

@test "sums decay: a program that has ended keeps seven eighths with each step" {
	vsamp top -b perf -e cpu-clock:u:sav=1000000 -a -d 0.5 -n 6 --rows 100 >out &
	top=$!
	sleep 1.7
	kill "$spin"
	wait $top
	[ "$(shares 1 | wc -l)" -eq 6 ]
	[ "$(shares 2 | tail -1)" = 0.00 ]
	awk -v last="$(shares 1 | tail -1)" -v peak="$(shares 1 | sort -n | tail -1)" \
		'BEGIN { exit !(last > 0 && last < peak) }'
}

@test "where there is no terminal it is text, without colours but by --color; --rows" {
	vsamp top -b perf -e cpu-clock -a -d 0.3 -n 1 --rows 2 </dev/null | cat >out
	[[ $(cat out) != *"$escape"* ]]
	[ "$(wc -l <out)" -le 6 ]
	vsamp top --color=always -b perf -e cpu-clock:u -p "$spin" -d 0.3 -n 1 >out
	[[ $(cat out) == *"${escape}31m  100.00%${escape}0m"* ]]
}

@test "losses are shown" {
	vsamp top -b perf -e cpu-clock:u:sav=10000 -p "$spin" -d 1 -n 2 --ring-size 16K --batch >out || true
	grep -qE '^vsamp top: .*( records lost|held back)' out || skip "nothing was lost: $(head -1 out)"
}

# on_terminal KEYS... -- ARGUMENT...: top on a terminal, with the keys, half a second before each
on_terminal() {
	local keys=()
	while [ "$1" != -- ]; do
		keys+=("$1")
		shift
	done
	shift
	{
		for key in "${keys[@]}"; do
			sleep 0.6
			printf %s "$key"
		done
		sleep 5
	} | script -qec "stty rows 30 cols 100; stty -a >before; sh -c 'echo \$\$ >pid; exec vsamp top $*'; echo \$? >status; stty -a >after" out >/dev/null
	diff before after
}

enter="${escape}?1049h" leave="${escape}?1049l"

@test "on a terminal: another screen, given back by q; keys" {
	on_terminal h e q -- -b perf -e cpu-clock:u,cpu-clock -p "$spin" -d 0.3
	[ "$(cat status)" -eq 0 ]
	screen=$(cat out)
	[[ $screen == *"$enter"*"cpu-clock:u"*"(1 of 2)"*"_start"*"the next event"*"(2 of 2)"*"${escape}?25h$leave"* ]]
	# nothing is shown behind it
	[[ ${screen##*"$leave"} != *_start* ]]
}

@test "p holds what is shown, z forgets" {
	on_terminal p -- -b perf -e cpu-clock:u -p "$spin" -d 0.2 -n 10
	[ "$(cat status)" -eq 0 ]
	[[ $(cat out) == *"[held; "* ]]
	[ "$(tr -s '\r\n' '\n' <out | grep -c _start)" -le 5 ]
	on_terminal '' '' z -- -b perf -e cpu-clock:u:sav=1000000 -p "$spin" -d 0.5 -n 6
	# less in all than in four steps
	last=$(grep -oE 'all: [0-9]+ samples' out | tail -1 | tr -cd 0-9)
	sum=$(grep -oE 's: [0-9]+ samples; all' out | awk '{ sum += $2 } END { print sum }')
	[ "$last" -lt "$sum" ]
}

@test "signals: Ctrl-C and a crash give the terminal back, Ctrl-Z until it goes on" {
	for signal in INT TERM SEGV; do
		(sleep 1.2; kill -$signal "$(cat pid)") 3>&- &
		on_terminal -- -b perf -e cpu-clock:u -p "$spin" -d 0.3
		[[ $(cat out) == *"$enter"*"$leave"* ]]
		case $signal in
		SEGV) [ "$(cat status)" -eq 139 ] ;;
		*) [ "$(cat status)" -eq 0 ] ;;
		esac
	done
	(
		sleep 1.2
		kill -TSTP "$(cat pid)"
		sleep 0.3
		awk '/^State/ { print $2 }' "/proc/$(cat pid)/status" >state
		kill -CONT "$(cat pid)"
	) 3>&- &
	on_terminal '' '' '' '' q -- -b perf -e cpu-clock:u -p "$spin" -d 0.3
	[ "$(cat state)" = T ]
	[ "$(cat status)" -eq 0 ]
	[ "$(grep -oF "$leave" out | wc -l)" -eq 2 ]
	[ "$(grep -oF "$enter" out | wc -l)" -eq 2 ]
}

@test "it ends with the processes that it shows" {
	timeout 30 vsamp top -b perf -e cpu-clock:u -p "$spin" -d 0.3 >out &
	top=$!
	until grep -q _start out; do sleep 0.1; done
	kill "$spin"
	wait $top
}

@test "wrong calls" {
	run -2 vsamp top --bogus
	[[ $output == *--bogus* ]]
	run -2 vsamp top -- true
	[[ $output == *true*-p* ]]
	for v in 0 x -1 ''; do
		run -2 vsamp top -d "$v"
		[[ $output == *-d* ]]
		run -2 vsamp top -n "$v"
		[[ $output == *-n* ]]
	done
	run -1 vsamp top -b perf -e cpu-clock:u -p 4194304
	[[ $output == *4194304* ]]
	run -2 vsamp top -o file
	run -2 vsamp top --cal=adaptive
}
