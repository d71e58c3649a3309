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

@test "wrong calls" {
	run -2 vsamp gen
	[ "$output" = "vsamp: gen: say model or disassemble ('vsamp gen -h' has the options)" ]
	run -2 vsamp gen disassemble
	[[ $output == *"which FILE?"* ]]
	run -2 vsamp gen disassemble -p
	[[ $output == *"-p needs a value"* ]]
	run -2 vsamp gen disassemble --json xe.bin
	[[ $output == *"these options don't go together"* ]]
	run -2 vsamp gen model a b
	[[ $output == *"what is 'b'?"* ]]
}
