#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# image/check-static lets static programs pass and names any other file. Exits 0 if it does.
set -euo pipefail

check=$(cd "$(dirname "$0")/../.." && pwd)/image/check-static
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0

# expect STATUS PATTERN FILE...: PATTERN must be in what it says ('' for nothing at all).
expect() {
	local wanted=$1 pattern=$2 status=0 output
	shift 2
	output=$("$check" "$@" 2>&1) || status=$?
	if ((status != wanted)) || [[ $output != *"$pattern"* || (-z $pattern && -n $output) ]]; then
		echo "check-static: $*: status $status, not $wanted, or no '$pattern' in: $output"
		failures=$((failures + 1))
	fi
}

echo 'int main(void) { return 0; }' >program.c
gcc -static -o static program.c
gcc -o dynamic program.c
echo 'no program' >text

expect 0 '' static
expect 1 'dynamic is not static' dynamic
expect 1 'dynamic is not static' static dynamic
expect 1 'text is no program' text
expect 1 'nowhere is no program' nowhere
exit $((failures > 0))
