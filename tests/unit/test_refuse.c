/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of the target: every rule by itself, in pairs, and what it says. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_refuse_machine.h"

#include "fs/filesystem.h"
#include "lib/cleanup.h"

static struct machine machine;
static struct refusal refusal;

static int make_machine(void **state)
{
	(void)state;
	machine_make(&machine);
	return 0;
}

static void chosen(int index)
{
	int result = target_choose(&machine.list, &machine.wish, &refusal);

	if (result < 0)
		print_error("%s: %s\n", refusal.rule, refusal.reason);
	assert_int_equal(result, index);
}

static void refused(const char *rule, const char *words)
{
	memset(&refusal, 0, sizeof(refusal));
	assert_int_equal(target_choose(&machine.list, &machine.wish, &refusal), -1);
	assert_string_equal(refusal.rule, rule);
	assert_true(refusal.remedy[0]);
	if (!strstr(refusal.reason, words))
		print_error("'%s' does not say '%s'\n", refusal.reason, words);
	assert_non_null(strstr(refusal.reason, words));
}

static void set(char *field, const char *text)
{
	strcpy(field, text);
}

static void a_perfect_target_is_chosen(void **state)
{
	(void)state;
	chosen(TARGET);
	machine.wish.partlabel = "";
	machine.wish.partuuid = "00000002-0000-4000-8000-00000000ABCD"; /* case does not count */
	chosen(TARGET);
	machine.wish.partlabel = "blitbench-target";
	machine.wish.model = "Fast SSD";
	machine.wish.serial = "F1";
	chosen(TARGET);
	machine.wish.model = machine.wish.serial = "";
	machine.wish.results = 0; /* no results volume */
	chosen(TARGET);
}

static void nothing_wished_is_nothing_chosen(void **state)
{
	(void)state;
	machine.wish.partlabel = "";
	refused("no-match", "no target was named");
	machine.wish.partlabel = NULL;
	refused("no-match", "no target was named");
	/* nor do partitions without label or PARTUUID match a wish for none */
	set(machine.devices[TARGET].partlabel, "");
	machine.wish.partuuid = "";
	refused("no-match", "no target was named");
}

static void no_match_lists_what_was_seen(void **state)
{
	(void)state;
	machine.wish.partlabel = "elsewhere";
	refused("no-match", "no partition has the GPT partition label 'elsewhere'. Seen: Fast SSD "
			    "(serial F1), 68.7 GB, sata, sda1 'root', sda2 'blitbench-target'; "
			    "Stick (serial U1)");
	machine.list.count = 0;
	refused("no-match", "No disk was seen at all");
}

static void near_misses_are_named(void **state)
{
	(void)state;
	set(machine.devices[TARGET].partlabel, "Blitbench-Target");
	refused("no-match", "named otherwise: label 'Blitbench-Target'");
	set(machine.devices[TARGET].partlabel, " blitbench-target  ");
	refused("no-match", "named otherwise: label ' blitbench-target  '");
	set(machine.devices[TARGET].partlabel, "data");
	set(machine.devices[TARGET].signature_label, "blitbench-target");
	refused("no-match", "label of its filesystem, not of the partition");
	machine_make(&machine);
	set(machine.devices[DISK].table_type, "dos");
	refused("no-match", "not on a disk with a readable GPT");
	machine_make(&machine);
	machine.devices[TARGET].disk = -1;
	refused("no-match", "not on a disk with a readable GPT");
	machine_make(&machine);
	machine.devices[TARGET].table_differs = true;
	refused("no-match", "differs from the table on its disk");
	machine_make(&machine);
	machine.devices[TARGET].overlaps = true;
	refused("no-match", "shares bytes with another partition of its disk");
	machine_make(&machine);
	machine.devices[TARGET].is_partition = false; /* all that the kernel shows of that disk */
	machine.devices[SYSTEM].is_partition = false;
	refused("no-match", "GPT that is empty, damaged or of a larger disk");
	set(machine.devices[DISK].table_type, "PMBR");
	refused("no-match", "GPT that is empty, damaged or of a larger disk");
	machine_make(&machine);
	machine.wish.serial = "F2";
	refused("no-match", "not on the disk asked for (model 'any', serial 'F2')");
	machine.wish.serial = "";
	machine.wish.model = "Fast";
	refused("no-match", "not on the disk asked for (model 'Fast', serial 'any')");
	machine_make(&machine);
	machine.wish.partuuid = "00000001-0000-4000-8000-00000000abcd"; /* the other one's */
	refused("no-match", "sda2 'blitbench-target'");
}

