#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The results volume of a stick is found by its name alone, keys given to qemu/run end up in the conf's section [blitbench], once,
# and the new run's folder is told from older ones.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=qemu/stick.sh
. "$root/qemu/stick.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect WHAT FOUND WANTED
expect() {
	if [ "$2" != "$3" ]; then
		printf 'found:\n%s\nwanted:\n%s\n' "$2" "$3"
		echo "reason: $1"
		exit 1
	fi
}

# volume_of FILE LINE...: where the results are on a stick with these partitions, or none.
volume_of() {
	truncate -s 16M "$work/$1"
	printf '%s\n' "label: gpt" "${@:2}" | sfdisk --quiet --no-tell-kernel "$work/$1"
	stick_volume "$work/$1" || echo none
}

name='name="BLITRESULTS"'
expect "the volume is where its partition begins" \
	"$(volume_of plain "start=1MiB, size=2MiB, name=BLITBOOT, attrs=LegacyBIOSBootable" "start=5MiB, $name")" "$work/plain@@5242880"
expect "neither attributes nor the file's name are taken for it" \
	"$(volume_of "a : start= 3, $name" "start=6MiB, size=1MiB, $name, attrs=RequiredPartition" "start=8MiB, name=other")" \
	"$work/a : start= 3, $name@@6291456"
expect "part of a name is no name" "$(volume_of part 'size=1MiB, name="NO BLITRESULTS"' 'name=BLITRESULTS2')" none
expect "of two volumes none is the stick's" "$(volume_of two "size=1MiB, $name" "$name")" none
expect "a file without a table has no volume" "$(stick_volume "$work" || echo none)" none

conf=$'# rounds = 1\n[blitbench]\n# rounds = 1\nrounds = 2\r\n  rounds=3\ntrials = 3\n[variant rounds]\nrounds = 9'
expect "a key is replaced in its own section only" "$(conf_with_key rounds 6 <<< "$conf")" \
	$'# rounds = 1\n[blitbench]\nrounds = 6\n# rounds = 1\ntrials = 3\n[variant rounds]\nrounds = 9'
expect "a new key is added to the section" "$(conf_with_key caches "hot cold" <<< $'[blitbench]\ntrials = 3')" \
	$'[blitbench]\ncaches = hot cold\ntrials = 3'
expect "a conf without the section gets one" "$(conf_with_key k v <<< '; nothing')" $'[blitbench]\nk = v\n; nothing'
expect "a value is taken as it is" "$(conf_with_key model 'a\n& = [b]' <<< '[blitbench]')" \
	$'[blitbench]\nmodel = a\\n& = [b]'

mkdir -p "$work"/before/{a,b} "$work"/after/{a,b,c}
for run in before/a before/b after/a after/b after/c; do
	echo "journal" > "$work/$run/journal.jsonl"
done
expect "the new folder is the run's" "$(changed_run "$work/before" "$work/after")" c
rm -r "$work/after/c"
expect "where no folder is new or changed there was no run" "$(changed_run "$work/before" "$work/after" || echo none)" none
echo "more" >> "$work/after/a/journal.jsonl"
expect "a folder that was written on is the run's" "$(changed_run "$work/before" "$work/after")" a
