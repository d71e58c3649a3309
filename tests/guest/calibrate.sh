#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2086 # lists of options
# What calibration is for: as many samples as were asked for. The guest has two CPUs, which run in
# turns: together they retire 1 000 000 000 instructions a second, one that is busy alone all of them.
. ./tap.sh
. ./calibrate_tools.sh
set -o pipefail

# 1 s at a sample each 1 ms, or half of both, are 1000 samples, of each CPU or in total
second="-i 1 -d 1"
half="-i 0.5 -d 0.5"
one=INST_RETIRED
two=INST_RETIRED,branches
# LLC references are each 100th instruction: 2000 samples of 10 000 000 / 2000, above the floor. Branches
# are the user's: 10 000 interrupts a second have as many in the kernel as would be 3 % of all.
five=INST_RETIRED,branches:u,LLC-references,ref-cycles,INST_RETIRED:u

# taken FILE EXPECTED [SECONDS]: samples of each event; if they aren't, what else is known of them. Of so
# many seconds: a recorder that gets no processor ends some ms later, and has what came in them, too
taken() {
	all_near "$(field "$1" ".events[] | .samples * (${3:-.elapsed_ns / 1e9} * 1e9 / .elapsed_ns)")" "$2" 2 && return
	field "$1" '.events[] | "\(.samples) samples of \(.sav), \(.count) events in \(.elapsed_ns) ns"'
	field "$1" .warnings[]
	return 1
}

# steady WHAT EXPECTED OPTION...: each of the events of the file is taken as often as expected
steady() {
	local what=$1 expected=$2

	shift 2
	rm -f steady.vsamp
	vsamp record -q -cal -o steady.vsamp "$@"
	check "$what: within 2 % of $expected" taken steady.vsamp "$expected" \
		"$(sed -n 's/.*-d \([0-9.]*\).*/\1/p' <<<"$*")"
	check "$what: so says the file" all_near "$(field steady.vsamp '.events[].target')" "$expected" 2
	check "$what: the values are calibrated" equal "$(field steady.vsamp '[.events[].sav_source] | unique[]')" calibrated
	check "$what: none is lost" equal "$(field steady.vsamp .lost)" 0
}

# --- a steady load ---

taskset 1 ./launchlog load 0 & spin0=$!
taskset 2 ./launchlog load 0 & spin1=$!
for e in $one $two $five; do
	n=$(tr -cd , <<<"$e" | wc -c)
	steady "$((n + 1)) events, the machine, by CPU" 2000 -a $second -e $e
	steady "$((n + 1)) events, the machine, in total" 1000 -a $second -e $e --cal-scope total
done
kill $spin0 $spin1
wait $spin0 $spin1 2>/dev/null
for e in $one $two $five; do
	n=$(tr -cd , <<<"$e" | wc -c)
	# 20 000 interrupts a second would take 2 % of the time themselves
	rate=$half insns=500000000
	[ $n -lt 4 ] || rate=$second insns=1000000000
	steady "$((n + 1)) events, a program that goes on, in total" 1000 $rate -e $e -- ./launchlog log 0
	steady "$((n + 1)) events, a program that goes on, by CPU" 2000 $rate --cal-scope cpu -e $e -- ./launchlog log 0
	# an instruction takes 1 ns
	rate=${rate% -d *}
	steady "$((n + 1)) events, a program that ends, in total" 1000 $rate -e $e -- ./launchlog log $insns
	steady "$((n + 1)) events, a program that ends, by CPU" 2000 $rate --cal-scope cpu -e $e -- ./launchlog log $insns
done

# --- a program that ends before the duration ---

rm -f log
vsamp record -cal -i 0.5 -d 5 -e INST_RETIRED:u -o early.vsamp -- ./launchlog log 500000000 2>early.txt
check "it ends before the duration: status 0" equal $? 0
check "the target is that of its own time" near "$(field early.vsamp '.events[0].target')" 1000 2
check "and is met" near "$(field early.vsamp '.events[0].samples')" 1000 2
check "it came to its own end, twice" equal "$(order log)" "$(launches 2 end)"
# of a rate that doesn't change, 100 ms tell as much as 500 ms
vsamp record -q -cal --cal-time 0.1 $half -e INST_RETIRED:u -o short.vsamp -- ./launchlog log 0
check "a fifth of the time is enough for a steady load" near "$(field short.vsamp '.events[0].samples')" 1000 2

# --- Clockticks: the clock's rate is known ---

# clockticks INTERVAL_MS: 1 GHz x the interval, changed by no more than 0.1 %, coprime to 10
clockticks() {
	local sav

	sav=$(field clock.vsamp '.events[0].sav')
	within "$sav" $(($1 * 999000)) $(($1 * 1001000)) || return
	[ $((sav % 2)) -ne 0 ] && [ $((sav % 5)) -ne 0 ] && return
	echo "$sav has a divisor in common with 10"
	return 1
}

