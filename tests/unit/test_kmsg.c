/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's messages: lines as Linux 6.12 and its drivers print them, and how they are read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "measure/kmsg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct line {
	unsigned level;
	enum kmsg_class class;
	const char *text;
} lines[] = {
	/* requests that failed */
	{ 3, KMSG_ERROR,
	  "I/O error, dev sda, sector 2097152 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0" },
	{ 3, KMSG_ERROR,
	  "critical medium error, dev sdb, sector 7814037 op 0x0:(READ) flags 0x0 phys_seg 8 prio class 2" },
	{ 3, KMSG_ERROR,
	  "critical target error, dev nvme0n1, sector 0 op 0x1:(WRITE) flags 0x8800 phys_seg 1 prio class 0" },
	{ 3, KMSG_NOTE,
	  "operation not supported error, dev sda, sector 0 op 0x3:(DISCARD) flags 0x800 phys_seg 1 prio class 2" },
	{ 3, KMSG_ERROR, "Buffer I/O error on dev sda1, logical block 262144, async page read" },
	{ 3, KMSG_ERROR, "Buffer I/O error on dev dm-0, logical block 0, lost sync page write" },
	/* SATA */
	{ 3, KMSG_ERROR, "ata1.00: exception Emask 0x0 SAct 0x7fffffff SErr 0x0 action 0x6 frozen" },
	{ 3, KMSG_ERROR, "ata12.00: failed command: WRITE FPDMA QUEUED" },
	{ 6, KMSG_ERROR, "ata1: hard resetting link" },
	{ 4, KMSG_ERROR, "ata3.00: NCQ disabled due to excessive errors" },
	{ 4, KMSG_ERROR, "ata3: limiting SATA link speed to 3.0 Gbps" },
	{ 6, KMSG_NOTHING, "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)" },
	{ 6, KMSG_NOTHING, "ata1.00: configured for UDMA/133" },
	{ 6, KMSG_ERROR,
	  "sd 0:0:0:0: [sda] tag#17 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=0s" },
	{ 6, KMSG_ERROR, "sd 2:0:0:0: [sdb] tag#3 Sense Key : Medium Error [current] " },
	{ 3, KMSG_ERROR, "sd 2:0:0:0: rejecting I/O to offline device" },
	{ 6, KMSG_ERROR, "sd 2:0:0:0: Device offlined - not ready after error recovery" },
	{ 5, KMSG_NOTHING, "sd 0:0:0:0: [sda] Attached SCSI disk" },
	/* NVMe */
	{ 4, KMSG_ERROR, "nvme nvme0: I/O tag 333 (114d) opcode 0x2 (Read) QID 1 timeout, aborting req_op:READ(0) size:4096" },
	{ 4, KMSG_ERROR, "nvme nvme0: I/O 978 QID 3 timeout, completion polled" },
	{ 4, KMSG_ERROR, "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10" },
	{ 6, KMSG_ERROR, "nvme nvme1: Abort status: 0x0" },
	{ 3, KMSG_ERROR,
	  "nvme0n1: I/O Cmd(0x2) @ LBA 2097152, 8 blocks, I/O Error (sct 0x2 / sc 0x81) DNR " },
	{ 6, KMSG_NOTHING, "nvme nvme0: 8/0/0 default/read/poll queues" },
	{ 6, KMSG_NOTE, "usb 2-1: reset SuperSpeed USB device number 2 using xhci_hcd" },
	/* filesystems */
	{ 2, KMSG_ERROR,
	  "EXT4-fs error (device sda1): ext4_find_entry:1639: inode #2: comm blitbench: reading directory lblock 0" },
	{ 2, KMSG_ERROR, "EXT4-fs (sda1): Remounting filesystem read-only" },
	{ 3, KMSG_ERROR, "EXT4-fs (sda1): I/O error while writing superblock" },
	{ 4, KMSG_ERROR,
	  "EXT4-fs warning (device sda1): ext4_end_bio:343: I/O error 10 writing to inode 12 starting block 1)" },
	{ 4, KMSG_NOTE, "EXT4-fs warning (device sda1): ext4_dx_add_entry:2585: Directory index full!" },
	{ 6, KMSG_NOTHING,
	  "EXT4-fs (sda1): mounted filesystem 0f0e r/w with ordered data mode. Quota mode: none." },
	{ 3, KMSG_ERROR, "Aborting journal on device sda1-8." },
	{ 3, KMSG_ERROR, "JBD2: Error -5 detected when updating journal superblock for sda1-8." },
	{ 4, KMSG_NOTE, "XFS (sda1): EXPERIMENTAL parent pointer feature enabled. Use at your own risk!" },
	{ 4, KMSG_NOTE, "XFS (sda1): EXPERIMENTAL exchange range feature enabled. Use at your own risk!" },
	{ 5, KMSG_NOTHING, "XFS (sda1): Mounting V5 Filesystem 3e7de15a-300a-41f2-8745-5be808cc3f7b" },
	{ 1, KMSG_ERROR,
	  "XFS (sda1): metadata I/O error in \"xfs_trans_read_buf_map+0x1c0/0x300\" at daddr 0x28 len 8 error 5" },
	{ 1, KMSG_ERROR, "XFS (sda1): log I/O error -5" },
	{ 1, KMSG_ERROR,
	  "XFS (sda1): Metadata corruption detected at xfs_agi_verify+0x100/0x180, xfs_agi block 0x2 " },
	{ 1, KMSG_ERROR,
	  "XFS (sda1): Corruption of in-memory data (0x8) detected at xfs_defer_finish_noroll (fs/xfs/x.c:1)." },
	{ 1, KMSG_ERROR, "XFS (sda1): Filesystem has been shut down due to log error (0x2)." },
	{ 3, KMSG_ERROR, "F2FS-fs (sda1): inconsistent node block, nid:4, node_footer[nid:0,ino:0]" },
	{ 5, KMSG_NOTHING, "F2FS-fs (sda1): Mounted with checkpoint version = 3f2a" },
	{ 4, KMSG_NOTE, "F2FS-fs (sda1): Found some file in the recovery list" },
	{ 3, KMSG_ERROR, "BTRFS error (device sda1): bdev /dev/sda1 errs: wr 1, rd 0, flush 0, corrupt 0, gen 0" },
	{ 2, KMSG_ERROR, "BTRFS: error (device sda1 state A) in btrfs_commit_transaction:2523: errno=-5 IO failure" },
	{ 6, KMSG_NOTHING, "BTRFS info (device sda1): using crc32c (crc32c-intel) checksum algorithm" },
	/* who hangs */
	{ 0, KMSG_ERROR, "watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [kworker/1:2:311]" },
	{ 0, KMSG_ERROR, "watchdog: CPU28: Watchdog detected hard LOCKUP on cpu 28" },
	{ 0, KMSG_ERROR, "watchdog: Watchdog detected hard LOCKUP on cpu 3" },
	{ 3, KMSG_ERROR, "INFO: task blitbench:1 blocked for more than 120 seconds." },
	{ 3, KMSG_ERROR, "rcu: INFO: rcu_preempt self-detected stall on CPU" },
	{ 3, KMSG_ERROR, "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:" },
	{ 3, KMSG_ERROR,
	  "rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-...D } 21 jiffies s: 89 root: 0x2/." },
	{ 3, KMSG_ERROR,
	  "rcu: rcu_preempt kthread starved for 2500 jiffies! g1 f0x0 RCU_GP_WAIT_FQS(5) ->state=0x0 ->cpu=0" },
	{ 0, KMSG_ERROR, "BUG: workqueue lockup - pool cpus=1 node=0 flags=0x0 nice=0 stuck for 31s!" },
	{ 6, KMSG_NOTHING, "rcu: Hierarchical SRCU implementation." },
	/* what is broken */
	{ 1, KMSG_ERROR, "BUG: kernel NULL pointer dereference, address: 0000000000000008" },
	{ 1, KMSG_ERROR, "BUG: unable to handle page fault for address: ffffc90000a3c000" },
	{ 3, KMSG_ERROR, "BUG: scheduling while atomic: blitbench/1/0x00000002" },
	{ 1, KMSG_ERROR, "BUG: Bad page state in process blitbench  pfn:12345" },
	{ 2, KMSG_ERROR, "kernel BUG at fs/f2fs/segment.c:2718!" },
	{ 4, KMSG_ERROR, "Oops: Oops: 0002 [#1] PREEMPT SMP NOPTI" },
	{ 4, KMSG_ERROR,
	  "Oops: general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1]" },
	{ 0, KMSG_ERROR, "Kernel panic - not syncing: Fatal exception" },
	/* worth a look, no more */
	{ 4, KMSG_NOTE,
	  "WARNING: CPU: 0 PID: 1 at fs/ext4/inode.c:1234 ext4_da_update_reserve_space+0x11/0x20" },
	{ 0, KMSG_NOTE, "mce: [Hardware Error]: Machine check events logged" },
	{ 4, KMSG_NOTE,
	  "clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew is too large:" },
	{ 3, KMSG_NOTE, "Out of memory: Killed process 77 (mkfs.xfs) total-vm:8kB, anon-rss:0kB" },
	{ 4, KMSG_NOTE,
	  "FAT-fs (sdb2): Volume was not properly unmounted. Some data may be corrupt. Please run fsck." },
	{ 6, KMSG_NOTHING, "blitbench (1): drop_caches: 3" },
	{ 6, KMSG_NOTHING, "" },
};

