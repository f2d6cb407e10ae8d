#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# UEFI from a USB 3 stick, a SATA disk, two processors.
. "$(dirname "$0")/lib.sh"

machine
expect_measured sata
passed
