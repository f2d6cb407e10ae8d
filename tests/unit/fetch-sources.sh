#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# image/fetch-sources takes only files of the right digest, from a folder or an archive, and says in one sentence what
# is wrong. The archive is a folder that apt reads as one; nothing leaves this machine. Exits 0 if all is well.
set -euo pipefail

fetch=$(cd "$(dirname "$0")/../.." && pwd)/image/fetch-sources
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0

export BLITBENCH_CACHE=$folder/cache SOURCES_LOCK=$folder/lock APT_CONFIG=$folder/apt.conf
unset DISTFILES
got=$BLITBENCH_CACHE/distfiles/thing_1.tar

fail() {
	echo "fetch-sources: $*"
	failures=$((failures + 1))
}

# expect_error PATTERN WHAT [VARIABLE=VALUE]: it must fail with one line that has PATTERN, and leave no file.
expect_error() {
	local pattern=$1 what=$2 output
	shift 2
	rm -rf "$BLITBENCH_CACHE"
	if output=$(env "$@" "$fetch" thing 2>&1 >/dev/null); then
		fail "$what: it did not fail"
	elif [[ $output != *"$pattern"* || $output == *$'\n'* ]]; then
		fail "$what: not one line with '$pattern': $output"
	fi
	[[ ! -e $got ]] || fail "$what: the file is in the cache"
	[[ -z $(ls -A "$BLITBENCH_CACHE/tmp") ]] || fail "$what: something is left in $BLITBENCH_CACHE/tmp"
}

expect_file() {
	local what=$1
	shift
	rm -rf "$BLITBENCH_CACHE"
	env "$@" "$fetch" thing >output 2>&1 || fail "$what: $(<output)"
	cmp -s "$got" good/thing_1.tar || fail "$what: the file is not in the cache"
}

# Makes ADDRESS the only archive that apt knows.
archive_at() {
	mkdir -p apt/lists/partial apt/archives/partial
	rm -rf apt/lists/*_*
	echo "deb [trusted=yes] $1 ./" >apt/sources.list
	cat >apt.conf <<-END
		Dir::Etc::sourcelist "$folder/apt/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State::lists "$folder/apt/lists";
		Dir::Cache "$folder/apt";
		Acquire::Retries "0";
	END
}

mkdir -p good bad empty archive/pool/t
echo 'the right content' >good/thing_1.tar
echo 'another content' >bad/thing_1.tar
sha256=$(sha256sum good/thing_1.tar | cut -d ' ' -f 1)
printf '# a lock\nthing 1 suite src:thing %s pool/t/thing_1.tar\n' "$sha256" >lock
printf 'Package: thing\nVersion: 1\nArchitecture: all\nFilename: thing.deb\nSize: 1\n' >archive/Packages
printf 'Origin: Debian\nLabel: Debian\nSuite: suite\nDate: Sat, 01 Jan 2022 00:00:00 UTC\nSHA256:\n %s %s Packages\n' \
	"$(sha256sum archive/Packages | cut -d ' ' -f 1)" "$(stat -c %s archive/Packages)" >archive/Release
archive_at "file:$folder/archive"

expect_file 'a folder with the file' DISTFILES="$folder/good"
expect_error 'thing_1.tar has another SHA-256' 'a folder with a wrong file' DISTFILES="$folder/bad"
expect_error 'has no file thing_1.tar' 'a folder without the file' DISTFILES="$folder/empty"

expect_error '(404)' 'an archive without the file'
cp bad/thing_1.tar archive/pool/t/
expect_error 'has another SHA-256' 'an archive with a wrong file'
cp good/thing_1.tar archive/pool/t/
expect_file 'an archive with the file'

# What is in the cache needs no archive, unless it was damaged there.
archive_at 'http://127.0.0.1:9/debian'
"$fetch" thing >output 2>&1 || fail "a file in the cache: $(<output)"
echo 'half' >"$got"
if "$fetch" thing >output 2>&1; then
	fail 'a damaged file in the cache was taken'
fi
expect_error 'no network' 'an archive that cannot be reached'

if output=$("$fetch" other 2>&1) || [[ $output != *'has no entry named other'* ]]; then
	fail "an entry that the lock does not have: $output"
fi
exit $((failures > 0))
