#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A machine that loses its power again and again: its virtual machine is killed at random moments, ten times, and each boot goes on with
# what the one before it had finished, until the run is complete. What a cut does to writes that were not flushed is the matter of
# power-cuts.sh: of a virtual machine that is killed the host has all finished writes.
. "$(dirname "$0")/lib.sh"

kills=${FAULT_KILLS:-10}
rounds=10

# sessions_in CONSOLE: how many filesystems this boot has begun to make; one fewer are finished at least.
begun() {
	cat "$work"/results/.run.*/console.log 2> /dev/null | grep -c "making the filesystem" || true
}

# killed SESSIONS SECONDS: once that many sessions have begun, and so many seconds later.
killed() {
	while [ "$(begun)" -lt "$1" ]; do sleep 0.1; done
	sleep "$2"
	pkill -KILL -f "qemu-system.*$work/"
}

# finished: how many sessions the newest journal on the stick has, which no cut may make fewer.
finished() {
	local run
	rm -rf "$work/journal"
	mkdir "$work/journal"
	run=$(mdir -b -i "$(stick_volume "$work/short.img")" ::runs | tr -d '\r' | sort | tail -n 1)
	mcopy -n -i "$(stick_volume "$work/short.img")" "${run%/}/journal.jsonl" "$work/journal" || failed "there is no journal in $run"
	"$build/blitbench" report --json "$work/journal" > "$work/journal/report.json" || failed "the journal in $run cannot be rendered"
	[ "$(jq -r .run.status "$work/journal/report.json")" = partial ] || failed "the journal in $run does not say that it was cut short"
	jq '[.sessions[] | select(.status == "complete")] | length' "$work/journal/report.json"
}

case_resumed_to_completion() {
	local kill wait barren=0 before=0 now watcher
	three_canaries
	target_disk "$work/target.img"
	short_stick "$work/short.img"
	for ((kill = 1; kill <= kills; kill++)); do
		# Three boots in a row that finish nothing are refused, as they should be.
		wait=$((1 + RANDOM % 2 + (barren == 2)))
		killed $wait "$((RANDOM % 5)).$((RANDOM % 10))" &
		watcher=$!
		short_run --keep "filesystems=ext4 xfs" rounds=$rounds resume=yes
		wait $watcher || failed "the run ended before it could be killed"
		expect_unchanged
		mv "$work"/results/.run.*/stick.img "$work/short.img"
		rm -rf "$work"/results/.run.*
		now=$(finished)
		[ "$now" -ge "$before" ] || failed "after kill $kill there are $now finished sessions, where there were $before"
		barren=$((now > before ? 0 : barren + 1))
		before=$now
		echo "kill $kill: $now sessions finished"
	done
	short_run "filesystems=ext4 xfs" rounds=$rounds resume=yes
	expect_unchanged
	expect_status 0
	expect_report .run.status complete
	expect_report '.sessions | length' $((rounds * 2))
	expect_report '[.sessions[].status] | unique' '["complete"]'
	expect_report '.trials | length' $((rounds * 2))
	expect_report '[.trials[].at_seconds] | . == sort' true
	told "$kills kills of the virtual machine" "at random moments of as many boots" \
		"$(outcome), $before of $((rounds * 2)) sessions from the boots that were killed, all trials there once"
}

group "$@"
