#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# script as typed, on files of known contents (tests/progs/make_file.c)

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"$TREE"/build/tests/progs/make_file vsamp.data
}

# script ARG...: its lines, blanks as one
script() {
	vsamp script "$@" 2>/dev/null | tr -s ' ' | sed 's/^ //; s/ $//'
}

@test "script -h tells the options" {
	run -0 vsamp script -h
	[[ $output == usage:* && $output == *--fields* && $output == *--time* ]]
}

@test "script shows samples by time, a line each, and what was lost where it was" {
	script >out
	[ "$(wc -l <out)" -eq 106 ]
	[ "$(sed -n 1p out)" = "one 7/7 [000] 0.000002000: 1000 INST_RETIRED: ffffffff81001010 work_a ([kernel])" ]
	[ "$(sed -n 61p out)" = "one 7/7 [000] 0.000062000: 500 BR_INST:u: ffffffff81001020 work_a ([kernel])" ]
	[ "$(sed -n 66p out)" = "two 8/8 [002] 0.000067000: 1000 INST_RETIRED: ffffffff81002020 work_b ([mod])" ]
	[ "$(sed -n 105p out)" = "9/9 [002] 0.000106000: 1000 INST_RETIRED: 401000 [unknown] ([unknown])" ]
	[ "$(sed -n 106p out)" = "[000] 0.000500000: LOST 20 records" ]
}

@test "script -g has the callers below each sample, innermost first" {
	"$TREE"/build/tests/progs/make_file st --stacks
	script -g st >out
	# 40 with two callers, 15 likewise, 4 cut, 1 without, 40 with one, 5 without a stack; a head and an end each
	[ "$(wc -l <out)" -eq $((55 * 5 + 4 * 4 + 3 + 40 * 4 + 5 * 3)) ]
	printf '%s\n' "one 7/7 [000] 0.000002000: 1000 INST_RETIRED:" $'\tffffffff81001010 work_a ([kernel])' \
		$'\tffffffff81002030 work_b ([mod])' $'\tffffffff81000010 _stext ([kernel])' "" >expected
	sed 's/^\t /\t/' <out | head -5 | diff expected -
	[ "$(grep -c '\[truncated\]' out)" -eq 4 ]
}

@test "script -g of a file without stacks says so" {
	run -1 vsamp script -g
	[[ $output == *"has no call stacks: record with -g"* ]]
}

