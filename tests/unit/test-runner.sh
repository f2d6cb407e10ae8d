#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run counts what passed, failed and was skipped, ends tests that hang, and says so in exactly its last line.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{tests/unit,tests/system,build/unit}
cp "$root/tests/run" "$work/tests"

fail() {
	cat "$work/out"
	echo "reason: $*"
	exit 1
}

# program FOLDER/NAME: a test whose text stands on standard input.
program() {
	{ echo '#!/bin/bash'; cat; } > "$work/$1"
	chmod +x "$work/$1"
}

# run_tests STATUS LAST_LINE ARGUMENT...
run_tests() {
	local status=0 wanted=$1 last=$2
	shift 2
	"$work/tests/run" "$@" > "$work/out" 2>&1 || status=$?
	[ $status -eq "$wanted" ] || fail "tests/run $* ended with status $status instead of $wanted"
	[ "$(tail -n 1 "$work/out")" = "$last" ] || fail "the last line of tests/run $* is not '$last'"
}

run_tests 1 "0 passed, 1 failed" all
program tests/system/good.sh <<< 'exit 0'
program tests/system/lib.sh <<< 'exit 1'
run_tests 0 "1 passed, 0 failed" all
program tests/system/absent.sh <<< 'echo "reason: no such machine"; exit 77'
run_tests 0 "1 passed, 0 failed, 1 skipped" all
grep -q '^skipped system/absent: no such machine' "$work/out" || fail "a skipped test's reason is not shown"
program tests/system/slow.sh <<< $'# TIMEOUT 1\nsleep 60'
program tests/system/bad.sh <<< 'echo "reason: the disk was written to"; exit 1'
run_tests 1 "1 passed, 2 failed, 1 skipped" system
grep -q '^FAILED system/bad: the disk was written to' "$work/out" || fail "a failed test's reason is not shown"
grep -q '^FAILED system/slow: not finished within 1 s' "$work/out" || fail "a test that hangs is not told as such"
run_tests 1 "0 passed, 1 failed" all --filter bad
run_tests 1 "0 passed, 1 failed" unit

# Of all that .ci/run prints, too, and where make has something to say about it.
mkdir "$work/.ci"
cp "$root/.ci/run" "$work/.ci"
printf 'check:\n\t@tests/run system\n' > "$work/Makefile"
status=0
# Not as a make within make, which the tests may run in.
env -u MAKELEVEL -u MAKEFLAGS -u MFLAGS "$work/.ci/run" > "$work/out" 2>&1 || status=$?
[ $status -ne 0 ] || fail ".ci/run passes where a test has failed"
[ "$(tail -n 1 "$work/out")" = "1 passed, 2 failed, 1 skipped" ] || fail "the last line of .ci/run is not the count"

# What cmocka prints, for three tests of which one passed, and for a program that a sanitizer ended at its second test.
program build/unit/three <<'END'
printf '[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n[  FAILED  ] b\n[ RUN      ] c\n[  SKIPPED ] c\n'
printf '[  PASSED  ] 1 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] c\n\n 1 SKIPPED TEST(S)\n'
printf '[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] b\n\n 1 FAILED TEST(S)\n'
exit 1
END
run_tests 1 "1 passed, 1 failed, 1 skipped" unit
grep -q '^FAILED unit/three: b' "$work/out" || fail "the failed test of a cmocka program is not named"
program build/unit/crash <<< $'printf "[ RUN      ] a\\n[       OK ] a\\n[ RUN      ] b\\n"\nexit 1'
run_tests 1 "1 passed, 1 failed" unit --filter crash
program build/unit/leak <<< $'printf "[ RUN      ] a\\n[       OK ] a\\n[  PASSED  ] 1 test(s).\\n==1==ERROR: LeakSanitizer: leaks\\n"\nexit 23'
run_tests 1 "1 passed, 1 failed" unit --filter leak
