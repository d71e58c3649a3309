#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# diff as typed: files of known contents (tests/progs/make_file.c), and what perf diff says of real samples
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
	cd "$BATS_FILE_TMPDIR" || return
	"$TREE"/build/tests/progs/make_file plain
	"$TREE"/build/tests/progs/make_file sets --sets
	"$TREE"/build/tests/progs/make_file mux --mux
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

row() {
	printf '%s\n' "$output" | tr -s ' ' | grep -qxF -- "$1"
}

# plain: 60, 30 and 10 of 100 samples at 1000; sets: 15 at 1000, 20 at 500, of 25000 events together
@test "shares of events: where Sample-After values differ, numbers of samples don't count" {
	run -0 --separate-stderr vsamp diff -e inst_retired plain sets
	row "# 0: plain, 2.000 s (baseline)"
	row "# compared: shares of each recording's own events, in percent"
	row "# 0: 100 samples for 100000 events, 5e+04 a second"
	row "# 1: 35 samples for 25000 events, 5e+04 a second (1.00 times the baseline's)"
	row " baseline delta ratio module symbol"
	[ "$(tail -3 <<<"$output" | tr -s ' ')" = " 30.00% +10.00% 1.33 [mod] work_b
 10.00% -10.00% gone [unknown] [unknown]
 60.00% +0.00% 1.00 [kernel] work_a" ]
}

# 2 s; sets: 0.5 s
@test "events a second" {
	run -0 --separate-stderr vsamp diff --per-second -e inst_retired plain sets
	row "# compared: events a second"
	[ "$(tail -3 <<<"$output" | tr -s ' ')" = " 15000 +5000 1.33 [mod] work_b
 5000 -5000 gone [unknown] [unknown]
 30000 +0 1.00 [kernel] work_a" ]
	# time slices: 25 samples at 1000 in a quarter of 2 s; 30 at 500 in three quarters, for 20000
	run -0 --separate-stderr vsamp diff --per-second mux mux
	row " 50000 +0 1.00 [kernel] work_a"
	row "# 1: 30 samples for 20000 events, 1e+04 a second (1.00 times the baseline's)"
}

@test "a symbol that is new; rows asked for; other keys" {
	run -0 --separate-stderr vsamp diff -e inst_retired -s symbol sets plain
	row " 0.00% +10.00% new [unknown]"
	run -0 --separate-stderr vsamp diff -e inst_retired -n 1 sets plain
	[ "$(tail -1 <<<"$output")" = "  ... (-n 1)" ]
	run -0 --separate-stderr vsamp diff -e inst_retired -s process,cpu plain plain
	row " 60.00% +0.00% 1.00 one 0"
	row " baseline delta ratio process cpu"
}

@test "several files: each beside the baseline" {
	run -0 --separate-stderr vsamp diff -e inst_retired plain sets plain
	row " baseline delta 1 ratio 1 delta 2 ratio 2 module symbol"
	row " 30.00% +10.00% 1.33 +0.00% 1.00 [mod] work_b"
}

@test "vsamp.data.old and vsamp.data where no file is named" {
	cp plain vsamp.data.old
	cp sets vsamp.data
	run -0 --separate-stderr vsamp diff
	row "# 0: vsamp.data.old, 2.000 s (baseline)"
	row " 30.00% +10.00% 1.33 [mod] work_b"
	run -2 vsamp diff plain
	[[ $output == *plain*baseline* ]]
}

@test "--json has what docs/json.md promises" {
	vsamp diff --json -e inst_retired plain sets 2>/dev/null >out
	jq -e '.version == 1 and .compared == "share" and [.files[].file] == ["plain", "sets"] and
		[.events[0].recordings[] | [.name, .samples, .estimated]] ==
			[["INST_RETIRED", 100, 100000], ["INST_RETIRED", 35, 25000]]' out
	jq -e '.events[0].rows == [
		{module: "[mod]", symbol: "work_b", samples: [30, 20], events: [30000, 10000], values: [30, 40],
			deltas: [0, 10], ratios: [1, 4 / 3]},
		{module: "[unknown]", symbol: "[unknown]", samples: [10, 0], events: [10000, 0], values: [10, 0],
			deltas: [0, -10], ratios: [1, 0]},
		{module: "[kernel]", symbol: "work_a", samples: [60, 15], events: [60000, 15000], values: [60, 60],
			deltas: [0, 0], ratios: [1, 1]}]' out
	vsamp diff --json --per-second sets plain 2>/dev/null | jq -e '.compared == "rate" and
		(.events[0].rows[] | select(.symbol == "[unknown]").ratios == [null, null])'
}

@test "real samples, of other Sample-After values and builds: shares and differences as of perf diff" {
	cat >work.c <<-'END'
		static volatile unsigned long sum;
		__attribute__((noinline)) void light(unsigned long n)
		{
			while (n--)
				sum += n;
		}
		__attribute__((noinline)) void heavy(unsigned long n)
		{
			while (n--)
				sum += n * 3;
		}
		int main(void)
		{
			light(LIGHT);
			heavy(50000000);
		}
	END
	mkdir -p one two
	gcc -O1 -DLIGHT=10000000 -o one/work work.c
	gcc -O1 -DLIGHT=50000000 -o two/work work.c
	vsamp record -q -b perf -e cpu-clock:u:sav=1000000 -o one.vsamp -- one/work
	vsamp record -q -b perf -e cpu-clock:u:sav=300000 -o two.vsamp -- two/work
	for i in one two; do
		vsamp export -f perf -o $i.data $i.vsamp
	done
	perf diff -c delta -s dso,sym one.data two.data 2>/dev/null |
		sed -nE 's/^ *([0-9.]+%) +([-+][0-9.]+%) +work +\[\.\] (light|heavy) *$/\1 \2 work \3/p' | sort >want
	[ "$(wc -l <want)" -eq 2 ]
	vsamp diff one.vsamp two.vsamp 2>/dev/null | tr -s ' ' |
		sed -nE 's/^ ([0-9.]+%) ([-+][0-9.]+%) [0-9.]+ work (light|heavy)$/\1 \2 work \3/p' | sort >ours
	diff want ours
}

@test "recordings without an event in common are refused, with what each has" {
	[ -e one.vsamp ] || vsamp record -q -b perf -e cpu-clock:u -o one.vsamp -- "$TREE"/build/tests/progs/loop
	run -1 --separate-stderr vsamp diff plain one.vsamp
	[ -z "$output" ]
	[[ $stderr == *"no event in common"*"-e"*"plain: INST_RETIRED, BR_INST:u"*"one.vsamp: cpu-clock:u"* ]]
	run -1 vsamp diff plain nosuch
	[[ $output == *nosuch* ]]
	run -2 vsamp diff -e nosuch plain sets
	[[ $output == *nosuch*INST_RETIRED* ]]
	run -2 vsamp diff --sort bogus plain sets
	[[ $output == *bogus*module* ]]
	run -2 vsamp diff --bogus plain sets
	[[ $output == *--bogus* ]]
}
