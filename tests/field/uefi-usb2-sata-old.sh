#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# UEFI from a USB 2 stick, a SATA disk, a processor of 2008.
. "$(dirname "$0")/lib.sh"

machine --stick-on ehci --cpu Nehalem
expect_measured sata
passed
