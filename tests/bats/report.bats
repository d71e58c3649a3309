#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report and info as typed, on files of known contents (tests/progs/make_file.c)

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

row() {
	printf '%s\n' "$output" | tr -s ' ' | grep -qxF -- "$1"
}

@test "report -h tells the options" {
	run -0 vsamp report -h
	[[ $output == usage:* && $output == *--sort* && $output == *--json* ]]
}

@test "info -h tells the options" {
	run -0 vsamp info -h
	[[ $output == usage:* && $output == *--json* ]]
}

@test "report reads vsamp.data by itself, a file, or the file of -i" {
	run -0 --separate-stderr vsamp report
	first=$output
	run -0 --separate-stderr vsamp report -i vsamp.data
	[ "$output" = "$first" ]
	mv vsamp.data other
	run -0 --separate-stderr vsamp report other
	[ "${output/other/vsamp.data}" = "$first" ]
}

@test "report shows each event's samples by process, module and symbol" {
	run -0 --separate-stderr vsamp report
	row "INST_RETIRED: 100 samples"
	row " percent samples process module symbol"
	row " 60.00% 60 one (7) [kernel] work_a"
	row " 30.00% 30 two (8) [mod] work_b"
	row " 10.00% 10 (9) [unknown] [unknown]"
	row "BR_INST: 5 samples"
	row " 100.00% 5 one (7) [kernel] work_a"
}

@test "report is headed by what was recorded" {
	run -0 --separate-stderr vsamp report
	row "# vsamp.data: somewhere, Linux 6.1, CPUs 0,2, backend intel, clock tsc"
	row "# command: vsamp record -a"
	row "# recorded: 2.000 s of machine, ended by duration; calibrated: all, target per cpu, 2 runs"
	row "# records: 128 produced = 108 written + 20 lost, 108 in the file; complete"
	row "# event INST_RETIRED: sav 1000 (calibrated, counted 100000), samples 100, target 100, lost 20, count 120000"
	row "# event BR_INST: sav 500 (explicit), samples 5, lost 0, count 2500"
}

@test "report --sort module adds up" {
	run -0 --separate-stderr vsamp report --sort module
	row " 60.00% 60 [kernel]"
	run -0 --separate-stderr vsamp report --sort symbol,process
	row " 60.00% 60 one (7) work_a"
}

@test "report -e, -p and -n leave the rest out" {
	run -0 --separate-stderr vsamp report -e br_inst
	[[ $output != *"INST_RETIRED: 100"* && $output == *"BR_INST: 5"* ]]
	run -0 --separate-stderr vsamp report -p 8,9
	[[ $output != *"one (7)"* && $output == *"two (8)"* && $output == *"(9)"* ]]
	run -0 --separate-stderr vsamp report -n 1
	[[ $output == *"one (7)"* && $output != *"two (8)"* && $output == *"... (-n 1)"* ]]
}

@test "report --json has what docs/json.md promises" {
	vsamp report --json 2>/dev/null >out
	jq -e '.version == 1 and .file == "vsamp.data" and .complete and .produced == 128 and
		.written == 108 and .lost == 20 and .elapsed_ns == 2000000000' out
	jq -e '.events == [
		{name: "INST_RETIRED", sav: 1000, sav_source: "calibrated", samples: 100, lost: 20, target: 100, count: 120000},
		{name: "BR_INST", sav: 500, sav_source: "explicit", samples: 5, lost: 0, target: null, count: 2500}]' out
	jq -e '.processes == [{pid: 7, comm: "one", samples: [60, 5]}, {pid: 8, comm: "two", samples: [30, 0]},
		{pid: 9, comm: "", samples: [10, 0]}]' out
	jq -e '[.modules[] | [.module, .samples]] == [["[kernel]", [60, 5]], ["[mod]", [30, 0]], ["[unknown]", [10, 0]]]' out
	jq -e '.symbols[0] == {module: "[kernel]", symbol: "work_a", samples: [60, 5]}' out
	jq -e '.warnings | length == 1' out
}

@test "loss is said on standard error by report and info" {
	for command in report "report --json" info "info --json"; do
		# shellcheck disable=SC2086 # a command and its option
		run -0 --separate-stderr vsamp $command
		# shellcheck disable=SC2154 # set by run
		[[ $stderr == *"WARNING: 20 of 128 records (15.62 %) were lost"* ]]
	done
}

