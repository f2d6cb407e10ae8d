#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever ends a run before its end: Ctrl-Alt-Del, the power button, a hang. The journal says so, nothing is lost, and the next
# boot goes on with what was finished where it is told to.
# TIMEOUT 900
. "$(dirname "$0")/lib.sh"

need "$build/blitbench.img"
canary plain
canary luks
canary deceptive
target_disk "$work/target.img"
cp --sparse=always "$build/blitbench.img" "$work/stick.img"
keys=("filesystems=ext4 xfs" trials=1 caches=hot operations=remove)
monitored

# go ARGUMENT...: boots with the stick as the last boot has left it.
go() {
	boot_directly --keep --stick "$work/stick.img" --disk "$work/target.img" "${keys[@]}" "$@"
	mv "$work"/results/.run.*/stick.img "$work/stick.img"
	rm -rf "$work"/results/.run.*
}

# The processor's Ctrl-Alt-Del is a wish to start again.
when "xfs: hot remove 1 of 1" "sendkey ctrl-alt-delete" go
expect_unchanged
expect_status 3
expect_report .run.status aborted
expect_report '[.notes[] | select(test("Ctrl-Alt-Del was pressed"))] | length' 1
expect_report '[.sessions[] | [.filesystem, .status] | join(" ")] | join(", ")' "ext4 complete, xfs failed"
expect_text console.log "results saved in runs/.* on BLITRESULTS, safe to unplug"
expect_text console.log "reboot: Restarting system"
stopped=$(basename "$folder")
ext4=$(jq -c '[.trials[] | select(.filesystem == "ext4")]' "$folder/report.json")

# The power button, in the run that goes on with it.
when "xfs: hot remove 1 of 1" "system_powerdown" go resume=yes
expect_unchanged
expect_status 3
expect_report .run.status aborted
expect_report '[.notes[] | select(test("the power button was pressed"))] | length' 1
expect_report .run.resumed.run "$stopped"
expect_report .run.resumed.sessions 1
expect_text console.log "reboot: Power down"
[ "$(jq -c '[.trials[] | select(.filesystem == "ext4")]' "$folder/report.json")" = "$ext4" ] || failed "ext4's trial is not what it was"

# And to its end: one report of both boots, in which time has not gone back.
go resume=yes
expect_unchanged
expect_status 0
expect_report .run.status complete
expect_report '[.sessions[] | [.filesystem, .status] | join(" ")] | join(", ")' "ext4 complete, xfs complete"
expect_report '[.trials[].at_seconds] | . == sort' true
expect_report '.run.seconds >= ([.sessions[].seconds] | add)' true

# bitten SECONDS WATCHDOGS BY BOOT...: nothing is told for longer than they wait, and hardware or kernel resets the machine.
bitten() {
	local seconds=$1 watchdogs=$2 by=$3
	shift 3
	"$@" filesystems=ext4 caches=cold watchdog="$seconds"
	expect_unchanged
	expect_status 7
	"$build/blitbench" report "$folder" --json > "$work/cut.json"
	[ "$(jq -r '.run.status, .machine.watchdog.identity, .machine.watchdog.seconds' "$work/cut.json" | tr '\n' ' ')" = \
		"partial $watchdogs $seconds " ] || failed "the journal of the run that the watchdog ended is not what it should be"
	[ "$(grep -c "softdog: Initiating system reboot" "$folder/console.log")" -eq "$([ "$by" = kernel ] && echo 1 || echo 0)" ] ||
		failed "it was not the $by that has reset the machine"
}

# The disk becomes so slow that a blit takes longer than any of them waits.
slow() {
	when "ext4: cold remove 1 of 1" "block_set_io_throttle target-disk 0 0 0 1 0 0" "$@"
}
without_chipset=(--append initcall_blacklist=iTCO_wdt_driver_init)
bitten 8 "Software Watchdog" kernel slow go "${without_chipset[@]}"
altered_qemu 'arguments+=(-device i6300esb)'
bitten 8 "i6300ESB timer, Software Watchdog" hardware slow go "${without_chipset[@]}"
# A board may be wired so that the chipset's does nothing, which QEMU's is by default.
plain_qemu
monitored
bitten 8 "iTCO_wdt, Software Watchdog" kernel slow go

# That was one too many, and nothing is formatted before somebody has looked; which is all that it takes.
go
expect_unchanged
expect_status 4
expect_report .run.rule cut-short
# Where the chipset's may, it does: after twice the time in QEMU, so that the kernel's would come before it.
altered_qemu 'arguments+=(-global ICH9-LPC.noreboot=false)'
bitten 8 "iTCO_wdt" hardware slow go --append initcall_blacklist=softdog_init

# One that has to wait too long for the hardware is the kernel's alone.
go filesystems=ext4 watchdog=3000 resume=yes
expect_status 0
expect_report '.machine.watchdog | "\(.identity) \(.seconds)"' "Software Watchdog 3000"
expect_report '[.notes[] | select(test("the run before this one, .*, was cut short"))] | length' 1
expect_report '[.notes[] | select(test("resume = yes, but there is no run that was cut short or stopped after"))] | length' 1

# Results that are saved nowhere do not make it forget what it was asked for.
when "ext4: making the filesystem" "device_del stick" when "xfs: making the filesystem" "sendkey ctrl-alt-delete" go
expect_unchanged
expect_status 7
expect_text console.log "RESULTS NOT SAVED"
expect_text console.log "reboot: Restarting system"
passed
