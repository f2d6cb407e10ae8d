/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What drives say of themselves: hand-written pages, whole, damaged and blank, and drives that refuse. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "disk/smart.h"
#include "lib/cleanup.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct smart smart;

static void put_number(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (; bytes--; value >>= 8)
		*at++ = (uint8_t)value;
}

static void says(const char *words)
{
	if (!strstr(smart.detail, words))
		fail_msg("'%s' does not say '%s'", smart.detail, words);
}

static void knows_nothing(void)
{
	assert_true(isnan(smart.temperature_celsius));
	assert_true(isnan(smart.wear_percent));
	assert_true(smart.written_bytes == SMART_UNKNOWN);
	assert_true(smart.power_on_hours == SMART_UNKNOWN);
	assert_true(strlen(smart.detail) > 0);
}

/* --- NVMe --- */

static void make_health(uint8_t page[SMART_PAGE_BYTES])
{
	memset(page, 0, SMART_PAGE_BYTES);
	put_number(page + 1, 273 + 41, 2);
	page[3] = 100;
	page[5] = 7;
	put_number(page + 32, 99, 8);
	put_number(page + 48, 123456, 8);
	put_number(page + 128, 4321, 8);
}

static void an_nvme_log_is_read(void **state)
{
	uint8_t page[SMART_PAGE_BYTES];

	(void)state;
	make_health(page);
	assert_true(smart_from_nvme(&smart, page));
	assert_string_equal(smart.source, "nvme");
	assert_true(smart.temperature_celsius == 41);
	assert_true(smart.wear_percent == 7);
	assert_int_equal(smart.written_bytes, 123456ULL * 512000);
	assert_int_equal(smart.power_on_hours, 4321);
	says("rounded up");
}

static void numbers_that_cannot_be_are_not_told(void **state)
{
	uint8_t page[SMART_PAGE_BYTES];

	(void)state;
	make_health(page);
	put_number(page + 1, 0, 2); /* 0 K: not told */
	page[5] = 255;
	page[48 + 15] = 1; /* 2^120 units */
	put_number(page + 128, UINT64_MAX, 8);
	assert_true(smart_from_nvme(&smart, page));
	assert_true(isnan(smart.temperature_celsius));
	assert_true(smart.wear_percent == 255); /* 255 means: 255 or more */
	assert_true(smart.written_bytes == SMART_UNKNOWN);
	assert_true(smart.power_on_hours == SMART_UNKNOWN);
	make_health(page);
	put_number(page + 48, UINT64_MAX / 512000 + 1, 8); /* would wrap around */
	put_number(page + 128 + 8, 1, 8);
	assert_true(smart_from_nvme(&smart, page));
	assert_true(smart.written_bytes == SMART_UNKNOWN);
	assert_true(smart.power_on_hours == SMART_UNKNOWN);
}

static void blank_nvme_logs_tell_nothing(void **state)
{
	uint8_t page[SMART_PAGE_BYTES];

	(void)state;
	for (int byte = 0; byte < 256; byte += 255) {
		memset(page, byte, sizeof(page));
		assert_false(smart_from_nvme(&smart, page));
		knows_nothing();
		assert_null(smart.source);
		says("blank");
	}
}

/* --- ATA: a drive in memory --- */

static struct drive {
	uint8_t identify[SMART_PAGE_BYTES], attributes[SMART_PAGE_BYTES];
	uint8_t directory[SMART_PAGE_BYTES], statistics[8][SMART_PAGE_BYTES];
	int identify_error, attributes_error, log_error;
	unsigned asked, wrote;
} drive;

