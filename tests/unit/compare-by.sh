#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One table over many reports: who is grouped how, what is left out, and that a run counts once.
. "$(dirname "$0")/../verdict.sh"
set -euo pipefail
export LC_ALL=C

root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "$root/build/blitbench" ] || skipped "build/blitbench is not built"
blitbench() { "$root/build/blitbench" "$@"; }

blitbench report --json "$root/docs/example" > "$work/example.json"

# machine FOLDER ID MODEL TIMES [FILTER]: the example's report, as another machine would have it that takes so many times as long.
machine() {
	mkdir -p "$work/$1"
	jq --arg id "$2" --arg model "$3" --argjson times "$4" '.run.id = $id | .machine.cpu.model = $model |
		(.trials[].seconds) *= $times '"${5:+| $5}" "$work/example.json" > "$work/$1/report.json"
}
machine stick1/runs/a a "Fast CPU" 1
machine stick1/runs/b b "Fast CPU" 3
machine stick2/runs/c c "Slow CPU" 10
machine stick2/runs/copy-of-a a "Fast CPU" 1
machine other d "Fast CPU" 1 '.workload.digest = "another"'
machine zmetal e "Fast CPU" 2 '.machine.virtual = null'
echo "no report" > "$work/stick2/report.json"
ln -s . "$work/stick2/again"

blitbench compare --by machine.cpu.model --json "$work/stick1" "$work/stick2" "$work/other" "$work/zmetal" > "$work/table.json" 2> "$work/errors"
grep -q "left out: .*stick2/report.json" "$work/errors" || failed "a file that is no report is not named"
expect() {
	local found
	found=$(jq -c "$1" "$work/table.json")
	[ "$found" = "$2" ] || failed "$1 is $found instead of $2"
}
kind=$(jq -r .machine.virtual "$work/example.json")
expect .reports 4
expect '[.left_out[] | [.reason[:12], .reports]] | sort' '[["another work",1],["no report th",1],["the same run",1]]'
expect '.cells | length' "$(jq '.summary | length' "$work/example.json")"
expect '[.cells[] | [.groups[] | [.group, .reports]]] | unique' "[[[\"Fast CPU\",1],[\"Fast CPU ($kind)\",2],[\"Slow CPU ($kind)\",1]]]"
# The median of two is the mean of both, 1 and 3 times as long.
jq -n --slurpfile table "$work/table.json" --slurpfile example "$work/example.json" '
	[range($example[0].summary | length) | . as $i | $example[0].summary[$i] as $was | $table[0].cells[$i] as $cell |
		($cell.groups[1] | .median_seconds / $was.median_seconds - 2 | fabs < 1e-9) and
		(.min_seconds? // $cell.groups[1].min_seconds | . / $was.median_seconds - 1 | fabs < 1e-9) and
		$cell.filesystem == $was.filesystem and $cell.cache == $was.cache] | all' > "$work/right"
[ "$(cat "$work/right")" = true ] || failed "the medians are not those of the reports"

blitbench compare --by machine.cpu.model "$work/stick1" > "$work/text"
[ "$(awk 'length > 80' "$work/text" | wc -l)" -eq 0 ] || failed "the table is wider than 80 columns"
grep -q "^2 reports by machine.cpu.model" "$work/text" || failed "the table does not say what it is"

# refuses STATUS WORDS ARGUMENT...
refuses() {
	local wanted=$1 words=$2 status=0
	shift 2
	blitbench compare "$@" > "$work/out" 2> "$work/errors" || status=$?
	[ $status -eq "$wanted" ] || failed "compare $* ended with $status"
	grep -q -- "$words" "$work/errors" || failed "compare $* does not say '$words'"
	[ ! -s "$work/out" ] || failed "compare $* prints a table"
}
refuses 2 "none of the reports has the key 'machine.cpu.modell'" --by machine.cpu.modell "$work/stick1"
refuses 2 "needs reports" --by machine.cpu.model
refuses 2 "needs a key" --by
refuses 2 "does not go with --by" --by machine.cpu.model --html "$work/stick1"
mkdir "$work/empty"
refuses 2 "no report.json" --by machine.cpu.model "$work/empty"
refuses 2 "No such file" --by machine.cpu.model "$work/nowhere"
exit 0
