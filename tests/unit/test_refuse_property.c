/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thousands of random machines against a second, naive statement of the conditions. The seed is
 * printed; BLITBENCH_SEED=N repeats a run, BLITBENCH_MACHINES=N makes it longer.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "disk/refuse.h"
#include "lib/cleanup.h"

#include <ctype.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>

enum { MOST_DEVICES = 24, DEFAULT_MACHINES = 30000 };

static struct block_device devices[MOST_DEVICES];
static struct device_list list = { .devices = devices };
static struct target_wish wish;
static struct refusal refusal;
static uint64_t seed, state_of_random;
static size_t machines = DEFAULT_MACHINES;

/* splitmix64 */
static uint64_t next_random(void)
{
	uint64_t z = state_of_random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static unsigned below(unsigned limit)
{
	return (unsigned)(next_random() % limit);
}

static bool one_in(unsigned times)
{
	return below(times) == 0;
}

/* Mostly the first of the choices, which is the harmless one. */
#define pick(usually, ...)                                                               \
	({                                                                               \
		static const char *const choices_[] = { __VA_ARGS__ };                   \
		one_in(usually) ? choices_[below(ARRAY_LENGTH(choices_))] : choices_[0]; \
	})

static void random_label(char *label, bool likely)
{
	static const char *const labels[] = {
		"blitbench-target",
		"Blitbench-target",
		"blitbench-target ",
		"blitbench-targe",
		"blitbench",
		"",
		"root",
		"BLITRESULTS",
		"BLITBOOT",
		"EFI System",
		"data",
	};

	strcpy(label, likely ? labels[0] : labels[below(ARRAY_LENGTH(labels))]);
}

static void random_signature(struct block_device *device, unsigned rarely)
{
	strcpy(device->signature_type,
	       pick(rarely, "", "ext4", "xfs", "f2fs", "btrfs", "vfat", "ntfs", "LVM2_member",
		    "crypto_LUKS", "linux_raid_member", "swap", "dos", "ambivalent", "unreadable"));
	strcpy(device->signature_label,
	       pick(3, "", "blitbench", "blitbench-target", "system", "BLITRESULTS"));
}

static void random_use(struct block_device *device, unsigned rarely)
{
	device->mounted = one_in(rarely);
	device->swap = one_in(rarely);
	device->busy = one_in(rarely);
	strcpy(device->holders, one_in(rarely) ? "dm-0" : "");
	device->read_only = one_in(rarely);
}

static void random_disk(void)
{
	struct block_device *disk = &devices[list.count];

	memset(disk, 0, sizeof(*disk));
	disk->disk = (int)list.count;
	disk->number = makedev(8, 16 * (unsigned)list.count);
	disk->size_bytes = one_in(10) ? 0 : 1ULL << (25 + below(12));
	strcpy(disk->name, "sd");
	strcpy(disk->table_type, pick(6, "gpt", "dos", "", "gpt"));
	strcpy(disk->model, pick(2, "SSD", "HDD", ""));
	strcpy(disk->serial, pick(2, "S1", "S2", ""));
	random_signature(disk, 12);
	random_use(disk, 30);
	if (one_in(12))
		random_label(disk->partlabel, false); /* names on a whole disk mean nothing */
	list.count++;
}

static void random_partition(int disk, unsigned number, bool likely)
{
	struct block_device *partition = &devices[list.count++];

	*partition = devices[disk];
	partition->is_partition = true;
	partition->table_type[0] = '\0';
	partition->number = devices[disk].number + number;
	partition->disk = one_in(60) ? -1 : disk;
	partition->table_differs = one_in(40);
	partition->overlaps = one_in(40);
	partition->size_bytes = one_in(30) ? 0 : 1ULL << (22 + below(14));
	random_label(partition->partlabel, likely);
	strcpy(partition->partuuid, one_in(20) ? "" : "aaaaaaaa-0000-4000-8000-000000000000");
	if (partition->partuuid[0])
		partition->partuuid[7] = (char)('a' + below(4));
	random_signature(partition, 2);
	random_use(partition, 25);
	partition->read_only |= devices[disk].read_only;
}

static void random_machine(void)
{
	unsigned disks = below(4);

	list.count = 0;
	for (unsigned d = 0; d < disks; d++) {
		int disk = (int)list.count;
		unsigned partitions = below(5);

		random_disk();
		for (unsigned p = 1; p <= partitions; p++)
			random_partition(disk, p, one_in(4));
	}
	wish = (struct target_wish){
		.partlabel = pick(6, "blitbench-target", "", "data", "BLITRESULTS"),
		.partuuid = pick(5, "", "aaaaaaaa-0000-4000-8000-000000000000",
				 "AAAAAAAB-0000-4000-8000-000000000000"),
		.model = pick(5, "", "SSD", "HDD"),
		.serial = pick(5, "", "S1", "S2"),
		.overwrite = one_in(4),
		.same_disk = one_in(5),
		.unfinished_partuuid = one_in(4) ? "aaaaaaac-0000-4000-8000-000000000000" : NULL,
		.bytes_needed = 1ULL << (20 + below(12)),
	};
	if (list.count && !one_in(3))
		wish.results = devices[below((unsigned)list.count)].number;
	else if (one_in(8))
		wish.results = makedev(200, 1);
}

/* ---- the conditions once more, each as plainly as can be ---- */

static bool same_letters(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
	return *a == *b;
}

static bool empty(const char *text)
{
	return !text || !text[0];
}

static bool has_the_name(const struct block_device *device)
{
	if (!device->is_partition || device->table_differs || device->overlaps ||
	    device->disk == -1)
		return false;
	if (strcmp(devices[device->disk].table_type, "gpt") != 0)
		return false;
	if (empty(wish.partlabel) && empty(wish.partuuid))
		return false;
	if (!empty(wish.partlabel) && strcmp(device->partlabel, wish.partlabel) != 0)
		return false;
	if (!empty(wish.partuuid) && !same_letters(device->partuuid, wish.partuuid))
		return false;
	if (!empty(wish.model) && strcmp(device->model, wish.model) != 0)
		return false;
	return empty(wish.serial) || strcmp(device->serial, wish.serial) == 0;
}

static bool belongs_to_the_image(const struct block_device *device)
{
	if (wish.results && device->number == wish.results)
		return true;
	return device->is_partition && (strcmp(device->partlabel, "BLITRESULTS") == 0 ||
					strcmp(device->partlabel, "BLITBOOT") == 0);
}

static bool is_on_the_results_disk(const struct block_device *target)
{
	bool known = !wish.results;

	if (belongs_to_the_image(target))
		return true;
	if (wish.same_disk)
		return false;
	for (size_t i = 0; i < list.count; i++) {
		if (devices[i].number == wish.results)
			known = true;
		if (devices[i].disk == target->disk && belongs_to_the_image(&devices[i]))
			return true;
	}
	return !known;
}

static bool is_in_use(const struct block_device *target)
{
	const struct block_device *disk = &devices[target->disk];

	return target->mounted || target->swap || target->busy || !empty(target->holders) ||
	       disk->mounted || disk->swap;
}

static bool is_foreign(const struct block_device *target)
{
	const char *type = target->signature_type;
	bool our_type = !strcmp(type, "ext4") || !strcmp(type, "xfs") || !strcmp(type, "f2fs") ||
			!strcmp(type, "btrfs");

	if (wish.overwrite)
		return false;
	if (!empty(devices[target->disk].signature_type))
		return true;
	if (empty(type))
		return false;
	if (!empty(wish.unfinished_partuuid) &&
	    same_letters(target->partuuid, wish.unfinished_partuuid) && !strcmp(type, "ambivalent"))
		return false;
	return !our_type || strcmp(target->signature_label, "blitbench") != 0;
}

static bool may_be_formatted(const struct block_device *target)
{
	return target->is_partition && !is_on_the_results_disk(target) && !is_in_use(target) &&
	       !target->read_only && !devices[target->disk].read_only && target->size_bytes > 0 &&
	       target->size_bytes >= wish.bytes_needed && !is_foreign(target);
}

/* ---- */

#define check(condition, machine)                                                     \
	do {                                                                          \
		if (!(condition))                                                     \
			fail_msg("machine %zu of BLITBENCH_SEED=%llu: %s", (machine), \
				 (unsigned long long)seed, #condition);               \
	} while (0)

static size_t matches_of(const struct block_device **only)
{
	size_t matches = 0;

	for (size_t i = 0; i < list.count; i++) {
		if (has_the_name(&devices[i])) {
			*only = &devices[i];
			matches++;
		}
	}
	return matches;
}

static const char *const rule_names[] = {
	"whole-disk", "no-match",  "two-matches", "results-disk",
	"in-use",     "read-only", "too-small",   "foreign-signature",
};

static int rule_index(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rule_names); i++)
		if (!strcmp(rule_names[i], name))
			return (int)i;
	return -1;
}

