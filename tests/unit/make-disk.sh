#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The disk image has the manifests that are given to make-disk where a run looks for them, the same bytes each time,
# and what does not fit is refused.
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin MTOOLSRC=/dev/null TZ=UTC
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
# shellcheck source=qemu/stick.sh
. "$root/qemu/stick.sh"
work=$(mktemp -d "/dev/shm/blitbench-make-disk.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "no kernel" > "$work/unified"
echo "[blitbench]" > "$work/conf"
head -c 100000 /dev/urandom > "$work/large.mtree.zst"
head -c 1000 /dev/urandom > "$work/a-name-that-fat-calls-long.mtree.zst"
echo "hello" > "$work/note.txt"

# make OUTPUT ARGUMENT...
make() {
	local output=$1
	shift
	"$root/image/make-disk" --efi-only --unified "$work/unified" --conf "$work/conf" --output "$output" "$@"
}

manifests=("$work/large.mtree.zst" "$work/a-name-that-fat-calls-long.mtree.zst")
arguments=(--workload "${manifests[0]}" --add "$work/note.txt" --workload "${manifests[1]}")
make "$work/disk" "${arguments[@]}"
sleep 2.1 & # FAT's clock ticks every two seconds
tick=$!
volume=$(stick_volume "$work/disk") || failed "the image has no partition BLITRESULTS"
for file in "${manifests[@]}"; do
	mcopy -i "$volume" "::workloads/$(basename "$file")" - | cmp - "$file" || failed "$(basename "$file") is not in workloads/"
done
mcopy -i "$volume" ::note.txt - | cmp - "$work/note.txt" || failed "the file given with --add is not in the root"

make "$work/none"
if mdir -i "$(stick_volume "$work/none")" ::workloads > /dev/null 2>&1; then
	failed "without manifests there is a folder workloads"
fi

truncate -s 70M "$work/too-large"
if make "$work/full" --workload "$work/too-large" > "$work/log" 2>&1; then
	failed "a manifest larger than the partition was taken"
fi
grep -q "too-large does not fit into BLITRESULTS" "$work/log" || failed "it is not said what does not fit: $(cat "$work/log")"
[ ! -e "$work/full" ] || failed "an image was left behind"

wait $tick
TZ=Asia/Tokyo make "$work/again" "${arguments[@]}"
cmp "$work/disk" "$work/again" || failed "the same files gave another image"

# For a legacy BIOS: code in the first sector, the attribute that it looks for, and all that syslinux loads, as it was given.
if [ ! -x "$root/build/bios/syslinux" ]; then
	echo "note: syslinux was not built yet, and that half of the image not looked at"
	exit 0
fi
head -c 300000 /dev/urandom > "$work/kernel"
head -c 100000 /dev/urandom > "$work/initramfs"
"$root/image/make-disk" --unified "$work/unified" --kernel "$work/kernel" --initramfs "$work/initramfs" --conf "$work/conf" \
	--output "$work/both"
cmp -n 440 "$work/both" "$root/build/bios/gptmbr.bin" || failed "the first sector has not syslinux's code"
[ "$(sfdisk --part-attrs "$work/both" 1)" = LegacyBIOSBootable ] || failed "the boot partition has no attribute for a legacy BIOS"
sfdisk --verify --quiet "$work/both" > "$work/log" 2>&1 || failed "the partition table is wrong: $(cat "$work/log")"
volume=$work/both@@1M
mcopy -i "$volume" ::syslinux/vmlinuz - | cmp - "$work/kernel" || failed "the kernel is not on the boot partition"
mcopy -i "$volume" ::syslinux/initrd.zst - | cmp - "$work/initramfs" || failed "the initramfs is not on the boot partition"
mcopy -i "$volume" ::EFI/BOOT/BOOTX64.EFI - | cmp - "$work/unified" || failed "the unified image is not on the boot partition"
mtype -i "$volume" ::syslinux/syslinux.cfg > "$work/cfg"
grep -qxF "APPEND $(cat "$root/image/cmdline")" "$work/cfg" || failed "syslinux has another command line: $(cat "$work/cfg")"
for file in ldlinux.sys ldlinux.c32; do
	mdir -i "$volume" -a -b "::syslinux/$file" > "$work/log" || failed "$file is missing"
done

truncate -s 15M "$work/kernel"
if "$root/image/make-disk" --unified "$work/kernel" --kernel "$work/kernel" --initramfs "$work/initramfs" --conf "$work/conf" \
	--output "$work/full" > "$work/log" 2>&1; then
	failed "more than the boot partition holds was taken"
fi
grep -q "does not fit into the boot partition of" "$work/log" || failed "it is not said what does not fit: $(cat "$work/log")"
