#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report as typed: what rows are told apart by, selected by and sorted by, and how they are written;
# on files of known contents (tests/progs/make_file.c, make_timeline.c)

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

@test "report of several events has them side by side, with CPI and ratios of one's own" {
	"$TREE"/build/tests/progs/make_file several --several
	run -0 --separate-stderr vsamp report -s symbol several
	[ -z "$stderr" ]
	row " Clockticks INST_RETIRED"
	row " percent samples percent samples CPI symbol"
	# 35 x 2000 / (20 x 1000), 10 x 2000 / (40 x 1000)
	row " 77.78% 35 33.33% 20 3.500 work_a"
	row " 22.22% 10 66.67% 40 0.500 work_b"
	run -0 --separate-stderr vsamp report -s symbol -e inst_retired,clockticks --ratio IPC=inst_retired/clockticks several
	row " percent samples percent samples CPI IPC symbol"
	row " 22.22% 10 66.67% 40 0.500 2.000 work_b"
	# a ratio of what isn't shown is known only if it is asked for
	run -0 --separate-stderr vsamp report -s symbol -e inst_retired several
	row " 66.67% 40 work_b"
	run -0 --separate-stderr vsamp report -s symbol -e inst_retired --ratio x=Clockticks/INST_RETIRED several
	row " 66.67% 40 0.500 work_b"
}

@test "report --sort-by has the rows with most of an event, or of a ratio, first" {
	"$TREE"/build/tests/progs/make_file several --several
	symbols() { vsamp report --csv "$@" several | tail -n +2 | cut -d, -f1 | tr '\n' ' '; }
	[ "$(symbols -s symbol)" = "work_a work_b " ]
	[ "$(symbols -s symbol --sort-by inst_retired)" = "work_b work_a " ]
	[ "$(symbols -s symbol --sort-by cpi)" = "work_a work_b " ]
	[ "$(symbols -s symbol --ratio IPC=INST_RETIRED/Clockticks --sort-by IPC)" = "work_b work_a " ]
	# what has no instructions has no CPI, and is last
	[ "$(symbols -s thread --sort-by CPI)" = "7 17 8 " ]
}

@test "report by process, pid, thread, name and CPU" {
	"$TREE"/build/tests/progs/make_file several --several
	run -0 --separate-stderr vsamp report -s thread,cpu several
	row " 66.67% 30 33.33% 20 3.000 one (7) 0"
	row " 22.22% 10 66.67% 40 0.500 worker (17) 2"
	row " 11.11% 5 0.00% 0 - two (8) 2"
	run -0 --separate-stderr vsamp report -s tid -e Clockticks several
	row " 22.22% 10 worker (17)"
	run -0 --separate-stderr vsamp report -s comm -e Clockticks several
	row " 22.22% 10 worker"
	run -0 --separate-stderr vsamp report -s pid -e Clockticks several
	row " 88.89% 40 7"
	run -0 --separate-stderr vsamp report -s process -e Clockticks several
	row " 88.89% 40 one (7)"
	run -0 --separate-stderr vsamp report -s cpu,sym,dso -e Clockticks several
	row " percent samples cpu symbol module"
	row " 22.22% 10 2 work_b [mod]"
	row " 11.11% 5 2 work_a [kernel]"
}