static int ask_drive(void *context, const struct ata_command *command,
		     uint8_t page[SMART_PAGE_BYTES])
{
	struct drive *of = context;

	of->asked++;
	switch (command->command) {
	case ATA_IDENTIFY:
		memcpy(page, of->identify, SMART_PAGE_BYTES);
		return of->identify_error;
	case ATA_SMART:
		assert_int_equal(command->feature, ATA_SMART_READ_DATA);
		memcpy(page, of->attributes, SMART_PAGE_BYTES);
		return of->attributes_error;
	case ATA_READ_LOG_EXT:
		assert_true(command->log == 0 || command->log == 4);
		assert_true(command->page < 8);
		memcpy(page, command->log ? of->statistics[command->page] : of->directory,
		       SMART_PAGE_BYTES);
		return of->log_error;
	default:
		of->wrote++; /* nothing else is ever to be asked */
		return -EINVAL;
	}
}

static void ask(void)
{
	drive.asked = drive.wrote = 0;
	smart_from_ata(&smart, ask_drive, &drive);
	assert_int_equal(drive.wrote, 0);
}

static void put_checksum(uint8_t page[SMART_PAGE_BYTES])
{
	uint8_t sum = 0;

	for (unsigned i = 0; i < SMART_PAGE_BYTES - 1; i++)
		sum = (uint8_t)(sum + page[i]);
	page[SMART_PAGE_BYTES - 1] = (uint8_t)-sum;
}

static void put_word(uint8_t *page, unsigned word, unsigned value)
{
	put_number(page + 2 * word, value, 2);
}

static void make_identify(const char *model, bool logging)
{
	memset(drive.identify, 0, SMART_PAGE_BYTES);
	for (unsigned i = 0; i < 40; i++)
		drive.identify[54 + (i ^ 1)] = (uint8_t)(i < strlen(model) ? model[i] : ' ');
	put_word(drive.identify, 82, 1);
	put_word(drive.identify, 83, 0x4000);
	put_word(drive.identify, 84, 0x4000 | (logging ? 1 << 5 : 0));
	put_word(drive.identify, 85, 1);
	put_word(drive.identify, 255, 0xa5);
	put_checksum(drive.identify);
}

static void put_attribute(unsigned place, uint8_t id, uint8_t value, uint64_t raw)
{
	uint8_t *at = drive.attributes + 2 + 12 * place;

	at[0] = id;
	at[3] = value;
	at[4] = 1; /* the worst so far, which nobody asks for */
	put_number(at + 5, raw, 6);
	put_checksum(drive.attributes);
}

static void put_statistic(unsigned page, unsigned offset, uint64_t value, uint8_t flags)
{
	put_number(drive.statistics[page] + offset, value, 7);
	drive.statistics[page][offset + 7] = flags;
}

/* 100 hours, 1,000,000 sectors, 33 degrees, 4 % */
static void make_statistics(void)
{
	static const uint8_t pages[] = { 0, 1, 5, 7 };

	put_word(drive.directory, 0, 1);
	put_word(drive.directory, 4, 8);
	drive.statistics[0][8] = 4;
	memcpy(drive.statistics[0] + 9, pages, sizeof(pages));
	for (unsigned i = 0; i < 8; i++) {
		drive.statistics[i][0] = 1;
		drive.statistics[i][2] = (uint8_t)i;
	}
	put_statistic(1, 16, 100, 0xc0);
	put_statistic(1, 24, 1000000, 0xc0);
	put_statistic(5, 8, 33, 0xc0);
	put_statistic(7, 8, 4, 0xe0);
}

static int make_drive(void **state)
{
	(void)state;
	memset(&drive, 0, sizeof(drive));
	make_identify("Artificial SSD", true);
	make_statistics();
	put_attribute(0, 9, 99, 555);
	put_attribute(1, 194, 60, 0x002d00140028); /* 40 now, 20 and 45 at the extremes */
	put_attribute(2, 241, 99, 7777);
	return 0;
}

static void standard_statistics_come_first(void **state)
{
	(void)state;
	ask();
	assert_string_equal(smart.source, "ata");
	assert_true(smart.temperature_celsius == 33);
	assert_true(smart.wear_percent == 4);
	assert_int_equal(smart.written_bytes, 512000000);
	assert_int_equal(smart.power_on_hours, 100);
	says("ATA device statistics");
	assert_null(strstr(smart.detail, "maker"));
	assert_int_equal(smart.attribute_count, 3);
	assert_int_equal(smart.attributes[2].id, 241);
	assert_int_equal(smart.attributes[2].raw, 7777);
}

