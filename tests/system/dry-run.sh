#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A dry run says what it would format, and a key stops the countdown: neither writes a byte to the target.
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
target_disk "$work/target.img"
ext4_image "$work/contents" 400M blitbench
put_into_partition "$work/target.img" 1 "$work/contents"
remember "$work/target.img"

# The countdown, of which nobody is left to see the end, is left out.
boot_directly --disk "$work/target.img" dry_run=yes countdown=3600 "filesystems=ext4 xfs" rounds=2
expect_unchanged
expect_status 0
expect_report .run.status complete
expect_report .run.dry_run true
expect_report '.sessions + .trials | length' 0
expect_report .target.partlabel blitbench-target
expect_report .target.disk.serial BLITTARGET1
for file in report.txt report.html; do
	expect_text $file "dry run.*nothing was written to the target; but for"
done
grep -qE "Target +partition blitbench-target, .* would have been +formatted" <(tr '\n' ' ' < "$folder/report.txt") ||
	failed "report.txt does not say what would have been formatted"
expect_text report.html "<h1>A dry run: nothing was formatted"
expect_text console.log "QEMU SSD \\(serial BLITTARGET1\\), 1\\.3 GB"
expect_text console.log "partition 1, labelled 'blitbench-target', 1\\.2 GiB, holding ext4 labelled 'blitbench'"
expect_text console.log "would be lost; this is a dry run"

# QEMU's monitor reads what is written into a pipe: the key comes from the guest's own keyboard.
mkfifo "$work/monitor.in" "$work/monitor.out"
# shellcheck disable=SC2016
altered_qemu 'arguments+=(-chardev "pipe,id=monitor,path='"$work"'/monitor" -mon chardev=monitor,mode=readline)'
press_a_key() {
	until grep -qs "Any key stops. Formatting begins in" "$work"/results/.run.*/console.log; do
		sleep 0.2
	done
	sleep 15 # longer than the watchdog waits for progress
	echo "sendkey x" > "$work/monitor.in"
}
press_a_key &
presser=$!
boot_directly --disk "$work/target.img" countdown=3600 watchdog=10
kill $presser 2> /dev/null || true
expect_unchanged
expect_status 3
expect_report .run.status aborted
expect_report .run.reason "stopped by a key before anything was written to the target"
expect_report '.sessions | length' 0
expect_text console.log "Everything on this partition will be lost\\."
passed