static void each_line_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(lines); i++) {
		enum kmsg_class class = kmsg_judge(lines[i].level, lines[i].text, NULL);

		if (class != lines[i].class)
			fail_msg("class %d, not %d: %s", class, lines[i].class, lines[i].text);
	}
}

/* On a machine in use other disks may fail, and other filesystems; a lockup is everybody's. */
static void errors_of_others_are_notes(void **state)
{
	static const struct kmsg_devices ours = { { "sda1", "sda" } }, none = { { "", "" } };
	static const struct {
		const char *text;
		enum kmsg_class class, without;
	} cases[] = {
		{ "I/O error, dev sda, sector 8 op 0x0:(READ)", KMSG_ERROR, KMSG_NOTE },
		{ "I/O error, dev sdb, sector 8 op 0x0:(READ)", KMSG_NOTE, KMSG_NOTE },
		{ "I/O error, dev sdaa, sector 8 op 0x0:(READ)", KMSG_NOTE, KMSG_NOTE },
		{ "EXT4-fs error (device sda1): ext4_find_entry:1639: x", KMSG_ERROR, KMSG_NOTE },
		{ "EXT4-fs error (device sda12): ext4_find_entry:1639: x", KMSG_NOTE, KMSG_NOTE },
		{ "EXT4-fs error (device loop3): ext4_find_entry:1639: x", KMSG_NOTE, KMSG_NOTE },
		{ "Aborting journal on device sda1-8.", KMSG_ERROR, KMSG_NOTE },
		{ "sd 0:0:0:0: [sda] tag#1 Sense Key : Medium Error [current] ", KMSG_ERROR,
		  KMSG_NOTE },
		{ "sd 6:0:0:0: [sdb] tag#1 Sense Key : Medium Error [current] ", KMSG_NOTE,
		  KMSG_NOTE },
		{ "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen", KMSG_ERROR,
		  KMSG_ERROR },
		{ "rcu: INFO: rcu_preempt self-detected stall on CPU", KMSG_ERROR, KMSG_ERROR },
		{ "BUG: unable to handle page fault for address: sda", KMSG_ERROR, KMSG_ERROR },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		assert_int_equal(kmsg_judge(3, cases[i].text, &ours), cases[i].class);
		assert_int_equal(kmsg_judge(3, cases[i].text, &none), cases[i].without);
	}
}

