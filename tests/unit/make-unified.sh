#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The unified image holds each part unchanged, in sections that do not overlap and start on a page; too large is an error.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stub=
for candidate in "$root/build/stub/linuxx64.efi.stub" /usr/lib/systemd/boot/efi/linuxx64.efi.stub; do
	[ -n "$stub" ] || [ ! -s "$candidate" ] || stub=$candidate
done
[ -n "$stub" ] || skipped "there is no EFI stub on this machine yet"

# Sizes that end nowhere near a page.
head -c 300001 /dev/urandom > "$work/kernel"
head -c 70003 /dev/urandom > "$work/initramfs"
make() {
	"$root/image/make-unified" --kernel "$work/kernel" --initramfs "$work/initramfs" --stub "$stub" "$@"
}
make --output "$work/image"

# Reading a section back from a PE file gives it padded to the file's alignment.
for part in linux:kernel initrd:initramfs; do
	objcopy --dump-section ".${part%:*}=$work/found" "$work/image" "$work/copy"
	cmp -n "$(stat -c %s "$work/${part#*:}")" "$work/found" "$work/${part#*:}" || failed "section .${part%:*} is not the file"
done
objcopy --dump-section ".cmdline=$work/found" "$work/image" "$work/copy"
[ "$(tr -d '\0' < "$work/found")" = "$(cat "$root/image/cmdline")" ] || failed "section .cmdline is not image/cmdline"

end=0
while read -r name size address; do
	[ $((16#$address)) -ge $end ] || failed "section $name overlaps the one before it"
	case $name in
	.osrel | .cmdline | .initrd | .linux) [ $((16#$address % 4096)) -eq 0 ] || failed "section $name starts within a page" ;;
	esac
	end=$((16#$address + 16#$size))
done < <(objdump -h "$work/image" | awk '$1 ~ /^[0-9]+$/ { print $2, $3, $4 }' | sort -k 3)

status=0
make --output "$work/large" --limit 300000 2> "$work/err" || status=$?
if [ $status -eq 0 ] || [ -e "$work/large" ] || ! grep -q 'kernel 300001, initramfs 70003' "$work/err"; then
	failed "an image over the limit is no error that names its parts"
fi
[ "$(find "$work" -name '.unified.*')" = "" ] || failed "a temporary folder was left behind"
