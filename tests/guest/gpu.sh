#!/bin/bash
# SPDX-License-Identifier: MIT
# Reports of the emulated GPU, through the module and through the kernel's own i915: what
# tests/vm/README.md tells of the load is in them, exactly, whoever reads them.
. ./tap.sh
set -o pipefail

gpu=0000:00:02.0
start=$1 # of the GPU's timestamp
pci=/sys/bus/pci/drivers

# reports MS PERIOD_NS SET [COMMAND]: what gpu_reports says; it leaves the set's metrics in SET
reports() {
	./gpu_reports $gpu "$3" "$1" "$2" "$start" "$3" "${@:4}" | tee reports.out
}

# of FIELD: of what gpu_reports said last
of() {
	grep -oP "(^| )$1 \K-?[0-9]+" reports.out
}

# good NAME LEAST: at least so many reports, none wrong, missing or irregular, each at its time
good() {
	check "$1: reports" within "$(of reports)" "$2" 65536
	check "$1: none is lost, each interval is the timer's, each holds what the load makes" equal \
		"$(grep -o 'lost .* wrong [0-9]*' reports.out)" "lost 0 unaccounted 0 no-room 0 spacing 0 wrong 0"
	check "$1: times are off by less than 10 us" within "$(of off)" 0 9999
	check "$1: and within the bound that is told" within "$(of off)" 0 "$(of bound)"
	check "$1: the clock went on" equal "$(of pieces)" 1
	check "$1: metrics depend on the load alone" equal "$(of differ)" 0
}

# until_wrap SECONDS: sleep until so long before the timestamp's 32 bits wrap
until_wrap() {
	local hz=12000000 now

	now=$(cut -d. -f1 /proc/uptime)
	sleep $(((2 ** 32 - (start + now * hz) % 2 ** 32) / hz - $1))
}

# all_sets NAME: every set's metrics, in a folder of that name
all_sets() {
	mkdir "$1"
	for set in $sets; do
		reports 300 1000000 "$set"
		good "$1: $set" 400
		mv "$set" "$1"
	done
	reports 300 100000 TestOa
	good "$1: ten times as fast" 3400
	./gpu $gpu RenderBasic 2 >"$1.example"
	check "$1: docs/examples/gpu.c sees 1 to 2 s of reports" within "$(awk 'NR == 1 { print $1 }' "$1.example")" 1400 3000
	check "$1: docs/examples/gpu.c misses none" grep -q ' reports, 0 lost by the GPU, 0 without room' "$1.example"
}

# overflow NAME: the GPU says that it lost something
overflow() {
	./igpu fault 3
	reports 700 1000000 TestOa
	./igpu fault 0
	check "$1: overflows lose reports" within "$(of lost)" 1 65536
	check "$1: overflows: each period has its report, or is counted as lost" equal "$(of unaccounted)" 0
	check "$1: overflows: what is there is right" equal "$(of wrong)" 0
	./igpu fault 4
	dropped=$(($(./igpu dropped)))
	reports 700 500000 TestOa
	./igpu fault 0
	dropped=$(($(./igpu dropped) - dropped))
	check "$1: the GPU drops some" within $dropped 5 1000
	check "$1: as many as it dropped are told" within "$(of lost)" $((dropped - 1)) $dropped
	check "$1: and each period is accounted for" equal "$(of unaccounted)" 0
}

# recording NAME FILTER: what jq finds in the report of a recording
recording() {
	vsamp report --gpu --json "$1.vsamp" | jq -r "$2"
}

# recorded NAME: the GPU beside the CPUs in one file. 84 clocks a tick of 12 MHz; 40960 of 65536 ticks are busy.
recorded() {
	vsamp record -q -a --gpu=RenderBasic -e INST_RETIRED:u:sav=100000 -o "$1.vsamp" -- bash -c './loop; sleep 2'
	check "$1, recorded: by whom" equal "$(recording "$1" '.gpus[0].recorded.path')" "$1"
	check "$1, recorded: reports" within "$(recording "$1" '.gpus[0].recorded.reports')" 2900 10000
	check "$1, recorded: nothing is lost" equal \
		"$(recording "$1" '[.lost, .gpus[0].recorded.lost, .gpus[0].recorded.no_room] | @csv')" 0,0,0
	check "$1, recorded: times are known" within "$(recording "$1" '.gpus[0].recorded.clock_error_ns')" 0 9999
	check "$1, recorded: the clock, in MHz" equal \
		"$(recording "$1" '.gpus[0].metrics[] | select(.name == "AvgGpuCoreFrequency") | [.min, .max] | map(. / 1000000 | round) | @csv')" 1008,1008
	check "$1, recorded: 62.5 percent are busy" within \
		"$(recording "$1" '.gpus[0].metrics[] | select(.name == "GpuBusy") | .mean * 100 | round')" 6200 6300
	check "$1, recorded: 2000 samples of the CPUs" within \
		"$(vsamp report --json "$1.vsamp" | jq '[.symbols[] | select(.module | endswith("loop")) | .samples[0]] | add')" 1999 2001
}

