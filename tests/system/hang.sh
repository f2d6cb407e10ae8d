#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A guest that never ends is stopped at the limit, with a status of its own, and takes its temporary files along.
. "$(dirname "$0")/lib.sh"

# Firmware that finds nothing to start from waits for ever.
truncate -s 4M "$work/empty.img"
boot --stick "$work/empty.img" --no-disk --limit 5
expect_status 5
[ -z "$(find "$work/results" -name '.run.*')" ] || failed "a temporary folder was left behind"
passed
