# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # the variables that qemu/run set from its options
# The virtual machine of qemu/run: QEMU's arguments, gathered by add_*, and the running of it. Sourced by qemu/run.

# make_target_disk FILE: new, even if there was one.
make_target_disk() {
	rm -f "$1"
	truncate -s "$disk_size" "$1"
	sfdisk --quiet --no-tell-kernel "$1" <<< 'label: gpt
		start=1MiB, name=blitbench-target, type=linux' || die "the target disk could not be made in $work"
}

arguments=()
aio= # how QEMU reads and writes the disks' files

# With io_uring a read that the page cache can answer ends without a second thread: an eighth less time for a cold blit
# under TCG. Not every host allows it, and only opening a file with it tells.
disk_aio() {
	"$qemu" -machine none -nodefaults -display none -monitor stdio -blockdev \
		"driver=file,node-name=probe,read-only=on,aio=io_uring,filename=${BASH_SOURCE[0]//,/,,}" <<< quit > /dev/null 2>&1 &&
		echo io_uring || echo threads
}

# add_disk NAME FILE MODEL SERIAL PORT [CONTROLLER]: ahci, on that port of it, or one of its own: nvme, virtio, uas.
add_disk() {
	# QEMU wants a comma in a file's name doubled.
	aio=${aio:-$(disk_aio)}
	arguments+=(-blockdev "driver=raw,node-name=$1,discard=unmap,file.driver=file,file.aio=$aio,file.filename=${2//,/,,}")
	case ${6:-ahci} in
	ahci) arguments+=(-device "ide-hd,drive=$1,bus=ide.$5,model=$3,serial=$4,rotation_rate=1,write-cache=on") ;;
	nvme) arguments+=(-device "nvme,drive=$1,serial=$4") ;;
	virtio) arguments+=(-device "virtio-blk-pci,drive=$1,serial=$4,write-cache=on") ;;
	uas)
		arguments+=(-device "qemu-xhci,id=$1-usb" -device "usb-uas,id=$1-uas,bus=$1-usb.0,serial=$4"
			-device "scsi-hd,drive=$1,bus=$1-uas.0,product=$3,serial=$4,rotation_rate=1,write-cache=on")
		;;
	esac
}

add_machine() {
	local model=host
	[ "$accel" = kvm ] || model=qemu64 # emulating the guards of newer ones doubles the time of a system call
	arguments+=(-machine "q35" -cpu "${cpu_model:-$model}" -smp "$cpus" -m "$(guest_memory)"
		-nodefaults -display none -no-reboot -chardev "file,id=console,path=${console//,/,,}" -serial chardev:console)
	if [ "$accel" = kvm ]; then
		arguments+=(-accel kvm)
	else
		arguments+=(-accel "tcg,thread=multi")
	fi
}