static void records_are_taken_apart(void **state)
{
	static const struct {
		const char *record, *text;
		enum kmsg_class class;
	} records[] = {
		{ "3,1234,98765,-;I/O error, dev sda, sector 8 op\n SUBSYSTEM=block\n DEVICE=b8:0\n",
		  "I/O error, dev sda, sector 8 op", KMSG_ERROR },
		{ "4,339,5140900,-,caller=T1;WARNING: CPU: 0; really\n", "WARNING: CPU: 0; really",
		  KMSG_NOTE },
		{ "6,1,0,-;fine", "fine", KMSG_NOTHING },
		/* a program's line is none of the kernel's, whatever it says */
		{ "11,5,0,-;BUG: not me\n", "", KMSG_NOTHING },
		{ "28,5,0,-;systemd[1]: I/O error, dev sda, sector 1\n", "", KMSG_NOTHING },
		{ "", "", KMSG_NOTHING },
		{ ";", "", KMSG_NOTHING },
		{ "x,1,1,-;BUG: x", "", KMSG_NOTHING },
		{ "3;BUG: no fields\n", "", KMSG_NOTHING },
		{ "3,1,1,-", "", KMSG_NOTHING },
		{ "99999999999999999999999,1,1,-;BUG: x", "", KMSG_NOTHING },
	};
	char text[KMSG_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(records); i++) {
		size_t length = strlen(records[i].record);
		/* Not one byte more than there is. */
		_cleanup_free_ char *exact = malloc(length + !length);

		memcpy(exact, records[i].record, length);
		assert_int_equal(kmsg_parse(exact, length, NULL, text, sizeof(text)), records[i].class);
		assert_string_equal(text, records[i].text);
	}
	char small[8];
	assert_int_equal(kmsg_parse("1,1,1,-;BUG: cut here", 21, NULL, small, sizeof(small)),
			 KMSG_ERROR);
	assert_string_equal(small, "BUG: cu");
}

/* --- reading: a kernel that says what the test wants, one record a read --- */

static struct {
	const char *record; /* NULL = none */
	int error;
} script[128];
static unsigned script_length, script_at;

static ssize_t read_script(int fd, void *buffer, size_t size)
{
	assert_int_equal(fd, 77);
	if (script_at == script_length) {
		errno = EAGAIN;
		return -1;
	}
	const char *record = script[script_at].record;
	errno = script[script_at++].error;
	if (!record)
		return -1;
	assert_true(strlen(record) <= size);
	memcpy(buffer, record, strlen(record));
	return (ssize_t)strlen(record);
}

