#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No serial port, no screen, no keyboard: nothing is told to anybody, and the results are on the stick.
# SAMPLE
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2016
altered_qemu 'kept=()
	for ((i = 0; i < ${#arguments[@]}; i++)); do
		case ${arguments[i]} in
		-serial) i=$((i + 1)); kept+=(-serial none) ;;
		q35) kept+=(q35,i8042=off) ;;
		*) kept+=("${arguments[i]}") ;;
		esac
	done
	arguments=("${kept[@]}")'
machine
[ ! -s "$folder/console.log" ] || failed "there was a console"
expect_measured
passed
