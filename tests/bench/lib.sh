# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the benches share. Sourced, in the repository's root.

# figure NAME VALUE TARGET: one line, the same in all benches.
figure() { printf '%-48s %10s   %s\n' "$1" "$2" "$3"; }

# middle NUMBER...: of five the median.
middle() { printf '%s\n' "$@" | sort -n | sed -n 3p; }

compile() { build/sysroot/bin/musl-gcc -std=gnu11 -O2 -D_GNU_SOURCE -Iinit "$@"; }

# objects_of SOURCE...: those that the product is made of, a line each. What other objects lie there are of sources that are gone.
objects_of() {
	local source
	for source; do echo "build/static/${source%.c}.o"; done
}

# link NAME PROGRAM [OBJECT...]: tests/bench/NAME.c with these objects, by default all of the product's.
link() {
	local name=$1 program=$2 objects=("${@:3}")
	[ ${#objects[@]} -gt 0 ] || mapfile -t objects < <(objects_of init/*/*.c)
	compile -static -Lbuild/sysroot/lib "tests/bench/$name.c" "${objects[@]}" -larchive -lxxhash -lblkid -luuid -ljansson \
		-linih -lzstd -llzma -lz -lm -o "$program"
}
