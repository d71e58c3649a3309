#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ITT of programs that vsamp record doesn't start: what they are started with, and what becomes of what they tell

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export ITT=$TREE/lib/itt/static TESTS=$TREE/tests/itt PATH=$TREE/build:$PATH
	make -s -C "$TREE" user
	cd "$BATS_FILE_TMPDIR" || return
	for p in tests/itt/behave tests/itt/service docs/examples/itt/example_tasks; do
		gcc -D_GNU_SOURCE -O2 -I"$ITT" -o "${p##*/}" "$TREE/$p.c" "$TREE/build/libvsamp-ittnotify.a" -lpthread
	done
	gcc -O1 -shared -fPIC -o named.so "$TESTS/given.c"
	gcc -O1 -s -shared -fPIC -o bare.so "$TESTS/given.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$BATS_TEST_TMPDIR
	PATH=$BATS_FILE_TMPDIR:$PATH
	unset INTEL_LIBITTNOTIFY64 VSAMP_ITT_DIR VSAMP_ITT_OUTPUT VSAMP_ITT_LIMIT VSAMP_ITT_CLOCK
	mkdir -m 1733 spool
}

# collected PROGRAM [ARG]...: as started with what is printed for the folder
collected() (
	eval "$(vsamp itt env --shell --dir spool)"
	exec "$@"
)

# serve NAME [LIBRARY]...: a service, whose pid is kept in NAME.pid
serve() {
	local name=$1
	shift
	(eval "$(vsamp itt env --shell --dir spool)" && exec service "$name.count" "$@") 3>&- &
	echo $! >"$name.pid"
	disown
	until [ -s "$name.count" ] && [ "$(served "$name")" -gt 20 ]; do
		kill -0 "$(cat "$name.pid")"
		sleep 0.02
	done
}

# served NAME: how many requests it has told
served() {
	od -An -td8 -N8 "$1.count" | tr -d ' '
}

# record OPTION...: for a while
record() {
	run -0 vsamp record -q -b perf -e cpu-clock --itt-dir spool "$@"
}

# serves FILE: in how many threads services are in their task
serves() {
	vsamp export -f chrome "$1" | jq '[.traceEvents[] | select(.ph == "X" and .name == "serve")] | length'
}

teardown() {
	for f in *.pid; do
		[ ! -e "$f" ] || kill -KILL "$(cat "$f")" || true
	done
}

# alone FILE PROGRAM [ARG]...: writes FILE itself
alone() {
	INTEL_LIBITTNOTIFY64=$TREE/build/libvsamp-itt.so VSAMP_ITT_OUTPUT=$1 exec "${@:2}"
}

# counts FILE: of the tasks, as "COUNT NAME"
counts() {
	vsamp report --itt --json "$1" | jq -r '.rows[] | "\(.count) \(.name)"' | sort -k2
}

@test "env: a unit's lines, which systemd takes, with any folder's name" {
	run -0 --separate-stderr vsamp itt env --dir spool
	[ "$output" = "[Service]
Environment=INTEL_LIBITTNOTIFY64=$(realpath "$TREE/build")/libvsamp-itt.so
Environment=VSAMP_ITT_DIR=$PWD/spool" ]
	[ -z "$stderr" ]
	mkdir -m 1733 "a \"b'%i\\"
	vsamp itt env --dir "a \"b'%i\\" >vsamp-itt-test.service
	printf 'ExecStart=/bin/true\n' >>vsamp-itt-test.service
	if [ -x "$(command -v systemd-analyze)" ]; then
		run systemd-analyze verify "$PWD/vsamp-itt-test.service"
		run ! grep -i environment <<<"$output"
	fi
	grep -Fx "Environment=\"VSAMP_ITT_DIR=$PWD/a \\\"b'%%i\\\\\"" vsamp-itt-test.service
	eval "$(vsamp itt env --shell --dir "a \"b'%i\\")"
	[ "$VSAMP_ITT_DIR" = "$PWD/a \"b'%i\\" ]
	vsamp itt env --json --dir spool | jq -e --arg dir "$PWD/spool" \
		'.version == 1 and .dir == $dir and .mode == "1733" and .advice == null and
		.environment.VSAMP_ITT_DIR == $dir and (.environment.INTEL_LIBITTNOTIFY64 | test("/libvsamp-itt.so$"))'
}

