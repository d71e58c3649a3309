#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2086 # lists of options
# What is launched, counted and recorded in which order; what programs, and Ctrl-C, may do to it.
. ./tap.sh
. ./calibrate_tools.sh
set -o pipefail

# ref-cycles are counted by one counter only, so these are three sets
three=ref-cycles:u,ref-cycles:k,ref-cycles
# explicit values: nothing to calibrate
given=ref-cycles:u:sav=1000003,ref-cycles:k:sav=100003,ref-cycles:sav=1000003
short="-i 0.2 -d 0.2"

# launched NAME LAUNCHES RUNS OPTION...: the order of launches, by the log, and of runs, as announced
launched() {
	local name=$1 expected=$2 runs=$3

	shift 3
	rm -f log order.vsamp
	vsamp record -v -o order.vsamp $short "$@" -- ./launchlog log 0 2>order.txt
	check "$name: status 0" equal $? 0
	check "$name: launches, one after the other" equal "$(order log)" "$(launches "$expected" term)"
	check "$name: runs" equal "$(runs order.txt)" "$runs"
	check "$name: one file holds all, whole" equal "$(field order.vsamp '.complete, .lost, .produced - .written - .lost')" "true 0 0"
}

# silent N: N calibration runs are told of, and none produced a record
silent() {
	equal "$(sed -nE 's/.*calibration run [0-9]+: produced ([0-9]+) records.*/\1/p' order.txt | paste -sd' ')" \
		"$(for ((i = 0; i < $1; i++)); do echo 0; done | paste -sd' ')"
}

launched "1 set" 1 "r1/1" -e INST_RETIRED:u
launched "1 set, calibrated" 2 "c1/2 r2/2" -cal -e INST_RETIRED:u
check "1 set, calibrated: the calibration run produced no record" silent 1
check "1 set, calibrated: its samples are of the second launch" within "$(./stream order.vsamp | sed 's/.*first \([0-9]*\) .*/\1/')" \
	"$(awk '$2 == "term" { print $3; exit }' log)" "$(awk '$2 == "term" { t = $3 } END { print t }' log)"
launched "3 sets" 3 "r1/3 r2/3 r3/3" -e $three
launched "3 sets, calibration off" 3 "r1/3 r2/3 r3/3" -cal no -e $three
launched "3 sets, calibrated" 6 "c1/6 r2/6 c3/6 r4/6 c5/6 r6/6" -cal -e $three
check "3 sets, calibrated: the calibration runs produced no record" silent 3

# within_launches: of each set, all samples lie behind the end of its calibration launch and before
# the end of its own; launches 1, 3, 5 calibrate
within_launches() {
	awk 'FILENAME == "log" { if ($2 == "term") end[++n] = $3; next }
	     { set++; if ($9 <= end[2 * set - 1] || $11 >= end[2 * set] + 10000000) { print; bad = 1 } }
	     END { exit bad || n != 6 || set != 3 }' log <(./stream order.vsamp)
}
check "3 sets, calibrated: each sample is of its set's second launch" within_launches
check "3 sets: each event is in its own" equal "$(vsamp info --json order.vsamp | jq -c '[.meta.events[].set]')" "[0,1,2]"
# 200 ms / 0.2 ms
check "3 sets, calibrated: user cycles within 2 % of 1000" near "$(field order.vsamp '.events[0].samples')" 1000 2
check "3 sets, calibrated: all cycles within 2 % of 1000" near "$(field order.vsamp '.events[2].samples')" 1000 2
check "3 sets, calibrated: each was counted for 200 ms" all_near "$(vsamp info --json order.vsamp | jq '.end.runs[].elapsed_ns')" 200000000 5
check "the report tells of all three" lines <(vsamp report order.vsamp) ref-cycles 'target *1000|1000'