rm -f log
vsamp record -cal -i 1 -d 1 -e Clockticks -o clock.vsamp -- ./launchlog log 0 2>clock.txt
check "Clockticks alone: one launch" equal "$(order log)" "$(launches 1 term)"
check "and one run" equal "$(runs clock.txt)" r1/1
check "Clockticks: 1 GHz x 1 ms = 1 000 000" clockticks 1
check "by the frequency" equal "$(field clock.vsamp '.events[0].sav_source')" frequency
check "which is said, with its source" lines clock.txt 'SAV [0-9]+ = 1000 MHz \(.+\) x 1 ms'
check "Clockticks: 1000 samples a second within 2 %" near "$(field clock.vsamp '.events[0].samples')" 1000 2
check "Clockticks: its target" equal "$(field clock.vsamp '.events[0].target')" 1000
vsamp record -q -cal -i 4 -d 0.1 -e Clockticks -o clock.vsamp -- ./launchlog log 0
check "Clockticks: 1 GHz x 4 ms = 4 000 000" clockticks 4
taskset 1 ./launchlog load 0 & spin=$!
vsamp record -cal -i 1 -d 1 -C 0 -e Clockticks -o clock.vsamp 2>clock.txt
check "Clockticks of a busy CPU: one run" equal "$(runs clock.txt)" r1/1
check "and 1000 samples a second within 2 %" near "$(field clock.vsamp '.events[0].samples')" 1000 2
kill $spin
wait $spin 2>/dev/null
rm -f log
vsamp record -q -cal -d 0.1 -e Clockticks,INST_RETIRED -o clock.vsamp -- ./launchlog log 0
check "Clockticks beside an event that is counted first: two launches" equal "$(order log)" "$(launches 2 term)"
check "its own value still is of the frequency" equal "$(field clock.vsamp '.events[].sav_source')" "frequency calibrated"
vsamp record -q -cal -d 0.1 -i 1 -e Clockticks:sav=700001 -o clock.vsamp -- ./launchlog log 0
check "a value that is given wins" equal "$(field clock.vsamp '.events[0] | .sav, .sav_source')" "700001 explicit"

# --- a load whose rate changes ---

# 1 000 000 000 instructions in 1 s, then 100 000 000 in about 1 s: 100 times 1 ms of work, 9 ms of sleep
changes="./phases fast:1:1000000000:0 slow:100:1000000:9000"

# of FILE SYMBOL: samples that fell there
of() {
	field "$1" "[.symbols[] | select(.symbol == \"$2\") | .samples[0]] | add // 0"
}

# sum FILE FIELD: what the records say of the first event
sum() {
	./stream "$1" | sed -n "s/^0 .*$2 \([0-9]*\).*/\1/p"
}

vsamp record -cal -i 1 -e INST_RETIRED:u -o plain.vsamp -- $changes 2>plain.txt
check "10 : 1, plain: within 10 % of 2000" near "$(field plain.vsamp '.events[0].samples')" 2000 10
vsamp record --cal=adaptive -i 1 -e INST_RETIRED:u -o adaptive.vsamp -- $changes 2>adaptive.txt
check "10 : 1, adaptive: within 5 % of 2000" near "$(field adaptive.vsamp '.events[0].samples')" 2000 5
# one value for all: 100 of 1100 parts of 2000 samples
check "plain has 182 samples in the slow half" near "$(of plain.vsamp slow)" 182 10
# as many in each second
check "adaptive has far more" within "$(of adaptive.vsamp slow)" 600 1100
check "plain has no change of the value" equal "$(sum plain.vsamp sav-records)" 0
check "adaptive has changes in the stream" within "$(sum adaptive.vsamp sav-records)" 1 1000
check "both say that 1 100 000 000 events came: plain" near "$(field plain.vsamp '.events[0].estimated')" 1100000000 2
check "both say that 1 100 000 000 events came: adaptive" near "$(field adaptive.vsamp '.events[0].estimated')" 1100000000 2
check "so do the records' own values" near "$(sum adaptive.vsamp events)" 1100000000 2
check "the report adds up the same" near "$(field adaptive.vsamp '.events[0].estimated')" "$(sum adaptive.vsamp events)" 0
# 1000 samples each, that stand for ten times as many in the fast half
check "by symbol: the fast half has 1 000 000 000 events" near \
	"$(field adaptive.vsamp '[.symbols[] | select(.symbol == "fast") | .events[0]] | add')" 1000000000 2
check "by symbol: the slow half has 100 000 000" near \
	"$(field adaptive.vsamp '[.symbols[] | select(.symbol == "slow") | .events[0]] | add')" 100000000 2
check "the count is exact" near "$(field adaptive.vsamp '.events[0].count')" 1100000000 0.1
check "none is lost while values change" equal "$(field adaptive.vsamp '.lost, .produced - .written - .lost')" "0 0"

