# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Helpers for the tests that boot the image. A test sources this, prepares disks, boots, expects, and ends with
# `passed`. A test that fails or skips says why in its last line, which tests/run shows.
set -Eeuo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin MTOOLSRC=/dev/null TZ=UTC

root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
build=$root/build
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
# shellcheck source=qemu/stick.sh
. "$root/qemu/stick.sh"

# On build's filesystem, for the guests' disks are large and sparse.
mkdir -p "$build"
work=$(mktemp -d "$build/test.XXXXXX")
kept=$build/log/tests/$(basename "$(dirname "$(realpath "$0")")")-$(basename "$0" .sh)
rm -rf "$kept"

# keep_results: what guests said and reported, beside the test's log, where tests/run tells of it.
keep_results() {
	local file run
	for file in "$work"/results/*/{console.log,console-first.log,report.json}; do
		run=$(basename "$(dirname "$file")")
		if [ "$run" = latest ] || [ ! -s "$file" ]; then continue; fi
		mkdir -p "$kept/$run"
		cp "$file" "$kept/$run"
		echo "kept: ${kept#"$root"/}/$run/$(basename "$file")"
	done
}

clean_up() {
	local status=$?
	trap - ERR
	[ $status -eq 0 ] || [ $status -eq 77 ] || keep_results
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 143' TERM # what tests/run does to a test that takes too long, after qemu/run has ended by it, too

passed() {
	exit 0
}

trap 'echo "reason: command failed in line $LINENO of $(basename "$0"): $BASH_COMMAND"' ERR

# need FILE...: what an earlier step of the build makes.
need() {
	local file
	for file in "$@"; do
		[ -s "$file" ] || failed "${file#"$root"/} is missing: build it first (make image)"
	done
}

# ---- disks -----------------------------------------------------------------------------------------------------------

# gpt_disk FILE SIZE PARTITION...: a sparse disk; PARTITION is NAME or NAME:SIZE, the last one takes the rest.
gpt_disk() {
	local file=$1 size=$2 partition
	shift 2
	truncate -s "$size" "$file"
	{
		echo "label: gpt"
		for partition in "$@"; do
			case $partition in
			*:*) echo "size=${partition#*:}, name=\"${partition%:*}\", type=linux" ;;
			*) echo "name=\"$partition\", type=linux" ;;
			esac
		done
	} | sfdisk --quiet --no-tell-kernel "$file"
}

# target_disk FILE [SIZE]: one empty partition named as the default target, hardly larger than the least, 1 GiB.
target_disk() {
	gpt_disk "$1" "${2:-1200M}" blitbench-target
}

# partition_bytes FILE N: prints start and size in bytes.
partition_bytes() {
	sfdisk --json "$1" | jq -r ".partitiontable | .partitions[$2 - 1] | \"\\(.start * 512) \\(.size * 512)\""
}

# put_into_partition FILE N CONTENTS: the file CONTENTS to the partition's beginning, holes left out.
put_into_partition() {
	local start
	read -r start _ < <(partition_bytes "$1" "$2")
	dd if="$3" of="$1" bs=64K seek="$start" oflag=seek_bytes conv=notrunc,sparse status=none
}

# ext4_image FILE SIZE LABEL: a filesystem with files in it.
ext4_image() {
	mkdir -p "$work/files/home/someone"
	echo "irreplaceable" > "$work/files/home/someone/thesis.txt"
	head -c 100000 /dev/urandom > "$work/files/home/someone/photo.jpg"
	truncate -s "$2" "$1"
	mke2fs -q -F -t ext4 -b 4096 -L "$3" -d "$work/files" "$1"
}

# short_stick FILE: the image, with a workload of few entries, tiny.mtree, on it.
short_stick() {
	need "$build/blitbench.img" "$build/blitbench"
	"$build/blitbench" workload subset "$root/workloads/small.mtree.zst" --entries 300 -o "$work/tiny.mtree" > /dev/null
	cp --sparse=always "$build/blitbench.img" "$1"
	mcopy -i "$(stick_volume "$1")" "$work/tiny.mtree" ::tiny.mtree
}

# Somebody's disks, which no run may write to. The deceptive ones carry our target's name where it must not count: as
# the label of a filesystem, on a whole disk and in an MBR partition.
declare -A digests=()
canary_arguments=()

# canary KIND: plain, luks, deceptive or deceptive-mbr; attached to every later boot.
canary() {
	local file=$work/canary-$1.img
	case $1 in
	plain)
		ext4_image "$work/filesystem" 28M home
		gpt_disk "$file" 32M data
		put_into_partition "$file" 1 "$work/filesystem"
		;;
	luks)
		head -c 64K /dev/urandom > "$work/crypt"
		printf 'LUKS\xba\xbe\x00\x02' | dd of="$work/crypt" conv=notrunc status=none
		gpt_disk "$file" 32M crypt
		put_into_partition "$file" 1 "$work/crypt"
		;;
	deceptive)
		ext4_image "$file" 32M blitbench-target
		;;
	deceptive-mbr)
		ext4_image "$work/filesystem" 28M blitbench-target
		truncate -s 32M "$file"
		sfdisk --quiet --no-tell-kernel "$file" <<< 'label: dos
			start=1MiB, type=83'
		put_into_partition "$file" 1 "$work/filesystem"
		;;
	*) failed "there is no canary of kind $1" ;;
	esac
	canary_arguments+=(--extra-disk "$file")
	digests[$file]=$(digest "$file")
}

# ---- what must not change --------------------------------------------------------------------------------------------

copies=()

digest() {
	sha256sum < "$1" | cut -d " " -f 1
}

# remember FILE...: for disks as large as a target, of which a sparse copy is compared sooner than a digest is made.
remember() {
	local file
	for file in "$@"; do
		cp --sparse=always "$file" "$file.before"
		copies+=("$file")
	done
}

# expect_unchanged: every canary has its SHA-256 and every remembered file its bytes still.
expect_unchanged() {
	local file
	for file in "${!digests[@]}"; do
		[ "$(digest "$file")" = "${digests[$file]}" ] || failed "$(basename "$file") was written to"
	done
	for file in ${copies[@]+"${copies[@]}"}; do
		cmp -s "$file" "$file.before" || failed "$(basename "$file") was written to"
	done
}

# ---- booting ---------------------------------------------------------------------------------------------------------

status=
folder=

# boot ARGUMENT...: qemu/run with these and all canaries; sets status and folder (the run's results).
boot() {
	status=0
	"$root/qemu/run" --results "$work/results" ${canary_arguments[@]+"${canary_arguments[@]}"} "$@" 2>&1 || status=$?
	[ $status -ne 2 ] || failed "qemu/run could not start the guest"
	folder=$(realpath "$work/results/latest")
}

# boot_directly ARGUMENT...: the same without firmware, for what does not depend on it.
boot_directly() {
	need "$build/vmlinuz" "$build/initramfs.cpio.zst" "$build/blitbench.img"
	boot --direct --limit "${limit_seconds:-240}" "$@"
}

real_qemu=${QEMU:-qemu-system-x86_64}

# altered_qemu SCRIPT: later boots start QEMU through this too, which finds its arguments in the array `arguments`.
altered_qemu() {
	local changes=$work/qemu.changes
	echo "$1" >> "$changes"
	cat > "$work/qemu" <<-END
		#!/bin/bash
		arguments=("\$@")
		if [[ " \$* " == *" -serial "* ]]; then
			. "$changes"
		fi
		exec $real_qemu "\${arguments[@]}"
	END
	chmod +x "$work/qemu"
	export QEMU=$work/qemu
}

# plain_qemu: later boots start QEMU as it is.
plain_qemu() {
	rm -f "$work/qemu.changes"
	export QEMU=$real_qemu
}

# failing_disk NODE RULE...: the disk (target or stick) is read and written through blkdebug with these rules.
failing_disk() {
	local node=$1 rules
	shift
	rules=$(printf ',file.%s' "$@")
	altered_qemu 'for i in "${!arguments[@]}"; do
		[[ ${arguments[i]} == driver=raw,node-name='"$node"',* ]] || continue
		arguments[i]=${arguments[i]//file./file.image.},file.driver=blkdebug'"$rules"'
	done'
}

# bad_sector ACCESS SECTOR: the target's disk fails with EIO at this sector, for ACCESS read or write.
bad_sector() {
	failing_disk target inject-error.0.event=none "inject-error.0.iotype=$1" "inject-error.0.sector=$2"
}

# monitored: later boots have a monitor for `when`, the stick is its device `stick`, and the target's disk, `target-disk`, is on
# a controller `target` of its own, which a port can be rid of.
monitored() {
	rm -f "$work"/monitor.{in,out}
	mkfifo "$work"/monitor.{in,out}
	altered_qemu 'arguments+=(-chardev "pipe,id=monitor,path='"$work"'/monitor" -mon monitor)
	for i in "${!arguments[@]}"; do
		case ${arguments[i]} in
		usb-storage,drive=stick,*) arguments[i]+=,id=stick ;;
		ide-hd,drive=target,*)
			arguments[i]=${arguments[i]/bus=ide.0/bus=target.0},id=target-disk
			arguments=("${arguments[@]:0:i-1}" -device pcie-root-port,id=target-port,chassis=1,slot=1
				-device ich9-ahci,id=target,bus=target-port "${arguments[@]:i-1}")
			break
			;;
		esac
	done'
}

# when PATTERN COMMAND BOOT...: boots so, and gives the command to QEMU's monitor once the console says the pattern.
# More of these may stand in the place of BOOT. A boot that never says it fails the test.
when() {
	local pattern=$1 command=$2 watcher
	shift 2
	{
		until grep -qsE -- "$pattern" "$work"/results/.run.*/console.log; do sleep 0.1; done
		echo "$command" > "$work/monitor.in"
	} &
	watcher=$!
	"$@"
	if kill $watcher 2> /dev/null; then
		failed "the console never said '$pattern'"
	fi
	wait $watcher
}

