#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report --itt as typed, on a file of known contents (tests/progs/make_timeline.c): what is expected is
# worked out from that program's description

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	cd "$BATS_FILE_TMPDIR" || return
	make -s -C "$TREE" user progs examples
	"$TREE"/build/tests/progs/make_timeline t.vsamp
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

# rows FIELD...: of all rows by name, a line each: the name and these, as jq has them
rows() {
	vsamp report --itt --json t.vsamp 2>/dev/null |
		python3 -c '
import json, sys
for row in sorted(json.load(sys.stdin)["rows"], key=lambda r: r["name"]):
	fields = []
	for path in sys.argv[1:]:
		value = row
		for part in path.split("."):
			value = value[int(part) if part.isdigit() else part]
		fields.append(f"{value:g}" if isinstance(value, (int, float)) else str(value))
	print(row["name"], *fields, sep=",")
' "$@"
}

@test "how often there was what, and how long it took" {
	run -0 rows kind count ticks inclusive.total_ns exclusive.total_ns inclusive.average_ns inclusive.p90_ns
	expected='block,task,40,0,3.2e+08,3.2e+08,8e+06,8e+06
decode,task,10,0,4e+08,8e+07,4e+07,4e+07
filter,task,10,0,3e+08,3e+08,3e+07,3e+07
frame,task,10,0,9e+08,2e+08,9e+07,9e+07
key frame,event,3,3,0,0,0,0
request,overlapped task,3,0,1.2e+09,8.5e+08,4e+08,4e+08
upload,event,2,0,4e+08,4e+08,2e+08,2.5e+08'
	[ "$output" = "$expected" ]
}

@test "samples of both events in them, and cycles per instruction, with what is nested and without" {
	run -0 rows inclusive.samples.0 inclusive.samples.1 inclusive.ratios.0 exclusive.samples.0 exclusive.events.1
	expected='block,480,480,2,480,480000
decode,600,600,2,120,120000
filter,1050,1050,2,1050,1.05e+06
frame,2500,2500,2,850,850000
key frame,0,0,None,0,0
request,580,290,4,580,290000
upload,250,125,4,250,125000'
	[ "$output" = "$expected" ]
}

@test "as text: a table a kind" {
	run -0 --separate-stderr vsamp report --itt t.vsamp
	[ "$(grep -cE '^(tasks|overlapped tasks|events)$' <<<"$output")" = 3 ]
	[[ $output == *"       10   400.000    80.000  40000.0  40000.0  40000.0  40000.0  40000.0   40000.0       600   1.200M 240.000k       600 600.000k 120.000k   2.000   2.000  decode (video)"* ]]
}

@test "filters hold: -e, --time, --tid, -n" {
	run -0 --separate-stderr vsamp report --itt -e INST_RETIRED.ANY --tid 7 --time 0,0.0999999 -n 1 t.vsamp
	[[ $output != *"CPU_CLK_UNHALTED.THREAD  "* ]]
	[[ $output == *"  ... (-n 1)"* ]]
	# of the first 100 ms, in block: 8 + 8 + 2 x 8 + 2 x 8
	grep -qE '^ +40 .* 48 +48000 +48000  block \(video\)$' <<<"$output"
	[[ $output != *"filter (video)"* ]]
}