static void sectors_of_4096_bytes_count_as_such(void **state)
{
	(void)state;
	put_word(drive.identify, 106, 0x5000);
	put_number(drive.identify + 2 * 117, 2048, 4);
	put_checksum(drive.identify);
	ask();
	assert_int_equal(smart.written_bytes, 4096000000);
	/* a size that no drive has is none */
	put_number(drive.identify + 2 * 117, 0xffffffff, 4);
	put_checksum(drive.identify);
	ask();
	assert_int_equal(smart.written_bytes, 512000000);
}

static void statistics_that_are_not_valid_do_not_count(void **state)
{
	(void)state;
	put_statistic(1, 24, 1000000, 0x80);
	put_statistic(7, 8, 4, 0x40);
	drive.statistics[5][2] = 1; /* the answer to another question */
	ask();
	assert_true(smart.written_bytes == SMART_UNKNOWN);
	assert_true(isnan(smart.wear_percent));
	assert_true(smart.temperature_celsius == 40); /* of the attribute */
	assert_int_equal(smart.power_on_hours, 100);
	says("its maker's affair");
}

static void a_drive_below_freezing_is_told(void **state)
{
	(void)state;
	put_statistic(5, 8, 0xf6, 0xc0);
	ask();
	assert_true(smart.temperature_celsius == -10);
	put_statistic(5, 8, 0x80, 0xc0); /* -128: not valid, says the standard */
	ask();
	assert_true(smart.temperature_celsius == 40);
}

static void pages_that_are_not_listed_are_not_asked_for(void **state)
{
	(void)state;
	drive.statistics[0][8] = 2; /* pages 0 and 1 */
	ask();
	assert_int_equal(drive.asked, 5); /* identify, directory, list, page 1, attributes */
	assert_true(isnan(smart.wear_percent));
	drive.statistics[0][8] = 255;
	ask();
	assert_true(smart.wear_percent == 4);
	put_word(drive.directory, 4, 0);
	ask();
	assert_int_equal(drive.asked, 3);
}

static void makers_count_in_their_own_way(void **state)
{
	static const struct {
		const char *model;
		uint8_t wear_id, wear_value, written_id;
		uint64_t raw, bytes;
		double wear;
	} makers[] = {
		{ "Samsung SSD 860 EVO 500GB", 177, 97, 241, 1000, 512000, 3 },
		{ "SAMSUNG MZ7LN512HMJP", 177, 100, 241, 1, 512, 0 },
		{ "INTEL SSDSC2BB480G4", 233, 88, 241, 10, 10 * 32 << 20, 12 },
		{ "CT500MX500SSD1", 202, 95, 246, 2, 1024, 5 },
		{ "KINGSTON SA400S37240G", 231, 60, 241, 2, 2ULL << 30, 40 },
		/* nobody knows */
		{ "Artificial SSD", 177, 97, 241, 1000, SMART_UNKNOWN, NAN },
		/* 0 to 100 is what a life can have left */
		{ "Samsung SSD 860 EVO 500GB", 177, 200, 241, 1ULL << 47, SMART_UNKNOWN - 1, NAN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(makers); i++) {
		make_drive(state);
		make_identify(makers[i].model, false);
		put_attribute(2, makers[i].wear_id, makers[i].wear_value, 34);
		put_attribute(3, makers[i].written_id, 99, makers[i].raw);
		ask();
		assert_int_equal(drive.asked, 2);
		assert_true(isnan(makers[i].wear) ? isnan(smart.wear_percent)
						  : smart.wear_percent == makers[i].wear);
		uint64_t expected = makers[i].bytes == SMART_UNKNOWN - 1 ? (1ULL << 47) * 512
									 : makers[i].bytes;
		assert_true(smart.written_bytes == expected);
		assert_true(smart.temperature_celsius == 40);
		assert_int_equal(smart.power_on_hours, 555);
	}
	says("attribute 241, which this maker counts in units of 512 bytes");
}

/* As QEMU's disks have them: no log, and the temperature in attribute 190. */
static void the_airflow_will_do(void **state)
{
	(void)state;
	memset(drive.attributes, 0, SMART_PAGE_BYTES);
	make_identify("QEMU HARDDISK", false);
	put_attribute(0, 9, 100, 1);
	put_attribute(1, 190, 69, 0x1f1f001f);
	ask();
	assert_true(smart.temperature_celsius == 31);
	assert_int_equal(smart.power_on_hours, 1);
	assert_true(isnan(smart.wear_percent));
}

static void damaged_attributes_are_not_used(void **state)
{
	(void)state;
	make_identify("Samsung SSD 860 EVO 500GB", false);
	drive.attributes[100]++;
	ask();
	knows_nothing();
	says("wrong checksum");
	assert_int_equal(smart.attribute_count, 0);
	for (int byte = 0; byte < 256; byte += 255) {
		memset(drive.attributes, byte, SMART_PAGE_BYTES);
		ask();
		knows_nothing();
		says("blank");
	}
}

/* All thirty are the same one: it is kept once. */
static void a_page_full_of_one_attribute_fits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 30; i++)
		put_attribute(i, 241, 1, i);
	ask();
	assert_int_equal(smart.attribute_count, 1);
	for (unsigned i = 0; i < 30; i++)
		put_attribute(i, (uint8_t)(160 + i * 3), 1, i);
	ask();
	assert_true(smart.attribute_count <= SMART_ATTRIBUTES_MAX);
}

