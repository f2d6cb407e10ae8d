#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A legacy BIOS from a USB 3 stick, a SATA disk, one processor.
. "$(dirname "$0")/lib.sh"

machine --bios --cpus 1
expect_measured sata
passed
