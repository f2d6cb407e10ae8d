#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# blitbench compare as a person and as a CI job use it: its exit statuses, its sentences, its three forms.
set -euo pipefail
export LC_ALL=C

root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
folder=$(mktemp -d "/dev/shm/blitbench-compare.XXXXXX")
trap 'rm -rf "$folder"' EXIT
blitbench=$root/build/blitbench

[ -x "$blitbench" ] || skipped "build/blitbench is not built"
cd "$folder"

# report ID SESSIONS FACTOR [FILTER]: a report of two cells.
report() {
	jq -n --arg id "$1" --argjson sessions "$2" --argjson factor "$3" '
		{schema: "blitbench-report/1", run: {id: $id, status: "complete"}, machine: {virtual: null, cpu: {model: "A"}},
		workload: {name: "w", digest: "d", entries: 10, install_entries: 10}, sessions: [],
		trials: [("ext4", "xfs") as $filesystem | range(1; $sessions + 1) | {round: ., number: 1, filesystem: $filesystem,
			variant: "default", engine: "moss-2025", strategy: "hardlink", threads: 1, store: "3x2", cache: "hot", operation: "remove", entries: 10,
			seconds: ((1 + . / 100) * $factor), verified: true, flags: []}]}' | jq "${4:-.}" > "$1.json"
}

# ends STATUS ARGUMENT...: compare ends so; what it printed is in out and err.
ends() {
	local wanted=$1 status=0
	shift
	"$blitbench" compare "$@" > out 2> err || status=$?
	[ "$status" -eq "$wanted" ] || failed "compare $*: status $status, not $wanted: $(cat err)"
	[ "$wanted" -ne 0 ] || [ ! -s err ] || failed "compare $*: $(cat err)"
}

# says WORDS: in the last complaint, which is one line.
says() {
	grep -qF -- "$1" err || failed "'$1' is not in: $(cat err)"
	[ "$(wc -l < err)" -eq 1 ] || failed "more than one line: $(cat err)"
}

report base 6 1
report equal 6 1.001
report slow 6 1.5
report few 3 1.5
report vm 6 1 '.machine.virtual = "qemu-tcg"'
report other 6 1 '.workload.digest = "e"'
report half 6 1 '.trials |= map(select(.filesystem == "xfs"))'
mkdir run
cp equal.json run/report.json

ends 0 base.json equal.json slow.json
[ "$(grep -c ' \*$' out)" -eq 2 ] || failed "not two stars: $(cat out)"
[ "$(awk 'length > 80' out)" = "" ] || failed "over 80 columns"
ends 0 base.json run
ends 0 --json base.json slow.json
jq -e '.schema == "blitbench-compare/1" and (.comparisons[0].cells | length == 2 and all(.star and .ratio > 1.49 and .ratio < 1.51 and
	.ratio_ci95[0] < .ratio and .ratio < .ratio_ci95[1])) and .verdict == null' out > /dev/null || failed "JSON: $(cat out)"
ends 0 --html base.json slow.json
grep -q '^</html>$' out || failed "the page does not end"

# For CI.
ends 0 --fail-if-slower 10% base.json equal.json
ends 1 --fail-if-slower 10% base.json slow.json
ends 0 --fail-if-slower 60% base.json slow.json
ends 3 --fail-if-slower 10% base.json few.json
ends 1 --fail-if-slower 10% --raw base.json few.json
ends 3 --fail-if-slower 10% base.json half.json
ends 1 --json --fail-if-slower 10% base.json slow.json
jq -e '.verdict | .result == "slower" and .limit == 0.1 and (.slower | length == 2 and .[0].in == "slow.json")' out > /dev/null ||
	failed "verdict: $(cat out)"

# A part of the cells.
ends 0 --only filesystem=xfs --only threads=1 --json base.json slow.json
jq -e '.only == ["filesystem=xfs", "threads=1"] and (.comparisons[0].cells | length == 1 and .[0].filesystem == "xfs")' out > /dev/null ||
	failed "--only: $(cat out)"
ends 0 --only filesystem=xfs base.json half.json
! grep -q "Only in the" out || failed "what was left out is missed: $(cat out)"
ends 2 --only filesystem=btrfs base.json slow.json
says "base.json: no trial has the filesystem 'btrfs'"

# What must not be compared.
for report in vm other; do
	ends 4 base.json $report.json
	says "--force"
	ends 0 --force base.json $report.json
	[ "$(grep -c '^forced: .*remove' out)" -eq 2 ] || failed "not every line is marked: $(cat out)"
done
ends 4 published base.json
ends 2 base.json base.json
says "are the same run (base)"
ends 2 --force base.json equal.json run
says "are the same run (equal)"

# The published table, from the program alone.
report desktop 1 1 '.workload.entries = 231613 | .workload.install_entries = 231707'
ends 0 published desktop.json
grep -q "one run per cell" out || failed "no caveats: $(cat out)"
ends 3 --fail-if-slower 10% published desktop.json

# Bad input.
echo '{"schema": "blitbench-report/1", "schema": "blitbench-report/1"}' > twice.json
echo '{"schema": "blitbench-report/9"}' > nine.json
sed 's/"seconds": 1.01/"seconds": NaN/' base.json > nan.json
sed 's/"seconds": 1.01/"seconds": 1e999/' base.json > huge.json
sed 's/"seconds": 1.01/"seconds": -1.01/' base.json > negative.json
head -c 200 base.json > cut.json
head -c 100000 /dev/zero | tr '\0' '[' > deep.json
: > empty.json
mkdir none
mkfifo pipe
report tame 6 1 '.machine.memory_bytes = 1.7e308'
report deeper 6 1 '.run.config = reduce range(60) as $i (1; [.])'
report refused 6 1 '.trials = [] | .run.status = "refused"'
while read -r name words; do
	ends 2 base.json "$name"
	says "$name: $words"
done <<-END
	missing.json cannot open the report
	none there is neither a report.json nor a journal.jsonl in it
	twice.json cannot be read as JSON: duplicate object key
	nine.json its schema is 'blitbench-report/9'
	nan.json cannot be read as JSON
	huge.json cannot be read as JSON
	negative.json trials[0]: "seconds" is -1.01
	cut.json cannot be read as JSON
	deep.json cannot be read as JSON
	empty.json cannot be read as JSON
	refused.json none of its 0 trials is valid
	pipe not a file; give a report.json or the folder of a run
	/dev/zero not a file
	tame.json damaged: values are nested deeper, or a number is larger
	deeper.json damaged: values are nested deeper
END
while read -r words; do
	# shellcheck disable=SC2086
	ends 2 $words
	says "see 'blitbench compare --help'"
done <<-END
	base.json
	base.json published
	--unknown base.json equal.json
	--json --html base.json equal.json
	--raw base.json equal.json
	--fail-if-slower 10 base.json equal.json
	--fail-if-slower nan% base.json equal.json
	--fail-if-slower -1% base.json equal.json
	--fail-if-slower -0% base.json equal.json
	--fail-if-slower 0x10% base.json equal.json
	base.json equal.json --fail-if-slower
	--only colour=red base.json equal.json
	--only filesystem base.json equal.json
END
# What somebody else wrote into a report does not steer the terminal that the refusal goes to.
report steers 6 1 '.workload = {name: "\u001b]0;title\u0007\u009b2J\nsecond line", digest: "e"}'
ends 4 base.json steers.json
says "another digest"
! grep -q $'[\001-\011\013-\037\177\302]' err || failed "control characters in: $(cat -v err)"

ends 0 --help
grep -q "^Usage: blitbench compare" out || failed "no help"
