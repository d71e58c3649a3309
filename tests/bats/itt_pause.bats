#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# vsamp record --itt-pause and --start-paused: what programs' pauses stop. tests/itt/script.c has the
# programs' language. Whose samples there are at all is asked, and of none how many.

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$TREE/build/tests/itt:$TREE/build/tests/progs:$PATH
	make -s -C "$TREE" user progs
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset VSAMP_ITT_DIR INTEL_LIBITTNOTIFY64
	export TMPDIR=$BATS_TEST_TMPDIR
}

# so long that some samples are sure to fall into it
W=W400000000

# record OPTION... -- TEXT...: a script, by the backend that is everywhere
record() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	vsamp record -q -b perf -e cpu-clock -o data "${options[@]}" -- script "$@" 2>said
}

# tasks: those that have samples, by name, in one word
tasks() {
	vsamp report --itt --json data 2>/dev/null |
		jq -r '[.rows[] | select(.inclusive.samples[0] > 0) | .name] | sort | join("")'
}

field() {
	vsamp report --itt --json data 2>/dev/null | jq "$1"
}

@test "a process's pause leaves out its samples, which are taken" {
	record -- "Ba$W E P Bb$W E C Bc$W E"
	[ "$(tasks)" = ac ]
	[ "$(field .samples_paused)" -gt 0 ]
	record --itt-pause=process -- "Ba$W E P Bb$W E C Bc$W E"
	[ "$(tasks)" = ac ]
	[ "$(field .samples_paused)" -gt 0 ]
	LD_LIBRARY_PATH=$TREE/build run -0 print_states data
	[[ $output != *pause* ]]
}

@test "the session's stops sampling: nothing is to be left out, and CPUs' records tell of it" {
	record --itt-pause=session -- "Ba$W E P Bb$W E C Bc$W E"
	[ "$(tasks)" = ac ]
	[ "$(field .samples_paused)" = 0 ]
	LD_LIBRARY_PATH=$TREE/build run -0 print_states data
	[ "${#lines[@]}" = "$(getconf _NPROCESSORS_ONLN)" ]
	for line in "${lines[@]}"; do
		[[ $line =~ ^[0-9]+\ start\ [0-9]+\ pause\ 0\ resume\ [0-9]+\ stop\ 0$ ]]
	done
	[ -z "$(find "$TMPDIR" -name 'vsamp-itt*')" ]
}

@test "the task around it doesn't have its time, and nesting goes on" {
	for whose in process session; do
		record --itt-pause=$whose -- "Ba$W P Bb$W E $W C $W E"
		[ "$(tasks)" = a ]
		vsamp report --itt --json data 2>/dev/null | jq -e '
			[.rows[] | {(.name): .}] | add | .b.inclusive.total_ns == 0 and .b.count == 1
			and .a.inclusive.total_ns == .a.exclusive.total_ns and .a.cut == 0'
	done
}

@test "events aren't there in the session's pause, also of a process that didn't ask for it" {
	record --itt-pause=session -- "Sa P Sb Nb C Na" "P ( Sc Nc C ) Sd Nd"
	[ "$(vsamp report --itt --json data | jq -r '[.rows[] | select(.kind == "event") | .name] | sort | join("")')" = ad ]
}

@test "of several processes the last call holds" {
	# what one paused another resumes, and the other way round
	record --itt-pause=session -- "P Ba$W E ( C ) Bb$W E ( P ) Bc$W E C Bd$W E"
	[ "$(tasks)" = bd ]
	record --itt-pause=process -- "P Ba$W E ( C ) Bb$W E ( P ) Bc$W E C Bd$W E"
	[ "$(tasks)" = d ]
	# a child goes on as its parent was
	record -- "P ( Bx$W E C By$W E ) C ( Bz$W E )"
	[ "$(tasks)" = yz ]
}

@test "pauses don't nest, and the offload's is none" {
	record --itt-pause=session -- "P P C Ba$W E C Bb$W E P C P C Bc$W E"
	[ "$(tasks)" = abc ]
}

