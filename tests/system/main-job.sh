#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The image that is flashed, started by firmware from a stick, measures three filesystems and hands back its report.
# TIMEOUT 900
. "$(dirname "$0")/lib.sh"

need "$build/blitbench.img"
canary plain
canary deceptive
canary deceptive-mbr
image_before=$(digest "$build/blitbench.img")

boot --limit 840 rounds=1 trials=1
expect_unchanged
[ "$(digest "$build/blitbench.img")" = "$image_before" ] || failed "the built image was written to"
expect_status 0
expect_report .schema blitbench-report/1
expect_report .run.status complete
expect_report '[.sessions[].filesystem] | join(" ")' "ext4 xfs f2fs"
expect_report '[.trials[] | "\(.filesystem) \(.cache) \(.operation)"] | unique | length' 12
expect_report '.trials | length' 12
expect_report '.trials | length' "$("$build/blitbench" plan quick --json rounds=1 trials=1 | jq .trials_without_cpufreq)"
expect_report '[.trials[].verified] | unique' '[true]'
expect_report '[.trials[] | select(.seconds <= 0 or .entries < 10000 or .entries_per_second <= 0)] | length' 0
expect_report '.summary | length' 12
# Nothing was left out of the figures: hot was hot and cold was cold, by the counts.
expect_report '[.trials[].flags[] | select(.level == "invalid") | .name] | unique' '[]'
expect_report '[.summary[].n] | min' 1
# Why cold is slow, in device reads per entry: xfs needs the fewest by far.
reads() { echo "(.summary[] | select(.filesystem == \"$1\" and .cache == \"cold\" and .operation == \"install\") | .median_reads_per_entry)"; }
expect_report "$(reads ext4) > 4 * $(reads xfs) and $(reads f2fs) > 4 * $(reads xfs)" true
expect_report '.target.partlabel' blitbench-target
expect_report '.target.disk.serial' BLITTARGET1
expect_report '.run.kernel.cmdline' "$(tr -d '\n' < "$root/image/cmdline")"
expect_report '[.sessions[].fsck.status] | unique' '["clean"]'
"$root/tests/report-schema" --check "$folder/report.json" || [ $? -eq 77 ] || failed "report.json is not what its schema says"
for filesystem in ext4 xfs f2fs; do
	# Seconds and thousand entries a second, hot and cold, how many times as long, reads for each entry.
	for operation in remove install; do
		expect_text report.txt "^$filesystem +$operation( +[0-9]+\\.?[0-9]*){7}$"
	done
done
expect_text report.txt "fresh filesystem, virtual machine"
expect_text console.log '[0-9]+ entries blitted in [0-9.]+s \([0-9.]+k? / s\)'
[ -s "$folder/journal.jsonl" ] || failed "there is no journal.jsonl in the results"
jq -e . "$folder/journal.jsonl" > /dev/null || failed "a line of journal.jsonl is no JSON"
! grep -E 'BUG:|WARNING:|Oops' "$folder/console.log" || failed "the kernel complained on the console"
passed
