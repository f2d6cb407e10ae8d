#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# flash-usb takes no disk that is not a stick or is in use, or that was changed for another while it asked, and writes nothing
# without the answer; what it writes starts, fills the stick and is read back. Played with loop devices.
. "$(dirname "$0")/lib.sh"

[ $EUID -eq 0 ] || skipped "loop devices need root"
need "$build/blitbench.img" "$build/blitbench.efi" "$build/bios/syslinux"
loops=()
let_go() {
	mountpoint -q "$work/mounted" 2> /dev/null && umount "$work/mounted"
	for ((i = ${#loops[@]} - 1; i >= 0; i--)); do losetup -d "${loops[i]}" 2> /dev/null || true; done
	rm -rf "$work"
}
trap let_go EXIT

# loop NAME ARGUMENT...: sets that variable to a new loop device.
loop() {
	local -n made=$1
	shift
	made=$(losetup --find --show "$@") || skipped "this machine gives no loop device"
	loops+=("$made")
}

size_bytes=$((130 << 20))
truncate -s $size_bytes "$work/stick.img"
ext4_image "$work/filesystem" 20M home
dd if="$work/filesystem" of="$work/stick.img" bs=1M seek=1 conv=notrunc,sparse status=none
# What was there before shines through nowhere that a reader of the new filesystem looks.
head -c 40000000 /dev/urandom | dd of="$work/stick.img" bs=1M seek=30 conv=notrunc status=none
loop stick "$work/stick.img"
cp --sparse=always "$work/stick.img" "$work/neighbour.img"
loop neighbour "$work/neighbour.img"
neighbour_before=$(digest "$work/neighbour.img")
remember "$work/stick.img"
mkdir "$work/mounted"

# flash ANSWER ARGUMENT...: sets flashed to the status; what is said is in $work/said.
flash() {
	flashed=0
	"$root/image/flash-usb" "${@:2}" <<< "$1" > "$work/said" 2>&1 || flashed=$?
	cat "$work/said"
}

# refuses PATTERN ANSWER ARGUMENT...: and nothing is written.
refuses() {
	flash "${@:2}"
	[ $flashed -eq 1 ] || failed "flash-usb ${*:3} ended with status $flashed"
	grep -qE -- "$1" "$work/said" || failed "flash-usb ${*:3} does not say '$1'"
	sync "$work/stick.img"
	expect_unchanged
}

refuses "is a loop device, no stick" $size_bytes "$stick"
refuses "is no disk" $size_bytes "$work/stick.img"
refuses "there is no" $size_bytes "$work/nothing"
refuses "say which disk" ""
refuses "one disk at a time" $size_bytes --loop-for-tests "$stick" "$neighbour"
refuses "nothing was typed" "" --loop-for-tests "$stick"
refuses "'yes' is not what was asked for" yes --loop-for-tests "$stick"
refuses "is no disk" $size_bytes --force /dev/zero

loop read_only --read-only "$work/stick.img"
refuses "write-protected" $size_bytes --loop-for-tests "$read_only"
truncate -s 40M "$work/small.img"
loop small "$work/small.img"
refuses "too few: the image needs 96 MiB" $((40 << 20)) --loop-for-tests "$small"

# In use: by a loop device upon it, by a filesystem on it, by one on a part of it.
loop upon --offset 1M --sizelimit 20M "$stick"
refuses "is held by $(basename "$upon")" $size_bytes --loop-for-tests "$stick"
losetup -d "$upon"
mke2fs -q -F -t ext4 "$small"
mount "$small" "$work/mounted"
refuses "is mounted \($small on $work/mounted\)" $((40 << 20)) --loop-for-tests "$small"
umount "$work/mounted"
if addpart "$stick" 1 2048 $((20 << 11)) && [ -b "${stick}p1" ]; then
	refuses "is a partition; name its disk, $(basename "$stick")" $size_bytes --loop-for-tests "${stick}p1"
	mount -o ro,noload "${stick}p1" "$work/mounted"
	refuses "is mounted \(${stick}p1 on $work/mounted\)" $size_bytes --loop-for-tests "$stick"
	umount "$work/mounted"
	delpart "$stick" 1
fi

# refuses_after PATTERN DEVICE COMMAND...: COMMAND runs while it asks, and what comes then is refused.
refuses_after() {
	local pattern=$1 device=$2 line pid answer said
	shift 2
	coproc asking { exec "$root/image/flash-usb" --loop-for-tests "$device" 2>&1; }
	pid=$asking_PID
	exec {answer}>&"${asking[1]}" {said}<&"${asking[0]}"
	while read -r line <&"$said"; do
		case $line in *"To go on"*) break ;; esac
	done
	"$@"
	echo $size_bytes >&"$answer"
	cat <&"$said" > "$work/said"
	exec {answer}>&- {said}<&-
	! wait "$pid" || failed "flash-usb goes on after '$*'"
	grep -q -- "$pattern" "$work/said" || failed "after '$*' flash-usb does not say '$pattern': $(cat "$work/said")"
}

# Its name goes while it asks, and nothing is made under it: or the node of the next disk could not be.
mknod "$work/node" b $(stat -c '0x%t 0x%T' "$stick")
refuses_after "is gone" "$work/node" rm "$work/node"
[ ! -e "$work/node" ] || failed "a file was made where the disk's node had been"
mknod "$work/node" b $(stat -c '0x%t 0x%T' "$stick")
becomes_a_file() { rm "$work/node" && echo mine > "$work/node"; }
refuses_after "no longer what it was" "$work/node" becomes_a_file
[ "$(< "$work/node")" = mine ] || failed "a file under the disk's name was written to"
# Somebody else writes it, such as another flash-usb.
lock_it() { exec {lock}< "$stick" && flock --nonblock "$lock"; }
refuses_after "is locked by another program" "$stick" lock_it
exec {lock}<&-
sync "$work/stick.img"
expect_unchanged

# A serial number of control characters steers no terminal. It is laid over what the kernel says of the disk.
mkdir -p "$work/sysfs/device"
printf 'S\033[2J\2331\n' > "$work/sysfs/device/serial"
# shellcheck disable=SC2016
unshare --mount bash -c 'mount -t overlay overlay -o "lowerdir=$1:$2" "$2" || exit 77; exec "$3" --loop-for-tests "$4"' - \
	"$work/sysfs" "/sys/devices/virtual/block/$(basename "$stick")" "$root/image/flash-usb" "$stick" \
	< /dev/null > "$work/said" 2>&1 && flashed=0 || flashed=$?
if [ $flashed -eq 77 ]; then
	echo "not tried: a serial number of control characters, as nothing can be laid over /sys here"
else
	grep -qF 'serial number S?[2J?1,' "$work/said" || failed "the serial number is not shown: $(cat -v "$work/said")"
	! grep -q '[[:cntrl:]]' "$work/said" || failed "a control character is shown: $(cat -v "$work/said")"
fi
expect_unchanged

# Unplugged while it asks, and something else is there under the same name.
truncate -s $size_bytes "$work/first.img" "$work/second.img"
loop port "$work/first.img"
plug_another() { losetup -d "$port" && losetup "$port" "$work/second.img"; }
refuses_after "no longer what it was" "$port" plug_another
for file in first second; do
	cmp -n $size_bytes "$work/$file.img" /dev/zero || failed "a disk that was changed for another was written to"
done

# Nobody can mount it, or else have it exclusively, while it is written.
mkdir "$work/bin"
cat > "$work/bin/dd" <<-END
	#!/bin/bash
	[[ " \$* " != *" conv=fsync "* ]] || ! wipefs --all --no-act "$stick" || echo had > "$work/had"
	exec $(command -v dd) "\$@"
END
chmod +x "$work/bin/dd"
workload=$root/workloads/server.mtree.zst
PATH=$work/bin:$PATH flash $size_bytes --loop-for-tests --workload "$workload" "$stick"
[ $flashed -eq 0 ] || failed "flashing ended with status $flashed"
[ ! -e "$work/had" ] || failed "somebody else could have the stick exclusively while it was written"
wipefs --all --no-act "$stick" > "$work/log" || failed "the stick is not let go of"
sync "$work/stick.img"
sfdisk --verify --quiet "$work/stick.img" || failed "the partition table is wrong"
sfdisk --dump "$work/stick.img" > "$work/table"
grep -q "size= *$(((size_bytes >> 9) - (31 << 11) - (1 << 11))),.*BLITRESULTS" "$work/table" || failed "BLITRESULTS does not fill the stick"
# The GPT at the end is a whole one: it does where the one at the beginning is lost.
cp --sparse=always "$work/stick.img" "$work/half.img"
dd if=/dev/zero of="$work/half.img" bs=512 seek=1 count=33 conv=notrunc status=none
grep -q BLITRESULTS <(sfdisk --dump "$work/half.img" 2> /dev/null) || failed "the copy of the GPT is not at the stick's end"
cmp -i 1M -n $((30 << 20)) "$work/stick.img" "$build/blitbench.img" || failed "the boot partition is not the image's"
read -r start length < <(partition_bytes "$work/stick.img" 2)
dd if="$work/stick.img" of="$work/results.fat" bs=1M iflag=skip_bytes,count_bytes skip="$start" count="$length" conv=sparse status=none
fsck.fat -n "$work/results.fat" || failed "BLITRESULTS is not a sound filesystem"
volume=$(stick_volume "$work/stick.img")
mcopy -i "$volume" ::workloads/server.mtree.zst - | cmp - "$workload" || failed "the workload is not on the stick"
mcopy -i "$volume" ::blitbench.conf - | cmp - "$build/blitbench.conf" || failed "blitbench.conf is not on the stick"
[ "$(digest "$work/neighbour.img")" = "$neighbour_before" ] || failed "another disk was written to"

# A stick that does not keep what it is given: a byte changes after the write.
cat > "$work/bin/dd" <<-END
	#!/bin/bash
	$(command -v dd) "\$@" || exit
	[[ " \$* " != *" conv=fsync "* ]] || printf x | $(command -v dd) of=$stick bs=1 seek=\$((20 << 20)) conv=notrunc,fsync status=none
END
chmod +x "$work/bin/dd"
PATH=$work/bin:$PATH flash $size_bytes --loop-for-tests "$stick"
if [ $flashed -ne 1 ] || ! grep -q "does not hold what was written" "$work/said"; then failed "a byte that changed was not noticed"; fi

# Stopped while it writes: it says what that has left, and lets go.
cat > "$work/bin/dd" <<-END
	#!/bin/bash
	[[ " \$* " != *" conv=fsync "* ]] || kill -INT \$PPID
	exec $(command -v dd) "\$@"
END
PATH=$work/bin:$PATH flash $size_bytes --loop-for-tests "$stick"
[ $flashed -eq 130 ] || failed "flashing that was stopped ended with status $flashed"
grep -q "neither the old nor the new" "$work/said" || failed "it is not told what a stopped flashing leaves"
wipefs --all --no-act "$stick" > "$work/log" || failed "the stick is not let go of by a flashing that was stopped"

# Signed with the user's own key.
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=test -keyout "$work/key.pem" -out "$work/cert.pem" 2> "$work/log" ||
	failed "openssl makes no key: $(cat "$work/log")"
SIGN_KEY=$work/key.pem flash $size_bytes --loop-for-tests "$stick"
if [ $flashed -ne 1 ] || ! grep -q "needs both" "$work/said"; then failed "a key without a certificate was taken"; fi
SIGN_KEY=$work/key.pem SIGN_CERT=$work/cert.pem flash $size_bytes --loop-for-tests "$stick"
[ $flashed -eq 0 ] || failed "flashing a signed image ended with status $flashed"
sync "$work/stick.img"
mcopy -i "$work/stick.img@@1M" ::EFI/BOOT/BOOTX64.EFI "$work/signed.efi"
sbverify --cert "$work/cert.pem" "$work/signed.efi" || failed "what is on the stick is not signed"
! sbverify --cert "$work/cert.pem" "$build/blitbench.efi" 2> /dev/null || failed "the built image was signed in place"
passed
