#!/bin/bash
# SPDX-License-Identifier: MIT
# In a guest with one CPU, where an instruction is a tick: what a sample costs, with vsamp and with
# perf, on the same load. Prints "TOOL WHAT VALUE" lines.
set -eu

loops=100000000	# of two instructions each
near=/sys/module/nmi_fence/parameters
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
	perf record -q -o perf.data -e instructions:u -c "$1" ./ticks $loops perf >out
	samples=$(perf script -i perf.data -F ip 2>/dev/null | wc -l)
}

vsamp_run() {
	vsamp record -q -e "INST_RETIRED:u:sav=$1" --ring-size 4M --pmi-limit 100000 -o vsamp.out -- \
		./ticks $loops vsamp >out
	samples=$(vsamp report --json vsamp.out | jq '.events[0].samples')
}

# measure TOOL: two runs, whose difference is free of what a run costs by itself
measure() {
	local before between after fewer
	before=$(accesses)
	"$1_run" 20000
	between=$(accesses)
	fewer=$samples
	"$1_run" 10000
	after=$(accesses)
	echo "$1 samples $samples"
	echo "$1 ticks $(ticks_of out)"
	echo "$1 accesses_x100 $(((after - between - (between - before)) * 100 / (samples - fewer)))"
}

# handler_run EMPTY: what lies between the fences, a sample
handler_run() {
	insmod ./nmi_fence.ko
	if [ "$1" = empty ]; then
		echo 1 >$near/empty
		echo 1 >$near/near
	fi
	vsamp record -q -e INST_RETIRED:u:sav=10000 --ring-size 4M --pmi-limit 100000 -o vsamp.out -- \
		sh -c "echo 1 >$near/near; exec ./ticks $loops fence" >/dev/null
	echo "$1 ticks $(cat $near/ticks)"
	echo "$1 nmis $(cat $near/nmis)"
	rmmod nmi_fence
}

modprobe -q msr || true
# this one first: it can't be written once perf's own limit is off
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
sleep 2	# what the kernel does after boot
./ticks $loops plain >out
echo "plain ticks $(ticks_of out)"
measure perf
measure vsamp
echo "perf bytes $(stat -c %s perf.data)"
echo "vsamp bytes $(stat -c %s vsamp.out)"
handler_run handler
handler_run empty
