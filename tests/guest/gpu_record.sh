#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Recordings of the emulated GPU, by the module and by the kernel's own i915. Its load is a function
# of its timestamp (tests/vm/README.md): 84 clocks a tick of 12 MHz, busy for 0xa000 of 0x10000 ticks.
. ./tap.sh
set -o pipefail

slot=0000:00:02.0

# take FILE OPTION...: record, and know how it ended and what it says of the GPU
take() {
	local file=$1

	rm -f "$file"
	vsamp record -o "$@" 2>said
	status=$?
	gpu=$(vsamp info --json "$file" | jq -c '.end.gpus[0]')
}

of_gpu() {
	jq -r "$1" <<<"$gpu"
}

# up FILE: wait until the recorder that writes it has been reading for a second
up() {
	until [ -s "$1" ]; do
		sleep 0.1
	done
	sleep 1
}

# values FILE METRIC: those of its track, but the zero at the end
values() {
	vsamp export -f chrome -o track.json "$1" >/dev/null 2>&1 &&
		jq -r --arg m "$2" '[.traceEvents[] | select(.ph == "C" and (.name | contains($m)))] | sort_by(.ts) |
			.[:-1][] | .args[]' track.json
}

elapsed() {
	vsamp info --json "$1" | jq '.end.runs[-1].elapsed_ns'
}

# span FILE: from the first report to the last, in ns
span() {
	vsamp export -f chrome -o track.json "$1" >/dev/null 2>&1 &&
		jq '[.traceEvents[] | select(.ph == "C" and (.name | contains("AvgGpuCoreFrequency"))) | .ts] |
			(max - min) * 1000 | round' track.json
}

mean() {
	values "$@" | awk '{ sum += $1; n++ } END { if (n) print sum / n }'
}

# sound NAME FILE SECONDS: what each recording has to be
sound() {
	check "$1: status, lost by the GPU, without room, pieces of its clock" equal \
		"$status $(of_gpu '[.lost, .no_room, .clock_pieces] | join(" ")')" "0 0 0 1"
	check "$1: a report each 2 << 12 ticks of 12 MHz" equal "$(of_gpu .period_ns)" 682667
	span=$(span "$2")
	check "$1: a report each period, from the first to the last" equal "$(of_gpu .reports)" $(((span + 341333) / 682667 + 1))
	check "$1: over most of the time" within "$span" $(($3 * 500000000)) $(($(elapsed "$2") + 100000000))
	check "$1: times to within 10 us" within "$(of_gpu .clock_error_ns)" 1 10000
	check "$1: no sample lost, and produced is written + lost" equal \
		"$(vsamp report --json "$2" | jq -c '[.lost, .complete, .produced - .written - .lost]')" "[0,true,0]"
	check "$1: the clock has 1008 MHz in each interval" equal \
		"$(values "$2" AvgGpuCoreFrequency | awk '{ print ($1 > 1007.9e6 && $1 < 1008.1e6) }' | sort -u)" 1
	check "$1: busy for 62.5 percent of the time" within "$(mean "$2" GpuBusy | cut -d. -f1)" 61 63
}

# --- the module ---

check "without a driver it is said what to do" bash -c '! vsamp record --gpu -- true 2>said && grep -q "vsamp gpu bind" said'
check "it is given to the module" vsamp gpu bind $slot
check "a set that it has not" bash -c '! vsamp record --gpu=NoSuch -- true 2>said && grep -q "has no set NoSuch: it has .*RenderBasic" said'

take module.vsamp -q --gpu -e INST_RETIRED -cal --cal-time 1 -a -d 10
sound "module, 10 s" module.vsamp 10
check "module: samples of the CPU beside it" test "$(vsamp report --json module.vsamp | jq '.events[0].samples')" -gt 100
check "module: by it" equal "$(of_gpu '[.slot, .path, .set] | join(" ")')" "$slot module RenderBasic"

# --- the GPU alone ---

check "the NMI watchdog holds a counter" bash -c 'echo 1 >/proc/sys/kernel/nmi_watchdog && dmesg | grep -q "NMI watchdog: Enabled"'
take alone.vsamp --gpu=$slot:computebasic --gpu-interval 1 -- ./loop
check "the GPU alone: the CPUs are sampled by time" equal "$(vsamp info --json alone.vsamp | jq -r '[.meta.backend, .meta.events[].name] | join(" ")')" "perf cpu-clock"
check "and the watchdog is left alone" equal "$(cat /proc/sys/kernel/nmi_watchdog)" 1
echo 0 >/proc/sys/kernel/nmi_watchdog
check "what it came to is said" grep -qE "^vsamp: GPU $slot: ComputeBasic by module: [0-9]+ reports, one each 0.683 ms, 0 lost; times to within [0-9.]+ us$" said
check "a value each second report, since one is not 1 ms" equal "$(values alone.vsamp AvgGpuCoreFrequency | wc -l)" $(($(of_gpu .reports) / 2))

# --- files that follow each other ---

rm -f part.vsamp*
vsamp record -q --rotate 2 --gpu -e INST_RETIRED:u:sav=1000003 -a -d 5 -o part.vsamp 2>said
check "each of several files has its own part" equal "$(for f in part.vsamp.2*; do
	vsamp info --json "$f" | jq -r '.end.gpus[0] | .lost + .no_room'; done | tr '\n' ' ')" "0 0 0 "
of_all() {
	for f in part.vsamp.2*; do
		vsamp info --json "$f" | jq "$1"
	done | paste -sd+ | bc
}
ran=$(of_all '.end.runs[-1].elapsed_ns')
check "and all reports are in one of them" within "$(of_all '.end.gpus[0].reports')" $((ran * 90 / 100 / 682667)) $((ran * 104 / 100 / 682667))

# --- it goes while it is recorded ---

vsamp record --gpu -a -e INST_RETIRED:u:sav=1000003 -d 4 -o gone.vsamp 2>said & recorder=$!
up gone.vsamp
vsamp gpu unbind $slot
wait $recorder
check "a GPU that goes does not end the recording" equal $? 0
check "that it went is said" grep -q "GPU $slot: its reports ended before the recording did" said
check "and what it told is kept" within "$(vsamp info --json gone.vsamp | jq '.end.gpus[0].reports')" 1 4000

# --- i915 ---

modprobe i915
take i915.vsamp -q --gpu -e INST_RETIRED -cal --cal-time 1 -a -d 3
[ $status -eq 0 ] || sed 's/^/# /' said
sound "i915, 3 s" i915.vsamp 3
vsamp record -q --gpu -a -d 6 -o first.vsamp &
up first.vsamp
check "another one is told, before it does anything" bash -c '! vsamp record --gpu -e INST_RETIRED -cal -o second.vsamp -- touch begun 2>said &&
	grep -q "another program reads" said && ! [ -e begun ] && ! [ -e second.vsamp ]'
wait $!
check "and the first one has not noticed" equal "$(vsamp info --json first.vsamp | jq -c '.end.gpus[0] | [.lost, .no_room, .reports > 1000]')" "[0,0,true]"
check "i915: by it" equal "$(of_gpu .path)" i915
check "i915 still has it" test "$(readlink -f /sys/bus/pci/devices/$slot/driver)" = /sys/bus/pci/drivers/i915
tap_end
