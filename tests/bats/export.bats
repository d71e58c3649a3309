#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# export as typed, on files of known contents (tests/progs/make_file.c, make_timeline.c), read by those
# that the formats are of.

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
	pprof=$(find /usr/lib/go-1.19/pkg/tool -name pprof 2>/dev/null | head -1)
	profiler=$("$TREE"/scripts/profiler-cli) || no_profiler=$profiler
	export pprof profiler no_profiler HOME=$BATS_FILE_TMPDIR
}

teardown_file() {
	[ -n "$no_profiler" ] || "$profiler" stop --all >/dev/null
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"$TREE"/build/tests/progs/make_file vsamp.data
	"$TREE"/build/tests/progs/make_file st --stacks
	"$TREE"/build/tests/progs/make_file mux --mux
}

# rows of a table, blanks as one
rows() {
	grep -v '^#' | tr -s ' \t' ' ' | sed 's/^ //; s/ $//' | grep .
}

@test "export -h tells the options and the formats" {
	run -0 vsamp export -h
	[[ $output == usage:* && $output == *--output* ]]
	for f in perf kallsyms pprof firefox chrome callgrind folded html; do
		[[ $output == *"
  $f "* ]]
	done
}

@test "folded: stacks from outside in, and the events that they stand for" {
	run -0 --separate-stderr vsamp export -f folded st
	[ "$output" = "one;_stext;work_b;work_a 40000
one;_stext;work_a;work_a 10000
one;work_b;work_a;work_a 5000
one;[truncated];work_a 4000
one;work_a 1000
two;_stext;work_b 39000
two;work_a;work_b 1000" ]
	run -0 --separate-stderr vsamp export -f folded vsamp.data
	[ "$output" = "one;work_a 60000
two;work_b 30000
9;[unknown] 10000" ]
	run -0 --separate-stderr vsamp export -f folded mux
	[ "$output" = "one;work_a 100000" ]
}

@test "folded: -e and -p select, and names cannot make frames" {
	run -0 --separate-stderr vsamp export -f folded -e br_inst vsamp.data
	[ "$output" = "one;work_a 2500" ]
	run -0 --separate-stderr vsamp export -f folded -p 8,9 vsamp.data
	[ "$output" = "two;work_b 30000
9;[unknown] 10000" ]
	run -0 --separate-stderr vsamp export -f folded -S work_b vsamp.data
	[ "$output" = "two;work_b 30000" ]
	run -0 --separate-stderr vsamp export -f folded -C 0 vsamp.data
	[ "$output" = "one;work_a 60000" ]
	run -0 --separate-stderr vsamp export -f folded -c two -d '[mod]' vsamp.data
	[ "$output" = "two;work_b 30000" ]
	# the recording begins at 1000 ns, samples are at 2000 ns and each 1000 ns from there on
	run -0 --separate-stderr vsamp export -f folded --time 0.000003,0.00001 vsamp.data
	[ "$output" = "one;work_a 8000" ]
	vsamp export -f perf -o p -S work_b -C 2 st
	[ "$(perf script -i p -F comm 2>/dev/null | wc -l)" -eq 0 ]
	vsamp export -f perf -o p -S work_b -C 0 st
	[ "$(perf script -i p -F comm 2>/dev/null | grep -c two)" -eq 40 ]
	"$TREE"/build/tests/progs/make_file odd $'a;b\nc'
	run -0 --separate-stderr vsamp export -f folded odd
	[ "${lines[0]}" = "a?b?c;work_a 60000" ]
}

@test "perf: perf report has the same samples, events and names" {
	vsamp export -f perf -o p st
	vsamp export -f kallsyms -o k st
	perf report -i p --kallsyms k --stdio --no-children -g none -F sample,period,comm,dso,sym 2>/dev/null | rows >out
	[ "$(cat out)" = "60 60000 one [kernel.kallsyms] [k] work_a
40 40000 two [mod] [k] work_b
5 2500 one [kernel.kallsyms] [k] work_a" ]
	[ "$(perf evlist -i p)" = "INST_RETIRED
BR_INST:u" ]
	perf report -i p --header-only >out 2>/dev/null
	grep -q '# hostname : somewhere$' out
	grep -q '# os release : 6.1$' out
}

# hotspot FILE: the stacks that it has, by event; k are the kernel's symbols
hotspot() {
	local parser
	parser=$(find /usr/lib/*/libexec /usr/libexec /usr/lib -name hotspot-perfparser 2>/dev/null | head -1)
	[ -n "$parser" ] || skip "hotspot is not installed"
	"$parser" --input "$1" --output parsed --kallsyms k
	"$BATS_TEST_DIRNAME"/hotspot.py parsed
}

@test "perf: hotspot has the same stacks, events and names" {
	vsamp export -f perf -o p st
	vsamp export -f kallsyms -o k st
	run -0 --separate-stderr hotspot p
	# a cut stack is as one without callers
	[ "$output" = "BR_INST:u one;work_a 5 2500
INST_RETIRED one;_stext;work_b;work_a 40 40000
INST_RETIRED two;_stext;work_b 39 39000
INST_RETIRED one;_stext;work_a;work_a 10 10000
INST_RETIRED one;work_a 5 5000
INST_RETIRED one;work_b;work_a;work_a 5 5000
INST_RETIRED two;work_a;work_b 1 1000" ]
}

@test "perf: hotspot has what the report has of a program that ran here" {
	vsamp record -q -b perf -e cpu-clock:u:sav=100000 -o real -- "$TREE"/build/tests/progs/loop
	vsamp export -f perf -o p real
	vsamp export -f kallsyms -o k real || :
	run -0 --separate-stderr hotspot p
	vsamp report --json real >real.json
	[ "$(awk '{ n += $(NF - 1) } END { print n }' <<<"$output")" -eq "$(jq '.events[0].samples' real.json)" ]
	[ "$(head -1 <<<"$output")" = "cpu-clock:u loop;loop $(jq -r '.symbols[0] | "\(.samples[0]) \(.events[0])"' real.json)" ]
}

@test "perf: perf script has the times, the CPUs, and the stacks" {
	vsamp export -f perf -o p st
	vsamp export -f kallsyms -o k st
	perf script -i p --kallsyms k --ns -F comm,tid,cpu,time,period,event,ip,sym,dso 2>/dev/null |
		tr -s ' \t' ' ' | sed 's/^ //; s/ $//' >theirs
	vsamp script -g st 2>/dev/null | tr -s ' \t' ' ' |
		sed 's/^ //; s/ $//; s,\([0-9]\)/[0-9]* ,\1 ,; s/\[kernel\]/[kernel.kallsyms]/; /\[truncated\]/d' >ours
	[ "$(grep -c INST theirs)" -eq 105 ]
	# of the same time perf has the other order
	blocks() { awk 'BEGIN { RS = ""; FS = "\n"; OFS = "|" } { $1 = $1; print }' "$1" | sort; }
	diff <(blocks theirs) <(blocks ours)
}

@test "perf: what was lost is told, and scaled periods are whole" {
	vsamp export -f perf -o p vsamp.data 2>/dev/null
	perf report -i p -D 2>/dev/null | grep -q 'PERF_RECORD_LOST: id:1: lost:20'
	vsamp export -f perf -o p mux
	[ "$(perf script -i p -F period 2>/dev/null | tr -d ' ' | sort -n | uniq -c | tr -s ' ')" = " 30 667
 25 4000" ]
	perf report -i p --stdio -F sample,period,comm 2>/dev/null | rows | grep -qx '25 100000 one'
}

@test "kallsyms: the kernel's symbols as /proc/kallsyms has them" {
	run -0 --separate-stderr vsamp export -f kallsyms vsamp.data
	[ "$output" = "ffffffff81000000 t _stext
ffffffff81001000 t work_a
ffffffff81002000 t work_b	[mod]" ]
}

@test "callgrind: callgrind_annotate has the same totals, and inclusive ones" {
	command -v callgrind_annotate >/dev/null || skip "callgrind_annotate is not installed"
	vsamp export -f callgrind -o c st
	callgrind_annotate --threshold=100 --show-percs=no c | rows >out
	grep -qx '100,000 2,500 100 5 PROGRAM TOTALS' out
	grep -q '^60,000 2,500 60 5 ???:work_a \[\[kernel\]\]' out
	grep -q '^40,000 0 40 0 ???:work_b \[\[mod\]\]' out
	callgrind_annotate --threshold=100 --show-percs=no --inclusive=yes c | rows >out
	grep -q '^100,000 2,500 100 5 ???:\[no caller\]' out
	# 40 + 10 + 39; 40 + 5 + 40; 60 + 1, however often it is in a stack; 4
	grep -q '^89,000 0 89 0 ???:_stext' out
	grep -q '^85,000 0 85 0 ???:work_b' out
	grep -q '^61,000 2,500 61 5 ???:work_a' out
	grep -q '^4,000 0 4 0 ???:\[truncated\]' out
}

@test "pprof: pprof has the same totals, cumulative ones, and labels" {
	[ -x "$pprof" ] || skip "pprof is not installed"
	vsamp export -f pprof -o g st
	"$pprof" -top -symbolize=none g 2>/dev/null | rows >out
	grep -qx '60000 60.00% 60.00% 61000 61.00% work_a' out
	grep -qx '40000 40.00% 100% 85000 85.00% work_b' out
	grep -qx '0 0% 100% 89000 89.00% _stext' out
	grep -qx '0 0% 100% 4000 4.00% \[truncated\]' out
	"$pprof" -top -symbolize=none -sample_index=BR_INST:u_samples g 2>/dev/null | rows >out
	grep -qx '5 100% 100% 5 100% work_a' out
	"$pprof" -tags -symbolize=none g 2>/dev/null | rows >out
	grep -q '60000.0 (60.00%): one' out
	grep -q '40000.0 (40.00%): two' out
	"$pprof" -raw -symbolize=none g 2>/dev/null | grep -q '^PeriodType: INST_RETIRED count$'
}

@test "chrome: an instant a sample, of its thread and time, with its stack" {
	vsamp export -f chrome -o j st
	[ "$(jq -c '[.traceEvents[] | select(.ph == "i")] | group_by(.cat, .pid) | map([.[0].cat, .[0].pid, length, (map(.args.events) | add)])' j)" \
		= '[["BR_INST",7,5,2500],["INST_RETIRED",7,60,60000],["INST_RETIRED",8,40,40000]]' ]
	# from the first record on, at 1000 ns
	jq -e '[.traceEvents[] | select(.ph == "i")][0] | .ts == 1 and .name == "work_a" and .tid == 7 and .args.cpu == 0' j
	[ "$(jq -r '.stackFrames as $f | def stack: $f[tostring] | if .parent then (.parent | stack) + ";" + .name else .name end;
		[.traceEvents[] | select(.cat == "INST_RETIRED") | if .sf then .sf | stack else .name end] | group_by(.) | map("\(.[0]) \(length)")[]' j)" \
		= "[truncated];work_a 4
_stext;work_a;work_a 10
_stext;work_b 39
_stext;work_b;work_a 40
work_a 1
work_a;work_b 1
work_b;work_a;work_a 5" ]
	[ "$(jq -c '[.traceEvents[] | select(.ph == "M") | [.name, .pid, .args.name]]' j)" \
		= '[["thread_name",7,"one"],["process_name",7,"one"],["thread_name",8,"two"],["process_name",8,"two"]]' ]
}

@test "firefox: tables as long as they say, indices within them, and the same stacks" {
	vsamp export -f firefox -o f st
	jq -e '.meta | .preprocessedProfileVersion == 48 and .startTime == 86400000 and (.categories[0].color == "grey")' f
	jq -e '[.threads[] | .samples, .markers, .stackTable, .frameTable, .funcTable, .resourceTable, .nativeSymbols |
		.length as $n | to_entries[] | select(.value | type == "array") | .value | length == $n] | all' f
	jq -e '[.threads[] | (.samples.stack[] < .stackTable.length), (.stackTable.frame[] < .frameTable.length),
		(.stackTable.prefix | to_entries[] | .value == null or .value < .key), (.frameTable.func[] < .funcTable.length),
		(.funcTable.name[] < (.stringArray | length)), (.funcTable.resource[] < .resourceTable.length),
		(.resourceTable.name[] < (.stringArray | length))] | all' f
	[ "$(jq -r '.threads[] | . as $t | def name: $t.stringArray[$t.funcTable.name[$t.frameTable.func[$t.stackTable.frame[.]]]];
		def stack: if $t.stackTable.prefix[.] != null then ($t.stackTable.prefix[.] | stack) + ";" + name else name end;
		[.samples.stack[] | stack] | group_by(.) | map("\($t.processName) \($t.name) \(.[0]) \(length)")[]' f)" \
		= "one INST_RETIRED [truncated];work_a 4
one INST_RETIRED _stext;work_a;work_a 10
one INST_RETIRED _stext;work_b;work_a 40
one INST_RETIRED work_a 1
one INST_RETIRED work_b;work_a;work_a 5
two INST_RETIRED _stext;work_b 39
two INST_RETIRED work_a;work_b 1
one BR_INST work_a 5" ]
	jq -e '[.threads[].samples.weight | add] == [60000, 40000, 2500]' f
	jq -e '.threads[0].samples.time[0] == 0.001 and .threads[0].samples.time[1] == 0.002' f
	jq -e '.threads[0] | .stringArray[.resourceTable.name[.funcTable.resource[1]]] == "[mod]"' f
}

@test "pprof: the ITT task and event that the time of samples belongs to are labels" {
	[ -x "$pprof" ] || skip "pprof is not installed"
	"$TREE"/build/tests/progs/make_timeline t.vsamp
	vsamp export -f pprof -o g t.vsamp 2>/dev/null
	"$pprof" -tags -symbolize=none -sample_index=CPU_CLK_UNHALTED.THREAD_samples g 2>/dev/null | rows >out
	# app: of the ms of 100, those of blocks have 16 samples below 20 ms and 32 behind; of decode beside
	# them 4 and 8; filter 15 ms of 3 samples and 15 of 4; frame beside these 5 of 3, 5 of 4 and 10 of 5.
	# worker: requests have 20 + 8 * 70; uploads 20 + 70 and 20 + 70 + 70
	grep -qx 'itt_task: Total 3080.0' out
	grep -qx 'itt_event: Total 250.0' out
	grep -qx '480.0 (15.58%): block' out
	grep -qx '120.0 ( 3.90%): decode' out
	grep -qx '1050.0 (34.09%): filter' out
	grep -qx '850.0 (27.60%): frame' out
	grep -qx '580.0 (18.83%): request' out
	grep -qx '250.0 ( 100%): upload' out
}

# load FILE: into Mozilla's profiler-cli, whose daemon answers thread(), markers()
load() {
	[ -z "$no_profiler" ] || skip "$no_profiler"
	"$profiler" stop --all >/dev/null
	# it gives its daemon half a second, which a busy machine may not have; the daemon goes on, and has
	# the profile then
	"$profiler" load "$1" >load.log 2>&1 && return
	for _ in {1..60}; do
		"$profiler" status >>load.log 2>&1 && return
		sleep 0.5
	done
	cat load.log
	return 1
}

# numbers of the threads there are
threads() {
	"$profiler" thread list --json | jq -r '.threads[].threadHandle'
}

# markers THREAD ZERO: each group: name, how many, and begins and durations of its first 5, in ms; ZERO:
# where its own times begin
markers() {
	"$profiler" thread markers --thread "$1" --json | jq -c --argjson zero "$2" '.byType[] |
		[.markerName, .count, ([.topMarkers[] | [((.start + $zero) * 1e6 | round / 1e6), .duration]] | sort)]' | sort
}

# event, module, symbol and events of each function of a report
symbols() {
	jq -c '. as $r | range(.events | length) as $e | .symbols[] | select(.samples[$e] > 0) |
		[$r.events[$e].name, .module, .symbol, .events[$e]]' "$1" | sort
}

@test "firefox: profiler-cli has the events of each function, and each thread's total" {
	"$TREE"/build/tests/progs/make_timeline t.vsamp
	for file in st t.vsamp; do
		vsamp export -f firefox -o f.json "$file" 2>/dev/null
		vsamp report --json "$file" >r 2>/dev/null
		load f.json
		for t in $(threads); do
			"$profiler" thread functions --thread "$t" --json
		done >own
		diff <(jq -c '.friendlyThreadName as $e | .functions[] | select(.selfSamples > 0) | [$e, .library, .name, .selfSamples]' own |
			jq -sc 'group_by(.[:3])[] | .[0][:3] + [map(.[3]) | add]' | sort) <(symbols r)
		for t in $(threads); do
			"$profiler" thread samples --thread "$t" --json
		done | jq -c '[.friendlyThreadName, .categoryBreakdown.totalSamples]' |
			jq -sc 'group_by(.[0])[] | [.[0][0], (map(.[1]) | add)]' >totals
		diff totals <(jq -c '.events[] | [.name, .estimated]' r | sort)
	done
}

@test "formats that have no counters say that they are left out" {
	"$TREE"/build/tests/progs/make_timeline t.vsamp
	for format in perf kallsyms pprof callgrind folded firefox chrome html; do
		vsamp export -f $format -e INST_RETIRED.ANY -o out t.vsamp 2>err
		sed -n "s/^vsamp export: \(.*\) has no counters by time: .*/\1/p" err >>left
	done
	[ "$(xargs <left)" = "perf kallsyms pprof callgrind folded" ]
}

@test "GPUs: counters of each, with 0 where nothing is known" {
	"$TREE"/build/tests/progs/make_timeline --gpus g.vsamp
	vsamp export -f chrome -o c.json g.vsamp 2>/dev/null
	[ "$(jq -c '[.traceEvents[] | select(.ph == "C" and .name == "GpuBusy") | [.id, .ts / 1000, .args.percent]]' c.json)" = \
		'[["GPU 0000:00:02.0",0,40],["GPU 0000:00:02.0",100,80],["GPU 0000:00:02.0",200,0],["GPU 0000:00:02.0",300,20],["GPU 0000:00:02.0",500,0],["GPU 0000:03:00.0",50,0],["GPU 0000:03:00.0",350,999],["GPU 0000:03:00.0",350,60],["GPU 0000:03:00.0",600,100],["GPU 0000:03:00.0",1000,0]]' ]
	vsamp export -f firefox -o f.json g.vsamp 2>/dev/null
	# how much each differs from the one before
	[ "$(jq -c '[.counters[] | select(.name == "GpuBusy") | [.category, .samples.count, .samples.time[1]]]' f.json)" = \
		'[["GPU 0000:00:02.0",[40,40,-80,20,-20],100],["GPU 0000:03:00.0",[0,999,-939,40,-100],350]]' ]
}

@test "firefox: profiler-cli has tasks and events as markers, and counters" {
	"$TREE"/build/tests/progs/make_timeline t.vsamp
	vsamp export -f firefox -o f.json t.vsamp 2>/dev/null
	load f.json
	# its times begin with the first sample
	run -0 markers t-0 0.001
	[ "$output" = '["block",40,[[1,8],[11,8],[21,8],[31,8],[101,8]]]
["decode",10,[[0,40],[100,40],[200,40],[300,40],[400,40]]]
["filter",10,[[45,30],[145,30],[245,30],[345,30],[445,30]]]
["frame",10,[[0,90],[100,90],[200,90],[300,90],[400,90]]]' ]
	run -0 markers t-1 0.001
	[ "$output" = '["key frame",3,[[100,null],[400,null],[700,null]]]
["request",3,[[50,400],[250,400],[500,400]]]
["upload",2,[[150,150],[550,250]]]' ]
	run -0 "$profiler" thread markers --thread t-0 --search "domain:video" --list --limit 0 --json
	[ "$(jq '.filteredMarkerCount' <<<"$output")" -eq 70 ]
	run -0 "$profiler" counter info c-1 --json
	[ "$(jq -c '[.name, .category, .description, .sampleCount, (.graph | max - min)]' <<<"$output")" = '["frequency","GPU 0","MHz",3,850]' ]
}

@test "chrome: profiler-cli has samples, tasks and events as markers" {
	"$TREE"/build/tests/progs/make_timeline t.vsamp
	vsamp export -f chrome -o c.json t.vsamp 2>/dev/null
	load c.json
	run -0 markers t-0 0
	[ "$(grep -v '^."\(decode_block\|filter_row\|copy\|schedule\)' <<<"$output")" = '["block",40,[[1,8],[11,8],[21,8],[31,8],[101,8]]]
["decode",10,[[0,40],[100,40],[200,40],[300,40],[400,40]]]
["filter",10,[[45,30],[145,30],[245,30],[345,30],[445,30]]]
["frame",10,[[0,90],[100,90],[200,90],[300,90],[400,90]]]' ]
	[ "$(jq -c '.[:2]' <<<"$output" | grep '"decode_block\|filter_row\|copy\|schedule')" = '["copy",1200]
["decode_block",2400]
["filter_row",1800]
["schedule",600]' ]
	run -0 markers t-1 0
	[ "$(grep '"key\|"re\|"up' <<<"$output")" = '["key frame",3,[[100,null],[400,null],[700,null]]]
["request",3,[[50,400],[250,400],[500,400]]]
["upload",2,[[150,150],[550,250]]]' ]
	[ "$(jq -c '[.traceEvents[] | select(.ph == "C" and .name == "frequency") | [.pid, .cat, .id, .ts, .args.MHz]]' c.json)" = \
		'[[0,"GPU 0","GPU 0",0,300],[0,"GPU 0","GPU 0",200000,1150],[0,"GPU 0","GPU 0",900000,600]]' ]
}

@test "JSON stays JSON, whatever names have in them" {
	"$TREE"/build/tests/progs/make_file odd $'"\\\xff\x01'
	vsamp export -f chrome odd 2>/dev/null >j
	jq -e '[.traceEvents[] | select(.name == "thread_name")][0].args.name == "\"\\\ufffd\u0001"' j
	vsamp export -f firefox odd 2>/dev/null >f
	jq -e '.threads[0].processName == "\"\\\ufffd\u0001"' f
}

@test "a format has to be named, and to go to a file where it must" {
	run -2 vsamp export vsamp.data
	[[ $output == *"say which"* ]]
	run -2 vsamp export -f elf vsamp.data
	[[ $output == *"'elf'"* ]]
	run -2 vsamp export -f perf vsamp.data
	[[ $output == *"use -o FILE"* ]]
	run -1 vsamp export -f perf -o /dev/null/x vsamp.data
	[[ $output == *"/dev/null/x: can't be written"* ]]
	run -2 vsamp export -f folded -e CYCLES vsamp.data
}

@test "the recording is not written over, and half an export is not left" {
	cp vsamp.data copy
	run -2 vsamp export -f folded -o vsamp.data vsamp.data
	cmp vsamp.data copy
	head -c 40 vsamp.data >cut.data
	run -1 vsamp export -f folded -o out cut.data
	[ ! -e out ]
	run -1 vsamp export -f folded -o /dev/full st
	[[ $output == *"cannot write"* ]]
}

# what programs tell of themselves, as tests/bats/report_itt.bats has it, and metadata of no task
tells="@0 Ga#7 Ba mk=5 Jq#1 @10 Bb#8^7 mk=6 @15 Sx h#8^7=5 @20 P @30 C E @40 E @50 Nx @60 Sx uc=5 t2 @5 W#1 @25 A#1 \
@26 Oa#9 @30 Ob#4 @50 X#9 @60 X#4 @61 F @70 f @71 R#3 @80 r#3 Mm mk#8=7 @85 h^7=1 ml=4 uc=-2 @90 P"

@test "chrome: pauses, waits, frames, regions, markers, metadata, relations and threads' names" {
	"$TREE"/build/tests/progs/make_itt i.vsamp "$tells"
	vsamp export -f chrome -o c.json i.vsamp 2>/dev/null
	jq -c '.traceEvents[] | select(.cat // "" | startswith("ITT")) | select(.ph != "e" and .ph != "s" and .ph != "f") |
		[.ph, .cat, .name, .tid, .ts / 1000, .args.metadata]' c.json >out
	[ "$(cat out)" = '["b","ITT wait","q",2,5,null]
["b","ITT overlapped task","a",2,26,null]
["b","ITT overlapped task","b",2,30,null]
["b","ITT frame","one",2,61,null]
["b","ITT region","one",2,71,null]
["i","ITT marker","m",2,80,null]
["i","ITT metadata","l",2,85,{"l":[4]}]
["i","ITT region","a",10,0,null]
["X","ITT task","a",10,0,{"k":[5]}]
["X","ITT task","b",10,10,{"k":[6],"k #2":[7]}]
["b","ITT event","x",10,15,null]
["b","ITT pause","paused",10,20,null]
["i","ITT event","x",10,60,null]
["b","ITT pause","paused",10,90,null]' ]
	# those that have an end: when it is, or how long they last
	[ "$(jq -c '.traceEvents[] | select(.ph == "e") | [.name, .ts / 1000]' c.json)" = '["q",25]
["a",50]
["b",60]
["one",70]
["one",80]
["x",50]
["paused",30]
["paused",100]' ]
	[ "$(jq -c '.traceEvents[] | select(.ph == "s" or .ph == "f") | [.ph, .id, .name, .tid, .ts / 1000]' c.json)" = \
		'["s",0,"child of",10,0]
["f",0,"child of",10,10]' ]
	[ "$(jq -c '.traceEvents[] | select(.name == "thread_name") | [.tid, .args.name]' c.json)" = '[10,"worker 1"]
[2,"worker 2"]' ]
	[ "$(jq -c '.traceEvents[] | select(.ph == "C") | [.ts / 1000, .args.value]' c.json)" = '[60,5]
[85,3]' ]
	# filters hold for all of it
	vsamp export -f chrome --tid 2 -o c.json i.vsamp 2>/dev/null
	[ "$(jq -c '[.traceEvents[] | select(.cat // "" | startswith("ITT")) | .cat] | unique' c.json)" = \
		'["ITT frame","ITT marker","ITT metadata","ITT overlapped task","ITT region","ITT wait"]' ]
}

@test "firefox: the same as markers, which have metadata" {
	"$TREE"/build/tests/progs/make_itt i.vsamp "$tells"
	vsamp export -f firefox -o f.json i.vsamp 2>/dev/null
	[ "$(jq -c '.threads[] | select(.markers.length > 0) | . as $t | .markers | range(.length) as $i |
		[$t.processName, .data[$i].type, $t.stringArray[.name[$i]], .startTime[$i], .endTime[$i], .data[$i].metadata]' f.json)" = \
		'["worker 1","ITT region","a",0,null,null]
["worker 1","ITT task","a",0,40,"k: 5"]
["worker 1","ITT task","b",10,30,"k: 6, k: 7"]
["worker 1","ITT event","x",15,50,null]
["worker 1","ITT pause","paused",20,30,null]
["worker 1","ITT event","x",60,null,null]
["worker 1","ITT pause","paused",90,100,null]
["worker 2","ITT wait","q",5,25,null]
["worker 2","ITT overlapped task","a",26,50,null]
["worker 2","ITT overlapped task","b",30,60,null]
["worker 2","ITT frame","one",61,70,null]
["worker 2","ITT region","one",71,80,null]
["worker 2","ITT marker","m",80,null,null]
["worker 2","ITT metadata","l",85,null,"l: 4"]' ]
	# each type of a marker has its schema
	[ "$(jq -c '([.threads[].markers.data[].type] | unique) - [.meta.markerSchema[].name]' f.json)" = '[]' ]
	load f.json
	run -0 "$profiler" thread markers --thread t-0 --search "k: 7" --list --limit 0 --json
	[ "$(jq '.filteredMarkerCount' <<<"$output")" -eq 1 ]
}
