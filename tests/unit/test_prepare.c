/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that are read to be added to, what is refused of them, and images that get a partition. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpt_fixture.h"
#include "random_fixture.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "prepare/preparation.h"

#include <errno.h>
#include <fcntl.h>

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

static struct disk disk;
static struct preparation plan;

static int clean(void **state)
{
	(void)state;
	preparation_free(&plan);
	disk_end(&disk);
	return 0;
}

static int nothing_yet(void **state)
{
	(void)state;
	plan = (struct preparation){ .root = "" };
	disk = (struct disk){ .fd = -1 };
	return 0;
}

/* 3 GiB with partitions at 1 MiB and from 2 GiB on. */
static void usual_disk(void)
{
	disk_begin(&disk, 3 * GIB, 512, 128);
	disk_partition(&disk, 1, 2048, 4095, "EFI");
	disk_partition(&disk, 3, 4194304, 4194304 + 2047, "home");
	disk_seal(&disk);
}

static void refused(int code, const char *words)
{
	int result = preparation_of_image(&plan, disk.path, "blitbench-target", 0);

	if (result != code || !strstr(error_text(), words))
		fail_msg("%d, '%s' instead of %d, '%s'", result, error_text(), code, words);
	preparation_free(&plan);
}

static int64_t outside_of_plan(int before)
{
	const struct gpt_space *place = &plan.addition.place;
	uint64_t sector = disk.sector_bytes, entries = (uint64_t)disk.entry_count * 128;
	const struct bytes may[] = {
		{ place->start_bytes, MIB },
		{ place->start_bytes + place->size_bytes - MIB, MIB },
		{ sector, sector },
		{ disk.entries_lba * sector, entries },
		{ disk.last_entries_lba * sector, entries },
		{ (disk.sectors - 1) * sector, sector },
	};

	return first_difference(before, disk.fd, may, ARRAY_LENGTH(may));
}

/* All but the new entry is as it was in both copies, and the fixture's own checksums are theirs. */
static void assert_table_is_right(void)
{
	size_t length = (size_t)disk.entry_count * 128, sector = disk.sector_bytes;
	_cleanup_free_ unsigned char *now = malloc(length);
	const uint64_t places[] = { disk.entries_lba, disk.last_entries_lba };
	unsigned char headers[2][4096], *entry = disk.entries + (plan.number - 1) * 128;
	const struct gpt_space *place = &plan.addition.place;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(pread(disk.fd, now, length, (off_t)(places[i] * sector)), length);
		if (!i) { /* take over what cannot be foretold */
			memcpy(entry, now + (plan.number - 1) * 128, 128);
			assert_memory_equal(
				entry,
				"\xaf\x3d\xc6\x0f\x83\x84\x72\x47\x8e\x79\x3d\x69\xd8\x47\x7d\xe4",
				16);
			memset(entry + 32, 0xff, 24);
			set64(entry + 32, place->start_bytes / sector);
			set64(entry + 40, (place->start_bytes + place->size_bytes) / sector - 1);
			set64(entry + 48, 0);
		}
		assert_memory_equal(now, disk.entries, length);
	}
	seal_header(&disk, disk.first, disk.entries);
	seal_header(&disk, disk.last, disk.entries);
	assert_int_equal(pread(disk.fd, headers[0], sector, (off_t)sector), sector);
	assert_int_equal(pread(disk.fd, headers[1], sector, (off_t)((disk.sectors - 1) * sector)),
			 sector);
	assert_memory_equal(headers[0], disk.first, sector);
	assert_memory_equal(headers[1], disk.last, sector);
}

/* ---- reading ---- */

static void what_is_no_gpt_is_refused(void **state)
{
	(void)state;
	disk_begin(&disk, 3 * GIB, 512, 128);
	refused(-ENODATA, "no partition table");
	disk.mbr[446 + 4] = 0x83;
	disk_seal(&disk);
	refused(-ENODATA, "it has an MBR and no GPT");
	disk.mbr[446 + 4] = 0xee;
	disk.mbr[446 + 16 + 4] = 0x83;
	disk_seal(&disk);
	refused(-EINVAL, "hybrid MBR");
	disk.mbr[446 + 16 + 4] = 0xee;
	disk_seal(&disk);
	refused(-EINVAL, "hybrid MBR");
	assert_int_equal(ftruncate(disk.fd, 1024), 0);
	refused(-ENODATA, "too small");
}