static void a_target_is_chosen_exactly_when_it_may_be(void **state)
{
	size_t chosen = 0, refused[ARRAY_LENGTH(rule_names)] = { 0 };

	(void)state;
	for (size_t m = 0; m < machines; m++) {
		const struct block_device *only = NULL;

		random_machine();
		int index = target_choose(&list, &wish, &refusal);
		size_t matches = matches_of(&only);
		check(index >= -1 && index < (int)list.count, m);
		if (index >= 0) {
			check(matches == 1, m);
			check(only == &devices[index], m);
			check(may_be_formatted(only), m);
			chosen++;
			continue;
		}
		check(matches != 1 || !may_be_formatted(only), m);
		check(rule_index(refusal.rule) >= 0, m);
		check(refusal.reason[0] && refusal.remedy[0], m);
		refused[rule_index(refusal.rule)]++;
	}
	/* The machines are worth something only if all of it happens. */
	print_message("%zu machines, %zu chosen", machines, chosen);
	for (size_t i = 0; i < ARRAY_LENGTH(rule_names); i++) {
		print_message(", %zu %s", refused[i], rule_names[i]);
		assert_true(refused[i] > machines / 1000);
	}
	print_message("\n");
	assert_true(chosen > machines / 100);
}

/* One fault in a machine that has a target. */
static void spoil(struct block_device *target, unsigned fault)
{
	struct block_device *disk = &devices[target->disk];

	switch (fault) {
	case 0:
		target->mounted = true;
		break;
	case 1:
		target->swap = true;
		break;
	case 2:
		target->busy = true;
		break;
	case 3:
		strcpy(target->holders, "bcache0");
		break;
	case 4:
		disk->mounted = true;
		break;
	case 5:
		disk->swap = true;
		break;
	case 6:
		target->read_only = true;
		break;
	case 7:
		disk->read_only = true;
		break;
	case 8:
		target->size_bytes = wish.bytes_needed - 1;
		break;
	case 9:
		wish.results = target->number;
		break;
	case 10:
		wish.results = disk->number;
		wish.same_disk = false;
		break;
	case 11:
		wish.results = makedev(201, 1);
		wish.same_disk = false;
		break;
	case 12:
		target->is_partition = false;
		break;
	case 13:
		target->table_differs = true;
		break;
	case 14:
		strcpy(disk->table_type, "dos");
		break;
	case 15:
		target->disk = -1;
		break;
	case 16:
		strcat(target->partlabel, " ");
		strcpy(target->partuuid, "none");
		break;
	case 17:
		strcpy(target->signature_type, "ntfs");
		wish.unfinished_partuuid = NULL;
		wish.overwrite = false;
		break;
	case 18:
		strcpy(disk->signature_type, "isw_raid_member");
		wish.overwrite = false;
		break;
	case 19:
		devices[list.count] = *target;
		devices[list.count++].number = makedev(202, 1);
		break;
	case 20:
		target->overlaps = true;
		break;
	}
}

