#!/bin/bash
# SPDX-License-Identifier: MIT
# In a guest whose TSC isn't invariant: samples are taken all the same, and the recording says what
# clock it has.
. ./tap.sh
set -o pipefail

check "the processor's TSC isn't invariant" test -z "$(grep -o nonstop_tsc /proc/cpuinfo)"
said=$(vsamp record -e INST_RETIRED:u:sav=100000 -o mono.vsamp -- ./loop 2>&1)
check "record says so" grep -q 'TSC is not invariant' <<<"$said"
check "the recording is marked" equal "$(vsamp info --json mono.vsamp | jq -r .meta.clock.source)" monotonic
check "no sample is missing" equal "$(vsamp report --json mono.vsamp | jq '.events[0].samples')" 2000
check "doctor warns" grep -q '^warning *clock' <(vsamp doctor)
check "and finds nothing that keeps sampling from working" vsamp doctor
tap_end
