#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A damaged workload, and one that leaves usr/, are refused before a target is touched.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
target_disk "$work/target.img"
remember "$work/target.img"
need "$build/blitbench.img"
cp --sparse=always "$build/blitbench.img" "$work/stick.img"
volume=$(stick_volume "$work/stick.img") || failed "build/blitbench.img has no partition BLITRESULTS"

{
	printf '#mtree\nusr type=dir mode=755\n'
	head -c 2000 /dev/urandom
} | mcopy -i "$volume" - ::damaged.mtree
printf '#mtree\nusr type=dir mode=755\nusr/../etc type=dir mode=755\nusr/../etc/shadow type=file mode=600 size=10 inode=1\n' |
	mcopy -i "$volume" - ::leaving.mtree

for manifest in damaged leaving; do
	boot_directly --no-plan --stick "$work/stick.img" --disk "$work/target.img" "workload=$manifest.mtree"
	expect_refused workload "$manifest.mtree"
done
passed
