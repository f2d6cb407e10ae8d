#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# report.html in a browser, at the widths of a telephone, a tablet and a desk, light and dark: nothing is too wide, no text
# overlaps another, none is too faint, with everything folded and unfolded. On paper what is folded stands open.
# TIMEOUT 280
set -euo pipefail
export LC_ALL=C
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
cd "$root"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || skipped "chromium is not installed"
[ -x build/blitbench ] || skipped "build/blitbench is not built"
work=$(mktemp -d "/dev/shm/blitbench-layout.XXXXXX")
trap 'rm -rf "$work"' EXIT
golden=tests/data/report-golden.jsonl
widths=(380 800 1280)
names=()

# page NAME JQ-FILTER: report.html of the golden journal after the filter (over the list of its lines), and a frame with it, since a
# browser's window has a least width, and since a frame's scheme of colours is its page's preferred one.
page() {
	jq -c -s "$2 | .[]" "$golden" > "$work/$1.jsonl"
	build/blitbench report --html "$work/$1.jsonl" > "$work/$1.html"
	names+=("$1")
	{
		echo "<iframe name=$1 style='max-width:none;height:900px;border:0' srcdoc=\""
		{
			cat "$work/$1.html"
			echo "<script>"
			cat tests/data/html-layout.js
			echo "</script>"
		} | sed 's/&/\&amp;/g; s/"/\&quot;/g'
		echo "\"></iframe>"
	} >> "$work/frames.html"
}

long=$(printf 'W%.0s' {1..3000})
page plain '. + [.[] | select(.record == "trial") | .round = (2, 3) | .at_seconds = 100 * .round + .number | .details = {
	machine: {before: {kilohertz: 3900000, package_celsius: 50}, after: {kilohertz: 3800000, package_celsius: 60}},
	latency: {calls: [("linkat", "openat (directory)", "fchmodat2", "close", "mkdirat") |
		{call: ., count: 30, seconds: 1, buckets: {"1500": 10, "90000": 19, "7000000": 1}}]}}]'
page refused '[{record: "verdict", status: "refused", rule: "no-match", reason: "No partition has the label blitbench-target. Make one."}]'
page engines '. + [.[] | select(.record == "trial") | .engine = ("moss-2026", "handle") | .threads = 16 | .seconds *= 1234.5]'
page hostile "map(if .record == \"trial\" then .variant = \"${long:0:31}\" | .flags = [{name: \"${long:0:20}\", level: \"note\", detail: \"$long\"}]
	elif .record == \"run\" or .record == \"workload\" then .id = \"$long\" | .name = \"$long\"
	elif .record == \"machine\" then .cpu.model = \"$long\" else . end)"

# One start of the browser for all: it prints the page itself. Each frame is looked at and goes, before anything is drawn.
{
	cat "$work/plain.html" "$work/frames.html"
	cat <<-END
	<script>
	onload = () => {
		for (const frame of document.querySelectorAll("iframe")) {
			for (const width of [$(IFS=,; echo "${widths[*]}")])
				for (const scheme of ["light", "dark"]) {
					frame.style.width = width + "px";
					frame.style.colorScheme = scheme;
					frame.offsetWidth; // what is asked for is laid out at once
					for (const finding of frame.contentWindow.look())
						document.body.append(\`FOUND \${frame.name} \${finding}\n\`);
				}
			frame.remove();
		}
	};
	</script>
	END
} > "$work/all.html"
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-extensions --user-data-dir="$work/profile" \
	--window-size=1400,900 --no-pdf-header-footer --print-to-pdf="$work/paper.pdf" --dump-dom "file://$work/all.html" \
	> "$work/dom" 2> "$work/browser.log" || true

found=$(sed -n 's/.*FOUND \([a-z]* at [0-9].*\)/\1/p' "$work/dom")
for name in "${names[@]}"; do
	for width in "${widths[@]}"; do
		for dark in false true; do
			grep -qx "$name at $width: looked, dark $dark" <<< "$found" ||
				failed "$name at $width, dark $dark: no answer from the browser: $(tail -n 1 "$work/browser.log")"
		done
	done
done
found=$(grep -vE '^[a-z]+ at [0-9]+: looked, dark (true|false)$' <<< "$found") || true
[ -z "$found" ] || failed "$(head -n 5 <<< "$found" | tr '\n' ';')"
[ -s "$work/paper.pdf" ] || failed "the browser did not print: $(tail -n 1 "$work/browser.log")"
