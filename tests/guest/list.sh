#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2086,SC2154 # no word here has spaces; what read_summary reads
#
# usage: list.sh KIND
#
# What vsamp does, on every kind of guest: pmu, pmu-hv, nopmu, arm64; with any kernel and any number
# of CPUs. ./loop retires exactly 200 000 000 user instructions, which take 0.2 s.
. ./tap.sh
set -o pipefail

# What differs. best: the backend that doctor and record choose; worse: others that can, too.
# 200 000 000 = 2000 * 99 991 + 18 000, so a sample more or less is none that was only near.
# wall: the event goes on while other CPUs have their turns in the emulation.
kind=$1 cpus=$(nproc) doctor=0 event=INST_RETIRED:u sav=99991 samples=2000 wall=''
case $kind in
pmu) best=intel worse='kperf perf' default_samples=100 ;;
pmu-hv) best=kperf worse='intel perf' default_samples=100 ;;
nopmu) best=perf worse='' default_samples=200 doctor=17 event=cpu-clock sav=1000000 samples=200 wall=1 ;;
# QEMU 7.2 doesn't set its timer anew after an overflow of INST_RETIRED: instructions are only counted
arm64) best=kperf worse=perf default_samples=100 event=cycles:u wall=1 ;;
*) echo "unknown kind of guest $kind: pmu, pmu-hv, nopmu or arm64" && exit 2 ;;
esac
count=200000000 below=0 above=0 count_above=0
if [ $kind = nopmu ]; then
	# of the program: also its start and end
	below=2 above=10 count_above=10000000
elif [ $wall ] && [ "$cpus" -gt 1 ]; then
	below=2 above=40 count_above=4000000
elif [ $kind = arm64 ]; then
	# the interrupt comes when the kernel lets it; perf loses what is due as it switches to another task
	below=2 above=2
fi
low=$((samples - below))
# The recorder is in recordings of CPUs, too: it has turns in the program's time, and with each of them a
# period that one of them began may end in the other
turns=2
# what perf calls the event; and one that calibration counts, where this one's frequency must be known
perf_event=${event/INST_RETIRED/instructions} counted_event=${event/cycles/r11}
# else arm64's perf finds that its interrupts take too long, since other CPUs have turns meanwhile
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
cpu_dir=/sys/devices/system/cpu
for i in before new alone again $(seq -f loop%.0f 0 $((cpus - 1))); do
	ln loop "$i"
done

# skip NAME REASON
skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# take FILE OPTION... [-- COMMAND...]: record, and know how it ended
take() {
	file=$1
	rm -f "$file"
	vsamp record -q -o "$@" 2>said
	status=$?
}

# read_summary [COMM]: of the file that was taken; the samples of one program, if one is named
read_summary() {
	report=$(vsamp report --json "$file")
	read -r taken total counted lost complete balance < <(jq -r --arg c "${1:-}" \
		'[([.rows[] | select($c == "" or .comm == $c) | .samples[0]] | add // 0), .events[0].samples,
		.events[0].count, .lost, .complete, .produced - .written - .lost] | join(" ")' <<<"$report")
}

# sound NAME STATUS: the command's status is passed on, the file is whole, and no record is amiss
sound() {
	check "$1: status, lost, complete, produced - written - lost" equal "$status $lost $complete $balance" "$2 0 true 0"
	[ "$status $lost $complete $balance" = "$2 0 true 0" ] || sed 's/^/# /' said
}

# refused NAME STATUS TEXT COMMAND...
refused() {
	local name=$1 expected=$2 text=$3 out status=0

	shift 3
	out=$("$@" 2>&1) || status=$?
	[[ $out == *"$text"* ]] && out=said
	check "$name" equal "$status $out" "$expected said"
}

# online CPU 0|1
online() {
	echo "$2" 2>/dev/null >$cpu_dir/cpu"$1"/online
}

# --- the module ---

check "the module is loaded" test -c /dev/vsamp
exec 3<>/dev/vsamp
check "rmmod is refused while a session is open" bash -c '! rmmod vsamp 2>rmmod.err && grep -q "in use" rmmod.err'
exec 3>&-
check "and works after" rmmod vsamp
check "then there is no device" test ! -e /dev/vsamp
for i in 1 2 3; do
	insmod /vm/vsamp.ko && rmmod vsamp || echo failed
done >loads 2>&1
check "it is loaded and unloaded again and again" test ! -s loads
check "and stays loaded" insmod /vm/vsamp.ko

# --- what is chosen ---