static void damaged_identification_ends_it(void **state)
{
	(void)state;
	drive.identify[54]++;
	ask();
	knows_nothing();
	assert_null(smart.source);
	assert_int_equal(drive.asked, 1);
	for (int byte = 0; byte < 256; byte += 255) {
		memset(drive.identify, byte, SMART_PAGE_BYTES);
		ask();
		knows_nothing();
		assert_int_equal(drive.asked, 1);
	}
	/* An older drive has no checksum there. */
	make_identify("Artificial SSD", false);
	put_word(drive.identify, 255, 0);
	ask();
	assert_string_equal(smart.source, "ata");
}

static void what_a_drive_does_not_know_is_not_asked(void **state)
{
	(void)state;
	put_word(drive.identify, 84, 0x0020); /* no valid word */
	put_word(drive.identify, 85, 0);
	put_checksum(drive.identify);
	ask();
	assert_int_equal(drive.asked, 1);
	knows_nothing();
	says("SMART is turned off in the drive");
	put_word(drive.identify, 82, 0);
	put_checksum(drive.identify);
	ask();
	says("it has no SMART");
}

static void refusals_are_told_and_the_rest_is_tried(void **state)
{
	(void)state;
	drive.log_error = -EIO;
	ask();
	says("its directory of logs: ");
	assert_true(smart.temperature_celsius == 40);
	drive.attributes_error = -ETIMEDOUT;
	ask();
	knows_nothing();
	says("SMART READ DATA: ");
	assert_string_equal(smart.source, "ata");
	drive.identify_error = -EIO;
	ask();
	knows_nothing();
	says("IDENTIFY DEVICE: ");
	assert_null(smart.source);
}

static void blank_statistics_tell_nothing(void **state)
{
	(void)state;
	for (int byte = 0; byte < 256; byte += 255) {
		make_drive(state);
		memset(drive.directory, byte, SMART_PAGE_BYTES);
		memset(drive.statistics, byte, sizeof(drive.statistics));
		ask();
		assert_true(smart.temperature_celsius == 40);
		assert_true(isnan(smart.wear_percent));
		/* the directory is right, the pages are not */
		put_word(drive.directory, 4, 8);
		drive.directory[20] = 1;
		ask();
		assert_true(isnan(smart.wear_percent));
		assert_true(smart.written_bytes == SMART_UNKNOWN);
	}
}

