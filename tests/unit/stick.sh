#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Keys given to qemu/run end up in the conf's section [blitbench], once, and the new run's folder is told from older ones.
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
