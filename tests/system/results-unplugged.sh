#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The stick is pulled while something is measured. The run goes on in memory and says so; if the stick is back at the end all
# of it is there, and if not it goes over the console.
# TIMEOUT 900
. "$(dirname "$0")/lib.sh"

need "$build/blitbench"
small=(filesystems=ext4 trials=2 caches=hot operations=remove)
canary plain
canary luks
canary deceptive
target_disk "$work/target.img"
monitored

# The console tells the phase; a blit follows at once.
pulled='ext4: hot remove 1 of 2'
when "$pulled" "device_del stick" boot_directly --disk "$work/target.img" "${small[@]}"
expect_unchanged
expect_status 7
expect_text console.log "RESULTS CANNOT BE SAVED NOW: journal.jsonl: .*; measuring goes on"
expect_text console.log "the results volume is gone: plug it in again"
expect_text console.log "blitbench: RESULTS NOT SAVED: "
[ ! -e "$folder/report.json" ] || failed "a stick that is gone has a report on it"
"$build/blitbench" report "$folder" --json > "$work/partial.json" || failed "what the stick has cannot be rendered"
[ "$(jq -r .run.status "$work/partial.json")" = partial ] || [ "$(jq -r .run.status "$work/partial.json")" = failed ] ||
	failed "what the stick has does not say that it is not all"
folder=$folder/from-console
expect_report .run.status complete
expect_report '.trials | length' 2
expect_report '[.notes[] | select(test("the results volume failed during the run"))] | length' 1

when "$pulled" "device_del stick" when "RESULTS CANNOT BE SAVED NOW" "device_add usb-storage,id=again,drive=stick,removable=on" \
	boot_directly --disk "$work/target.img" "${small[@]}"
expect_unchanged
expect_status 0
expect_report .run.status complete
expect_report '.trials | length' 2
expect_report '[.notes[] | select(test("the results volume failed during the run"))] | length' 1
expect_text console.log "results saved in runs/.* on BLITRESULTS, safe to unplug"
"$build/blitbench" report "$folder" --json | cmp - "$folder/report.json" || failed "the journal on the stick is not all of it"
passed
