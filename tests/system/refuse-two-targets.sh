#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two partitions that bear the target's name, on two disks or on one, are a refusal: no choosing between them.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
target_disk "$work/first.img"
target_disk "$work/second.img"
remember "$work/first.img" "$work/second.img"
boot_directly --disk "$work/first.img" --extra-disk "$work/second.img"
expect_refused two-matches blitbench-target BLITTARGET1

gpt_disk "$work/both.img" 2G blitbench-target:1G blitbench-target
remember "$work/both.img"
boot_directly --disk "$work/both.img"
expect_refused two-matches blitbench-target
passed
