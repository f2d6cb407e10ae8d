#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The report over the serial console: the same as on the stick where there is one, and all there is where there is none.
# TIMEOUT 900
. "$(dirname "$0")/lib.sh"

need "$build/blitbench"
small=(filesystems=ext4 trials=1 caches=hot operations=remove)

canary deceptive
target_disk "$work/target.img"
boot_directly --disk "$work/target.img" "${small[@]}" "report=lava serial"
expect_unchanged
expect_status 0
"$build/blitbench" report --from-console "$folder/console.log" -o "$work/sent" > "$work/text" || failed "the report is not in the console's log"
for file in journal.jsonl report.json report.txt report.csv report.html; do
	cmp "$folder/$file" "$work/sent/$file" || failed "$file from the console is not the one on the stick"
done
cmp "$work/text" "$folder/report.txt" || failed "what is printed is not report.txt"
"$build/blitbench" report --lava "$folder" > "$work/lava"
grep -o '<LAVA_SIGNAL_.*>' "$folder/console.log" | cmp - "$work/lava" || failed "the signals on the console are not the report's"
expect_text console.log "TEST_CASE_ID=blitbench_run RESULT=pass MEASUREMENT="

boot_directly --no-stick --disk "$work/target.img" --append "${small[*]/#/blitbench.} blitbench.report=serial"
expect_unchanged
expect_status 0
expect_report .run.status complete
expect_report '.trials | length' 1
expect_report '[.notes[] | select(test("no results volume"))] | length' 1
expect_text console.log "report sent over the serial console, and kept nowhere else"

# What is refused is told in the same way: of the disks left, one only pretends to be a target.
boot_directly --no-stick --no-disk --append "blitbench.report=serial"
expect_refused whole-disk blitbench-target
passed
