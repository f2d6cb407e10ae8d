#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# UEFI from a USB 3 stick, a disk behind a USB bridge that speaks UAS, sixteen processors.
. "$(dirname "$0")/lib.sh"

machine --disk-on uas --cpus 16
expect_measured usb
expect_report .machine.cpu.threads 16
passed
