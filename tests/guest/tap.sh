# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# TAP for test scripts: source it, call check NAME COMMAND..., end with tap_end.

tap_n=0
tap_failed=0

# check NAME COMMAND...: one test; what COMMAND says is shown when it fails.
check() {
	local name=$1 out status=0
	shift
	out=$("$@" 2>&1) || status=$?
	tap_n=$((tap_n + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $tap_n - $name"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_n - $name"
		echo "# ${out//$'\n'/$'\n'# }"
		echo "# status $status: $*"
	fi
}

# within VALUE LOW HIGH
within() {
	[ -n "$1" ] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] && return
	echo "value '$1' is not within $2..$3"
	return 1
}

# equal VALUE EXPECTED
equal() {
	[ "$1" = "$2" ] && return
	echo "value '$1' is not '$2'"
	return 1
}

tap_end() {
	echo "1..$tap_n"
	[ "$tap_failed" -eq 0 ]
}
