#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A screen of UEFI: the table, where the report is and that the stick can be pulled are on it, until a key comes.
. "$(dirname "$0")/lib.sh"

monitored
# shellcheck disable=SC2016
altered_qemu 'arguments+=(-device VGA,edid=on,xres=3840,yres=2160,vgamem_mb=64)'
when "Any key ends it" "screendump $work/screen.ppm"$'\n'"sendkey x" machine after=hold
expect_measured
read -r width height < <(head -n 2 "$work/screen.ppm" | tail -n 1)
[ "$width" -ge 1280 ] || failed "the screen has ${width}x$height points"
# White letters on black, and hardly anything of the screen is lit.
lit=$(tail -c $((width * height * 3)) "$work/screen.ppm" | tr -d "\000-\177" | wc -c)
[ "$lit" -gt $((width * height * 3 / 500)) ] || failed "there is nothing on the screen"
mkdir -p "$kept"
cp "$work/screen.ppm" "$kept"
passed
