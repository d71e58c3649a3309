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
	row "BR_INST:u: 5 samples"
	row " INST_RETIRED BR_INST:u"
	row " percent samples percent samples process module symbol"
	row " 60.00% 60 100.00% 5 one (7) [kernel] work_a"
	row " 30.00% 30 0.00% 0 two (8) [mod] work_b"
	row " 10.00% 10 0.00% 0 (9) [unknown] [unknown]"
}

@test "report --no-group has a table an event" {
	run -0 --separate-stderr vsamp report --no-group
	[ "$(grep -A9 '^INST_RETIRED' <<<"$output" | tr -s ' ')" = "INST_RETIRED: 100 samples
 percent samples process module symbol
 60.00% 60 one (7) [kernel] work_a
 30.00% 30 two (8) [mod] work_b
 10.00% 10 (9) [unknown] [unknown]

BR_INST:u: 5 samples
 percent samples process module symbol
 100.00% 5 one (7) [kernel] work_a" ]
	joined=$(vsamp report 2>/dev/null)
	run -0 --separate-stderr vsamp report --no-group --group
	[ "$output" = "$joined" ]
}

@test "report is headed by what was recorded" {
	run -0 --separate-stderr vsamp report
	row "# vsamp.data: somewhere, Linux 6.1, CPUs 0,2, backend intel, clock tsc"
	row "# command: vsamp record -a"
	row "# recorded: 2.000 s of machine, ended by duration; calibrated: all, target per cpu, runs: 2"
	row "# records: 128 produced = 108 written + 20 lost, 108 in the file; complete"
	row "# event INST_RETIRED: sav 1000 (calibrated, counted 100000 in 2.000 s), samples 100, target 100 (+0.00 %), lost 20, count 120000"
	row "# event BR_INST:u: sav 500 (explicit, not calibrated: the value was given), samples 5, lost 0, count 2500"
}

@test "report of sets: each event's set and target, shares by events where the value changed" {
	"$TREE"/build/tests/progs/make_file sets --sets
	run -0 --separate-stderr vsamp report sets
	row "# recorded: 2.000 s of machine, ended by duration; calibrated: all, adaptive, target in total, runs: 4"
	row "# event INST_RETIRED, set 1 of 2: sav 1000..500 (calibrated, counted 35000 in 2.000 s), samples 35, target 35 (+0.00 %), lost 0, count 25000"
	row "# event BR_INST:u, set 2 of 2: sav 300 (calibrated, counted 6000 in 1.500 s), samples 10, target 20 (-50.00 %: 10 samples were lost), lost 10, count 6000"
	row "INST_RETIRED: 35 samples, for 25000 events"
	row " 60.00% 15 100.00% 10 one (7) [kernel] work_a"
	row " 40.00% 20 0.00% 0 two (8) [mod] work_b"
	row "BR_INST:u: 10 samples"
}

@test "report of time slices: numbers are scaled by the part of the time" {
	"$TREE"/build/tests/progs/make_file mux --mux
	run -0 --separate-stderr vsamp report mux
	[ -z "$stderr" ]
	[[ $output == *"; not calibrated, target in total, runs: 1; time slices of 10 ms"* ]]
	row "# event INST_RETIRED, set 1 of 2: sav 1000 (default, not calibrated: it was not asked for), samples 25 (counted 25.00 % of the time: as 100), target 100 (+0.00 %), lost 0, count 25000"
	row "INST_RETIRED: 25 samples, for 100000 events"
	row "BR_INST:u: 30 samples, for 20000 events"
	row " 100.00% 25 0.00% 0 one (7) [kernel] work_a"
	row " 0.00% 0 100.00% 30 two (8) [mod] work_b"
}

@test "report --sort module adds up" {
	run -0 --separate-stderr vsamp report --sort module -e inst_retired
	row " 60.00% 60 [kernel]"
	# columns are in the order of the keys
	run -0 --separate-stderr vsamp report --sort symbol,process -e inst_retired
	row " percent samples symbol process"
	row " 60.00% 60 work_a one (7)"
}

@test "report -e, -p and -n leave the rest out" {
	run -0 --separate-stderr vsamp report -e br_inst
	[[ $output != *"INST_RETIRED: 100"* && $output == *"BR_INST:u: 5"* ]]
	run -0 --separate-stderr vsamp report -e BR_inst:U
	[[ $output != *"INST_RETIRED: 100"* && $output == *"BR_INST:u: 5"* ]]
	run -2 --separate-stderr vsamp report -e br_inst:k
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
		{name: "INST_RETIRED", user: true, kernel: true, set: 0, sav: 1000, sav_end: 1000, sav_source: "calibrated", calibration: "run",
			counted: 100000, cal_seconds: 2, target: 100, deviation: 0, miss: null, share: 1,
			samples: 100, lost: 20, count: 120000, estimated: 100000, elapsed_ns: 2000000000},
		{name: "BR_INST", user: true, kernel: false, set: 0, sav: 500, sav_end: 500, sav_source: "explicit", calibration: "explicit",
			counted: null, cal_seconds: null, target: null, deviation: null, miss: null, share: 1,
			samples: 5, lost: 0, count: 2500, estimated: 2500, elapsed_ns: 2000000000}]' out
	jq -e '.target_scope == "cpu"' out
	jq -e '.processes == [{pid: 7, ns_pid: null, pid_namespace: null, comm: "one", samples: [60, 5], events: [60000, 2500]},
		{pid: 8, ns_pid: null, pid_namespace: null, comm: "two", samples: [30, 0], events: [30000, 0]},
		{pid: 9, ns_pid: null, pid_namespace: null, comm: "", samples: [10, 0], events: [10000, 0]}]' out
	jq -e '[.modules[] | [.module, .samples]] == [["[kernel]", [60, 5]], ["[mod]", [30, 0]], ["[unknown]", [10, 0]]]' out
	jq -e '.symbols[0] == {module: "[kernel]", symbol: "work_a", samples: [60, 5], events: [60000, 2500]}' out
	jq -e '.warnings | length == 1' out
}

