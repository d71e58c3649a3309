#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs in a guest with two CPUs: the kernel's own perf counts and samples programs
# whose numbers are known (each program's source tells), and pmu_regs.ko checks the
# registers. Prints TAP.
# shellcheck source=../../guest/tap.sh
. ./tap.sh

sysctl -qw kernel.perf_event_max_sample_rate=1000000 kernel.perf_cpu_time_max_percent=0

# registers CPU: a line of pmu_regs.ko is a test
registers() {
	local line

	dmesg -C
	insmod pmu_regs.ko cpu="$1" && rmmod pmu_regs
	while read -r line; do
		tap_n=$((tap_n + 1))
		[ "${line#not }" = "$line" ] || tap_failed=$((tap_failed + 1))
		echo "${line%%ok - *}ok $tap_n - CPU $1: ${line#*ok - }"
	done < <(dmesg | sed -nE 's/.*pmu_regs: ((not )?ok - .*)/\1/p')
	check "CPU $1: pmu_regs.ko ran to its end" grep -q 'pmu_regs: done, 0 failed' <(dmesg)
}

# counts PROGRAM EVENT COUNT...
counts() {
	local program=$1
	shift
	while [ $# -gt 0 ]; do
		check "$program: $2 $1" equal "$(count "$program" "$1")" "$2"
		shift 2
	done
}

# count PROGRAM EVENT: perf's number
count() {
	perf stat -x, -o stat.$$.$BASHPID -e "$2" "./$1" && sed -n '/^[0-9]/s/,.*//p' stat.$$.$BASHPID
}

counting() {
	counts loop instructions:u 20000004 branches:u 10000001 cycles:u 20000004 ref-cycles:u 20000004
	counts sys instructions:u 400004 branches:u 200001
	counts rep instructions:u 6004 cycles:u 65542004
	counts ud instructions:u 6010 branches:u 3002
	counts pf instructions:u 4005 branches:u 1001
	counts loop cache-references:u 200000 cache-misses:u 20000 branch-misses:u 200000
	check "RDPMC in user mode" equal "$(./rdpmc)" 6
}

# Copies at once, one pinned to each CPU, then three on each
counting_at_once() {
	local i cpu

	for i in 2 6; do
		for ((cpu = 0; cpu < i; cpu++)); do
			taskset -c $((cpu % 2)) perf stat -x, -o at-once.$i.$cpu -e instructions:u,branches:u ./loop &
		done
		wait
		check "$i copies at once, on both CPUs: instructions" \
			equal "$(cat at-once.$i.* | grep -c '^20000004,,instructions:u,')" $i
		check "$i copies at once, on both CPUs: branches" \
			equal "$(cat at-once.$i.* | grep -c '^10000001,,branches:u,')" $i
	done
}

# samples NAME PROGRAM IPS OPTION...: the addresses sampled and how often, "COUNT ADDRESS ..."
samples() {
	local name=$1 program=$2 ips=$3
	shift 3
	perf record -q -o samples.data "$@" "./$program"
	check "$name" equal "$(perf script -i samples.data --comm "$program" -F ip | sort | uniq -c | xargs)" "$ips"
}

sampling() {
	# instruction 100000 * k is DEC, the next is at 401007; 10007 * k is in turn JNZ and DEC
	samples "instructions, each 100000th" loop "200 401007" -e instructions:u -c 100000
	samples "the same, whole machine" loop "200 401007" -a -e instructions:u -c 100000
	samples "instructions, each 10007th" loop "999 401005 999 401007" -e instructions:u -c 10007
	# the last branch falls through
	samples "branches, each 10000th" loop "999 401005 1 401009" -e branches:u -c 10000
	samples "cycles, each 100000th, in REP" rep "655 401013" -e cycles:u -c 100000
}

machine() {
	check "the TSC is the clock source" equal \
		"$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" tsc
	check "no hypervisor bit" equal "$(grep -c hypervisor /proc/cpuinfo)" 0
	check "the kernel's driver took the PMU" grep -q 'full-width counters, Intel PMU driver' <(dmesg)
}

case ${1:-all} in
all)
	machine
	counting
	counting_at_once
	sampling
	registers 0
	registers 1
	;;
registers) registers 0 ;;
esac
tap_end
