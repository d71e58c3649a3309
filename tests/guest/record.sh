#!/bin/bash
# SPDX-License-Identifier: MIT
# The main jobs, in a guest with two CPUs and a PMU: the numbers are worked out from the programs.
# ./loop retires exactly 200 000 000 user instructions, all but one in its function loop.
. ./tap.sh
set -o pipefail

ev=INST_RETIRED:u:sav=100000

# samples FILE MODULE SYMBOL: how many samples of the first event fell there ("" = any)
samples() {
	vsamp report --json "$1" | jq --arg m "$2" --arg s "$3" \
		'[.symbols[] | select(($m == "" or (.module | endswith($m))) and ($s == "" or .symbol == $s)) | .samples[0]] | add // 0'
}

field() {
	vsamp report --json "$1" | jq -r "$2"
}

# --- a launched program ---

vsamp record -q -e $ev -o one.vsamp -- ./loop
check "a launched command's status 0 is passed on" equal $? 0
check "200 000 000 instructions at 100 000 make 2000 samples" within "$(field one.vsamp '.events[0].samples')" 1999 2001
check "each of them is in the loop" equal "$(samples one.vsamp loop loop)" "$(field one.vsamp '.events[0].samples')"
check "none is lost" equal "$(field one.vsamp .lost)" 0
check "the file is complete" equal "$(field one.vsamp .complete)" true
check "produced is written + lost" equal "$(field one.vsamp '.produced - .written - .lost')" 0

taskset 1 ./spin & spin=$!
vsamp record -q -e $ev -o beside.vsamp -- taskset 2 ./loop
check "beside a busy loop on another CPU it has 2000" within "$(samples beside.vsamp loop loop)" 1999 2001
kill $spin
wait $spin 2>/dev/null

taskset 1 ./spin & spin=$!
vsamp record -q -e $ev -o beside.vsamp -- taskset 1 ./loop
check "beside a busy loop on the same CPU it has 2000" within "$(samples beside.vsamp loop loop)" 1999 2001
check "and the foreign loop none" equal "$(samples beside.vsamp spin "")" 0
kill $spin
wait $spin 2>/dev/null

vsamp record -q -e $ev -o exit.vsamp -- bash -c 'exit 7'
check "a launched command's status 7 is passed on" equal $? 7

# --- the whole machine ---

vsamp record -q -a -e $ev -o all.vsamp -- bash -c 'cp loop loop0; cp loop loop1; taskset 1 ./loop0 & taskset 2 ./loop1 & wait'
check "two pinned loops make 2000 samples each: first" within "$(samples all.vsamp loop0 loop)" 1999 2001
check "two pinned loops make 2000 samples each: second" within "$(samples all.vsamp loop1 loop)" 1999 2001
check "others are listed apart" field all.vsamp \
	'if [.processes[].comm] | contains(["loop0", "loop1", "cp", "bash"]) then "ok" else error("not all there") end'
check "and nothing is left out or told twice" equal "$(samples all.vsamp "" "")" "$(field all.vsamp '.events[0].samples')"
check "none is lost system-wide" equal "$(field all.vsamp .lost)" 0

# --- two events that overflow in one another's handler ---

# the n-th overflows are 39 n instructions apart: the first ones meet in the handler
vsamp record -q -e INST_RETIRED:u:sav=100003 -e branches:u:sav=50021 -o two.vsamp -- ./loop
# 200 000 000 / 100003 = 1999.9; branches: 99 999 998 in the loop and the syscall, / 50021 = 1999.2
check "instructions beside branches have their number" equal "$(field two.vsamp '.events[0].samples')" 1999
check "branches beside instructions have their number" equal "$(field two.vsamp '.events[1].samples')" 1999
check "instructions are counted exactly" equal "$(field two.vsamp '.events[0].count')" 200000000
check "branches are counted exactly" equal "$(field two.vsamp '.events[1].count')" 99999999
check "none of the two is lost" equal "$(field two.vsamp .lost)" 0

# --- time ---

