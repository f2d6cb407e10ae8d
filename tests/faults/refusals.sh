#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Layouts of disks on which no target may be found, each booted once: the rule that report.json names, and not one byte
# changed on the disk that is meant and on three that are somebody's.
. "$(dirname "$0")/lib.sh"

# refused RULE PATTERN LAYOUT ARGUMENT...: boots with the target's disk, if there is one, and up to two more.
refused() {
	local rule=$1 pattern=$2 layout=$3 file arguments=()
	shift 3
	three_canaries
	[ ! -e "$work/target.img" ] || arguments=(--disk "$work/target.img")
	[ -e "$work/target.img" ] || arguments=(--no-disk)
	for file in "$work"/other*.img; do
		[ ! -e "$file" ] || arguments+=(--extra-disk "$file")
	done
	for file in "$work"/{target,other*}.img; do
		[ ! -e "$file" ] || remember "$file"
	done
	limit_seconds=${limit_seconds:-240} boot_directly --no-plan --memory 1G --cpus 1 "${arguments[@]}" "$@"
	expect_refused "$rule" "$pattern"
	told "$layout" "before the boot" "refused, rule $rule, ${#digests[@]} canaries and ${#copies[@]} disks unchanged"
}

# bytes FILE OFFSET TEXT: TEXT as printf takes it, in the place of other bytes.
bytes() {
	# shellcheck disable=SC2059
	printf "$3" > "$work/bytes"
	! cmp -s -i "$2:0" -n "$(stat -c %s "$work/bytes")" "$1" "$work/bytes" || failed "the bytes at $2 are '$3' already"
	dd if="$work/bytes" of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# foreign TYPE [WHAT]: the target holds $work/contents.
foreign() {
	target_disk "$work/target.img"
	put_into_partition "$work/target.img" 1 "$work/contents"
	refused foreign-signature "$1" "the target's partition holds ${2:-$1}"
}

# magic TYPE OFFSET TEXT...: what libblkid knows TYPE by; the rest is blank.
magic() {
	local type=$1
	truncate -s 400M "$work/contents"
	shift
	while [ $# -gt 0 ]; do
		bytes "$work/contents" "$1" "$2"
		shift 2
	done
	foreign "$type"
}

# ---- nothing has the name --------------------------------------------------------------------------------------------

case_no_disk() {
	refused no-match "no partition has the GPT partition label" "no disk but the stick and somebody's"
}
case_blank_disk() {
	truncate -s 1200M "$work/target.img"
	refused no-match "no partition has" "the disk is blank"
}
case_empty_table() {
	gpt_disk "$work/target.img" 1200M
	refused no-match "GPT that is empty" "a GPT without partitions"
}
case_mbr_disk() {
	truncate -s 1200M "$work/target.img"
	sfdisk --quiet --no-tell-kernel "$work/target.img" <<< 'label: dos
		type=83'
	refused no-match "no partition has" "the disk has an MBR, whose partitions have no names"
}
case_other_case() {
	gpt_disk "$work/target.img" 1200M BLITBENCH-TARGET
	refused no-match "'BLITBENCH-TARGET' on .* is named otherwise" "the label in capitals"
}
case_blank_before() {
	gpt_disk "$work/target.img" 1200M " blitbench-target"
	refused no-match "is named otherwise" "the label with a blank before it"
}
case_longer_name() {
	gpt_disk "$work/target.img" 1200M blitbench-target-2
	refused no-match "no partition has" "a label that only begins as ours"
}
case_cyrillic_name() {
	gpt_disk "$work/target.img" 1200M $'blitb\u0435nch-target'
	refused no-match "no partition has" "a label that looks the same, in other letters"
}
case_label_of_filesystem() {
	gpt_disk "$work/target.img" 1200M data
	ext4_image "$work/contents" 400M blitbench-target
	put_into_partition "$work/target.img" 1 "$work/contents"
	refused no-match "as the label of its filesystem" "only the filesystem in the partition has the label"
}
case_other_partuuid() {
	target_disk "$work/target.img"
	refused no-match "no partition has the PARTUUID" "a PARTUUID is asked for that no partition has" \
		partuuid=01234567-89ab-cdef-0123-456789abcdef
}
case_partuuid_of_other_label() {
	gpt_disk "$work/target.img" 1200M blitbench-target:1100M data
	refused no-match "is named otherwise" "label and PARTUUID are asked for, and two partitions have one each" \
		"partlabel=blitbench-target" "partuuid=$(sfdisk --part-uuid "$work/target.img" 2)"
}
case_other_model() {
	target_disk "$work/target.img"
	refused no-match "is not on the disk asked for" "the label is on a disk of another model" "model=QEMU"
}
case_other_serial() {
	target_disk "$work/target.img"
	refused no-match "is not on the disk asked for" "the label is on a disk with another serial number" serial=BLITTARGET
}
case_damaged_header() {
	target_disk "$work/target.img"
	bytes "$work/target.img" $((512 + 56)) '\xff\xff'
	refused no-match "GPT that is empty, damaged" "a bit rotten in the GPT's header"
}
case_damaged_entries() {
	target_disk "$work/target.img"
	bytes "$work/target.img" $((1024 + 41)) '\xff'
	refused no-match "no partition has" "a rotten byte in the GPT's entries"
}
case_cut_disk() {
	target_disk "$work/target.img" 2G
	truncate -s 1500M "$work/target.img"
	refused no-match "of a larger disk" "the beginning of a disk that was larger"
}
case_backup_only() {
	target_disk "$work/target.img"
	dd if=/dev/zero of="$work/target.img" bs=512 count=34 conv=notrunc status=none
	refused no-match "no partition has" "only the GPT's copy at the end is left"
}
case_in_the_table() {
	truncate -s 1300M "$work/target.img"
	sfdisk --quiet --no-tell-kernel "$work/target.img" <<< 'label: gpt
		table-length: 4
		first-lba: 3
		start=20, name=blitbench-target'
	refused no-match "shares bytes with" "the partition lies in the table's own sectors"
}
case_apple_map() {
	truncate -s 1200M "$work/target.img"
	bytes "$work/target.img" 0 'ER\x02\x00'
	bytes "$work/target.img" 512 'PM\0\0\0\0\0\x01\0\0\0\x01\0\0\0\x3fblitbench-target'
	refused no-match "no partition has" "an Apple partition map that names a partition so"
}

# ---- a whole disk, or several ----------------------------------------------------------------------------------------

case_whole_disk_ext4() {
	ext4_image "$work/target.img" 1200M blitbench-target
	refused whole-disk "label of a filesystem on a whole disk" "an ext4 on the whole disk has the label"
}
case_whole_disk_btrfs() {
	truncate -s 1200M "$work/target.img"
	mkfs.btrfs --quiet --label blitbench-target "$work/target.img"
	refused whole-disk "label of a filesystem on a whole disk" "a btrfs on the whole disk has the label"
}
case_whole_disk_swap() {
	truncate -s 1200M "$work/target.img"
	mkswap -q -L blitbench-targe "$work/target.img" 2> /dev/null
	refused whole-disk "label of a filesystem on a whole disk" "swap space on the whole disk has the label" \
		partlabel=blitbench-targe
}
case_two_on_a_disk() {
	gpt_disk "$work/target.img" 2600M blitbench-target:1200M blitbench-target
	refused two-matches "2 partitions have" "two partitions of one disk have the label"
}
case_two_disks() {
	target_disk "$work/target.img"
	target_disk "$work/other1.img"
	refused two-matches "BLITTARGET1.*BLITEXTRA|BLITEXTRA.*BLITTARGET1" "a partition on each of two disks has the label"
}
case_three_disks() {
	target_disk "$work/target.img"
	target_disk "$work/other1.img"
	gpt_disk "$work/other2.img" 32M blitbench-target
	refused two-matches "3 partitions have" "partitions of three disks have the label, one too small"
}
case_clone() {
	target_disk "$work/target.img"
	cp --sparse=always "$work/target.img" "$work/other1.img"
	refused two-matches "2 partitions have" "a copy of the disk, the same to the PARTUUID" \
		"partuuid=$(sfdisk --part-uuid "$work/target.img" 1)"
}
case_two_of_a_model() {
	target_disk "$work/target.img"
	target_disk "$work/other1.img"
	refused two-matches "2 partitions have" "two disks of the model that is asked for" "model=QEMU SSD"
}

# ---- the image and the results ---------------------------------------------------------------------------------------

case_results_volume() {
	target_disk "$work/target.img"
	refused results-disk "holds the image or the results itself" "the results volume itself is named" partlabel=BLITRESULTS
}
case_boot_partition() {
	target_disk "$work/target.img"
	refused results-disk "holds the image or the results itself" "the stick's boot partition is named, with overwrite" \
		partlabel=BLITBOOT overwrite=yes same_disk=yes
}
case_results_by_partuuid() {
	target_disk "$work/target.img"
	refused results-disk "itself" "the results volume is named by its PARTUUID, with overwrite and same_disk" \
		"partuuid=$(sfdisk --part-uuid "$build/blitbench.img" 2)" overwrite=yes same_disk=yes
}
case_on_the_stick() {
	cp --sparse=always "$build/blitbench.img" "$work/stick.img"
	truncate -s 1400M "$work/stick.img"
	{
		sfdisk --dump "$work/stick.img" | grep -v '^last-lba'
		echo 'name="blitbench-target"'
	} > "$work/table"
	sfdisk --quiet --no-tell-kernel --force --wipe never "$work/stick.img" < "$work/table"
	refused results-disk "on the disk that holds the image or the results" "the target lies on the stick itself" \
		--stick "$work/stick.img"
}
case_on_another_stick() {
	gpt_disk "$work/target.img" 1400M BLITBOOT:16M blitbench-target
	refused results-disk "on the disk that holds the image" "the target lies on another stick with the image"
}

# ---- read-only, too small --------------------------------------------------------------------------------------------

case_read_only() {
	target_disk "$work/read-only.img"
	remember "$work/read-only.img"
	canary_arguments=(--extra-disk "$work/read-only.img")
	# shellcheck disable=SC2016
	altered_qemu 'for i in "${!arguments[@]}"; do
		case ${arguments[i]} in
		driver=raw,node-name=extra1,*) arguments[i]+=,read-only=on,file.read-only=on ;;
		ide-hd,drive=extra1,*) arguments[i]=virtio-blk-pci,drive=extra1,serial=BLITEXTRA1 ;;
		esac
	done'
	refused read-only "is read-only" "the disk is write-protected"
}
case_too_small() {
	target_disk "$work/target.img" 600M
	refused too-small "the run needs" "a partition of 600 MiB"
}
case_hardly_too_small() {
	gpt_disk "$work/target.img" 1200M blitbench-target:2097151
	refused too-small "and the run needs" "a partition one sector smaller than 1 GiB"
}
case_one_sector() {
	gpt_disk "$work/target.img" 1200M blitbench-target:1
	refused too-small "and the run needs" "a partition of one sector"
}

