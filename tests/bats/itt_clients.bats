#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs of others, which tell of their tasks by static parts that nobody here made, under vsamp
# record: what it has of them are the calls that tests/itt/count.c, between them and libvsamp-itt.so,
# counts in the same runs. ITT_RUNS says how many of each program; 10 are in a recording.

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export TESTS=$TREE/tests/itt PATH=$TREE/build:$PATH RUNS=${ITT_RUNS:-100}
	make -s -C "$TREE" user build/tests/itt/print_spool
	cd "$BATS_FILE_TMPDIR" || return
	gcc -D_GNU_SOURCE -shared -fPIC -O2 -o count.so "$TESTS/count.c"
	cat >run_times <<-EOF2
		#!/bin/bash
		# usage: run_times N COMMAND [ARGUMENT]...: under both collectors; without a folder for
		# the counts, under vsamp's alone
		if [ -n "\$ITT_COUNT_DIR" ]; then
			export ITT_COUNT_NEXT=\$INTEL_LIBITTNOTIFY64 INTEL_LIBITTNOTIFY64=$PWD/count.so
		fi
		for ((i = 0; i < \$1; i++)); do
			timeout 60 "\${@:2}" || exit
		done
	EOF2
	chmod +x run_times
	g++ -O1 -std=c++17 -DTBB_USE_PROFILING_TOOLS=2 -o tbb "$TESTS/tbb.cpp" -ltbb -ltbbmalloc
	clang -O1 -g -fopenmp -o omp "$TESTS/omp.c"
	gcc -O1 -o dnnl "$TESTS/dnnl.c" -ldnnl
	g++ -O1 -std=c++17 -I/usr/include/opencv4 -o opencv "$TESTS/opencv.cpp" -lopencv_core
	printf 'int main(void) { return 0; }\n' >linked.c
	gcc -c linked.c
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	unset VSAMP_ITT_DIR VSAMP_ITT_LIMIT VSAMP_ITT_CLOCK INTEL_LIBITTNOTIFY64
	export TMPDIR=$BATS_TEST_TMPDIR ITT_COUNT_DIR=$BATS_TEST_TMPDIR/counts OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
}

# recorded N COMMAND [ARGUMENT]...: what vsamp said is in said
recorded() {
	rm -rf "$ITT_COUNT_DIR"
	mkdir "$ITT_COUNT_DIR"
	vsamp record -q -b perf -e cpu-clock -o data ./run_times "$@" 2>said
}

# compared [OPTION]...: of the recording and its report
compared() {
	print_spool data >records
	vsamp report --itt --json data >rows.json 2>/dev/null || [ ! -s rows.json ]
	"$TESTS/compare.py" "$ITT_COUNT_DIR" records --report rows.json "$@" >compared || {
		cat compared
		return 1
	}
}

print_spool() {
	"$TREE/build/tests/itt/print_spool" "$@"
}

# runs N COMMAND [ARGUMENT]...: that all are as counted, but for N calls that were under way at the end
# of each. calls NAME: those that were counted, per run
runs() {
	local i
	for ((i = 0; i < RUNS; i += 10)); do
		recorded 10 "${@:2}"
		grep vsamp said && return 1
		compared --under-way "$1"
		cat records >>"$BATS_TEST_TMPDIR/all"
	done
}

# alone COMMAND [ARGUMENT]...: 10 runs without the other collector. told TYPE: its records, per run
alone() {
	ITT_COUNT_DIR='' vsamp record -q -b perf -e cpu-clock -o data ./run_times 10 "$@" 2>said
	grep vsamp said && return 1
	print_spool data >records
	vsamp report --itt --json data >rows.json 2>/dev/null
	grep -E ' LOST |name=\?' records && return 1
	[ "$(awk '$2 == "DOMAIN" { split($1, id, "/"); print id[1] }' records | sort -u | wc -l)" -ge 10 ]
}

told() {
	echo $(($(grep -c "^[0-9/]* $1 " records) / 10))
}

