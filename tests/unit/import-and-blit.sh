#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# From a package to a verified tree: packages of all kinds and a directory are imported, inspected, and blitted on one
# thread and on several.
set -euo pipefail
export LC_ALL=C

root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
folder=$(mktemp -d "/dev/shm/blitbench-import.XXXXXX")
trap 'rm -rf "$folder"' EXIT
blitbench=$root/build/blitbench

[ -x "$blitbench" ] || skipped "build/blitbench is not built"
mkdir "$folder/here"

# blits NAME: the manifest's entries, as inspect counts them, are blitted and verified, and nothing stays.
blits() {
	local manifest=$folder/$1.mtree.zst entries
	entries=$("$blitbench" workload inspect --json "$manifest" | jq .entries)
	"$blitbench" run --directory "$folder/here" workload="$manifest" delta=none engines="moss-2025 moss-2025-parallel" \
		operations=remove trials=1 -o "$folder/$1" > "$folder/log" 2>&1 || failed "$1: $(tail -n 1 "$folder/log")"
	jq -e --argjson entries "$entries" '.run.status == "complete" and .workload.entries == $entries and (.trials | length) == 2 and
		all(.trials[]; .verified and .entries == $entries)' "$folder/$1/report.json" > "$folder/log" ||
		failed "$1: not all of its $entries entries were blitted and verified"
	[ -z "$(ls -A "$folder/here")" ] || failed "$1: the directory was not left empty"
}

# The corpora's packages hold one tree, each as far as its kind can.
for package in stone/plain stone/zstd archive/deb archive/rpm archive/zip archive/tar.zst archive/pax; do
	name=${package//\//-}
	"$blitbench" workload import "$root/tests/fuzz/corpus/$package" -o "$folder/$name.mtree.zst" > "$folder/log" 2>&1 ||
		failed "$package: $(tail -n 1 "$folder/log")"
	blits "$name"
done

mkdir -p "$folder/usr/bin" "$folder/usr/lib/empty"
echo "a tool" > "$folder/usr/bin/tool"
cp "$folder/usr/bin/tool" "$folder/usr/lib/copy"
chmod 4755 "$folder/usr/bin/tool"
: > "$folder/usr/lib/none"
ln -s ../bin/tool "$folder/usr/lib/link"
"$blitbench" workload capture "$folder/usr" -o "$folder/captured.mtree.zst" > "$folder/log" 2>&1 || failed "$(tail -n 1 "$folder/log")"
blits captured
[ "$(jq .workload.entries "$folder/captured/report.json")" -eq "$(find "$folder/usr" | wc -l)" ] ||
	failed "what was captured is not all that was there"
