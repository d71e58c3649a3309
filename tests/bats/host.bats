#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The command as typed, where the machine doesn't matter: help, usage, files that are none

bats_require_minimum_version 1.5.0

setup() {
	PATH=$BATS_TEST_DIRNAME/../../build:$PATH
	export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/none # not what the user has
	cd "$BATS_TEST_TMPDIR" || return
}

# usage_error WORD ARGUMENT...: refused as a wrong call, with the word in what is said, and no file made
usage_error() {
	local word=$1
	shift
	run vsamp "$@"
	[ "$status" -eq 2 ] || { echo "status $status: $output"; return 1; }
	[[ $output == *"$word"* ]] || { echo "no '$word' in: $output"; return 1; }
	[ -z "$(ls -A)" ]
}

@test "vsamp alone shows its commands, as an error" {
	run vsamp
	[ "$status" -eq 2 ]
	for c in record calibrate report annotate diff top stat list doctor gen gpu info itt; do
		[[ $output == *"$c"* ]]
	done
}

@test "vsamp -h and --help show the same, to standard output" {
	run --separate-stderr vsamp -h
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	help=$output
	run vsamp --help
	[ "$status" -eq 0 ]
	[ "$output" = "$help" ]
}

@test "vsamp --version is the tree's version" {
	run vsamp --version
	[ "$status" -eq 0 ]
	[ "$output" = "vsamp $(cat "$BATS_TEST_DIRNAME/../../VERSION")" ]
}

@test "each command has -h and --help" {
	for c in record calibrate report annotate diff top stat list doctor gen gpu info itt; do
		run --separate-stderr vsamp $c -h
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[[ $output == "usage: vsamp $c"* ]]
		help=$output
		run vsamp $c --help
		[ "$status" -eq 0 ]
		[ "$output" = "$help" ]
	done
}

# The long options of a command's manual page, but for a second spelling
manual_options() {
	tr -d '\134' <"$BATS_TEST_DIRNAME/../../docs/man/vsamp-$1.1" | grep -oE -- '--[a-z][a-z-]+' |
		grep -vxe --calibration | sort -u
}

@test "help and the manual pages have the same options" {
	for c in record calibrate report annotate diff top stat list doctor gen gpu info itt; do
		help=$(vsamp $c -h | grep -oE -- '--[a-z][a-z-]+' | sort -u)
		[ -n "$help" ]
		diff <(echo "$help") <(manual_options $c)
	done
}

@test "an unknown command is named" {
	usage_error bogus bogus
}

@test "an unknown option is named, by each command" {
	for c in record calibrate report annotate diff top stat list doctor gen gpu info itt; do
		usage_error --bogus $c --bogus
	done
}

@test "options are told as the user wrote them, where they are wrong" {
	while IFS='|' read -r args told; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr vsamp $args
		[ -z "$output" ]
		[[ $stderr == "vsamp $told; 'vsamp "*" -h' tells the options" ]] || { echo "$args: $stderr"; return 1; }
	done <<-EOF
		info -xj|info: '-x': no such option
		info --json -x file|info: '-x': no such option
		script --fields=comm -xg|script: '-x': no such option
		script -gx --json|script: '-x': no such option
		info --json=3|info: '--json=3': takes no value
		info -i|info: '-i': needs a value
		report --sort|report: '--sort': needs a value
		report --ti 1,2|report: '--ti': may be one of several options
		doctor -j|doctor: '-j': no such option
		doctor here|doctor: 'here': nothing is to be named
		doctor --json=1|doctor: '--json=1': takes no value
		list --event-config|list: '--event-config': needs a value
		list clock retired|list: 'retired': one group or word is enough
		gpu list --root|gpu: '--root': needs a value
		gpu list RenderBasic MemoryReads|gpu: 'MemoryReads': one name is enough
		gpu bind x --json|gpu: '--json': is of list
		itt env spool|itt env: 'spool': --dir names a folder
		itt env --dir|itt env: '--dir': needs a value
		itt env --shell=1|itt env: '--shell=1': takes no value
		itt join -x|itt join: '-x': no such option
		itt join -o|itt join: '-o': needs a value
		itt join one two|itt join: 'two': one folder at a time
	EOF
}

@test "options may be short for others, together, and behind names; -- ends them" {
	vsamp list --json clock >out
	[ "$(vsamp list --js clock)" = "$(cat out)" ]
	[ "$(vsamp list clock --json)" = "$(cat out)" ]
	[ "$(vsamp list --js -- clock)" = "$(cat out)" ]
	run -1 vsamp list -- --json
	[[ $output == *"'--json' is no group of events"* ]]
	[ "$(vsamp doctor --j)" = "$(vsamp doctor --json)" ]
	mkdir root
	[ "$(vsamp gpu --js -- list)" = "$(vsamp gpu list --json)" ]
	[ "$(vsamp gpu --roo=root list)" = "No GPU of Intel's." ]
	vsamp itt env --she --di spool >short
	vsamp itt env --shell --dir spool | cmp - short
	run -1 vsamp report -- --color
	[[ $output == *"vsamp report: --color: cannot open"* ]]
	run -1 vsamp info -- --no-pager
	[[ $output == *"vsamp info: --no-pager: cannot open"* ]]
}

