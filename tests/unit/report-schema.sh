#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports of all kinds hold to docs/report.schema.json, by a validator that is not ours: whole, partial, refused and empty ones,
# and that of a run in a directory. Reports that are spoiled in one place do not, and the documentation names the same keys.
set -euo pipefail
export LC_ALL=C

root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
folder=$(mktemp -d "/dev/shm/blitbench-schema.XXXXXX")
trap 'rm -rf "$folder"' EXIT
blitbench=$root/build/blitbench
golden=$root/tests/data/report-golden.jsonl

[ -x "$blitbench" ] || skipped "build/blitbench is not built"

# render NAME: the journal on the standard input becomes NAME.json.
render() {
	cat > "$folder/$1.jsonl"
	"$blitbench" report --json "$folder/$1.jsonl" > "$folder/$1.json" || failed "the journal '$1' gives no report"
}

render empty < /dev/null
head -n 9 "$golden" | render partial
head -c 4000 "$golden" | render torn
{
	head -n 2 "$golden"
	echo '{"record":"verdict","status":"refused","reason":"nothing matches","rule":"no-match","time":"2001-02-03T04:05:07Z","uptime_seconds":101}'
} | render refused
# All that a report can have: latencies, what engines count, what disks and kernel say.
jq -c 'if .record == "session" then .kernel_messages = [{level: "note", text: "hello"}] | .drive = {before: null, after: {
	temperature_celsius: 30, wear_percent: 1, written_bytes: 512, power_on_hours: 7, source: "ata", detail: "read",
	attributes: {"241": {value: 99, raw: 1}}}}
elif .record == "machine" then .watchdog = {identity: "iTCO_wdt", seconds: 600, was_reset: false} | .storage_controllers = [{address: "0000:00:1f.2", vendor: "8086", device: "2922", class: "010601",
	driver: "ahci"}] | ({policy: 0, cpus: "0 1", driver: "intel_pstate", governor: "powersave", governor_before: "powersave",
	epp: "power", epp_before: "default", boost: null, minimum_kilohertz: 800000, maximum_kilohertz: 4200000}) as $policy |
	.cpufreq = {driver: "intel_pstate", mode: "active", boost: true, policies: [$policy], settings: [{governor: "powersave",
	governor_requested: "powersave", governor_held: true, epp: "power", epp_requested: null, epp_held: null, policies: [$policy]}]}
elif .record != "trial" then . else ({kilohertz: 3e6, minimum_kilohertz: 3e6, maximum_kilohertz: 3e6, package_celsius: 50.5,
	drive_celsius: 30, throttles: 0}) as $readings | .governor = "powersave" | .at_seconds = 12.5 | .details = {
	machine: {before: $readings, after: $readings, stolen_seconds: 0}, kernel_messages: [{level: "error", text: "I/O error"}], prime_seconds: 1.5,
	prime_reads: 3, latency: {clocksource: "tsc",
	cost_nanoseconds: 40.5, cost_seconds: 0.25, calls: [{call: "linkat", count: 2, seconds: 0.5, p50_nanoseconds: 63,
	p99_nanoseconds: 63, p999_nanoseconds: 63, max_nanoseconds: 64, buckets: {"63": 1, "64": 1}}]}} end' "$golden" | render latency

printf '#mtree\n./usr type=dir mode=0755\n./usr/a type=file mode=0644 size=100\n./usr/b type=link link=a\n' > "$folder/tree.mtree"
mkdir "$folder/here"
"$blitbench" run --directory "$folder/here" workload="$folder/tree.mtree" delta=none trials=1 latency=yes -o "$folder/directory" \
	> "$folder/log" 2>&1 || failed "the run in a directory: $(tail -n 1 "$folder/log")"

"$root/tests/report-schema" "$folder"/{empty,partial,torn,refused}.json "$folder/directory/report.json" "$folder/latency.json"