launched "3 sets, the first calibrated" 4 "c1/4 r2/4 r3/4 r4/4" -cal -e ref-cycles:u,${given#*,}
launched "3 sets, the second calibrated" 4 "r1/4 c2/4 r3/4 r4/4" -cal \
	-e ref-cycles:u:sav=1000003,ref-cycles:k,ref-cycles:sav=1000003
launched "3 sets, the last calibrated" 4 "r1/4 r2/4 c3/4 r4/4" -cal -e ${given%,*},ref-cycles
check "3 sets, the last calibrated: the others keep what was given" equal \
	"$(field order.vsamp '.events[].sav_source')" "explicit explicit calibrated"
check "and that is said" lines order.txt '1000003.*given|given.*1000003'
launched "3 sets, none to calibrate" 3 "r1/3 r2/3 r3/3" -cal -e $given
# by property: ref-cycles aren't, unless a file says so
launched "3 sets, none by property" 3 "r1/3 r2/3 r3/3" --cal=event -e $three
printf '[CPU_CLK_UNHALTED.REF_TSC:k]\ncalibrate = yes\n' >k.conf
launched "3 sets, one by property" 4 "r1/4 c2/4 r3/4 r4/4" --cal=event --event-config k.conf -e $three
check "3 sets, one by property: the calibration run produced no record" silent 1

# 12 events that only the 8 general counters count
twelve=$(for e in branches branch-misses LLC-references LLC-misses; do echo $e:u,$e:k,$e; done | paste -sd,)
launched "12 events on 8 counters, calibrated: two sets" 4 "c1/4 r2/4 c3/4 r4/4" -cal -e $twelve
# Two of them are calibrated, the first and the last: they can be in one set
fixed=$(sed -E 's/,/:sav=100003,/2g; s/^([^,]*),/\1,/' <<<"$twelve")
launched "of those two, the first and the last: one calibration run" 3 "c1/3 r2/3 r3/3" -cal -e "$fixed"
check "both of them are calibrated" equal "$(field order.vsamp '[.events[] | select(.sav_source == "calibrated") | .name] | length')" 2

# --- without launches: the same order, by what is said ---

taskset 1 ./launchlog load 0 & spin=$!
vsamp record -v -a -cal $short -e $three -o machine.vsamp 2>order.txt
check "the machine, 3 sets, calibrated: runs" equal "$(runs order.txt)" "c1/6 r2/6 c3/6 r4/6 c5/6 r6/6"
check "the machine: the calibration runs produced no record" silent 3
check "the machine: 2 CPUs' 1000 user cycles" near "$(field machine.vsamp '.events[0].samples')" 2000 2
vsamp record -a -cal $short -e $given -o machine.vsamp 2>order.txt
check "the machine, 3 sets, none to calibrate: runs" equal "$(runs order.txt)" "r1/3 r2/3 r3/3"
timeout 20 vsamp record -a -e $three -o endless.vsamp 2>order.txt
check "the machine, 3 sets, no duration: refused" test $? -eq 2 -o $? -eq 1
check "with the remedy" lines order.txt duration --mux
check "and nothing is made" gone endless.vsamp
kill $spin
wait $spin 2>/dev/null

# --- programs that don't behave ---

rm -f log
vsamp record -q -cal $short -e INST_RETIRED:u -o deaf.vsamp -- ./launchlog log 0 deaf children
# each launch forks two
check "deaf to SIGTERM, with children: they are killed before the next launch" equal "$(order log)" \
	"1 start 1 child 1 child 2 start 2 child 2 child"
check "and nothing of them is left" equal "$(running launchlog)" 0
check "the file has its 200 ms" near "$(field deaf.vsamp .elapsed_ns)" 200000000 5
rm -f log
vsamp record -cal -i 0.2 -d 3 -e INST_RETIRED:u -o fast.vsamp -- ./launchlog log 200000000 2>order.txt
check "it ends before the duration, twice" equal "$(order log)" "$(launches 2 end)"
check "before the duration: 200 ms / 0.2 ms" near "$(field fast.vsamp '.events[0].samples')" 1000 2
rm -f log
vsamp record -cal -i 0.2 -e $three -o ends.vsamp -- ./launchlog log 200000000 2>order.txt
check "3 sets of a program that ends by itself" equal "$(order log)" "$(launches 6 end)"
check "3 sets of a program that ends by itself: user cycles" near "$(field ends.vsamp '.events[0].samples')" 1000 2
vsamp record -q -cal -e $three -o status.vsamp -- bash -c 'exit 7'
check "its status is passed on" equal $? 7
rm -f fail.vsamp
vsamp record -cal -e $three -o fail.vsamp -- no-such-program 2>order.txt
check "a program that isn't there: 127" equal $? 127
check "a program that isn't there: named" lines order.txt no-such-program
touch plain-file
vsamp record -cal -e $three -o fail.vsamp -- ./plain-file 2>order.txt
check "a program that can't be executed: 126" equal $? 126
check "programs that fail to start: no file" gone fail.vsamp
printf '#!/bin/bash\nrm "$0"\n' >once && chmod +x once
vsamp record -cal -e INST_RETIRED:u -o fail.vsamp -- ./once 2>order.txt
check "a program that is gone at its second launch: 127" equal $? 127
check "a program that is gone at its second launch: no file" gone fail.vsamp

# --- numbers that nothing can be worked out of ---

# umask 1 of event 10 counts nothing here
vsamp record -cal $short -e r0110:u,INST_RETIRED:u -o zero.vsamp -- ./launchlog log 0 2>order.txt
check "an event that never comes: status 0" equal $? 0
check "its default value is kept, the other is calibrated" equal "$(field zero.vsamp '.events[].sav_source')" "default calibrated"
check "and it is said why" lines order.txt 'r0110.*no event.*default'
check "the report says so, too" lines <(vsamp report zero.vsamp) 'no event'
check "an event that never comes takes no sample" equal "$(field zero.vsamp '.events[0].samples')" 0
# 100 000 000 instructions, each 1000th a miss, in 100 ms: a sample each 100 events
vsamp record -cal -i 0.1 -e LLC-misses:u -o floor.vsamp -- ./launchlog log 100000000 2>order.txt
check "the floor: said" lines order.txt 'LLC-misses.*floor'
check "the floor: 1000" within "$(field floor.vsamp '.events[0].sav')" 1000 1001
check "the floor: 100 samples, not 1000" within "$(field floor.vsamp '.events[0].samples')" 99 101
check "the floor: the target stays what was asked" near "$(field floor.vsamp '.events[0].target')" 1000 3
check "the floor: by what and why it is missed" lines <(vsamp report floor.vsamp) '-90\.[0-9]|-89\.[0-9]' floor
# 300 events for a target of 1000 and more
vsamp record -cal -i 0.001 -e LLC-misses:u -o below.vsamp -- ./launchlog log 300000 2>order.txt
check "fewer events than the target: status 0" equal $? 0
check "fewer events than the target: the floor, said" lines order.txt 'LLC-misses.*floor'
check "fewer events than the target: no sample" equal "$(field below.vsamp '.events[0] | .sav, .samples')" "1001 0"

# Of 3 branches one is no mispredicted one; then each of 1 000 000 000 is one in 50
printf '[BR_MISP_RETIRED.ALL_BRANCHES]\nsav = 3\n' >storm.conf
rm -f marker
vsamp record -cal --force --event-config storm.conf -i 1 -d 0.3 -e branch-misses:u -o storm.vsamp -- ./storm marker 2>order.txt
check "quiet while calibrating, a storm then: status 0" equal $? 0
check "the value is the file's, and it is said why" lines order.txt 'branch-misses.*no event.*3'
check "sampling was held back, and that is said" lines order.txt 'held back [0-9]+ times'
check "there is a good file" equal "$(field storm.vsamp '.complete, .produced - .written - .lost')" "true 0"
check "with samples of the storm" within "$(field storm.vsamp '.events[0].samples')" 1000 6666666
check "the report says that it was held back" lines <(vsamp report storm.vsamp 2>&1) 'held back|throttled'

# --- Ctrl-C ---

# interrupted N OPTION...: Ctrl-C in the N-th launch; $status is what came of it
interrupted() {
	local n=$1 rec

	shift
	rm -f log int.vsamp
	vsamp record "$@" -o int.vsamp -- ./launchlog log 0 2>order.txt & rec=$!
	await log "$n"
	sleep 0.1
	kill -INT $rec
	wait $rec
	status=$?
}

interrupted 1 -cal -i 1 -d 0.4 -e $three
check "Ctrl-C while it calibrates the first set: 130" equal $status 130
check "and no file" gone int.vsamp
check "nor a program left" equal "$(running launchlog)" 0
interrupted 3 -cal -i 0.4 -d 0.4 -e $three
check "Ctrl-C while it calibrates the second set: 130" equal $status 130
# the shell that waits takes its part of the time
check "the first set is kept" near "$(field int.vsamp '.events[0].samples')" 1000 5
check "the first set is kept, the others have no sample" equal "$(field int.vsamp '.complete, .events[1:][].samples')" "true 0 0"
check "and that they are missing is said" lines order.txt '1 of 3 sets'
check "and said by the report" lines <(vsamp report int.vsamp 2>&1) 'missing|not recorded|not collected|no samples'
interrupted 2 -i 0.4 -cal -d 0.4 -e $three
check "Ctrl-C while it records the first set: the file has what there is" within "$(field int.vsamp '.events[0].samples')" 100 990
check "and it is whole, the others have no sample" equal "$(field int.vsamp '.complete, .events[1:][].samples')" "true 0 0"
check "that they are missing is said" lines order.txt '2 of 3 sets.*not recorded'
check "and nothing is launched any more" equal "$(grep -c start log)" 2
interrupted 2 -d 0.4 -e $three
check "Ctrl-C while it records the second of 3 sets: both are there" equal \
	"$(field int.vsamp '.complete, .events[0].samples > 0, .events[2].samples')" "true true 0"

tap_end