@test "script -F shows the fields that are asked for" {
	[ "$(script -F pid,symbol | LC_ALL=C sort | uniq -c | tr -s ' ')" = " 65 7 work_a
 30 8 work_b
 10 9 [unknown]
 1 LOST 20 records" ]
	run -2 vsamp script -F pid,colour
	[[ $output == *"'colour': the fields are comm, pid"* ]]
}

@test "script -e, -p and -C select events, processes and CPUs" {
	[ "$(script -e BR_INST | grep -c work_a)" -eq 5 ]
	[ "$(script -e br_inst:u | grep -vc LOST)" -eq 5 ]
	[ "$(script -p 8,9 | grep -vc LOST)" -eq 40 ]
	[ "$(script -C 2 | wc -l)" -eq 40 ]
	[ "$(script -C 0-1 | wc -l)" -eq 66 ]
	run -2 vsamp script -e CYCLES
	[[ $output == *"'CYCLES': vsamp.data has INST_RETIRED, BR_INST:u"* ]]
	run -2 vsamp script -p one
	run -2 vsamp script -C x
}

@test "script --tid, -c, -d and -S select threads, names, modules and functions; -e takes several" {
	[ "$(script --tid 8,9 | grep -vc LOST)" -eq 40 ]
	[ "$(script -p 7,8 --tid 8,9 | grep -vc LOST)" -eq 30 ]
	[ "$(script -c two | grep -vc LOST)" -eq 30 ]
	[ "$(script -c two,one | grep -vc LOST)" -eq 95 ]
	[ "$(script -d '[mod],[unknown]' | grep -vc LOST)" -eq 40 ]
	[ "$(script --dsos '[kernel]' -S work_a,work_b | grep -vc LOST)" -eq 65 ]
	[ "$(script -S work_b | grep -vc LOST)" -eq 30 ]
	[ "$(script -S 'work_b, x' | grep -vc LOST)" -eq 0 ]
	[ "$(script -e br_inst:u,INST_RETIRED | grep -vc LOST)" -eq 105 ]
	[ "$(script -e br_inst:u -e INST_RETIRED | grep -vc LOST)" -eq 105 ]
	run -2 vsamp script -e BR_INST,CYCLES
	[[ $output == *"'CYCLES': vsamp.data has INST_RETIRED, BR_INST:u"* ]]
	run -2 vsamp script --tid x
	run -2 vsamp script -S a,,b
}

@test "script --time has both ends, which may be left out" {
	[ "$(script --time 0.000002,0.000011 | wc -l)" -eq 10 ]
	[ "$(script --time ,0.000002 | wc -l)" -eq 1 ]
	[ "$(script --time 0.000106000, | wc -l)" -eq 2 ]
	[ "$(script --time 0.000106001,0.0004 | wc -l)" -eq 0 ]
	# of 2 s, from 1000 ns on: up to 50999 ns; all samples are in the first 0.1 ms
	[ "$(script --time 0%-0.0025% | grep -vc LOST)" -eq 49 ]
	[ "$(script --time 0%,1% | wc -l)" -eq 106 ]
	[ "$(script --time 50%-100% | wc -l)" -eq 0 ]
	for wrong in 1 2,1 a,b 1,2x -1,2 1-2 20%-10% 0%-101% % '99999999999999999999,'; do
		run -2 vsamp script --time "$wrong"
	done
}

@test "script shows what a sample stands for, where values change and in time slices" {
	"$TREE"/build/tests/progs/make_file sets --sets
	[ "$(script -F period sets | grep -v LOST | sort -n | uniq -c | tr -s ' ')" = " 10 300
 20 500
 15 1000" ]
	"$TREE"/build/tests/progs/make_file mux --mux
	# 1000 in 1/4 of the time, 500 in 3/4 of it
	[ "$(script -F period mux | sort -n | uniq -c | tr -s ' ')" = " 30 667
 25 4000" ]
}

@test "script --json has an object a line" {
	vsamp script --json 2>/dev/null >out
	[ "$(jq -s length out)" -eq 106 ]
	[ "$(jq -c . out | head -1)" = '{"type":"sample","time_ns":2000,"cpu":0,"pid":7,"tid":7,"comm":"one","event":"INST_RETIRED","events":1000,"mode":"kernel","ip":"0xffffffff81001010","module":"[kernel]","symbol":"work_a"}' ]
	[ "$(tail -1 out | jq -c .)" = '{"type":"lost","time_ns":500000,"cpu":0,"records":20}' ]
	"$TREE"/build/tests/progs/make_file st --stacks
	[ "$(vsamp script --json -g st | jq -c 'select(.type == "sample") | [.callers[].symbol]' | LC_ALL=C sort | uniq -c | tr -s ' ')" = ' 4 ["[truncated]"]
 39 ["_stext"]
 10 ["work_a","_stext"]
 5 ["work_a","work_b"]
 1 ["work_a"]
 40 ["work_b","_stext"]
 6 []' ]
}

# shellcheck disable=SC2154 # stderr is set by run
@test "script shows what is there of a file that is cut off, and says so" {
	head -c -200 vsamp.data >cut.data
	run -0 --separate-stderr vsamp script cut.data
	[[ $output == *work_a* && $stderr == *"vsamp script: WARNING: "* ]]
	head -c 40 vsamp.data >cut.data
	run -1 vsamp script cut.data
}

@test "names cannot steer the terminal" {
	"$TREE"/build/tests/progs/make_file odd $'a\e[2J'
	run -0 --separate-stderr vsamp script odd
	[[ $output != *$'\e'* && $output == *"a?[2J"* ]]
}
