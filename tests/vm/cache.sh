# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# The cache outside the tree, and Debian packages fetched into it with an apt
# configuration of its own: the user's apt files are neither used nor changed.

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for those that source this
tree=$(cd "$vm_dir/../.." && pwd)
cache=${VSAMP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/vsamp}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() {
	echo "${0##*/}: $*" >&2
}

die() {
	say "$*"
	exit 125
}

# cache_lock NAME: wait for the lock NAME; hold it to cache_unlock or this process's end
cache_lock() {
	mkdir -p "$cache"
	exec {lock_fd}>"$cache/$1.lock"
	flock -n "$lock_fd" || { say "waiting for another build of $1"; flock "$lock_fd"; }
}

cache_unlock() {
	exec {lock_fd}>&-
}

# cache_prune PATTERN: remove what the cache holds under such names for long
cache_prune() {
	find "$cache" -maxdepth 1 -name "$1" -mtime +30 -exec rm -rf {} +
}

# The mirrors are those of the user's own sources: "URI SUITE"
apt_mirrors() {
	apt-get --print-uris update 2>/dev/null |
		sed -nE "s,^'(.*)/dists/(bookworm|bookworm-security)/InRelease'.*,\1 \2,p"
}

apt_sources() {
	local uri suite mirror

	apt_mirrors | while read -r uri suite; do
		echo "deb [signed-by=$keyring] $uri $suite main"
		[ -n "${apt_arch:-}" ] || echo "deb-src [signed-by=$keyring] $uri $suite main"
	done
	mirror=$(apt_mirrors | sed -n 's/ bookworm$//p' | head -1)
	[ -n "$mirror" ] || die "no mirror with Debian 12 (bookworm) in apt's sources"
	for suite in "$@"; do
		echo "deb [signed-by=$keyring] $mirror $suite main"
	done
}

# cache_apt [SUITE...]: make apt() and apt_show() see Debian 12, with its source
# packages, and the other suites named; where apt_arch is set, with packages for that
# architecture as well as amd64's
cache_apt() {
	apt_dir=$cache/apt/bookworm${*:+-}$(IFS=-; echo "$*")${apt_arch:+-$apt_arch}
	mkdir -p "$apt_dir/lists/partial" "$apt_dir/archives/partial"
	apt_opts=(-o Dir::Etc::sourcelist="$apt_dir/sources.list" -o Dir::Etc::sourceparts=-
		-o Dir::State::lists="$apt_dir/lists" -o Dir::Cache="$apt_dir"
		-o APT::Architectures="amd64${apt_arch:+,$apt_arch}" -o APT::Sandbox::User=root -o Acquire::Languages=none -qq)
	apt_sources "$@" >"$apt_dir/sources.list"
	if [ -z "$(find "$apt_dir/lists" -name '*InRelease' -mmin -1440)" ]; then
		say "fetching Debian's package lists"
		apt-get "${apt_opts[@]}" update >&2 || die "apt-get update failed"
		find "$apt_dir/lists" -name '*InRelease' -exec touch {} +
	fi
}

apt() {
	apt-get "${apt_opts[@]}" "$@"
}

apt_show() {
	apt-cache "${apt_opts[@]}" show "$@"
}

# cpio_archive DIR: DIR as an initramfs, the same bytes for the same contents
cpio_archive() {
	find "$1" -exec touch -h -d 2024-01-01 {} +
	(cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio -o -H newc --reproducible -R 0:0 --quiet)
}
