#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report --gpu, and what info tells of GPUs, on a file of known contents (tests/progs/make_timeline.c
# --gpus): what is expected is worked out from that program's description

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	cd "$BATS_FILE_TMPDIR" || return
	make -s -C "$TREE" user progs
	"$TREE"/build/tests/progs/make_timeline --gpus g.vsamp
	"$TREE"/build/tests/progs/make_timeline t.vsamp
	"$TREE"/build/tests/progs/make_file f.vsamp
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

gpu() {
	run -0 --separate-stderr vsamp report --gpu "$@" g.vsamp
}

@test "mean over the time that is known, least and largest, of two GPUs" {
	gpu --json --metric GpuBusy,AvgGpuCoreFrequency,GtiReadThroughput,EuActive
	# of the first: (40 + 80) x 100 + 20 x 200 in 400 ms; likewise 300, 1150, 600 MHz; 1, 3, 2 GB/s. Of the
	# second: 60 x 250 + 100 x 400 in 950 ms; what was 999 at 350 ms was it for no time
	[ "$(jq -c '.gpus[] | .name as $g | .metrics[] | [$g[15:], .name, .unit, .known_ns / 1e6, (.mean * 1e6 | round) / 1e6, .min, .max]' <<<"$output")" = \
		'["0","AvgGpuCoreFrequency","Hz",400,662500000,300000000,1150000000]
["0","GpuBusy","percent",400,40,20,80]
["0","GtiReadThroughput","bytes/s",400,2000000000,1000000000,3000000000]
["0","EuActive","percent",500,10,10,10]
["0","GpuBusy","percent",950,57.894737,0,100]' ]
	[ "$(jq -c '[.slice_ns, .slices, [.gpus[].recorded.slot]]' <<<"$output")" = '[null,[],["0000:00:02.0","0000:03:00.0"]]' ]
}

@test "in slices of time, with the samples beside them" {
	gpu --json --metric GpuBusy --time-slice 150
	# 150 ms: (40 x 100 + 80 x 50) / 150, 80 for 50 ms, 20 from 300 on, and up to 500; nothing, thrice.
	# Of the other: 0 from 50 on; 60 for 100 of the third 150, then for all, then 100
	[ "$(jq -c '[.slice_ns, [.slices[] | [.time_ns / 1e6, (.gpus[][0] | .known_ns / 1e6, .mean)]]]' <<<"$output")" = \
		'[150000000,[[0,150,53.333333333333336,100,0],[150,50,80,150,0],[300,150,20,150,40],[450,50,20,150,60],[600,0,null,150,100],[750,0,null,150,100],[900,0,null,100,100]]]' ]
	gpu --json -s time --metric GpuBusy
	# 3 x 100 samples of CPU 0, 70 and 35 of CPU 2
	[ "$(jq -c '[.slice_ns, (.slices | length), (.slices | map(.samples) | unique), [.slices[].gpus[0][0].max]]' <<<"$output")" = \
		'[100000000,10,[[370,335]],[40,80,null,20,20,null,null,null,null,null]]' ]
	# of CPU 2, each second ms of the first 70 of 100: 35 + 35 + 25, and 10 + 35 + 35
	gpu --json --time-slices 4 -C 2 -e INST_RETIRED.ANY
	[ "$(jq -c '[.slice_ns, [.slices[].samples[]], [.events[].name]]' <<<"$output")" = '[250000000,[95,80,95,80],["INST_RETIRED.ANY"]]' ]
}

@test "--time: a part, also of slices, which go on from the recording's begin" {
	gpu --json --metric GpuBusy --time 0.05,0.35 --time-slice 100
	# 40 x 50 + 80 x 100 + 20 x 50 in 200 ms; 0 in all 300
	[ "$(jq -c '[.gpus[].metrics[0] | .known_ns / 1e6, .mean]' <<<"$output")" = '[200,55,300,0]' ]
	[ "$(jq -c '[.slices[] | [.time_ns / 1e6, .gpus[0][0].known_ns / 1e6, .gpus[0][0].mean]]' <<<"$output")" = \
		'[[0,50,40],[100,100,80],[200,0,null],[300,50,20]]' ]
	gpu --csv --metric GpuBusy --time 50%-100%
	[ "$output" = $'gpu,metric,unit,known_ns,mean,min,max\r
GPU 0000:00:02.0,GpuBusy,percent,0,,,\r
GPU 0000:03:00.0,GpuBusy,percent,500000000,92,60,100\r' ]
}

@test "as text and as comma-separated values" {
	gpu
	[[ $output == *"GPU 0000:00:02.0: Kaby Lake GT2, RenderBasic by module; 400 reports, one in 1.000 ms; 60 lost, 40 had no room; clock error 1.234 us"* ]]
	[[ $output == *"GPU 0000:03:00.0: DG1, ComputeBasic by i915; 1113 reports, one in 0.853 ms; 0 lost, 0 had no room; clock error not known, in 2 pieces"* ]]
	[[ $output == *"
      known s         mean          min          max  unit             metric
        0.400     662.500M     300.000M       1.150G  Hz               AvgGpuCoreFrequency
        0.400         0.00         0.00         0.00  threads/s        CsThreads
        0.400        40.00        20.00        80.00  percent          GpuBusy
"* ]]
	# by their numbers
	[ "$(grep -o 'L3Bank.*' <<<"$output" | sed -n '2,3p;11p' | xargs)" = "L3Bank1Reads L3Bank2Reads L3Bank10Reads" ]
	gpu -s time --time-slice 250 -n 3
	# those that are looked at first, and as many as there is room for: of 20
	[[ $output == *"
time s              CPU_CLK_UNHALTED.THREAD  INST_RETIRED.ANY  AvgGpuCoreFrequency      GpuBusy  GtiReadThroughput  L3Bank1Reads  L3Bank2Reads  L3Bank3Reads
                                    samples           samples                   Hz      percent            bytes/s    messages/s    messages/s    messages/s
0.000-0.250                             880               785             725.000M        60.00             2.000G          1.00          2.00          3.00
0.250-0.500                             970               890             600.000M        20.00             2.000G          1.00          2.00          3.00
0.500-0.750                             880               785                    -            -                  -             -             -             -
14 more metrics: choose by --metric, or have all by --json or --csv
"* ]]
	gpu --csv --time-slices 2 --metric gpubusy
	[ "$output" = $'time_ns,slice_ns,CPU_CLK_UNHALTED.THREAD samples,INST_RETIRED.ANY samples,GPU 0000:00:02.0 GpuBusy,GPU 0000:03:00.0 GpuBusy\r
0,500000000,1850,1675,40,20\r
500000000,500000000,1850,1675,,92\r' ]
}

@test "a recording without its end has the metrics all the same" {
	head -c -100 g.vsamp >cut.vsamp
	run -0 --separate-stderr vsamp report --gpu --json --metric GpuBusy cut.vsamp
	[ "$(jq -c '[.complete, (.gpus[] | .recorded, .metrics[0].mean)]' <<<"$output")" = '[false,null,40,null,57.89473684210526]' ]
}

@test "what can't be told is refused" {
	run -1 vsamp report --gpu f.vsamp
	[[ $output == *"f.vsamp: has no metrics of GPUs: they are recorded by 'vsamp record --gpu'" ]]
	run -2 vsamp report --gpu --metric EuActive,Nothing g.vsamp
	[[ $output == *"'Nothing': the recording has no such metric"*"its metrics are AvgGpuCoreFrequency CsThreads GpuBusy"* ]]
	run -2 vsamp report --gpu --time-slice 0.000001 g.vsamp
	[[ $output == *"more than 1000000 slices"* ]]
	run -2 vsamp report --gpu -s symbol g.vsamp
	run -2 vsamp report --gpu --itt g.vsamp
	run -2 vsamp report --gpu --html out g.vsamp
	[ ! -e out ]
	run -2 vsamp report --metric GpuBusy g.vsamp
	[[ $output == *"is of --gpu"* ]]
}

@test "info tells of GPUs" {
	run -0 --separate-stderr vsamp info g.vsamp
	[ "$(grep ^GPU <<<"$output")" = 'GPU          0000:00:02.0: Kaby Lake GT2, RenderBasic by module; 400 reports, one in 1.000 ms; 60 lost, 40 had no room; clock error 1.234 us
GPU          0000:03:00.0: DG1, ComputeBasic by i915; 1113 reports, one in 0.853 ms; 0 lost, 0 had no room; clock error not known, in 2 pieces' ]
	run -0 --separate-stderr vsamp info --json g.vsamp
	[ "$(jq -c '.gpus[] | [.slot, .id, .platform, .path, .set, .period_ns, .interval_ns, .reports, .lost, .no_room, .clock_error_ns, .clock_pieces]' <<<"$output")" = \
		'["0000:00:02.0",22806,"Kaby Lake GT2","module","RenderBasic",1000000,10000000,400,60,40,1234,1]
["0000:03:00.0",18693,"DG1","i915","ComputeBasic",853333,20000000,1113,0,0,null,2]' ]
	[ "$(jq -r '.warnings[]' <<<"$output" | grep GPU)" = "GPU 0000:00:02.0: reports are missing beside 400: 60 that it lost, 40 that were not read in time; of these times nothing is known: record with a longer --gpu-period" ]
	run -0 --separate-stderr vsamp info t.vsamp
	[[ $output != *$'\nGPU '* ]]
}

@test "a file that nobody should trust: times and values of any size, holes alone, names of any kind" {
	local largest=18446744073709551615
	"$TREE"/build/tests/progs/make_tracks h.vsamp "GPU 0" far percent 0=1 $largest=2 5=nan -- "GPU 0" last "" $largest=1e308 -- \
		"GPU 1" sizes Hz 0=-1.7e308 1=1.7e308 5=1.7e308 -- "GPU 1" $'\e[31m\n"<script>' $'\r' 1=nan -- "GPU " "" "" 7=0
	run -0 --separate-stderr vsamp report --gpu --json h.vsamp
	# all: up to the last time there can be
	[ "$(jq -c '.gpus[] | .name as $n | .metrics[] | [$n, .name, (.known_ns | if . > 18e18 then "all" else . end), .mean, .min, .max]' <<<"$output")" = \
		'["GPU ","","all",0,0,0]
["GPU 0","far",5,1,1,1]
["GPU 0","last",0,null,null,null]
["GPU 1","\u001b[31m\n\"<script>",0,null,null,null]
["GPU 1","sizes","all",1.7e+308,-1.7e+308,1.7e+308]' ]
	run -0 --separate-stderr vsamp report --gpu h.vsamp
	[[ $output != *$'\e'* && $output == *'?[31m?"<script>'* && $output == *" 1.7e+308 "* ]]
	for form in --json --csv -n5; do
		run -2 vsamp report --gpu -s time $form h.vsamp
		[[ $output == *"times in the recording are too far apart: ask for some of it by --time" ]]
	done
	run -0 --separate-stderr vsamp report --gpu --csv --time-slices 2 --time 0,0.001 --metric far h.vsamp
	[ "$output" = $'time_ns,slice_ns,GPU 0 far\r\n0,500000,1\r\n500000,500000,\r' ]
	run -2 vsamp report --gpu --time 0,0.001 --time-slice 0.000002 h.vsamp
	[[ $output == *"more than 2000000 numbers"* ]]
	for format in html chrome firefox; do
		vsamp export -f $format -o out h.vsamp 2>/dev/null
	done
}