@test "env: what the folder lacks is told; nothing is made but by --make" {
	run -0 vsamp itt env --dir none
	[[ ${lines[0]} == "# $PWD/none is not there: --make makes it"* ]]
	[ "${lines[1]}" = "[Service]" ]
	[ ! -e none ]
	run -0 vsamp itt env --dir one/two --make
	[ "${lines[0]}" = "[Service]" ]
	[ "$(stat -c %a one one/two | xargs)" = "755 1733" ]
	mkdir -m 755 mine
	mkdir -m 777 all
	run -0 vsamp itt env --make --dir mine
	[[ ${lines[0]} == "# only its owner"*"chmod 1733"* ]]
	run -0 vsamp itt env --make --dir all
	[[ ${lines[0]} == "# whoever can write to $PWD/all can remove others' files"* ]]
	[ "$(stat -c %a mine all | xargs)" = "755 777" ]
	vsamp itt env --json --dir none | jq -e '.mode == null and (.advice | test("--make"))'
}

@test "env: what can't be says why" {
	touch file
	run -1 vsamp itt env --make --dir file
	[[ $output == *"$PWD/file: there can't be such a folder: Not a directory: name another by --dir"* ]]
	run -1 vsamp itt env --dir "/$(printf '%0390d' 0)"
	[[ $output == *"391 bytes, and programs have room for 383"* ]]
	run -2 vsamp itt env --dir $'a\nb'
	run -2 vsamp itt env --dir
	run -2 vsamp itt env --dir ''
	run -2 vsamp itt env --shell --json
	run -2 vsamp itt env spool
	run -2 vsamp itt
	[[ $output == *"env or join?"* ]]
	mkdir alone
	cp -L "$TREE/build/vsamp" "$TREE/build/libvsamp.so.0" alone
	run -1 alone/vsamp itt env
	[[ $output == *"no libvsamp-itt.so beside libvsamp.so: install vsamp as a whole"* ]]
}

