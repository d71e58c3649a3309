#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# vsamp gen: bytes whose text is known from Intel's assembler
# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

setup() {
	PATH=$BATS_TEST_DIRNAME/../../build:$PATH
	cd "$BATS_TEST_TMPDIR" || return
	# of Xe: sync.nop null; (W) jmpi, 32 bytes on from itself; sync.allwr 0x3; goto, 32 and 48 on
	xxd -r -p >xe.bin <<-END
		01000080000001000000000000000000
		20000080004000000000000020000000
		01000080004201000000003003000000
		2e00040100c000003000000020000000
		00000000000000000000000000000000
	END
}

@test "model: of all platforms, as JSON" {
	run -0 --separate-stderr vsamp gen model --json
	[ "$(jq -c '[.version, [.platforms[] | [.name, .registers, .register_bytes, .block_bytes, .tokens, .int64, .flag_registers]]]' <<<"$output")" = \
		'[1,[["gen9",128,32,128,0,true,2],["gen11",128,32,128,0,false,2],["xe",256,32,128,16,false,2],["xe-hpg",256,32,256,16,false,2],["xe-hpc",256,64,512,32,true,4]]]' ]
}

@test "model: of one, by what others call it" {
	run -0 --separate-stderr vsamp gen model dg2
	[[ $output == "xe-hpg  (iga64 -p=12p71, ocloc -device dg2)"* ]]
	[[ $output != *"xe-hpc"* ]]
	run -2 vsamp gen model xe5
	[ "$output" = "vsamp: gen: there is no platform 'xe5': there are gen9, gen11, xe, xe-hpg and xe-hpc" ]
}

@test "disassemble: bytes, with places and labels" {
	run -0 --separate-stderr vsamp gen disassemble -p xe xe.bin
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[0]} == "/*      0 */ (W) sync.nop null"* ]]
	[[ ${lines[1]} == "/*     10 */ (W) jmpi L48"* ]]
	[[ ${lines[2]} == "/*     20 */ (W) sync.allwr 0x3"* ]]
	[[ ${lines[3]} == "/*     30 */ (f0.0) goto (16|M0) L80 L96"* ]]
}

@test "disassemble: what is no instruction is said, with its place" {
	head -c 40 xe.bin >cut.bin
	run -1 --separate-stderr vsamp gen disassemble -p xe cut.bin
	[ "${#lines[@]}" -eq 2 ]
	[ "$stderr" = "vsamp: gen: at byte 32: no instruction of xe begins there" ]
}

@test "disassemble: a file of another kind, one that isn't there, a kernel that isn't" {
	run -1 vsamp gen disassemble xe.bin
	[[ $output == "vsamp: gen: xe.bin: no zebin file: ocloc makes one with IGC_EnableZEBinary=1 in its environment; -p PLATFORM reads bytes of instructions alone" ]]
	run -1 vsamp gen disassemble none.bin
	[ "$output" = "vsamp: gen: none.bin: No such file or directory" ]
	run -1 vsamp gen disassemble .
	[[ $output == *"not a file of at most 256 MiB that can be read" ]]
}

@test "disassemble: kernels of the compiler" {
	echo 'kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }
	      kernel void thrice(global int *a) { a[get_global_id(0)] *= 3; }' >k.cl
	IGC_EnableZEBinary=1 ocloc compile -q -file k.cl -device skl -output k -options "-ze-gtpin-grf-info -ze-gtpin-rera"
	run -0 --separate-stderr vsamp gen disassemble k_Gen9core.bin
	[ "$(grep -c '^// .*: SIMD32, 128 registers, entry at [0-9a-fx]*, free: ' <<<"$output")" -eq 2 ]
	[ "$(grep -c 'EOT' <<<"$output")" -eq 2 ]
	run -0 --separate-stderr vsamp gen disassemble -k thrice k_Gen9core.bin
	[[ ${lines[0]} == "// thrice: "* ]]
	[ "$(grep -c 'EOT' <<<"$output")" -eq 1 ]
	[ "$(grep -c '0x3:' <<<"$output")" -ge 1 ]
	run -1 vsamp gen disassemble -k fourth k_Gen9core.bin
	[ "$output" = "vsamp: gen: k_Gen9core.bin has no kernel 'fourth'" ]
}

