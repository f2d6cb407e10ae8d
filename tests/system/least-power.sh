#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the image cannot do: speak to a network, start a shell or a script, load code into the kernel, open the machine's
# memory. Asked of the kernel that was built, from a program in the place of ours, and of the files on the image.
. "$(dirname "$0")/lib.sh"

need "$build/kernel.config" "$build/vmlinuz" "$build/initramfs.cpio.zst" "$build/gen_init_cpio"
"$root/kconfig/check" "$build/kernel.config" "$root"/kconfig/*.config || failed "the kernel is not what kconfig/ asks for"
! grep '=m$' "$build/kernel.config" || failed "the kernel has modules"

mkdir "$work/files.d"
(cd "$work/files.d" && zstd -qdc "$build/initramfs.cpio.zst" | bsdtar -xf - --exclude dev/console)
find "$work/files.d" -type f -perm /111 -printf '/%P\n' | sort > "$work/programs"
sed -n 's/^file \([^ ]*\) [^ ]* 755 .*/\1/p' "$root/image/initramfs.list" | sort | diff - "$work/programs" ||
	failed "the programs on the image are not those of image/initramfs.list"
while read -r program; do
	[ "$(head -c 4 "$work/files.d$program")" = $'\x7fELF' ] || failed "$program is a script, or needs one that runs it"
	case ${program##*/} in
	init | mkfs.* | *fsck | fsck.* | xfs_repair | btrfs) ;;
	*) failed "$program neither makes nor checks filesystems" ;;
	esac
done < "$work/programs"

"$build/sysroot/bin/musl-gcc" -static -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -o "$work/probe" "$root/tests/system/least-power.c"
"$build/gen_init_cpio" - > "$work/probe.cpio" <<-END
	dir /dev 755 0 0
	nod /dev/console 600 0 0 c 5 1
	dir /proc 755 0 0
	file /init $work/probe 755 0 0
END
altered_qemu "for i in \"\${!arguments[@]}\"; do
	[[ \${arguments[i]} != */initramfs.cpio.zst ]] || arguments[i]=$work/probe.cpio
done"
boot_directly --no-plan --memory 1G --no-disk
expect_text console.log '^probe: the end'
tr -d '\r' < "$folder/console.log" | sed -n 's/^probe: \(can .*\)/\1/p' > "$work/can"
diff - "$work/can" <<< 'can make sockets of family 16' || failed "the kernel can do more than to tell programs of this machine by netlink"
grep -c '^probe: cannot' < <(tr -d '\r' < "$folder/console.log") > "$work/cannot" || failed "the probe asked for nothing"
[ "$(cat "$work/cannot")" -gt 50 ] || failed "the probe asked for $(cat "$work/cannot") things only"
passed
