#!/bin/bash
# SPDX-License-Identifier: MIT
# In a guest: samples of programs that are hard to name.
. ./tap.sh
mkdir -p /mnt

# of FILE: the samples of processes that a jq condition selects
samples() {
	vsamp report --json "$1" 2>/dev/null | jq "[.rows[] | select($2) | .samples[0]] | add // 0"
}

# --- a private mount namespace, whose files are gone when the report is made ---

vsamp record -q -a -e INST_RETIRED:u:sav=100000 -o gone.vsamp -- \
	unshare -m sh -c 'mount -t tmpfs none /mnt && cp loop /mnt/gone && /mnt/gone'
check "a program whose file is gone has its samples" \
	within "$(samples gone.vsamp '.comm == "gone" and .module == "/mnt/gone"')" 1990 2010
check "its build-id was taken while it ran" \
	equal "$(vsamp report --json gone.vsamp | jq -r '.modules[] | select(.module == "/mnt/gone").build_id')" "$LOOP_ID"
check "and the report says that the file is not there" \
	equal "$(vsamp report --json gone.vsamp | jq -r '.modules[] | select(.module == "/mnt/gone").note | split(":")[0]')" "not found"

# --- one that is still alive, and one that took its path in our own namespace ---

unshare -m sh -c 'mount -t tmpfs none /mnt && cp spin /mnt/alive && exec /mnt/alive' & alive=$!
sleep 1
cp loop /mnt/alive
vsamp record -q -a -e INST_RETIRED:u:sav=100000 -d 1 -o alive.vsamp
n=$(samples alive.vsamp '.comm == "alive"')
check "a program in a private namespace has samples" within "$n" 1000 1000000
check "it is named through the process, not by the other file at its path" \
	equal "$(samples alive.vsamp '.comm == "alive" and .module == "/mnt/alive" and .symbol == "_start"')" "$n"
kill $alive
wait $alive 2>/dev/null
check "when it is gone the other file's names aren't taken for its" \
	equal "$(samples alive.vsamp '.module == "/mnt/alive" and .symbol == "[unknown]"')" "$n"

# --- many that fork, exec and exit ---

vsamp record -q -a -e INST_RETIRED:u:sav=5003 -o storm.vsamp -- \
	bash -c 'for i in $(seq 200); do /usr/bin/env true; ( : ) ; done'
check "of a storm of processes each has a name" equal "$(samples storm.vsamp '.comm == ""')" 0
check "there were many" within "$(vsamp report --json storm.vsamp | jq '.processes | length')" 150 2000
check "and each user sample is in a mapping" equal "$(samples storm.vsamp '.module == "[unknown]"')" 0
check "no sideband was lost" equal "$(vsamp info --json storm.vsamp | jq .end.sideband_lost)" 0

tap_end
