#!/bin/bash
# SPDX-License-Identifier: MIT
# A recording in which the machine sleeps until its clock wakes it. ./loop takes 200 000 000 cycles.
. ./tap.sh

ln loop again
vsamp record -q -a -b kperf -e cycles:u:sav=99991 -o sleep.vsamp -- bash -c \
	'./loop; echo +3 >/sys/class/rtc/rtc0/wakealarm; echo freeze >/sys/power/state; sleep 0.1; ./again'
check "the recording goes on" equal $? 0
vsamp report --json sleep.vsamp >sleep.json
check "whole, and none is lost" equal "$(jq -c '[.complete, .lost, .produced - .written]' sleep.json)" "[true,0,0]"
for p in loop again; do
	check "$p: samples, 200 000 000 / 99 991" within \
		"$(jq --arg p $p '[.rows[] | select(.comm == $p) | .samples[0]] | add' sleep.json)" 2000 2002
done
check "the machine slept once" equal "$(jq .sleeps sleep.json)" 1
# the alarm is of whole seconds
check "for 3 s" within "$(jq .asleep_ns sleep.json)" 2000000000 3100000000
check "which aren't in the time that was recorded" within "$(jq .elapsed_ns sleep.json)" 500000000 900000000
check "nor bend the clock" within "$(vsamp info --json sleep.vsamp | jq .clock.error_ns)" 0 10000
tap_end
