#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# libvsamp-itt.so: what it keeps of programs that behave in all kinds of ways, read back by the library

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export ITT=$TREE/lib/itt/static TESTS=$TREE/tests/itt PATH=$TREE/build:$PATH
	export COLLECTOR=$BATS_FILE_TMPDIR/libvsamp-itt.so
	make -s -C "$TREE" user build/tests/itt/print_spool
	cd "$BATS_FILE_TMPDIR" || return
	cp "$TREE/build/libvsamp-itt.so" "$COLLECTOR"
	for p in tests/itt/{behave,race,every_call,tails} docs/examples/itt/example_{tasks,marks,regions}; do
		gcc -D_GNU_SOURCE -O2 -I"$ITT" -o "${p##*/}" "$TREE/$p.c" "$TREE/build/libvsamp-ittnotify.a" -lpthread
	done
	gcc -shared -fPIC -I"$ITT" -o plugin.so "$TESTS/plugin.c" "$TREE/build/libvsamp-ittnotify.a"
	gcc -shared -fPIC -o other.so "$TESTS/other.c"
	gcc -D_GNU_SOURCE -shared -fPIC -O2 -o count.so "$TESTS/count.c"
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	export VSAMP_ITT_DIR=$BATS_TEST_TMPDIR/spool
	mkdir "$VSAMP_ITT_DIR"
	unset VSAMP_ITT_LIMIT VSAMP_ITT_CLOCK
}

# collected PROGRAM [ARG]...
collected() {
	INTEL_LIBITTNOTIFY64=$COLLECTOR timeout 60 "$@"
}

spool() {
	"$TREE/build/tests/itt/print_spool" "$VSAMP_ITT_DIR"
}

# counts TYPE...: how many records of each, and the totals' line
counts() {
	spool >"$BATS_TEST_TMPDIR/records"
	for type; do
		printf '%s %d ' "$type" "$(awk -v type="$type" '$2 == type { n++ } END { print n + 0 }' "$BATS_TEST_TMPDIR/records")"
	done
	sed -n 's/^.*processes, //p' "$BATS_TEST_TMPDIR/records" | sed 's/, [0-9]* records//'
}

@test "the library exports two functions, needs the C library alone, and has little thread-local data" {
	[ "$(nm -D --defined-only "$COLLECTOR" | awk '{ print $3 }' | sort | xargs)" = "__itt_api_fini __itt_api_init" ]
	[ "$(readelf -d "$COLLECTOR" | grep -c NEEDED)" -eq 1 ]
	readelf -d "$COLLECTOR" | grep -q 'NEEDED.*libc.so.6'
	# of two pages of such data the loader has 1664 bytes left for late libraries
	[ $((0x$(readelf -lW "$COLLECTOR" | awk '$1 == "TLS" { print substr($6, 3) }'))) -le 16 ]
}

@test "each call of a program is there once, as an independent count has them" {
	mkdir "$BATS_TEST_TMPDIR/counts"
	ITT_COUNT_DIR=$BATS_TEST_TMPDIR/counts ITT_COUNT_NEXT=$COLLECTOR \
		INTEL_LIBITTNOTIFY64=$PWD/count.so run -0 ./every_call
	[ -z "$output" ]
	spool >"$BATS_TEST_TMPDIR/records"
	run -0 "$TESTS/compare.py" "$BATS_TEST_TMPDIR/counts" "$BATS_TEST_TMPDIR/records"
	[ "${#lines[@]}" -ge 75 ]
	grep -q 'every_call"$' "$BATS_TEST_TMPDIR/records"
}

