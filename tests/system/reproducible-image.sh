#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Putting the same built parts together twice, at another time and in another place, gives the same bytes.
. "$(dirname "$0")/lib.sh"

need "$build/vmlinuz" "$build/blitbench" "$build/gen_init_cpio" "$build/stub/linuxx64.efi.stub" "$build/blitbench.conf"
for n in 1 2; do
	mkdir "$work/$n"
	cp "$build/vmlinuz" "$build/stub/linuxx64.efi.stub" "$build/blitbench.conf" "$work/$n"
	"$root/image/make-initramfs" "$work/$n/initramfs.cpio.zst"
	"$root/image/make-unified" --kernel "$work/$n/vmlinuz" --initramfs "$work/$n/initramfs.cpio.zst" \
		--stub "$work/$n/linuxx64.efi.stub" --output "$work/$n/unified"
	"$root/image/make-disk" --unified "$work/$n/unified" --kernel "$work/$n/vmlinuz" \
		--initramfs "$work/$n/initramfs.cpio.zst" --conf "$work/$n/blitbench.conf" --output "$work/$n/disk"
	# FAT's clock ticks every two seconds.
	export TZ=Asia/Tokyo
	umask 077
	[ $n -eq 2 ] || sleep 2.1
done
for part in initramfs.cpio.zst unified disk; do
	[ "$(sha256sum < "$work/1/$part")" = "$(sha256sum < "$work/2/$part")" ] ||
		failed "two builds of $part differ: $(cmp "$work/1/$part" "$work/2/$part" || true)"
done
passed
