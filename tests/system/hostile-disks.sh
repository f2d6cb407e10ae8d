#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Disks that nobody means to have: tables that are damaged or lie, labels that look alike, a clone, the remains of two
# filesystems, a sector that cannot be read. Each is refused, told, and left as it was.
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

canary deceptive-mbr

# The name in other case, and with a blank more.
gpt_disk "$work/names.img" 3G Blitbench-Target:1200M "blitbench-target :1200M"
# Nothing but the name is wanting: the partition lies in the table's own entries, of which there are four.
truncate -s 1300M "$work/in-table.img"
sfdisk --quiet --no-tell-kernel "$work/in-table.img" <<< 'label: gpt
	table-length: 4
	first-lba: 3
	start=20, name=blitbench-target'
# The kernel does not take the copy at the end for a table whose beginning is lost.
target_disk "$work/damaged.img"
printf lost | dd of="$work/damaged.img" bs=1 seek=512 conv=notrunc status=none
# The beginning of a disk that was larger.
target_disk "$work/cut.img" 2G
truncate -s 1500M "$work/cut.img"

remember "$work"/{names,in-table,damaged,cut}.img
limit_seconds=240
boot_directly --disk "$work/names.img" --extra-disk "$work/in-table.img" --extra-disk "$work/damaged.img" \
	--extra-disk "$work/cut.img"
expect_refused no-match "'Blitbench-Target' on [^;]* is named otherwise" "'blitbench-target ' on [^;]* is named otherwise" \
	"'blitbench-target' on [^;]*BLITEXTRA2.* or with its GPT" "BLITEXTRA3[^;]* has a GPT that is empty, damaged" \
	"BLITEXTRA4[^;]* has a GPT that is empty, damaged or of a larger disk"

# A copy of a disk is the same in everything that a table tells.
target_disk "$work/original.img"
cp --sparse=always "$work/original.img" "$work/clone.img"
remember "$work"/{original,clone}.img
boot_directly --disk "$work/original.img" --extra-disk "$work/clone.img" \
	"partuuid=$(sfdisk --part-uuid "$work/original.img" 1)"
expect_refused two-matches BLITTARGET1 BLITEXTRA2

# An xfs that lies over an ext4's beginning, of which the one's superblock spares the other's.
target_disk "$work/both.img"
ext4_image "$work/contents" 400M home
truncate -s 400M "$work/xfs"
mkfs.xfs -q "$work/xfs"
dd if="$work/xfs" of="$work/contents" bs=512 count=1 conv=notrunc status=none
put_into_partition "$work/both.img" 1 "$work/contents"
remember "$work/both.img"
boot_directly --disk "$work/both.img"
expect_refused foreign-signature "several signatures that disagree"

# Nothing can be known of a partition whose beginning has gone bad, be it only where a ZFS pool would be told by.
target_disk "$work/bad.img"
remember "$work/bad.img"
read -r start _ < <(partition_bytes "$work/bad.img" 1)
bad_sector read $(((start + 100 * 1024) / 512))
boot_directly --disk "$work/bad.img"
expect_refused foreign-signature "cannot be read"
passed
