#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Of a log that QEMU made, the replayer makes the disk that was written; of one cut short, a disk on which all is there that a
# flush had followed, and the rest may be. It tells when a line was acknowledged. And what a runner of faults promises.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v qemu-system-x86_64 > /dev/null || skipped "there is no qemu-system-x86_64"
gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -o replay \
	"$root/tests/faults/replay.c"

# logged COMMAND...: what qemu-io's commands write to disk.img, as a log in disk.log.
logged() {
	local data=file.driver=raw,file.discard=unmap,file.file.driver=file,file.file.filename=disk.img
	truncate -s 0 disk.img disk.log
	truncate -s 1M disk.img
	{
		printf 'qemu-io disk "%s"\n' "$@"
		echo quit
	} | qemu-system-x86_64 -machine none -nodefaults -display none -monitor stdio -blockdev \
		"driver=blklogwrites,node-name=disk,discard=unmap,$data,log.driver=raw,log.file.driver=file,log.file.filename=disk.log" \
		> qemu.out 2>&1 || failed "QEMU did not write: $(tail -n 1 qemu.out)"
}

logged "write -P 0x11 0 64k" flush "write -P 0x22 4k 8k" "discard 32k 32k" "write -z 128k 4k" flush "write -P 0x33 4k 4k" \
	"write -P 0x44 600k 512" flush
read -r entries flushes < <(./replay count disk.log)
[ "$flushes" -ge 3 ] || failed "of 3 flushes $flushes are in the log"
truncate -s 1M whole.img
[ "$(./replay cut disk.log whole.img "$entries" 0)" = "6 0 0 0" ] || failed "not all of 6 writes are replayed"
cmp whole.img disk.img || failed "all writes together make another disk"

# Entries: a write, a flush, and then the two that may be lost.
for seed in {1..16} 1; do
	truncate -s 0 cut.img
	truncate -s 1M cut.img
	./replay cut disk.log cut.img 4 "$seed" > counts
	# The first and the last byte of the flushed write that nothing changed since, then those of the lost, kept or torn one.
	for at in 0 32767 4096 12287; do od -A n -t x1 -j "$at" -N 1 cut.img; done | tr -d ' \n'
	echo " $seed"
done > seen
! grep -v ^1111 seen || failed "a write is lost that a flush had followed"
for kind in 11111111 11112222 11112211; do
	grep -q "^$kind" seen || failed "of 16 cuts none lost, kept or tore the write: $(cat seen)"
done
[ "$(sed -n 1p seen)" = "$(sed -n '$p' seen)" ] || failed "one seed makes two disks"
truncate -s 0 cut.img
truncate -s 64K cut.img
[[ $(./replay cut disk.log cut.img "$entries" 0 0 128) == *" 2" ]] || failed "two writes went beside the first 64 KiB"

# The first line is flushed by itself; the second with the third, which shares its sector.
printf 'one\n' > 1
printf 'one\n%0600d\nthree\n' 2 > 3
head -c 512 3 > 2
truncate -s 1024 3
logged "write -s $work/1 8k 512" flush "write -s $work/2 8k 512" "write -s $work/3 8k 1024" flush
printf 'one\n%0600d\nthree\n' 2 > text
[ "$(./replay acknowledged disk.log text 16:1 17:1 | tr '\n' ' ')" = "2 5 5 " ] ||
	failed "lines were acknowledged after: $(./replay acknowledged disk.log text 16:1 17:1 | tr '\n' ' ')"
for bad in "count text" "cut disk.log text 99 1" "cut disk.log text x 1" "acknowledged disk.log text 16" "count nowhere" "nonsense"; do
	# shellcheck disable=SC2086
	! ./replay $bad > out 2>&1 && [ "$(wc -l < out)" -eq 1 ] || failed "replay $bad: $(cat out)"
done

# The runner: the same sample from the same seed, whole lines, a case that fails, one that tells nothing.
mkdir -p tests/faults build
cp "$root/tests/faults/run" tests/faults
: > build/blitbench
group() {
	cat > "tests/faults/$1.sh"
	chmod +x "tests/faults/$1.sh"
}
group good <<'END'
#!/bin/bash
[ "$1" != list ] || { seq -f 'number-%g' 20; exit; }
echo "fault: injected: $1; when: seed $FAULT_SEED; came out: well"
END
[ "$(tests/faults/run --list | wc -l)" -eq 20 ] || failed "not all cases are listed"
first=$(tests/faults/run --list --seed 7 --sample 5)
[ "$(wc -l <<< "$first")" -eq 5 ] && [ "$first" = "$(tests/faults/run --list --seed 7 --sample 5)" ] || failed "a seed gives two samples"
[ "$first" != "$(tests/faults/run --list --seed 8 --sample 5)" ] || failed "every seed gives the same sample"
tests/faults/run --seed 7 --filter number-1 > out || failed "a run of good cases fails"
grep -q '^ok good/number-12 ([0-9]* s): injected: number-12; when: seed 7; came out: well$' out || failed "a fault is not told in its line"
grep -q '^11 faults injected in [0-9]* s; 11 cases came out as promised, 0 did not$' out || failed "the summary does not count"
group bad <<'END'
#!/bin/bash
case $1 in
list) printf '%s\n' silent broken ;;
broken) echo "fault: too early"; echo "reason: canary-plain.img was written to"; exit 1 ;;
esac
END
! tests/faults/run --seed 7 --filter bad/ > out || failed "a case that fails does not fail the run"
grep -q '^FAILED bad/broken .*: canary-plain.img was written to, see build/log/faults/bad-broken.log$' out || failed "no reason is told"
grep -q '^FAILED bad/silent .*: it told of no fault' out || failed "a case that does nothing passes"
grep -q '^0 faults injected .*; 0 cases came out as promised, 2 did not: bad/silent bad/broken$' out || failed "failures are not counted"
