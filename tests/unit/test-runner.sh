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

# What guests of a failed test have left is kept beside its log, and that of one that passes then is not.
mkdir "$work/qemu"
cp "$root/tests/system/lib.sh" "$work/tests/system"
cp "$root/tests/verdict.sh" "$work/tests"
cp "$root/qemu/stick.sh" "$work/qemu"
cat > "$work/qemu/run" <<'END'
#!/bin/bash
while [ "$1" != --results ]; do shift; done
mkdir -p "$2/first"
echo "a panic" > "$2/first/console.log"
echo "another one" > "$2/first/console-first.log"
echo "{}" > "$2/first/report.json"
ln -sfn first "$2/latest"
END
chmod +x "$work/qemu/run"
kept=build/log/tests/system-boots
program tests/system/boots.sh <<< $'. "$(dirname "$0")/lib.sh"\nboot\nexpect_status 3'
run_tests 1 "0 passed, 1 failed" system --filter boots
grep -qx "FAILED system/boots: qemu/run ended with status 0 instead of 3, see $kept.log and $kept/" "$work/out" ||
	fail "what is kept of a failed test is not told"
[ "$(cd "$work/$kept" && echo *)/$(cd "$work/$kept/first" && echo *)" = "first/console-first.log console.log report.json" ] ||
	fail "consoles and report of a failed test are not kept"
grep -qx "kept: $kept/first/console.log" "$work/$kept.log" || fail "the log does not tell what was kept"
program tests/system/boots.sh <<< $'# TIMEOUT 1\n. "$(dirname "$0")/lib.sh"\nboot\nsleep 60'
run_tests 1 "0 passed, 1 failed" system --filter boots
grep -qx "FAILED system/boots: not finished within 1 s, see $kept.log and $kept/" "$work/out" ||
	fail "what is kept of a test that hangs is not told"
program tests/system/boots.sh <<< $'. "$(dirname "$0")/lib.sh"\nboot\npassed'
run_tests 0 "1 passed, 0 failed" system --filter boots
[ ! -e "$work/$kept" ] || fail "consoles are kept of a test that has passed"
[ -z "$(find "$work/build" -name 'test.*')" ] || fail "a test's folder was left behind"
