#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A target that cannot hold the workload is refused before anything is written to it.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
target_disk "$work/target.img" 40M
remember "$work/target.img"
boot_directly --disk "$work/target.img"
expect_refused too-small blitbench-target
passed
