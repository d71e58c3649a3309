#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A kernel in lockdown, which can't be undone

bats_require_minimum_version 1.5.0

lockdown=/sys/kernel/security/lockdown

setup() {
	loop=$PWD/loop
	cd "$BATS_TEST_TMPDIR" || return
	[ -e $lockdown ] || mount -t securityfs securityfs /sys/kernel/security
}

@test "integrity forbids nothing that is loaded" {
	echo integrity >$lockdown
	vsamp record -q -b intel -e INST_RETIRED:u:sav=100000 -- "$loop"
	[ "$(vsamp report --json | jq '.events[0].samples')" -eq 2000 ]
}

@test "confidentiality forbids sampling: record and doctor say so" {
	echo confidentiality >$lockdown
	for backend in intel kperf; do
		run vsamp record -b $backend -e INST_RETIRED:u -- "$loop"
		[ "$status" -eq 1 ]
		[[ $output == *"-b $backend: kernel lockdown is 'confidentiality', which forbids it; boot without lockdown=confidentiality"* ]]
		[ ! -e vsamp.data ]
	done
	# a user's own processes are no secret
	run vsamp record -e INST_RETIRED:u:sav=100000 -- "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"backend perf: "*"confidentiality"* ]]
	run vsamp doctor
	[ "$status" -eq 13 ]
	[[ $output == *"kernel lockdown is 'confidentiality', which forbids it"*"boot without lockdown=confidentiality"* ]]
}