@test "report by event has a row for each of them" {
	run -0 --separate-stderr vsamp report -s event,symbol
	row " percent samples event symbol"
	row " 60.00% 60 INST_RETIRED work_a"
	row " 100.00% 5 BR_INST:u work_a"
	[ "$(tr -s ' ' <<<"$output" | grep -c 'BR_INST:u work')" -eq 1 ]
	"$TREE"/build/tests/progs/make_file stacks --stacks
	# a row's tree is of its event
	run -0 --separate-stderr vsamp report -g -s event,module -e BR_INST,INST_RETIRED stacks
	row " 60.00% 60 INST_RETIRED [kernel]"
	row " |--40.00%--work_b"
	row " 100.00% 5 BR_INST:u [kernel]"
	[[ ${output##*BR_INST:u  } != *--* ]]
}

@test "report by time has slices from the begin on, in their order" {
	"$TREE"/build/tests/progs/make_file several --several
	run -0 --separate-stderr vsamp report -s time several
	[ "$(grep -- '-[0-9.]*$' <<<"$output" | tr -s ' ')" = " 66.67% 30 33.33% 20 3.000 0.000-0.200
 22.22% 10 66.67% 40 0.500 1.000-1.200
 11.11% 5 0.00% 0 - 1.400-1.600" ]
	# at 2000 ns and each 1000 ns from there on
	run -0 --separate-stderr vsamp report -s time --time-slice 0.02 -e Clockticks several
	[ "$(grep -- '-[0-9.]*$' <<<"$output" | tr -s ' ')" = " 40.00% 18 0.000000-0.000020
 26.67% 12 0.000020-0.000040
 22.22% 10 1.000000-1.000020
 11.11% 5 1.500000-1.500020" ]
	run -0 --separate-stderr vsamp report -s time,symbol --time-slices 2 -e Clockticks several
	[ "$(grep work <<<"$output" | tr -s ' ')" = " 66.67% 30 0.000-1.000 work_a
 22.22% 10 1.000-2.000 work_b
 11.11% 5 1.000-2.000 work_a" ]
}

@test "report by task or ITT event needs a recording that has some" {
	run -1 vsamp report -s task,symbol
	[ "$output" = "vsamp report: vsamp.data: has no ITT tasks: they come from programs that tell of them by ittnotify" ]
	run -1 vsamp report -s itt-event
	[[ $output == *"has no ITT events that have a duration"* ]]
}

@test "report by task and ITT event has what threads were in" {
	"$TREE"/build/tests/progs/make_timeline t
	run -0 --separate-stderr vsamp report -s task,thread -e CPU_CLK_UNHALTED.THREAD t
	# ten times, of 1 to 5 samples a ms: filter 15 x 3 + 15 x 4, frame 5 x 3 + 5 x 4 + 10 x 5, after it 10 x 5,
	# blocks 16 x 1 + 16 x 2, the rest of decode 4 x 1 + 4 x 2; of 700 ms of worker 50 + 70 outside of requests
	for expect in "28.38% 1050 filter (video) app (7)" "22.97% 850 frame (video) app (7)" \
		"13.51% 500 [no task] app (7)" "12.97% 480 block (video) app (7)" "3.24% 120 decode (video) app (7)" \
		"15.68% 580 request (video) worker (12)" "3.24% 120 [no task] worker (12)"; do
		row " $expect"
	done
	# 20 + 70, and 20 + 70 + 70
	vsamp report -s itt-event --json t 2>/dev/null | jq -e '.rows[1] | .itt_event == "upload" and .samples == [250, 125] and
		.events == [500000, 125000] and .ratios == [4]'
	vsamp report -s task --csv t 2>/dev/null | grep -q '^,,620,1240000,16.7[0-9]*,560,560000,'
	"$TREE"/build/tests/progs/make_timeline odd $'\e[2J'
	run -0 --separate-stderr vsamp report -s task odd
	[[ $output == *"filter?[2J"* && $output != *$'\e'* ]]
}

@test "report by line says where none is known" {
	run -0 --separate-stderr vsamp report -s line,symbol -e INST_RETIRED
	row " 60.00% 60 [unknown] work_a"
	vsamp report -s srcline --json 2>/dev/null | jq -e '.rows[0] | .file == null and .line == null and .samples == [100, 5]'
}

@test "report: threads, CPUs, names, modules, functions and times select samples" {
	"$TREE"/build/tests/progs/make_file several --several
	samples() { vsamp report --csv -s pid "$@" several | tail -n +2 | tr -d '\r' | cut -d, -f4,7 | tr '\n' ' '; }
	[ "$(samples)" = "40,60 5,0 " ]
	[ "$(samples --tid 17)" = "10,40 " ]
	[ "$(samples --tid 8 --tid 17)" = "10,40 5,0 " ]
	[ "$(samples -C 0)" = "30,20 " ]
	[ "$(samples -c worker,two)" = "10,40 5,0 " ]
	[ "$(samples -d '[kernel]')" = "30,20 5,0 " ]
	[ "$(samples -S work_b)" = "10,40 " ]
	[ "$(samples -S work_a -C 2)" = "5,0 " ]
	[ "$(samples --time 1,)" = "10,40 5,0 " ]
	[ "$(samples --time 0%-50%)" = "30,20 " ]
	# from 1.000001 s on each 1000 ns, of clockticks first
	[ "$(samples --time 1.000003,1.000012)" = "8,2 " ]
	run -0 --separate-stderr vsamp report -C 0 several
	row "Clockticks: 45 samples, 30 of them selected"
}

@test "what selects no sample is said, with what there is" {
	run -0 --separate-stderr vsamp report -p 4711 -S work_a,work_b -C 1
	[[ $stderr == *"vsamp report: vsamp.data: no samples of process 4711, on CPU 1, in function work_a or work_b
vsamp report: by process it has one (7), two (8), (9)
vsamp report: by cpu it has 0, 2
vsamp report: by symbol it has work_a, work_b, [unknown]"* ]]
	row "INST_RETIRED: 100 samples, 0 of them selected"
	run -0 --separate-stderr vsamp report --time 50%-100%
	[[ $stderr == *"no samples in the time asked for
vsamp report: it is 2.000 s long"* ]]
	run -0 --separate-stderr vsamp report -p 7
	[[ $stderr != *"no samples"* ]]
	run -0 --separate-stderr vsamp report --json -c $'x\e[2J'
	[[ $stderr == *"of threads named x?[2J"* ]]
	[ "$(jq -c '[.rows, .processes, .modules]' <<<"$output")" = '[[],[],[]]' ]
}

@test "report --children has functions with all that they called" {
	"$TREE"/build/tests/progs/make_file stacks --stacks
	run -0 --separate-stderr vsamp report --children -s symbol -e INST_RETIRED stacks
	row " total percent samples symbol"
	# 40 + 10 + 39; 40 + 5 + 40; 60 + 1, each once a stack
	row " 89.00% 0.00% 0 _stext"
	row " 85.00% 40.00% 40 work_b"
	row " 61.00% 60.00% 60 work_a"
	vsamp report --children -s process,symbol --json stacks |
		jq -c '.rows[] | [.comm, .symbol, .samples, .total_samples, .total_events]' >out
	[ "$(cat out)" = '["one","work_a",[60,5],[60,5],[60000,2500]]
["one","_stext",[0,0],[50,0],[50000,0]]
["one","work_b",[0,0],[45,0],[45000,0]]
["two","work_b",[40,0],[40,0],[40000,0]]
["two","_stext",[0,0],[39,0],[39000,0]]
["two","work_a",[0,0],[1,0],[1000,0]]' ]
	# a name selects functions, not where samples fell
	run -0 --separate-stderr vsamp report --children -s symbol -S _stext -e INST_RETIRED stacks
	[ "$(grep -c work_ <<<"$output")" -eq 0 ]
	row " 89.00% 0.00% 0 _stext"
}

@test "report --children has perf's numbers" {
	"$TREE"/build/tests/progs/make_file stacks --stacks
	vsamp export -f perf -o p -e INST_RETIRED stacks
	vsamp export -f kallsyms -o k stacks
	for keys in sym comm,sym; do
		perf report -i p --kallsyms k --stdio --children -g none -s $keys 2>/dev/null |
			grep -v '^#' | grep . | tr -s ' ' | sed 's/^ //; s/ \[k\]//; s/ *$//' | sort >theirs
		vsamp report --children -s ${keys/sym/symbol} --csv -e INST_RETIRED stacks | tail -n +2 | tr -d '\r' |
			awk -F, -v keys=$keys '{ n = keys == "sym" ? 1 : 2
				printf "%.2f%% %.2f%%", $(n + 3), $(n + 6)
				for (i = 1; i <= n; i++) printf " %s", $i
				print "" }' | sort >ours
		[ -s theirs ]
		diff theirs ours
	done
}

@test "report -g caller shows whom functions called, from the outermost on" {
	"$TREE"/build/tests/progs/make_file stacks --stacks
	run -0 --separate-stderr vsamp report -g caller -s symbol -e INST_RETIRED stacks
	[ "${output#*symbol$'\n'}" = "$(sed 's/^=//' <<-'END'
		=   89.00%    0.00%          0  _stext
		=            |
		=            |--79.00%--work_b
		=            |          |
		=            |          |--40.00%--work_a
		=            |           --39.00%--[self]
		=             --10.00%--work_a
		=                       work_a
		=
		=   85.00%   40.00%         40  work_b
		=            |
		=            |--45.00%--work_a
		=            |          |
		=            |          |--40.00%--[self]
		=            |           -- 5.00%--work_a
		=             --40.00%--[self]
		=
		=   61.00%   60.00%         60  work_a
		=            |
		=            |--45.00%--[self]
		=            |--15.00%--work_a
		=             -- 1.00%--work_b
	END
	)" ]
	for order in "-gcaller" "--call-graph=caller"; do
		[ "$(vsamp report $order -s symbol -e INST_RETIRED stacks)" = "$output" ]
	done
	[ "$(vsamp report -g callee stacks)" = "$(vsamp report -g stacks)" ]
	# callers of the innermost work_a
	run -0 --separate-stderr vsamp report -g callee --children -s symbol -e INST_RETIRED -S work_a stacks
	row " |--40.00%--work_b"
	row " |--15.00%--work_a"
	vsamp report -g caller -s symbol --json -e INST_RETIRED stacks |
		jq -e '.rows[0].callees[0] | .symbol == "work_b" and .samples == [79] and (.callees[0] | .symbol == "work_a" and .callees == [])'
}

@test "report --csv has a line a row, as a reader of such files takes it" {
	"$TREE"/build/tests/progs/make_file several --several
	vsamp report --csv -s process,symbol several >out
	python3 - <<-'END'
		import csv
		rows = list(csv.reader(open("out", newline=""), strict=True))
		assert rows[0] == ["pid", "ns_pid", "pid_namespace", "comm", "symbol",
		    "Clockticks samples", "Clockticks events", "Clockticks percent",
		    "INST_RETIRED samples", "INST_RETIRED events", "INST_RETIRED percent", "CPI"], rows[0]
		assert rows[1][:7] == ["7", "", "", "one", "work_a", "30", "60000"], rows[1]
		assert abs(float(rows[1][7]) - 200 / 3) < 1e-12
		assert rows[3] == ["8", "", "", "two", "work_a", "5", "10000", rows[3][7], "0", "0", "0", ""], rows[3]
		assert open("out", "rb").read().count(b"\r\n") == len(rows) == 4
	END
	"$TREE"/build/tests/progs/make_file stacks --stacks
	[ "$(vsamp report --csv --children -s symbol,event stacks | head -2 | tr -d '\r')" = "symbol,event,total_samples,total_events,total_percent,samples,events,percent
_stext,INST_RETIRED,89,89000,89,0,0,0" ]
}

@test "report --csv: names are no formulas, and end no cell" {
	for name in '=1+1' '+x' '-x' '@x' "'x" 'a,"b' $'a\nb' $'a\tb'; do
		"$TREE"/build/tests/progs/make_file odd "$name"
		vsamp report --csv -s process,symbol odd 2>/dev/null >out
		NAME=$name python3 - <<-'END'
			import csv, os
			name = os.environ["NAME"].replace("\n", "?").replace("\t", "?")
			rows = list(csv.reader(open("out", newline=""), strict=True))
			assert [len(row) for row in rows] == [len(rows[0])] * 4, rows
			quoted = "'" + name if name[0] in "=+-@'" else name
			assert rows[1][3] == quoted, rows[1]
		END
	done
}

@test "report --json has the fields of all keys" {
	"$TREE"/build/tests/progs/make_file several --several
	vsamp report --json -s thread,cpu,time,event several >out
	jq -e '.ratios == [{name: "CPI", numerator: "Clockticks", denominator: "INST_RETIRED"}]' out
	jq -e '.rows[0] == {tid: 7, thread: "one", cpu: 0, event: "Clockticks", time_ns: 0, slice_ns: 200000000,
		samples: [30, 0], events: [60000, 0], ratios: [null]}' out
	jq -e '.rows | length == 5' out
	vsamp report --json -s comm,pid several | jq -e '.rows[1] ==
		{pid: 7, ns_pid: null, pid_namespace: null, thread: "worker", samples: [10, 40], events: [20000, 40000], ratios: [0.5]}'
}