# of dg2: a kernel with a loop, and one without
compile_kernels() {
	echo 'kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }
	      kernel void sums(global int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; a[n] = s; }' >k.cl
	IGC_EnableZEBinary=1 ocloc compile -q -file k.cl -device dg2 -output k \
		-options "-ze-gtpin-grf-info -ze-gtpin-rera"
	mv k_*dg2.bin k.bin
}

@test "instrument: a file beside it, what a loader has to know, and a report of what the buffer has" {
	compile_kernels
	run -0 --separate-stderr vsamp gen instrument -t bbl --json --buffer 0x1234567840 k.bin
	[ "$(jq -c '[.version, .tool, .file, .buffer_address, .buffer_bytes % 8, [.kernels[].name]]' <<<"$output")" = \
		'[1,"bbl","k.bin.bbl",78187493440,0,["twice","sums"]]' ]
	# the address that the code has is the one that was given, in two halves
	low=$(jq '.kernels[1].address_low_at' <<<"$output")
	blocks=$(jq '.buffer_bytes / 8' <<<"$output")
	run -0 vsamp gen disassemble -k sums k.bin.bbl
	grep -q "^/\* *$(printf %x $((low / 16 * 16))) \*/ (W) mov (1|M0) r[0-9.]*<1>:ud 0x34567840:ud" <<<"$output"
	for ((i = 1; i <= blocks; i++)); do
		printf '%b' "\\x$(printf %x $i)\0\0\0\0\1\0\0"
	done >dump
	run -0 --separate-stderr vsamp gen report -t bbl -d dump --json k.bin
	[ "$(jq -c "[.rows[].executed] == [range(1; $blocks + 1) | . + 1099511627776]" <<<"$output")" = true ]
	run -0 --separate-stderr vsamp gen report --tool=bbl --dump dump k.bin
	[ "${#lines[@]}" -eq $((blocks + 1)) ]
	[[ ${lines[0]} =~ ^kernel\ +offset\ +instructions\ +executed$ ]]
	[[ ${lines[1]} =~ ^twice\ +0x[0-9a-f]+\ +[0-9]+\ +1099511627777$ ]]
}

@test "instrument: only one kernel; the other is as it was" {
	compile_kernels
	run -0 --separate-stderr vsamp gen instrument -t timers -k sums -o made --json k.bin
	[ "$(jq -c '[.buffer_bytes, .kernels[0].procedures, .kernels[0].address_low_at]' <<<"$output")" = '[24,0,null]' ]
	[ "$(vsamp gen disassemble -k twice made)" = "$(vsamp gen disassemble -k twice k.bin)" ]
	[ "$(vsamp gen disassemble -k sums made)" != "$(vsamp gen disassemble -k sums k.bin)" ]
	run -0 vsamp gen instrument -t timers -k sums -o made k.bin
	[[ ${lines[0]} == "made: how long the threads of each kernel run; the buffer, zeros at first, has 24 bytes, at address 0" ]]
}

@test "report: the opcodes whose number no block tells have none; times that are lost are said" {
	compile_kernels
	vsamp gen instrument -t opcodes k.bin >/dev/null
	head -c 4096 /dev/zero >dump
	run -0 --separate-stderr vsamp gen report -t opcodes -d dump k.bin
	[[ $output =~ sums\ +(join|while)\ +-$'\n' || $output =~ sums\ +(join|while)\ +-$ ]]
	[[ $(vsamp gen report -t opcodes -d dump --json k.bin | jq -c '[.rows[].executed] | unique') = '[null]' ]]
	# 7 threads, of which 3 are lost, took 0x20
	printf ' \0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0' >dump
	run -0 --separate-stderr vsamp gen report -t timers -k sums -d dump k.bin
	[[ ${lines[1]} =~ ^sums\ +7\ +32\ +8\ +3$ ]]
	[ "$stderr" = "vsamp: gen: 3 of 7 records were lost: the timer's 32 bits were too few" ]
}