static void say(const char *record, int error)
{
	script[script_length].record = record;
	script[script_length++].error = error;
}

static struct kmsg_lines read_all(void)
{
	const struct kmsg kmsg = { .fd = 77, .read = read_script };
	struct kmsg_lines found = { .count = 0 };

	kmsg_read(&kmsg, &found);
	return found;
}

static int start_script(void **state)
{
	(void)state;
	script_length = script_at = 0;
	return 0;
}

static void what_was_overwritten_is_told_and_reading_goes_on(void **state)
{
	(void)state;
	say("6,1,1,-;fine\n", 0);
	say(NULL, EPIPE);
	say(NULL, EINTR);
	say(NULL, EINVAL); /* a record larger than the buffer */
	say("1,90,1,-;BUG: unable to handle page fault for address: 0\n", 0);
	struct kmsg_lines found = read_all();
	assert_true(found.overwritten);
	assert_int_equal(found.errors, 1);
	assert_int_equal(found.count, 1);
	assert_string_equal(found.lines[0].text, "BUG: unable to handle page fault for address: 0");
	assert_int_equal(script_at, script_length);

	found = read_all();
	assert_false(found.overwritten);
	assert_int_equal(found.count, 0);
}

static void any_other_error_ends_it(void **state)
{
	(void)state;
	say(NULL, EBADF);
	say("1,90,1,-;BUG: x\n", 0);
	assert_int_equal(read_all().errors, 0);
	assert_int_equal(script_at, 1);
}

static void an_error_is_not_drowned_by_notes(void **state)
{
	(void)state;
	for (int i = 0; i < 40; i++)
		say("4,1,1,-;WARNING: CPU: 0 PID: 1 at a.c:1 f+0x1/0x2\n", 0);
	say("2,1,1,-;kernel BUG at mm/slub.c:1!\n", 0);
	for (int i = 0; i < 40; i++)
		say("3,1,1,-;rcu: INFO: rcu_preempt self-detected stall on CPU\n", 0);
	struct kmsg_lines found = read_all();
	assert_int_equal(found.notes, 40);
	assert_int_equal(found.errors, 41);
	assert_int_equal(found.count, KMSG_LINES_MAX);
	/* One after the other pushed a note out; the order stayed. */
	assert_string_equal(found.lines[0].text, "kernel BUG at mm/slub.c:1!");
	for (unsigned i = 0; i < found.count; i++)
		assert_int_equal(found.lines[i].class, KMSG_ERROR);
}

static void a_kernel_that_never_stops_does_not_hold_us_up(void **state)
{
	/* Of a device that always has bytes: no record of it is one. */
	struct kmsg kmsg;
	struct kmsg_lines found = { .count = 0 };

	(void)state;
	assert_int_equal(kmsg_open(&kmsg, "/dev/zero"), 0);
	kmsg_read(&kmsg, &found);
	assert_int_equal(found.count, 0);
	kmsg_close(&kmsg);
	assert_int_equal(kmsg.fd, -1);
}

static void what_cannot_be_read_is_quiet(void **state)
{
	struct kmsg kmsg;
	struct kmsg_lines found = { .count = 0 };

	(void)state;
	assert_int_equal(kmsg_open(&kmsg, "/nonexistent/kmsg"), -ENOENT);
	assert_int_equal(kmsg.fd, -1);
	kmsg_read(&kmsg, &found);
	kmsg_close(&kmsg);
	assert_int_equal(found.count, 0);
}

/* The kernel's own device, where this machine shows it: what was said before is not seen. */
static void the_real_one_starts_at_its_end(void **state)
{
	struct kmsg kmsg;
	struct kmsg_lines found = { .count = 0 };

	(void)state;
	if (kmsg_open(&kmsg, "/dev/kmsg"))
		skip();
	char first[64];
	ssize_t length = kmsg.read(kmsg.fd, first, sizeof(first));
	assert_true(length < 0);
	kmsg_read(&kmsg, &found);
	kmsg_close(&kmsg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_judged),
		cmocka_unit_test(errors_of_others_are_notes),
		cmocka_unit_test(records_are_taken_apart),
		cmocka_unit_test_setup(what_was_overwritten_is_told_and_reading_goes_on,
				       start_script),
		cmocka_unit_test_setup(any_other_error_ends_it, start_script),
		cmocka_unit_test_setup(an_error_is_not_drowned_by_notes, start_script),
		cmocka_unit_test(a_kernel_that_never_stops_does_not_hold_us_up),
		cmocka_unit_test(what_cannot_be_read_is_quiet),
		cmocka_unit_test(the_real_one_starts_at_its_end),
	};
	return cmocka_run_group_tests_name("kmsg", tests, NULL, NULL);
}
