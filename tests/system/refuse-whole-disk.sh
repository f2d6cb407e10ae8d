#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A whole disk whose filesystem bears the target's name is no target, and the refusal says which disk that is.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
boot_directly --no-disk
expect_refused whole-disk blitbench-target BLITEXTRA2
passed