static void a_whole_disk_is_never_a_target(void **state)
{
	(void)state;
	set(machine.devices[TARGET].partlabel, "data");
	set(machine.devices[DISK].signature_type, "ext4");
	set(machine.devices[DISK].signature_label, "blitbench-target");
	machine.wish.overwrite = machine.wish.same_disk = true;
	refused("whole-disk", "on a whole disk: Fast SSD (serial F1)");
	/* but one that only looks like it does not stand in the way of the true one */
	machine_make(&machine);
	set(machine.devices[STICK].signature_type, "ext4");
	set(machine.devices[STICK].signature_label, "blitbench-target");
	chosen(TARGET);
	/* nor is a disk that carries the names of a partition */
	machine_make(&machine);
	set(machine.devices[DISK].partlabel, "blitbench-target");
	set(machine.devices[TARGET].partlabel, "data");
	refused("no-match", "");
}

static void two_are_too_many(void **state)
{
	(void)state;
	set(machine.devices[SYSTEM].partlabel, "blitbench-target");
	refused("two-matches",
		"2 partitions have the GPT partition label 'blitbench-target': sda1");
	assert_non_null(strstr(refusal.reason, "sda2"));
	machine.wish.partuuid = machine.devices[TARGET].partuuid;
	chosen(TARGET);
	/* a copied disk has the same PARTUUIDs */
	set(machine.devices[SYSTEM].partuuid, machine.devices[TARGET].partuuid);
	refused("two-matches", "PARTUUID");
	/* two disks are told apart by their serial numbers */
	machine_make(&machine);
	machine_disk(&machine, "sdc", 32, "Fast SSD", "F2");
	machine_partition(&machine, SPARE, 1, "blitbench-target", "", "");
	refused("two-matches", "serial F2");
	machine.wish.serial = "F1";
	chosen(TARGET);
}

static void the_results_disk_is_spared(void **state)
{
	(void)state;
	machine.devices[TARGET].disk = STICK;
	refused("results-disk", "on the disk that holds the image or the results");
	machine.wish.same_disk = true;
	chosen(TARGET);
	machine.wish.same_disk = false;
	/* the image's own disk counts, also where the results are elsewhere or nowhere */
	machine.wish.results = 0;
	refused("results-disk", "image");
	/* results that are on no disk in the list could be anywhere */
	machine_make(&machine);
	machine.wish.results = makedev(99, 1);
	refused("results-disk", "");
}

static void the_results_themselves_are_never_a_target(void **state)
{
	(void)state;
	machine.wish.same_disk = machine.wish.overwrite = true;
	machine.wish.partlabel = "";
	machine.wish.partuuid = machine.devices[RESULTS].partuuid;
	refused("results-disk", "holds the image or the results itself");
	machine.wish.partuuid = machine.devices[BOOT].partuuid;
	refused("results-disk", "holds the image or the results itself");
	/* whatever they are called */
	set(machine.devices[RESULTS].partlabel, "plain");
	machine.wish.partuuid = machine.devices[RESULTS].partuuid;
	refused("results-disk", "itself");
	/* and another stick's results are somebody's too */
	set(machine.devices[RESULTS].partlabel, "BLITRESULTS");
	machine.wish.results = 0;
	refused("results-disk", "itself");
}

