#!/bin/bash
# SPDX-License-Identifier: MIT
# Call stacks by each backend, in a guest with two CPUs and a PMU: those that perf record -g finds in
# the same program. ./chain retires about 90 000 000 instructions in user mode, with frame pointers,
# and 2 000 000 in the kernel.
. ./tap.sh
set -o pipefail

backends=${*:-intel kperf perf}

# callers: of stacks, a line each and innermost first, the most frequent without its innermost
# address, and its number
callers() {
	cut -d' ' -f2- | sort | uniq -c | sort -rn | sed -n '1s/^ *//p'
}

# The same of what perf recorded: stacks as they are in its file, lists whose markers are -4095 and up
perf_callers() {
	perf script -i "$1" -D 2>/dev/null | awk '
		/^\.\.\. FP chain: / { chain = 1; s = ""; next }
		chain && /^\.\.\.\.\. / { if ($3 !~ /^fffffffffffff/) { sub(/^0+/, "", $3); s = s (s == "" ? "" : " ") $3 }; next }
		chain { print s; chain = 0 }' | callers
}

# begins STACK OTHERS: whether OTHERS begins with STACK, and STACK reaches main()
begins() {
	[[ $2\  == $1\ * && $1 == *"$main"* ]] && return
	echo "'$1' is not what '$2' begins with, or doesn't reach $main"
	return 1
}

# names FILE: of the report, the most frequent way from a row to its outermost caller
names() {
	vsamp report -g --json --percent-limit 0 "$1" | jq -r '
		def ways: .symbol as $s | if .module == null then {way: [], n: .samples[0]}
			elif .callers == [] then {way: [$s], n: .samples[0]}
			else .callers[] | ways | {way: ([$s] + .way), n} end;
		[.rows[] | ways] | max_by(.n).way | join(" ")'
}

# an odd number, so that it doesn't beat with what the kernel does again and again
declare -A sav=([instructions:u]=100000 [instructions:k]=11003)

for event in "${!sav[@]}"; do
	perf record -q -g -e "$event" -c "${sav[$event]}" -o "theirs.$event" ./chain
done
main=$(perf_callers theirs.instructions:u | cut -d' ' -f4)
check "perf found callers in user mode" test "$(perf_callers theirs.instructions:u | wc -w)" -ge 4
check "perf found callers in the kernel" test "$(perf_callers theirs.instructions:k | wc -w)" -ge 8

for b in $backends; do
	for event in "${!sav[@]}"; do
		file=$b.$event
		check "$b, $event: records" vsamp record -q -b "$b" -g -e "$event:sav=${sav[$event]}" -o "$file" -- ./chain
		theirs=$(perf_callers "theirs.$event")
		ours=$(./print_stacks "$file" | callers)
		# what called main() has no frame pointers: perf goes on there as long as it can read
		check "$b, $event: the callers met most are perf's" begins "${ours#* }" "${theirs#* }"
		check "$b, $event: as often as by perf" within "${ours%% *}" \
			$((${theirs%% *} * 8 / 10)) $((${theirs%% *} * 12 / 10))
		check "$b, $event: nothing is lost" equal "$(vsamp report --json "$file" | jq .lost)" 0
		check "$b, $event: all of the kernel's callers are found, but for its odd places" equal \
			"$(vsamp report --json "$file" | jq '.stacks | .kernel_cut * 20 < .samples')" true
	done
	check "$b: their names are the program's" equal "$(names "$b.instructions:u" | cut -d' ' -f1-4)" "inner middle outer main"
	check "$b: from the kernel they lead to the program's" grep -q ' fill middle outer main\| middle outer main' \
		<(names "$b.instructions:k")
	check "$b: an event of user mode has no frames of the kernel" equal \
		"$(vsamp info --json "$b.instructions:u" | jq -c '[.stacks.kernel, .stacks.user, .stacks.depth]')" '[false,true,127]'

	vsamp record -q -b "$b" -g --stack-depth 2 -e instructions:sav=100000 -o "$b.short" -- ./chain
	check "$b: no more frames than asked for" equal "$(./print_stacks "$b.short" | awk '{ print NF }' | sort -rn | head -1)" 5
	check "$b: deeper stacks are cut" equal "$(vsamp report --json "$b.short" | jq '.stacks | .user_cut > .samples * 0.9')" true
	vsamp record -q -b "$b" --call-graph=user -e instructions:k:sav=11003 -o "$b.user" -- ./chain
	check "$b: of the user's side alone a sample in the kernel has the user's callers" equal \
		"$(./print_stacks "$b.user" | callers | awk '{ print NF }')" "$(./print_stacks "$b.instructions:u" | callers | awk '{ print NF + 1 }')"
	vsamp record -q -b "$b" --call-graph=kernel -e instructions:k:sav=11003 -o "$b.kernel" -- ./chain
	check "$b: of the kernel's side alone there are the kernel's" ./print_stacks "$b.kernel"
	check "$b: and no others" equal "$(./print_stacks "$b.kernel" | tr ' ' '\n' | grep -cv '^ffff')" 0
	vsamp record -q -b "$b" -e instructions:sav=100000 -o "$b.none" -- ./chain
	check "$b: without -g there are none" equal "$(vsamp info --json "$b.none" | jq .stacks)" null
done

tap_end
