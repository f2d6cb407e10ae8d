/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asking the drive. Only commands that read; the disk's node is opened O_RDONLY. */
#include "disk/node.h"
#include "disk/smart.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/values.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <math.h>
#include <scsi/sg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { LIMIT_MILLISECONDS = 5000 };

/* SAT-4, ATA PASS-THROUGH (16) */
enum {
	PASS_THROUGH_16 = 0x85,
	PROTOCOL_PIO_IN = 4 << 1,
	EXTEND = 1,
	/* from the device, in blocks, as many as the count says */
	TRANSFER_IN = 1 << 3 | 1 << 2 | 2,
	SMART_LBA_MID = 0x4f,
	SMART_LBA_HIGH = 0xc2
};

void smart_block(uint8_t block[SMART_BLOCK_BYTES], const struct ata_command *command)
{
	bool smart = command->command == ATA_SMART, wide = command->command == ATA_READ_LOG_EXT;
	/* The log's number is in LBA 7:0, its page in 15:8 and 39:32, high half first in the block. */
	const uint8_t bytes[SMART_BLOCK_BYTES] = {
		[0] = PASS_THROUGH_16,
		[1] = PROTOCOL_PIO_IN | (wide ? EXTEND : 0),
		[2] = TRANSFER_IN,
		[4] = command->feature,
		[6] = 1,
		[8] = command->log,
		[9] = (uint8_t)(command->page >> 8),
		[10] = smart ? SMART_LBA_MID : (uint8_t)command->page,
		[12] = smart ? SMART_LBA_HIGH : 0,
		[14] = command->command,
	};

	memcpy(block, bytes, sizeof(bytes));
}

static int pass_through(void *context, const struct ata_command *command,
			uint8_t page[SMART_PAGE_BYTES])
{
	uint8_t block[SMART_BLOCK_BYTES], sense[32] = { 0 };
	struct sg_io_hdr request = {
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmd_len = sizeof(block),
		.mx_sb_len = sizeof(sense),
		.dxfer_len = SMART_PAGE_BYTES,
		.dxferp = page,
		.cmdp = block,
		.sbp = sense,
		.timeout = LIMIT_MILLISECONDS,
	};

	smart_block(block, command);
	memset(page, 0, SMART_PAGE_BYTES);
	if (ioctl(*(int *)context, SG_IO, &request))
		return -errno;
	if (request.host_status == 3) /* DID_TIME_OUT */
		return -ETIMEDOUT;
	if ((request.info & SG_INFO_OK_MASK) != SG_INFO_OK || request.resid)
		return -EIO;
	return 0;
}

static void ask_nvme(struct smart *smart, int fd)
{
	uint8_t page[SMART_PAGE_BYTES] = { 0 };
	struct nvme_admin_cmd command = {
		.opcode = 0x02,	    /* Get Log Page */
		.nsid = 0xffffffff, /* of the whole controller */
		.addr = (uintptr_t)page,
		.data_len = sizeof(page),
		/* the log's number, and how many words of 4 bytes less one */
		.cdw10 = 0x02 | (sizeof(page) / 4 - 1) << 16,
		.timeout_ms = LIMIT_MILLISECONDS,
	};
	int result = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);

	if (!result) {
		smart_from_nvme(smart, page);
		return;
	}
	if (result < 0)
		snprintf(smart->detail, sizeof(smart->detail), "the drive's health log: %s",
			 strerror(errno));
	else
		snprintf(smart->detail, sizeof(smart->detail),
			 "the drive refused its health log (NVMe status 0x%x)", (unsigned)result);
}

static int open_disk(dev_t partition, const char *node_directory)
{
	dev_t disk = sysfs_whole_disk(partition, "");
	char node[96];

	if (!disk)
		return error_set(-ENODEV, "its disk is not in sysfs");
	if (snprintf(node, sizeof(node), "%s/disk-%u-%u", node_directory, major(disk),
		     minor(disk)) >= (int)sizeof(node))
		return error_set(-ENAMETOOLONG, "the folder's name %s is too long", node_directory);
	int result = node_make(node, disk);
	if (result)
		return result;
	/* To be asked, not to be written to. */
	int fd = node_open(node, disk, O_RDONLY | O_NONBLOCK);
	unlink(node);
	return fd;
}

void smart_read(struct smart *smart, dev_t number, const char *transport,
		const char *node_directory)
{
	bool nvme = !strcmp(transport, "nvme");

	smart_none(smart);
	if (!nvme && strcmp(transport, "sata")) {
		/* Some bridges of USB hang on what they do not know. */
		snprintf(smart->detail, sizeof(smart->detail),
			 "only disks on SATA and NVMe are asked, and this one is on %s",
			 transport[0] ? transport : "something unknown");
		return;
	}
	_cleanup_close_ int fd = open_disk(number, node_directory);
	if (fd < 0)
		snprintf(smart->detail, sizeof(smart->detail), "%s", error_text());
	else if (nvme)
		ask_nvme(smart, fd);
	else
		smart_from_ata(smart, pass_through, &fd);
}

static json_t *count_json(uint64_t count)
{
	return count == SMART_UNKNOWN ? json_null() : json_integer((json_int_t)count);
}

/* {"177": {"value", "raw"}}; null where it has none. */
static json_t *attributes_json(const struct smart *smart)
{
	json_t *attributes = json_object();
	char id[8];

	if (!smart->attribute_count) {
		json_decref(attributes);
		return json_null();
	}
	for (unsigned i = 0; i < smart->attribute_count; i++) {
		const struct smart_attribute *attribute = &smart->attributes[i];

		snprintf(id, sizeof(id), "%u", attribute->id);
		json_object_set_new(attributes, id,
				    json_pack("{s:i,s:I}", "value", attribute->value, "raw",
					      (json_int_t)attribute->raw));
	}
	return attributes;
}

json_t *smart_json(const struct smart *smart)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "temperature_celsius",
			 json_measured(smart->temperature_celsius), "wear_percent",
			 json_measured(smart->wear_percent), "written_bytes",
			 count_json(smart->written_bytes), "power_on_hours",
			 count_json(smart->power_on_hours), "source",
			 smart->source ? json_string(smart->source) : json_null(), "detail",
			 smart->detail[0] ? json_text(smart->detail) : json_null(), "attributes",
			 attributes_json(smart));
}