@test "record: an event that there is not" {
	usage_error nosuch record -e nosuch -- true
	usage_error nosuch record -e INST_RETIRED,nosuch -- true
}

@test "record: bad modifiers of events" {
	usage_error x record -e INST_RETIRED:x -- true
	usage_error sav record -e INST_RETIRED:sav= -- true
	usage_error sav record -e INST_RETIRED:sav=abc -- true
	usage_error sav record -e INST_RETIRED:sav=-1 -- true
}

@test "record: bad lists of CPUs" {
	for l in 9-7 x 0- -1 0,,1; do
		usage_error "$l" record "-C$l"
	done
}

@test "record: bad process numbers" {
	for p in x 0 -5 1,x 99999999999; do
		usage_error "$p" record "-p$p"
	done
}

@test "record: bad durations, delays and intervals" {
	for v in abc 0 -1 1x ''; do
		usage_error -d record -d "$v"
		usage_error -i record -i "$v"
	done
	for v in abc -1 1x ''; do
		usage_error -D record -D "$v"
	done
}

@test "record: bad ring sizes" {
	for v in abc 0 3000 17000 2G -1; do
		usage_error --ring-size record --ring-size "$v"
	done
}

@test "record: bad words of --cal, --cal-scope, --backend, --nmi-watchdog" {
	usage_error maybe record --cal=maybe
	usage_error maybe record --cal-scope maybe
	usage_error maybe record --backend maybe
	usage_error maybe record --nmi-watchdog=maybe
}

@test "record: the machine and a command's processes exclude each other's options" {
	usage_error -p record -p $$ -- true
	usage_error - record -o -
}

@test "options that miss their value are named" {
	for o in -e -C -p -d -D -i -o; do
		usage_error "$o" record "$o"
	done
	usage_error --sort report --sort
}

@test "report and info: no file" {
	for c in report info; do
		run vsamp $c
		[ "$status" -eq 1 ]
		[[ $output == *vsamp.data* ]]
		run vsamp $c nosuch.vsamp
		[ "$status" -eq 1 ]
		[[ $output == *nosuch.vsamp* ]]
	done
}

@test "report and info: files that are no recordings" {
	: >empty
	head -c 100000 /dev/urandom >noise
	mkdir folder
	for c in report info; do
		for f in empty noise folder /etc/passwd; do
			run vsamp $c $f
			[ "$status" -eq 1 ]
			[[ $output == *"$f"* ]]
			run --separate-stderr vsamp $c --json $f
			[ "$status" -eq 1 ]
			[ -z "$output" ]
		done
	done
}

@test "report: bad options" {
	usage_error nosuch report --sort nosuch x
	usage_error x report -n x x
	usage_error x report -p x x
}

@test "list: groups, those of every processor first" {
	run vsamp list
	[ "$status" -eq 0 ]
	[[ ${lines[0]} =~ ^GROUP\ +EVENTS\ +WHAT$ ]]
	[[ ${lines[1]} =~ ^clock\ +2\  ]]
	[[ ${lines[2]} =~ ^retired\ +1\  ]]
	[[ ${lines[3]} =~ ^branch\ +2\  ]]
	[[ ${lines[4]} =~ ^cache\ +2\  ]]
	[[ ${lines[5]} =~ ^time\ +1\  ]]
}

@test "list GROUP: default SAV, calibrate, counters, the names people type" {
	run vsamp list Clock
	[ "$status" -eq 0 ]
	[[ ${lines[1]} =~ ^CPU_CLK_UNHALTED.THREAD\ +2000003\ +default\ +yes\ +(any|[-0-9,]+),\ fixed\ 1\ \  ]]
	[[ ${lines[2]} == *Clockticks* ]]
	[[ ${lines[3]} =~ ^CPU_CLK_UNHALTED.REF_TSC\ +2000003\ +default\ +no\ +fixed\ 2\ \  ]]
	[ -e /dev/vsamp ] || [[ $output == *"module isn't loaded"* ]]
	[[ $output != *INST_RETIRED* ]]
	run vsamp list retired
	[[ $output == *"Instructions Retired"* ]]
}

