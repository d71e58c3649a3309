#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# annotate as typed: samples of the CPU clock in programs of known code, beside what perf says of them
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
	cd "$BATS_FILE_TMPDIR" || return
	cat >work.c <<-'END'
		static volatile unsigned long sum;
		__attribute__((noinline)) static void light(unsigned long n)
		{
			while (n--)
				sum += n;
		}
		__attribute__((noinline)) void heavy(unsigned long n)
		{
			for (unsigned long i = 0; i < n; i++)
				sum += i * 3;
		}
		int main(void)
		{
			light(5000000);
			heavy(50000000);
		}
	END
	gcc -g -O1 -o work work.c
	vsamp record -q -b perf -e cpu-clock:u -o work.vsamp -- ./work
	cp "$TREE/build/tests/progs/loop" .
	vsamp record -q -b perf -e cpu-clock:u -o loop.vsamp -- ./loop
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

# The addresses of heavy that have samples, and how many
counts() {
	vsamp annotate -i work.vsamp --json "$@" |
		jq -r '.ranges[].lines[] | select(.samples[0] > 0) | "\(.address) \(.samples[0])"'
}

@test "each instruction has the samples that perf annotate gives it" {
	vsamp export -f perf -o work.data work.vsamp
	perf annotate --stdio -i work.data --show-nr-samples -s heavy 2>/dev/null |
		sed -nE 's/^ *([1-9][0-9]*) : +([0-9a-f]+):.*/0x\2 \1/p' | sort >want
	[ -s want ]
	diff want <(counts heavy | sort)
}

@test "together they are what report has, and the hottest symbol is taken if none is named" {
	want=$(vsamp report --json work.vsamp 2>/dev/null |
		jq '.symbols[] | select(.symbol == "heavy").samples[0]')
	[ "$want" -gt 20 ]
	vsamp annotate -i work.vsamp --json >out
	jq -e --argjson want "$want" '.symbol.symbol == "heavy" and .symbol.samples == [$want] and
		([.ranges[].lines[].samples[0]? | select(.)] | add) == $want' out
	jq -e '.version == 1 and .file == "work.vsamp" and .events[0].name == "cpu-clock" and
		(.symbol.module | endswith("/work")) and (.ranges | length) == 1' out
}

@test "a symbol by its name, by the module's name or path; of known code" {
	for symbol in loop loop:loop "$PWD/loop:loop"; do
		run -0 --separate-stderr vsamp annotate -i loop.vsamp "$symbol"
		[[ ${lines[0]} == "loop in $PWD/loop" ]]
		# all samples are in the two instructions that loop
		run bash -c "grep -cE '^ +[0-9.]+% +[0-9]+ +4010[0-9a-f]+:  (dec |jne )' <<<'$output'"
		[ "$output" -ge 1 ]
		[ "$output" -le 2 ]
	done
	run -0 --separate-stderr vsamp annotate -i loop.vsamp
	[ "$(grep -cE '^ +[0-9]+\.[0-9]+%' <<<"$output")" -le 2 ]
	[[ $output == *"syscall"* ]]
}

@test "source is shown whole, also where a line begins as a number of base 16 does" {
	cat >words.c <<-'END'
		double __attribute__((noinline))
		face(unsigned n)
		{
		double sum = 0;
		do
		sum += 1.0 / n;
		while (--n);
		return sum;
		}
		int main(void)
		{
			return face(50000000) < 1;
		}
	END
	gcc -g -O1 -o words words.c
	vsamp record -q -b perf -e cpu-clock:u -o words.vsamp -- ./words
	vsamp annotate -i words.vsamp -S --json face >out
	jq -r '.ranges[].lines[] | .source // empty' out >shown
	for line in 'face(unsigned n)' 'double sum = 0;' 'sum += 1.0 / n;' 'while (--n);'; do
		grep -qxF "$line" shown || { echo "no '$line' in:"; cat shown; return 1; }
	done
	vsamp annotate -i words.vsamp -S face | grep -q '  face(unsigned n)$'
}

@test "source lines and where they are, if they are asked for" {
	run -0 vsamp annotate -i work.vsamp heavy
	[[ $output != *"sum += i * 3"* && $output != *work.c* ]]
	run -0 vsamp annotate -i work.vsamp -S heavy
	[[ $output == *"sum += i * 3"* ]]
	run -0 vsamp annotate -i work.vsamp -l heavy
	[[ $output == *"work.c:10"* ]]
	vsamp annotate -i work.vsamp -S --json heavy | jq -e '[.ranges[].lines[].source? // empty] |
		any(contains("sum += i * 3"))'
}