static void what_is_in_use_is_refused(void **state)
{
	struct block_device *target = &machine.devices[TARGET];

	(void)state;
	machine.wish.overwrite = machine.wish.same_disk = true;
	target->mounted = true;
	refused("in-use", "is mounted");
	target->mounted = false;
	target->swap = true;
	refused("in-use", "swap");
	target->swap = false;
	set(target->holders, "dm-0 md127");
	refused("in-use", "held by dm-0 md127");
	target->holders[0] = '\0';
	target->busy = true;
	refused("in-use", "another program");
	target->busy = false;
	machine.devices[DISK].mounted = true;
	refused("in-use", "is mounted");
	machine.devices[DISK].mounted = false;
	machine.devices[DISK].swap = true;
	refused("in-use", "swap");
	machine.devices[DISK].swap = false;
	/* a neighbour may be in use: its disk then has holders too */
	machine.devices[SYSTEM].mounted = true;
	set(machine.devices[DISK].holders, "dm-0");
	chosen(TARGET);
}

static void read_only_ones_are_refused(void **state)
{
	(void)state;
	machine.devices[TARGET].read_only = true;
	refused("read-only", "read-only");
	machine.devices[TARGET].read_only = false;
	machine.devices[DISK].read_only = true;
	refused("read-only", "read-only");
}

static void size_is_checked_to_the_byte(void **state)
{
	(void)state;
	machine.wish.bytes_needed = 16 * GIB;
	chosen(TARGET);
	machine.wish.bytes_needed = 16 * GIB + 1;
	refused("too-small",
		"has 16.0 GiB (17179869184 bytes), and the run needs 16.0 GiB (17179869185 bytes)");
	machine.wish.bytes_needed = 300 << 20;
	machine.devices[TARGET].size_bytes = 256 << 20;
	refused("too-small", "has 256.0 MiB (268435456 bytes), and the run needs 300.0 MiB");
	machine.wish.bytes_needed = 0;
	machine.devices[TARGET].size_bytes = 0;
	refused("too-small", "0.0 MiB");
}

static void only_ours_may_be_overwritten(void **state)
{
	static const char *const ours[] = { "ext4", "xfs", "f2fs", "btrfs" };
	static const char *const foreign[] = {
		"ext4",      "ext3",        "xfs",         "vfat",
		"ntfs",      "LVM2_member", "crypto_LUKS", "linux_raid_member",
		"swap",      "dos",         "zfs_member",  "ambivalent",
		"unreadable"
	};
	struct block_device *target = &machine.devices[TARGET];

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(ours); i++) {
		set(target->signature_type, ours[i]);
		set(target->signature_label, FILESYSTEM_LABEL);
		chosen(TARGET);
		set(target->signature_label, "blitbench2");
		refused("foreign-signature", "labelled 'blitbench2'");
		set(target->signature_label, "");
		refused("foreign-signature", "that is not of this program");
	}
	set(target->signature_label, "");
	for (size_t i = 0; i < ARRAY_LENGTH(foreign); i++) {
		set(target->signature_type, foreign[i]);
		refused("foreign-signature", "");
		machine.wish.overwrite = true;
		chosen(TARGET);
		machine.wish.overwrite = false;
	}
	set(target->signature_type, "swap");
	set(target->signature_label, FILESYSTEM_LABEL); /* the label alone is not enough */
	refused("foreign-signature", "'swap'");
}

static void an_unfinished_run_may_go_on(void **state)
{
	struct block_device *target = &machine.devices[TARGET];

	(void)state;
	set(target->signature_type, "ambivalent");
	machine.wish.unfinished_partuuid = "00000002-0000-4000-8000-00000000ABCD";
	chosen(TARGET);
	machine.wish.unfinished_partuuid = machine.devices[SYSTEM].partuuid;
	refused("foreign-signature", "disagree");
	machine.wish.unfinished_partuuid = "";
	target->partuuid[0] = '\0';
	refused("foreign-signature", "disagree");
	/* but no filesystem that its owner has put there since, labelled or not */
	machine_make(&machine);
	machine.wish.unfinished_partuuid = target->partuuid;
	set(target->signature_type, "xfs");
	refused("foreign-signature", "'xfs'");
	set(target->signature_label, "home");
	refused("foreign-signature", "labelled 'home'");
	set(target->signature_label, "");
	set(target->signature_type, "ntfs");
	refused("foreign-signature", "'ntfs'");
	/* what cannot be read is not what that run left */
	machine_make(&machine);
	set(target->signature_type, "unreadable");
	machine.wish.unfinished_partuuid = target->partuuid;
	refused("foreign-signature", "cannot be read");
}

