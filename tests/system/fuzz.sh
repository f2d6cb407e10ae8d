#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The readers of manifests, archives and .stone packages hold out against a minute of made-up files each, side by side.
# TIMEOUT 300
exec "$(dirname "$0")/../fuzz/run" 60
