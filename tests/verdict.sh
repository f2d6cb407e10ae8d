# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# How a test in shell ends other than well; tests/run shows the reason.

failed() {
	echo "reason: $*"
	exit 1
}

skipped() {
	echo "reason: $*"
	exit 77
}
