#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel that lacks what the run needs is refused at start, with the names of what it lacks: here one that does not start up
# some of its filesystems.
. "$(dirname "$0")/lib.sh"

canary plain
target_disk "$work/target.img"
remember "$work/target.img"
boot_directly --disk "$work/target.img" --append initcall_blacklist=init_f2fs_fs
expect_refused kernel "CONFIG_F2FS_FS \\(f2fs\\)"
passed
