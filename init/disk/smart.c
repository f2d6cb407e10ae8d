/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of ATA and NVMe, and what they mean. */
#include "disk/smart.h"

#include "disk/words.h"
#include "lib/cleanup.h"
#include "lib/values.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

enum { CELSIUS_MIN = -40, CELSIUS_MAX = 150, HOURS_MAX = 1000000 };

/* NVMe, figure "SMART / Health Information Log Page" */
enum {
	NVME_KELVIN = 1,
	NVME_PERCENTAGE_USED = 5,
	NVME_UNITS_WRITTEN = 48,
	NVME_POWER_ON_HOURS = 128,
	NVME_UNIT_BYTES = 512000 /* 1000 units of 512 bytes, rounded up */
};

/* IDENTIFY DEVICE data, in words */
enum {
	IDENTIFY_MODEL = 27,
	IDENTIFY_MODEL_BYTES = 40,
	IDENTIFY_SUPPORTED = 82, /* bit 0: SMART */
	IDENTIFY_SUPPORTED_2 = 83,
	IDENTIFY_SUPPORTED_3 = 84, /* bit 5: general purpose logging */
	IDENTIFY_ENABLED = 85,	   /* bit 0: SMART */
	IDENTIFY_SECTOR = 106,	   /* bit 12: words 117 and 118 tell its size */
	IDENTIFY_SECTOR_WORDS = 117,
	IDENTIFY_INTEGRITY = 255, /* A5h in the low byte: the high one is a checksum */
	INTEGRITY_SIGNATURE = 0xa5
};

/* Logs, and the pages of "Device Statistics" */
enum {
	LOG_DIRECTORY = 0x00,
	LOG_STATISTICS = 0x04,
	STATISTICS_LIST = 0,
	STATISTICS_GENERAL = 1,
	STATISTICS_TEMPERATURE = 5,
	STATISTICS_SOLID_STATE = 7
};

/* SMART READ DATA */
enum {
	ATTRIBUTES_OFFSET = 2,
	ATTRIBUTE_BYTES = 12,
	ATTRIBUTES = 30,
	ATTRIBUTE_HOURS = 9,
	ATTRIBUTE_AIRFLOW = 190,
	ATTRIBUTE_TEMPERATURE = 194
};

void smart_none(struct smart *smart)
{
	*smart = (struct smart){
		.temperature_celsius = NAN,
		.wear_percent = NAN,
		.written_bytes = SMART_UNKNOWN,
		.power_on_hours = SMART_UNKNOWN,
	};
}