vsamp doctor --json >doctor.json
check "doctor's verdict" equal $? $doctor
check "doctor's choice" equal "$(jq -r .choice.backend doctor.json)" $best
take default.vsamp -- ./loop
read_summary
sound "as doctor says, without -e" 0
check "that is the backend which is used" equal "$(vsamp info --json default.vsamp | jq -r .meta.backend)" $best
check "a sample each 2 000 003 cycles, or 1 ms" within "$total" $default_samples $((default_samples + 15))
refused "a backend of that name" 2 "nosuch" vsamp record -b nosuch -- true

# --- a program of known length ---

for b in $best $worse; do
	# perf lets bash and its child go on with each other's periods where one follows the other on a CPU
	[ $b = perf ] && [ $below -eq 0 ] && least=$((low - 1)) || least=$low
	take one.vsamp -b "$b" -e $event:sav=$sav -- bash -c './loop; exit 7'
	read_summary loop
	sound "$b" 7
	check "$b: samples of the program" within "$taken" $least $((samples + above))
	[ $kind = nopmu ] || check "$b: events of bash and the program" within "$counted" $count $((count + 15000000))
	vsamp stat -b "$b" --json -e $event -- ./loop >stat.json
	check "$b: stat: events of the program" within "$(jq '.events[0].count' stat.json)" $count $((count + count_above))
done
check "report: rows and symbols add up to the samples" jq -e \
	'([.rows[].samples[0]] | add) == .events[0].samples and ([.symbols[].samples[0]] | add) == .events[0].samples' <<<"$report"
check "report: all of the program's are in its function" within \
	"$(jq '[.symbols[] | select(.symbol == "loop") | .samples[0]] | add' <<<"$report")" $least $((samples + above))
check "report as text has it" bash -c 'vsamp report one.vsamp | grep -q "loop.*loop"'

# --- others' samples, and none of them ---

command=''
for i in $(seq 0 $((cpus - 1))); do
	command+="taskset -c $i ./loop$i & "
done
take all.vsamp -a -e $event:sav=$sav -- bash -c "$command wait"
read_summary
sound "-a" 0
# all at once, each has as much time as the emulation takes for all of them and for the recorder, which is
# that of the recording: an event is a nanosecond
[ $wall ] && high=$(($(vsamp info --json all.vsamp | jq '.end.runs[-1].elapsed_ns') / sav + above)) ||
	high=$((samples + turns))
for i in $(seq 0 $((cpus - 1))); do
	check "-a: the program on CPU $i" within \
		"$(jq --arg c "loop$i" '[.rows[] | select(.comm == $c) | .samples[0]] | add' <<<"$report")" $((low - turns)) $high
done
check "-a: and the others" within "$(jq '[.rows[].comm] | unique | length' <<<"$report")" $((cpus + 1)) 1000

# shellcheck disable=SC2016 # for that shell
bash -c 'kill -STOP $$; exec ./loop0' & pid=$!
(sleep 2; kill -CONT $pid) &
take p.vsamp -p $pid -e $event:sav=$sav
read_summary loop0
sound "-p" 0
check "-p: samples of the program" within "$taken" $low $((samples + above))
check "-p: and of no other" equal "$(jq '[.processes[].pid] | unique' -c <<<"$report")" "[$pid]"

# --- calibration ---

# one each 1 ms, of 0.2 s
take cal.vsamp -cal -i 1 -e $counted_event -- ./loop
read_summary
sound "-cal" 0
check "-cal: a sample each ms" within "$total" 196 $((204 + above))
# 200 000 000 in 0.2 s, or 1 ns each
value=$(vsamp calibrate -i 1 -e $counted_event -- ./loop 2>/dev/null | sed -nE 's/^sav = //p')
check "calibrate: the Sample-After value" within "$value" 970000 1030000

# --- perf at the same time ---

both=$best
[ $kind != pmu ] || both=kperf
take both.vsamp -b $both -e $event:sav=$sav -- perf record -q -e $perf_event -c $sav -o both.data ./loop
read_summary loop
sound "$both beside perf record" 0
check "$both beside perf record: its samples" within "$taken" $low $((samples + above))
check "$both beside perf record: perf's samples" within \
	"$(perf report -i both.data --stats 2>/dev/null | sed -nE '0,/ SAMPLE events: +/s/.* SAMPLE events: +([0-9]+).*/\1/p')" $low $((samples + above))
if [ $kind = pmu ]; then
	refused "intel beside perf is refused, and says of whom" 1 "perf (pid" \
		perf stat -e instructions:u vsamp record -q -b intel -e $event -- true