# The calibration run sees 0.9 s of the fast half only, then -d 2 has 1 s of each
rate="-i 1 -d 2 --cal-time 0.9"
changes="./phases fast:1:1000000000:0 slow:300:1000000:9000"
vsamp record -cal $rate -e INST_RETIRED:u -o plain.vsamp -- $changes 2>plain.txt
# 1 100 000 000 / 1 000 000
check "calibrated with the fast half alone, plain takes 1100" near "$(field plain.vsamp '.events[0].samples')" 1100 3
check "and says by how much and why it missed the target" lines plain.txt 'target 2000.*-4[3-6]\.[0-9]+ ?%' rate
check "so does the report" lines <(vsamp report plain.vsamp) '-4[3-6]\.[0-9]+ ?%' rate
vsamp record --cal=adaptive $rate -e INST_RETIRED:u -o adaptive.vsamp -- $changes 2>adaptive.txt
check "adaptive is within 5 % of 2000 all the same" near "$(field adaptive.vsamp '.events[0].samples')" 2000 5
check "and its events are 1 100 000 000 still" near "$(field adaptive.vsamp '.events[0].estimated')" 1100000000 2

# Half a second of 40 times 0.4 ms of work and 10 ms of sleep, and 100 ms of work in their midst
changes="./phases slow:20:400000:10000 fast:10:10000000:0 slow:20:400000:10000"
vsamp record -q --cal=adaptive -i 1 -e INST_RETIRED:u -o short.vsamp -- $changes
check "a short one: adaptive is within 5 % of 518" near "$(field short.vsamp '.events[0].samples')" 518 5

# The other way round, and the machine: 2 CPUs x 2 s x 1000
./phases slow:1000:1000000:9000 & slow=$!
(sleep 1.6; exec ./launchlog load 0) & fast=$!
vsamp record -q --cal=adaptive -a -i 1 -d 2 --cal-time 0.5 -e INST_RETIRED:u -o machine.vsamp
check "the machine gets busier: adaptive is within 5 % of 4000" near "$(field machine.vsamp '.events[0].samples')" 4000 5
check "the records' own values add up to what was counted" near "$(sum machine.vsamp events)" "$(field machine.vsamp '.events[0].count')" 2
kill $slow $fast
wait $slow $fast 2>/dev/null
# Nothing to adapt: it stays as plain calibration has it
vsamp record -q --cal=adaptive -i 0.5 -d 1 -e INST_RETIRED:u -o same.vsamp -- ./launchlog log 0
check "a steady load: adaptive is within 2 % of 2000" near "$(field same.vsamp '.events[0].samples')" 2000 2
vsamp record -q --cal=adaptive -i 1 -d 1 -e $two -o same.vsamp -- ./launchlog log 0
check "and two events of 1000 each" all_near "$(field same.vsamp '.events[].samples')" 1000 2
vsamp record -q --cal=adaptive --mux 4 -d 0.2 -e $two -o mux.vsamp -- ./launchlog log 0 2>mux.txt
check "adaptive and --mux: refused" test $? -eq 2
check "and says why" lines mux.txt adaptive mux
check "and nothing is made" gone mux.vsamp

# --- time slices ---

# ref-cycles are counted by one counter only, so these are three sets
three=ref-cycles:u,ref-cycles:k,ref-cycles
rm -f log
vsamp record -cal --mux 4 -i 1 -e $three,branches:u -o mux.vsamp -- ./launchlog log 1000000000 2>mux.txt
check "three sets in time slices: launched once to calibrate and once to record" equal "$(order log)" "$(launches 2 end)"
check "two runs" equal "$(runs mux.txt)" "c1/2 r2/2"
check "each has a third of the time" all_near "$(field mux.vsamp '.events[].share')" 0.333 10
# 1 000 000 000 instructions of one cycle each, each 20th a branch
check "its user cycles are 1 000 000 000" near "$(field mux.vsamp '.events[0].estimated')" 1000000000 2
check "its branches are 50 000 000" near "$(field mux.vsamp '.events[3].estimated')" 50000000 2
check "user and kernel cycles are those and few more" within "$(field mux.vsamp '.events[2].estimated | round')" 980000000 1060000000
check "user cycles: 1000 samples, were they counted all the time" near \
	"$(field mux.vsamp '.events[0] | .samples / .share')" 1000 2
check "so is the target" near "$(field mux.vsamp '.events[0].target')" 1000 2
check "the report has the share" lines <(vsamp report mux.vsamp) '3[234](\.[0-9]+)? ?%'
check "none is lost in time slices" equal "$(field mux.vsamp '.lost, .produced - .written - .lost')" "0 0"
vsamp stat --mux 4 --json -e $three,branches:u -- ./launchlog log 1000000000 >stat.json 2>stat.txt
check "stat in time slices: user cycles" near "$(jq '.events[0].count' stat.json)" 1000000000 2
check "stat in time slices: branches" near "$(jq '.events[3].count' stat.json)" 50000000 2
taskset 1 ./launchlog load 0 & spin=$!
vsamp record -q -cal -a --mux 4 -i 1 -d 1 -e $three -o mux.vsamp
check "the machine in time slices: two CPUs' target" equal "$(field mux.vsamp '.events[0].target')" 2000
check "is met by what was taken and scaled" near "$(field mux.vsamp '.events[0] | .samples / .share')" 2000 2
kill $spin
wait $spin 2>/dev/null

tap_end
