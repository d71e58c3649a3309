#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The command as typed, where the machine doesn't matter: help, usage, files that are none

bats_require_minimum_version 1.5.0

setup() {
	PATH=$BATS_TEST_DIRNAME/../../build:$PATH
	cd "$BATS_TEST_TMPDIR" || return
}

# usage_error WORD ARGUMENT...: refused as a wrong call, with the word in what is said, and no file made
usage_error() {
	local word=$1
	shift
	run vsamp "$@"
	[ "$status" -eq 2 ] || { echo "status $status: $output"; return 1; }
	[[ $output == *"$word"* ]] || { echo "no '$word' in: $output"; return 1; }
	[ -z "$(ls -A)" ]
}

@test "vsamp alone shows its commands, as an error" {
	run vsamp
	[ "$status" -eq 2 ]
	for c in record report stat list doctor info; do
		[[ $output == *"$c"* ]]
	done
}

@test "vsamp -h and --help show the same, to standard output" {
	run --separate-stderr vsamp -h
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	help=$output
	run vsamp --help
	[ "$status" -eq 0 ]
	[ "$output" = "$help" ]
}

@test "vsamp --version is the tree's version" {
	run vsamp --version
	[ "$status" -eq 0 ]
	[ "$output" = "vsamp $(cat "$BATS_TEST_DIRNAME/../../VERSION")" ]
}

@test "each command has -h and --help" {
	for c in record report stat list doctor info; do
		run --separate-stderr vsamp $c -h
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[[ $output == "usage: vsamp $c"* ]]
		help=$output
		run vsamp $c --help
		[ "$status" -eq 0 ]
		[ "$output" = "$help" ]
	done
}

# The long options of a command's manual page, but for a second spelling
manual_options() {
	tr -d '\134' <"$BATS_TEST_DIRNAME/../../docs/man/vsamp-$1.1" | grep -oE -- '--[a-z][a-z-]+' |
		grep -vx -- --calibration | sort -u
}

@test "help and the manual pages have the same options" {
	for c in record report stat list doctor info; do
		help=$(vsamp $c -h | grep -oE -- '--[a-z][a-z-]+' | sort -u)
		[ -n "$help" ]
		diff <(echo "$help") <(manual_options $c)
	done
}

@test "an unknown command is named" {
	usage_error bogus bogus
}

@test "an unknown option is named, by each command" {
	for c in record report stat list doctor info; do
		usage_error --bogus $c --bogus
	done
}

@test "record: an event that there is not" {
	usage_error nosuch record -e nosuch -- true
	usage_error nosuch record -e INST_RETIRED,nosuch -- true
}

@test "record: bad modifiers of events" {
	usage_error x record -e INST_RETIRED:x -- true
	usage_error sav record -e INST_RETIRED:sav= -- true
	usage_error sav record -e INST_RETIRED:sav=abc -- true
	usage_error sav record -e INST_RETIRED:sav=-1 -- true
}

@test "record: bad lists of CPUs" {
	for l in 9-7 x 0- -1 0,,1; do
		usage_error "$l" record "-C$l"
	done
}

@test "record: bad process numbers" {
	for p in x 0 -5 1,x 99999999999; do
		usage_error "$p" record "-p$p"
	done
}

@test "record: bad durations, delays and intervals" {
	for v in abc 0 -1 1x ''; do
		usage_error -d record -d "$v"
		usage_error -i record -i "$v"
	done
	for v in abc -1 1x ''; do
		usage_error -D record -D "$v"
	done
}

@test "record: bad ring sizes" {
	for v in abc 0 3000 17000 2G -1; do
		usage_error --ring-size record --ring-size "$v"
	done
}

@test "record: bad words of --cal, --cal-scope, --backend, --nmi-watchdog" {
	usage_error maybe record --cal=maybe
	usage_error maybe record --cal-scope maybe
	usage_error maybe record --backend maybe
	usage_error maybe record --nmi-watchdog=maybe
}

@test "record: the machine and a command's processes exclude each other's options" {
	usage_error -p record -p $$ -- true
	usage_error - record -o -
}

@test "options that miss their value are named" {
	for o in -e -C -p -d -D -i -o; do
		usage_error "$o" record "$o"
	done
	usage_error --sort report --sort
}

@test "report and info: no file" {
	for c in report info; do
		run vsamp $c
		[ "$status" -eq 1 ]
		[[ $output == *vsamp.data* ]]
		run vsamp $c nosuch.vsamp
		[ "$status" -eq 1 ]
		[[ $output == *nosuch.vsamp* ]]
	done
}

@test "report and info: files that are no recordings" {
	: >empty
	head -c 100000 /dev/urandom >noise
	mkdir folder
	for c in report info; do
		for f in empty noise folder /etc/passwd; do
			run vsamp $c $f
			[ "$status" -eq 1 ]
			[[ $output == *"$f"* ]]
			run --separate-stderr vsamp $c --json $f
			[ "$status" -eq 1 ]
			[ -z "$output" ]
		done
	done
}

@test "report: bad options" {
	usage_error nosuch report --sort nosuch x
	usage_error x report -n x x
	usage_error x report -p x x
}

@test "list: the names people type" {
	run vsamp list
	[ "$status" -eq 0 ]
	for name in INST_RETIRED.ANY Clockticks 'Instructions Retired' CPU_CLK_UNHALTED.THREAD; do
		[[ $output == *"$name"* ]]
	done
}

@test "list WORD: only names with the word, whatever its case" {
	run vsamp list inst_ret
	[ "$status" -eq 0 ]
	[[ $output == *INST_RETIRED.ANY* ]]
	[[ $output != *REF_TSC* ]]
	run vsamp list no-such-word
	[ "$status" -ne 0 ] || [ -z "$output" ] || [[ $output == *no-such-word* ]]
}

@test "list --json is JSON with the names of the list" {
	vsamp list --json >out
	jq -e '.version == 1 and ([.events[].name] | index("INST_RETIRED.ANY") != null)' out
}

@test "doctor --json is JSON, and says what its exit code is" {
	run vsamp doctor --json
	code=$status
	[ "$(jq .exit_code <<<"$output")" -eq "$code" ]
	jq -e '[.checks[] | has("name") and has("status") and has("text")] | all' <<<"$output"
	# the code is that of the first failed check
	[ "$(jq '[.checks[] | select(.status == "fail")][0].code // 0' <<<"$output")" -eq "$code" ]
	jq -e '[.checks[] | select(.status == "fail") | .remedy | length > 0] | all' <<<"$output"
}

@test "doctor: text and JSON agree" {
	run vsamp doctor
	code=$status
	fails=$(grep -c ^FAIL <<<"$output" || true)
	run vsamp doctor --json
	[ "$status" -eq "$code" ]
	[ "$(jq '[.checks[] | select(.status == "fail")] | length' <<<"$output")" -eq "$fails" ]
}

@test "output that can't be written is an error" {
	for c in list 'list --json' doctor; do
		run bash -c "vsamp $c >/dev/full"
		[ "$status" -ne 0 ]
	done
}