fi

# --- CPUs that go and come ---

# after which one that has come is sampled: the backend perf looks once a second
moment() {
	[ "$1" = perf ] && echo 2.2 || echo 0.1
}

# ran COMM WHAT: samples of a program in a recording of CPUs
ran() {
	check "$2" within "$(jq --arg c "$1" '[.rows[] | select(.comm == $c) | .samples[0]] | add // 0' <<<"$report")" \
		$((low - turns)) $((samples + above + turns))
}

hotplug=$best
[ $kind = nopmu ] || hotplug="$best perf"
[ $kind != pmu ] || hotplug="intel kperf perf"
last=$((cpus - 1))
if [ "$cpus" -eq 1 ]; then
	check "the only CPU stays" bash -c "! { echo 0 >$cpu_dir/cpu0/online; } 2>/dev/null"
	skip "CPUs that go and come" "there is one"
else
	# CPU 1 comes during the recording, all but CPU 0 go, and come again
	go='' come=''
	for i in $(seq 1 $last); do
		go+="echo 0 >$cpu_dir/cpu$i/online; "
		come+="echo 1 >$cpu_dir/cpu$i/online; "
	done
	online 1 0
	ids=0-$last
	[ "$cpus" -gt 2 ] && ids=0,2-$last || ids=0
	check "ids of CPUs have a hole" equal "$(cat $cpu_dir/online)" "$ids"
	refused "a CPU that is offline can't be asked for" 1 "CPU 1 is not online" vsamp record -C 0-1 -e $event -- true
	for b in $hotplug; do
		m=$(moment "$b")
		online 1 0
		take hot.vsamp -a -b "$b" -e $event:sav=$sav -- bash -c "
			taskset -c $((last > 1 ? last : 0)) ./before
			echo 1 >$cpu_dir/cpu1/online; sleep $m; taskset -c 1 ./new
			$go sleep 0.1; ./alone
			$come sleep $m; taskset -c $last ./again"
		read_summary
		sound "$b: CPUs go and come" 0
		ran before "$b: samples, with ids that have a hole"
		ran new "$b: on a CPU that comes"
		ran alone "$b: on the one that stays"
		ran again "$b: on one that comes back"
	done
	if ! online 0 0; then
		skip "CPU 0 goes and comes" "this kernel keeps it"
	else
		online 0 1
		m=$(moment $best)
		take zero.vsamp -a -e $event:sav=$sav -- bash -c "
			taskset -c 0 ./before
			echo 0 >$cpu_dir/cpu0/online; sleep 0.1; ./alone
			echo 1 >$cpu_dir/cpu0/online; sleep $m; taskset -c 0 ./again"
		read_summary
		sound "CPU 0 goes and comes" 0
		ran before "CPU 0: samples before it goes"
		ran alone "CPU 0: on another when it is gone"
		ran again "CPU 0: when it is back"
	fi
fi

# --- refusals ---

case $kind in
nopmu)
	for c in record stat; do
		refused "$c: a hardware event, and what can be had" 1 "INST_RETIRED: this machine has no performance counters that can be used; -e cpu-clock samples by time" \
			vsamp $c -e INST_RETIRED -- true
	done
	refused "-b intel" 1 "-b intel: the processor offers no performance counters (CPUID leaf 0AH: version 0)" vsamp record -b intel -e INST_RETIRED -- true
	refused "-b kperf" 1 "-b kperf: the kernel has no driver for hardware counters here" vsamp record -b kperf -e INST_RETIRED -- true
	;;
arm64) refused "-b intel" 1 "-b intel: the processor is not Intel's" vsamp record -b intel -e INST_RETIRED -- true ;;
*) refused "-b intel: time" 1 "-b intel: no counter counts cpu-clock, which is time" vsamp record -b intel -e cpu-clock -- true ;;
esac
refused "an event that isn't one" 2 "nosuch" vsamp record -e nosuch -- true
refused "a Sample-After value below the floor" 1 "1000" vsamp record -e $event:sav=10 -- true
refused "a process that isn't there" 1 "999999" vsamp record -p 999999 -e $event
refused "a CPU that isn't there" 1 "CPU 77 is not online" vsamp record -C 77 -e $event -- true
[ $kind = pmu ] || refused "--mux without intel" 1 "--mux is of the intel backend" vsamp record --mux 4 -e $event -- true
refused "an option that isn't one" 2 "--nosuch" vsamp record --nosuch
refused "a command that isn't there" 127 "no-such-command" vsamp record -e $event -- no-such-command

tap_end