enum { FAULTS = 21 };

static void any_single_fault_takes_the_target_away(void **state)
{
	struct block_device kept[MOST_DEVICES];
	size_t spoilt = 0;

	(void)state;
	for (size_t m = 0; m < machines; m++) {
		random_machine();
		int index = target_choose(&list, &wish, &refusal);
		struct target_wish kept_wish = wish;
		size_t kept_count = list.count;

		if (index < 0)
			continue;
		memcpy(kept, devices, sizeof(kept));
		for (unsigned fault = 0; fault < FAULTS; fault++) {
			spoil(&devices[index], fault);
			int again = target_choose(&list, &wish, &refusal);
			if (again >= 0)
				print_error("fault %u\n", fault);
			check(again == -1, m);
			memcpy(devices, kept, sizeof(kept));
			wish = kept_wish;
			list.count = kept_count;
			spoilt++;
		}
	}
	assert_true(spoilt > FAULTS * (machines / 100));
}

static int begin(void **state)
{
	const char *given_seed = getenv("BLITBENCH_SEED");
	const char *given_machines = getenv("BLITBENCH_MACHINES");

	(void)state;
	if (!seed)
		seed = given_seed ? strtoull(given_seed, NULL, 0)
				  : (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	if (given_machines)
		machines = strtoull(given_machines, NULL, 0);
	state_of_random = seed;
	print_message("BLITBENCH_SEED=%llu\n", (unsigned long long)seed);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_target_is_chosen_exactly_when_it_may_be, begin),
		cmocka_unit_test_setup(any_single_fault_takes_the_target_away, begin),
	};
	return cmocka_run_group_tests_name("refuse-property", tests, NULL, NULL);
}