static void tell(struct smart *smart, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void tell(struct smart *smart, const char *format, ...)
{
	size_t used = strlen(smart->detail);
	struct words words = { .text = smart->detail + used, .size = sizeof(smart->detail) - used };
	char text[sizeof(smart->detail)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (words.size > 4)
		words_add(&words, "%s%s", used ? "; " : "", text);
}

/* --- little-endian numbers --- */

static uint64_t number_at(const uint8_t *bytes, unsigned length)
{
	uint64_t value = 0;

	while (length--)
		value = value << 8 | bytes[length];
	return value;
}

static unsigned word_at(const uint8_t *page, unsigned word)
{
	return (unsigned)number_at(page + 2 * word, 2);
}

/* All bytes the same: nobody has filled it. */
static bool is_blank(const uint8_t page[SMART_PAGE_BYTES])
{
	for (unsigned i = 1; i < SMART_PAGE_BYTES; i++)
		if (page[i] != page[0])
			return false;
	return page[0] == 0x00 || page[0] == 0xff;
}

static bool adds_up_to_zero(const uint8_t page[SMART_PAGE_BYTES])
{
	uint8_t sum = 0;

	for (unsigned i = 0; i < SMART_PAGE_BYTES; i++)
		sum = (uint8_t)(sum + page[i]);
	return !sum;
}

/* --- values that can be --- */

static double celsius(double value)
{
	return value >= CELSIUS_MIN && value <= CELSIUS_MAX ? value : NAN;
}

static uint64_t hours(uint64_t value)
{
	return value <= HOURS_MAX ? value : SMART_UNKNOWN;
}

/* In bytes; an exabyte is more than any drive has written. */
static uint64_t written(uint64_t units, uint64_t unit_bytes)
{
	return units <= (uint64_t)1000000000000000000 / unit_bytes ? units * unit_bytes
								   : SMART_UNKNOWN;
}

/* --- NVMe --- */

bool smart_from_nvme(struct smart *smart, const uint8_t page[SMART_PAGE_BYTES])
{
	/* The counters have 128 bits; whoever uses the upper half has not counted. */
	bool odd_units = number_at(page + NVME_UNITS_WRITTEN + 8, 8);
	bool odd_hours = number_at(page + NVME_POWER_ON_HOURS + 8, 8);

	smart_none(smart);
	if (is_blank(page)) {
		tell(smart, "the drive's health log is blank");
		return false;
	}
	smart->source = "nvme";
	smart->temperature_celsius = celsius((double)number_at(page + NVME_KELVIN, 2) - 273);
	smart->wear_percent = page[NVME_PERCENTAGE_USED];
	if (!odd_units)
		smart->written_bytes =
			written(number_at(page + NVME_UNITS_WRITTEN, 8), NVME_UNIT_BYTES);
	if (!odd_hours)
		smart->power_on_hours = hours(number_at(page + NVME_POWER_ON_HOURS, 8));
	tell(smart, "NVMe health log; written_bytes counts units of 512,000 bytes, rounded up");
	return true;
}

/* --- ATA: what each maker means --- */

enum meaning { LIFE_LEFT, BYTES_WRITTEN };

/*
 * Attributes with a meaning that the makers' data sheets and smartmontools' drive database (drivedb.h)
 * agree on, by the beginning of the model's name. LIFE_LEFT: the normalized value goes down from 100.
 */
static const struct {
	const char *model;
	uint8_t id;
	enum meaning meaning;
	uint64_t unit_bytes;
} meanings[] = {
	{ "Samsung", 177, LIFE_LEFT, 0 },
	{ "Samsung", 241, BYTES_WRITTEN, 512 },
	{ "INTEL", 233, LIFE_LEFT, 0 },
	{ "INTEL", 241, BYTES_WRITTEN, 32 << 20 },
	{ "Crucial", 202, LIFE_LEFT, 0 },
	{ "Crucial", 246, BYTES_WRITTEN, 512 },
	{ "CT", 202, LIFE_LEFT, 0 },
	{ "CT", 246, BYTES_WRITTEN, 512 },
	{ "Micron", 202, LIFE_LEFT, 0 },
	{ "Micron", 246, BYTES_WRITTEN, 512 },
	{ "KINGSTON", 231, LIFE_LEFT, 0 },
	{ "KINGSTON", 241, BYTES_WRITTEN, 1 << 30 },
	{ "SanDisk", 241, BYTES_WRITTEN, 1 << 30 },
	{ "WDC WDS", 241, BYTES_WRITTEN, 1 << 30 },
};

/* Kept in the report. */
static const uint8_t kept[SMART_ATTRIBUTES_MAX] = { 9,	 169, 177, 190, 194, 202,
						    231, 232, 233, 241, 246, 249 };

static const struct smart_attribute *find(const struct smart *smart, uint8_t id)
{
	for (unsigned i = 0; i < smart->attribute_count; i++)
		if (smart->attributes[i].id == id)
			return &smart->attributes[i];
	return NULL;
}

/* The table's rows of this model; what the statistics have told already stays. */
static void apply_meanings(struct smart *smart, const char *model)
{
	for (size_t i = 0; i < ARRAY_LENGTH(meanings); i++) {
		const struct smart_attribute *attribute = find(smart, meanings[i].id);

		if (!attribute || strncasecmp(model, meanings[i].model, strlen(meanings[i].model)))
			continue;
		if (meanings[i].meaning == LIFE_LEFT && isnan(smart->wear_percent) &&
		    attribute->value <= 100) {
			smart->wear_percent = 100 - attribute->value;
			tell(smart, "wear_percent is 100 less attribute %u", attribute->id);
		}
		if (meanings[i].meaning == BYTES_WRITTEN && smart->written_bytes == SMART_UNKNOWN) {
			smart->written_bytes = written(attribute->raw, meanings[i].unit_bytes);
			tell(smart,
			     "written_bytes is attribute %u, which this maker counts in units of "
			     "%llu bytes",
			     attribute->id, (unsigned long long)meanings[i].unit_bytes);
		}
	}
}

/* The lowest byte is the temperature, others may hold the extremes; a signed number. */
static void take_temperature(struct smart *smart)
{
	static const uint8_t ids[] = { ATTRIBUTE_TEMPERATURE, ATTRIBUTE_AIRFLOW };

	for (size_t i = 0; i < ARRAY_LENGTH(ids) && isnan(smart->temperature_celsius); i++) {
		const struct smart_attribute *attribute = find(smart, ids[i]);

		if (attribute && attribute->raw)
			smart->temperature_celsius = celsius((int8_t)(attribute->raw & 0xff));
	}
}

static void take_attributes(struct smart *smart, const uint8_t page[SMART_PAGE_BYTES])
{
	for (unsigned i = 0; i < ATTRIBUTES; i++) {
		const uint8_t *at = page + ATTRIBUTES_OFFSET + i * ATTRIBUTE_BYTES;

		if (at[0] && memchr(kept, at[0], sizeof(kept)) && !find(smart, at[0]))
			smart->attributes[smart->attribute_count++] = (struct smart_attribute){
				.id = at[0], .value = at[3], .raw = number_at(at + 5, 6)
			};
	}
}

static void read_attributes(struct smart *smart, const char *model, ata_ask *ask, void *context)
{
	static const struct ata_command command = { ATA_SMART, ATA_SMART_READ_DATA, 0, 0,
						  "SMART READ DATA" };
	uint8_t page[SMART_PAGE_BYTES];
	int result = ask(context, &command, page);

	if (result) {
		tell(smart, "%s: %s", command.name, strerror(-result));
		return;
	}
	if (is_blank(page)) {
		tell(smart, "%s is blank", command.name);
		return;
	}
	if (!adds_up_to_zero(page)) {
		tell(smart, "%s has a wrong checksum and is not used", command.name);
		return;
	}
	take_attributes(smart, page);
	take_temperature(smart);
	const struct smart_attribute *age = find(smart, ATTRIBUTE_HOURS);
	/* Above 32 bits some count minutes or milliseconds. */
	if (age && smart->power_on_hours == SMART_UNKNOWN)
		smart->power_on_hours = hours(age->raw & 0xffffffff);
	apply_meanings(smart, model);
	if (isnan(smart->wear_percent) || smart->written_bytes == SMART_UNKNOWN)
		tell(smart, "what its attributes say of wear or bytes written is its maker's "
			    "affair, see attributes");
}

/* --- ATA: device statistics, which a standard defines --- */

struct statistics {
	struct smart *smart;
	unsigned sector_bytes;
	bool any;
};

/* A number of the page: bits 63 and 62 say that it is there and valid. */
static bool statistic(const uint8_t *page, unsigned offset, unsigned bytes, uint64_t *value)
{
	if ((page[offset + 7] & 0xc0) != 0xc0)
		return false;
	*value = number_at(page + offset, bytes);
	return true;
}

static void take_statistics(struct statistics *statistics, unsigned number,
			    const uint8_t page[SMART_PAGE_BYTES])
{
	struct smart *smart = statistics->smart;
	uint64_t value;

	/* Each page tells its own number, which an answer to another question does not. */
	if (page[2] != number || is_blank(page))
		return;
	if (number == STATISTICS_GENERAL && statistic(page, 16, 4, &value))
		smart->power_on_hours = hours(value);
	if (number == STATISTICS_GENERAL && statistic(page, 24, 6, &value)) {
		smart->written_bytes = written(value, statistics->sector_bytes);
		statistics->any = true;
	}
	if (number == STATISTICS_TEMPERATURE && statistic(page, 8, 1, &value)) {
		smart->temperature_celsius = celsius((int8_t)value);
		statistics->any = true;
	}
	if (number == STATISTICS_SOLID_STATE && statistic(page, 8, 1, &value)) {
		smart->wear_percent = (double)value;
		statistics->any = true;
	}
}

static int read_log(uint8_t page[SMART_PAGE_BYTES], uint8_t log, uint16_t number, ata_ask *ask,
		    void *context)
{
	const struct ata_command command = { ATA_READ_LOG_EXT, 0, log, number, "READ LOG EXT" };

	return ask(context, &command, page);
}

static void read_statistics(struct statistics *statistics, ata_ask *ask, void *context)
{
	static const uint8_t wanted[] = { STATISTICS_GENERAL, STATISTICS_TEMPERATURE,
					  STATISTICS_SOLID_STATE };
	uint8_t list[SMART_PAGE_BYTES], page[SMART_PAGE_BYTES];
	int result = read_log(page, LOG_DIRECTORY, 0, ask, context);

	if (result) {
		tell(statistics->smart, "its directory of logs: %s", strerror(-result));
		return;
	}
	/* Word N of the directory: how many pages log N has. */
	if (!word_at(page, LOG_STATISTICS) || is_blank(page))
		return;
	result = read_log(list, LOG_STATISTICS, STATISTICS_LIST, ask, context);
	for (size_t i = 0; !result && i < ARRAY_LENGTH(wanted); i++) {
		/* Byte 8 counts the numbers that follow, of which all that it can say fit. */
		if (!memchr(list + 9, wanted[i], list[8]))
			continue;
		result = read_log(page, LOG_STATISTICS, wanted[i], ask, context);
		if (!result)
			take_statistics(statistics, wanted[i], page);
	}
	if (result)
		tell(statistics->smart, "its device statistics: %s", strerror(-result));
	else if (statistics->any)
		tell(statistics->smart, "ATA device statistics");
}

/* --- ATA: what it is and what it knows --- */

/* Bits of words 82 to 84 count where word 83 has bit 14 set and bit 15 not. */
static bool words_valid(unsigned word)
{
	return (word & 0xc000) == 0x4000;
}

static unsigned sector_bytes(const uint8_t identify[SMART_PAGE_BYTES])
{
	unsigned word = word_at(identify, IDENTIFY_SECTOR);
	uint64_t words = number_at(identify + 2 * IDENTIFY_SECTOR_WORDS, 4);

	if (!words_valid(word) || !(word & 1 << 12) || words < 256 || words > 32768)
		return 512;
	return (unsigned)words * 2;
}

static void read_model(char model[IDENTIFY_MODEL_BYTES + 1], const uint8_t *identify)
{
	for (unsigned i = 0; i < IDENTIFY_MODEL_BYTES; i++)
		model[i] = (char)identify[2 * IDENTIFY_MODEL + (i ^ 1)];
	model[IDENTIFY_MODEL_BYTES] = '\0';
}

void smart_from_ata(struct smart *smart, ata_ask *ask, void *context)
{
	static const struct ata_command command = { ATA_IDENTIFY, 0, 0, 0, "IDENTIFY DEVICE" };
	uint8_t identify[SMART_PAGE_BYTES];
	char model[IDENTIFY_MODEL_BYTES + 1];

	smart_none(smart);
	int result = ask(context, &command, identify);
	if (result) {
		tell(smart, "%s: %s", command.name, strerror(-result));
		return;
	}
	if (is_blank(identify) ||
	    ((word_at(identify, IDENTIFY_INTEGRITY) & 0xff) == INTEGRITY_SIGNATURE &&
	     !adds_up_to_zero(identify))) {
		tell(smart, "%s is blank or has a wrong checksum", command.name);
		return;
	}
	smart->source = "ata";
	read_model(model, identify);
	struct statistics statistics = { .smart = smart, .sector_bytes = sector_bytes(identify) };
	unsigned logging = word_at(identify, IDENTIFY_SUPPORTED_3);
	if (words_valid(logging) && logging & 1 << 5)
		read_statistics(&statistics, ask, context);
	bool known = words_valid(word_at(identify, IDENTIFY_SUPPORTED_2)) &&
		     word_at(identify, IDENTIFY_SUPPORTED) & 1;
	/* Turning it on would change the drive. */
	if (known && word_at(identify, IDENTIFY_ENABLED) & 1)
		read_attributes(smart, model, ask, context);
	else
		tell(smart, known ? "SMART is turned off in the drive" : "it has no SMART");
}
