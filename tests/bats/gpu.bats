#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# vsamp gpu, where what /sys tells is made up

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

pci=root/sys/bus/pci

setup() {
	PATH=$BATS_TEST_DIRNAME/../../build:$PATH
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p $pci/devices $pci/drivers
}

# device SLOT ID [DRIVER] [VENDOR] [CLASS]
device() {
	local d=$pci/devices/$1
	mkdir -p "$d"
	echo "0x$2" >"$d/device"
	echo "0x${4:-8086}" >"$d/vendor"
	echo "0x${5:-030000}" >"$d/class"
	echo 0x04 >"$d/revision"
	echo '(null)' >"$d/driver_override"
	[ -z "${3:-}" ] || {
		driver "$3"
		ln -s "../../drivers/$3" "$d/driver"
	}
}

driver() {
	mkdir -p "$pci/drivers/$1"
	: >"$pci/drivers/$1/bind"
	: >"$pci/drivers/$1/unbind"
}

# field FILTER: of the list's first GPU
field() {
	vsamp gpu list --root root --json | jq -r ".gpus[0]$1"
}

# path ID DRIVER PATH WORD
path() {
	device 0000:00:02.0 "$1" "$2"
	[ "$(field .path)" = "$3" ] || { echo "path: $(field .path)"; return 1; }
	[[ $(field .reason) == *"$4"* ]] || { echo "no '$4' in: $(field .reason)"; return 1; }
	rm -r $pci/devices/0000:00:02.0
}

# refused WORD ARGUMENT...: and nothing is written
refused() {
	local word=$1 before
	shift
	before=$(grep -r . root | sort)
	run vsamp gpu "$@" --root root
	[ "$status" -eq 1 ]
	[[ $output == *"$word"* ]] || { echo "no '$word' in: $output"; return 1; }
	[ "$(grep -r . root | sort)" = "$before" ]
}

@test "list: no GPU, and no PCI at all" {
	run vsamp gpu list --root root
	[ "$status" -eq 0 ]
	[ "$output" = "No GPU of Intel's." ]
	mkdir without
	run -0 vsamp gpu list --root without
	run -1 vsamp gpu list --root nowhere
	[[ $output == *"--root: nowhere: No such file or directory"* ]]
	run -1 vsamp gpu bind 0000:00:02.0 --root nowhere
	[[ $output == *"--root: nowhere: No such file or directory"* ]]
	[ "$(vsamp gpu list --root=root --json | jq -c .)" = '{"version":1,"gpus":[]}' ]
}

@test "list: Intel's display devices, and no others" {
	device 0000:00:02.0 5912
	device 0000:00:1f.0 5912 '' 8086 060100
	device 0000:01:00.0 5912 '' 10de
	device 0000:03:00.0 56a0 '' 8086 038000
	run vsamp gpu list --root root --json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.gpus[] | [.device, .id]]' <<<"$output")" = '[["0000:00:02.0","8086:5912"],["0000:03:00.0","8086:56a0"]]' ]
}

@test "list: what the GPU is" {
	device 0000:00:02.0 9a49 i915
	mkdir -p $pci/devices/0000:00:02.0/drm/{card1,renderD128}
	echo 1350 >$pci/devices/0000:00:02.0/drm/card1/gt_max_freq_mhz
	[ "$(field '|[.title, .platform, .graphics_version, .revision] | @csv')" = '"Tiger Lake GT2","tglgt2","12.0",4' ]
	[ "$(field '|[.driver, .node, .timestamp_hz, .driver_override] | @json')" = '["i915","/dev/dri/renderD128",null,null]' ]
	[ "$(field '.sets | map(.name) | @csv')" = '"RenderBasic","ComputeBasic","GpuBusyness","TestOa"' ]
	[ "$(field '.sets[3].uuid')" = 6607f034-d053-40d1-8215-67c07f3041bb ]
	[ "$(field '.sets[3].metrics | length')" = 13 ]
	[ "$(field '.sets[0].metrics[9] | [.name, .unit] | @csv')" = '"GpuBusy","percent"' ]
	run vsamp gpu list --root root
	[[ ${lines[0]} == "0000:00:02.0  8086:9a49  Tiger Lake GT2, graphics version 12.0" ]]
	[[ ${lines[1]} == "    driver: i915, /dev/dri/renderD128" ]]
	[[ ${lines[2]} == "    reports: i915: "* ]]
	[[ $output == *"RenderBasic "* ]]
}

@test "list: by whom reports are had, and why" {
	path 5912 i915 i915 'i915 has it'
	path 7d55 xe xe 'xe has it'
	path 5912 vsamp_oa module "vsamp's module"
	path 5912 '' unbound 'vsamp gpu bind 0000:00:02.0'
	path 5912 vfio-pci none 'vfio-pci has it'
	path 4905 '' none 'the module does not drive DG1: load i915 or xe'
	path 7d55 '' none 'load i915 or xe'
	path 64a0 xe none 'no metrics of Lunar Lake'
	path ffff i915 none 'ffff is not known'
}

@test "list SET: its metrics, of the GPUs that have it" {
	device 0000:00:02.0 9a49
	device 0000:03:00.0 5912
	run vsamp gpu list --root root memoryreads
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "0000:03:00.0  Kaby Lake GT2  MemoryReads" ]
	[ "${#lines[@]}" -eq 42 ]
	[[ $output == *"    GtiMemoryReads           messages  reads of memory"* ]]
	run vsamp gpu list --root root nosuch
	[ "$status" -eq 1 ]
	[[ $output == *nosuch* ]]
}

