#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A disk that cannot be written in one place stops the one filesystem that writes there: the run is partial, says why and
# where, and keeps what was measured, here with caches made cold by mounting anew.
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

canary plain
target_disk "$work/target.img"
read -r start size < <(partition_bytes "$work/target.img" 1)
truncate -s "$size" "$work/xfs"
mkfs.xfs -q "$work/xfs"
# The second allocation group's superblock, for ext4 in the middle of a block group: bytes 84 to 87 are sb_agblocks.
group_blocks=$((16#$(dd if="$work/xfs" bs=1 skip=84 count=4 status=none | od -A n -t x1 | tr -d ' \n')))
bad_sector write $((start / 512 + group_blocks * 8))

limit_seconds=540 boot_directly --disk "$work/target.img" "filesystems=ext4 xfs" trials=1 caches=cold cold=remount \
	operations=remove content=capped:4096
expect_unchanged
expect_status 3
expect_report .run.status partial
expect_report '[.sessions[] | "\(.filesystem) \(.status)"] | join(", ")' "ext4 complete, xfs failed"
expect_report '[.trials[] | "\(.filesystem) \(.cache) \(.operation) \(.verified)"] | join(", ")' \
	"ext4 cold remove true"
expect_report '[.trials[].flags[] | select(.level == "invalid") | .name] | unique' '[]'
expect_report '[.trials[] | select(.io.reads < .entries / 2)] | length' 0
expect_report '.run.reason | test("mkfs.xfs")' true
passed