# passed LINE: of held.out
passed() {
	[ "${1%% *}" = ok ] || { cat held.out; return 1; }
}

# --- through the module ---

check "no driver has it" test ! -e /sys/bus/pci/devices/$gpu/driver
before=$(./igpu hash)
check "it is bound" vsamp gpu bind $gpu
sets=$(vsamp gpu list --json | jq -r '.gpus[0].sets[].name')
check "there are sets" grep -qx RenderBasic <<<"$sets"
all_sets module

vsamp record -q -a -e INST_RETIRED:u:sav=100000 -o cpu.vsamp -- bash -c '
	for i in 1 2 3 4 5; do ./loop; sleep 1.5; done &
	"$@" | tee reports.out
	wait' sh ./gpu_reports $gpu RenderBasic 10000 1000000 "$start" beside
check "both at once: the CPUs' samples are recorded" equal $? 0
good "both at once, 10 s" 14000
check "both at once: no sample is lost" equal "$(vsamp report --json cpu.vsamp | jq .lost)" 0
check "both at once: 5 runs of 200 000 000 instructions make 10000 samples" within "$(vsamp report --json cpu.vsamp |
	jq '[.symbols[] | select(.module | endswith("loop")) | .samples[0]] | add')" 9995 10005
recorded module
overflow module
until_wrap 5
reports 10000 1000000 ComputeBasic
good "module, over a wrap" 14000
check "module: the timestamp wraps meanwhile" equal "$(of wraps)" 1
./gpu $gpu RenderBasic 60 >/dev/null &
pid=$!
sleep 0.5
check "registers are written while it streams" test "$(./igpu hash)" != "$before"
kill -KILL $pid
wait $pid
check "killed while it streams: the registers are as before" equal "$(./igpu hash)" "$before"
check "then the module goes" rmmod vsamp
check "without the module the registers are as before" equal "$(./igpu hash)" "$before"
check "the module comes again, and has the GPU that it was named for" bash -c "insmod /vm/vsamp.ko && test -e $pci/vsamp_oa/$gpu"
check "it is unbound" vsamp gpu unbind $gpu
check "no access found it asleep" equal "$(./igpu asleep)" 0
check "its registers are as before" equal "$(./igpu hash)" "$before"

# --- through i915 ---

modprobe i915
check "i915 binds" test "$(readlink -f /sys/bus/pci/devices/$gpu/driver)" = $pci/i915
all_sets i915
for set in $sets; do
	check "$set: through i915 and the module metrics are the same, to the last bit" diff i915/"$set" module/"$set"
done
recorded i915
overflow i915

# held: nothing that the module or the command does reaches a GPU that i915 has
cat >held.sh <<'E_HELD'
. ./tap.sh
refused() {
	local said

	said=$("$@" 2>&1) && return 1
	grep -q 'i915 has it' <<<"$said" || { echo "$said"; return 1; }
}
writes=$(./igpu writes)
check "held by i915: bind is refused" refused vsamp gpu bind 0000:00:02.0
echo vsamp_oa >/sys/bus/pci/devices/0000:00:02.0/driver_override
check "held by i915: the kernel refuses it, too" bash -c '! echo 0000:00:02.0 >/sys/bus/pci/drivers/vsamp_oa/bind'
check "held by i915: the module goes" rmmod vsamp
check "held by i915: the module comes" insmod /vm/vsamp.ko
echo >/sys/bus/pci/devices/0000:00:02.0/driver_override
check "held by i915: i915 has it still" test "$(readlink -f /sys/bus/pci/devices/0000:00:02.0/driver)" = /sys/bus/pci/drivers/i915
check "held by i915: nothing was written to it" equal "$(./igpu writes)" "$writes"
tap_end
E_HELD
reports 2000 1000000 RenderBasic 'bash held.sh >held.out'
while read -r line; do
	check "${line#* - }" passed "$line"
done < <(grep -E '^(not )?ok ' held.out)
check "held by i915: all that was tried" equal "$(tail -n 1 held.out)" 1..6
good "i915, while the module comes and goes" 2500
until_wrap 5
reports 10000 1000000 ComputeBasic
good "i915, over a wrap" 14000
check "i915: the timestamp wraps meanwhile" equal "$(of wraps)" 1
check "no report was written where none was to be" equal "$(./igpu dma-errors)" 0
tap_end
