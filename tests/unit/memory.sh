#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A whole run of a large workload, from its manifest to its report, takes no more memory than is promised: 256 MiB for the desktop's
# 231,613 entries; 32 for the 10,422 of the small one, where the other would take too long.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
blitbench=$root/build/blitbench
[ -x "$blitbench" ] || skipped "build/blitbench is not built"
work=$(mktemp -d /dev/shm/blitbench-memory.XXXXXX)
trap 'rm -rf "$work"' EXIT
workload=small entries=10422 mebibytes=32
[ "${BLITBENCH_THOROUGH:-0}" != 1 ] || workload=desktop entries=231613 mebibytes=256

mkdir "$work/place"
ulimit -v $((mebibytes << 10))
"$blitbench" run --directory "$work/place" workload="$root/workloads/$workload.mtree.zst" content=capped:1 trials=1 caches=hot \
	operations=remove -o "$work/out" > "$work/log" 2>&1 || failed "with $mebibytes MiB: $(tail -n 3 "$work/log")"
jq -e ".run.status == \"complete\" and .trials[0].verified and .workload.entries == $entries" "$work/out/report.json" > "$work/log" ||
	failed "the run of $workload is not complete"
