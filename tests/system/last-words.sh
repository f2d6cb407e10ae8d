#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel that panics leaves its last words in the firmware's variables where a run has asked for it, and the next run takes them;
# where nobody has asked, the firmware is left as it was.
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

firmware=/usr/share/OVMF/OVMF_CODE_4M.fd
need "$build/blitbench.img"
[ -s "$firmware" ] || skipped "OVMF is not installed"
cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/vars.fd"
cp --sparse=always "$build/blitbench.img" "$work/stick.img"
target_disk "$work/target.img"
canary plain
monitored
# The kernel started directly, but by a firmware whose variables stay from boot to boot.
altered_qemu 'arguments+=(-drive if=pflash,unit=0,format=raw,readonly=on,file='"$firmware"'
	-drive if=pflash,unit=1,format=raw,file='"$work"'/vars.fd)'

# go ARGUMENT...: boots with the stick as the last boot has left it.
go() {
	boot_directly --append unknown_nmi_panic --keep --stick "$work/stick.img" --disk "$work/target.img" filesystems=ext4 trials=1 caches=hot \
		operations=remove "$@"
	mv "$work"/results/.run.*/stick.img "$work/stick.img"
	rm -rf "$work"/results/.run.*
}

# What an NMI that nobody knows does.
when "hot remove 1 of 1" nmi go pstore=no
expect_status 6
expect_text console.log "Kernel panic - not syncing: NMI"
go pstore=yes
expect_unchanged
expect_status 0
[ -z "$(find "$folder" -name 'last-words-*')" ] || failed "there are last words that nobody asked for"

when "hot remove 1 of 1" nmi go pstore=yes
expect_status 6
go pstore=yes
expect_unchanged
expect_status 0
expect_report '[.notes[] | select(test("last words of an earlier boot"))] | length' 1
cat "$folder"/last-words-* > "$work/words"
grep -q "Kernel panic - not syncing: NMI" "$work/words" || failed "the last words do not tell of the panic"
# They were taken from the firmware.
go pstore=yes
[ -z "$(find "$folder" -name 'last-words-*')" ] || failed "the last words are still in the firmware"
passed