@test "report --json of sets and of time slices" {
	"$TREE"/build/tests/progs/make_file sets --sets
	vsamp report --json sets 2>/dev/null >out
	jq -e '.target_scope == "total" and .elapsed_ns == 2000000000' out
	jq -e '.events[0] | .sav == 1000 and .sav_end == 500 and .estimated == 25000 and .deviation == 0 and
		.miss == null and .set == 0 and .elapsed_ns == 500000000' out
	jq -e '.events[1] | .sav == 300 and .sav_end == 300 and .sav_source == "calibrated" and .counted == 6000 and
		.cal_seconds == 1.5 and .target == 20 and .deviation == -50 and .miss == "10 samples were lost" and
		.lost == 10 and .set == 1 and .elapsed_ns == 1500000000 and .estimated == 3000' out
	jq -e '[.symbols[] | [.symbol, .samples, .events]] ==
		[["work_a", [15, 10], [15000, 3000]], ["work_b", [20, 0], [10000, 0]]]' out
	"$TREE"/build/tests/progs/make_file mux --mux
	vsamp report --json mux >out
	jq -e '.events[0] | .share == 0.25 and .estimated == 100000 and .count == 25000 and .deviation == 0' out
	jq -e '.events[1] | .share == 0.75 and .estimated == 20000 and .samples == 30' out
	jq -e '.rows | map(.events) == [[100000, 0], [0, 20000]]' out
	vsamp info --json sets 2>/dev/null | jq -e '.sav_changes == 1 and .swaps == 0 and .balanced and .whole and
		[.chunks[] | select(.type == "run").chunks] == [1] and [.end.runs[].set] == [0, 1]'
	vsamp info --json mux | jq -e '.sav_changes == 0 and .swaps == 4'
}

@test "info shows each set's run" {
	"$TREE"/build/tests/progs/make_file sets --sets
	run -0 --separate-stderr vsamp info sets
	row "run set 1: 0.500000 s, ended by duration"
	row "run set 2: 1.500000 s, ended by duration"
	row "BR_INST:u 2 300 300 calibrated run 6000 20 10 100.00% 6000"
	row "changes of Sample-After values: 1"
}

@test "a recording that ended before the second set's turn says so" {
	"$TREE"/build/tests/progs/make_file sets --sets
	# cut off in front of its RUN chunk, type 6
	python3 - <<-END
		import struct
		data = open("sets", "rb").read()
		at = 32
		while struct.unpack_from("<H", data, at + 4)[0] != 6:
		    at += 40 + struct.unpack_from("<I", data, at + 20)[0]
		open("sets", "wb").write(data[:at])
	END
	run -0 --separate-stderr vsamp report sets
	[[ $stderr == *"WARNING: event BR_INST:u was not recorded: the recording ended before its set's turn"* ]]
}

@test "report -g shows the callers of each row, and what is missing of them" {
	"$TREE"/build/tests/progs/make_file stacks --stacks
	run -0 --separate-stderr vsamp report -g -e INST_RETIRED stacks
	[ -z "$stderr" ]
	row "# stacks: kernel and user, up to 127 frames each; 100 samples have one, cut: 0 in the kernel, 4 in user mode"
	[ "${output#*symbol$'\n'}" = "$(sed 's/^=//' <<-'END'
		=   60.00%         60  one (7)  [kernel]  work_a
		=            |
		=            |--40.00%--work_b
		=            |          _stext
		=            |--15.00%--work_a
		=            |          |
		=            |          |--10.00%--_stext
		=            |           -- 5.00%--work_b
		=            |-- 4.00%--[truncated]
		=             -- 1.00%--[no caller]
		=
		=   40.00%         40  two (8)  [mod]     work_b
		=            |
		=            |--39.00%--_stext
		=             -- 1.00%--work_a
	END
	)" ]
	run -0 --separate-stderr vsamp report -g -e BR_INST stacks
	row " 100.00% 5 one (7) [kernel] work_a"
	[[ $output != *--* && $output != *"no caller"* ]]
}

