#!/bin/bash
# Without a target partition a run is refused, and a filesystem or a disk that only bears the target's name is no target.
. "$(dirname "$0")/lib.sh"

canary plain
canary deceptive
canary deceptive-mbr
boot_directly --no-disk
expect_refused no-match blitbench-target
passed
