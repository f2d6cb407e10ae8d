# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A group of faults: a script that sources this, defines one function case_NAME for each fault, and ends with
# `group "$@"`. Started with `list` it prints the names, started with a name it runs that case, which injects one fault,
# tells it by `told`, and fails as a test does. FAULT_SEED chooses whatever is left to chance.
# shellcheck source=tests/system/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../system/lib.sh"

export FAULT_SEED=${FAULT_SEED:-1}

# told WHAT WHEN OUTCOME: the line by which tests/faults/run names the fault. It comes last: what is told has been seen.
told() {
	echo "fault: injected: $1; when: $2; came out: $3"
}

# The guest's time goes by the instructions that it executes, so that none of its limits ends sooner on a busy host. That wants
# one thread for all its processors: one processor is quickest.
counted_time() {
	plain_qemu
	# shellcheck disable=SC2016
	altered_qemu 'if [[ " ${arguments[*]} " == *" tcg,thread=multi "* ]]; then
		arguments=("${arguments[@]/tcg,thread=multi/tcg,thread=single}" -icount shift=3)
	fi'
}
counted_time

group() {
	if [ "${1:-}" = list ]; then
		declare -F | sed -n 's/^declare -f case_//p' | tr _ -
	else
		# By its name too, so that not every case has the same moment.
		RANDOM=$(((FAULT_SEED + $(cksum <<< "$1" | cut -d " " -f 1)) % 32768))
		"case_${1//-/_}"
	fi
}

# Three disks of somebody's that every case attaches: an ext4, an encrypted one, and one that bears our name in an MBR.
three_canaries() {
	canary plain
	canary luks
	canary deceptive-mbr
}

# outcome: how the run ended, in the report's words.
outcome() {
	jq -r '.run | "\(.status)\(if .rule then ", rule " + .rule else "" end)\(if .reason then ": " + .reason[:160] else "" end)" |
		gsub("[\n;]"; ",")' "$folder/report.json"
}

# A run of some seconds: a workload of few entries, one filesystem, hot caches.
short_keys=(workload=tiny.mtree delta=none filesystems=ext4 caches=hot operations=remove trials=1 content=capped:4096)

# short_run ARGUMENT...: boots with that stick, the disk $work/target.img, and the canaries.
short_run() {
	[ -e "$work/short.img" ] || short_stick "$work/short.img"
	limit_seconds=${limit_seconds:-600} boot_directly --memory 1G --cpus 1 --stick "$work/short.img" --disk "$work/target.img" \
		"${short_keys[@]}" "$@"
}

# newer FILE SOURCE: FILE is missing or older than SOURCE.
newer() {
	[ ! -e "$1" ] || [ "$2" -nt "$1" ]
}
