#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A disk that is full, for whatever writes to it: what is said, and that nothing is lost that was there
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
	cd "$BATS_FILE_TMPDIR" || return
	cp "$TREE/build/tests/progs/loop" .
	vsamp record -q -b perf -e cpu-clock:u -- ./loop
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	mkdir small
	mount -t tmpfs -o "size=${size:-64k}" none small || skip "a filesystem can't be mounted here"
}

teardown() {
	umount small 2>/dev/null || true
	rmdir small
}

# So that there is no room for anything but names
fill() {
	cat /dev/zero >small/fill 2>/dev/null || true
}

@test "record: the head has no room: said once, no file is made" {
	run -1 --separate-stderr vsamp record -q -b perf -e cpu-clock -o small/my.data -- ./loop
	[ "$stderr" = "vsamp: small/my.data: cannot write: No space left on device; make room, or write elsewhere by -o" ]
	[ -z "$(ls -A small)" ]
}

@test "record: the file before stays what it was" {
	echo mine >small/my.data
	fill
	run -1 vsamp record -q -b perf -e cpu-clock:u -o small/my.data -- ./loop
	[[ $output == *"No space left"* ]]
	[ "$(cat small/my.data)" = mine ]
	[ "$(find small -type f | wc -l)" -eq 2 ]
}

@test "export and report --html: which file, and what was there stays" {
	echo mine >small/out
	fill
	for f in perf pprof firefox chrome callgrind folded html; do
		run -1 --separate-stderr vsamp export -f $f -o small/out
		[[ $stderr == "vsamp export: small/out: "*"No space left on device" ]] || { echo "$f: $stderr"; return 1; }
		[ "$(cat small/out)" = mine ]
	done
	run -1 --separate-stderr vsamp report --html small/out
	[[ $stderr == "vsamp report: small/out: "*"No space left on device" ]]
	[ "$(cat small/out)" = mine ]
	[ "$(find small -type f | wc -l)" -eq 2 ]
}

@test "export: nothing is written where nothing is to be read" {
	echo mine >small/out
	run -1 vsamp export -f folded -o small/out nosuch
	run -2 vsamp export -f folded -e nosuch -o small/out
	run -2 vsamp export -f folded -o vsamp.data
	for call in "export -f folded -o ''" "report --html ''"; do
		run -2 bash -c "vsamp $call"
		[[ $output == *"'': is no file: give another name" ]]
	done
	[ "$(cat small/out)" = mine ]
	vsamp export -f folded >want
	vsamp export -f folded -o small/out
	cmp small/out want
	# readable as any new file is
	[ "$(stat -c %a small/out)" = "$(stat -c %a want)" ]
	# what is no file is written to as it is
	ln -s there small/link
	vsamp export -f folded -o small/link && cmp small/there want && [ -L small/link ]
	vsamp export -f folded -o /dev/stdout | cmp - want
}

@test "itt join: no room" {
	make -s -C "$TREE" build/tests/itt/script
	eval "$(vsamp itt env --shell --output told.itt)"
	"$TREE/build/tests/itt/script" Ba E
	vsamp itt join told.itt -o joined
	vsamp report --itt joined | grep -q ' a (script)$'
	fill
	run -1 --separate-stderr vsamp itt join told.itt -o small/joined
	[[ $stderr == *"small/joined: "*"No space left on device"* ]]
	[ ! -e small/joined ]
}
