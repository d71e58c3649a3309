#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# vsamp record of programs that tell of their tasks by ITT

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export ITT=$TREE/lib/itt/static TESTS=$TREE/tests/itt EXAMPLES=$TREE/docs/examples/itt PATH=$TREE/build:$PATH
	make -s -C "$TREE" user
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset VSAMP_ITT_DIR INTEL_LIBITTNOTIFY64
	export TMPDIR=$BATS_TEST_TMPDIR
}

@test "vsamp record has the command's tasks, and says where it can't" {
	sed 's/work(1)/work(60)/' "$EXAMPLES/example_tasks.c" >long.c
	gcc -O2 -I"$ITT" -I"$EXAMPLES" -o long long.c "$TREE/build/libvsamp-ittnotify.a"
	run -0 vsamp record -q -b perf -e cpu-clock -o data ./long
	[ -z "$output" ]
	[ -z "$(find "$TMPDIR" -name 'vsamp-itt*')" ]
	vsamp report --sort task data >rows
	grep -q 'My Task (MyTraces.MyDomain)' rows
	grep -q 'My SubTask (MyTraces.MyDomain)' rows
	# a third of My Task is in My SubTask
	awk '/My Task/ { outer = $2 } /My SubTask/ { inner = $2 }
		END { exit !(inner > 4 && inner / (inner + outer) > 0.2 && inner / (inner + outer) < 0.5) }' rows
	vsamp record -q -b perf -e cpu-clock --itt off -o data ./long
	run -1 vsamp report --sort task data
	INTEL_LIBITTNOTIFY64=/nonexistent run -0 vsamp record -b perf -e cpu-clock -o data ./long
	[[ $output == *"INTEL_LIBITTNOTIFY64 is set to /nonexistent"* ]]
	run -2 vsamp record --itt=perhaps ./long
	[[ $output == *"--itt is on or off"* ]]
}

# built NAME SOURCE: as C, and as C++ by the name with ++
built() {
	gcc -std=c99 -O2 -I"$ITT" -o "$1" "$2" "$TREE/build/libvsamp-ittnotify.a"
	g++ -std=c++11 -O2 -I"$ITT" -x c++ -o "$1++" "$2" -x none "$TREE/build/libvsamp-ittnotify.a"
}

# told PROGRAM: what the report has of its tasks and events, a line each: kind, count, marks, cut, units
# of 1 ms with what is nested and without, name
told() {
	vsamp record -q -b perf -e cpu-clock -o data "$1"
	vsamp report --itt --json data | jq -r '.rows | sort_by(.name)[] |
		[.kind, .count, .ticks, .cut, (.inclusive.total_ns, .exclusive.total_ns) / 1000000, .name] | join(" ")'
}

@test "the example of tasks: 3 units of My Task, 2 of them its own, and 1 of My SubTask" {
	# by a clock of its own, whose times are exact
	cp "$EXAMPLES/example_tasks.c" exact.c
	cp "$TESTS/units.h" work.h
	built exact exact.c
	for form in "" ++; do
		told ./exact$form | diff <(printf '%s\n' 'task 1 0 0 1 1 My SubTask' 'task 1 0 0 3 2 My Task') -
	done
	built tasks "$EXAMPLES/example_tasks.c"
	for form in "" ++; do
		[ "$(told ./tasks$form | cut -d' ' -f1-4,7-)" = $'task 1 0 0 My SubTask\ntask 1 0 0 My Task' ]
	done
}

@test "the example of marks: one User Mark, and one Frame Completed each frame" {
	built marks "$EXAMPLES/example_marks.c"
	for form in "" ++; do
		told ./marks$form | diff <(printf '%s\n' 'event 5 5 0 0 0 Frame Completed' 'event 1 1 0 0 0 User Mark') -
	done
}

@test "the example of regions: a duration of Rendering Phase each frame" {
	built regions "$EXAMPLES/example_regions.c"
	for form in "" ++; do
		[ "$(told ./regions$form | cut -d' ' -f1-4,7-)" = "event 5 0 0 Rendering Phase" ]
		vsamp report --itt --json data | jq -e '.rows[0] | .inclusive.min_ns > 0 and
			.inclusive.total_ns == .exclusive.total_ns and .inclusive.total_ns >= 5 * .inclusive.min_ns'
	done
}

@test "vsamp record --rotate has in each file what was told meanwhile, what goes on, and all names" {
	make -s -C "$TREE" build/tests/itt/print_spool
	gcc -D_GNU_SOURCE -O2 -I"$ITT" -o behave "$TESTS/behave.c" "$TREE/build/libvsamp-ittnotify.a" -lpthread
	told=$(vsamp record -q -b perf -e cpu-clock --rotate 1s -o data ./behave steady 2500)
	begins=0
	files=(data.*)
	[ "${#files[@]}" -ge 3 ]
	for f in "${files[@]}"; do
		"$TREE/build/tests/itt/print_spool" "$f" >records
		run ! grep -q 'name=?\|back$' records
		begins=$((begins + $(grep -c 'TASK_BEGIN.*name="task"' records || true)))
		[ "$(grep -c 'THREAD_NAME.*text="steady"' records)" -eq 1 ]
		grep -q 'MAPPING.*behave"' records
	done
	[ "$begins" -eq "$told" ]
	# begun once, and going on in what comes next
	for f in "${files[@]:0:3}"; do
		"$TREE/build/tests/itt/print_spool" "$f" >records
		grep -o 'TASK_BEGIN.*name="outer".*' records
		grep -o 'REGION_BEGIN.*name="outer".*' records
		vsamp report --itt "$f" >text
		grep -q outer text && grep -q task text
	done >begun
	[ "$(grep -c 'TASK_BEGIN' begun)" -eq 3 ] && [ "$(grep -c 'REGION_BEGIN' begun)" -eq 3 ]
	[ "$(grep -c ' continued$' begun)" -eq 4 ]
	# the counter's last value, of what was added in all files
	"$TREE/build/tests/itt/print_spool" "${files[-1]}" | awk '$2 == "COUNTER_ADD" { print $4 }' >adds
	sum=0
	while read -r n; do sum=$((sum + 0x$n)); done <adds
	[ "$sum" -eq "$told" ]
	[ -z "$(find "$TMPDIR" -name 'vsamp-itt*')" ]
}
