#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without a results partition nothing is measured and no disk written: the console says what is missing.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
target_disk "$work/target.img"
remember "$work/target.img"
limit_seconds=120 boot_directly --no-stick --disk "$work/target.img"
expect_unchanged
expect_status 7
expect_text console.log "no results volume was found: a GPT partition labelled BLITRESULTS"
expect_text console.log "RESULTS NOT SAVED"
folder=$folder/from-console
expect_report .run.status refused
expect_report .run.rule no-results
passed