@test "--task: samples of the time that tasks and events of a name have alone" {
	run -0 --separate-stderr vsamp report --json --task block -s symbol t.vsamp
	# of 8 ms of each 10, from the second on, 3 in each of two functions and 2 in one: of 480 samples
	[ "$(jq -c '.rows[] | [.symbol, .samples]' <<<"$output" | sort)" = '["copy",[120,120]]
["decode_block",[180,180]]
["filter_row",[180,180]]' ]
	run -0 --separate-stderr vsamp report --json --task decode,upload -s task,itt-event t.vsamp
	[ "$(jq -c '.rows[] | [.task, .itt_event, .samples]' <<<"$output" | sort)" = '["decode",null,[120,120]]
["request","upload",[250,125]]' ]
	run -0 vsamp report --task nobody t.vsamp
	[[ $output == *"no samples in task or event nobody"*"by task it has"*"filter"* ]]
	"$TREE"/build/tests/progs/make_file none.vsamp
	run -1 vsamp report --task a none.vsamp
	[[ $output == *"has no ITT tasks"* ]]
	run -2 vsamp report --itt --task a t.vsamp
}

@test "a recording without any says so; other forms are refused" {
	"$TREE"/build/tests/progs/make_file none.vsamp
	run -1 vsamp report --itt none.vsamp
	[[ $output == *"none.vsamp: has no ITT tasks and events: they come from programs"* ]]
	run -2 vsamp report --itt --html x.html t.vsamp
	[[ $output == *"--itt"* ]]
}

# task A to 40 ms, with B from 10 to 30 in it, and a pause from 20 to 30; X is an event of 15 to 50 ms;
# another thread waits in vain, and has two overlapped tasks, frames and regions beside
everything="@0 Ga#7 Ba mk=5 Jq#1 @10 Bb#8^7 mk=6 @15 Sx h#8^7=5 @20 P @25 Sx @30 C E @40 E @45 Hh=3 Hh=3 Hh=9 \
@50 Nx uc=5 t2 @5 W#1 @25 A#1 @26 Oa#9 @30 Ob#4 @50 X#9 @60 X#4 @61 F @70 f @71 R#3 @80 r#3 Mm mk#8=7 @85 uc=7 h^7=1"

@test "values separated by commas: a row each, with its own beside what is nested in it" {
	"$TREE"/build/tests/progs/make_itt i.vsamp "$everything"
	vsamp report --itt --csv i.vsamp 2>/dev/null | tr -d '\r' >csv
	# 1: cycles of 40 - 10 ms; its own are those of 0 to 10 and of 30 to 40
	cut -d, -f1-4,7-8,10-11,14,17,21-30 csv >few
	[ "$(cat few)" = "kind,name,domain,count,total_ns,min_ns,p50_ns,p90_ns,own_total_ns,own_p50_ns,\
CPU_CLK_UNHALTED.THREAD samples,CPU_CLK_UNHALTED.THREAD events,CPU_CLK_UNHALTED.THREAD own_samples,\
CPU_CLK_UNHALTED.THREAD own_events,INST_RETIRED.ANY samples,INST_RETIRED.ANY events,INST_RETIRED.ANY own_samples,\
INST_RETIRED.ANY own_events,CPI,own_CPI
task,a,one,1,30000000,30000000,30000000,30000000,20000000,20000000,30,60000,20,40000,15,15000,10,10000,4,4
task,b,one,1,10000000,10000000,10000000,10000000,10000000,10000000,10,20000,10,20000,5,5000,5,5000,4,4
overlapped task,b,one,1,30000000,30000000,30000000,30000000,30000000,30000000,0,0,0,0,0,0,0,0,,
overlapped task,a,one,1,20000000,20000000,20000000,20000000,0,0,0,0,0,0,0,0,0,0,,
event,x,,1,25000000,25000000,25000000,25000000,25000000,25000000,25,50000,25,50000,12,12000,12,12000,4.166666666666667,4.166666666666667
region,,one,1,9000000,9000000,9000000,9000000,9000000,9000000,0,0,0,0,0,0,0,0,,
region,a,one,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,
frame,,one,1,9000000,9000000,9000000,9000000,9000000,9000000,0,0,0,0,0,0,0,0,,
marker,m,one,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,
wait,q,one,1,15000000,15000000,15000000,15000000,15000000,15000000,0,0,0,0,0,0,0,0,," ]
	run -0 --separate-stderr vsamp report --itt --csv -n 3 i.vsamp
	[ "${#lines[@]}" = 4 ]
}

@test "metadata, relations, histograms, and what is counted alone" {
	"$TREE"/build/tests/progs/make_itt i.vsamp "$everything"
	vsamp report --itt --json i.vsamp 2>/dev/null >j
	[ "$(jq -c '.metadata[] | [.span.kind, .span.name, .span.time_ns, .tid, .time_ns, .domain, .key, .value, .cut]' j)" = \
		'["task","a",0,10,0,"one","k",[5],false]
["task","b",10000000,10,10000000,"one","k",[6],false]
["task","b",10000000,2,80000000,"one","k",[7],false]' ]
	[ "$(jq -c '.relations[] | [.head.id, .head.span.name, .relation, .tail.id, .tail.span.kind, .tid, .time_ns]' j)" = \
		'["8:0:0","b","child of","7:0:0","region",10,15000000]
["0:0:0",null,"dependent on","7:0:0","region",2,85000000]' ]
	[ "$(jq -c '.histograms' j)" = '[{"name":"h","domain":"one","calls":3,"points":3,"points_left":0,"total":3,"buckets":[{"x":3,"y":2},{"x":9,"y":1}]}]' ]
	[ "$(jq -c '.counters' j)" = '[{"name":"c","domain":"one","unit":"","pid":10,"values":2,"min":5,"max":12,"last":12}]' ]
	[ "$(jq -c '.calls, .metadata_left, .relations_left, .samples_paused' j)" = \
		'{"metadata":3,"relations":2,"histograms":3,"synchronization":2,"stitching":0,"paused_events":1,"waits_again":0,"others":0}
0
0
15' ]
	run -0 --separate-stderr vsamp report --itt i.vsamp
	[[ $output == *"
waits
    count  total ms    own ms   min us   avg us   50% us   90% us   99% us    max us  name
        1    15.000    15.000  15000.0  15000.0  15000.0  15000.0  15000.0   15000.0  q (one)

counters
   values         least       largest          last  name
        2             5            12            12  c (one, process 10)

histograms
    calls    points       least x     largest x       total y  name
        3         3             3             9             3  h (one)

calls that tell of no span of their own: metadata 3, relations 2, histograms 3, synchronization 2, paused_events 1" ]]
}

@test "what has no tasks has metadata, relations, histograms and counters all the same" {
	for script in mk=5 "h#1^2=3" Hh=4 uc=1; do
		"$TREE"/build/tests/progs/make_itt i.vsamp "$script"
		run -0 --separate-stderr vsamp report --itt --json i.vsamp
		[ "$(jq '[.metadata, .relations, .histograms, .counters | length] | add' <<<"$output")" = 1 ]
		[ "$(jq '.rows | length' <<<"$output")" = 0 ]
	done
}

@test "the example program tells what calls mean" {
	export LD_LIBRARY_PATH=$TREE/build
	example=$TREE/build/docs/examples/itt_match
	run -0 "$example" "begin My Task" "begin My SubTask" end end
	[ "$output" = "task My Task: 0 to 3, 3 units, 2 its own
task My SubTask: 1 to 2, 1 units, 1 its own" ]
	run -0 "$example" "start User Mark" "start Frame Completed" "start Frame Completed"
	[ "$output" = "event User Mark: a mark at 0
event Frame Completed: a mark at 1
event Frame Completed: a mark at 2" ]
	run -0 "$example" "start Rendering Phase" "stop Rendering Phase" "start Rendering Phase" "start Rendering Phase" \
		"stop Rendering Phase" "begin x"
	[ "$output" = "event Rendering Phase: 0 to 1, 1 units, 1 its own
event Rendering Phase: a mark at 2
event Rendering Phase: 3 to 4, 1 units, 1 its own
task x: 5 to 6, 1 units, 1 its own, without an end" ]
	run -2 "$example" sing
}
