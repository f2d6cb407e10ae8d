#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A results volume that is full, damaged, not unmounted, or write-protected.
# TIMEOUT 900
. "$(dirname "$0")/lib.sh"

need "$build/blitbench" "$build/blitbench.img"
small=(filesystems=ext4 trials=1 caches=hot operations=remove)
canary plain
canary luks
canary deceptive
target_disk "$work/target.img"
cp --sparse=always "$build/blitbench.img" "$work/stick.img"
stick_set_keys "$work/stick.img" "${small[@]}"
volume=$(stick_volume "$work/stick.img")
cp --sparse=always "$work/stick.img" "$work/stick.before"

# Room for the beginning of a journal, a cluster or two.
free=$(mdir -i "$volume" :: | sed -n 's/ bytes free//p' | tr -d ' ')
head -c $((free - 12 * 1024)) /dev/zero | mcopy -i "$volume" - ::full
boot_directly --stick "$work/stick.img" --disk "$work/target.img"
expect_unchanged
expect_status 7
expect_text console.log "blitbench: RESULTS NOT SAVED: .*No space left on device"
[ -s "$folder/from-console/report.json" ] || failed "what the full stick could not hold did not come over the console"
folder=$folder/from-console
expect_report .run.status complete
expect_report '.trials | length' 1

cp --sparse=always "$work/stick.before" "$work/stick.img"
# Without its boot sector, of which there is a copy.
dd if=/dev/zero of="$work/stick.img" bs=512 count=1 seek="${volume##*@}" oflag=seek_bytes conv=notrunc status=none
boot_directly --stick "$work/stick.img" --disk "$work/target.img"
expect_unchanged
expect_status 0
expect_report .run.status complete
expect_report '[.notes[] | select(test("the results volume was repaired .* its copy was put in its place"))] | length' 1

cp --sparse=always "$work/stick.before" "$work/stick.img"
printf '\001' | dd of="$work/stick.img" bs=1 seek=$((${volume##*@} + 65)) conv=notrunc status=none
boot_directly --stick "$work/stick.img" --disk "$work/target.img"
expect_status 0
expect_report '[.notes[] | select(test("the results volume was repaired .*Dirty bit is set"))] | length' 1

# Nothing is formatted where nothing could be kept.
remember "$work/target.img"
# shellcheck disable=SC2016
altered_qemu 'for i in "${!arguments[@]}"; do
	[[ ${arguments[i]} != driver=raw,node-name=stick,* ]] || arguments[i]+=,read-only=on
done'
boot_directly --stick "$work/stick.img" --disk "$work/target.img"
expect_unchanged
expect_status 7
expect_text console.log "the results volume .* is read-only: look for a write-protect switch"
folder=$folder/from-console
expect_report .run.status refused
expect_report .run.rule no-results
passed
