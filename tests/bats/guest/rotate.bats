#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --rotate in a guest with the PMU, where a program of known length has the same samples each
# time: ./loop retires 200 000 000 user instructions in its function loop, and ends.

bats_require_minimum_version 1.5.0

ev=INST_RETIRED:u:sav=100000

setup() {
	loop=$PWD/loop
	spin=$PWD/spin
	unit=$PWD/vsamp-record.service.in
	started=()
	cd "$BATS_TEST_TMPDIR" || return
}

background() {
	"$@" 3>&- &
	started+=($!)
}

teardown() {
	[ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
	wait
}

files() {
	ls -d ./vsamp.data.????????????????
}

# sum FILTER: of what jq finds in each file
sum() {
	local f sum=0
	for f in $(files); do
		sum=$((sum + $(vsamp info --json "$f" | jq "$1")))
	done
	echo $sum
}

# check_files BACKEND: of six loops, each of which asks for the next file when it has run, and waits for it
check_files() {
	local f samples count
	cat >six <<-'EOF'
		for i in 1 2 3 4 5 6; do
			"$0"
			kill -USR2 $PPID
			until set -- vsamp.data.???????????????? && [ -e "$1" ] && [ $# -ge $i ]; do sleep 0.1; done
		done
	EOF
	vsamp record -q -b "$1" -e $ev --rotate 1h -- sh -c "$(cat six)" "$loop"
	files
	[ "$(files | wc -l)" -eq 7 ]
	for f in $(files); do
		vsamp info --json "$f" | jq -e '.complete and .balanced and .whole and .warnings == [] and .lost == 0'
		vsamp script --json "$f" | jq -c 'select(.type == "sample")' >>samples
	done
	# 200 000 000 instructions each
	samples=$(jq -r 'select(.symbol == "loop" and .comm == "loop") | .ip' samples | wc -l)
	echo "$samples of loop"
	[ "$samples" -ge 11990 ] && [ "$samples" -le 12010 ]
	# as many as were counted: none but each CPU's rest is missing
	samples=$(sum '.end.events[0].samples')
	count=$(sum '.end.events[0].count')
	echo "$samples in all, $count counted"
	[ $((count / 100000 - samples)) -le 2 ] && [ $((count / 100000 - samples)) -ge 0 ]
	# each is in one file only
	[ "$(wc -l <samples)" -eq "$samples" ]
	[ "$(jq -c '[.cpu, .time_ns]' samples | sort -u | wc -l)" -eq "$samples" ]
	for f in $(files | head -6); do
		vsamp report --json "$f" | jq -e '[.symbols[] | select(.symbol == "loop") | .samples[0]] | add | . > 1990 and . < 2010'
	done
}

@test "intel: a program in files has the samples that it has in one" {
	check_files intel
}

@test "kperf: a program in files has the samples that it has in one" {
	check_files kperf
}

@test "the whole machine, from time to time, at a high rate: each file adds up, with what is lost" {
	background "$spin"
	background "$spin"
	vsamp record -q -e INST_RETIRED:sav=2000 --force --ring-size 16K --rotate 1s -d 4 --pmi-limit 100000
	[ "$(files | wc -l)" -ge 3 ]
	for f in $(files); do
		vsamp info --json "$f" | jq -e '.complete and .balanced and .whole'
		vsamp info --json "$f" | jq -e '[.end.cpus[] | .produced == .written + .lost and .read == .written] | all'
		vsamp report --json "$f" | jq -e '[.processes[] | select(.comm == "spin")] | length >= 1'
	done
}

@test "calibrated once, and each file has targets of its own time" {
	background "$spin"
	vsamp record -q -e INST_RETIRED:u -cal -i 5 --cal-time 0.5 --rotate 1s -d 3.5
	[ "$(files | wc -l)" -ge 3 ]
	for f in $(files | head -3); do
		# 200 a second and CPU
		vsamp info --json "$f" | jq -e '.end | (.events[0].target - .elapsed_ns * 2 / 5e6) | fabs <= 1'
	done
}

@test "time slices: sets go on from file to file" {
	background "$spin"
	vsamp record -q -e INST_RETIRED,r01c4,r02c4,r04c4,r08c4,r10c4,r20c4,r40c4,r80c4 --mux 10 --rotate 1s -d 2.5
	[ "$(files | wc -l)" -ge 2 ]
	for f in $(files); do
		vsamp info --json "$f" | jq -e '.complete and .balanced and .whole'
		vsamp info --json "$f" | jq -e '.end.events | all(.running <= .enabled and .enabled > 0)'
	done
}

# What systemd leaves of root's capabilities, in a network namespace of its own
as_service() {
	local caps
	caps=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr '[:upper:]' '[:lower:]' | sed 's/cap_/+/g; s/ /,/g')
	[ -n "$caps" ]
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] || caps=${caps/,+sys_admin/}
	unshare -n setpriv --no-new-privs --bounding-set "-all,$caps" "$@"
}

@test "the service's capabilities are enough for each backend, and for all names" {
	echo 1 >/proc/sys/kernel/kptr_restrict
	chmod 711 "$BATS_RUN_TMPDIR" # mktemp made it
	mkdir -m 700 private
	cp "$spin" private/mine
	chown -R nobody private
	background setpriv --reuid nobody --clear-groups "$PWD/private/mine"
	# as Debian has it, and as it can be, without CAP_SYS_ADMIN then
	for b in "intel 3" "intel 2" "kperf 2" "perf 3" "perf 2"; do
		echo "${b#* }" >/proc/sys/kernel/perf_event_paranoid
		b=${b/ /-}
		as_service vsamp record -q -b "${b%-*}" -e INST_RETIRED:sav=1000003 --rotate 1s -d 1.5 -o "$b.data"
		vsamp info --json "$b.data" | jq -e '.complete and .balanced and .whole'
		f=$(find . -name "$b.data.*" | sort | head -1)
		vsamp report --json "$f" | jq -e '.symbols[] | select((.module | endswith("mine")) and .symbol == "_start")'
		vsamp report --json "$f" | jq -e '[.symbols[] | select(.module == "[kernel]")] | length > 0 and all(.symbol != "[unknown]")'
	done
}