# expect_status N
expect_status() {
	[ "$status" -eq "$1" ] || failed "qemu/run ended with status $status instead of $1"
}

# expect_report FILTER VALUE: what jq's FILTER gives on report.json.
expect_report() {
	local found
	[ -s "$folder/report.json" ] || failed "there is no report.json in the results"
	found=$(jq -c -r "$1" "$folder/report.json") || failed "report.json is no JSON that takes the filter $1"
	[ "$found" = "$2" ] || failed "report.json: $1 is '$found' instead of '$2'"
}

# expect_text FILE PATTERN: an extended regular expression, upper and lower case alike.
expect_text() {
	grep -qiE -- "$2" "$folder/$1" || failed "$1 does not say '$2'"
}

# expect_refused RULE PATTERN...: status, rule and reason as they must be after a refusal, and nobody's disk written.
expect_refused() {
	local rule=$1 pattern
	shift
	expect_unchanged
	expect_status 4
	expect_report .run.status refused
	expect_report .run.rule "$rule"
	expect_report '.trials | length' 0
	for pattern in "$@"; do
		grep -qiE -- "$pattern" <(jq -r .run.reason "$folder/report.json") ||
			failed "the reason does not say '$pattern': $(jq -r .run.reason "$folder/report.json")"
	done
	expect_text report.txt refused
}
