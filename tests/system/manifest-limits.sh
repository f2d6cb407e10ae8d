#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A manifest that a few bytes blow up, one of more entries and one of more names than a workload may have: each is refused at its
# limit, with the place, and in no more memory than so many entries may take. No virtual machine.
. "$(dirname "$0")/lib.sh"

need "$build/blitbench"

# refused KIBIBYTES SENTENCE: so the manifest is refused, in so much address space.
refused() {
	local status=0
	(ulimit -v "$1" && exec "$build/blitbench" workload inspect "$work/manifest.zst") > "$work/log" 2>&1 || status=$?
	cat "$work/log"
	[ $status -eq 1 ] || failed "the status is $status"
	[ "$(wc -l < "$work/log")" -eq 1 ] && grep -q -- "$2" "$work/log" || failed "not one line with '$2'"
}

pack() { zstd -q -1 -f -o "$work/manifest.zst"; }

long=$(printf '%060000d' 0)
{ yes "#$long" || true; } | head -c 1100M | pack
[ "$(stat -c %s "$work/manifest.zst")" -lt 1000000 ] || failed "it is no bomb"
refused 100000 "line 178[0-9]*: there are over 1073741824 bytes of text"

seq -f './usr/%.0f type=dir' 1 4194305 | pack
refused 1000000 'line 4194304: "./usr/4194304": there are over 4194304 entries'

long=$(printf '%0247d' 0)
seq -f "./usr/%.0f-$long type=dir" 1000000 3200000 | pack
refused 2000000 "line 2097152: .*: the names up to here take over 536870912 bytes"
passed