@test "bind: a GPU that no driver has" {
	device 0000:00:02.0 5912
	driver vsamp_oa
	run vsamp gpu bind 0000:00:02.0 --root root
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(cat $pci/devices/0000:00:02.0/driver_override)" = vsamp_oa ]
	[ "$(cat $pci/drivers/vsamp_oa/bind)" = 0000:00:02.0 ]
}

@test "bind: never from i915 or xe, or another driver; it tells how" {
	device 0000:00:02.0 5912 i915
	device 0000:03:00.0 7d55 xe
	device 0000:04:00.0 5912 vfio-pci
	device 0000:05:00.0 5912 vsamp_oa
	refused 'i915 has it, and its reports are read through i915' bind 0000:00:02.0
	refused '/sys/bus/pci/drivers/i915/unbind' bind 0000:00:02.0
	refused 'xe has it' bind 0000:03:00.0
	refused '/sys/bus/pci/drivers/vfio-pci/unbind' bind 0000:04:00.0
	refused 'already' bind 0000:05:00.0
}

@test "bind: what is no such GPU, and without the module" {
	device 0000:00:02.0 5912
	device 0000:03:00.0 7d55
	refused 'modprobe vsamp' bind 0000:00:02.0
	driver vsamp_oa
	refused 'load i915 or xe' bind 0000:03:00.0
	refused "no GPU of Intel's" bind 0000:00:03.0
}

@test "bind: what the kernel refuses leaves no driver_override" {
	device 0000:00:02.0 5912
	driver vsamp_oa
	rm $pci/drivers/vsamp_oa/bind
	ln -s /dev/full $pci/drivers/vsamp_oa/bind
	run vsamp gpu bind 0000:00:02.0 --root root
	[ "$status" -eq 1 ]
	[[ $output == *"the kernel refuses"* ]]
	[ "$(head -n 1 $pci/devices/0000:00:02.0/driver_override)" != vsamp_oa ]
}

@test "unbind: from the module alone" {
	device 0000:00:02.0 5912 vsamp_oa
	device 0000:03:00.0 5912 i915
	refused 'the module does not have it: i915' unbind 0000:03:00.0
	run vsamp gpu unbind 0000:00:02.0 --root root
	[ "$status" -eq 0 ]
	[ "$(cat $pci/drivers/vsamp_oa/unbind)" = 0000:00:02.0 ]
	[ "$(head -c 1 $pci/devices/0000:00:02.0/driver_override)" = '' ]
}

@test "list --json SET: those that have it, with it alone" {
	device 0000:00:02.0 5912
	device 0000:03:00.0 ffff
	run -0 vsamp gpu list RenderBasic --root root --json
	[ "$(jq -r '.gpus[] | "\(.device) \([.sets[].name] | join(","))"' <<<"$output")" = "0000:00:02.0 RenderBasic" ]
	run -1 --separate-stderr vsamp gpu list None --root root --json
	[ "$(jq '.gpus | length' <<<"$output")" -eq 0 ]
	[[ $stderr == *"no GPU has a set 'None'"* ]]
}

@test "wrong calls" {
	while IFS=: read -r args told; do
		# shellcheck disable=SC2086 # several words
		run vsamp gpu $args
		[ "$status" -eq 2 ] || { echo "$args: $status $output"; return 1; }
		[[ $output == *"$told"* ]] || { echo "$args: $output"; return 1; }
	done <<-EOF
		:list
		bind:bind
		bogus:bogus
		bogus x:bogus
		list a b:'b'
		bind a b:'b'
		bind a --json:--json
		--root:--root': needs a value
		list --root:--root': needs a value
	EOF
}

@test "wrong options of record" {
	while IFS='|' read -r args told; do
		# shellcheck disable=SC2086 # several words
		run -2 vsamp record $args -- touch begun
		[[ $output == *"$told"* ]] || { echo "$args: $output"; return 1; }
	done <<-EOF
		--gpu=0000:00:02.0:|--gpu: '0000:00:02.0:' is no GPU and set
		--gpu-period 2|add --gpu
		--gpu-interval 2|add --gpu
		--gpu --gpu-period 0|--gpu-period: '0' is no time
		--gpu --gpu-interval 10s|--gpu-interval: '10s' is no time
	EOF
	run -1 vsamp record --gpu=ffff:1f:1f.7 -- touch begun
	[[ $output == *"no GPU of Intel's at ffff:1f:1f.7 here"* ]]
	[ ! -e begun ]
}

@test "record, of a user who may not sample the kernel: time in user mode beside the GPU" {
	[ "$(id -u)" -eq 0 ] || skip "takes root, to become another user"
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env "PATH=$PATH" HOME=/nonexistent)
	case $(cat /proc/sys/kernel/perf_event_paranoid) in
	2) told="events: cpu-clock:u, since cpu-clock: perf: kernel.perf_event_paranoid is 2" ;;
	-1 | 0 | 1) told="" ;;
	*) skip "users may sample nothing here" ;;
	esac
	# which GPU, and that there is none of this name, is said to those who may sample
	run -1 "${user[@]}" vsamp record --gpu=ffff:1f:1f.7 -- touch begun
	[[ $output == *"$told"*"no GPU of Intel's at ffff:1f:1f.7 here"* ]]
	[ ! -e begun ]
}
