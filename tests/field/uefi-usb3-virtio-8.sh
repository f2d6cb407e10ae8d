#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# UEFI from a USB 3 stick, a virtio disk, eight processors.
. "$(dirname "$0")/lib.sh"

machine --disk-on virtio --cpus 8
expect_measured virtio
expect_report .machine.cpu.threads 8
passed
