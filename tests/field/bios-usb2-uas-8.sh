#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A legacy BIOS from a USB 2 stick, a disk behind a USB bridge that speaks UAS, eight processors.
. "$(dirname "$0")/lib.sh"

machine --bios --stick-on ehci --disk-on uas --cpus 8
expect_measured usb
passed
