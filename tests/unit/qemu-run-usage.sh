#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Wrong usage of qemu/run, or a missing file, ends in one sentence and status 2 before anything is started.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# QEMU would leave its mark here.
printf '#!/bin/sh\ntouch "%s/started"\n' "$work" > "$work/qemu"
chmod +x "$work/qemu"

# refuses PATTERN ARGUMENT...
refuses() {
	local pattern=$1 status=0
	shift
	QEMU=$work/qemu "$root/qemu/run" --results "$work/results" "$@" > "$work/out" 2> "$work/err" || status=$?
	if [ $status -ne 2 ] || [ "$(wc -l < "$work/err")" -ne 1 ] || ! grep -q -- "$pattern" "$work/err" || [ -s "$work/out" ] ||
		[ -e "$work/started" ]; then
		cat "$work/out" "$work/err"
		echo "reason: qemu/run $* ended with status $status and not in one sentence about '$pattern'"
		exit 1
	fi
}

: > "$work/disk"
refuses "unknown option --frobnicate" --frobnicate
refuses "neither an option nor KEY=VALUE" rounds
refuses "neither an option nor KEY=VALUE" $'rounds=1\n[variant x]'
refuses "whole seconds, not 'soon'" --limit soon
refuses "whole seconds, not '0'" --limit 0
refuses "takes a number, not 'many'" --cpus many
refuses "a size such as 2G, not '3Q'" --memory 3Q
refuses "needs a value" --disk
refuses "exclude each other" --disk "$work/disk" --no-disk
refuses "fixed" --append "blitbench.rounds=1"
refuses "takes xhci or ehci, not 'uhci'" --stick-on uhci
refuses "takes ahci, nvme, virtio or uas, not 'floppy'" --disk-on floppy
refuses "excludes --direct" --bios --direct
refuses "nothing else to start from" --no-stick
refuses "no writable disk image" --stick "$work/disk" --disk "$work/nothing"
refuses "no writable disk image" --stick "$work/disk" --extra-disk "$work"
refuses "is missing: build it first" --stick "$work/nothing"
ln -s disk "$work/alias"
refuses "never written to" --stick "$work/disk" --disk "$work/alias"
refuses "never written to" --stick "$work/alias" --extra-disk "$work/disk"
: > "$work/stick"
disks=()
for _ in 1 2 3 4 5 6; do
	disks+=(--extra-disk "$work/disk")
done
refuses "at most 5 disks" --stick "$work/stick" "${disks[@]}"
printf '#!/bin/sh\nexit 1\n' > "$work/qemu"
refuses "does not even tell its version" --stick "$work/disk"
rm "$work/qemu"
refuses "is missing: install the package qemu-system-x86" --stick "$work/disk"
grep -q 'Exit status' <("$root/qemu/run" --help) || { echo "reason: --help does not tell the exit status"; exit 1; }
