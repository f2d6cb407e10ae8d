#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The reader of archives of all kinds holds out against a minute of made-up files.
# TIMEOUT 240
exec "$(dirname "$0")/../fuzz/run" 60 archive
