#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# blitbench prepare, ended at each of its steps, or with each of its writes failing: whatever becomes of it, the disk has a table that
# is the one before or the one after, and no byte of anybody's has changed. Nor has it where nobody reads what it prints, or two are
# started at once.
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin

root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
blitbench=$root/build/blitbench
[ -x "$blitbench" ] || skipped "build/blitbench is not built"
strace -o /dev/null true 2> /dev/null || skipped "nothing can be traced here"
work=$(mktemp -d "/dev/shm/blitbench-prepare.XXXXXX")
trap 'rm -rf "$work"' EXIT
disk=$work/disk.img

# Somebody's data at both ends of the free space, and in the gaps before and behind the partitions.
size_mebibytes=1040
truncate -s ${size_mebibytes}M "$work/pristine.img"
sfdisk --quiet --no-tell-kernel "$work/pristine.img" <<< 'label: gpt
	start=2MiB, size=4MiB, name=root
	start=1034MiB, size=4MiB, name=home'
theirs=(34:64 2048:10240 $((1034 << 11)):8192 $((1038 << 11)):2048) # first sector and length
for place in "${theirs[@]}"; do
	dd if=/dev/urandom of="$work/pristine.img" bs=512 seek="${place%:*}" count="${place#*:}" conv=notrunc status=none
done

sum_of_theirs() {
	local place
	for place in "${theirs[@]}" 0:1; do
		dd if="$disk" bs=512 skip="${place%:*}" count="${place#*:}" status=none
	done | sha256sum
}
table() { sfdisk --dump "$disk" 2> /dev/null | sed -n 's/^[^ ]* : //p'; }
anew() { cp --sparse=always "$work/pristine.img" "$disk"; }

anew
before=$(table)
sum=$(sum_of_theirs)
strace -o "$work/calls" -e trace=pwrite64,fsync "$blitbench" prepare --disk-image "$disk" --yes > "$work/out" 2>&1
after=$(table | sed 's/uuid=[^,]*//')
[ "$(grep -c . <<< "$after")" -eq $(($(grep -c . <<< "$before") + 1)) ] || failed "prepare has not added a partition"
[ "$(sum_of_theirs)" = "$sum" ] || failed "prepare has changed what is not its own"
writes=$(grep -c '^pwrite64' "$work/calls")
flushes=$(grep -c '^fsync' "$work/calls")
[ "$writes" -ge 6 ] && [ "$flushes" -ge 6 ] || failed "prepare makes $writes writes and $flushes flushes, not six of each"

# judge HOW: the table is the one or the other, by whichever copy is whole; sets `became` to which.
judge() {
	local now
	[ "$(sum_of_theirs)" = "$sum" ] || failed "$1: something was changed that is not prepare's own"
	now=$(table)
	if [ "$now" = "$before" ]; then
		became=before
	elif [ "$(sed 's/uuid=[^,]*//' <<< "$now")" = "$after" ]; then
		became=after
	else
		failed "$1: the table is neither the one before nor the one after: $now"
	fi
}

# Ended by whoever asks, by KILL, and by what a terminal that hangs up sends; failing as broken and full disks do. Each call has one
# of them, the next one the next, or all where time does not matter.
thorough=${BLITBENCH_THOROUGH:-0}
faults=(signal=KILL signal=INT error=EIO signal=HUP error=ENOSPC)
tried=0
for call in pwrite64:$writes fsync:$flushes; do
	for ((number = 1; number <= ${call#*:}; number++)); do
		chosen=("${faults[@]}")
		[ "$thorough" = 1 ] || chosen=("${faults[tried % 5]}")
		for fault in "${chosen[@]}"; do
			anew
			status=0
			{ strace -o /dev/null -e trace="${call%:*}" -e inject="${call%:*}:$fault:when=$number" "$blitbench" prepare --disk-image "$disk" \
				--yes > "$work/out" 2>&1 || status=$?; } 2> /dev/null
			judge "$fault at ${call%:*} $number"
			tried=$((tried + 1))
			# Who has not been told that it failed has the partition.
			[ $status -ne 0 ] || [ $became = after ] || failed "$fault at ${call%:*} $number: nothing was added, and nothing said"
			[[ $fault != error=* ]] || [ $status -eq 1 ] || failed "$fault at ${call%:*} $number ended with status $status"
			[[ $fault != error=* ]] || grep -q "disk.img: " "$work/out" || failed "$fault at ${call%:*} $number: which disk is not told: $(tail -n 1 "$work/out")"
		done
	done
done
echo "$tried faults; the last: $(tail -n 1 "$work/out")"

# The first descriptor that is free is not the disk's, to which messages would be written.
for closed in '<&-' '>&-' '2>&-' '>&- 2>&-' '<&- >&- 2>&-' '> /dev/full' '> /dev/full 2>&1' '<&- > /dev/full'; do
	anew
	eval "\"\$blitbench\" prepare --disk-image \"\$disk\" --yes $closed" > "$work/out" 2>&1 || true
	judge "prepare $closed"
	anew
	eval "\"\$blitbench\" prepare --disk-image \"\$disk\" $closed" < /dev/null > "$work/out" 2>&1 || true
	judge "prepare that nobody answers $closed"
	[ $became = before ] || failed "prepare that nobody answers $closed has written"
done

# Two at once: one adds its partition, and the other finds the label taken or the disk in use or changed.
for ((round = 0; round < (thorough ? 8 : 2); round++)); do
	anew
	"$blitbench" prepare --disk-image "$disk" --yes > "$work/first" 2>&1 &
	second=0
	"$blitbench" prepare --disk-image "$disk" --yes > "$work/second" 2>&1 || second=$?
	first=0
	wait $! || first=$?
	judge "two at once"
	[ $became = after ] || failed "of two at once neither has added a partition: $(cat "$work/first" "$work/second")"
	[ $((first + second)) -eq 1 ] || failed "of two at once, the one ended with $first and the other with $second: $(cat "$work/first" "$work/second")"
	sfdisk --verify --quiet "$disk" > "$work/out" 2>&1 || failed "two at once leave a table that is not whole: $(cat "$work/out")"
done