calls() {
	awk -v name="__itt_$1" '$1 == name { print int($2 / 10) }' compared
}

# rows NAME DOMAIN: so many tasks of each run
rows() {
	jq --arg name "$1" --arg domain "$2" '.rows[] | select(.kind == "task" and .name == $name and .domain == $domain) | .count / 10' rows.json
}

@test "TBB: what is recorded of all runs are the calls that were made" {
	runs 0 ./tbb
	[ "$(calls region_begin)" -eq 20 ]
	[ "$(rows body tbb.flow)" -eq 20 ]
	grep -q 'THREAD_NAME.*text="TBB Worker Thread"' "$BATS_TEST_TMPDIR/all"
	# several segments of a file
	recorded 1 ./tbb 300
	compared
	[ "$(wc -l <records)" -gt 200000 ]
	# one less, and it is seen
	sed -i '0,/TASK_END/{/TASK_END/d}' records
	run -1 "$TESTS/compare.py" "$ITT_COUNT_DIR" records
	[[ $output == *"{'TASK_END': 1}"* ]]
	alone ./tbb
	[ "$(told REGION_BEGIN)" -eq 20 ]
	[ "$(rows body tbb.flow)" -eq 20 ]
}

@test "OpenMP of LLVM: what is recorded of all runs are the calls that were made" {
	runs 0 ./omp
	# the program's own thread, one more in the first loop, and another for three
	[ "$(calls thr_name_set)" -eq 3 ]
	alone ./omp
	[ "$(told THREAD_NAME)" -eq 3 ]
	# begin and end, which the collector's clock gave
	awk '$2 == "FRAME_SUBMIT" && $4 != $5 && length($4) > 6 { n++ } END { exit !n }' records
	grep -q 'STRING.*OMP Critical' records
	grep -q 'DOMAIN.*name="main$omp$parallel:2@' records
}

@test "oneDNN: what is recorded of all runs are the calls that were made" {
	runs 0 ./dnnl
	# 5 products on 2 threads
	[ "$(rows matmul dnnl::primitive::execute)" -eq 10 ]
	alone ./dnnl
	[ "$(rows matmul dnnl::primitive::execute)" -eq 10 ]
}

# Threads of TBB are there when these end
@test "OpenCV: what is recorded of all runs are the calls that were made" {
	runs 2 ./opencv
	[ "$(calls task_begin)" -gt 0 ]
	alone ./opencv
	[ "$(told TASK_BEGIN)" -gt 0 ]
	# Debian's has none of its own
	run ! grep -q INTEL_LIBITTNOTIFY64 "$(ldd opencv | awk '/libopencv_core/ { print $3 }')"
}

@test "mold: what is recorded of all runs are the calls that were made" {
	local link=(gcc -fuse-ld=mold "-Wl,--thread-count=2" -o linked linked.o)
	runs 2 "${link[@]}"
	[ "$(calls task_begin)" -gt 0 ]
	alone "${link[@]}"
	[ "$(told TASK_BEGIN)" -gt 0 ]
	./linked
	readelf -p .comment linked | grep -q mold
}

@test "a program that is killed at any moment: the recording is whole, and has what was told" {
	# ms until it is killed
	for ms in $(shuf -r -i 0-10 -n $((RUNS / 10))) $(shuf -r -i 10-50 -n $((RUNS / 10))); do
		rm -rf "$ITT_COUNT_DIR"
		recorded 1 ./tbb 1000000 &
		until pid=$(ls "$ITT_COUNT_DIR" 2>/dev/null) && [ -n "$pid" ]; do
			kill -0 $!
			sleep 0.01
		done
		sleep "$(printf '0.%03d' "$ms")"
		kill -KILL "$pid"
		wait $! || [ $? -eq 137 ]
		echo "$ms ms: $(cat said)"
		run ! grep vsamp said
		# it has 3 threads
		compared --under-way 3
		run -0 vsamp info data
	done
}
