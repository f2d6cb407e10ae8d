#!/bin/bash
# The reader of manifests holds out against a minute of made-up files.
# TIMEOUT 240
exec "$(dirname "$0")/../fuzz/run" 60 mtree
