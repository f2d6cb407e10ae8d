#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Disks that fail, or go, while a run uses them: reads, writes, flushes and discards of the target and of the stick that end in an
# error once or from some moment on, and either pulled in each phase. Whatever it is, the run ends by itself and names it, nobody else's
# disk is written to, and what the stick cannot hold comes over the console.
. "$(dirname "$0")/lib.sh"

# failing NODE ACCESS NTH LASTING: the NTH read, write, flush or discard of the disk fails: alone (once), or with all after it (on).
failing() {
	local event state rules=()
	case $2 in
	read) event=read_aio ;;
	write) event=write_aio ;;
	flush) event=flush_to_disk ;;
	esac
	for ((state = 1; state < $3; state++)); do
		rules+=("set-state.$((state - 1)).event=$event" "set-state.$((state - 1)).state=$state" "set-state.$((state - 1)).new_state=$((state + 1))")
	done
	rules+=("inject-error.0.event=$event" "inject-error.0.iotype=$2" "inject-error.0.state=$3")
	[ "$4" = on ] || rules+=(inject-error.0.once=on)
	failing_disk "$1" "${rules[@]}"
}

# named PATTERN: the report or the console says what went wrong.
named() {
	grep -qiE -- "$1" <(cat "$folder"/{console.log,report.json,from-console/report.json} 2> /dev/null) ||
		failed "neither report nor console says '$1'"
}

# One way in which it may end: the status of qemu/run, and where the report is then.
ended() {
	expect_unchanged
	case $status in
	0 | 3 | 4) ;;
	7)
		[ -s "$folder/from-console/report.json" ] || failed "what the stick does not hold did not come over the console"
		folder=$folder/from-console
		;;
	*) failed "qemu/run ended with status $status" ;;
	esac
}

# an_error NODE ACCESS LASTING RANGE: at a moment that the seed chooses among the first RANGE of its kind.
an_error() {
	local nth=$((1 + RANDOM % $4)) words=once
	three_canaries
	target_disk "$work/target.img"
	failing "$1" "$2" "$nth" "$3"
	[ "$3" = once ] || words="from then on"
	short_run caches="hot cold"
	# One that comes once may be gone when the kernel tries again, which it does without a word; then nothing must be missing.
	if [ "$3" = once ] && [ "$status" -eq 0 ]; then
		expect_report .run.status complete
		expect_report '[.trials[].verified] | all' true
	else
		named "I/O error|Input/output error"
	fi
	ended
	told "a $2 error of the $1, $words" "its ${2} number $nth" "$(outcome)"
}

case_target_read_once() { an_error target read once 60; }
case_target_read_on() { an_error target read on 60; }
case_target_write_once() { an_error target write once 60; }
case_target_write_on() { an_error target write on 60; }
case_target_flush_once() { an_error target flush once 6; }
case_target_flush_on() { an_error target flush on 6; }
case_stick_read_on() { an_error stick read on 60; }
case_stick_write_once() { an_error stick write once 20; }
case_stick_write_on() { an_error stick write on 20; }
case_stick_flush_once() { an_error stick flush once 12; }
case_stick_flush_on() { an_error stick flush on 12; }

# One that says it can discard, and then cannot, is not as the others begin: it is not measured.
case_target_discard() {
	three_canaries
	target_disk "$work/target.img"
	failing_disk target inject-error.0.event=none inject-error.0.iotype=discard
	short_run
	ended
	expect_status 3
	expect_report '.run.reason | test("cannot discard the target .*: I/O error")' true
	told "a discard error of the target" "always" "$(outcome)"
}

# pulled DEVICE PHASE PATTERN: the device goes once the console tells the phase.
pulled() {
	three_canaries
	target_disk "$work/target.img"
	plain_qemu
	monitored
	when "$3" "device_del $1" boot_directly --limit 600 --disk "$work/target.img" filesystems="ext4 xfs" caches=hot operations=remove trials=2
	[ "$1" != stick ] || named "RESULTS CANNOT BE SAVED NOW|RESULTS NOT SAVED|the results are not saved"
	[ "$1" != target ] || named "I/O error|Input/output error|No such device|failed|gone|vanished"
	ended
	told "the $1 pulled" "$2" "$(outcome)"
}

