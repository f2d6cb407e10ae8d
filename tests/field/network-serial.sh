#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Started over the network by iPXE, kernel and initramfs with the keys on the command line; the report comes over the serial line.
. "$(dirname "$0")/lib.sh"

[ -n "$(find /usr/lib/ipxe /usr/share/qemu -name "*virtio*.rom" 2> /dev/null)" ] || skipped "iPXE is not installed"
canary plain
target_disk "$work/target.img"
network_boot blitbench.report=serial blitbench.filesystems=ext4 blitbench.caches=hot blitbench.operations=remove blitbench.trials=1
boot --direct --no-stick --memory 1G --limit 280 --disk "$work/target.img"
expect_unchanged
expect_status 0
expect_report .run.status complete
expect_report .run.config.caches hot
expect_report '.run.kernel.cmdline | test("initrd=initramfs")' true
passed
