/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a drive says it is: temperature, wear, bytes written. What it is asked only ever reads:
 * IDENTIFY DEVICE, READ LOG EXT and SMART READ DATA of ATA (ACS-4), and Get Log Page of NVMe (base
 * specification 2.0). The rules are pure functions of the pages; asking is at the end.
 */
#ifndef BLITBENCH_DISK_SMART_H
#define BLITBENCH_DISK_SMART_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SMART_PAGE_BYTES = 512, SMART_ATTRIBUTES_MAX = 12 };

#define SMART_UNKNOWN UINT64_MAX

/* One of ATA's attributes: what it means is its maker's business. */
struct smart_attribute {
	uint8_t id, value;
	uint64_t raw; /* 48 bits */
};

struct smart {
	double temperature_celsius; /* NAN: not told */
	double wear_percent;	    /* used of its life, may pass 100; NAN: not told, or not known how */
	uint64_t written_bytes;	    /* by the host, since it was made; SMART_UNKNOWN */
	uint64_t power_on_hours;
	const char *source; /* "ata", "nvme"; NULL: no answer */
	char detail[400];   /* where the figures come from and what is missing, as a sentence */
	/* those that may tell wear, temperature, hours or bytes, for who knows the drive */
	struct smart_attribute attributes[SMART_ATTRIBUTES_MAX];
	unsigned attribute_count;
};

/* Nothing known; detail "" */
void smart_none(struct smart *smart);

/* NVMe's SMART / Health Information (log page 02h). False, with detail, where the page is blank. */
bool smart_from_nvme(struct smart *smart, const uint8_t page[SMART_PAGE_BYTES]);

enum { ATA_READ_LOG_EXT = 0x2f, ATA_SMART = 0xb0, ATA_IDENTIFY = 0xec, ATA_SMART_READ_DATA = 0xd0 };

/* A command of ATA that brings one page. */
struct ata_command {
	uint8_t command, feature; /* of the above */
	uint8_t log;	/* of READ LOG EXT */
	uint16_t page;	/* of READ LOG EXT */
	const char *name;
};

/* 0, or a negative errno: the drive, or something on the way to it, refused or did not answer. */
typedef int ata_ask(void *context, const struct ata_command *command,
		    uint8_t page[SMART_PAGE_BYTES]);

/* Asks one thing after the other, as far as the drive says it knows them. */
void smart_from_ata(struct smart *smart, ata_ask *ask, void *context);

/* The command as SCSI carries it: ATA PASS-THROUGH (16) of SAT-4. */
enum { SMART_BLOCK_BYTES = 16 };
void smart_block(uint8_t block[SMART_BLOCK_BYTES], const struct ata_command *command);

/*
 * Asks the disk that the partition is on; number is the partition's, transport as in disk/device.h. It
 * is opened O_RDONLY by a private node in node_directory, and each question has 5 s. Whatever goes
 * wrong is in detail.
 */
void smart_read(struct smart *smart, dev_t number, const char *transport,
		const char *node_directory);

/* {temperature_celsius, wear_percent, written_bytes, power_on_hours, source, detail, attributes} */
json_t *smart_json(const struct smart *smart);

#endif
