#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the handle engine is for, in device reads, on a store that was aged: on ext4 hardly any of moss-2025's, on f2fs, whose
# inodes are read ahead by listing them, few. And moss-2026 beside them, whose trees must verify as well.
# TIMEOUT 900
. "$(dirname "$0")/lib.sh"

canary plain
limit_seconds=840
boot_directly filesystems="ext4 f2fs" engines="moss-2025 moss-2026 handle" caches=cold operations=remove trials=2 \
	age=2 keep_states=1 content=capped:4096
expect_unchanged
expect_status 0
expect_report .run.status complete
expect_report '.trials | length' 12
expect_report '[.trials[].verified] | unique' '[true]'
expect_report '[.trials[].flags[] | select(.level == "invalid") | .name] | unique' '[]'
expect_report '[.sessions[].age] | unique' '[2]'
expect_report '[.sessions[].fsck.status] | unique' '["clean"]'
expect_text report.txt "aged 2"
reads() { echo "([.trials[] | select(.filesystem == \"$1\" and .engine == \"$2\") | .io.reads] | max)"; }
expect_report "$(reads ext4 handle) * 25 < $(reads ext4 moss-2025)" true
expect_report "$(reads f2fs handle) * 5 < $(reads f2fs moss-2025)" true
# It found its way without a single stale handle, and had every list to go by.
expect_report '[.trials[] | select(.engine == "handle") | .details.engine.stale] | unique' '[0]'
expect_report '[.trials[] | select(.engine == "handle" and .filesystem == "f2fs") | .details.engine.listed > 50] | unique' '[true]'
passed
