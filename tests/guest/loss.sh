# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# What is lost when the recorder doesn't come to read, or has no room to write; behind ends.sh.

# The command stops the recorder while ./loop makes 200 000 000 / 1001 = 199 800 samples
stalled() {
	vsamp record -e "INST_RETIRED:u:sav=$1" --pmi-limit 100000 -o stalled.vsamp "${@:2}" -- \
		bash -c 'kill -STOP $PPID; ./loop; kill -CONT $PPID' 2>stalled.txt
}

stalled 1001 --ring-size 16K
check "a stalled reader: the ring holds 512 records, all others are lost" within "$(field stalled.vsamp .lost)" 199000 201000
check "produced is written + lost" equal "$(field stalled.vsamp '.produced - .written - .lost')" 0
check "that is said, with a percentage" grep -Eq 'are lost \(99\.[0-9]+ %\)' stalled.txt
size=$(sed -n 's/.*--ring-size \([0-9]*K\).*/\1/p' stalled.txt)
factor=$(sed -n 's/.*Sample-After values \([0-9.]*\) times.*/\1/p' stalled.txt)
stalled 1001 --ring-size "$size"
check "the ring size that is advised ($size) loses nothing" equal "$(field stalled.vsamp .lost)" 0
check "and has all samples" within "$(field stalled.vsamp '.events[0].samples')" 199700 201500
stalled "$(awk "BEGIN { print int(1001 * $factor) }")" --ring-size 16K
check "so do Sample-After values $factor times as large" equal "$(field stalled.vsamp .lost)" 0

# --- tasks, while samples are lost ---

# 300 runs of programs of 100 names, each of which is sampled as it starts
printf '#!/bin/bash\n:\n' >nap
chmod +x nap
mkdir -p many
for i in {1..100}; do ln ./nap "many/task$i"; done
storm='kill -STOP $PPID; for i in {1..300}; do many/task$((i % 100 + 1)); done; kill -CONT $PPID'
vsamp record -q -e INST_RETIRED:u:sav=1001 --ring-size 16K --sideband-size 8M -o storm.vsamp -- bash -c "$storm"
check "a storm of tasks with the reader stalled: samples are lost" within "$(field storm.vsamp .lost)" 100 1000000000
check "but nothing of the tasks" equal "$(vsamp info --json storm.vsamp 2>/dev/null | jq .end.sideband_lost)" 0
check "each task is resolved" equal "$(field storm.vsamp '[.rows[] | select(.comm == "")] | length')" 0
check "the size of the buffers is in the file" equal "$(vsamp info --json storm.vsamp 2>/dev/null | jq .meta.sideband_size)" 8388608
vsamp record -q -e INST_RETIRED:u:sav=1001 --sideband-size 4K -o storm.vsamp -- bash -c "$storm" 2>storm.txt
check "with the least of buffers they are lost, and that is said" grep -q 'sideband-size' storm.txt

# --- no room for the file ---

# room for what stands before the samples, and for a few of those
vsamp record -q -e INST_RETIRED:u -o before.vsamp -- true
mkdir -p small
mount -t tmpfs -o size=$(($(stat -c %s before.vsamp) / 1024 + 24))k none small
vsamp record -q -e INST_RETIRED:u:sav=1001 --pmi-limit 100000 -o small/full.vsamp -- \
	bash -c './loop; ./loop; exec ./spin' 2>full.txt
check "a disk that fills up ends it with an error" equal "$? $(grep -c 'No space left' full.txt) $(spins)" "1 1 0"
check "what is there is readable" within "$(field small/full.vsamp '.events[0].samples')" 1000 10000000
check "and said to be incomplete" equal "$(field small/full.vsamp .complete)" false
check "by info as well" bash -c 'vsamp info small/full.vsamp 2>/dev/null | grep -q "^state *cut off before its totals"'
umount small

# --- too many interrupts ---

lines=$(dmesg | wc -l)
vsamp record -e INST_RETIRED:u:sav=50 --force --pmi-limit 20 -o storm.vsamp -- ./loop 2>storm.txt
check "a storm of interrupts is held back, and that is said" grep -q 'was held back' storm.txt
check "each time is in the stream or among the lost: info says as many" equal \
	"$(vsamp info --json storm.vsamp 2>/dev/null | jq '[.cpus[].throttled] | add')" \
	"$(sed -n 's/.*was held back \([0-9]*\) times.*/\1/p' storm.txt)"
check "and recovers: samples of the loop, and of its end" within "$(field storm.vsamp '.events[0].samples')" 1000 4000000
check "the kernel's log has at most a line of it" within $(($(dmesg | wc -l) - lines)) 0 1
