#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make KERNEL_SRC=dir builds somebody's own Linux: beside the source and never in it, again when it has changed, and with a word on
# whatever its Kconfig does not give; what is no source is refused in a sentence.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work"/project/{build,init} "$work"/cache
cp -r "$root/Makefile" "$root/image" "$root/kconfig" "$work/project"
echo '#!/bin/sh' > "$work/project/image/install-packages"
cd "$work/project"
export BLITBENCH_CACHE=$work/cache
unset MAKEFLAGS MAKELEVEL

# A Linux of a moment: its Kconfig gives what it is asked for but for what the file `lost` names, and its bzImage is the file `code`.
tree=$work/linux
mkdir -p "$tree"/{arch/x86/boot,usr}
touch "$tree/Kconfig"
echo 'int main(void) { return 0; }' > "$tree/usr/gen_init_cpio.c"
echo first > "$tree/code"
echo nothing > "$tree/lost"
cat > "$tree/Makefile" <<'END'
.PHONY: allnoconfig bzImage
allnoconfig:
	grep -vFf $(CURDIR)/lost $$KCONFIG_ALLCONFIG > $(O)/.config
bzImage: $(O)/arch/x86/boot/bzImage
$(O)/arch/x86/boot/bzImage: code
	mkdir -p $(@D) && cat code > $@ && echo "$(LOCALVERSION)" > $(O)/version && echo once >> $(O)/compiled
END

# built CODE COMPILED ARGUMENT...: what build/vmlinuz holds after that make, and how often it was compiled so far.
built() {
	local code=$1 compiled=$2
	shift 2
	make build/vmlinuz "$@" > log 2>&1 || failed "make $* ended with an error: $(tail -n 3 log)"
	[ "$(cat build/vmlinuz)" = "$code" ] || failed "make $* took the kernel '$(cat build/vmlinuz)', not '$code'"
	[ "$(wc -l < build/kernel-objects/compiled)" -eq "$compiled" ] || failed "make $* was compilation $(wc -l < build/kernel-objects/compiled), not $compiled"
}

# refused WORDS ARGUMENT...: in one sentence, and what was there stays.
refused() {
	local words=$1 before
	shift
	before=$(cat build/vmlinuz 2> /dev/null || true)
	! make build/vmlinuz "$@" > log 2>&1 || failed "make $* was not refused"
	grep -q -- "$words" log || failed "make $* was refused without the words '$words': $(cat log)"
	[ "$(cat build/vmlinuz 2> /dev/null || true)" = "$before" ] || failed "make $* was refused, but has changed the kernel"
}

listing() {
	(cd "$tree" && find . -type f -exec sha256sum {} + | sort)
}

before=$(listing)
built first 1 "KERNEL_SRC=$tree"
[ "$(listing)" = "$before" ] || failed "the source was written to"
! grep -q "does not give" log || failed "something was lost of a Kconfig that gives all"
[ -s build/kernel.config ] || failed "the kernel's configuration is not there"
[ -x build/gen_init_cpio ] || failed "gen_init_cpio is not there"
[ -z "$(cat build/kernel-objects/version)" ] || failed "the release of a source without git names a commit"

# Nothing has changed: nothing is compiled, and nothing is made anew that is made of the kernel.
touch -d "2026-01-01" build/vmlinuz
built first 1 "KERNEL_SRC=$tree"
[ "$(date -r build/vmlinuz +%Y-%m-%d)" = 2026-01-01 ] || failed "a kernel that has not changed is called new"
echo second > "$tree/code"
built second 2 "KERNEL_SRC=$tree"

# The commit, and that something has changed since.
git -C "$tree" init -q
git -C "$tree" add -A
git -C "$tree" -c user.name=somebody -c user.email=somebody@example.org commit -qm "their Linux"
commit=$(git -C "$tree" rev-parse --short=12 HEAD)
echo third > "$tree/code"
built third 3 "KERNEL_SRC=$tree"
[ "$(cat build/kernel-objects/version)" = "-g$commit-dirty" ] || failed "the release ends with '$(cat build/kernel-objects/version)', not with the commit"

# What its Kconfig drops is named, with the fragment that asked for it, and built without.
echo CONFIG_F2FS_FS= > "$tree/lost"
built third 3 "KERNEL_SRC=$tree"
grep -q "does not give all" log || failed "that something was lost is not told"
grep -q "CONFIG_F2FS_FS: .* asks for y, the final config has n" log || failed "what was lost is not told: $(cat log)"

# Another source begins anew.
cp -r "$tree" "$work/another"
echo fourth > "$work/another/code"
built fourth 1 "KERNEL_SRC=$work/another"

refused "KERNEL_IMAGE and KERNEL_SRC both name a kernel" "KERNEL_SRC=$tree" "KERNEL_IMAGE=$tree/code"
refused "is no source of Linux" "KERNEL_SRC=$work/missing"
refused "is no source of Linux" "KERNEL_SRC=$work"
touch "$tree/.config"
refused "was built in, and Linux cannot be built outside of such a tree: make -C $tree mrproper" "KERNEL_SRC=$tree"
rm "$tree/.config"
echo 'broken' > "$tree/Makefile"
refused "configuring the kernel failed" "KERNEL_SRC=$tree"