/* Each byte of both headers and of the entries counts, one after the other. */
static void a_damaged_copy_is_refused(void **state)
{
	static const unsigned bytes[] = { 0,  7,  8,  12, 13, 16, 19, 24, 32,
					  40, 48, 56, 71, 72, 80, 84, 88, 91 };
	unsigned char *tables[] = { disk.first, disk.last, NULL, NULL };

	(void)state;
	usual_disk();
	tables[2] = disk.entries;
	tables[3] = disk.last_entries;
	for (size_t i = 0; i < ARRAY_LENGTH(tables); i++)
		for (size_t j = 0; j < ARRAY_LENGTH(bytes); j++) {
			tables[i][bytes[j]] ^= 1;
			disk_put_table(&disk);
			refused(-EINVAL, i % 2 ? "the copy at the end of its GPT is damaged"
					       : "the first copy of its GPT is damaged");
			tables[i][bytes[j]] ^= 1;
		}
	disk_put_table(&disk);
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 0), 0);
}

/* With checksums that are right. */
static void copies_that_disagree_are_refused(void **state)
{
	(void)state;
	usual_disk();
	disk.last_entries[128 * 5 + 40] = 1; /* of an unused one */
	disk_seal(&disk);
	refused(-EINVAL, "disagree"); /* the headers, on the checksum's account not alone */
	memcpy(disk.last_entries, disk.entries, 128 * 128);
	disk.last[56] ^= 1;
	disk_seal(&disk);
	refused(-EINVAL, "disagree");
	disk.last[56] ^= 1;
	set64(disk.last + 48, disk.sectors - 100);
	disk_seal(&disk);
	refused(-EINVAL, "disagree");
}

static void tables_in_the_wrong_place_are_refused(void **state)
{
	static const struct {
		unsigned header, field;
		int64_t value; /* from the disk's end where it is negative */
		const char *words;
	} wrong[] = {
		{ 0, 24, 2, "made for another place" },
		{ 1, 24, -2, "made for another place" },
		{ 0, 32, -2, "not at the other end" },
		{ 1, 32, 2, "not at the other end" },
		{ 0, 72, 1, "do not lie between header and partitions" },
		{ 0, 72, 3, "do not lie between header and partitions" },
		{ 0, 72, INT64_MAX, "do not lie between header and partitions" },
		{ 1, 72, -34, "do not lie between partitions and header" },
		{ 1, 72, -32, "do not lie between partitions and header" },
		{ 1, 72, -1, "do not lie between partitions and header" },
		{ 1, 72, 40, "do not lie between partitions and header" },
		{ 2, 40, INT64_MAX, "usable sectors are not on the disk" },
		{ 2, 40, 33, "do not lie between header and partitions" },
		{ 2, 48, -1, "usable sectors are not on the disk" },
		{ 2, 48, -33, "do not lie between partitions and header" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		uint64_t value = (uint64_t)wrong[i].value + (wrong[i].value < 0 ? 6291456 : 0);

		usual_disk();
		if (wrong[i].header != 1)
			set64(disk.first + wrong[i].field, value);
		if (wrong[i].header != 0)
			set64(disk.last + wrong[i].field, value);
		seal_header(&disk, disk.first, disk.entries);
		seal_header(&disk, disk.last, disk.last_entries);
		disk_put_table(&disk);
		refused(-EINVAL, wrong[i].words);
		disk_end(&disk);
	}
}

static void impossible_entries_are_refused(void **state)
{
	static const uint32_t wrong[][2] = {
		{ 0, 128 },  { 1025, 128 }, { UINT32_MAX, 128 }, { 128, 0 },  { 128, 127 },
		{ 128, 64 }, { 128, 192 },  { 128, UINT32_MAX }, { 1, 8192 }, { 1024, 4096 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		usual_disk();
		set32(disk.first + 80, wrong[i][0]);
		set32(disk.last + 80, wrong[i][0]);
		set32(disk.first + 84, wrong[i][1]);
		set32(disk.last + 84, wrong[i][1]);
		disk_seal(&disk);
		refused(-EINVAL, "its GPT is damaged");
		disk_end(&disk);
	}
}

static void partitions_that_lie_are_refused(void **state)
{
	(void)state;
	usual_disk();
	disk_partition(&disk, 7, 4095, 5000, "over the first");
	disk_seal(&disk);
	refused(-EINVAL, "its partitions 1 and 7 share sectors");
	disk_partition(&disk, 7, 33, 40, "in the table");
	disk_seal(&disk);
	refused(-EINVAL, "its partition 7 lies outside");
	disk_partition(&disk, 7, disk.sectors - 40, disk.sectors - 33, "in the other table");
	disk_seal(&disk);
	refused(-EINVAL, "its partition 7 lies outside");
	disk_partition(&disk, 7, 9000, 8999, "turned around");
	disk_seal(&disk);
	refused(-EINVAL, "its partition 7 lies outside");
	disk_partition(&disk, 7, 9000, UINT64_MAX, "endless");
	disk_seal(&disk);
	refused(-EINVAL, "its partition 7 lies outside");
}

/* The beginning of a larger disk, and one that has grown. */
static void a_disk_of_another_size_is_refused(void **state)
{
	(void)state;
	usual_disk();
	assert_int_equal(ftruncate(disk.fd, (off_t)(3 * GIB - 512)), 0);
	refused(-EINVAL, "not at the other end of the disk");
	assert_int_equal(ftruncate(disk.fd, (off_t)(4 * GIB)), 0);
	refused(-EINVAL, "not at the other end of the disk");
}

/* ---- room ---- */

static void the_largest_space_is_taken_in_whole_mebibytes(void **state)
{
	const struct gpt_space *place = &plan.addition.place;

	(void)state;
	usual_disk();
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 0), 0);
	assert_true(place->start_bytes == 2 * MIB);
	assert_true(place->size_bytes == 2 * GIB - 2 * MIB);
	assert_int_equal(plan.number, 2);
	preparation_free(&plan);
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", GIB + 1), 0);
	assert_true(place->start_bytes == 2 * MIB && place->size_bytes == GIB + MIB);
	preparation_free(&plan);
	/* One sector less at both ends costs a mebibyte there. */
	disk_partition(&disk, 1, 2048, 4096, "EFI");
	disk_partition(&disk, 3, 4194303, 4194304, "home");
	disk_seal(&disk);
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 0), 0);
	assert_true(place->start_bytes == 3 * MIB);
	assert_true(place->size_bytes == 2 * GIB - 4 * MIB);
}

