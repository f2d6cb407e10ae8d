#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A workload too large for the initramfs is found by its name on the stick, its delta too, and read: the target's size is
# compared with what it needs, and is not enough. Neither is the memory, for hot trials, which is told before.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
target_disk "$work/target.img"
remember "$work/target.img"
boot_directly --memory 1G --disk "$work/target.img" workload=desktop
expect_refused too-small blitbench-target
expect_report .workload.entries 231613
expect_report .workload.install_entries 231707
expect_report '[.notes[] | select(test("a hot cache needs some .* on ext4, .* and this machine has 1.0 GiB"))] | length' 1
expect_text console.log "a hot cache needs some"
passed
