#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Disks come while a key could still stop the run: a second stick, or a copy of the target, is a refusal then too.
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

canary deceptive
need "$build/blitbench.img"
target_disk "$work/target.img"
cp --sparse=always "$build/blitbench.img" "$work/stick.img"
cp --sparse=always "$work/target.img" "$work/clone.img"
remember "$work"/{target,stick,clone}.img

pluggable late "$work/stick.img"
when "Formatting begins" "device_add usb-storage,drive=late" boot_directly --disk "$work/target.img" countdown=15
expect_refused no-results "2 results volumes" "leave only one"

pluggable late "$work/clone.img"
when "Formatting begins" "device_add usb-storage,drive=late" boot_directly --disk "$work/target.img" countdown=15
expect_refused two-matches blitbench-target BLITTARGET1 usb
passed