static void no_room_is_refused(void **state)
{
	(void)state;
	usual_disk();
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 2 * GIB), -ENOSPC);
	assert_non_null(strstr(error_text(),
			       "its largest free space has 2.0 GiB, and 2.0 GiB are asked for"));
	preparation_free(&plan);
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", GIB - 1), -EINVAL);
	assert_non_null(strstr(error_text(), "1.0 GiB at least"));
	preparation_free(&plan);
	disk_partition(&disk, 2, 4096 + 2048, 4096 + 2048 + 2097151, "data");
	disk_partition(&disk, 4, 4194304 + 2048, disk.sectors - 34, "more");
	disk_seal(&disk);
	refused(-ENOSPC, "1021.0 MiB, and 1.0 GiB are the least for a target");
	disk_end(&disk);

	disk_begin(&disk, 3 * GIB, 512, 4);
	for (unsigned i = 1; i <= 4; i++)
		disk_partition(&disk, i, 100 * i, 100 * i + 1, "tiny");
	disk_seal(&disk);
	refused(-ENOSPC, "no entry left");
}

/* What somebody left in an entry that is not used stays there. */
static void an_entry_with_remains_is_passed_over(void **state)
{
	bool told;

	(void)state;
	usual_disk();
	disk.entries[128 + 50] = disk.last_entries[128 + 50] = 4;
	disk_seal(&disk);
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 0), 0);
	assert_int_equal(plan.number, 4);
	assert_int_equal(preparation_write(&plan, &told), 0);
	assert_table_is_right();
}

static void a_label_is_given_once(void **state)
{
	(void)state;
	usual_disk();
	disk_partition(&disk, 3, 4194304, 4194304 + 2047, "blitbench-target");
	disk_seal(&disk);
	refused(-EEXIST, "its partition 3 is labelled 'blitbench-target' already");
}

static void what_is_no_image_is_refused(void **state)
{
	(void)state;
	assert_int_equal(preparation_of_image(&plan, "/dev/zero", "x", 0), -EINVAL);
	assert_non_null(strstr(error_text(), "/dev/zero: it is no file"));
	assert_int_equal(preparation_of_image(&plan, "/nowhere", "x", 0), -ENOENT);
	assert_int_equal(preparation_of_image(&plan, "/", "x", 0), -EINVAL);
}

/* ---- writing ---- */

