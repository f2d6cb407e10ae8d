# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

# figure NAME VALUE TARGET: one line, the same in all benches.
figure() { printf '%-48s %10s   %s\n' "$1" "$2" "$3"; }