@test "--start-paused: until the first resume, also what was before the first call" {
	for whose in process session; do
		record --itt-pause=$whose --start-paused -- "$W Ba$W E C Bb$W E"
		[ "$(tasks)" = b ]
		[ ! -s said ]
		# what was before the first call is as long as b
		vsamp report --json --sort task data 2>/dev/null |
			jq -e '[.rows[] | .samples[0]] | length < 3 and add > 0 and add < 2 * max'
	done
	record --start-paused -- "$W Ba$W E C Bb$W E"
	[ "$(field .samples_paused)" -gt 0 ]
	record --itt-pause=session --start-paused -- "$W Ba$W E C Bb$W E"
	[ "$(field .samples_paused)" = 0 ]
}

@test "--start-paused: what was never resumed is said" {
	record --start-paused -- "Ba$W E"
	[[ $(<said) == *"no program called __itt_resume(): all samples of those that make ITT calls are left out"* ]]
	record --itt-pause=session --start-paused -- "Ba$W E"
	[[ $(<said) == *"no program called __itt_resume(), so that everything was paused"* ]]
	[ "$(vsamp report --json data | jq '.events[0].samples')" = 0 ]
	run -0 vsamp record -q -b perf -e cpu-clock --start-paused -o data true
	[[ $output == *"no program made an ITT call, so that nothing was paused"* ]]
}

@test "with a start delay, the later of both" {
	record -D 1 --itt-pause=session --start-paused -- "Ba$W E C Bb$W E"
	[ "$(tasks)" = b ]
}

@test "a recorder that is stopped holds programs up for a second, one that is gone not at all" {
	# shellcheck disable=SC2016 # for that shell
	printf '%s\n' 'kill -STOP $PPID' 'script "P C"' 'kill -CONT $PPID' 'script "Ba'$W' E"' >stop.sh
	vsamp record -q -b perf -e cpu-clock --itt-pause=session -o data -- sh ./stop.sh
	# its calls are done in their order when it goes on
	[ "$(tasks)" = a ]
	# shellcheck disable=SC2016
	printf '%s\n' 'kill -KILL $PPID' 'script "P Ba'$W' E C"' 'echo $? >ended' >gone.sh
	run vsamp record -q -b perf -e cpu-clock --itt-pause=session -o data -- sh ./gone.sh
	for _ in $(seq 100); do
		[ -e ended ] && break
		sleep 0.1
	done
	[ "$(<ended)" = 0 ]
}

@test "what can't be is refused" {
	run -2 vsamp record --itt-pause=all -- true
	[[ $output == *"--itt-pause is session or process"* ]]
	run -2 vsamp record --itt off --start-paused -- true
	[[ $output == *"--itt off"* ]]
	INTEL_LIBITTNOTIFY64=/nonexistent run -1 vsamp record -q -b perf -e cpu-clock --start-paused -- true
	[[ $output == *"--start-paused: no program can tell of pauses here"* ]]
	mkdir -p "$(printf '%090d' 0)"
	TMPDIR=$PWD/$(printf '%090d' 0) run -1 vsamp record -q -b perf -e cpu-clock --itt-pause=session -- true
	[ ! -e vsamp.data ]
}

@test "a file that begins in a pause has it" {
	# shellcheck disable=SC2016 # for that shell
	printf '%s\n' 'script P' 'kill -USR2 $PPID' 'until ls data.2* | grep -qv part; do sleep 0.05; done' \
		'script "Sx Nx C Sy Ny"' >rotated.sh
	vsamp record -q -b perf -e cpu-clock --itt-pause=session --rotate 1h -o data -- sh ./rotated.sh
	last=$(printf '%s\n' data.2* | tail -n 1)
	[ "$(vsamp report --itt --json "$last" 2>/dev/null | jq -r '[.rows[].name] | join("")')" = y ]
}

@test "programs that run already pause the recording, too" {
	mkdir -m 1733 spool
	eval "$(vsamp itt env --shell --dir spool)"
	vsamp record -q -b perf -e cpu-clock -a --itt-dir spool --itt-pause=session --start-paused -o data -- \
		script "Ba$W E C Bb$W E P Bc$W E C Bd$W E" 2>said
	[ ! -s said ]
	[ "$(tasks)" = bd ]
	[ "$(field .samples_paused)" = 0 ]
	[ ! -e spool/pauses ]
	run -2 vsamp record -a --itt-dir spool --start-paused -- true
	[[ $output == *"--itt-pause=session"* ]]
}
