#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The stick that UEFI starts is started by a legacy BIOS too: syslinux hands over the kernel with the
# image's command line, the program finds its stick and refuses what it would refuse anywhere.
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

need "$build/blitbench.img"
canary plain
canary deceptive-mbr
boot --bios --no-disk --limit 540
expect_refused no-match blitbench-target usb BLITRESULTS
# Only syslinux says what it has loaded.
expect_report '.run.kernel.cmdline | split(" ") | map(select(test("^(BOOT_IMAGE|initrd)="))) | sort | join(" ")' \
	"BOOT_IMAGE=vmlinuz initrd=initrd.zst"
expect_report '.run.kernel.cmdline | gsub("(BOOT_IMAGE|initrd)=[^ ]+ ?"; "") | rtrimstr(" ")' "$(tr -d '\n' < "$root/image/cmdline")"
passed
