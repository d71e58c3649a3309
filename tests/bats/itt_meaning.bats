#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# From a program's calls to what is told of them: tests/itt/meaning.c with the collector, joined, reported.
# Each rule alone is in tests/unit/test_itt_match.c

bats_require_minimum_version 1.5.0

setup_file() {
	export TREE=$BATS_TEST_DIRNAME/../..
	export PATH=$TREE/build:$PATH
	make -s -C "$TREE" user
	cd "$BATS_FILE_TMPDIR" || return
	# -rdynamic: the name of a function is there without debug information, too
	gcc -O2 -rdynamic -I"$TREE/lib/itt/static" -o meaning "$TREE/tests/itt/meaning.c" \
		"$TREE/build/libvsamp-ittnotify.a" -lpthread -ldl
	unset INTEL_LIBITTNOTIFY64 VSAMP_ITT_DIR VSAMP_ITT_OUTPUT VSAMP_ITT_LIMIT VSAMP_ITT_CLOCK
	mkdir -m 1733 spool
	(
		eval "$(vsamp itt env --shell --dir spool)"
		exec ./meaning
	) >out 2>&1
	vsamp itt join -o t.vsamp spool
	vsamp report --itt --json t.vsamp >t.json 2>err
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

@test "what calls return is as the API says" {
	[ -z "$(cat out)" ]
}

@test "tasks at the times that the program tells: with what is nested in them and without" {
	[ "$(jq -c '.rows[] | select(.name | test("^[abcdxy]$")) | [.kind, .name, .domain, .count, .cut, .inclusive.total_ns, .exclusive.total_ns]' t.json | sort)" = \
		'["overlapped task","x","one",1,0,10000,4000]
["overlapped task","y","one",1,0,16000,16000]
["task","a","one",1,0,40000,30000]
["task","b","one",1,0,10000,2000]
["task","c","two",1,0,8000,8000]
["task","d","one",1,0,0,0]' ]
}

@test "events of resumed times alone: a start that is a tick mark, and one with an end" {
	[ "$(jq -c '.rows[] | select(.kind == "event") | [.name, .count, .ticks]' t.json)" = '["known",2,1]' ]
	[ "$(jq -c '.calls.paused_events' t.json)" = 1 ]
}

@test "a function's name, a domain that is off, groups and waits" {
	[ "$(jq -c '.rows[] | select(.name | test("work|^o|group|queue")) | [.kind, .name, .domain, .count]' t.json | sort)" = \
		'["region","group","one",1]
["task","of a second domain","two",1]
["task","on","two",1]
["task","work_of_a_task","one",1]
["wait","queue","Mutex",2]' ]
}

@test "metadata, relations and histograms" {
	[ "$(jq -c '.metadata[] | [.span.name, .domain, .key, .value]' t.json)" = '["told","one","sizes",[-3,4]]
["told","one","file","/dev/null"]
[null,"one","loop",[-3]]' ]
	[ "$(jq -c '.relations[] | [.head.span.name, .relation, .tail.span.name]' t.json)" = '["told","child of","group"]
["work_of_a_task","continuation of","told"]' ]
	[ "$(jq -c '.histograms[] | [.domain, .name, .points, .total, .buckets]' t.json)" = \
		'["one","sizes",3,8,[{"x":8,"y":3},{"x":16,"y":5}]]' ]
}

@test "what programs did wrong is told by name" {
	[ "$(jq -r '.itt_diagnoses[]' t.json | sed 's/process [0-9]*: id [0-9a-f:]*/ID/' | sort)" = \
		'1 calls of overlapped tasks or regions have no id, and are left out
1 ends are told to be before their begins
1 ends of events have no start in their thread
1 ends of tasks came while tasks of other domains in them had none
1 uses of an id that was of another domain
ID ("told") of domain "one" is used in domain "two" too: it is of that from then on' ]
}

@test "what the program calls its thread is on the timeline" {
	vsamp export -f chrome -o c.json t.vsamp 2>/dev/null
	[ "$(jq -r '.traceEvents[] | select(.name == "thread_name") | .args.name' c.json)" = "the first of all" ]
}
