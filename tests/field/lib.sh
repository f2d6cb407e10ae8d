# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A machine of the field: a test sources this and says in one line what the machine is. The same short run is made on each.
# shellcheck source=tests/system/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../system/lib.sh"

short_keys=(workload=tiny.mtree delta=none "filesystems=ext4 f2fs" caches=hot operations=remove trials=1 content=capped:4096)

# machine ARGUMENT...: boots it with a stick, a target, and two disks of somebody's.
machine() {
	canary plain
	canary deceptive-mbr
	target_disk "$work/target.img"
	short_stick "$work/short.img"
	boot --memory 1G --limit 280 --stick "$work/short.img" --disk "$work/target.img" "${short_keys[@]}" "$@"
}

# expect_measured [TRANSPORT]: all of it was done, and nothing of it is in doubt.
expect_measured() {
	expect_unchanged
	expect_status 0
	expect_report .run.status complete
	expect_report '[.sessions[] | "\(.filesystem) \(.status) \(.fsck.status)"] | join(", ")' "ext4 complete clean, f2fs complete clean"
	expect_report '[.trials[] | .verified and ([.flags[] | select(.level == "invalid")] | length) == 0] | unique' '[true]'
	[ $# -eq 0 ] || expect_report .target.disk.transport "$1"
}

# network_boot WORD...: later direct boots fetch kernel and initramfs by iPXE instead, with these words on the command line, such as
# blitbench.rounds=2. Values that hold blanks are quoted as the kernel wants it.
network_boot() {
	local word words=()
	mkdir -p "$work/tftp"
	cp "$build/vmlinuz" "$build/initramfs.cpio.zst" "$work/tftp"
	for word; do
		[[ $word != *" "* ]] || word="${word%%=*}=\"${word#*=}\""
		words+=("$word")
	done
	printf '#!ipxe\nkernel vmlinuz initrd=initramfs.cpio.zst %s %s\ninitrd initramfs.cpio.zst\nboot\n' "$(tr -d '\n' < "$root/image/cmdline")" \
		"${words[*]}" > "$work/tftp/boot.ipxe"
	# shellcheck disable=SC2016
	altered_qemu 'kept=()
		for ((i = 0; i < ${#arguments[@]}; i++)); do
			case ${arguments[i]} in
			-kernel | -initrd | -append) i=$((i + 1)) ;;
			*) kept+=("${arguments[i]}") ;;
			esac
		done
		arguments=("${kept[@]}" -netdev "user,id=net,tftp='"$work"'/tftp,bootfile=boot.ipxe" -device virtio-net-pci,netdev=net -boot n)'
}
