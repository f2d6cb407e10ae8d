#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A legacy BIOS from a USB 2 stick, an NVMe disk, a processor of 2008.
# SAMPLE
. "$(dirname "$0")/lib.sh"

machine --bios --stick-on ehci --disk-on nvme --cpu Nehalem
expect_measured nvme
passed
