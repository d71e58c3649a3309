#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Tasks and events of a program with the samples that fell into them, exactly, and pauses; with a PMU and two CPUs.
#
# Between two ITT calls, from one's look at the clock to the other's, ./script retires what its text says, and a
# few instructions for the calls themselves, always as many. How many is found without vsamp record: the clock
# goes by one an instruction here, and the collector's file has what it showed. If that is taken off the text's
# lengths, so that the sum is a multiple of the Sample-After value, then as many samples as this multiple fall in
# between, wherever the first of them comes: n periods in a row have n ends.
. ./tap.sh
set -o pipefail

sav=10000
ev=INST_RETIRED:u:sav=$sav,CPU_CLK_UNHALTED.THREAD:u:sav=$sav
# of CPU 1, when the other does nothing
script=(taskset 2 ./script)

# ticks TEXT: with each of its W20, which are between its calls, after it ran once
ticks() {
	rm -rf spool
	mkdir spool
	VSAMP_ITT_DIR=$PWD/spool INTEL_LIBITTNOTIFY64=/usr/lib/libvsamp-itt.so "${script[@]}" "$prime" "$1 $1"
	# behind the heads of the thread's file, and of its segment: 8-byte words of each record: time; type,
	# flags, size: 16 bits of it. Calls are from type 32 on. Thread 0 has definitions.
	od -An -v -tu8 -w8 -j$((4096 + 32)) "$(find spool -name '*.itt' ! -name '*-0-*.itt')" | awk '{ word[n++] = $1 }
		END {
			for (at = 0; word[at + 1]; at += int(word[at + 1] / 65536) % 65536 / 8)
				if (word[at + 1] % 256 >= 32)
					time[calls++] = word[at]
			for (i = 1; i < calls; i++)
				print time[i] - time[i - 1]
		}' | tail -n "$(grep -o W20 <<<"$1" | wc -l)"
}

# exact TEXT LENGTH...: the text, in which each W20 is as long as makes what is between these calls so long
exact() {
	local text=$1 taken
	shift
	for taken in $(ticks "$text"); do
		text=${text/W20/W$(($1 - taken + 20))}
		shift
	done
	echo "$text"
}