@test "list: a model's groups are libpfm4's events" {
	export LIBPFM_FORCE_PMU=skx
	[ "$(vsamp list --json | jq '.groups[] | select(.name == "L2_RQSTS").events')" -gt 5 ]
	run vsamp list l2_rqsts
	[ "$status" -eq 0 ]
	[[ $output =~ L2_RQSTS.ALL_CODE_RD\ +200003\ +default\ +no\ +(any|[-0-9,]+)\ \  ]]
	[[ $output != *L2_LINES* ]]
	run vsamp list OFFCORE_RESPONSE_0
	[[ $output == *"register beside the counter's own"* ]]
}

@test "list WORD: only names with the word, whatever its case" {
	run vsamp list inst_ret
	[ "$status" -eq 0 ]
	[[ $output == *INST_RETIRED.ANY* ]]
	[[ $output != *REF_TSC* ]]
	run vsamp list clocktick
	[ "$status" -eq 0 ]
	[[ $output == *CPU_CLK_UNHALTED.THREAD* ]]
	run vsamp list no-such-word
	[ "$status" -eq 1 ]
	[[ $output == *no-such-word*"no group"* ]]
	run vsamp list ''
	[ "$status" -eq 2 ]
}

@test "list --event-config: what files set, and where from" {
	cat >events.conf <<-END
		[INST_RETIRED.ANY]
		sav = 5003
		calibrate = no
		counters = 1-2,4
		[branches:k]
		alias = kernel jumps
		[NONE_HERE]
		sav = 7001
	END
	run vsamp list --event-config events.conf retired
	[ "$status" -eq 0 ]
	[[ ${lines[1]} =~ ^INST_RETIRED.ANY\ +5003\ +config\ +no\ +1-2,4,\ fixed\ 0\ \  ]]
	run vsamp list --event-config=events.conf config
	[ "$status" -eq 0 ]
	[[ $output =~ branches:k\ +200003\ +default ]]
	[[ $output == *"also: kernel jumps"* ]]
	[[ $output == *NONE_HERE*"can't be selected"* ]]
	run vsamp list --event-config events.conf 'kernel jumps'
	[[ ${lines[1]} == branches:k* ]]
	vsamp list --json --event-config events.conf retired >out
	jq -e '.events[0] | .sav == 5003 and .sav_source == "config" and .calibrate == false' out
}

@test "vsamp-events(5): the example is a file without mistakes" {
	sed -n '/^\.EX/,/^\.EE/{/^\./d;p}' "$BATS_TEST_DIRNAME/../../docs/man/vsamp-events.5" >events.conf
	[ "$(grep -c = events.conf)" -eq 5 ]
	LIBPFM_FORCE_PMU=skx run vsamp list --event-config events.conf config
	[ "$status" -eq 0 ]
	[[ $output == *"code reads"* ]]
	[[ $output != *"can't be selected"* ]]
}

@test "list: the user's file is read unasked" {
	mkdir -p conf/vsamp
	printf '[cycles]\nsav = 5003\n' >conf/vsamp/events.conf
	XDG_CONFIG_HOME=$PWD/conf run vsamp list clock
	[[ ${lines[1]} =~ \ 5003\ +config\  ]]
	# a file that is named comes last
	printf '[cycles]\nsav = 6007\n' >named
	XDG_CONFIG_HOME=$PWD/conf run vsamp list --event-config named clock
	[[ ${lines[1]} =~ \ 6007\ +config\  ]]
}

@test "list: mistakes in files, with the line" {
	printf '[cycles]\n\nsav = 0\n' >events.conf
	run vsamp list --event-config events.conf
	[ "$status" -eq 1 ]
	[[ $output == *"events.conf:3: '0' is no Sample-After value"* ]]
	run vsamp list --event-config nosuch
	[ "$status" -eq 1 ]
	[[ $output == *nosuch*"No such file"* ]]
	run vsamp list --event-config
	[ "$status" -eq 2 ]
}

@test "a user's file: of another user's folder it doesn't matter, one that can't be read is an error" {
	[ "$(id -u)" -eq 0 ] || skip "takes root, to become another user"
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env -u XDG_CONFIG_HOME "PATH=$PATH")
	dir=$(mktemp -d)
	mkdir -p "$dir/.config/vsamp"
	echo '[cycles]' >"$dir/.config/vsamp/events.conf"
	chmod 600 "$dir/.config/vsamp/events.conf"
	run -0 "${user[@]}" "HOME=$dir" vsamp list clock # mktemp's folder is its user's alone
	chmod 755 "$dir"
	run -1 "${user[@]}" "HOME=$dir" vsamp list clock
	[[ $output == *"$dir/.config/vsamp/events.conf: Permission denied"* ]]
	rm -r "$dir"
}

