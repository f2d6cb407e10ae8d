#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# qemu/run brings home what the guest left on the stick, and its exit status follows the report: played with a QEMU that
# runs no guest but writes to the stick what one would.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=qemu/stick.sh
. "$root/qemu/stick.sh"
memory=/dev/shm
[ -w $memory ] || memory=/tmp
work=$(mktemp -d "$memory/blitbench-qemu-run.XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
	cat "$work/out"
	echo "reason: $*"
	exit 1
}

cat > "$work/qemu" <<'END'
#!/bin/bash
case "$*" in
--version) echo "no QEMU at all"; exit ;;
*isa-debug-exit*) exit 1 ;;
esac
. "$ROOT/qemu/stick.sh"
echo "$*" > "$GUEST/arguments"
stick=$(sed -n 's/.*node-name=stick,[^ ]*file.filename=\([^ ]*\).*/\1/p' <<< "$*")
console=$(sed -n 's/.*id=console,path=\([^ ]*\).*/\1/p' <<< "$*")
[ -z "$console" ] || echo >> "$GUEST/boots"
if [ -n "$console" ] && [ -n "$SAYS_AT_FIRST" ] && [ "$(wc -l < "$GUEST/boots")" -le "$TIMES" ]; then
	printf '%s\r\n' "$SAYS_AT_FIRST" > "$console"
	exit
fi
printf '\033[2J\033[01;01HBdsDxe: starting\r\nblitting on ext4\r\n%s\r\n' "$SAYS" > "$console"
volume=$(stick_volume "$stick")
mcopy -s -i "$volume" "$GUEST/runs" ::
mtype -i "$volume" ::blitbench.conf > "$GUEST/conf"
END
chmod +x "$work/qemu"
cat > "$work/blitbench" <<'END'
#!/bin/bash
if [ "$1 $2 $4" = "report --from-console -o" ]; then
	mkdir "$5"
	echo "$SENT" > "$5/report.json"
	exit
fi
echo "$*" > "$GUEST/planned"
while [ $# -gt 0 ]; do
	case $1 in
	--conf) cp "$2" "$GUEST/planned.conf" ;;
	--workloads) ls -R "$2/.." > "$GUEST/planned.workloads" ;;
	esac
	shift
done
if [ -n "$MISTAKE" ]; then
	echo "blitbench: $MISTAKE" >&2
	exit 2
fi
echo '{"trials": 72, "trials_without_cpufreq": 36, "sessions": 3, "memory_bytes": 2000000000, "seconds": {"emulated": {"all": [100, 2000]}}}'
END
chmod +x "$work/blitbench"
echo "no program" > "$work/unified"
printf '[blitbench]\nrounds = 1\n' > "$work/conf"
"$root/image/make-disk" --efi-only --unified "$work/unified" --conf "$work/conf" --output "$work/stick.img"
mcopy -i "$(stick_volume "$work/stick.img")" - ::mine.mtree <<< "#mtree"
cp --sparse=always "$work/stick.img" "$work/before.img"