/* Byte by byte as SAT-4 lays them out: read from the device, one block, PIO. */
static void commands_are_wrapped_for_scsi(void **state)
{
	static const struct {
		struct ata_command command;
		uint8_t block[SMART_BLOCK_BYTES];
	} commands[] = {
		{ { ATA_IDENTIFY, 0, 0, 0, "" },
		  { 0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0 } },
		{ { ATA_SMART, ATA_SMART_READ_DATA, 0, 0, "" },
		  { 0x85, 0x08, 0x0e, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0 } },
		{ { ATA_READ_LOG_EXT, 0, 0, 0, "" },
		  { 0x85, 0x09, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2f, 0 } },
		{ { ATA_READ_LOG_EXT, 0, 4, 0x0107, "" },
		  { 0x85, 0x09, 0x0e, 0, 0, 0, 1, 0, 4, 1, 7, 0, 0, 0, 0x2f, 0 } },
	};
	uint8_t block[SMART_BLOCK_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) {
		smart_block(block, &commands[i].command);
		assert_memory_equal(block, commands[i].block, sizeof(block));
	}
}

/* --- as JSON, and of disks that are not asked --- */

static void the_report_has_numbers_or_null(void **state)
{
	(void)state;
	ask();
	json_t *json = smart_json(&smart);
	json_t *expected = json_pack(
		"{s:f,s:f,s:I,s:I,s:s,s:s,s:{s:{s:i,s:i},s:{s:i,s:I},s:{s:i,s:i}}}",
		"temperature_celsius", 33.0, "wear_percent", 4.0, "written_bytes",
		(json_int_t)512000000, "power_on_hours", (json_int_t)100, "source", "ata", "detail",
		smart.detail, "attributes", "9", "value", 99, "raw", 555, "194", "value", 60, "raw",
		(json_int_t)0x002d00140028, "241", "value", 99, "raw", 7777);
	assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
	smart_none(&smart);
	json = smart_json(&smart);
	expected = json_pack("{s:n,s:n,s:n,s:n,s:n,s:n,s:n}", "temperature_celsius", "wear_percent",
			     "written_bytes", "power_on_hours", "source", "detail", "attributes");
	assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
}

static void disks_on_other_buses_are_left_alone(void **state)
{
	static const char *const transports[] = { "usb", "virtio", "scsi", "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(transports); i++) {
		smart_read(&smart, 0, transports[i], "/nonexistent");
		knows_nothing();
		says("only disks on SATA and NVMe are asked");
	}
	/* a number that no disk has */
	smart_read(&smart, 0, "sata", "/nonexistent");
	knows_nothing();
	says("not in sysfs");
}

#define of_drive(test) cmocka_unit_test_setup(test, make_drive)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_nvme_log_is_read),
		cmocka_unit_test(numbers_that_cannot_be_are_not_told),
		cmocka_unit_test(blank_nvme_logs_tell_nothing),
		of_drive(standard_statistics_come_first),
		of_drive(sectors_of_4096_bytes_count_as_such),
		of_drive(statistics_that_are_not_valid_do_not_count),
		of_drive(a_drive_below_freezing_is_told),
		of_drive(pages_that_are_not_listed_are_not_asked_for),
		of_drive(makers_count_in_their_own_way),
		of_drive(the_airflow_will_do),
		of_drive(damaged_attributes_are_not_used),
		of_drive(a_page_full_of_one_attribute_fits),
		of_drive(damaged_identification_ends_it),
		of_drive(what_a_drive_does_not_know_is_not_asked),
		of_drive(refusals_are_told_and_the_rest_is_tried),
		of_drive(blank_statistics_tell_nothing),
		cmocka_unit_test(commands_are_wrapped_for_scsi),
		of_drive(the_report_has_numbers_or_null),
		cmocka_unit_test(disks_on_other_buses_are_left_alone),
	};
	return cmocka_run_group_tests_name("smart", tests, NULL, NULL);
}