@test "list --json is JSON with the names of the list" {
	vsamp list --json >out
	jq -e '.version == 1 and ([.events[].name] | index("INST_RETIRED.ANY") != null)' out
	# groups and events agree
	jq -e '([.groups[].events] | add) == (.events + .config_events + .model_events | length)' out
	jq -e '.events[] | select(.name == "INST_RETIRED.ANY") | .group == "retired" and .config == "0xc0" and
		.fixed_counter == 0 and .general_counters and .sav == 2000003 and (.usable_counters == null or .usable_counters.fixed == [0]) and
		(.aliases | index("Instructions Retired") != null)' out
}

@test "doctor --json is JSON, and says what its exit code is" {
	run vsamp doctor --json
	code=$status
	[ "$(jq .exit_code <<<"$output")" -eq "$code" ]
	jq -e '[.checks[] | has("name") and has("status") and has("text")] | all' <<<"$output"
	# the code is that of the first failed check
	[ "$(jq '[.checks[] | select(.status == "fail")][0].code // 0' <<<"$output")" -eq "$code" ]
	jq -e '[.checks[] | select(.status == "fail") | .remedy | length > 0] | all' <<<"$output"
}

@test "doctor: text and JSON agree" {
	run vsamp doctor
	code=$status
	fails=$(grep -c ^FAIL <<<"$output" || true)
	run vsamp doctor --json
	[ "$status" -eq "$code" ]
	[ "$(jq '[.checks[] | select(.status == "fail")] | length' <<<"$output")" -eq "$fails" ]
}

@test "list: what perf calls events, and who counts them" {
	vsamp list --json >out
	# the numbers of the kernel's header
	jq -e '.events[] | select(.name == "INST_RETIRED.ANY") | .perf_type == 0 and .perf_config == "0x1" and
		(.backends - ["intel"]) == ["kperf", "perf"]' out
	jq -e '.events[] | select(.name == "cpu-clock") | .perf_type == 1 and .perf_config == "0x0" and
		.backends == ["perf"] and .config == null and (has("usable_counters") | not)' out
	jq -e '[.events[].perf_config] | length == (unique | length) + 1' out # 0 is cycles and cpu-clock
	run vsamp list time
	[[ ${lines[1]} =~ ^cpu-clock\ +1000000\ +default\ +yes\ +-\  ]]
	[[ $output != *"module isn't loaded"* ]]
}

@test "doctor: what would count, and why no better" {
	run vsamp doctor
	[[ ${lines[-1]} =~ (ok|warning|FAIL)\ +backend\  || ${lines[-2]} =~ FAIL\ +backend\  ]]
	vsamp doctor --json >out || true
	# where a choice is told, its check is good; perf is what an event takes that the kernel refuses or not
	jq -e '(.choice == null) == (.checks[-1].status == "fail")' out
	jq -e '.checks[-1].name == "backend" and .checks[-2].name == "perf"' out
	jq -e '.choice == null or (.choice | (.backend | IN("intel", "kperf", "perf")) and (.reason | length > 0) and
		((.events_why == null) == (.events == "CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY")))' out
}

@test "doctor: a user has what kernel.perf_event_paranoid leaves" {
	[ "$(id -u)" -eq 0 ] || skip "takes root, to become another user"
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env "PATH=$PATH")
	vsamp doctor --json >root || true
	jq -e '.checks[-2].text | contains("time: user and kernel") and contains("whole CPUs: yes")' root ||
		skip "perf events are kept even from root here"
	"${user[@]}" vsamp doctor --json >out || true
	[ -s out ]
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	if [ "$paranoid" -gt 2 ]; then
		jq -e '.choice == null and (.checks[-2].text | contains("time: no"))' out
		jq -e --arg p "$paranoid" '.checks[-2].text | contains("kernel.perf_event_paranoid is " + $p)' out
	elif [ "$paranoid" -eq 2 ]; then
		jq -e '.choice.events | split(",") | map(endswith(":u")) | all' out
		jq -e '.checks[-2] | (.text | contains("time: user alone")) and (.remedy | contains("perf_event_paranoid=1"))' out
	else
		jq -e '.choice.events | contains(":u") | not' out
		jq -e '.checks[-2].text | contains("time: user and kernel")' out
	fi
	[ "$paranoid" -lt 1 ] || jq -e '.checks[-2].text | contains("whole CPUs: no")' out
}

@test "output that can't be written is an error" {
	run -1 bash -c "vsamp --version >/dev/full"
	[ "$output" = "vsamp: standard output: cannot write: No space left on device" ]
	for c in --version -h 'list -h' list 'list --json' doctor 'gpu list' 'gen model' 'itt env'; do
		run bash -c "vsamp $c >/dev/full"
		[ "$status" -ne 0 ]
		[[ $output == *"vsamp: standard output: cannot write"* ]] || { echo "$c: $output"; return 1; }
	done
}
