# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the scripts of image/: source it, never run it. Paths, progress lines, logs, temporary folders, the cache.

set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC
# What the caller's make or shell has set must not steer what is built.
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS V C M O W ARCH CROSS_COMPILE KCFLAGS KBUILD_OUTPUT LOCALVERSION
unset CC CXX CPP AR CFLAGS CPPFLAGS CXXFLAGS LDFLAGS LIBS DESTDIR CONFIG_SITE

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
logs=$build/log
lock=${SOURCES_LOCK:-$root/image/sources.lock}
cache=${BLITBENCH_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/blitbench}
program=${0##*/}

say() { printf '%s: %s\n' "$program" "$*"; }
die() { printf '%s: %s\n' "$program" "$*" >&2; exit 1; }

# A folder that vanishes with the script, on the same filesystem as the cache, so that results enter the cache by rename.
# Those of scripts that were killed outright go at the next start: the name ends with the process's number.
scratch=
make_scratch() {
	local old
	mkdir -p "$cache/tmp" || die "cannot create $cache: set BLITBENCH_CACHE to a folder that can be written"
	for old in "$cache"/tmp/*.[0-9]*; do
		[[ -d $old ]] && ! kill -0 "${old##*.}" 2>/dev/null && rm -rf "$old"
	done
	scratch=$cache/tmp/$program.$$
	rm -rf "$scratch"
	mkdir "$scratch"
	trap 'status=$?; trap - EXIT; stop_jobs; rm -rf "$scratch"; exit $status' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# One build at a time of a kind: a second one waits, and then finds the results in the cache.
take_turn() {
	exec 9>"$cache/$program.lock"
	flock --nonblock 9 && return
	say "waiting for another $program to end"
	flock 9
}

# Each Debian archive that apt is configured with on this machine: its base address, and its label ("Debian",
# "Debian-Security"). Where package lists were never fetched, private ones are first: apt knows the label only then.
debian_archives() {
	local private=$scratch/apt-lists format='$(REPO_URI) $(ORIGIN)/$(LABEL)' list
	list=$(apt-get indextargets --format "$format")
	if [[ $list != *' Debian/'* ]]; then
		mkdir -p "$private/lists/partial" "$private/archives/partial"
		apt-get update -qq -o "Dir::State::lists=$private/lists" -o "Dir::Cache=$private" \
			-o APT::Sandbox::User=root >"$scratch/apt-lists.log" 2>&1 || true
		list=$(apt-get indextargets -o "Dir::State::lists=$private/lists" -o "Dir::Cache=$private" --format "$format")
	fi
	sed -n 's| Debian/| |p' <<<"$list" | sort -u
}

# Ends background jobs with all that they started (each is a process group of its own under `set -m`).
stop_jobs() {
	local pid
	set +m # else the shell reports each of them
	for pid in $(jobs -p); do
		kill -TERM -- "-$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null || true
	done
	wait 2>/dev/null || true
}

# show_log WHAT LOG: the end of a log, for a step that failed.
show_log() {
	{
		printf '%s: %s failed; the last lines of %s:\n' "$program" "$1" "$2"
		tail -n 20 "$2" | sed 's/^/    /'
	} >&2
}

# lock_field NAME FIELD: one field of an entry of the lock.
lock_field() {
	local field
	case $2 in
	version) field=2 ;; suite) field=3 ;; package) field=4 ;; sha256) field=5 ;; path) field=6 ;;
	esac
	awk -v name="$1" -v field="$field" '$1 == name { print $field; found = 1 } END { exit !found }' "$lock" ||
		die "$lock has no entry named $1"
}

# source_file NAME: where fetch-sources leaves the file of an entry.
distfiles=$cache/distfiles
source_file() { printf '%s/%s' "$distfiles" "$(basename "$(lock_field "$1" path)")"; }

compiler_version() { gcc --version | sed -n 1p; ld --version | sed -n 1p; }
digest() { sha256sum | cut -c 1-32; }