@test "report -g leaves out callers below the limit, and sums up what is left out" {
	"$TREE"/build/tests/progs/make_file stacks --stacks
	run -0 --separate-stderr vsamp report -g --percent-limit 4.5 -e INST_RETIRED stacks
	row " |--40.00%--work_b"
	row " |--15.00%--work_a"
	row " | -- 5.00%--work_b"
	row " -- 5.00%--[...]"
	[[ $output != *truncated* && $output != *"no caller"* ]]
	run -0 --separate-stderr vsamp report -g --percent-limit 50 -e INST_RETIRED stacks
	[[ $output == *"--60.00%--[...]"* && $output != *"40.00%--"* ]]
	run -0 --separate-stderr vsamp report -g --percent-limit 100 -n 1 stacks
	[[ $output != *--* ]]
}

@test "report -g --json nests the callers of rows" {
	"$TREE"/build/tests/progs/make_file stacks --stacks
	vsamp report -g --json stacks >out
	jq -e '.stacks == {kernel: true, user: true, depth: 127, samples: 100, kernel_cut: 0, user_cut: 4}' out
	jq -e '.rows[0].symbol == "work_a" and .rows[0].samples == [60, 5]' out
	# 5 samples of the other event have no stack: they have no caller
	jq -e '[.rows[0].callers[] | [.symbol, .samples]] == [["work_b", [40, 0]], ["work_a", [15, 0]], ["[truncated]", [4, 0]], ["[no caller]", [1, 5]]]' out
	jq -e '.rows[0].callers[1].callers == [
		{module: "[kernel]", symbol: "_stext", samples: [10, 0], events: [10000, 0], callers: []},
		{module: "[mod]", symbol: "work_b", samples: [5, 0], events: [5000, 0], callers: []}]' out
	jq -e '.rows[0].callers[2].module == null' out
	jq -e 'all(.symbols[], .processes[]; has("callers") | not)' out
	vsamp report -g --json -e INST_RETIRED --percent-limit 5 stacks >out
	jq -e '[.rows[0].callers[] | [.symbol, .samples, .events]] ==
		[["work_b", [40], [40000]], ["work_a", [15], [15000]], ["[...]", [5], [5000]]]' out
	vsamp report --json stacks | jq -e '.stacks.samples == 100 and all(.rows[]; has("callers") | not)'
	vsamp report --json 2>/dev/null | jq -e '.stacks == null'
}

@test "info shows what stacks there are" {
	"$TREE"/build/tests/progs/make_file stacks --stacks
	run -0 --separate-stderr vsamp info stacks
	row "stacks kernel and user, up to 127 frames each"
	row "stacks cut of 100: 0 in the kernel, 4 in user mode"
	vsamp info --json stacks | jq -e '.stacks.user_cut == 4 and .meta.stacks.depth == 127'
	run -0 --separate-stderr vsamp info
	[[ $output != *stacks* ]]
}

@test "report -g of a recording without stacks says how to get them" {
	run -1 --separate-stderr vsamp report -g
	[ "$stderr" = "vsamp report: vsamp.data: has no call stacks: record with -g" ]
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
	row " 60.00% 60 100.00% 5 one (7) [kernel] work_a"
	run -0 --separate-stderr vsamp report --json
	jq -e '.complete == false' <<<"$output"
}

@test "a damaged file is read up to there, and ends with 1" {
	size=$(stat -c %s vsamp.data)
	printf X | dd of=vsamp.data bs=1 seek=$((size - 10)) conv=notrunc 2>/dev/null
	run -1 --separate-stderr vsamp report
	[[ $stderr == *"damaged: the chunk at byte"* ]]
	row " 60.00% 60 100.00% 5 one (7) [kernel] work_a"
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
	[[ $output == *"'colour': the keys are process,comm,pid,thread,cpu,module,symbol,line,event,time,task,itt-event"* ]]
	run -2 vsamp report -e CYCLES
	[[ $output == *"'CYCLES': vsamp.data has INST_RETIRED, BR_INST:u"* ]]
	run -2 vsamp report -n 0
	run -2 vsamp report -p x
	run -2 vsamp report --nonsense
	[[ $output == *"'--nonsense'"* ]]
	run -2 vsamp report a b
	run -2 vsamp report --percent-limit 101
	run -2 vsamp report --percent-limit x
	run -2 vsamp report -garound
	run -2 vsamp report --call-graph=around
	[[ $output == *"'around': callee: who called a row, or caller: whom it called"* ]]
	run -2 vsamp report -g caller --no-children
	run -2 vsamp report -g --csv
	run -2 vsamp report --sort-by cycles
	[[ $output == *"'cycles': neither an event nor a ratio that is shown"* ]]
	run -2 vsamp report --ratio x=INST_RETIRED/CYCLES
	run -2 vsamp report --ratio INST_RETIRED/BR_INST
	run -2 vsamp report --time-slices 0
	run -2 vsamp report --time-slice -1
	run -2 vsamp report --time 2,1
	[[ $output == *"'2,1': A,B: seconds from the begin on, A before B"* ]]
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
