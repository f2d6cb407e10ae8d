#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A guest whose kernel panics ends the run at once, with a status of its own and the panic in the kept console.
. "$(dirname "$0")/lib.sh"

boot_directly --no-disk --append rdinit=/nonexistent
expect_status 6
expect_text console.log 'Kernel panic - not syncing'
passed