@test "join: a recording of what programs told, which report and exports read" {
	collected example_tasks
	collected behave pairs 1000
	run -0 vsamp itt join spool -o told.vsamp
	[[ $output == *"told.vsamp: "*" records of 2 threads in 2 processes"* ]]
	[ "$(counts told.vsamp)" = "1 My SubTask
1 My Task
1000 task" ]
	vsamp info told.vsamp | grep -q '^state *complete'
	for f in chrome firefox perf pprof folded callgrind; do
		vsamp export -f $f -o out.$f told.vsamp
	done
	jq -e '[.traceEvents[] | select(.ph == "X" and .name == "My Task")] | length == 1' out.chrome
	vsamp report --html page.html told.vsamp
	grep -q 'My SubTask' page.html
	# the folder is as it was, and what was there is not
	[ "$(find spool -name '*.itt' | wc -l)" -eq 4 ]
	vsamp itt join -o told.vsamp spool
	[ -e told.vsamp.old ]
}

@test "join: of a program that was killed, and of one that runs" {
	serve one
	vsamp itt join spool -o running.vsamp
	kill -KILL "$(cat one.pid)"
	vsamp itt join spool -o killed.vsamp
	told=$(served one)
	running=$(counts running.vsamp | awk '$2 == "request" { print $1 }')
	killed=$(counts killed.vsamp | awk '$2 == "request" { print $1 }')
	echo "$running, $killed of $told"
	[ "$running" -gt 20 ] && [ "$running" -lt "$killed" ]
	[ "$killed" -ge "$told" ] && [ "$killed" -le $((told + 1)) ]
}

@test "join: clocks of ns, and what can't be" {
	VSAMP_ITT_CLOCK=monotonic collected example_tasks
	vsamp itt join spool -o told.vsamp
	[ "$(counts told.vsamp | wc -l)" -eq 2 ]
	vsamp info told.vsamp | grep -q '^clock *monotonic,'
	VSAMP_ITT_CLOCK=monotonic-raw collected example_tasks
	run -0 vsamp itt join spool -o told.vsamp
	[[ $output == *"1 files of threads have times of another clock, and are left out"* ]]
	rm -r spool/* told.vsamp*
	run -1 vsamp itt join spool -o told.vsamp
	[[ $output == *"spool: no program has told anything there"* ]]
	run -1 vsamp itt join none -o told.vsamp
	[[ $output == *"none: No such file or directory"* ]]
	echo text >text
	for f in text /dev/null; do
		run -1 vsamp itt join "$f" -o other.vsamp
		[ "$output" = "vsamp: itt join: $f: neither a folder nor a file that programs told to" ]
		[ ! -e other.vsamp ]
	done
	run -1 vsamp itt join spool -o none/told.vsamp
	run -2 vsamp itt join
	run -2 vsamp itt join spool spool
	run -2 vsamp itt join spool -o
	[ ! -e told.vsamp ]
}

@test "record --itt-dir: what services told while it went on, and what was under way" {
	serve one
	before=$(served one)
	record -a -d 0.5 -o data
	after=$(served one)
	counts data >found
	n=$(awk '$2 == "request" { print $1 }' found)
	echo "$before to $after: $n"
	[ "$n" -gt 20 ] && [ "$n" -le $((after - before + 1)) ]
	grep -qx '0 serve' found
	grep -qx '0 open' found
	# and what goes on: the recording that comes behind has the rest, and nothing again
	kill -USR1 "$(cat one.pid)"
	record -a -d 0.3 -o next
	counts next >found
	[ "$(awk '$2 == "request" { print $1 }' found)" -le $(($(served one) - after + 1)) ]
	grep -qx '0 serve' found
	grep -qx '0 open' found
	vsamp export -f chrome -o next.json next
	jq -e '[.traceEvents[] | select(.ph == "M" and .name == "thread_name" and .args.name == "server")] | length == 1' next.json
}

@test "record --itt-dir: a task that began before the last recording is under way, also in the third" {
	serve one
	for _ in 1 2 3; do
		record -a -d 0.2 -o data
		counts data | grep -x '0 serve'
	done
	kill -KILL "$(cat one.pid)"
	# nothing is left once its program is gone
	record -a -d 0.2 -o data
	[ -z "$(ls spool)" ]
}

@test "record --itt-dir: of processes that aren't sampled nothing is taken" {
	serve one
	serve other
	record -p "$(cat one.pid)" -d 0.3 -o data
	[ "$(serves data)" -eq 1 ]
	told=$(served other)
	record -p "$(cat one.pid)" -d 0.2 -o data
	vsamp itt join spool -o left
	# all that the other ever told, and what the first did since
	[ "$(counts left | awk '$2 == "request" { print $1 }')" -ge "$told" ]
	record -a -d 0.2 -o data
	[ "$(serves data)" -eq 2 ]
}

@test "record --itt-dir: functions that tasks are named by, of libraries that were loaded before" {
	cp "$BATS_FILE_TMPDIR/named.so" "$BATS_FILE_TMPDIR/bare.so" .
	serve one ./named.so "$PWD/bare.so"
	record -a -d 0.3 --no-sideband -o data
	counts data >found
	cat found
	grep -q ' hidden_work$' found
	grep -qx '[0-9]* bare.so+0x[0-9a-f]*' found
	# where it is by the ELF file
	offset=$(sed -n 's/.*bare.so+0x//p' found)
	[ "$(nm named.so | awk '$3 == "hidden_work" { print $1 }')" = "$(printf '%016x' $((0x$offset)))" ]
}

@test "record --itt-dir: services of another user, with root's rights and without" {
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR/.." "$BATS_TEST_TMPDIR"
	touch other.count
	chown nobody other.count
	(eval "$(vsamp itt env --shell --dir spool)" && exec setpriv --reuid nobody --clear-groups service other.count) 3>&- &
	echo $! >other.pid
	disown
	until [ "$(served other)" != '' ] && [ "$(served other)" -gt 20 ]; do kill -0 "$(cat other.pid)"; done
	run -0 setpriv --bounding-set=-dac_override,-fowner vsamp record -q -b perf -e cpu-clock -a --itt-dir spool -d 0.2 -o data
	[[ $output == *"2 files are of other users, and are left out: root, or CAP_DAC_OVERRIDE"* ]]
	record -a -d 0.2 -o data
	[ -z "$output" ]
	[ "$(serves data)" -eq 1 ]
	[ "$(stat -c %U spool/*.itt | sort -u)" = nobody ]
}

@test "record --itt-dir: one recording at a time, which the next is told of" {
	serve one
	vsamp record -q -b perf -e cpu-clock -a --itt-dir spool -o first 3>&- &
	pid=$!
	until [ -e first ]; do
		kill -0 $pid
		sleep 0.05
	done
	run -1 vsamp record -q -b perf -e cpu-clock -a --itt-dir spool -d 1 -o second
	[[ $output == *"--itt-dir: spool: process $pid takes what programs tell there: wait for its end, or name another folder"* ]]
	[ ! -e second ]
	run -1 vsamp itt join spool -o second
	[[ $output == *"process $pid takes"* ]]
	kill -INT $pid
	wait $pid
	counts first | grep -x '0 serve'
	record -a -d 0.2 -o second
}

@test "record --itt-dir: what can't be, and a folder where nobody tells anything" {
	run -1 vsamp record -b perf -e cpu-clock -a --itt-dir none -d 0.1 -o data
	[[ $output == *"--itt-dir: none: No such file or directory: 'vsamp itt env'"* ]]
	run -2 vsamp record --itt-dir spool true
	run -2 vsamp record --itt-dir ''
	run -2 vsamp record -a --itt-dir spool --itt off
	record -a -d 0.1 -o data
	[[ $output == *"no program that is sampled tells anything in the folder"* ]]
	# links and files that others have put there
	echo mine >victim
	chmod 640 victim
	ln -s "$PWD/victim" spool/1-0000000000000001.kept
	ln -s "$PWD/victim" spool/1-0000000000000001-1-0.itt
	record -a -d 0.1 -o data
	[ "$(cat victim) $(stat -c %a victim)" = "mine 640" ]
}

@test "a file of programs alone: threads, children, and what is killed" {
	(alone told.itt behave threads)
	(alone told.itt behave fork)
	[ "$(counts told.itt)" = "68 task" ]
	[ "$(stat -c %a told.itt)" = 600 ]
	(alone told.itt behave pairs 100000)
	[ "$(counts told.itt)" = "100068 task" ]
	VSAMP_ITT_LIMIT=8 alone told.itt behave endless count 3>&- &
	pid=$!
	until [ -s count ]; do
		kill -0 $pid
		sleep 0.01
	done
	kill -KILL $pid
	wait $pid || true
	told=$(($(od -An -td8 -N8 count) + 100068))
	n=$(counts told.itt)
	[ "${n% *}" -le $((told + 1)) ]
	[ "${n% *}" -ge "$told" ] || [ "${n% *}" -ge $((100068 + 200000)) ]
	run -0 --separate-stderr vsamp itt join told.itt -o joined
	[ "$(counts joined)" = "$n" ]
	[ "$(stat -c %s joined)" -lt $(($(stat -c %s told.itt) / 4)) ]
	vsamp info told.itt | grep -q '^state *complete'
	# where it is shown is said to who asks for samples
	for f in told.itt joined; do
		run -0 --separate-stderr vsamp report "$f"
		[ "$stderr" = "vsamp report: $f has no samples, but what programs told by ITT (--itt)" ]
	done
	vsamp report --html page.html told.itt
	vsamp export -f firefox -o told.json told.itt
	[ -z "$(find "$TMPDIR" -maxdepth 1 -name 'vsamp-itt-*')" ]
}

@test "a file of programs alone: one for each process, and other working directories" {
	(alone told-%p.itt behave fork)
	n=0
	for f in told-*.itt; do
		n=$((n + $(counts "$f" | cut -d' ' -f1)))
	done
	[ "$(echo told-*.itt | wc -w)" -eq 2 ] && [ "$n" -eq 18 ]
	run -0 alone /nonexistent/x behave pairs 10
	[ -z "$output" ]
	# somebody's file is theirs
	echo "dear diary" >diary
	run -0 alone diary behave pairs 10
	[ "$(cat diary)" = "dear diary" ]
	# the folder of a recorder is preferred
	VSAMP_ITT_OUTPUT=none vsamp record -q -b perf -e cpu-clock --itt=on -o data true
	eval "$(vsamp itt env --shell --output 'my file')"
	(cd / && behave pairs 10)
	[ "$(counts 'my file')" = "10 task" ]
}

@test "a file of programs alone, damaged or cut off anywhere, is read as far as it can be" {
	(alone good behave threads)
	for at in 0 4096 4104 4112 4116 8192 8200 8240 12304 16392; do
		cp good told.itt
		printf '\xff\xff\xff\xff' | dd of=told.itt bs=1 seek=$at conv=notrunc status=none
		run timeout 20 vsamp report --itt told.itt
		[ "$status" -le 1 ]
	done
	for size in 1 4100 8200 80000; do
		head -c $size good >told.itt
		run timeout 20 vsamp report --itt told.itt
		[ "$status" -le 1 ]
	done
	run -1 vsamp report spool
	[[ $output == *"is a folder: of what programs told by ITT 'vsamp itt join' makes a recording"* ]]
}
