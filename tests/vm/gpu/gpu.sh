#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs in a guest with the emulated GPU: the kernel's own i915 finds it, and its OA
# stream holds the reports that the load makes; each planted fault shows in it.
# shellcheck source=../../guest/tap.sh
. ./tap.sh

period=12	# of reports: 2 << 12 ticks
reports=250	# of these a fault is in the 100th and the 200th

# stream FAULT: what i915's stream says
stream() {
	./igpu fault "$1" && timeout 2 ./i915_oa $reports $period
}

# as_planted FAULT LINE: a grep pattern
as_planted() {
	local said

	said=$(stream "$1")
	grep -qxE "$2" <<<"$said" || {
		echo "said '$said', not '$2'"
		return 1
	}
}

check "the model's own registers" equal "$(./igpu magic)" 0x50475356
modprobe i915
check "i915 binds" test "$(readlink -f /sys/bus/pci/devices/0000:00:02.0/driver)" = /sys/bus/pci/drivers/i915
check "and has a node for clients" test -c /dev/dri/renderD128
check "and doesn't complain" equal "$(dmesg --level=emerg,alert,crit,err,warn | grep -ciE 'i915|drm')" 0

good="reports $reports lost 0 spacing 0 wrong 0"
check "its reports are the load's, one each period" equal "$(stream 0)" "$good"
check "no report was written where none was to be" equal "$(./igpu dma-errors)" 0

while read -r fault name line; do
	check "planted fault $name: found" as_planted "$fault" "$line"
done <<-EOF_FAULTS
	2 torn reports 250 lost 0 spacing 0 wrong 2
	3 overflow reports 250 lost [1-9][0-9]* spacing [1-9][0-9]* wrong 0
	4 lost reports 250 lost 2 spacing 2 wrong 0
	5 timestamp reports 250 lost 0 spacing 4 wrong 2
	6 counter reports 250 lost 0 spacing 0 wrong 2
	8 half-rate reports 250 lost 0 spacing 249 wrong 0
EOF_FAULTS
check "planted fault stuck-tail: found" equal "$(stream 1; echo "status $?")" "status 124"
check "and afterwards all is well again" equal "$(stream 0)" "$good"
tap_end
