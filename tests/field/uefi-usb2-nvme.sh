#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# UEFI from a USB 2 stick, an NVMe disk, one processor.
. "$(dirname "$0")/lib.sh"

machine --stick-on ehci --disk-on nvme --cpus 1
expect_measured nvme
passed