# The stick's copy, with the keys.
fill_stick() {
	cp --sparse=always --reflink=auto "$stick" "$work/stick.img"
	chmod u+w "$work/stick.img"
	if [ ${#keys[@]} -gt 0 ]; then
		stick_set_keys "$work/stick.img" "${keys[@]}" || die "the keys could not be written to BLITRESULTS of $stick's copy"
	fi
}

add_stick() {
	local boot=
	[ -n "$kernel" ] || boot=,bootindex=0 # QEMU gives 0 to a kernel that it loads itself
	fill_stick
	stick_runs "$work/stick.img" "$work/before"
	arguments+=(-blockdev "driver=raw,node-name=stick,file.driver=file,file.filename=${work//,/,,}/stick.img"
		-device "$stick_controller,id=stick-usb" -device "usb-storage,drive=stick,bus=stick-usb.0,removable=on$boot")
}

add_boot() {
	# QEMU's own firmware is a legacy BIOS.
	[ $bios = no ] || return 0
	if [ -z "$kernel" ]; then
		cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/vars.fd"
		arguments+=(-drive "if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd"
			-drive "if=pflash,unit=1,format=raw,file=${work//,/,,}/vars.fd")
		return
	fi
	# With -no-reboot a panic that reboots at once ends QEMU.
	arguments+=(-kernel "$kernel" -initrd "$build/initramfs.cpio.zst"
		-append "$(tr -d '\n' < "$root/image/cmdline") panic=-1${append:+ $append}")
}

# Carriage returns and the escape sequences with which firmware clears the screen are no part of the text.
plain_text() {
	sed -u -E -e 's/\r//g' -e 's/\x1b[[(][0-9;?=]*[A-Za-z]//g' -e 's/\x1b//g'
}

# Leaves out what firmware and kernel say; the rest comes from the program.
show_progress() {
	if [ $show_console = yes ]; then
		cat
	else
		plain_text | sed -u -E -e '/^\[ *[0-9]+\.[0-9]+\]/d' -e '/^(BdsDxe|EFI stub|SeaBIOS|Booting from|blit:[0-9a-f]{6}:)/d' \
			-e '/^[[:space:]]*$/d'
	fi
}

outcome=ended
interrupted() {
	outcome=interrupted
}

# Runs QEMU until it ends by itself or has to be stopped; sets outcome to ended, panic, hang, crash or interrupted.
run_guest() {
	local qemu_pid follow_pid deadline ending status=0
	: > "$console"
	trap interrupted INT TERM HUP
	# The pipe ends when QEMU does, so that waiting for a second on it is over at once then.
	exec {ending}< <(exec "$qemu" "${arguments[@]}" < /dev/null 2> "$work/qemu.log")
	qemu_pid=$!
	(trap '' INT; tail -s 0.1 -n +1 -f --pid=$qemu_pid "$console" 2> /dev/null | show_progress) &
	follow_pid=$!
	deadline=$((SECONDS + limit_seconds))
	while [ $outcome = ended ] && kill -0 $qemu_pid 2> /dev/null; do
		if grep -q 'Kernel panic - not syncing' "$console"; then
			outcome=panic
			read -r -t 2 -u "$ending" _ || true # for the rest of its message
		elif [ $SECONDS -ge $deadline ]; then
			outcome=hang
		else
			read -r -t 1 -u "$ending" _ || true
		fi
	done
	if kill "$qemu_pid" 2> /dev/null; then
		for _ in 1 2 3 4 5; do
			kill -0 $qemu_pid 2> /dev/null || break
			sleep 1 || true
		done
		kill -KILL $qemu_pid 2> /dev/null || true
	fi
	exec {ending}<&-
	wait $qemu_pid || status=$?
	wait $follow_pid || true
	trap - INT TERM HUP
	if [ $outcome = ended ] && grep -q 'Kernel panic - not syncing' "$console"; then
		outcome=panic
	fi
	if [ $status -ne 0 ] && [ $outcome = ended ]; then
		outcome=crash
		crash="QEMU itself ended with status $status: $(tail -n 1 "$work/qemu.log")"
		[ -s "$console" ] || die "$crash"
	fi
}

# The kernel replaces its own instructions while all processors run. QEMU's emulation by threads now and then goes on with what
# stood there meanwhile, which ends in an exception in the kernel: mostly in sched_clock_cpu, before the program begins, and more
# often the busier the host is. Then nothing was done yet; and later whatever the boot did can be undone, if the disk is our own.
boots=1
may_boot_again() {
	local most=4
	[ $outcome = panic ] && [ "$accel" = tcg ] && grep -q 'not syncing: Fatal exception' "$console" || return 1
	if grep -q '^blitbench ' <(plain_text < "$console"); then
		[ $with_disk = yes ] && [ $own_disk = yes ] || return 1
		most=2
	fi
	[ $boots -lt $most ]
}

# As if there had been no boot before; its console is kept.
boot_again() {
	echo "note: the guest's kernel panicked under QEMU's emulation, which happens without a fault of its own: booting once more" \
		"($(grep -m 1 -o 'RIP: 0010:[^ ]*' "$console" || echo "no address told"))" >&2
	cat "$console" >> "$work/console-first.log"
	outcome=ended
	boots=$((boots + 1))
	[ -z "$stick" ] || fill_stick
	[ $own_disk = no ] || make_target_disk "$disk"
	run_guest
}
