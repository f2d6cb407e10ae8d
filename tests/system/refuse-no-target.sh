#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without a partition that bears the target's name a run is refused; in an MBR a filesystem's label makes no target.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive-mbr
boot_directly --no-disk
expect_refused no-match blitbench-target BLITEXTRA2
passed
