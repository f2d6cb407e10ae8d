#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a stock bsdtar writes as mtree is a workload as it is: read whole, and blitted and verified. It numbers hard links alike and
# nothing else, so equal contents are contents of their own.
set -euo pipefail
export LC_ALL=C

root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
folder=$(mktemp -d "/dev/shm/blitbench-bsdtar.XXXXXX")
trap 'rm -rf "$folder"' EXIT

command -v bsdtar > /dev/null || skipped "bsdtar is not installed"
[ -x "$root/build/blitbench" ] || skipped "build/blitbench is not built"
blitbench=$root/build/blitbench

tree=$folder/tree/usr
mkdir -p "$tree/bin" "$tree/lib/deep/deeper" "$tree/share/with blank" "$folder/here"
head -c 5000 /dev/zero > "$tree/bin/tool"
ln "$tree/bin/tool" "$tree/bin/same-tool"
cp "$tree/bin/tool" "$tree/lib/deep/equal-but-apart"
ln -s ../../bin/tool "$tree/lib/deep/deeper/link"
: > "$tree/share/with blank/empty"
printf 'x' > "$tree/share/$(printf 'n\303\244me')"
chmod 4755 "$tree/bin/tool"
chmod 0700 "$tree/lib"

inspect() { "$blitbench" workload inspect --json "$1"; }

# expect MANIFEST FILTER VALUE
expect() {
	local found
	found=$(inspect "$1" | jq -r "$2")
	[ "$found" = "$3" ] || failed "$2 of $(basename "$1") is $found instead of $3"
}

# From the folder above usr, as a whole, with each way of naming the start and several sets of keywords.
bsdtar --format=mtree -cf "$folder/plain.mtree" -C "$folder/tree" usr
bsdtar --format=mtree -cf "$folder/dotted.mtree" -C "$folder/tree" ./usr
bsdtar --format=mtree --options='!all,use-set,type,mode,uid,gid,size,link,nlink' -cf "$folder/few.mtree" -C "$folder/tree" usr
bsdtar --format=mtree --options=sha256,md5,cksum,indent -cf "$folder/many.mtree" -C "$folder/tree" usr
entries=$(find "$tree" | wc -l)
for manifest in plain dotted few many; do
	file=$folder/$manifest.mtree
	expect "$file" .entries "$entries"
	expect "$file" .symlinks 1
	expect "$file" .empty_files 1
	"$blitbench" run --directory "$folder/here" workload="$file" delta=none engines=moss-2025 caches=hot trials=1 operations=remove \
		> "$folder/log" 2>&1 || failed "blitting $manifest.mtree: $(tail -n 1 "$folder/log")"
	grep -q "hot remove 1: $entries entries blitted" "$folder/log" || failed "$manifest.mtree did not come to $entries entries"
	! grep -q "NOT VERIFIED" "$folder/log" || failed "$manifest.mtree did not verify"
	[ -z "$(ls -A "$folder/here")" ] || failed "the folder was not left empty"
done
