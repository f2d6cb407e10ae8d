#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A workload too large for the initramfs is found by its name on the stick, its delta too, and read: the target's size is
# compared with what it needs, and is not enough.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
target_disk "$work/target.img"
remember "$work/target.img"
boot_directly --disk "$work/target.img" workload=desktop
expect_refused too-small blitbench-target
expect_report .workload.entries 231613
expect_report .workload.install_entries 231707
passed
