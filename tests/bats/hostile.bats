#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Input that nobody should trust, from around the commands: the environment, configuration files, files
# that are none. What is in recordings and ELF files: tests/fuzz.

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/none
	"$TREE"/build/tests/progs/make_file vsamp.data 2>/dev/null
	long=$(printf '%0100000d' 0)
}

# ends WORD COMMAND...: with 1 or 2, in a while, and with the word in what it says
ends() {
	local word=$1
	shift
	run timeout 20 "$@" </dev/null
	[[ $status = [12] && $output == *"$word"* ]] || { echo "$*: status $status: ${output:0:300}"; return 1; }
}

@test "the environment: whatever a variable is, the report is the same" {
	vsamp report >report.txt 2>&1
	for v in HOME PAGER VSAMP_PAGER TERM NO_COLOR DEBUGINFOD_URLS LESS TMPDIR COLUMNS LINES LC_ALL TZ XDG_CACHE_HOME; do
		for value in '' / "$long" '%s%n%n%s' $'a\nb' ../../../.. $'\xff\xfe' 'x"; false; "'; do
			env "$v=$value" timeout 20 vsamp report >out 2>&1 || { echo "$v='${value:0:20}': status $?"; head -3 out; return 1; }
			cmp out report.txt || { echo "$v='${value:0:20}'"; head -3 out; return 1; }
		done
	done
}

@test "folders of configuration that can't be are none" {
	for value in '' / "$long" relative '%n' /proc/self/mem; do
		for v in XDG_CONFIG_HOME HOME; do
			run timeout 20 env -u XDG_CONFIG_HOME "$v=$value" vsamp list instructions
			[ "$status" -le 1 ] || { echo "$v='${value:0:20}': status $status"; return 1; }
		done
	done
}

@test "a configuration file that is none" {
	mkdir folder
	mkfifo pipe
	head -c 3000000 /dev/zero >zeros
	head -c 100000 /dev/urandom >noise
	yes '["a"' | head -100000 >open
	printf '%s' "[$long$long]" >line
	ln -s loop loop
	# what never ends isn't read, and what nobody writes to isn't waited for
	for f in folder zeros noise open line loop none /dev/null/x pipe /dev/zero; do
		ends "$f" vsamp stat --event-config "$f" -e cpu-clock -- true
	done
}

@test "a recording that is none, by each command that reads one" {
	mkdir folder
	mkfifo pipe
	: >empty
	head -c 100000 /dev/urandom >noise
	head -c 31 vsamp.data >short
	ln -s loop loop
	for f in folder pipe empty noise short loop none /dev/zero /proc/self/mem "$long"; do
		for c in info report script 'export -f perf -o /dev/null' 'export -f pprof -o /dev/null' 'annotate work_a' 'diff vsamp.data'; do
			# shellcheck disable=SC2086 # several words
			ends vsamp vsamp $c "$f"
		done
	done
}
