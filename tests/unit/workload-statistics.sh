#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The statistics in workloads/README.md are those of the shipped manifests, and every list says what was made of it.
set -euo pipefail
export LC_ALL=C
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
cd "$root/workloads"

for list in *.packages; do
	name=${list%.packages}
	for manifest in "$name" "$name-nano"; do
		[ -s "$manifest.mtree.zst" ] || failed "there is $list, but no $manifest.mtree.zst"
	done
	wrong=$(grep -vE '^([#%].*|[a-z0-9][a-z0-9.+-]+ [0-9][A-Za-z0-9.+:~-]*)$' "$list" | sed -n 1p) || true
	[ -z "$wrong" ] || failed "$list has a line that is neither a package nor a directive: $wrong"
	[[ $(tail -n 1 "$list") == "nano "* ]] || failed "$list does not end in the delta"
done

# With the entries that are claimed: desktop's are those of the published table.
grep -qx '| entries, usr among them | 10422 | 10533 | 60000 | 60111 | 231613 | 231707 |' README.md ||
	failed "README.md does not have the entries that are claimed"
[ -x "$root/build/blitbench" ] || skipped "build/blitbench is not built"
diff <(sed -n '/^<!-- statistics -->$/,/^<!-- end of statistics -->$/p' README.md | grep -v -e '^<!--' -e '^$') <(./statistics | grep .) ||
	failed "README.md has other figures; run workloads/statistics --write"