vsamp record -q -e $ev -o time.vsamp -- ./ticks 50000000 t > ticks.out
read -r _ _ begin _ end _ < ticks.out
check "sample times lie between the program's own rdtsc, monotone per CPU" ./sample_times time.vsamp "$begin" "$end"

# --- calibration ---

./spin & spin0=$!
./spin & spin1=$!
vsamp record -q -e INST_RETIRED -cal -i 1 -d 5 -a -o cal.vsamp
n=$(field cal.vsamp '.events[0].samples')
check "-d 5 -i 1 on two busy CPUs takes 10 000 samples within 2 %" within "$n" 9800 10200
check "its target is stored" equal "$(field cal.vsamp '.events[0].target')" 10000
check "its Sample-After value is said to be calibrated" equal "$(field cal.vsamp '.events[0].sav_source')" calibrated

vsamp record -q -e INST_RETIRED -cal -i 1 -a -o int.vsamp & rec=$!
sleep 4
kill -INT $rec
wait $rec
check "ended by SIGINT it exits with 0" equal $? 0
check "and has two CPUs' elapsed / interval within 2 %" field int.vsamp \
	'.events[0].samples as $n | (.elapsed_ns / 1000000 * 2) as $t | if $n > $t * 0.98 and $n < $t * 1.02 then "ok" else error("\($n) samples, target \($t)") end'
vsamp record -q -e INST_RETIRED -cal -i 1 -d 20 -a -o none.vsamp & rec=$!
sleep 1
kill -INT $rec
wait $rec
check "interrupted while calibrating it exits with 130" equal $? 130
check "and leaves no file" test ! -e none.vsamp
kill $spin0 $spin1
wait $spin0 $spin1 2>/dev/null

# --- alone on the PMU ---

vsamp record -q -a -e $ev -d 2 -o alone.vsamp & rec=$!
sleep 1
perf stat -e instructions:u true > perf.out 2>&1
check "perf's hardware counter is refused while vsamp records" grep -Eq 'not supported|not counted|busy' perf.out
wait $rec
perf stat -x, -e instructions:u ./loop 2> perf.out
check "and counts exactly afterwards" equal "$(cut -d, -f1 perf.out)" 200000000

# --- SIGKILL ---

# regs: every PMU register of both CPUs
regs() {
	local cpu reg
	for cpu in 0 1; do
		for reg in 0x18{6,7,8,9,a,b,c,d} 0x4c{1..8} 0x30{9,a,b} 0x38d 0x38e 0x38f; do
			echo "$cpu $reg $(dd if=/dev/cpu/$cpu/msr bs=8 count=1 iflag=skip_bytes skip=$((reg)) 2>/dev/null | od -An -tx8)"
		done
	done
}
before=$(regs)
same=0 started=0 readable=0
for i in $(seq 20); do
	rm -f kill.vsamp
	vsamp record -q -a -e $ev -o kill.vsamp & rec=$!
	sleep "0.$((i * 7919 % 90 + 5))"
	kill -KILL $rec
	wait $rec 2>/dev/null
	[ "$(regs)" = "$before" ] && same=$((same + 1))
	vsamp stat -e INST_RETIRED:u -- true >/dev/null 2>&1 && started=$((started + 1))
	# one that was killed before it began has no file
	{ [ ! -e kill.vsamp ] || vsamp report --json kill.vsamp >/dev/null 2>&1; } && readable=$((readable + 1))
done
check "20 kills: the PMU's registers are as before" equal $same 20
check "20 kills: a new session starts at once" equal $started 20
check "20 kills: what there is of a file is readable" equal $readable 20
vsamp record -q -a -e $ev -o kill.vsamp & rec=$!
sleep 2.5
kill -KILL $rec
wait $rec 2>/dev/null
check "the file of a killed recorder is readable" vsamp report --json kill.vsamp
check "and said to be incomplete" equal "$(field kill.vsamp .complete)" false
check "and has what was flushed" within "$(field kill.vsamp '.events[0].samples')" 1 1000000000

tap_end
