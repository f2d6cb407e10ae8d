#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An unknown key and bad values are refused before a target is touched, all of them named in one go.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
target_disk "$work/target.img"
remember "$work/target.img"
boot_directly --no-plan --disk "$work/target.img" no_such_key=1 rounds=zero filesystems=ntfs
expect_refused config no_such_key rounds filesystems ntfs blitbench.conf
expect_text console.log no_such_key
expect_text console.log ntfs
passed
