#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A clock whose battery is empty: it is 1970, or 2070 for who takes its century for ours.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2016
altered_qemu 'arguments+=(-rtc base=1970-01-01T00:00:10)'
machine
expect_measured
expect_report '.run.id | test("^(19|20)700101-")' true
passed
