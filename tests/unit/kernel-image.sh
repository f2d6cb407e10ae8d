#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make KERNEL_IMAGE=file takes that kernel, and the next make without the word, or with another, the right one again.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/verdict.sh
. "$root/tests/verdict.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The Makefile with a build of a moment in the place of the kernel's.
mkdir -p "$work"/{image,kconfig,build,init}
cp "$root/Makefile" "$work"
touch "$work/image/lib.sh" "$work/image/sources.lock" "$work/kconfig/check"
echo '#!/bin/sh' > "$work/image/install-packages"
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor file in vmlinuz kernel.config; do echo built > build/$file; done\necho once >> built\n' > "$work/image/build-kernel"
chmod +x "$work"/image/*
cd "$work"
echo first > first.kernel
echo second > second.kernel
unset MAKEFLAGS MAKELEVEL

# expect KERNEL CONFIG BUILDS ARGUMENT...: what build/vmlinuz holds after that make, whether its configuration is known, and how
# often the kernel was asked for so far.
expect() {
	local kernel=$1 config=$2 builds=$3 have=no
	shift 3
	make build/vmlinuz "$@" > log 2>&1 || failed "make $* ended with an error: $(tail -n 3 log)"
	[ "$(cat build/vmlinuz)" = "$kernel" ] || failed "make $* took the kernel '$(cat build/vmlinuz)', not '$kernel'"
	[ ! -e build/kernel.config ] || have=yes
	[ $have = "$config" ] || failed "after make $* there is a configuration: $have, not $config"
	[ "$(wc -l < built)" -eq "$builds" ] || failed "make $* was number $(wc -l < built) to ask for a kernel, not $builds"
}

expect built yes 1
expect built yes 1
expect first no 2 KERNEL_IMAGE=first.kernel
expect first no 2 KERNEL_IMAGE=first.kernel
expect second no 3 KERNEL_IMAGE=second.kernel
expect built yes 4
expect built yes 4

# One that was built again in its place is taken again.
expect first no 5 KERNEL_IMAGE=first.kernel
echo third > first.kernel
touch -d "+2 seconds" first.kernel
expect third no 6 KERNEL_IMAGE=first.kernel

! make build/vmlinuz KERNEL_IMAGE=missing.kernel > log 2>&1 || failed "a kernel that is not there was taken"
[ "$(cat build/vmlinuz)" = third ] || failed "a kernel that is not there took the place of another"
