#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A legacy BIOS from a USB 3 stick, a virtio disk, sixteen processors.
. "$(dirname "$0")/lib.sh"

machine --bios --disk-on virtio --cpus 16
expect_measured virtio
passed