case_target_pulled_mkfs() { pulled target "while ext4 is made" "ext4: making the filesystem"; }
case_target_pulled_populate() { pulled target "while the store is filled" "ext4: populate: 0%"; }
case_target_pulled_blit() { pulled target "while blits are timed" "ext4: hot remove 1 of 2"; }
case_target_pulled_between() { pulled target "after ext4, before xfs" "xfs: discarding"; }
case_target_pulled_report() {
	pulled target "when the last filesystem is checked" "xfs: checking"
	expect_report '.run.reason | test("filesystem check|unmount|Input/output error|I/O error")' true
}
case_stick_pulled_mkfs() { pulled stick "while ext4 is made" "ext4: making the filesystem"; }
case_stick_pulled_populate() { pulled stick "while the store is filled" "ext4: populate: 0%"; }
case_stick_pulled_blit() { pulled stick "while blits are timed" "ext4: hot remove 1 of 2"; }
case_stick_pulled_report() { pulled stick "when the last filesystem is checked" "xfs: checking"; }

# cut_short: the journal on the stick is all that the run has left, and says so.
cut_short() {
	"$build/blitbench" report "$folder" --json > "$work/cut.json"
	[ "$(jq -r .run.status "$work/cut.json")" = partial ] || failed "the journal of the run does not render as partial"
}

# One that answers once a second keeps a blit longer than the watchdog waits.
case_target_slow_blit() {
	three_canaries
	target_disk "$work/target.img"
	short_stick "$work/short.img"
	plain_qemu
	monitored
	when "ext4: cold remove 1 of 3" "block_set_io_throttle target-disk 0 0 0 1 0 0" short_run watchdog=8 caches=cold trials=3
	expect_unchanged
	expect_status 7
	cut_short
	told "a target that answers once a second" "while blits are timed" "the watchdog reset the machine, the report is partial"
}

# PID 1 is the one program that the kernel does not end to have memory again.
case_memory_runs_out() {
	local mebibytes=$((72 + RANDOM % 25))
	three_canaries
	target_disk "$work/target.img"
	plain_qemu
	boot_directly --no-plan --limit 600 --memory ${mebibytes}M --disk "$work/target.img" workload=desktop content=capped:4096 filesystems=ext4 \
		caches=hot operations=remove trials=1
	expect_unchanged
	expect_status 6
	expect_text console.log "Kernel panic - not syncing: System is deadlocked on memory"
	cut_short
	told "$mebibytes MiB of memory for a workload of 231,000 entries" "from the boot on" "the kernel panicked, the report is partial"
}

# The table says what the disk no longer has.
case_target_shrank() {
	three_canaries
	target_disk "$work/target.img"
	truncate -s 600M "$work/target.img"
	remember "$work/target.img"
	short_run
	expect_unchanged
	expect_status 4
	told "a target's disk that shrank to 600 MiB under its table" "before the boot" "$(outcome)"
}

# case of clocks: one boot in our time, the next in 1970.
case_clock_jumps() {
	three_canaries
	target_disk "$work/target.img"
	short_stick "$work/short.img"
	short_run --keep
	expect_status 0
	mv "$work"/results/.run.*/stick.img "$work/short.img"
	rm -rf "$work"/results/.run.*
	altered_qemu 'arguments+=(-rtc base=1970-01-02T00:00:00)'
	short_run --keep
	expect_unchanged
	expect_status 0
	expect_report .run.status complete
	[ "$(mdir -b -i "$(stick_volume "$(echo "$work"/results/.run.*/stick.img)")" ::runs | sort | tail -n 1 | tr -d '\r')" = "::/runs/$(jq -r .run.id "$folder/report.json")/" ] ||
		failed "the later run does not sort behind the earlier one"
	told "a clock that jumps back to 1970" "between two boots" "$(outcome), named $(jq -r .run.id "$folder/report.json")"
}

group "$@"