static void a_disk_that_is_part_of_something_is_refused(void **state)
{
	(void)state;
	set(machine.devices[DISK].signature_type, "isw_raid_member");
	refused("foreign-signature", "part of a disk that is itself 'isw_raid_member'");
	set(machine.devices[DISK].signature_type, "unreadable");
	refused("foreign-signature", "on a disk whose beginning or end cannot be read");
	assert_non_null(strstr(refusal.remedy, "may be failing"));
	machine.wish.overwrite = true;
	chosen(TARGET);
}

/* Text of disks goes to consoles and reports. */
static void refusals_fit_and_do_no_harm(void **state)
{
	(void)state;
	for (int i = 0; i < MACHINE_DEVICES; i++) {
		memset(machine.devices[i].model, 'm', sizeof(machine.devices[i].model) - 1);
		memset(machine.devices[i].serial, '\x1b', sizeof(machine.devices[i].serial) - 1);
		memset(machine.devices[i].partlabel, 'p', sizeof(machine.devices[i].partlabel) - 1);
	}
	set(machine.devices[SYSTEM].partlabel, "\x1b]0;owned\a");
	machine.wish.partlabel = "elsewhere";
	refused("no-match", "...");
	assert_null(strchr(refusal.reason, '\x1b'));
	assert_true(strlen(refusal.reason) < sizeof(refusal.reason));
}

/* ---- in pairs: the earlier rule is told ---- */

static void break_whole_disk(void)
{
	set(machine.devices[TARGET].partlabel, "data");
	set(machine.devices[STICK].signature_label, "blitbench-target");
}

static void break_no_match(void)
{
	set(machine.devices[TARGET].partlabel, "data");
}

static void break_two_matches(void)
{
	*machine_partition(&machine, DISK, 3, "blitbench-target", "", "") = machine.devices[TARGET];
}

static void break_results_disk(void)
{
	machine.wish.results = machine.devices[SYSTEM].number;
}

static void break_in_use(void)
{
	machine.devices[TARGET].mounted = true;
}

static void break_read_only(void)
{
	machine.devices[TARGET].read_only = true;
}

static void break_too_small(void)
{
	machine.wish.bytes_needed = 17 * GIB;
}

static void break_foreign(void)
{
	set(machine.devices[TARGET].signature_type, "ntfs");
}

static const struct {
	const char *rule;
	void (*broken)(void);
} breakages[] = {
	{ "whole-disk", break_whole_disk },   { "no-match", break_no_match },
	{ "two-matches", break_two_matches }, { "results-disk", break_results_disk },
	{ "in-use", break_in_use },           { "read-only", break_read_only },
	{ "too-small", break_too_small },     { "foreign-signature", break_foreign },
};

static void of_two_broken_rules_the_first_is_told(void **state)
{
	(void)state;
	for (size_t first = 0; first < ARRAY_LENGTH(breakages); first++) {
		for (size_t second = first; second < ARRAY_LENGTH(breakages); second++) {
			/* Without a match there cannot be two. */
			if (first < 2 && second == 2)
				continue;
			machine_make(&machine);
			breakages[second].broken();
			breakages[first].broken();
			refused(breakages[first].rule, "");
		}
	}
}

#define test(name) cmocka_unit_test_setup(name, make_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_perfect_target_is_chosen),
		test(nothing_wished_is_nothing_chosen),
		test(no_match_lists_what_was_seen),
		test(near_misses_are_named),
		test(a_whole_disk_is_never_a_target),
		test(two_are_too_many),
		test(the_results_disk_is_spared),
		test(the_results_themselves_are_never_a_target),
		test(what_is_in_use_is_refused),
		test(read_only_ones_are_refused),
		test(size_is_checked_to_the_byte),
		test(only_ours_may_be_overwritten),
		test(an_unfinished_run_may_go_on),
		test(a_disk_that_is_part_of_something_is_refused),
		test(refusals_fit_and_do_no_harm),
		test(of_two_broken_rules_the_first_is_told),
	};
	return cmocka_run_group_tests_name("refuse", tests, NULL, NULL);
}