@test "a symbol that has no samples, or is in no module of that name: those that have most" {
	for symbol in nosuch nosuch:heavy :heavy eavy; do
		run -1 --separate-stderr vsamp annotate -i work.vsamp "$symbol"
		[ -z "$output" ]
		[[ $stderr == *"no sample fell into $symbol"*work:heavy* ]]
	done
}

@test "several events are columns; -e leaves the others out" {
	vsamp record -q -b perf -e cpu-clock:u,cpu-clock -o two.vsamp -- ./work
	run -0 --separate-stderr vsamp annotate -i two.vsamp heavy
	[[ ${lines[0]} == "heavy in $PWD/work" && ${lines[1]} == "# cpu-clock:u: "* && ${lines[2]} == "# cpu-clock: "* ]]
	[[ ${lines[3]} =~ ^\ +cpu-clock:u\ +cpu-clock$ ]]
	grep -qE '^ +[0-9.]+% +[0-9]+ +[0-9.]+% +[0-9]+ +[0-9a-f]+:  ' <<<"$output"
	run -0 --separate-stderr vsamp annotate -i two.vsamp -e cpu-clock:u heavy
	[[ ${lines[1]} == "# cpu-clock:u: "* && ${lines[2]} =~ ^\ +cpu-clock:u$ ]]
}

@test "code that the kernel gives to programs" {
	printf '#include <time.h>\nint main(void) { for (long i = 0; i < 40000000; i++) time(NULL); }' >vdso.c
	gcc -O1 -o vdso vdso.c
	vsamp record -q -b perf -e cpu-clock:u -o vdso.vsamp -- ./vdso
	symbol=$(vsamp report --json vdso.vsamp 2>/dev/null |
		jq -r '.symbols[] | select(.module == "[vdso]" and .symbol != "[unknown]") | "\(.symbol) \(.samples[0])"' | head -1)
	[ -n "$symbol" ] || skip "time() of the C library is a system call here"
	vsamp annotate -i vdso.vsamp --json "[vdso]:${symbol% *}" | jq -e --argjson want "${symbol#* }" \
		'[.ranges[].lines[] | select(.code) | .samples[0]] | add == $want'
}

@test "a module that was replaced is not shown" {
	cp loop kept
	vsamp record -q -b perf -e cpu-clock:u -o kept.vsamp -- ./kept
	cp work kept
	run -1 --separate-stderr vsamp annotate -i kept.vsamp loop
	[ -z "$output" ]
	[[ $stderr == *"$PWD/kept: replaced"*build-id* ]]
	rm kept
	run -1 --separate-stderr vsamp annotate -i kept.vsamp loop
	[[ $stderr == *"$PWD/kept: not found"* ]]
}

@test "code of another architecture: objdump's failure is told, and the remedy" {
	cp loop foreign
	vsamp record -q -b perf -e cpu-clock:u -o foreign.vsamp -- ./foreign
	case $(uname -m) in
	x86_64) machine='\267' ;; # AArch64
	*) machine='\76' ;;
	esac
	# shellcheck disable=SC2059
	printf "$machine" | dd of=foreign bs=1 seek=18 conv=notrunc status=none
	objdump -d foreign >/dev/null 2>&1 && skip "this objdump knows other architectures"
	run -1 --separate-stderr vsamp annotate -i foreign.vsamp loop
	[ -z "$output" ]
	[[ $stderr == *"objdump failed"*architecture*--objdump* ]]
}

@test "objdump: another one, or none" {
	printf '#!/bin/sh\necho "$@" >args\nexec objdump "$@"\n' >dumper
	chmod +x dumper
	run -0 --separate-stderr vsamp annotate -i loop.vsamp --objdump ./dumper
	[[ $output == *dec* ]]
	grep -q -- --start-address=0x401005 args
	run -1 --separate-stderr vsamp annotate -i loop.vsamp --objdump './no such; touch hacked'
	[[ $stderr == *"no such"*binutils*--objdump* ]]
	[ ! -e hacked ]
}

@test "the kernel's code needs its file" {
	"$TREE"/build/tests/progs/make_file kernel.vsamp
	run -1 --separate-stderr vsamp annotate -i kernel.vsamp work_a
	[[ $stderr == *"work_a in [kernel]"*vmlinux* ]]
	run -1 --separate-stderr vsamp annotate -i kernel.vsamp --vmlinux loop work_a
	[[ $stderr == *"loop is not"*build-id* ]]
}

@test "wrong calls" {
	run -2 vsamp annotate --bogus
	[[ $output == *--bogus* ]]
	run -2 vsamp annotate one two
	[[ $output == *two* ]]
	run -1 vsamp annotate -i nosuch.vsamp
	[[ $output == *nosuch.vsamp* ]]
	run -2 vsamp annotate -i work.vsamp -e nosuch
	[[ $output == *nosuch*cpu-clock* ]]
}