static void an_image_gets_its_partition_and_nothing_else(void **state)
{
	unsigned char block[4096];
	bool told = false;

	(void)state;
	usual_disk();
	disk.mbr[0] = 0xeb;                     /* a boot loader's */
	set32(disk.mbr + 446 + 12, UINT32_MAX); /* as some tools have it */
	disk_put_table(&disk);
	memset(block, 'U', sizeof(block));
	for (uint64_t at = 0; at < 6 * MIB; at += 4096)
		disk_put(&disk, block, 4096, MIB + at);
	_cleanup_close_ int before = copy_of(disk.fd);
	assert_int_equal(preparation_of_image(&plan, disk.path, "blitbench-target", GIB), 0);
	assert_true(first_difference(before, disk.fd, NULL, 0) == -1);
	assert_int_equal(preparation_write(&plan, &told), 0);
	assert_true(told);
	assert_true(outside_of_plan(before) == -1);
	assert_table_is_right();
	read_block(disk.fd, block, 2 * MIB);
	assert_int_equal(block[0], 0);
	read_block(disk.fd, block, 3 * MIB);
	assert_int_equal(block[0], 'U');

	struct gpt_partition made;
	assert_true(gpt_partition(&plan.after, 1, &made));
	assert_string_equal(made.name, "blitbench-target");
	assert_int_equal(strlen(made.uuid), 36);
	preparation_free(&plan);
	refused(-EEXIST, "already");
}

static void nothing_is_written_to_what_has_changed(void **state)
{
	bool told;

	(void)state;
	usual_disk();
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 0), 0);
	disk_partition(&disk, 1, 2048, 4094, "EFI");
	disk_seal(&disk);
	_cleanup_close_ int before = copy_of(disk.fd);
	assert_int_equal(preparation_write(&plan, &told), -ESTALE);
	assert_non_null(strstr(error_text(), "its partition table has changed"));
	preparation_free(&plan);

	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 0), 0);
	plan.image_inode++;
	assert_int_equal(preparation_write(&plan, &told), -ESTALE);
	plan.image_inode--;
	disk.first[20] ^= 1;
	disk_put_table(&disk);
	assert_int_equal(preparation_write(&plan, &told), -EINVAL);
	disk.first[20] ^= 1;
	disk_put_table(&disk);

	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	assert_int_equal(fcntl(disk.fd, F_OFD_SETLK, &whole), 0);
	assert_int_equal(preparation_write(&plan, &told), -EBUSY);
	assert_non_null(strstr(error_text(), "locked"));
	whole.l_type = F_UNLCK;
	assert_int_equal(fcntl(disk.fd, F_OFD_SETLK, &whole), 0);
	assert_true(first_difference(before, disk.fd, NULL, 0) == -1);
	assert_int_equal(preparation_write(&plan, &told), 0);
}

/* What is further in than what is cleared, such as an encrypted volume's second header. */
static void a_signature_that_stays_is_refused(void **state)
{
	bool told;

	(void)state;
	usual_disk();
	disk_put(&disk, "SKUL\xba\xbe\0\2", 8, 2 * MIB + 0x200000);
	disk_put(&disk, "\0\0\0\0\0\x20\0\0", 8, 2 * MIB + 0x200000 + 256); /* where it lies */
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 0), 0);
	_cleanup_close_ int before = copy_of(disk.fd);
	int result = preparation_write(&plan, &told);
	if (result != -EEXIST)
		fail_msg("%d: %s", result, error_text());
	assert_non_null(strstr(error_text(), "its table is as it was"));
	const struct bytes ends[] = { { 2 * MIB, MIB }, { 2 * GIB - MIB, MIB } };
	assert_true(first_difference(before, disk.fd, ends, 2) == -1);
}

/* An addition is all that libfdisk made, or it is not taken. */
static void any_other_change_is_noticed(void **state)
{
	(void)state;
	usual_disk();
	assert_int_equal(preparation_of_image(&plan, disk.path, "x", 0), 0);
	struct gpt *after = &plan.after;
	assert_true(addition_is_all(&plan.before, after, 2, &plan.addition));
	assert_false(addition_is_all(&plan.before, after, 4, &plan.addition));
	assert_false(addition_is_all(&plan.before, after, 0, &plan.addition));
	assert_false(addition_is_all(&plan.before, after, 129, &plan.addition));
	assert_false(addition_is_all(after, after, 2, &plan.addition));
	for (size_t i = 0; i < gpt_entries_bytes(after); i += i < 400 ? 1 : 61) {
		if (i >= 144 && i < 160) /* the UUID */
			continue;
		after->entries[i] ^= 0x20;
		if (addition_is_all(&plan.before, after, 2, &plan.addition))
			fail_msg("byte %zu of the entries", i);
		after->entries[i] ^= 0x20;
	}
	for (size_t i = 0; i < 512; i++)
		for (int which = 0; which < GPT_COPIES; which++) {
			if ((i >= 16 && i < 20) || (i >= 88 && i < 92))
				continue;
			after->headers[which][i] ^= 1;
			assert_false(addition_is_all(&plan.before, after, 2, &plan.addition));
			after->headers[which][i] ^= 1;
		}
	memcpy(after->entries + 128 + 16, after->entries + 16, 16);
	assert_false(addition_is_all(&plan.before, after, 2, &plan.addition));
}

