#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A target that holds what is not ours is refused, whatever it is: ext4, xfs, an encrypted volume, swap.
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive

make_ext4() {
	ext4_image "$work/contents" 400M home
}
make_xfs() {
	truncate -s 400M "$work/contents"
	mkfs.xfs -q "$work/contents"
}
# libblkid asks for no more than the beginning of these two: the magic with its version, and the page with its end.
make_luks() {
	truncate -s 16M "$work/contents"
	printf 'LUKS\xba\xbe\x00\x01' | dd of="$work/contents" conv=notrunc status=none
}
make_swap() {
	truncate -s 16M "$work/contents"
	mkswap -q "$work/contents" 2> /dev/null
}

for kind in ext4 xfs luks swap; do
	rm -f "$work/contents"
	"make_$kind"
	target_disk "$work/$kind.img"
	put_into_partition "$work/$kind.img" 1 "$work/contents"
	remember "$work/$kind.img"
	boot_directly --disk "$work/$kind.img"
	expect_refused foreign-signature "$kind" overwrite
done
passed
