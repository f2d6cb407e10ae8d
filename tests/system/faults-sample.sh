#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A sample of tests/faults, of which all is `make check-faults`: two failing disks, refusals and some power cuts, always the same ones.
# TIMEOUT 900
. "$(dirname "$0")/lib.sh"

status=0
"$root/tests/faults/run" --seed 10 --sample 5 || status=$?
FAULT_CUTS=10 "$root/tests/faults/run" --seed 10 --filter power-cuts/stick || status=$?
[ $status -eq 0 ] || failed "not all faults came out as they should, above"
passed
