#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The example of a LAVA job finds in what the program prints all that it prints for LAVA, and its keys are keys.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
blitbench=$root/build/blitbench
[ -x "$blitbench" ] || skipped "build/blitbench is not built"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
job=$root/docs/example/lava-job.yaml

# value_of KEY: the one that the job has, without quotes.
value_of() { sed -n "s/^ *$1: '\?\(.*[^']\)'\?\$/\1/p" "$job"; }

"$blitbench" report --lava "$root"/docs/example > "$work/signals" 2> "$work/log" || failed "the example report gives no signals: $(cat "$work/log")"
[ "$(head -n 1 "$work/signals")" = "$(value_of start)" ] || failed "the job waits for another beginning than $(head -n 1 "$work/signals")"
[ "$(tail -n 1 "$work/signals")" = "$(value_of end)" ] || failed "the job waits for another end than $(tail -n 1 "$work/signals")"
cases=$(grep -c "SIGNAL_TESTCASE" "$work/signals")
[ "$cases" -gt 3 ] || failed "the example report has $cases cases"
found=$(grep -cP "$(value_of pattern)" "$work/signals")
[ "$found" -eq "$cases" ] || failed "the job's pattern finds $found of $cases cases"
measured=$(grep -c "MEASUREMENT=" "$work/signals")
found=$(grep -cP "$(value_of pattern | sed 's/)?>$/)>/')" "$work/signals")
[ "$found" -eq "$measured" ] || failed "the job's pattern finds $found of $measured measurements"

# Its words on the command line, as a conf: refused ones would be told.
value_of extra_kernel_args | xargs printf '%s\n' | sed 's/^blitbench\.//' > "$work/keys"
mapfile -t keys < "$work/keys"
"$blitbench" plan "${keys[@]#profile=}" > "$work/log" 2>&1 || failed "the job's keys are refused: $(tail -n 1 "$work/log")"
