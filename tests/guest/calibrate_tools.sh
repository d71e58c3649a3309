# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of calibration share; behind tap.sh.

# field FILE FILTER: what jq finds in the report, in one line
field() {
	vsamp report --json "$1" 2>/dev/null | jq -r "$2" | paste -sd' '
}

# near VALUE EXPECTED PERCENT
near() {
	awk -v v="$1" -v e="$2" -v p="$3" 'BEGIN { exit !(v ~ /^[0-9.]+$/ && e > 0 && v >= e * (1 - p / 100) && v <= e * (1 + p / 100)) }' && return
	echo "value '$1' is not within $3 % of $2"
	return 1
}

# all_near VALUES EXPECTED PERCENT: all of a list, which isn't empty
all_near() {
	local v

	[ -n "$1" ] || { echo "no values"; return 1; }
	for v in $1; do
		near "$v" "$2" "$3" || { echo "of $1"; return 1; }
	done
}

# lines FILE TEXT...: each TEXT is in FILE
lines() {
	local said text status=0

	said=$(cat "$1")
	shift
	for text; do
		grep -qiE -- "$text" <<<"$said" || { echo "'$text' is not said"; status=1; }
	done
	[ $status -eq 0 ] || echo "$said"
	return $status
}

# order LOG: what launchlog's LOG tells, launches being numbered: "1 start 1 end 2 start 2 term"
order() {
	awk '$2 == "start" { launch[$1] = ++n } { print launch[$1], $2 }' "$1" 2>/dev/null | paste -sd' '
}

# launches N END: the order of N launches, each of which ended before the next one began
launches() {
	local i

	for ((i = 1; i <= $1; i++)); do
		echo "$i start $i $2"
	done | paste -sd' '
}

# runs FILE: the runs as they were announced on standard error: "c1/2 r2/2"
runs() {
	sed -nE 's,.*\b(c)alibrating\, ([0-9]+) of ([0-9]+) runs.*,\1\2/\3,p; s,.*\b(r)ecording\, ([0-9]+) of ([0-9]+) runs.*,\1\2/\3,p' "$1" | paste -sd' '
}

# await LOG N: until N launches began
await() {
	local i

	for i in {1..300}; do
		[ "$(awk '$2 == "start"' "$1" 2>/dev/null | wc -l)" -lt "$2" ] || return 0
		sleep 0.05
	done
	return 1
}

# running NAME: how many processes of this name there are
running() {
	grep -lx "$1" /proc/[0-9]*/comm 2>/dev/null | wc -l
}

# gone FILE: there is none, nor what a recording might have begun
gone() {
	local found

	found=$(ls -d "$1"* 2>/dev/null)
	[ -z "$found" ] || { echo "there is $found"; return 1; }
}