@test "4 threads that make the first call at once lose none of 16000" {
	for _ in 1 2 3 4 5; do
		rm -f "$VSAMP_ITT_DIR"/*
		collected ./race 4 2000
		[ "$(counts TASK_BEGIN TASK_END THREAD_START THREAD_END)" = \
			"TASK_BEGIN 8000 TASK_END 8000 THREAD_START 4 THREAD_END 4 0 bad, 0 lost" ]
	done
}

@test "records of more than a segment are all there, in order" {
	collected ./behave pairs 200000
	[ "$(counts TASK_BEGIN TASK_END)" = "TASK_BEGIN 200000 TASK_END 200000 0 bad, 0 lost" ]
	run ! grep -q ' back$' "$BATS_TEST_TMPDIR/records"
}

@test "a file that may not grow: what is told and what is lost are what was called" {
	VSAMP_ITT_LIMIT=2 collected ./behave pairs 100000
	read -r _ begins _ ends _ _ lost _ < <(counts TASK_BEGIN TASK_END)
	[ "$lost" -gt 0 ]
	[ $((begins + ends + lost)) -eq 200000 ]
	# a LOST record says so in the file, too
	[ $((0x$(awk '$2 == "LOST" { print $4 }' "$BATS_TEST_TMPDIR/records"))) -eq "$lost" ]
}

# killed MS PROGRAM ARG...: a program with a file for its count, which is killed after so many ms; $told has the count
killed() {
	local ms=$1 pid
	shift
	rm -f "$BATS_TEST_TMPDIR/count"
	INTEL_LIBITTNOTIFY64=$COLLECTOR timeout 60 "$@" "$BATS_TEST_TMPDIR/count" &
	pid=$!
	until [ -s "$BATS_TEST_TMPDIR/count" ]; do
		kill -0 $pid
		sleep 0.01
	done
	sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
	pkill -KILL -P $pid
	wait $pid || true
	told=$(od -An -td8 -N8 "$BATS_TEST_TMPDIR/count" | tr -d ' ')
}

@test "a recorder makes room while the program runs, each loss is told once, and nothing else is lost" {
	mkfifo "$BATS_TEST_TMPDIR/go"
	VSAMP_ITT_LIMIT=1 "$TREE/build/tests/itt/print_spool" --take "$VSAMP_ITT_DIR" 3 \
		<"$BATS_TEST_TMPDIR/go" >"$BATS_TEST_TMPDIR/records" &
	recorder=$!
	exec 7>"$BATS_TEST_TMPDIR/go"
	VSAMP_ITT_LIMIT=1 killed 400 ./behave endless
	exec 7>&-
	wait $recorder
	count() { grep -c "$1" "$BATS_TEST_TMPDIR/records" || true; }
	begins=$(count 'TASK_BEGIN.*name="task" *\(back\)\?$') ends=$(count 'TASK_END')
	lost=0
	while read -r n; do lost=$((lost + 0x$n)); done < <(awk '$2 == "LOST" { print $4 }' "$BATS_TEST_TMPDIR/records")
	echo "$told pairs; $begins begins, $ends ends, $lost lost"
	tail -1 "$BATS_TEST_TMPDIR/records"
	# by the records, and by the totals
	[ $((begins + ends + lost)) -ge $((2 * told)) ] && [ $((begins + ends + lost)) -le $((2 * told + 2)) ]
	grep -q " 0 bad, .* $lost lost" <(tail -1 "$BATS_TEST_TMPDIR/records")
	# the file had 1 MiB at most, and went when the program was over
	[ "$begins" -gt 30000 ]
	[ "$(count '^file')" -ge 2 ]
	[ "$(count 'name=?')" -eq 0 ]
}

@test "a library with a static part of its own, unloaded and loaded again, is collected each time" {
	collected ./behave plugin ./plugin.so
	[ "$(counts TASK_BEGIN TASK_END)" = "TASK_BEGIN 4 TASK_END 4 0 bad, 0 lost" ]
	[ "$(grep -c 'TASK_BEGIN.*name="plugged"' "$BATS_TEST_TMPDIR/records")" -eq 3 ]
	grep -q 'MAPPING.*plugin.so"' "$BATS_TEST_TMPDIR/records"
}

@test "a static part that has ended is left alone, whatever is where it was" {
	collected ./behave gone ./plugin.so ./other.so
	[ "$(counts TASK_BEGIN DETACH)" = "TASK_BEGIN 2 DETACH 1 0 bad, 0 lost" ]
}

@test "a limit of files' sizes: the program goes on, and has all names once there is room" {
	(
		ulimit -S -f 0
		INTEL_LIBITTNOTIFY64=$COLLECTOR ./behave room
	)
	read -r _ begins _ ends bad _ lost _ < <(counts TASK_BEGIN TASK_END)
	[ "$bad" -eq 0 ]
	[ $((begins + ends + lost)) -eq 560000 ]
	# each LOST is there for what was lost before it: without a file, with a segment, and with two
	[ "$(awk '$2 == "LOST" { n++; if (length($4) < 5) exit 1 } END { print n }' "$BATS_TEST_TMPDIR/records")" -eq 3 ]
	run ! grep -q 'name=?' "$BATS_TEST_TMPDIR/records"
}

@test "signals don't keep a thread from room in a file system that gives up for them" {
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is no tmpfs"
	shm=$(mktemp -d /dev/shm/spool.XXXXXX)
	rmdir "$VSAMP_ITT_DIR"
	ln -s "$shm" "$VSAMP_ITT_DIR"
	collected ./behave alarms 400000
	counted=$(counts TASK_BEGIN TASK_END)
	rm -r "$shm"
	[ "$counted" = "TASK_BEGIN 400000 TASK_END 400000 0 bad, 0 lost" ]
}

# listening COMMAND...: with a recorder's socket in the folder, which nobody looks after
listening() {
	python3 -c 'if True:
		import socket, subprocess, sys
		s = socket.socket(socket.AF_UNIX)
		s.bind(sys.argv[1] + "/pauses")
		s.listen(1)
		sys.exit(subprocess.call(sys.argv[2:]))' "$VSAMP_ITT_DIR" "$@"
}

@test "a pause waits for a recorder that is stopped no longer if signals come" {
	INTEL_LIBITTNOTIFY64=$COLLECTOR listening timeout 20 ./behave pause
	[ "$(counts TASK_BEGIN PAUSE)" = "TASK_BEGIN 1 PAUSE 1 0 bad, 0 lost" ]
	grep -q 'PAUSE 3$' "$BATS_TEST_TMPDIR/records"
}

@test "a socket that is neither the folder's owner's nor the program's is no recorder" {
	[ "$(id -u)" -eq 0 ] || skip "needs another user's socket"
	INTEL_LIBITTNOTIFY64=$COLLECTOR listening sh -c 'chown 65534 "$VSAMP_ITT_DIR/pauses" && timeout 20 ./behave pause'
	[ "$(counts TASK_BEGIN PAUSE)" = "TASK_BEGIN 1 PAUSE 1 0 bad, 0 lost" ]
	run ! grep -q 'PAUSE 3$' "$BATS_TEST_TMPDIR/records"
}

@test "a child of a signal's handler that returns goes on without what was being told" {
	collected ./behave handler_forks
	[ "$(spool | awk '$2 == "TASK_BEGIN" { print $1 }' | sort -u | wc -l)" -eq 151 ]
}

@test "static parts of all times are bound, without a look behind their last field" {
	run -0 ./tails "$COLLECTOR"
	[ "${#lines[@]}" -eq 5 ]
	[ "$(grep -c same <<<"$output")" -eq 5 ]
	# domains of the oldest are switched on, and all that each has had made is known
	[ "$(counts TASK_BEGIN COUNTER COUNTER_SET HISTOGRAM HISTOGRAM_SUBMIT COUNTER_META)" = \
		"TASK_BEGIN 5 COUNTER 4 COUNTER_SET 4 HISTOGRAM 2 HISTOGRAM_SUBMIT 2 COUNTER_META 1 0 bad, 0 lost" ]
	[ "$(awk '$2 == "COUNTER_SET" { print $4 }' "$BATS_TEST_TMPDIR/records" | xargs)" = "1 1 1 1" ]
	run ! grep -q 'name=?' "$BATS_TEST_TMPDIR/records"
}

@test "children of a fork, and what they become, have files and definitions of their own" {
	collected ./behave fork
	[ "$(counts TASK_BEGIN TASK_END)" = "TASK_BEGIN 18 TASK_END 18 0 bad, 0 lost" ]
	grep -q ' 3 processes' <(spool)
	# of a thread each, and of definitions
	[ "$(find "$VSAMP_ITT_DIR" -type f | wc -l)" -eq 6 ]
	run ! grep -q 'name=?' "$BATS_TEST_TMPDIR/records"
	# the parent's have its open task
	[ "$(awk '$2 == "TASK_BEGIN" { print $1 }' "$BATS_TEST_TMPDIR/records" | sort | uniq -c | awk '{ print $1 }' | sort -n | xargs)" = "6 12" ]
}

@test "a program that is killed at any moment loses nothing that it had told" {
	for ms in 1 10 30; do
		rm -f "$VSAMP_ITT_DIR"/*
		killed $ms ./behave endless
		read -r _ begins _ ends bad _ lost _ < <(counts TASK_BEGIN TASK_END)
		echo "$ms ms: $told pairs; $begins begins, $ends ends, $bad bad, $lost lost"
		[ "$bad" -eq 0 ] && [ "$lost" -eq 0 ]
		# one pair may be on its way
		[ "$ends" -ge "$told" ] && [ "$ends" -le $((told + 1)) ]
		[ "$begins" -ge "$ends" ] && [ "$begins" -le $((ends + 1)) ]
	done
	for _ in {1..15}; do
		ms=$((RANDOM % 100))
		rm -f "$VSAMP_ITT_DIR"/*
		killed $ms ./behave endless
		read -r _ _ _ _ bad _ records _ lost _ < <("$TREE/build/tests/itt/print_spool" --count "$VSAMP_ITT_DIR" 1 </dev/null | tr -d ,)
		echo "$ms ms: $told pairs; $records records, $bad bad, $lost lost"
		[ "$bad" -eq 0 ] && [ "$lost" -eq 0 ]
		# with the thread's start
		[ "$records" -ge $((2 * told + 1)) ] && [ "$records" -le $((2 * told + 3)) ]
	done
}

@test "a recorder that is killed loses nothing: what its file lacks is in the spool" {
	mkfifo "$BATS_TEST_TMPDIR/go"
	TMPDIR=$BATS_TEST_TMPDIR "$TREE/build/tests/itt/print_spool" --take "$VSAMP_ITT_DIR" 1000000 <"$BATS_TEST_TMPDIR/go" &
	recorder=$!
	exec 7>"$BATS_TEST_TMPDIR/go"
	INTEL_LIBITTNOTIFY64=$COLLECTOR timeout 60 ./behave endless "$BATS_TEST_TMPDIR/count" &
	pid=$!
	# until it has written something
	until [ "$(stat -c %s "$BATS_TEST_TMPDIR"/print_spool-*)" -gt 20000 ]; do sleep 0.01; done
	# nobody else may take meanwhile
	run -1 "$TREE/build/tests/itt/print_spool" --take "$VSAMP_ITT_DIR" 1
	[[ $output == *"takes what programs tell there"* ]]
	kill -KILL $recorder
	wait $recorder || true
	exec 7>&-
	sleep 0.1
	pkill -KILL -P $pid
	wait $pid || true
	told=$(od -An -td8 -N8 "$BATS_TEST_TMPDIR/count" | tr -d ' ')
	"$TREE/build/tests/itt/print_spool" "$(echo "$BATS_TEST_TMPDIR"/print_spool-*)" >"$BATS_TEST_TMPDIR/first"
	spool >"$BATS_TEST_TMPDIR/rest"
	first=$(grep -c TASK_END "$BATS_TEST_TMPDIR/first") rest=$(grep -c TASK_END "$BATS_TEST_TMPDIR/rest")
	echo "$told pairs; $first in the recording that was cut off, $rest behind it"
	[ "$first" -gt 0 ] && [ "$rest" -lt "$told" ]
	# what is in both is a segment at most
	[ $((first + rest)) -ge "$told" ] && [ $((first + rest)) -le $((told + 1 + 262144 / 40)) ]
	run ! grep -q 'name=?' "$BATS_TEST_TMPDIR/rest"
}

@test "64 threads at once: each call is recorded, or counted as lost" {
	run -0 "$TESTS/storm" 64 40000
	[[ $output == *"5120128 recorded and 0 lost of 5120128"* ]]
	run -0 "$TESTS/storm" 64 40000 1
	[[ $output == *"of 5120128" && $output != *" 0 lost of"* ]]
}

@test "processes of another PID namespace have the numbers that they have here" {
	unshare --fork --pid true || skip "there can't be another PID namespace"
	mkfifo "$BATS_TEST_TMPDIR/go"
	"$TREE/build/tests/itt/print_spool" --take "$VSAMP_ITT_DIR" 1000000 <"$BATS_TEST_TMPDIR/go" >"$BATS_TEST_TMPDIR/records" &
	recorder=$!
	exec 7>"$BATS_TEST_TMPDIR/go"
	INTEL_LIBITTNOTIFY64=$COLLECTOR timeout 60 unshare --fork --pid --mount-proc ./behave steady 300 >"$BATS_TEST_TMPDIR/told" &
	program=$!
	until [ -s "$(echo "$VSAMP_ITT_DIR"/1-*-1-0.itt)" ]; do
		kill -0 $program
		sleep 0.01
	done
	# timeout, unshare, the program
	here=$(pgrep -P "$(pgrep -P $program)")
	wait $program
	exec 7>&-
	wait $recorder
	[ "$(awk '$2 == "TASK_END" { print $1 }' "$BATS_TEST_TMPDIR/records" | uniq -c | xargs)" = "$(($(cat "$BATS_TEST_TMPDIR/told") + 1)) $here/$here" ]
	# of one that has ended nobody knows them
	rm -f "$VSAMP_ITT_DIR"/*
	collected unshare --fork --pid --mount-proc ./behave pairs 5
	[ "$(spool | awk '$2 == "TASK_END" { print $1 }' | uniq -c | xargs)" = "5 1073741825/1073741825" ]
}

@test "values of counters have the width of their type, and no byte behind it is read" {
	collected ./behave widths
	[ "$(counts COUNTER_SET HISTOGRAM_SUBMIT METADATA)" = \
		"COUNTER_SET 8 HISTOGRAM_SUBMIT 8 METADATA 8 0 bad, 0 lost" ]
	[ "$(awk '$2 == "COUNTER_SET" { print $4 }' "$BATS_TEST_TMPDIR/records" | xargs)" = \
		"807060504030201 807060504030201 4030201 4030201 201 201 4030201 807060504030201" ]
}

@test "texts of any bytes and length are bounded, and harm nothing" {
	run -0 collected ./behave texts
	[ -z "$output" ]
	[ "$(counts EVENT EVENT_START EVENT_END)" = "EVENT 4 EVENT_START 8 EVENT_END 0 0 bad, 0 lost" ]
	grep -q 'EVENT 2 name="nul"' "$BATS_TEST_TMPDIR/records"
	grep -q 'EVENT 3 name="\\xc3\\xa9t\\xc3\\xa9"' "$BATS_TEST_TMPDIR/records"
	grep -q 'STRING.*x\.\.\.4096" truncated' "$BATS_TEST_TMPDIR/records"
	grep -q 'THREAD_NAME.*x\.\.\.4096" truncated' "$BATS_TEST_TMPDIR/records"
}

@test "formats are told with their arguments; what isn't understood stays as it is" {
	collected ./behave formats
	spool >"$BATS_TEST_TMPDIR/records"
	grep -q 'METADATA.*text="-7 text 1.50 1099511627776 c% 0x10|ff"' "$BATS_TEST_TMPDIR/records"
	grep -q 'METADATA.*text="5 %n %s"' "$BATS_TEST_TMPDIR/records"
}

@test "threads that end with open tasks have an end, and files as long as what they told" {
	collected ./behave threads
	[ "$(counts TASK_BEGIN THREAD_START THREAD_END)" = "TASK_BEGIN 50 THREAD_START 50 THREAD_END 50 0 bad, 0 lost" ]
	[ "$(find "$VSAMP_ITT_DIR" -size -20k | wc -l)" -ge 50 ]
}

@test "an end and another beginning, a detachment, and calls behind each" {
	collected ./behave fini
	[ "$(counts TASK_BEGIN DETACH PAUSE)" = "TASK_BEGIN 5 DETACH 1 PAUSE 0 0 bad, 0 lost" ]
}

@test "calls from what runs at exit are told" {
	collected ./behave exit
	[ "$(counts TASK_BEGIN TASK_END)" = "TASK_BEGIN 3 TASK_END 3 0 bad, 0 lost" ]
}

@test "calls from signals' handlers are told or counted as lost, and break no record" {
	handled=$(collected ./behave signals)
	read -r _ begins _ ends bad _ lost _ < <(counts TASK_BEGIN TASK_END)
	[ "$bad" -eq 0 ]
	[ $((begins + ends + lost)) -eq $((2 * (300000 + handled))) ]
	[ "$lost" -le "$((2 * handled))" ]
}

@test "without a folder, or one that can't be written, the program runs as ever" {
	VSAMP_ITT_DIR='' run -0 collected ./race 2 1000
	VSAMP_ITT_DIR=/nonexistent run -0 collected ./race 2 1000
	VSAMP_ITT_DIR=/proc/self run -0 collected ./race 2 1000
	[ -z "$output" ]
	[ "$(spool)" = "0 files, 0 processes, 0 bad, 0 records, 0 lost" ]
}

@test "a spool of damaged files is read as far as they are whole" {
	collected ./behave pairs 1000
	rm "$VSAMP_ITT_DIR"/*-0-1.itt
	file=$(echo "$VSAMP_ITT_DIR"/*)
	cp "$file" "$BATS_TEST_TMPDIR/good"
	for at in 0 8 12 40 44 48 56 60 80 84 4096 4104 4105 4106 4136 5000 20000; do
		cp "$BATS_TEST_TMPDIR/good" "$file"
		printf '\xff\xff\xff\xff' | dd of="$file" bs=1 seek=$at conv=notrunc status=none
		run -0 spool
	done
	for size in 0 100 4095 4096 4100 4112 10001; do
		head -c $size "$BATS_TEST_TMPDIR/good" >"$file"
		run -0 spool
	done
	# one that was begun alone is nothing
	head -c 4096 /dev/zero >"$file"
	[ "$(spool)" = "0 files, 0 processes, 0 bad, 0 records, 0 lost" ]
	rm "$file"
	mkdir "$VSAMP_ITT_DIR/folder.itt"
	mkfifo "$VSAMP_ITT_DIR/pipe.itt"
	ln -s /etc/passwd "$VSAMP_ITT_DIR/link.itt"
	run -0 spool
	[ "$output" = "0 files, 0 processes, 3 bad, 0 records, 0 lost" ]
}