# report: of what was recorded, as lines: of the file, and of each task and event
report() {
	vsamp report --itt --json itt.vsamp 2>/dev/null | jq -r '
		"- \(.lost) \(.produced - .written - .lost) \(.samples_paused)",
		(.rows[] | [.name, .count, .inclusive.samples[0], .exclusive.samples[0], .inclusive.events[0],
			.exclusive.events[0], .exclusive.samples[1] // 0, .exclusive.ratios[0] // 0] | join(" "))' >rows
}

# record OPTION... -- TEXT...
record() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	vsamp record -q -o itt.vsamp "${options[@]}" -- "${script[@]}" "$@" 2>said
	report
}

# columns of the lines
lost=2 balance=3 paused=4
count=2 all=3 own=4 events=5 own_events=6 own_cycles=7 own_ratio=8

# row NAME COLUMN...
row() {
	awk -v name="$1" -v columns="${*:2}" 'BEGIN { n = split(columns, c) }
		$1 == name { for (i = 1; i <= n; i++) printf "%s%s", $c[i], i < n ? " " : "\n" }' rows
}

# the calls' code is there, and what it needs is mapped
prime="BzE OzXz SzNz"

# --- tasks and events, to the sample ---

texts=()
for text in "BaW20 BbW20 EW20 E" "OcW20 OdW20 XcW20 Xd" "SeW20 SfW20 NfW20 Ne" "SgW20 ShW20 NgW20 Nh"; do
	texts+=("$(exact "$text" 4000000 5000000 6000000)")
done
record --pmi-limit 100000 -e $ev -- "$prime" "${texts[@]}"
check "nothing is lost, nor held back" equal "$(row - $lost) $(wc -c <said)" "0 0"
check "a task of 15 000 000 instructions: 1500 samples, 1000 of them its own" equal "$(row a $all $own)" "1500 1000"
check "the task of 5 000 000 in it: 500" equal "$(row b $all $own)" "500 500"
check "and so many instructions" equal "$(row a $events $own_events) $(row b $events)" \
	"15000000 10000000 5000000"
# a ns each, as an instruction takes; what a sample begins or ends with may be another's
check "a cycle each" within "$(row a $own_cycles)" 999 1001
check "so CPI is 1" within "$(row a $own_ratio | awk '{ printf "%.0f", $1 * 1000 }')" 998 1002
check "overlapped tasks: the later one has what both are in" equal "$(row c $all $own), $(row d $all $own)" "900 400, 1100 1100"
check "events: the innermost has it" equal "$(row e $all $own), $(row f $all $own)" "1500 1000, 500 500"
check "overlapping ones: the later start" equal "$(row g $all $own), $(row h $all $own)" "900 400, 1100 1100"
check "there was one of each" equal "$(for i in a b c d e f g h; do row $i $count; done | xargs)" "1 1 1 1 1 1 1 1"

# --- pauses ---

# what the calls retire themselves, also in the C library, is less than a period in all
ev=INST_RETIRED:u:sav=100000 between=$(ticks "BiW20 E")
long=W$((10000000 - between + 20))
text="Bi$long P $long C Bj$long EE"

record -e $ev -- "$prime" "$text"
check "a process's pause: the samples in it are left out of the task around it" within "$(row i $own)" 100 101
check "and counted" within "$(row - $paused)" 100 101
check "the task behind it has its own" equal "$(row j $all $own)" "100 100"

# states CPU: what happened there, with how many samples behind each
states() {
	./print_states itt.vsamp | grep "^$1 "
}

for b in intel kperf perf; do
	# another program is sampled on the other CPU
	rm -f itt.vsamp
	vsamp record -q -b $b --itt-pause=session -e $ev -o itt.vsamp -- \
		bash -c "taskset 1 ./spin & ${script[*]} '$prime' '$text'; kill \$!" 2>said
	report
	for cpu in 0 1; do
		check "$b: a session's pause: CPU $cpu has no sample in it, and has some before and behind" \
			grep -Ex "$cpu start [1-9][0-9]+ pause 0 resume [1-9][0-9]+ stop 0" <(states $cpu)
	done
	check "$b: the task around it has what is outside of it" within "$(row i $own)" 100 101
	check "$b: nothing is to be left out, and nothing is lost" equal \
		"$(row - $paused $lost $balance)" "0 0 0"
	sed 's/^/# /' said
done

record --itt-pause=session --start-paused -e $ev -- "Bk$long E C Bl$long E"
check "--start-paused: nothing is sampled before the first resume" grep -Ex "1 start 0 pause 0 resume 10[01] stop 0" <(states 1)
check "also where nothing runs" grep -Ex "0 start 0 pause 0 resume 0 stop 0" <(states 0)
check "the task behind it has its own" within "$(row l $own)" 100 101
check "--start-paused: nor is any to be left out" equal "$(row - $paused)" 0

# the first program's samples find no room as the recorder doesn't read; the second one's pause waits for it
rm -f itt.vsamp
vsamp record -q -b intel --itt-pause=session --ring-size 16K --pmi-limit 100000 -e INST_RETIRED:u:sav=1001 -o itt.vsamp -- \
	bash -c "kill -STOP \$PPID; ${script[*]} BmW2000000E; kill -CONT \$PPID; ${script[*]} 'P $long C BnW200000E'" 2>said
report
check "where samples are lost, a pause keeps the account" equal "$(($(row - $lost) > 1000)) $(row - $balance)" "1 0"
check "and has no sample" grep -E "pause 0 resume [1-9][0-9]* stop" <(states 1)
tap_end