/* ---- any table ---- */

static uint64_t seed;

static uint64_t pick(uint64_t below)
{
	return (uint64_t)(uniform(&seed) * (double)below);
}

/* Partitions of any size in any order of numbers, with gaps or without, remains of data between. */
static void random_disk(void)
{
	unsigned sector = pick(4) ? 512 : 4096, counts[] = { 4, 5, 16, 128, 129, 256 };
	uint64_t size = (1 + pick(5)) * GIB + pick(1000) * sector;
	unsigned char block[4096];

	disk_begin(&disk, size, sector, counts[pick(6)]);
	uint64_t end = disk.sectors - 1 - table_sectors(&disk), at = 2 + table_sectors(&disk);
	for (uint64_t tries = pick(12); tries && at < end; tries--) {
		unsigned number = 1 + (unsigned)pick(disk.entry_count);
		uint64_t first = at + (pick(2) ? pick(100) : pick(end - at));
		uint64_t last = first + (pick(2) ? pick(5000) : pick((end - first) / 2 + 1));

		if (first >= end || last >= end || disk.entries[(number - 1) * 128])
			continue;
		disk_partition(&disk, number, first, last, "somebody's");
		at = last + 1;
	}
	disk_seal(&disk);
	for (size_t i = 0; i < 100; i++) {
		for (size_t j = 0; j < sizeof(block); j++)
			block[j] = (unsigned char)(i + j);
		uint64_t place = (i % 2 ? pick(disk.sectors - 1 - at % 7) * sector
					: at * sector + i * 40000);
		if (place < 64 * sector || place + 4096 + 33 * sector + 40000 > size)
			continue;
		disk_put(&disk, block, sizeof(block), place);
	}
	disk_put_table(&disk);
}

static void any_table_gets_one_entry_more_or_stays_as_it_is(void **state)
{
	const char *given = getenv("BLITBENCH_SEED");
	unsigned cases = getenv("BLITBENCH_THOROUGH") ? 3000 : 40, written = 0;
	bool told;

	(void)state;
	seed = given ? strtoull(given, NULL, 10) : (uint64_t)getpid() * 1000003;
	print_message("BLITBENCH_SEED=%llu\n", (unsigned long long)seed);
	for (unsigned i = 0; i < cases; i++) {
		random_disk();
		_cleanup_close_ int before = copy_of(disk.fd);
		uint64_t asked = pick(2) ? GIB + pick(GIB) : 0;
		int result = preparation_of_image(&plan, disk.path, "blitbench-target", asked);

		assert_true(first_difference(before, disk.fd, NULL, 0) == -1);
		if (result) {
			if (result != -ENOSPC)
				fail_msg("case %u: %s", i, error_text());
		} else {
			result = preparation_write(&plan, &told);
			if (result)
				fail_msg("case %u: %s", i, error_text());
			int64_t byte = outside_of_plan(before);
			if (byte != -1)
				fail_msg("case %u: byte %lld was changed", i, (long long)byte);
			assert_table_is_right();
			written++;
		}
		preparation_free(&plan);
		disk_end(&disk);
	}
	assert_true(written > cases / 4);
}

#define test(name) cmocka_unit_test_setup_teardown(name, nothing_yet, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(what_is_no_gpt_is_refused),
		test(a_damaged_copy_is_refused),
		test(copies_that_disagree_are_refused),
		test(tables_in_the_wrong_place_are_refused),
		test(impossible_entries_are_refused),
		test(partitions_that_lie_are_refused),
		test(a_disk_of_another_size_is_refused),
		test(the_largest_space_is_taken_in_whole_mebibytes),
		test(no_room_is_refused),
		test(an_entry_with_remains_is_passed_over),
		test(a_label_is_given_once),
		test(what_is_no_image_is_refused),
		test(an_image_gets_its_partition_and_nothing_else),
		test(nothing_is_written_to_what_has_changed),
		test(a_signature_that_stays_is_refused),
		test(any_other_change_is_noticed),
		test(any_table_gets_one_entry_more_or_stays_as_it_is),
	};
	return cmocka_run_group_tests_name("prepare", tests, NULL, NULL);
}
