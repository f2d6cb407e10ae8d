#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kconfig/check names symbol and fragment for whatever was asked for and is not so. Exits 0 if it does.
set -euo pipefail

check=$(cd "$(dirname "$0")/../.." && pwd)/kconfig/check
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0

# expect WANTED_STATUS PATTERN WHAT FILE...: runs the check; PATTERN must be in its output ('' for none at all).
expect() {
	local wanted=$1 pattern=$2 what=$3 status=0 output
	shift 3
	output=$("$check" "$@" 2>&1) || status=$?
	if ((status != wanted)); then
		echo "kconfig-check: $what: status $status, not $wanted: $output"
		failures=$((failures + 1))
	elif [[ -z $pattern && -n $output ]] || [[ -n $pattern && $output != *"$pattern"* ]]; then
		echo "kconfig-check: $what: the output is not '$pattern': $output"
		failures=$((failures + 1))
	fi
}

cat >final <<'END'
# Linux/x86 6.12 Kernel Configuration
CONFIG_SMP=y
CONFIG_HZ=250
CONFIG_NAME="blit=bench"
# CONFIG_MODULES is not set
CONFIG_TUN=m
END

cat >good.config <<'END'
# A comment, CONFIG_IN_PROSE among it.

CONFIG_SMP=y
CONFIG_HZ=250
CONFIG_NAME="blit=bench"
# CONFIG_MODULES is not set
# CONFIG_NOT_EVEN_THERE is not set
END
expect 0 '' 'all is as asked' final good.config

echo 'CONFIG_XFS_FS=y' >missing.config
expect 1 'CONFIG_XFS_FS: missing.config asks for y, the final config has n' 'a symbol is missing' final good.config missing.config

echo 'CONFIG_MODULES=y' >off.config
expect 1 'CONFIG_MODULES: off.config asks for y, the final config has n' 'a symbol is off' final off.config

echo '# CONFIG_SMP is not set' >on.config
expect 1 'CONFIG_SMP: on.config asks for n, the final config has y' 'a symbol is on' final on.config

echo 'CONFIG_TUN=y' >module.config
expect 1 'CONFIG_TUN: module.config asks for y, the final config has m' 'a symbol is a module' final module.config

echo 'CONFIG_HZ=1000' >value.config
expect 1 'CONFIG_HZ: value.config asks for 1000, the final config has 250' 'a value differs' final value.config

printf 'CONFIG_HZ=250\nCONFIG_HZ=1000\n' >twice.config
expect 1 'CONFIG_HZ: twice.config asks for 250, twice.config for 1000' 'fragments contradict each other' final twice.config

echo '# CONFIG_SMP=y' >commented.config
expect 1 'commented.config line 1 is no setting' 'a setting is commented out' final commented.config

echo 'CONFIG SMP' >nonsense.config
expect 1 'nonsense.config line 1 is no setting: CONFIG SMP' 'a line is nonsense' final nonsense.config

: >empty
expect 1 'CONFIG_SMP: good.config asks for y, the final config has n' 'the final config is empty' empty good.config

expect 2 'cannot read nowhere' 'a file is missing' final nowhere
expect 2 'usage' 'no fragment' final

exit $((failures > 0))
