#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# qemu/accel takes KVM only where a guest has run by it: not where the guest hangs, or QEMU aborts, however well /dev/kvm opens. It
# says so in one line, and remembers what it found.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/qemu"
cp "$root/qemu/accel" "$work/qemu"

fail() {
	cat "$work/out" "$work/err"
	echo "reason: $*"
	exit 1
}

if [ ! -w /dev/kvm ]; then
	"$work/qemu/accel" > "$work/out" 2> "$work/err"
	[ "$(cat "$work/out")" = tcg ] && [ "$(wc -l < "$work/err")" -eq 1 ] || fail "without /dev/kvm it is not TCG, said in one line"
	echo "reason: there is no /dev/kvm that opens, so that nothing is probed"
	exit 77
fi

# accel_says ACCELERATOR WORDS VERSION GUEST [LIMIT]: what comes of a QEMU of this version whose guest does this, the first time and
# again.
accel_says() {
	printf '#!/bin/bash\n[ "$1" != --version ] || { echo "QEMU %s"; exit; }\necho guest >> %q\n%s\n' "$3" "$work/guests" "$4" > "$work/fake"
	chmod +x "$work/fake"
	rm -f "$work/guests"
	for _ in first again; do
		QEMU=$work/fake "$work/qemu/accel" ${5:+"$5"} > "$work/out" 2> "$work/err" || fail "it failed where a guest does: $4"
		[ "$(cat "$work/out")" = "$1" ] || fail "it is not $1 where a guest does: $4"
		if [ -n "$2" ]; then
			[ "$(wc -l < "$work/err")" -eq 1 ] && grep -q -- "$2" "$work/err" || fail "not one line with '$2'"
		else
			[ ! -s "$work/err" ] || fail "something is said where KVM works"
		fi
	done
	[ "$(wc -l < "$work/guests")" -eq 1 ] || fail "the guest was not run just once"
}

accel_says kvm "" works 'exit 85'
accel_says tcg "a guest ended with status 1: no such CPU" refuses 'echo "no such CPU"; exit 1'
accel_says tcg "a guest ended with status 134" aborts 'kill -ABRT $$'
accel_says tcg "a guest did not finish within 1 s" hangs 'exec sleep 60' 1
