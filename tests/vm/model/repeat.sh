#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Prints what must be the same in every boot: samples of both CPUs, with their times
# and kernel addresses, the log, and the interrupts so far.
perf record -q -a -g -o samples.data -e instructions -c 1000003 -- sh -c './loop & ./sys; wait'
perf script -i samples.data -F comm,pid,cpu,time,ip,sym
dmesg
cat /proc/interrupts /proc/uptime
