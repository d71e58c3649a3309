#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report --html on files of known contents (tests/progs/make_timeline.c, make_file.c): the data of the
# page, and, where there is a Chromium, what is seen in it. browser.py fails if the page says anything on
# its console or asks for anything on the network.

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$TREE/tests/progs:$PATH
	make -s -C "$TREE" user progs
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"$TREE"/build/tests/progs/make_timeline t.vsamp
	vsamp report --html page.html t.vsamp 2>/dev/null
}

# what the page PAGE has been given
page_data() {
	sed -n '/<script type="application\/json"/,/<\/script>/{//d; p}' "$1"
}

# look ARG...: browser.py, with the steps on standard input; its output is in $output
look() {
	run --separate-stderr browser.py "$@"
	[ "$status" -ne 77 ] || skip "$output"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "the page is one file that asks for nothing, and gets its name when it is whole" {
	vsamp report --html out t.vsamp 2>err
	[ "$(cat err)" = "vsamp report: WARNING: 5 of 7059 records (0.07 %) were lost, as the rings were full: record with larger rings (--ring-size) or Sample-After values" ]
	[ "$(ls)" = "err
out
page.html
t.vsamp" ]
	grep -q "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'" out
	run ! grep -E '(src|href)=|https?:|@import|url\(' out
	run -1 grep '@\(style\|data\|script\)@' out
	[ "$(stat -c %a out)" = "$(printf %o $((0666 & ~$(umask))))" ]
	vsamp export -f html t.vsamp 2>/dev/null | cmp - out
}

@test "what is no place for a page is refused, and nothing is left behind" {
	ln -s /proc/self/fd/1 out
	run -2 vsamp report --html out t.vsamp
	[[ $output == *"is no regular file"* ]]
	run -2 vsamp report --html t.vsamp t.vsamp
	[[ $output == *"is what is read"* ]]
	run -1 vsamp report --html nowhere/out t.vsamp
	[[ $output == *"nowhere/out: can't be written: No such file or directory"* ]]
	rm out
	head -c 40 t.vsamp >half
	run -1 vsamp report --html out half
	[ "$(ls)" = "half
page.html
t.vsamp" ]
}

@test "data: samples and events are those of the report, by symbol, module, process" {
	vsamp report --json t.vsamp 2>/dev/null >r
	page_data page.html >d
	diff <(jq -c '.events[] | [.name, .samples, .estimated]' r) <(jq -c '.events[] | [.name, .samples, .estimated]' d)
	diff <(jq -c '.rows[] | ["\(.comm) (\(.pid))", .module, .symbol, .samples, .events]' r) \
		<(jq -c '. as $d | .rows[1] as $r | range($r.symbol | length) as $i | [$d.strings[$r.process[$i]], $d.strings[$r.module[$i]],
			$d.strings[$r.symbol[$i]], [$r.counts[].samples[$i]], [$r.counts[].events[$i]]]' d)
	diff <(jq -c '.symbols[] | [.module, .symbol, .samples]' r) <(jq -c '. as $d | .rows[0] as $r |
		range($r.symbol | length) as $i | [$d.strings[$r.module[$i]], $d.strings[$r.symbol[$i]], [$r.counts[].samples[$i]]]' d)
	jq -e '.warnings == ["5 of 7059 records (0.07 %) were lost, as the rings were full: record with larger rings (--ring-size) or Sample-After values"]' d
}

@test "data: slices of time have all samples, each in its own" {
	page_data page.html >d
	jq -e '.length == 1000000000 and .slices == 2000 and .cpus == [0, 2]' d
	# -N: N slices without samples
	jq -c '[.samples[] | map(map(if . < 0 then range(-.) | 0 else . end) | [length, add])]' d >sums
	[ "$(cat sums)" = "[[[2000,3000],[2000,700]],[[2000,3000],[2000,350]]]" ]
	# of 0.5 ms: 99 ms has 5 samples, of which 4 begin in its first half; CPU 2 has none from 70 ms on
	jq -e '.samples[0][0] | map(if . < 0 then range(-.) | 0 else . end) | .[198:202] == [4, 1, 1, 0]' d
	jq -e '.samples[0][1] | map(if . < 0 then range(-.) | 0 else . end) | .[136:142] == [1, 0, 1, 0, 0, 0]' d
}

@test "data: what is selected, and what is told of that" {
	vsamp report --html out -e INST_RETIRED.ANY t.vsamp 2>/dev/null
	page_data out | jq -e '(.events | length) == 1 and .events[0].name == "INST_RETIRED.ANY" and (.samples | length) == 1 and .rows[0].counts[0].samples == [1200, 1040, 600, 300, 210]'
	"$TREE"/build/tests/progs/make_file f
	vsamp report --html out -p 8,9 f 2>/dev/null
	page_data out | jq -e '.facts[-1] == ["Only samples of", "processes 8, 9"] and .rows[0].counts[0].samples == [30, 10]'
	page_data out | jq -e '[.samples[0][] | map(select(. > 0)) | add] == [null, 40]'
	vsamp export -f html -o out -S work_a -C 0 f 2>/dev/null
	page_data out | jq -e '.facts[-1] == ["Only samples of", "CPUs 0; functions work_a"] and .rows[0].counts[0].samples == [60] and .flame.counts[0].samples == [60, 60, 60]'
	page_data out | jq -e '[.samples[0][] | map(select(. > 0)) | add] == [60, null]'
}

@test "what is recorded, the warnings and the events are seen" {
	look 1400x900 page.html <<-END
		eval document.getElementById("title").textContent
		eval document.getElementById("command").textContent
		eval [...document.querySelectorAll("#warnings li")].map(e => e.innerText.slice(0, 29))
		eval document.getElementById("warnings").hidden
		eval [...document.querySelectorAll("#facts dt")].map(e => e.innerText + "=" + e.nextSibling.innerText).slice(1)
		eval [...document.querySelectorAll(".event .big")].map(e => e.innerText)
		eval [...document.querySelectorAll(".event .bad")].map(e => e.innerText)
	END
	[ "$output" = '"t.vsamp"
"vsamp record -g -- ./app"
["5 of 7059 records (0.07 %) we"]
false
["Recorded=1.000 s","Host=server","Kernel=6.1.0","CPUs=0,2","Scope=machine","Backend=intel","Records=7059 produced, 5 lost","Stacks=7050, cut: 0 in the kernel, 0 in user mode"]
["3,700 samples","3,350 samples"]
["5 samples lost"]' ]
}

@test "timeline: lanes of CPUs, tasks, events and counters" {
	look 1400x900 page.html <<-END
		eval [...document.querySelectorAll("[data-kind=samples]")].map(e => [e.dataset.event, e.dataset.cpu, e.dataset.samples].join(" "))
		eval [...document.querySelectorAll("[data-thread]")].map(e => [e.dataset.kind, e.dataset.thread, e.dataset.depth, e.dataset.count].join(" "))
		eval [...document.querySelectorAll("[data-kind=track]")].map(e => [e.dataset.name, e.dataset.points, e.dataset.most].join(" "))
		eval ["frame", "decode", "filter", "block", "request"].map(n => document.querySelectorAll(".span[data-name=" + n + "]").length)
		eval [...document.querySelectorAll(".tick")].map(e => e.dataset.name + " " + e.dataset.begin / 1e6)
		eval [...document.querySelectorAll(".duration")].map(e => [e.dataset.name, e.dataset.begin / 1e6, e.dataset.length / 1e6].join(" "))
		eval (() => { const d = document.querySelector(".duration"), p = d.parentElement.clientWidth; return [d.offsetLeft / p, d.offsetWidth / p].map(x => x.toFixed(2)) })()
		eval [...document.querySelectorAll(".group button")].map(e => e.textContent)
	END
	[ "$output" = '["0 0 3000","0 2 700","1 0 3000","1 2 350"]
["task 7 0 10","task 7 1 20","task 7 2 40","overlapped 12 0 2","overlapped 12 1 1","event 12 0 4","event 12 1 1"]
["busy 100 95","frequency 3 1150"]
[10,10,10,40,3]
["key frame 100","upload 150","key frame 400","upload 550","key frame 700"]
["upload 150 150","upload 550 250"]
["0.15","0.15"]
["CPU_CLK_UNHALTED.THREAD","INST_RETIRED.ANY","app (7)","worker (7, thread 12)","GPU 0"]' ]
}

@test "timeline: pauses, waits, frames, regions, markers, metadata and threads' names" {
	"$TREE"/build/tests/progs/make_itt i.vsamp "@0 Ba mk=5 Jq#1 @10 Bb#8 mk=6 @15 Sx @20 P @30 C E @40 E @50 Nx \
t2 @5 W#1 @25 A#1 @26 Oa#9 @30 Ob#4 @50 X#9 @60 X#4 @61 F @70 f @71 R#3 @80 r#3 Mm mk#8=7 @85 ml=4"
	vsamp report --html i.html i.vsamp 2>/dev/null
	page_data i.html | jq -c '. as $d | .spans | range(.kind | length) as $i | [.kind[$i], $d.strings[.name[$i]], .begin[$i] / 1e6,
		(.length[$i] | if . < 0 then . else . / 1e6 end), $d.strings[.told[$i]]]' >out
	[ "$(cat out)" = '[6,"q",5,20,""]
[1,"a",26,24,""]
[1,"b",30,30,""]
[4,"one",61,9,""]
[3,"one",71,9,""]
[5,"m",80,-1,""]
[8,"l",85,-1,"l: 4"]
[0,"a",0,40,"k: 5"]
[0,"b",10,20,"k: 6, k: 7"]
[2,"x",15,35,""]
[7,"paused",20,10,""]' ]
	look 1400x900 i.html <<-END
		eval [...document.querySelectorAll("[data-thread]")].map(e => [e.dataset.kind, e.dataset.thread, e.dataset.depth, e.dataset.count].join(" "))
		eval [...document.querySelectorAll(".tick")].map(e => e.dataset.name + " " + e.dataset.begin / 1e6)
		eval [...document.querySelectorAll(".group button")].map(e => e.textContent).slice(2)
		eval [...document.querySelectorAll("#task-table tbody tr")].map(r => [...r.cells].map(c => c.innerText).join(" ")).slice(0, 3)
		hover [data-thread="10"] .span[data-name=b]
		eval document.getElementById("tip").innerText.split("\\n").pop()
	END
	[ "$output" = '["overlapped 2 0 1","overlapped 2 1 1","region 2 0 1","frame 2 0 1","marker 2 0 1","wait 2 0 1","metadata 2 0 1","task 10 0 1","task 10 1 1","event 10 0 1","pause 10 0 1"]
["m 80","l 85","x 15"]
["worker 2 (10, thread 2)","worker 1 (10)"]
["b one Overlapped tasks 1 30.00 ms 30.00 ms 30.00 ms","a one Tasks 1 30.00 ms 20.00 ms 30.00 ms","x  Events 1 25.00 ms 25.00 ms 25.00 ms"]
"k: 6, k: 7"' ]
}

@test "timeline: zoomed by dragging, the wheel and keys; groups fold" {
	look 1400x900 page.html <<-END
		drag [data-kind=samples] .plot 0.25 0.75
		eval document.getElementById("range").textContent
		eval [...document.querySelectorAll(".span[data-name=frame]")].map(e => e.dataset.begin / 1e6)
		eval [...document.querySelectorAll(".tick")].map(e => e.dataset.begin / 1e6)
		eval [...document.querySelectorAll(".duration")].map(e => e.dataset.begin / 1e6)
		key 0
		eval document.getElementById("range").textContent
		wheel [data-kind=samples] .plot -300
		eval document.getElementById("range").textContent
		key +
		key ArrowRight
		eval document.getElementById("range").textContent
		click #zoom-all
		eval document.getElementById("range").textContent + document.getElementById("zoom-all").disabled
		click .group button[title="INST_RETIRED.ANY"]
		eval [...document.querySelectorAll("[data-kind=samples]")].map(e => e.hidden)
	END
	# the wheel: 1 / e of a second around its middle; then 0.6 of it, moved by a fifth
	[ "$output" = '"250 ms to 750 ms"
[200,300,400,500,600,700]
[400,550,700]
[150,550]
"1.000 s"
"316 ms to 684 ms"
"434 ms to 655 ms"
"1.000 strue"
[false,false,true,true]' ]
}

@test "timeline: what the pointer is over tells itself" {
	look 1400x900 page.html <<-END
		hover .span[data-name=decode]
		eval document.getElementById("tip").innerText
		hover .duration
		eval document.getElementById("tip").innerText
		hover .tick
		eval document.getElementById("tip").innerText
		hover [data-name=frequency] .plot
		eval document.getElementById("tip").innerText.split("\\n")[0]
	END
	[ "$output" = '"decode in video\n40.00 ms from 0 ns, 8.000 ms of its own"
"upload\n150.0 ms from 150.000000 ms"
"key frame\nat 100.000000 ms"
"1,150 MHz frequency, of at most 1,150 MHz"' ]
}

@test "timeline: GPUs: what tells most is seen, percentages have one scale, holes are seen" {
	"$TREE"/build/tests/progs/make_timeline --gpus g.vsamp
	vsamp report --html g.html g.vsamp 2>/dev/null
	look 1400x900 g.html <<-END
		eval [...document.querySelectorAll(".group button")].map(e => e.textContent).slice(4)
		eval [...document.querySelectorAll("[data-kind=track]:not([hidden])")].map(e => e.dataset.name + ": " + e.querySelector("small").textContent)
		eval document.querySelectorAll("[data-kind=track]").length
		drag [data-kind=samples] .plot 0.25 0.5
		hover [data-name=GtiReadThroughput] .plot
		eval document.getElementById("tip").innerText.split("\\n")[0]
		click #zoom-all
		drag [data-kind=samples] .plot 0.5 1
		hover [data-name=GtiReadThroughput] .plot
		eval document.getElementById("tip").innerText.split("\\n")[0]
		click #zoom-all
		click .group button[title="GPU 0000:00:02.0: 12 more"]
		eval [...document.querySelectorAll("[data-kind=track]:not([hidden])")].length
		eval [...document.querySelectorAll("#facts dt")].filter(e => e.innerText.startsWith("GPU")).map(e => e.innerText + "=" + e.nextSibling.innerText)
		pixel [data-name=GpuBusy]:not([hidden]) canvas 0.25 0.1
		pixel [data-name=GpuBusy]:not([hidden]) canvas 0.75 0.1
		pixel [data-name=GpuBusy]:not([hidden]) canvas 0.15 0.1
		pixel [data-name=GpuBusy]:not([hidden]) canvas 0.15 0.5
	END
	# of 20 eight; what was 999 at 350 ms was it for no time; --grid from 200 to 300 ms, --box where it has
	# ended, and above 80 of 100 percent from 100 to 200 ms, below that --event-2 at 0.3 over --box
	[ "$output" = '["GPU 0000:00:02.0","GPU 0000:00:02.0: 12 more","GPU 0000:03:00.0"]
["AvgGpuCoreFrequency: 0 to 1.15 GHz","GpuBusy: 0 to 100 %","GtiReadThroughput: 0 to 3 Gbytes/s","L3Bank1Reads: 0 to 1 messages/s","L3Bank2Reads: 0 to 2 messages/s","L3Bank3Reads: 0 to 3 messages/s","L3Bank4Reads: 0 to 4 messages/s","L3Bank5Reads: 0 to 5 messages/s","EuActive: 0 to 100 %","GpuBusy: 0 to 100 %"]
22
"2 Gbytes/s GtiReadThroughput, of at most 3 Gbytes/s"
"no value GtiReadThroughput, of at most 3 Gbytes/s"
22
["GPU 0000:00:02.0=Kaby Lake GT2, RenderBasic by module: 400 reports, 100 lost","GPU 0000:03:00.0=DG1, ComputeBasic by i915: 1113 reports, 0 lost"]
233 237 240
248 250 251
248 250 251
187 222 205' ]
}

@test "flame graph: as wide as the events, a click zooms, Escape shows all" {
	look 1400x900 page.html <<-END
		eval [...document.querySelectorAll(".frame")].map(e => [e.dataset.depth, e.dataset.name, e.dataset.events].join(" "))
		eval Math.abs(document.querySelector(".frame[data-name=main]").offsetWidth / document.getElementById("flame").clientWidth - 30 / 37) < 0.001
		click .frame[data-name=decode]
		eval [...document.querySelectorAll(".frame")].map(e => e.dataset.name + " " + e.style.width)
		eval document.activeElement.dataset.name
		key ArrowDown
		eval document.activeElement.dataset.name
		key Escape
		eval document.querySelectorAll(".frame").length
		click #weights label:nth-of-type(2)
		eval [...document.querySelectorAll(".frame[data-depth='2']")].map(e => e.dataset.name + " " + e.dataset.events)
	END
	[ "$output" = '["0 all 7400000","1 app 7400000","2 main 6000000","3 decode 3600000","4 decode_block 2400000","4 copy 1200000","3 filter 1800000","4 filter_row 1800000","3 schedule 600000","2 worker_main 1400000","3 encode 1260000","4 encode_block 700000","4 filter_row 560000","3 schedule 140000"]
true
["all 100%","app 100%","main 100%","decode 100%","decode_block 66.6667%","copy 33.3333%"]
"decode"
"decode_block"
14
["main 3000000","worker_main 350000"]' ]
}

@test "flame graph: a search marks frames and tells their part of what is in view" {
	look 1400x900 page.html <<-END
		click #search
		type ^filter
		eval document.getElementById("matched").textContent
		eval [...document.querySelectorAll(".frame.match")].map(e => e.dataset.name)
		click #weights label:nth-of-type(2)
		eval document.getElementById("matched").textContent
		click .frame[data-name=main]
		eval document.getElementById("matched").textContent
		click #search
		type (
		eval document.getElementById("search").getAttribute("aria-invalid") + document.getElementById("matched").textContent
	END
	# of 3700 filter has 900 and filter_row below encode 280; of 3350: 900 and 140; of main's 3000: 900
	[ "$output" = '"Matched 31.89 %"
["filter","filter_row","filter_row"]
"Matched 31.04 %"
"Matched 30.00 %"
"true"' ]
}

@test "flame graph: without stacks of processes, modules and symbols" {
	"$TREE"/build/tests/progs/make_file f
	vsamp report --html out.html f 2>/dev/null
	look 1400x900 out.html <<-END
		eval [...document.querySelectorAll(".frame")].map(e => [e.dataset.depth, e.dataset.name, e.dataset.events].join(" "))
	END
	[ "$output" = '["0 all 100000","1 one 60000","2 [kernel] 60000","3 work_a 60000","1 two 30000","2 [mod] 30000","3 work_b 30000","1 [pid 9] 10000","2 [unknown] 10000","3 [unknown] 10000"]' ]
}

# of requests' time, what two have belongs to the one that began last: 50 to 900 ms in all
@test "table: rows of functions, modules and processes, sorted and filtered" {
	look 1400x900 page.html <<-END
		eval [...document.querySelectorAll("#table tbody tr")].map(r => [...r.cells].map(c => c.innerText).join(" "))
		click #table th:last-child button
		eval [...document.querySelectorAll("#table td.name")].map(e => e.innerText)
		eval document.querySelector("#table th:last-child").getAttribute("aria-sort")
		click #filter
		type ROW|sched
		eval [...document.querySelectorAll("#table td.name")].map(e => e.innerText)
		eval document.getElementById("shown").textContent
		eval (document.getElementById("filter").value = "", document.getElementById("filter").dispatchEvent(new Event("input")))
		click #groups label:nth-of-type(3)
		eval [...document.querySelectorAll("#table tbody tr")].map(r => [...r.cells].map(c => c.innerText).join(" "))
		click #groups label:nth-of-type(4)
		eval [...document.querySelectorAll("#table tbody tr")].map(r => [...r.cells].map(c => c.innerText).join(" "))
		eval [...document.querySelectorAll("#task-table tbody tr")].map(r => [...r.cells].map(c => c.innerText).join(" "))
	END
	[ "$output" = '["decode_block [codec] 32.43 % 1,200 35.82 % 1,200 2.000","filter_row [codec] 31.89 % 1,180 31.04 % 1,040 2.269","copy [kernel] 16.22 % 600 17.91 % 600 2.000","schedule [kernel] 10.00 % 370 8.96 % 300 2.467","encode_block [codec] 9.46 % 350 6.27 % 210 3.333"]
["encode_block","schedule","filter_row","decode_block","copy"]
"descending"
["schedule","filter_row"]
"2 rows, 41.89 % of CPU_CLK_UNHALTED.THREAD"
true
["[codec] 73.78 % 2,730 73.13 % 2,450 2.229","[kernel] 26.22 % 970 26.87 % 900 2.156"]
["app (7) 100.00 % 3,700 100.00 % 3,350 2.209"]
["request video Overlapped tasks 3 1.200 s 850.0 ms 400.0 ms","frame video Tasks 10 900.0 ms 200.0 ms 90.00 ms","decode video Tasks 10 400.0 ms 80.00 ms 40.00 ms","upload  Events 2 400.0 ms 400.0 ms 250.0 ms","block video Tasks 40 320.0 ms 320.0 ms 8.000 ms","filter video Tasks 10 300.0 ms 300.0 ms 30.00 ms","key frame  Events 3   "]' ]
}

# of a counter the area has 0.3 of its colour, 47 158 99
@test "pictures: the colours of events and frames, in light and dark, large and small" {
	for size in 1400x900 700x600; do
		look "$size" page.html <<-END
			pixel [data-kind=samples] .plot 0.095 0.9
			pixel [data-kind=samples] .plot 0.005 0.3
			pixel [data-kind=samples] .plot 0.005 0.9
			pixel [data-event="1"] .plot 0.095 0.9
			pixel [data-name=frequency] .plot 0.5 0.5
			pixel .frame[data-name=all] 0.5 0.5
			eval document.documentElement.scrollWidth <= innerWidth
			colors
		END
		[ "$(head -7 <<<"$output")" = "49 120 198
248 250 251
49 120 198
217 119 6
187 222 205
221 226 231
true" ]
		[ "${lines[7]}" -gt 50 ]
	done
	look --dark 1400x900 page.html <<-END
		pixel [data-kind=samples] .plot 0.095 0.9
		pixel [data-kind=samples] .plot 0.005 0.3
	END
	[ "$output" = "90 159 230
23 28 34" ]
}

@test "names are text, whatever is in them" {
	evil=$'</script><!--<script><img src=x onerror=alert(1)>&lt;"\'\\\xff\u2028\u202e'
	"$TREE"/build/tests/progs/make_timeline evil.vsamp "$evil"
	vsamp report --html evil.html evil.vsamp 2>/dev/null
	[ "$(grep -o '</script' evil.html | wc -l)" -eq 2 ]
	[ "$(grep -c '<!--' evil.html)" -eq 1 ]
	page_data evil.html | jq -e --arg s "decode_block${evil/$'\xff'/$'\ufffd'}" '[.strings[] | select(. == $s)] | length == 1'
	look 1400x900 evil.html <<-END
		eval document.querySelectorAll("img, iframe, script").length
		eval document.querySelectorAll(".frame").length
		eval [...document.querySelectorAll(".frame")][3].dataset.name
		eval document.querySelector("#table td.name").textContent
		eval document.querySelector(".span").dataset.name
		eval document.querySelector("#facts div:nth-child(3) dd").textContent
		hover .span
		eval document.querySelectorAll("#tip *:not(div):not(b)").length
	END
	shown='</script><!--<script><img src=x onerror=alert(1)>&lt;\"'"'"$'\\\\\ufffd\u2028\u202e'
	[ "$output" = "2
14
\"decode$shown\"
\"decode_block$shown\"
\"frame$shown\"
\"server$shown\"
0" ]
}

@test "a recording without samples has a page, too" {
	"$TREE"/build/tests/progs/make_file f
	vsamp report --html out.html -p 4711 f 2>/dev/null
	look 1400x900 out.html <<-END
		eval document.querySelectorAll("#table tbody tr").length
		eval document.getElementById("flame-note").textContent
		eval document.querySelectorAll("[data-kind=samples]").length
	END
	[ "$output" = '0
"No samples of INST_RETIRED"
4' ]
}