more=()
# run_says STATUS CONSOLE [REPORT]: one run, whose guest says CONSOLE and leaves REPORT in runs/first.
run_says() {
	local status=0 wanted=$1
	rm -rf "$work/guest"
	mkdir -p "$work/guest/runs"
	if [ $# -eq 3 ]; then
		mkdir "$work/guest/runs/first"
		echo "$3" > "$work/guest/runs/first/report.json"
		echo "a table of figures" > "$work/guest/runs/first/report.txt"
	fi
	ROOT=$root GUEST=$work/guest SAYS=$2 SAYS_AT_FIRST=${at_first:-} TIMES=${times:-1} QEMU=$work/qemu BLITBENCH=$work/blitbench MISTAKE=${mistake:-} SENT=${sent:-} "$root/qemu/run" --results "$work/results" --stick "$work/stick.img" \
		${more[@]+"${more[@]}"} rounds=2 "caches=hot cold" > "$work/out" 2>&1 || status=$?
	[ $status -eq "$wanted" ] || fail "qemu/run ended with status $status instead of $wanted after: $2, ${3:-no report}"
	[ -z "$(find "$work/results" -name '.run.*')" ] || fail "a temporary folder was left behind"
}

# boots NUMBER STATUS CONSOLE-AT-FIRST: so many boots come of a guest whose first one says that.
boots() {
	at_first=$3 run_says "$2" "done" '{"run": {"status": "complete", "trials": 36, "valid_trials": 30}}'
	[ "$(wc -l < "$work/guest/boots")" = "$1" ] || fail "not $1 boots after: $3"
}

# expect_memory SIZE: the last guest's.
expect_memory() {
	grep -qE -- "-m $1( |\$)" "$work/guest/arguments" || fail "the guest's memory is not $1"
}

run_says 0 "done" '{"run": {"status": "complete", "trials": 36, "valid_trials": 36}}'
! grep -q 'do not count' "$work/out" || fail "trials that count are said not to"
[ "$(realpath "$work/results/latest")" = "$work/results/first" ] || fail "build/results/latest is not the new run"
[ "$(cat "$work/results/first/report.txt")" = "a table of figures" ] || fail "report.txt did not come home"
grep -qx "a table of figures" "$work/out" || fail "the table is not shown"
grep -qx "results: $work/results/first" "$work/out" || fail "the results' path is not shown"
grep -qx "blitting on ext4" "$work/out" || fail "progress is not shown"
! grep -q BdsDxe "$work/out" || fail "the firmware's words are shown as progress"
! grep -q $'[\r\033]' "$work/results/first/console.log" || fail "console.log holds control characters"
[ "$(cat "$work/guest/conf")" = $'[blitbench]\ncaches = hot cold\nrounds = 2' ] || fail "the keys did not reach blitbench.conf"
# What the guest would do was asked first, of the conf as the guest reads it and of the stick's own workloads.
[ "$(cat "$work/guest/planned.conf")" = $'[blitbench]\ncaches = hot cold\nrounds = 2' ] || fail "the plan was not asked of the guest's conf"
for name in mine.mtree small.mtree.zst quick.conf; do
	grep -qx "$name" "$work/guest/planned.workloads" || fail "the plan could not know $name"
done
expect_memory 2560M # what the plan says and a quarter
grep -qx '36 trials on 3 fresh filesystems: emulated 2 to 34 minutes, stopped after 6000 s; memory 2560M' "$work/out" ||
	fail "what the plan says is not told"
mistake='blitbench.conf, line 3: "round" is not a key' run_says 2 "nothing"
grep -qx 'qemu/run: the guest would refuse this: blitbench.conf, line 3: "round" is not a key' "$work/out" ||
	fail "a mistake that the plan finds is not told"
[ ! -e "$work/guest/arguments" ] || fail "a guest was started in spite of a mistake"

more=(--memory 3G)
run_says 3 "done" '{"run": {"status": "failed", "reason": "mkfs.xfs ended with 1"}}'
grep -q "'failed': mkfs.xfs ended with 1" "$work/out" || fail "the reason of a run that failed is not shown"
[ "$(realpath "$work/results/latest")" = "$work/results/first-2" ] || fail "a second run of the same name has no folder of its own"
expect_memory 3G # in spite of the plan
more=(--no-plan)
mistake="not asked" run_says 3 "done" '{"run": {"status": "unheard-of", "reason": "mkfs.xfs ended with 1"}}'
grep -q "'unheard-of': mkfs.xfs ended with 1" "$work/out" || fail "the reason of a run that ended as nobody knows is not shown"
expect_memory 4G

# No later run depends on the plan, or on a disk where it does not say so.
more=(--no-plan --no-disk)
run_says 4 "no disk" '{"run": {"status": "refused", "rule": "no-match", "reason": "there is no such partition"}}'
grep -q "refused: there is no such partition (no-match)" "$work/out" || fail "the refusal is not shown"
run_says 3 "done" '{"run": '
run_says 7 "blitbench: RESULTS NOT SAVED: no space left" '{"run": {"status": "complete"}}'
grep -qx "qemu/run: the guest could not save its results: no space left" "$work/out" || fail "the guest's word is not told"
run_says 7 "the stick has vanished"
grep -q "^  the stick has vanished" "$work/out" || fail "the console's last lines are not shown"
# What came over the console comes home, also from a guest that was refused before its run had a name, or under a name that leads elsewhere.
for id in null '"../../first"'; do
	sent="{\"run\": {\"id\": $id, \"status\": \"refused\"}}"
	sent=$sent run_says 7 $'blit:1:end\nblitbench: RESULTS NOT SAVED: no volume'
	[[ $(realpath "$work/results/latest") == "$work"/results/no-results-* ]] || fail "a run without a name that may be one has no folder of its own"
	[ "$(cat "$work/results/latest/from-console/report.json")" = "$sent" ] || fail "what a run without a name sent over the console is lost"
done
sent='{"run": {"id": "2025-1", "status": "complete"}}' run_says 0 "blit:1:end"
[ "$(realpath "$work/results/latest")" = "$work/results/2025-1" ] || fail "a run sent over the console has not its own name"
run_says 6 "[    3.4] Kernel panic - not syncing: no init" '{"run": {"status": "complete"}}'
[ "$(wc -l < "$work/guest/boots")" = 1 ] || fail "the guest was booted again after a panic that is no exception"
grep -q "panicked: Kernel panic - not syncing: no init" "$work/out" || fail "the panic is not shown"

panic="[    1.7] RIP: 0010:ext4_fill_super+0x5/0xb0
Kernel panic - not syncing: Fatal exception in interrupt"
# A panic of the emulation is no fault of the image: it may boot once more, as long as nothing that was there before is lost by it.
rm -rf "$work"/results/first*
more=(--no-plan)
boots 2 0 "blitbench 0.1.0
$panic"
grep -q '^note: .*booting once more (RIP: 0010:ext4_fill_super+0x5/0xb0)$' "$work/out" || fail "the second boot is not told"
grep -q ext4_fill_super "$work/results/first/console-first.log" || fail "the first boot's console is not kept"
! grep -q ext4_fill_super "$work/results/first/console.log" || fail "the first boot's console is taken for the second's"
# A run that made its plan is complete whatever its trials are worth: that is said behind.
grep -qx 'qemu/run: the run completed, but 6 of 36 trials do not count' "$work/out" || fail "trials that do not count go unseen"
cp --sparse=always "$work/stick.img" "$work/somebody.img"
more=(--no-plan --disk "$work/somebody.img")
times=3 boots 4 0 "$panic"
times=4 boots 4 6 "$panic"
# More lines behind the first than fit into a pipe: whoever stops reading early must not be taken for having found nothing.
boots 1 6 "blitbench 0.1.0
$panic
$(seq 20000)"
cmp "$work/stick.img" "$work/before.img" || fail "the stick's image was written to"
