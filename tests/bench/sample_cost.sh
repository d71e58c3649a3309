#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: sample_cost.sh TOOL...
# In a guest with one CPU, where an instruction is a tick: what a sample costs with these tools (vsamp,
# perf) on the same load, and with both what it costs with its stack. Prints "TOOL WHAT VALUE" lines.
set -eu

loops=100000000	# of two instructions each
fence=/sys/module/nmi_fence/parameters
msr_counts=$((0x40000f00))	# the model's: RDMSR, WRMSR, LVTPC writes, RDPMC

accesses() {
	local i sum=0 n
	for i in 0 1 2 3; do
		n=$(dd if=/dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip=$((msr_counts + i)) 2>/dev/null | od -An -td8)
		sum=$((sum + n))
	done
	echo $sum
}

ticks_of() {
	awk '{ print $NF }' "$1"
}

perf_run() {
	perf record -q -o perf.out -e instructions:u -c "$1" ./ticks $loops perf >ticks.out
	samples=$(perf script -i perf.out -F ip 2>/dev/null | wc -l)
}

vsamp_run() {
	vsamp record -q -e "INST_RETIRED:u:sav=$1" --ring-size 4M --pmi-limit 100000 -o vsamp.out -- \
		./ticks $loops vsamp >ticks.out
	samples=$(vsamp report --json vsamp.out | jq '.events[0].samples')
}

# Stacks: of the kernel's and the user's instructions, where system calls are made 8 calls deep
calls=(200000 calls 8)

perf_stacks() {
	perf record -q -g -o perf.out -e instructions -c 20000 ./ticks "${calls[@]}" >ticks.out
	samples=$(perf script -i perf.out -F ip -G 2>/dev/null | wc -l)
}

vsamp_stacks() {
	vsamp record -q -g -e INST_RETIRED:sav=20000 --ring-size 16M --pmi-limit 100000 -o vsamp.out -- \
		./ticks "${calls[@]}" >ticks.out
	samples=$(vsamp report --json vsamp.out | jq '.events[0].samples')
}

# measure_stacks TOOL PLAIN: the better of two runs, against a run that isn't sampled
measure_stacks() {
	local least
	"$1_stacks"
	least=$(ticks_of ticks.out)
	"$1_stacks"
	[ "$(ticks_of ticks.out)" -ge "$least" ] || least=$(ticks_of ticks.out)
	echo "$1 stacks $(per "$least" "$2" "$samples")"
}

# per A B N: (A - B) / N with two decimals
per() {
	awk -v a="$1" -v b="$2" -v n="$3" 'BEGIN { printf "%.2f", (a - b) / n }'
}

# least_ticks TOOL: of this run and two more. Whatever else the machine does meanwhile only adds to them.
least_ticks() {
	local i least ticks
	least=$(ticks_of ticks.out)
	for i in 1 2; do
		"$1_run" 10000
		ticks=$(ticks_of ticks.out)
		[ "$ticks" -ge "$least" ] || least=$ticks
	done
	echo "$least"
}

# measure TOOL: two runs; what a run costs by itself is not in their difference
measure() {
	local before between after fewer fewer_bytes bytes
	before=$(accesses)
	"$1_run" 20000
	between=$(accesses)
	fewer=$samples
	fewer_bytes=$(stat -c %s "$1.out")
	"$1_run" 10000
	after=$(accesses)
	bytes=$(stat -c %s "$1.out")
	echo "$1 instructions $(per "$(least_ticks "$1")" "$plain" "$samples")"
	echo "$1 accesses $(per $((after - between)) $((between - before)) $((samples - fewer)))"
	echo "$1 bytes $(per "$bytes" "$fewer_bytes" $((samples - fewer)))"
}

# between_fences: instructions an NMI, with vsamp's handler between the fences, or an empty one
between_fences() {
	insmod ./nmi_fence.ko
	if [ "$1" = empty ]; then
		echo 1 >$fence/empty
		echo 1 >$fence/near
	fi
	vsamp record -q -e INST_RETIRED:u:sav=10000 --ring-size 4M --pmi-limit 100000 -o vsamp.out -- \
		sh -c "echo 1 >$fence/near; exec ./ticks $loops fence" >/dev/null
	per "$(cat $fence/ticks)" 0 "$(cat $fence/nmis)"
	rmmod nmi_fence
}

modprobe -q msr || true
# this one first: it can't be written once perf's own limit is off
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
sleep 2	# what the kernel does after boot
./ticks $loops plain >ticks.out
plain=$(ticks_of ticks.out)
for tool; do
	measure "$tool"
done
./ticks "${calls[@]}" >ticks.out
plain=$(ticks_of ticks.out)
measure_stacks perf "$plain"
measure_stacks vsamp "$plain"
echo "vsamp handler $(per "$(between_fences vsamp)" "$(between_fences empty)" 1)"
