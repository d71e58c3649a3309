#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What commands do on a terminal: a pager, colours, progress; and that they don't elsewhere
# shellcheck disable=SC2030,SC2031 # each test has variables of its own

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"$TREE"/build/tests/progs/make_file vsamp.data
	unset VSAMP_PAGER PAGER LESS NO_COLOR
	export TERM=xterm
}

# terminal COMMAND: on a terminal of its own; what it shows there, with its exit status
terminal() {
	run script -qec "$*" /dev/null </dev/null
	output=${output//$'\r'/}
}

escape=$'\033['

@test "a terminal has the output through VSAMP_PAGER, else PAGER, errors included" {
	PAGER='sed s/^/other:/' VSAMP_PAGER='sed s/^/pager:/' terminal vsamp report --color=never
	[ "$status" -eq 0 ]
	[[ $output == "pager:# vsamp.data"* && $output == *"pager:vsamp report: WARNING: 20 of 128"* ]]
	[ "$(grep -vc ^pager: <<<"$output")" -eq 0 ]
	for command in report script; do
		PAGER='sed s/^/other:/' terminal vsamp $command
		[ "$status" -eq 0 ]
		[ "$(grep -c ^other: <<<"$output")" -ge 10 ]
		[ "$(grep -vc ^other: <<<"$output")" -eq 0 ]
	done
}

@test "less is the pager where none is named, with LESS=FRX but where it is set" {
	mkdir bin
	printf '#!/bin/sh\ncat >/dev/null\necho "LESS=$LESS"\n' >bin/less
	chmod +x bin/less
	PATH=$PWD/bin:$PATH terminal vsamp report
	[ "$output" = LESS=FRX ]
	LESS=S PATH=$PWD/bin:$PATH terminal vsamp report
	[ "$output" = LESS=S ]
}

@test "no pager: by option, of either place, cat or an empty name; or if there is no terminal" {
	export PAGER='sed s/^/pager:/'
	for call in "vsamp --no-pager report" "vsamp report --no-pager" "VSAMP_PAGER= vsamp report" \
		"VSAMP_PAGER=cat vsamp report" "vsamp report | cat"; do
		terminal "$call"
		[[ $output == *"# vsamp.data"* && $output != *pager:* ]]
	done
}

@test "a terminal that can only print lines has no pager but a named one, no colours, and no screen" {
	mkdir bin
	printf '#!/bin/sh\necho less\n' >bin/less
	chmod +x bin/less
	for TERM in dumb ''; do
		PATH=$PWD/bin:$PATH terminal vsamp report
		[ "$status" -eq 0 ]
		[[ $output == "# vsamp.data"* && $output != *less* && $output != *"$escape"* ]]
		PAGER='sed s/^/pager:/' terminal vsamp report
		[[ $output == "pager:# vsamp.data"* && $output != *"$escape"* ]]
		terminal vsamp record -b perf -e cpu-clock:u -o new -- sleep 1.2
		[[ $output == *"samples in"* ]]
		[[ $output != *"$escape"* ]]
	done
	run script -qec "env -u TERM vsamp report" /dev/null </dev/null
	[[ $output == "# vsamp.data"* && $output != *"$escape"* ]]
}

@test "the exit status is the command's, also with a pager; who leaves it early is told nothing" {
	export PAGER='cat >/dev/null'
	truncate -s -1 vsamp.data
	printf x >>vsamp.data
	terminal vsamp report
	[ "$status" -eq 1 ]
	"$TREE"/build/tests/progs/make_file vsamp.data
	PAGER='head -2; exit 3' terminal vsamp --color=never report
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 2 ]
	for _ in 1 2 3 4 5; do
		PAGER='exec <&-; sleep 0.05' terminal "vsamp script; echo status \$?"
		[ "$output" = "status 0" ]
	done
}

@test "a pager that is none is an error with a remedy" {
	PAGER=nosuchpager terminal vsamp report
	[ "$status" -eq 1 ]
	[[ $output == *nosuchpager* && $output == *--no-pager* ]]
}

@test "colours on a terminal: shares from 5 % red, from 0.5 % green; headings" {
	terminal vsamp --no-pager report
	[[ $output == *"${escape}31m 60.00%${escape}0m"* && $output == *"${escape}1mINST_RETIRED"* ]]
	NO_COLOR=1 terminal vsamp --no-pager report
	[[ $output != *"$escape"* ]]
	NO_COLOR='' terminal vsamp --no-pager report
	[[ $output == *"${escape}31m"* ]]
	TERM=dumb terminal vsamp --no-pager report
	[[ $output != *"$escape"* ]]
	terminal vsamp report --no-pager --color=never
	[[ $output != *"$escape"* ]]
}

@test "colours elsewhere only if they are asked for" {
	run -0 vsamp report
	[[ $output != *"$escape"* ]]
	run -0 vsamp report --color=auto
	[[ $output != *"$escape"* ]]
	NO_COLOR=1 run -0 vsamp report --color=always
	[[ $output == *"${escape}31m 60.00%"* ]]
	run -0 vsamp --color report
	[[ $output == *"${escape}31m 60.00%"* ]]
	run -2 vsamp report --color=perhaps
	[[ $output == *perhaps*auto* ]]
}
