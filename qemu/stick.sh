# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Reading and writing the partition BLITRESULTS of a stick's image file, with mtools and without mounting. Sourced.

export MTOOLSRC=/dev/null TZ=UTC

# stick_volume IMAGE: prints what mtools' -i takes for the partition BLITRESULTS; fails where there is none.
stick_volume() {
	local offset
	offset=$(sfdisk --dump "$1" 2> /dev/null | awk '
		sub(/^sector-size: /, "") { sector = $0 }
		/^$/ { listed = 1 }
		listed && /, name="BLITRESULTS"(, attrs="[^"]*")?$/ && sub(/^.* : start= */, "") { start = $0 + 0; found++ }
		END { if (found != 1) exit 1; printf "%.0f\n", start * (sector ? sector : 512) }') || return 1
	echo "$1@@$offset"
}

# conf_with_key KEY VALUE < conf > conf: the value stands in the section [blitbench], once.
conf_with_key() {
	KEY=$1 VALUE=$2 awk '
		function name_of(line) {
			if (line !~ /=/)
				return ""
			sub(/=.*/, "", line)
			gsub(/^[ \t]+|[ \t]+$/, "", line)
			return line
		}
		{ sub(/\r$/, ""); lines[NR] = $0 }
		/^[ \t]*\[blitbench\][ \t]*$/ { header = header ? header : NR }
		END {
			setting = ENVIRON["KEY"] " = " ENVIRON["VALUE"]
			if (!header)
				print "[blitbench]\n" setting
			for (i = 1; i <= NR; i++) {
				if (lines[i] ~ /^[ \t]*\[/)
					inside = lines[i] ~ /^[ \t]*\[blitbench\][ \t]*$/
				if (inside && name_of(lines[i]) == ENVIRON["KEY"])
					continue
				print lines[i]
				if (i == header)
					print setting
			}
		}'
}

# stick_set_keys IMAGE KEY=VALUE...: writes the keys into blitbench.conf on the stick.
stick_set_keys() {
	local volume conf assignment
	volume=$(stick_volume "$1") || return 1
	shift
	conf=$(mtype -i "$volume" ::blitbench.conf 2> /dev/null) || conf=
	for assignment in "$@"; do
		conf=$(conf_with_key "${assignment%%=*}" "${assignment#*=}" <<< "$conf")
	done
	mcopy -o -i "$volume" - ::blitbench.conf <<< "$conf"
}

# stick_runs IMAGE FOLDER: copies every run's folder off the stick into FOLDER; nothing to copy is no error.
stick_runs() {
	local volume
	mkdir -p "$2"
	volume=$(stick_volume "$1") || return 0
	mdir -i "$volume" ::runs > /dev/null 2>&1 || return 0
	mcopy -s -n -i "$volume" '::runs/*' "$2" > /dev/null 2>&1 < /dev/null || true
}

# changed_run BEFORE AFTER: prints the last folder in AFTER that is new, or differs from its namesake in BEFORE.
changed_run() {
	local folder found=
	for folder in "$2"/*/; do
		[ -d "$folder" ] || continue
		folder=$(basename "$folder")
		diff -rq "$1/$folder" "$2/$folder" > /dev/null 2>&1 || found=$folder
	done
	[ -n "$found" ] && echo "$found"
}
