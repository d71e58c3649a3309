#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: kinds.sh
#
# A machine with two kinds of core: kinds.ko's cpu_big on CPU 0, cpu_little on CPU 1. Its events count
# ns, so that of a program they are about its task-clock, wherever it runs.
. ./tap.sh
insmod kinds.ko "$@"

# counted OPTION... -- COMMAND...: ms in all
counted() {
	vsamp stat --json "$@" 2>stat.err | jq '.events[0].count / 1e6 | floor'
}

# of_cpus OPTION...: ms of CPU 0, and of CPU 1
of_cpus() {
	vsamp stat --json "$@" 2>stat.err | jq -r '[.cpus[].counts[0] / 1e6 | floor] | join(" ")'
}

# refused NAME TEXT COMMAND...
refused() {
	local name=$1 text=$2
	shift 2
	check "$name" bash -c 'out=$("${@:2}" 2>&1 >/dev/null) && exit 1; [[ $out == *"$1"* ]] || { echo "$out"; exit 1; }' _ "$text" "$@"
}

cat >both <<'END'
#!/bin/sh
# as long on one CPU as on the other
taskset -c 0 ./loop
taskset -c 1 ./loop
END
chmod +x both
task=$(perf stat -x, -e task-clock ./both 2>&1 | cut -d. -f1)
check "a program takes the time that it needs" within "$task" 350 800
# starting a program takes a while
least=$((task * 85 / 100)) most=$((task * 115 / 100 + 300))

check "list names the PMUs" grep -q "cpu_big (CPUs 0), cpu_little (CPUs 1)" <(vsamp list)
check "so does doctor" grep -q "cpu_big (CPUs 0), cpu_little (CPUs 1)" <(vsamp doctor)
for b in perf kperf; do
	if [ $b = kperf ] && [[ $* == extended=0 ]]; then
		refused "kperf: a program's hardware event would be of one kind" "one kind of core only" \
			vsamp stat -b kperf -e instructions -- ./both
	else
		all=$(counted -b $b -e instructions -- ./both)
		check "$b: a hardware event counts a program on both kinds" within "$all" $least $most
		for cpu in 0 1; do
			all=$(counted -b $b -e instructions -- taskset -c $cpu ./loop)
			check "$b: and one that stays on CPU $cpu" within "$all" $((least / 2)) $((task / 2 + 300))
		done
	fi
	read -r big little < <(of_cpus -b $b -a -e instructions -d 1)
	check "$b: and on CPU 0" within "$big" 900 1300
	check "$b: and on CPU 1" within "$little" 900 1300
	all=$(counted -b $b -a -e cpu_little/r0042/ -d 1)
	check "$b: an event of one kind counts there" within "$all" 900 1300
	check "$b: and which CPUs it misses is said" equal "$(vsamp stat -b $b -a -e cpu_little/r0042/ -d 0.1 2>&1 >/dev/null | grep 'is of')" \
		"vsamp: cpu_little/r0042/ is of cpu_little (CPUs 1): CPUs 0 don't count it"
	all=$(counted -b $b -e r0042 -- ./both)
	check "$b: a raw event that any PMU takes, of a program" within "$all" $least $most
	all=$(counted -b $b -e r0042 -- taskset -c 1 ./loop)
	check "$b: and of one that stays on CPU 1" within "$all" $((least / 2)) $((task / 2 + 300))
	refused "$b: an event of CPUs that aren't asked for" "cpu_little/r0042/" vsamp stat -b $b -C 0 -e cpu_little/r0042/ -d 0.1
done
refused "a PMU that there isn't" "there is no core PMU of that name here; there is cpu_big (CPUs 0), cpu_little (CPUs 1)" \
	vsamp stat -e cpu_atom/r0042/ -- true
tap_end