@test "info shows the run, what was lost, and that the numbers add up" {
	run -0 --separate-stderr vsamp info
	row "state complete"
	row "started 1970-01-02 00:00:00 UTC"
	row "clock tsc, 1000000 kHz; 3 points, conversion good to 10 ns"
	row "0 87 67 20 67 20 0"
	row "2 41 41 0 41 0 0"
	row "produced = written + lost: yes; written = read = in the file: yes"
}

@test "info --json has what docs/json.md promises" {
	vsamp info --json 2>/dev/null >out
	jq -e '.complete and .balanced and .whole and .records == 108' out
	jq -e '.cpus == [{cpu: 0, produced: 87, written: 67, lost: 20, read: 67, records: 67, lost_marked: 20, throttled: 0},
		{cpu: 2, produced: 41, written: 41, lost: 0, read: 41, records: 41, lost_marked: 0, throttled: 0}]' out
	jq -e '.clock == {khz: 1000000, points: 3, error_ns: 10}' out
	jq -e '.meta.hostname == "somewhere" and .end.reason == "duration"' out
	jq -e '[.chunks[].type] == ["meta", "records", "sideband", "kallsyms", "end"]' out
}

@test "a file that is cut off is read as far as it goes, and said to be incomplete" {
	size=$(stat -c %s vsamp.data)
	truncate -s $((size - 1)) vsamp.data
	for command in report info; do
		run -0 --separate-stderr vsamp $command
		[[ $stderr == *"WARNING: the recording is incomplete"* ]]
	done
	run -0 --separate-stderr vsamp report
	[[ $output == *INCOMPLETE* ]]
	row " 60.00% 60 one (7) [kernel] work_a"
	run -0 --separate-stderr vsamp report --json
	jq -e '.complete == false' <<<"$output"
}

@test "a damaged file is read up to there, and ends with 1" {
	size=$(stat -c %s vsamp.data)
	printf X | dd of=vsamp.data bs=1 seek=$((size - 10)) conv=notrunc 2>/dev/null
	run -1 --separate-stderr vsamp report
	[[ $stderr == *"damaged: the chunk at byte"* ]]
	row " 60.00% 60 one (7) [kernel] work_a"
	run -1 --separate-stderr vsamp info
}

@test "what is no recording is refused, and named" {
	run -1 vsamp report /etc/passwd
	[ "$output" = "vsamp report: /etc/passwd: not a .vsamp file" ]
	run -1 vsamp info /nonexistent
	[ "$output" = "vsamp info: /nonexistent: cannot open: No such file or directory" ]
	run -1 vsamp report /dev/null
	[ "$output" = "vsamp report: /dev/null: not a regular file" ]
	mkfifo pipe
	run -1 timeout 5 vsamp info pipe
	[ "$output" = "vsamp info: pipe: not a regular file" ]
	: >empty
	run -1 vsamp report empty
	[ "$output" = "vsamp report: empty: not a .vsamp file (too short)" ]
}

@test "wrong options end with 2 and tell the remedy" {
	run -2 vsamp report --sort colour
	[[ $output == *"'colour': the keys are process, module and symbol"* ]]
	run -2 vsamp report -e CYCLES
	[[ $output == *"'CYCLES': vsamp.data has INST_RETIRED, BR_INST"* ]]
	run -2 vsamp report -n 0
	run -2 vsamp report -p x
	run -2 vsamp report --nonsense
	[[ $output == *"'--nonsense'"* ]]
	run -2 vsamp report a b
	run -2 vsamp info -i
}

@test "what cannot be printed is an error" {
	run -1 bash -c 'vsamp report 2>&1 >/dev/full'
	[[ $output == *"standard output: cannot write"* ]]
	run -1 bash -c 'vsamp info --json 2>&1 >/dev/full'
}

@test "names out of a file can't steer the terminal" {
	"$TREE"/build/tests/progs/make_file hostile.data $'e\033[2J'
	run -0 --separate-stderr vsamp report hostile.data
	[[ $output == *"e?[2J (7)"* && $output != *$'\033'* ]]
}
