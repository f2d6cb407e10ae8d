#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Started over the network by iPXE; the results go onto a partition of a disk that is named for them.
# SAMPLE
. "$(dirname "$0")/lib.sh"

[ -n "$(find /usr/lib/ipxe /usr/share/qemu -name "*virtio*.rom" 2> /dev/null)" ] || skipped "iPXE is not installed"
canary plain
target_disk "$work/target.img"
short_stick "$work/results.img"
network_boot "${short_keys[@]/#/blitbench.}"
boot --direct --no-stick --memory 1G --limit 280 --disk "$work/target.img" --extra-disk "$work/results.img"
expect_unchanged
run=$(mdir -b -i "$(stick_volume "$work/results.img")" ::runs | tr -d "\r" | sort | tail -n 1)
mkdir -p "$work/taken"
mcopy -n -i "$(stick_volume "$work/results.img")" "${run%/}/report.json" "$work/taken"
folder=$work/taken status=0
expect_measured sata
passed
