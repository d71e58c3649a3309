# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What depends on a guest's architecture; source it after cache.sh, and call arch_set.

# arch_set ARCH: amd64 or arm64, as Debian names them. Sets
#	triplet		as its folders and its compiler's programs are named
#	kbuild_args	what make needs to build kernel modules for it
#	sysroot		where its programs and libraries are; empty: on this machine
# shellcheck disable=SC2034,SC2154 # for those that source this; vm_dir is cache.sh's
arch_set() {
	arch=$1
	case $arch in
	amd64)
		triplet=x86_64-linux-gnu kbuild_args=() sysroot=''
		;;
	arm64)
		triplet=aarch64-linux-gnu kbuild_args=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
		sysroot=$("$vm_dir/get-sysroot")
		;;
	*) die "unknown architecture $arch: amd64 or arm64" ;;
	esac
}

# arch_libraries FILE...: the loader and the shared libraries that these programs and
# libraries need, directly or not, as paths below the sysroot
arch_libraries() {
	local todo=("$@") name path

	declare -A seen=()
	while [ ${#todo[@]} -gt 0 ]; do
		mapfile -t todo < <({ readelf -ldW "${todo[@]}" 2>/dev/null || true; } |
			sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p; s,.*program interpreter: (.*)\],\1,p' | sort -u)
		for name in "${!todo[@]}"; do
			path=${todo[name]}
			unset "todo[name]"
			[ -z "${seen[$path]:-}" ] || continue
			seen[$path]=1
			case $path in
			/*) ;;
			*) path=$(arch_find_library "$path") || continue ;;
			esac
			echo "$path"
			todo[name]=$sysroot$path
		done
		todo=("${todo[@]}")
	done
}

arch_find_library() {
	local d

	for d in "/lib/$triplet" "/usr/lib/$triplet" /usr/libexec/sudo; do
		[ -e "$sysroot$d/$1" ] && echo "$d/$1" && return
	done
	return 1
}
