# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What ends a recording, and what becomes of the command and all that it started. ./loop retires
# 200 000 000 user instructions; ./spin runs for ever.

ev=INST_RETIRED:u:sav=100000

field() {
	vsamp report --json "$1" 2>/dev/null | jq -r "$2"
}

# spins: how many ./spin run
spins() {
	grep -lx spin /proc/[0-9]*/comm 2>/dev/null | wc -l
}

# said TEXT COMMAND...: its status is not 0, and it says TEXT
said() {
	local text=$1 out status=0
	shift
	out=$("$@" 2>&1) || status=$?
	[ $status -ne 0 ] && [[ $out == *"$text"* ]] && return
	echo "status $status: $out"
	return 1
}

# --- all of the command is ended ---

check "-d ends a command" timeout 20 vsamp record -q -e $ev -d 0.5 -o d.vsamp -- \
	bash -c './spin & setsid ./spin & (setsid ./spin &) ; exec ./spin'
check "and all that it started, also in another session or an orphan" equal "$(spins)" 0
check "with a whole file" equal "$(field d.vsamp .complete)" true

vsamp record -q -a -e $ev -o c.vsamp -- bash -c './spin & ./spin & wait' & rec=$!
sleep 1
kill -INT $rec
kill -INT $rec
wait $rec
check "Ctrl-C, twice, ends them too" equal "$? $(spins)" "0 0"
check "with a whole file" equal "$(field c.vsamp .complete)" true

vsamp record -q -cal -e INST_RETIRED:u -o cal.vsamp -- bash -c 'sleep 0.3; ./spin & sleep 0.3'
check "what a command leaves in the calibration run does not run beside the recording" equal "$(spins)" 1
kill -KILL "$(grep -lx spin /proc/[0-9]*/comm | cut -d/ -f3)"
check "stat ends them as well" timeout 20 vsamp stat -d 0.3 -- bash -c 'setsid ./spin & exec ./spin'
check "and none is left" equal "$(spins)" 0

# --- signals ---

for sig in TERM HUP; do
	vsamp record -q -a -e $ev -o sig.vsamp & rec=$!
	sleep 1
	kill -$sig $rec
	wait $rec
	check "SIG$sig ends it with status 0 and a whole file" equal "$? $(field sig.vsamp .complete)" "0 true"
done
(trap '' HUP; exec vsamp record -q -a -e $ev -d 2 -o hup.vsamp) & rec=$!
sleep 1
kill -HUP $rec
wait $rec
check "SIGHUP is ignored where the caller ignores it" within "$(field hup.vsamp .elapsed_ns)" 1990000000 2100000000
(trap '' CHLD; exec vsamp record -q -e $ev -o chld.vsamp -- bash -c 'exit 7')
check "a caller that ignores SIGCHLD gets the command's status" equal $? 7
vsamp record -e $ev -o pipe.vsamp -- ./loop 2>&1 | true
check "nobody reads what is said: there is a whole file" equal "$(field pipe.vsamp .complete)" true
vsamp record -e $ev -o closed.vsamp -- ./loop <&- >&- 2>&-
check "all streams closed: there is a whole file" equal "$(field closed.vsamp '.complete, .lost' | tr '\n' ' ')" "true 0 "
vsamp record -q -a -cal -e INST_RETIRED -o none.vsamp & rec=$!
sleep 0.7
kill -TERM $rec
wait $rec
check "SIGTERM while it calibrates: no file, status 143" equal "$? $(ls none.vsamp 2>/dev/null)" "143 "
for c in list doctor "stat -d 0.1" "report closed.vsamp" "info closed.vsamp"; do
	# shellcheck disable=SC2086
	check "$c: a full standard output is an error" said "standard output" sh -c "vsamp $c >/dev/full"
done

# --- commands that don't behave ---

vsamp record -q -e $ev -o fds.vsamp -- bash -c 'for fd in {0..30}; do eval "exec $fd>&-"; done; exec ./loop'
check "a command that closes all it has" within "$(field fds.vsamp '.events[0].samples')" 2000 2100
vsamp record -q -e $ev -o daemon.vsamp -- bash -c '(setsid ./loop; echo done >daemon.done) & sleep 0.1'
for _ in {1..50}; do [ -e daemon.done ] || sleep 0.1; done
check "a service that the command started lives on after the command's own end" test -e daemon.done
check "and the file is whole" equal "$(field daemon.vsamp .complete)" true
cp loop setuid && chmod 4755 setuid
chmod 755 .
vsamp record -q -e $ev --user user -o setuid.vsamp -- ./setuid
check "a command that is setuid root" within "$(field setuid.vsamp '.events[0].samples')" 1999 2001
cp loop $'esc\033[31m\nx'
vsamp record -q -e $ev -o esc.vsamp -- ./esc*
vsamp report esc.vsamp >esc.txt
check "names that would steer the terminal don't" bash -c '! grep -q "$(printf "\033")" esc.txt && grep -q "esc?\[31m" esc.txt'

# --- options beside each other ---

sleep 0.01 & dead=$!
wait $dead
check "-p of a process that is gone" said "$dead" vsamp record -q -p $dead -o p.vsamp
vsamp record -q -e $ev -D 500 -d 0.2 -a -o D.vsamp
check "a delay longer than the duration: both count" within "$(field D.vsamp .elapsed_ns)" 199000000 215000000
vsamp record -q -e $ev -D 60000 -d 1 -a -o D2.vsamp & rec=$!
sleep 0.5
kill -INT $rec
wait $rec
check "a signal ends the delay as well" equal "$(field D2.vsamp .complete)" true
check "-o to a full device" said "No space left" vsamp record -q -e $ev -a -d 0.1 -o /dev/full
check "-o to a folder" said "is a folder" vsamp record -q -e $ev -a -d 0.1 -o /tmp
check "-C with a hole that isn't online" said "CPU 5 is not online" vsamp record -q -C 0,5 -e $ev -d 0.1

# --- the command has the machine to itself: the recorder's turns took 3 to 7 million instructions ---

cat >rest.sh <<'END'
#!/bin/bash
used() { read -r ns _ </proc/$PPID/schedstat; }
sleep 0.03
used
before=$ns
sleep 1.2
used
echo $((ns - before))
END
chmod +x rest.sh
check "in an idle second the recorder takes less than a million instructions" within \
	"$(vsamp record -q -e $ev -o rest.vsamp -- ./rest.sh)" 0 1000000