# ---- what is on it ---------------------------------------------------------------------------------------------------

case_raid_member() {
	magic linux_raid_member 4096 '\xfc\x4e\x2b\xa9\x01' 4240 '\x08'
}
# Guid, state and transaction of a pool's first label, as XDR has them.
case_zfs_member() {
	local number='\0\0\0\x08\0\0\0\x01\0\0\0\0\0\0\0'
	magic zfs_member 16384 "\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0\x20\0\0\0\x04guid$number\x07" \
		16428 "\0\0\0\x24\0\0\0\x24\0\0\0\x05state\0\0\0$number\0" \
		16464 "\0\0\0\x20\0\0\0\x20\0\0\0\x03txg\0$number\x05"
}
case_luks2() {
	magic crypto_LUKS 0 'LUKS\xba\xbe\x00\x02'
}
case_bluestore() {
	magic ceph_bluestore 0 'bluestore block device'
}
case_squashfs() {
	magic squashfs 0 hsqs 28 '\x04'
}
case_iso9660() {
	magic iso9660 32768 '\x01CD001\x01'
}
case_vmfs() {
	magic VMFS_volume_member 1048576 '\x0d\xd0\x01\xc0'
}
case_erofs() {
	magic erofs 1024 '\xe2\xe1\xf5\xe0' 1036 '\x0c'
}
case_ubi() {
	magic ubi 0 'UBI#\x01'
}
case_external_journal() {
	truncate -s 400M "$work/contents"
	mke2fs -q -F -O journal_dev -b 4096 -L blitbench "$work/contents"
	foreign jbd "a journal of another ext4's, labelled as ours are"
}
case_swap_named_as_ours() {
	truncate -s 400M "$work/contents"
	mkswap -q -L blitbench "$work/contents" 2> /dev/null
	foreign swap "swap space labelled as ours are"
}
case_fat_named_as_ours() {
	truncate -s 400M "$work/contents"
	mkfs.fat -n blitbench "$work/contents" > /dev/null 2>&1
	foreign vfat "a FAT labelled as ours are"
}
case_ext4_in_capitals() {
	ext4_image "$work/contents" 400M BLITBENCH
	foreign "'ext4' labelled 'BLITBENCH'" "an ext4 whose label is ours in capitals"
}
case_btrfs() {
	truncate -s 400M "$work/contents"
	mkfs.btrfs --quiet --label home "$work/contents"
	foreign btrfs "somebody's btrfs"
}
case_f2fs() {
	truncate -s 400M "$work/contents"
	"$build/sysroot/sbin/mkfs.f2fs" -q -l home "$work/contents" > /dev/null
	foreign f2fs "somebody's f2fs"
}
case_table_inside_dos() {
	truncate -s 400M "$work/contents"
	sfdisk --quiet --no-tell-kernel "$work/contents" <<< 'label: dos
		type=83'
	foreign dos "a virtual machine's disk with an MBR"
}
case_table_inside_gpt() {
	gpt_disk "$work/contents" 400M root
	foreign gpt "a virtual machine's disk with a GPT"
}
case_disk_in_a_raid() {
	target_disk "$work/target.img"
	bytes "$work/target.img" $((1200 * 1048576 - 65536)) '\xfc\x4e\x2b\xa9\0\0\0\0\x5a'
	refused foreign-signature "part of a disk that is itself 'linux_raid_member'" \
		"the whole disk is a member of a RAID, beside its GPT"
}

group "$@"
