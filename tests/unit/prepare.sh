#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# blitbench prepare with disk images: what it shows and asks, what it refuses, what other tools find afterwards; and that
# nothing that PID 1 runs leads to it.
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin

root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
blitbench=$root/build/blitbench
[ -x "$blitbench" ] || skipped "build/blitbench is not built"
work=$(mktemp -d "/dev/shm/blitbench-prepare.XXXXXX")
loop=
trap '[ -z "$loop" ] || losetup -d "$loop"; rm -rf "$work"' EXIT
disk=$work/disk.img

truncate -s 4G "$disk"
sfdisk --quiet --no-tell-kernel "$disk" <<< 'label: gpt
	start=1MiB, size=1GiB, name=root
	start=3GiB, size=100MiB, name=home'
sfdisk --dump "$disk" > "$work/dump-before"
written() { stat -c "%y %b" "$disk"; }
untouched=$(written)

# prepare STATUS PATTERN ARGUMENT...: with the answer on the standard input; what it prints is in $work/out.
prepare() {
	local status=0 expected=$1 pattern=$2
	shift 2
	"$blitbench" prepare "$@" > "$work/out" 2>&1 || status=$?
	[ $status -eq "$expected" ] || failed "prepare $* ended with $status instead of $expected: $(tail -n 1 "$work/out")"
	grep -q -- "$pattern" "$work/out" || failed "prepare $* does not say '$pattern': $(tail -n 1 "$work/out")"
	[ "$expected" -eq 0 ] || [ "$(written)" = "$untouched" ] || failed "prepare $* wrote to the disk"
}

for arguments in "--yes" "--size 2G" "--label other" "--model M" "--serial S" "--model M --serial S --disk-image $disk" \
	"--disk-image $disk --size 1X" "--disk-image $disk --size -1" "--disk-image $disk --size 99999999999T" \
	"--disk-image $disk --size 0" "--disk-image $disk --disk-image $disk" "--disk-image" "$disk" "--yes --model M --label x"; do
	# shellcheck disable=SC2086
	prepare 2 "see 'blitbench prepare --help'" $arguments < /dev/null
done
prepare 2 "--serial is empty" --model M --serial "" < /dev/null
for label in "" " x" "x " $'a\tb' "für" "$(printf '%037d' 0)"; do
	prepare 2 "a label has 1 to 36 ASCII" --disk-image "$disk" --label "$label" < /dev/null
done
prepare 0 "Usage: blitbench prepare" --help < /dev/null
prepare 1 "no room: its largest free space has 2.0 GiB" --disk-image "$disk" --size 3G < /dev/null
prepare 1 "No such file" --disk-image "$work/nowhere" < /dev/null

# Only "yes" is yes.
for answer in "" no y YES "yes yes" " yes"; do
	prepare 1 "stopped: nothing was written" --disk-image "$disk" <<< "$answer"
done
prepare 1 "stopped: nothing was written" --disk-image "$disk" < /dev/null

# One that is a loop device may be mounted, by whatever name it is reached.
ln -s disk.img "$work/link.img"
ln "$disk" "$work/hard.img"
if [ "$(id -u)" -eq 0 ] && loop=$(losetup --find --show "$disk" 2> /dev/null); then
	for name in disk link hard; do
		prepare 1 "it is in use: it is the disk $(basename "$loop")" --disk-image "$work/$name.img" --yes < /dev/null
	done
	losetup -d "$loop"
fi
loop=

# A limit on the size of files is an error, and no death without a word.
(ulimit -f $((3 << 20)) && prepare 1 "File too large" --disk-image "$disk" --yes < /dev/null)

prepare 0 "written: partition 3, labelled 'blitbench-target', PARTUUID [0-9a-f-]*$" --disk-image "$disk" --size 1500M <<< yes
[ "$(grep -c "'root'" "$work/out")" -eq 2 ] || failed "the table is not shown before and after"
[ "$(grep -c "'blitbench-target'  NEW" "$work/out")" -eq 1 ] || failed "the new partition is not shown once"
sfdisk --verify "$disk" > "$work/log" 2>&1 || failed "sfdisk: $(tail -n 1 "$work/log")"
sfdisk --dump "$disk" > "$work/dump"
diff "$work/dump-before" "$work/dump" > "$work/diff" && failed "nothing was added"
[ "$(grep -c '^[<>]' "$work/diff")" -eq 1 ] || failed "more than one entry differs: $(cat "$work/diff")"
grep -q '^> .*start= *2099200, size= *3072000, type=0FC63DAF-.*name="blitbench-target"' "$work/diff" ||
	failed "the new entry is another: $(cat "$work/diff")"
untouched=$(written)
prepare 1 "labelled 'blitbench-target' already" --disk-image "$disk" --yes < /dev/null
prepare 1 "no room" --disk-image "$disk" --yes --label other < /dev/null

# Whoever is not root learns nothing of the machine's disks, and no disk has this serial number.
if [ "$(id -u)" -eq 0 ]; then
	prepare 1 "no disk is of the model 'no such' with the serial number 'no such disk'" --model "no such" --serial "no such disk" --yes < /dev/null
else
	prepare 1 "only root" < /dev/null
fi

# Nothing outside of its own folder and its command knows the code that writes, and of main only the way to the commands.
found=$(cd "$root/init" && grep -l 'include "prepare/' -r . | sort | tr '\n' ' ')
for file in $found; do
	[[ $file == ./prepare/* || $file == ./cli/prepare.c ]] || failed "$file uses what only the command prepare may"
done
found=$(cd "$root/init" && grep -l 'command_prepare' -r . | sort | tr '\n' ' ')
[ "$found" = "./cli/command.c ./cli/prepare.c ./cli/prepare.h " ] || failed "the command prepare is called from elsewhere: $found"
found=$(cd "$root/init" && grep -l 'command_main' -r . | sort | tr '\n' ' ')
[ "$found" = "./cli/command.c ./cli/command.h ./main.c " ] || failed "commands are started from elsewhere: $found"
grep -q 'if (getpid() != 1)' "$root/init/main.c" || failed "PID 1 may run commands"
