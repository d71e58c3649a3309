#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record --rotate without the module: whatever runs, and spin in it, by perf's cpu-clock. Exact numbers
# of a PMU's are in guest/rotate.bats.

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	started=()
	record=(vsamp record -q -b perf -e cpu-clock:u:sav=1000000)
}

background() {
	"$@" 3>&- &
	started+=($!)
}

teardown() {
	[ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
	wait
	[ ! -d small ] || umount small 2>/dev/null || true
}

# files: those that are complete, by age
files() {
	ls -d ./*.data.???????????????? 2>/dev/null
}

# the END chunk's number, of each file
ends() {
	files | while read -r f; do
		vsamp info --json "$f" | jq -r ".end$1"
	done
}

# wait_files N: until there are so many
wait_files() {
	for ((i = 0; i < 300; i++)); do
		[ "$(files | wc -l)" -lt "$1" ] || return 0
		sleep 0.1
	done
	echo "there are not $1 files:"
	ls -l
	return 1
}

# until a recorder has begun its first file
wait_part() {
	for ((i = 0; i < 300; i++)); do
		[ -z "$(find . -name '*.part')" ] || return 0
		sleep 0.1
	done
	return 1
}

@test "a recording in files is as one: each adds up, nothing twice, nothing missing" {
	background "$TREE"/build/tests/progs/spin
	run -0 --separate-stderr vsamp record --rotate 1s -b perf -e cpu-clock:u:sav=1000000 -d 4.5
	[[ $stderr == *"in 5 files vsamp.data.*"* ]]
	[ "$(files | wc -l)" -eq 5 ]
	[ "$(find . -name '*.part')" = "" ]
	for f in $(files); do
		vsamp info --json "$f" | jq -e '.complete and .balanced and .whole and .warnings == []'
		vsamp info --json "$f" | jq -e '[.end.cpus[] | .produced == .written + .lost and .read == .written] | all'
		vsamp script --json "$f" >>records
	done
	# the sum is what was said at the end
	said=$(sed -n 's/.*cpu-clock:u: \([0-9]*\) samples.*/\1/p' <<<"$stderr" | tail -1)
	[ "$(ends '.events[0].samples' | paste -sd+ | bc)" -eq "$said" ]
	# each CPU's samples go on rising from file to file: none is twice
	jq -c 'select(.type == "sample") | [.cpu, .time_ns]' records >instants
	[ "$(wc -l <instants)" -eq "$said" ]
	[ "$(sort -u instants | wc -l)" -eq "$said" ]
	# together they are as long as was asked for
	ns=$(ends .elapsed_ns | paste -sd+ | bc)
	[ "$ns" -gt 4400000000 ] && [ "$ns" -lt 6000000000 ]
	[ "$(ends .reason | paste -sd' ')" = "rotate rotate rotate rotate duration" ]
	vsamp info vsamp.data | grep -x 'part         5'
	[ "$(for f in $(files); do vsamp info --json "$f" | jq .meta.part; done | paste -sd' ')" = "1 2 3 4 5" ]
}

@test "each file alone names what runs, though it began long before" {
	background "$TREE"/build/tests/progs/spin
	"${record[@]}" --rotate 1s -d 3.5
	[ "$(files | wc -l)" -eq 4 ]
	for f in $(files); do
		vsamp report --json "$f" >r.json
		jq -e '.processes[] | select(.comm == "spin") | .samples[0] > 0' r.json
		jq -e '.symbols[] | select(.module | endswith("/spin")) | .symbol == "_start" and .samples[0] > 0' r.json
	done
}

@test "a process that comes in one file is named in the next, and one that has ended is not in it" {
	cp "$TREE"/build/tests/progs/spin comes
	cp "$TREE"/build/tests/progs/spin goes
	background ./goes
	background "${record[@]}" --rotate 1h
	wait_part
	sleep 1
	background ./comes
	sleep 1
	kill "${started[0]}"
	sleep 0.2
	kill -USR2 "${started[1]}"
	wait_files 1
	sleep 1
	kill -INT "${started[1]}"
	wait "${started[1]}"
	second=$(files | sed -n 2p)
	vsamp script --json "$second" >second.json
	grep -c '"comes"' second.json
	run ! grep -q '"goes"' second.json
	vsamp script --json "$(files | head -1)" >first
	grep -c '"goes"' first
}

@test "SIGUSR2 asks for the next file, and FILE is the newest that is whole" {
	background "${record[@]}" --rotate 1h -o my.data
	wait_part
	for n in 1 2 3; do
		kill -USR2 "${started[0]}"
		wait_files "$n"
	done
	[ "$(find . -name 'my.data.????????????????.part' | wc -l)" -eq 1 ]
	[ "$(readlink my.data)" = "$(files | tail -1 | cut -c3-)" ]
	# what is being written can be looked at
	sleep 1.5
	run -0 vsamp report ./*.part
	[[ $output == *incomplete* ]]
	kill -INT "${started[0]}"
	wait "${started[0]}"
	[ "$(files | wc -l)" -eq 4 ]
	[ "$(ends .reason | paste -sd' ')" = "rotate rotate rotate signal" ]
	run -0 vsamp report my.data
}

@test "SIGUSR2 before all is ready is heeded then, and without --rotate does nothing" {
	# held by who starts it, as signals wait from the first line of the command on
	run -0 env --block-signal=USR2 sh -c 'kill -USR2 $$; exec "$@"' sh "${record[@]}" --rotate 1h -d 0.3 -o early.data
	[ "$(find . -name 'early.data.2*' | wc -l)" -eq 2 ]
	background "${record[@]}" -o plain.data
	for ((i = 0; i < 100; i++)); do
		[ -s plain.data ] && break
		sleep 0.1
	done
	kill -USR2 "${started[0]}"
	sleep 0.2
	kill -INT "${started[0]}"
	wait "${started[0]}"
	[ "$(vsamp info --json plain.data | jq -r .end.reason)" = signal ]
}

@test "--keep: the oldest go when a new one is whole, also those of earlier recordings" {
	touch vsamp.data.2020010100000000 vsamp.data.2020010100000001.part vsamp.data.other keep.data.2020010100000000
	echo mine >vsamp.data
	"${record[@]}" --rotate 1s --keep 2 -d 3.5
	[ "$(find . -name 'vsamp.data.2*' | wc -l)" -eq 2 ]
	[ "$(ends .reason | grep -c .)" -ge 2 ]
	[ -e vsamp.data.other ]
	[ -e keep.data.2020010100000000 ]
	[ "$(cat vsamp.data.old)" = mine ]
}

@test "a full disk: the oldest file makes room, and it is said" {
	mkdir small
	mount -t tmpfs -o size=4m none small || skip "a filesystem can't be mounted here"
	background vsamp record -b perf -e cpu-clock:u:sav=1000000 --rotate 1s --keep 100 -o small/my.data 2>said
	for ((i = 0; i < 400; i++)); do
		[ "$(grep -c 'the disk is full' said)" -lt 2 ] || break
		sleep 0.1
	done
	kill -INT "${started[0]}"
	wait "${started[0]}"
	grep 'my.data.*is removed: the disk is full' said
	for f in small/my.data.*; do
		run -0 vsamp report "$f"
		[[ $output == *complete* && $output != *incomplete* ]]
	done
}

@test "a full disk without --keep ends the recording, and what there is can be read" {
	mkdir small
	mount -t tmpfs -o size=3m none small || skip "a filesystem can't be mounted here"
	run -1 timeout 60 vsamp record -b perf -e cpu-clock:u:sav=1000000 --rotate 1s -o small/my.data
	[[ $output == *"No space left"* ]]
	for f in small/my.data.*; do
		[ ! -s "$f" ] || run -0 vsamp info "$f"
	done
}

@test "a recorder that is killed leaves what it had, up to the last second" {
	background "${record[@]}" --rotate 1h
	wait_part
	sleep 2.5
	kill -KILL "${started[0]}"
	run -0 vsamp report ./*.part
	[[ $output == *incomplete* ]]
}

@test "memory doesn't grow with files, nor with processes that have ended" {
	background "${record[@]}" --rotate 1s --keep 2
	churn() {
		for ((i = 0; i < 150; i++)); do /bin/true; done
	}
	wait_files 2
	churn
	sleep 2
	# the most there was: each file's begin takes some for a while
	before=$(awk '/^VmHWM/ { print $2 }' "/proc/${started[0]}/status")
	for n in 1 2 3 4 5; do churn; sleep 1; done
	after=$(awk '/^VmHWM/ { print $2 }' "/proc/${started[0]}/status")
	[ "$after" -lt $((before + before / 5 + 1024)) ] || { echo "$before -> $after KiB"; return 1; }
}

@test "the service's command records as its settings say" {
	unit=$TREE/systemd/vsamp-record.service.in
	# of its lines, joined
	command=$(sed -n '/^ExecStart=/,/[^\\]$/{s/^ExecStart=//;s/\\$//;p}' "$unit" | tr -d '\n')
	read -ra settings < <(sed -n 's/^Environment=//p' "$unit")
	env "${settings[@]}" EVENTS=cpu-clock ROTATE=1s KEEP=2 STATE_DIRECTORY="$PWD" OPTIONS="-b perf -d 3.5" \
		sh -c "exec ${command//@BINDIR@/$TREE\/build}"
	[ "$(files | wc -l)" -eq 2 ]
	# a sample in 20 ms
	vsamp info --json vsamp.data | jq -e '.meta.events[0].sav | . > 19900000 and . < 20100000'
}

@test "wrong calls" {
	for bad in '--rotate 0' '--rotate 10x' '--rotate -5' '--rotate 1000d' '--rotate' '--keep 5' '--rotate 5s --keep 0' '--rotate 5s --keep 1.5'; do
		# shellcheck disable=SC2086 # several words
		run -2 vsamp record $bad
		[[ $output == *--rotate* || $output == *--keep* ]]
	done
	[ -z "$(ls -A)" ]
	mkdir folder
	for o in folder /dev/null; do
		run -1 vsamp record -b perf -e cpu-clock --rotate 1s -o "$o"
		[[ $output == *"$o: is no file"* ]]
	done
	rmdir folder
	run -1 vsamp record -b perf -e cpu-clock --rotate 1s -o no/such/folder
	[[ $output == *no/such/folder* ]]
}
