#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts: a run whose writes and flushes to the stick and to the target are recorded, and cut short in the replay at
# random points, with any of the writes lost, or torn between sectors, that no flush had followed yet. Killing a virtual
# machine proves less: the host has its finished writes already. FAULT_CUTS says how many cuts.
. "$(dirname "$0")/lib.sh"

cuts=${FAULT_CUTS:-100}
recording=$build/faults/recording

# The recording is made once for an image; $recording/stick.img and target.img are the disks as they were before it.
make_replay() {
	mkdir -p "$build/faults"
	if newer "$build/faults/replay" "$root/tests/faults/replay.c"; then
		gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -o "$build/faults/replay" "$root/tests/faults/replay.c"
	fi
}

replay() {
	"$build/faults/replay" "$@"
}

# logged NODE: later boots log the writes to this disk, and keep a copy of what it was before.
logged() {
	# shellcheck disable=SC2016
	altered_qemu 'for i in "${!arguments[@]}"; do
		[[ ${arguments[i]} == driver=raw,node-name='"$1"',* ]] || continue
		file=${arguments[i]##*filename=}
		cp --sparse=always "$file" '"$work/$1-before.img"'
		log=log.driver=raw,log.file.driver=file,log.file.filename='"$work/$1.log"'
		arguments[i]=${arguments[i]//file./file.file.}
		arguments[i]=${arguments[i]/driver=raw/driver=blklogwrites},file.driver=raw,file.discard=unmap,$log
	done'
	: > "$work/$1.log"
}

record() {
	local image
	image=$(cat "$build"/{vmlinuz,initramfs.cpio.zst} "$root/tests/faults/lib.sh" "$root/tests/faults/power-cuts.sh" | sha256sum | cut -c 1-32)
	make_replay
	[ "$(cat "$recording/image" 2> /dev/null)" != "$image" ] || return 0
	three_canaries
	target_disk "$work/target.img"
	logged stick
	logged target
	short_run --keep "filesystems=ext4 xfs f2fs" trials=2
	expect_unchanged
	expect_status 0
	expect_report .run.status complete
	# All the writes of the log together make the disk that the run left.
	mv "$work"/results/.run.*/stick.img "$work/stick-after.img"
	mv "$work/target.img" "$work/target-after.img"
	for disk in stick target; do
		cp --sparse=always "$work/$disk-before.img" "$work/$disk-replayed.img"
		replay cut "$work/$disk.log" "$work/$disk-replayed.img" "$(entries "$work/$disk.log")" 0 > /dev/null
		cmp -s "$work/$disk-replayed.img" "$work/$disk-after.img" || failed "the log of the $disk's writes is not all of them"
	done
	rm -rf "$recording"
	mkdir -p "$recording"
	for disk in stick target; do
		mv "$work/$disk.log" "$recording"
		mv "$work/$disk-before.img" "$recording/$disk.img"
	done
	cp "$folder/journal.jsonl" "$recording"
	basename "$folder" > "$recording/run"
	volume_extents "$work/stick-after.img" > "$recording/extents"
	echo "$image" > "$recording/image"
}

entries() {
	replay count "$1" | cut -d " " -f 1
}

# partition FILE NAME: first sector and number of sectors.
partition() {
	sfdisk --json "$1" | jq -r --arg name "$2" '.partitiontable.partitions[] | select(.name == $name) | "\(.start) \(.size)"'
}

# volume_extents IMAGE: where the journal of the recorded run lies, as START:SECTORS of the disk. FAT counts its clusters
# from 2, and tells in its first sector where they begin.
volume_extents() {
	local image=$1 first volume reserved fats fat_sectors cluster_sectors data from to
	read -r first _ < <(partition "$image" BLITRESULTS)
	volume=$(stick_volume "$image")
	field() { od -A n -v -t "u$2" -j $((first * 512 + $1)) -N "$2" "$image" | tr -d ' '; }
	cluster_sectors=$(field 13 1)
	reserved=$(field 14 2)
	fats=$(field 16 1)
	fat_sectors=$(field 36 4)
	data=$((first + reserved + fats * fat_sectors))
	mshowfat -i "$volume" "::runs/$(cat "$recording/run")/journal.jsonl" | grep -oE '<[0-9]+(-[0-9]+)?>' | tr -d '<>' |
		while IFS=- read -r from to; do
			echo "$((data + (from - 2) * cluster_sectors)):$(((${to:-$from} - from + 1) * cluster_sectors))"
		done
}

# random N: 1 to N.
random() {
	echo $((1 + (RANDOM * 32768 + RANDOM) % $1))
}

# The volume $work/volume after a cut: clean, or what fsck.fat makes so. Sets state.
check_volume() {
	if fsck.fat -n "$work/volume" > "$work/fsck" 2>&1; then
		state=clean
	else
		fsck.fat -a "$work/volume" > "$work/fsck" 2>&1 || [ $? -eq 1 ] || failed "$1: fsck.fat cannot repair: $(tail -n 3 "$work/fsck")"
		fsck.fat -n "$work/volume" > "$work/fsck" 2>&1 || failed "$1: not clean once repaired: $(tail -n 3 "$work/fsck")"
		state=repaired
	fi
}

case_stick() {
	local first sectors all at counts kept torn lost elsewhere lines run state cut status acknowledged
	record
	read -r first sectors < <(partition "$recording/stick.img" BLITRESULTS)
	all=$(entries "$recording/stick.log")
	run=$(cat "$recording/run")
	dd if="$recording/stick.img" of="$work/before" bs=512 skip="$first" count="$sectors" conv=sparse status=none
	truncate -s $((sectors * 512)) "$work/before"
	mapfile -t acknowledged < <(xargs "$build/faults/replay" acknowledged "$recording/stick.log" "$recording/journal.jsonl" < "$recording/extents")
	for at in "${acknowledged[@]}"; do
		[ "$at" -gt 0 ] || failed "a line of the journal was never followed by a flush"
	done
	for ((cut = 1; cut <= cuts; cut++)); do
		at=$(random "$all")
		cp --sparse=always "$work/before" "$work/volume"
		counts=$(replay cut "$recording/stick.log" "$work/volume" "$at" $((FAULT_SEED * 1000 + cut)) "$first" "$sectors")
		read -r kept torn lost elsewhere <<< "$counts"
		[ "$elsewhere" -eq 0 ] || failed "$elsewhere writes to the stick went beside the results volume"
		check_volume "cut $cut after entry $at"
		lines=0
		while [ $lines -lt ${#acknowledged[@]} ] && [ "${acknowledged[lines]}" -le "$at" ]; do lines=$((lines + 1)); done
		rm -rf "$work/run"
		mkdir "$work/run"
		mcopy -n -i "$work/volume" "::runs/$run/journal.jsonl" "$work/run" 2> /dev/null || [ $lines -eq 0 ] ||
			failed "cut $cut after entry $at: the journal is gone, of which $lines lines were acknowledged"
		cmp -s <(head -n $lines "$recording/journal.jsonl") <(head -n $lines "$work/run/journal.jsonl" 2> /dev/null) ||
			failed "cut $cut after entry $at: not all of the $lines lines that were acknowledged are there"
		status="no report yet"
		if [ -s "$work/run/journal.jsonl" ]; then
			"$build/blitbench" report --json "$work/run" > "$work/report.json" ||
				failed "cut $cut after entry $at: no report can be made of the journal"
			status=$(jq -r .run.status "$work/report.json")
			[ "$status" = partial ] || grep -q '"verdict","status":"complete"' "$work/run/journal.jsonl" ||
				failed "cut $cut after entry $at: the report says $status"
		fi
		told "a power cut: of the stick's unflushed writes $lost lost, $torn torn" "after entry $at of $all" \
			"volume $state, $lines of $lines acknowledged lines there, report: $status"
	done
}

# What a cut leaves on the target is taken by the next boot for blank, for ours, or for the remains of an unfinished run.
case_target() {
	local first sectors all at cut counts kept torn lost elsewhere type label status
	record
	read -r first sectors < <(partition "$recording/target.img" blitbench-target)
	all=$(entries "$recording/target.log")
	for ((cut = 1; cut <= cuts / 2; cut++)); do
		at=$(random "$all")
		rm -f "$work/partition"
		truncate -s $((sectors * 512)) "$work/partition"
		counts=$(replay cut "$recording/target.log" "$work/partition" "$at" $((FAULT_SEED * 1000 + cut)) "$first" "$sectors")
		read -r kept torn lost elsewhere <<< "$counts"
		[ "$elsewhere" -eq 0 ] || failed "$elsewhere writes to the target's disk went beside the target"
		status=0
		blkid -p -o export "$work/partition" > "$work/signature" 2>&1 || status=$?
		type=$(sed -n 's/^TYPE=//p' "$work/signature")
		label=$(sed -n 's/^LABEL=//p' "$work/signature")
		case $status:$label in
		0:blitbench) type="an $type labelled as ours" ;;
		2:) type="nothing that is known" ;;
		8:) type="signatures that disagree" ;;
		*) failed "cut $cut after entry $at: the target would be foreign: '$type' labelled '$label'" ;;
		esac
		told "a power cut: of the target's unflushed writes $lost lost, $torn torn" "after entry $at of $all" "it holds $type"
	done
}

group "$@"
