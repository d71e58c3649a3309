#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Profiles as profile stores take them: docs/profile-stores.md and its examples, against a server that
# checks what comes as the published interfaces have it. pprof reads what it got.

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user progs
	pprof=$(find /usr/lib/go-1.19/pkg/tool -name pprof 2>/dev/null | head -1)
	export pprof HOME=$BATS_FILE_TMPDIR no_proxy='*'
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	push=$TREE/docs/examples/profile-store/vsamp-push
	mkdir store
	"$BATS_TEST_DIRNAME"/store.py store 3>&- &
	server=$!
	until [ -e store/port ]; do sleep 0.05; done
	STORE_URL=http://127.0.0.1:$(cat store/port)
	export STORE_URL
	"$TREE"/build/tests/progs/make_file one.data
}

teardown() {
	kill "$server" || true
	wait
}

# The first is refused by the store, as one that comes up, and is pushed again
warm_up() {
	curl -s -d x "$STORE_URL/ingest" >/dev/null
}

# totals N TYPE: of a profile that the store has, by pprof
totals() {
	[ -n "$pprof" ] || skip "there is no pprof"
	"$pprof" -raw "store/$1.pb.gz" >raw 2>/dev/null
	"$pprof" -top -sample_index="$2" "store/$1.pb.gz" 2>/dev/null | sed -n 's/^Showing nodes accounting for .*, .* of \(.*\) total/\1/p'
}

@test "Pyroscope: the form, its times and its labels, with a retry" {
	STORE_LABELS=service=web,region=eu-1 STORE_CURL='-H X-Scope-OrgID:team' run -0 "$push" one.data
	[ "$(jq -c .labels store/1.json)" = '{"service":"web","region":"eu-1","hostname":"somewhere","__name__":"vsamp"}' ]
	[ "$(jq -r .tenant store/1.json)" = team ]
	# make_file's recording began a day after 1970
	[ "$(jq .from store/1.json)" -eq 86400 ]
	cmp <(vsamp export -f pprof one.data | gzip -dc) <(gzip -dc store/1.pb.gz)
}

@test "Pyroscope: each type of values is described, by its name in the profile" {
	warm_up
	"$push" one.data
	"$pprof" -raw store/1.pb.gz >raw 2>/dev/null
	# as pprof has them: "Samples:" and then TYPE/UNIT of each
	sed -n '/^Samples:/{n;p}' raw | tr ' ' '\n' | sed -n 's,/count.*,,p' | sort >types
	[ "$(wc -l <types)" -eq 4 ]
	diff types <(jq -r '.types[]' store/1.json)
	[ "$(totals 1 INST_RETIRED_samples)" = 100 ]
}

@test "Parca: the request, and the profile in it" {
	warm_up
	STORE_KIND=parca STORE_NAME=fleet "$push" one.data
	[ "$(jq -c .labels store/1.json)" = '{"__name__":"fleet","hostname":"somewhere"}' ]
	[ "$(totals 1 INST_RETIRED_samples)" = 100 ]
}

@test "each file once, from call to call, and what failed again" {
	warm_up
	for n in 0 1 2; do cp one.data "my.data.202611301849000$n"; done
	export STORE_DONE=$PWD/done
	"$push" my.data.202611301849000[01]
	[ "$(find store -name '*.json' | wc -l)" -eq 2 ]
	STORE_URL=http://127.0.0.1:1 STORE_CURL='--retry 0' run ! "$push" my.data.????????????????
	"$push" my.data.????????????????
	[ "$(find store -name '*.json' | wc -l)" -eq 3 ]
	"$push" my.data.????????????????
	[ "$(find store -name '*.json' | wc -l)" -eq 3 ]
}

@test "what the store refuses is an error" {
	warm_up
	STORE_LABELS='bad name=x' run ! "$push" one.data
	[[ $output == *400* ]]
}

@test "the lines of docs/profile-stores.md" {
	warm_up
	cp one.data my.data
	# from a fence or an indented block to one script: what is below a heading, up to the next
	block() {
		sed -n "/^## $1/,/^## [^$2]/p" "$TREE/docs/profile-stores.md" | sed -n 's/^    //p'
	}
	export f=my.data
	vsamp info --json "$f" >info.json
	mv info.json info
	vsamp export -f pprof -e INST_RETIRED -o profile "$f"
	block 'Grafana Pyroscope' G | sed "s,http://localhost:4040,$STORE_URL," >p.sh
	grep -q 'curl' p.sh
	bash -e p.sh
	block Parca P | sed "s,http://localhost:7070,$STORE_URL," >p.sh
	grep -q 'curl' p.sh
	bash -e p.sh
	[ "$(jq -r .labels.service store/1.json)" = web ]
	[ "$(jq -r .labels.__name__ store/2.json)" = vsamp ]
	[ "$(totals 1 INST_RETIRED_samples)" = 100 ]
	cmp store/1.pb.gz store/2.pb.gz
}

@test "systemd takes the example units" {
	mkdir units
	cp "$TREE"/docs/examples/profile-store/vsamp-push.* units
	run -0 systemd-analyze verify --man=no units/vsamp-push.timer units/vsamp-push.service
	[ -z "$output" ]
}