@test "report: a trace that says anything" {
	compile_kernels
	run -0 --separate-stderr vsamp gen instrument -t memtrace --records 4 -k twice --json k.bin
	bytes=$(jq .buffer_bytes <<<"$output")
	# more records than there is room for, and all of them of messages that there aren't
	head -c "$bytes" /dev/zero | tr '\0' '\377' >dump
	run -0 --separate-stderr vsamp gen report -t memtrace --records 4 -k twice -d dump --json k.bin
	[ "$(jq -c '[.written, .rows]' <<<"$output")" = '[0,[]]' ]
	[[ $output == *'"lost":18446744073709551615,'* ]] # jq has no such numbers
	# two that were taken, and never written
	{ printf '\2'; head -c "$((bytes - 1))" /dev/zero; } >dump
	run -0 --separate-stderr vsamp gen report -t memtrace --records 4 -k twice -d dump k.bin
	[ "$stderr" = "vsamp: gen: 2 of 2 records were lost; --records makes room for more" ]
}

@test "instrument, report: what can't be is told, and nothing is made" {
	compile_kernels
	run -2 vsamp gen instrument -t nothing k.bin
	[ "$output" = "vsamp: gen: there is no tool 'nothing': there are opcodes, bbl, timers and memtrace" ]
	run -1 vsamp gen instrument -t bbl xe.bin
	[ "$output" = "vsamp: gen: xe.bin: no zebin file: ocloc makes one with IGC_EnableZEBinary=1 in its environment" ]
	run -1 vsamp gen instrument -t bbl -k fourth k.bin
	[ "$output" = "vsamp: gen: k.bin has no kernel 'fourth'" ]
	run -2 vsamp gen instrument -t bbl -o ./k.bin k.bin
	[[ $output == *"-o: './k.bin': is what is read: give another name" ]]
	run -1 vsamp gen instrument -t bbl -o none/made k.bin
	[[ $output == *"none/made: can't be written: No such file or directory" ]]
	run -1 vsamp gen instrument -t bbl -o /dev/full k.bin
	[[ $output == *"/dev/full: can't be written: No space left on device" ]]
	run -2 vsamp gen instrument -t bbl --buffer 100 k.bin
	[[ $output == *"'100'"*"an address, a multiple of 64"* ]]
	run -2 vsamp gen instrument -t memtrace --records 0 k.bin
	[[ $output == *"'0'"*"a number from 1 to 16777216"* ]]
	run -1 vsamp gen instrument -t memtrace --records 16777216 k.bin
	[ "$output" = "vsamp: gen: k.bin: sums: out of range; a buffer has at most 4 GiB, of which --records takes the most" ]
	head -c 8 /dev/zero >dump
	run -1 vsamp gen report -t bbl -d dump k.bin
	[[ $output == "vsamp: gen: dump has 8 bytes, the buffer of bbl has "*": it is cut, or of other options or another FILE" ]]
	run -1 vsamp gen report -t bbl -d none k.bin
	[[ $output == "vsamp: gen: none: No such file or directory" ]]
	[ "$(echo k.bin.* made none)" = "k.bin.* made none" ]
}

@test "instrument: a kernel whose compiler wasn't asked what it leaves" {
	echo 'kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }' >k.cl
	IGC_EnableZEBinary=1 ocloc compile -q -file k.cl -device dg2 -output k
	run -1 vsamp gen instrument -t bbl -o made k_*dg2.bin
	[[ $output == *"-ze-gtpin-grf-info"* ]]
	[ ! -e made ]
}

@test "wrong calls" {
	run -2 vsamp gen
	[ "$output" = "vsamp: gen: say model, disassemble, instrument or report ('vsamp gen -h' has the options)" ]
	run -2 vsamp gen disassemble
	[[ $output == *"which FILE?"* ]]
	run -2 vsamp gen disassemble -p
	[[ $output == *"'-p': needs a value; 'vsamp gen -h' tells the options" ]]
	run -2 vsamp gen disassemble --json xe.bin
	[[ $output == *"these options don't go together"* ]]
	run -2 vsamp gen model a b
	[[ $output == *"'b': one name is enough"* ]]
}
