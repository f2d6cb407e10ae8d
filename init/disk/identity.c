/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a whole disk is: each transport keeps model, serial and firmware in a place of its own. */
#include "disk/scan.h"
#include "lib/cleanup.h"
#include "lib/sysfs.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/hdreg.h>
#include <string.h>
#include <sys/ioctl.h>

/* ATA's IDENTIFY data: serial in words 10-19, firmware 23-26, model 27-46; bytes are swapped. */
enum { ATA_SERIAL_WORD = 10, ATA_FIRMWARE_WORD = 23, ATA_MODEL_WORD = 27 };
enum { ATA_SERIAL_BYTES = 20, ATA_FIRMWARE_BYTES = 8, ATA_MODEL_BYTES = 40 };
/* VPD pages: 89h (SAT-4) is 60 bytes, then the IDENTIFY data; 80h is 4 bytes, then the serial. */
enum { VPD_HEADER_BYTES = 4, VPD_ATA_IDENTIFY_OFFSET = 60, ATA_IDENTIFY_BYTES = 512 };

/* Copies without the blanks at both ends; a NUL ends it early. */
static void copy_trimmed(char *to, size_t size, const char *from, size_t length)
{
	static const char blanks[] = " \t\n";

	length = strnlen(from, length);
	while (length && strchr(blanks, *from)) {
		from++;
		length--;
	}
	while (length && strchr(blanks, from[length - 1]))
		length--;
	snprintf(to, size, "%.*s", (int)length, from);
}

static void read_text(char *to, size_t size, const char *root, const char *name, const char *file)
{
	char text[256];

	if (sysfs_read(text, sizeof(text), root, "/sys/class/block/%s/%s", name, file) == 0)
		copy_trimmed(to, size, text, strlen(text));
}

static size_t read_page(unsigned char *page, size_t size, const char *root, const char *name,
			const char *file)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/sys/class/block/%s/device/%s", root, name, file) >=
	    (int)sizeof(path))
		return 0;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, page, size);
	return length < 0 ? 0 : (size_t)length;
}

static void copy_ata_words(char *to, size_t size, const unsigned char *identify, size_t word,
			   size_t length)
{
	char text[ATA_MODEL_BYTES];

	for (size_t i = 0; i < length; i++)
		text[i] = (char)identify[2 * word + (i ^ 1)];
	copy_trimmed(to, size, text, length);
}

static void read_ata(const struct scan *scan, struct block_device *disk, int fd)
{
	struct hd_driveid identity;
	unsigned char page[VPD_ATA_IDENTIFY_OFFSET + ATA_IDENTIFY_BYTES];

	/* Here the driver has swapped the bytes back. */
	if (fd >= 0 && ioctl(fd, HDIO_GET_IDENTITY, &identity) == 0) {
		copy_trimmed(disk->model, sizeof(disk->model), (char *)identity.model,
			     sizeof(identity.model));
		copy_trimmed(disk->serial, sizeof(disk->serial), (char *)identity.serial_no,
			     sizeof(identity.serial_no));
		copy_trimmed(disk->firmware, sizeof(disk->firmware), (char *)identity.fw_rev,
			     sizeof(identity.fw_rev));
		return;
	}
	if (read_page(page, sizeof(page), scan->root, disk->name, "vpd_pg89") < sizeof(page))
		return;
	const unsigned char *identify = page + VPD_ATA_IDENTIFY_OFFSET;
	copy_ata_words(disk->model, sizeof(disk->model), identify, ATA_MODEL_WORD, ATA_MODEL_BYTES);
	copy_ata_words(disk->serial, sizeof(disk->serial), identify, ATA_SERIAL_WORD,
		       ATA_SERIAL_BYTES);
	copy_ata_words(disk->firmware, sizeof(disk->firmware), identify, ATA_FIRMWARE_WORD,
		       ATA_FIRMWARE_BYTES);
}

/* What every SCSI disk says in its inquiry; fills only what is still empty. */
static void read_scsi(const struct scan *scan, struct block_device *disk)
{
	char vendor[64] = "", model[64] = "";
	unsigned char page[VPD_HEADER_BYTES + 252];

	read_text(vendor, sizeof(vendor), scan->root, disk->name, "device/vendor");
	read_text(model, sizeof(model), scan->root, disk->name, "device/model");
	bool say_vendor = vendor[0] && strcmp(vendor, "ATA") && strncmp(vendor, "0x", 2);
	if (!disk->model[0])
		snprintf(disk->model, sizeof(disk->model), "%s%s%s", say_vendor ? vendor : "",
			 say_vendor && model[0] ? " " : "", model);
	if (!disk->firmware[0])
		read_text(disk->firmware, sizeof(disk->firmware), scan->root, disk->name,
			  "device/rev");
	size_t length = read_page(page, sizeof(page), scan->root, disk->name, "vpd_pg80");
	if (!disk->serial[0] && length > VPD_HEADER_BYTES)
		copy_trimmed(disk->serial, sizeof(disk->serial), (char *)page + VPD_HEADER_BYTES,
			     length - VPD_HEADER_BYTES);
}

/* The USB device is some directories above: the first one with a vendor's number. */
static void read_usb_serial(const struct scan *scan, struct block_device *disk, const char *path)
{
	char above[PATH_MAX], text[256];

	snprintf(above, sizeof(above), "%s", path);
	for (char *slash; (slash = strrchr(above, '/')) && slash > above + strlen(scan->root);
	     *slash = '\0') {
		if (sysfs_read(text, sizeof(text), above, "/idVendor"))
			continue;
		if (!sysfs_read(text, sizeof(text), above, "/serial"))
			copy_trimmed(disk->serial, sizeof(disk->serial), text, strlen(text));
		return;
	}
}

static const char *transport_of(const char *path)
{
	if (scan_path_number(path, "usb") >= 0)
		return "usb";
	if (scan_path_number(path, "ata") >= 0)
		return "sata";
	if (strstr(path, "/nvme"))
		return "nvme";
	if (scan_path_number(path, "virtio") >= 0)
		return "virtio";
	return scan_path_number(path, "host") >= 0 ? "scsi" : "";
}

void scan_identity(const struct scan *scan, size_t index, int fd)
{
	struct block_device *disk = &scan->list->devices[index];

	/* Only below root: a test's folder may be called anything. */
	const char *path = strstr(scan->paths[index], "/devices/");
	const char *transport = transport_of(path ? path : "");
	strcpy(disk->transport, transport);
	if (!strcmp(transport, "nvme")) {
		read_text(disk->model, sizeof(disk->model), scan->root, disk->name, "device/model");
		read_text(disk->serial, sizeof(disk->serial), scan->root, disk->name,
			  "device/serial");
		read_text(disk->firmware, sizeof(disk->firmware), scan->root, disk->name,
			  "device/firmware_rev");
		return;
	}
	if (!strcmp(transport, "sata"))
		read_ata(scan, disk, fd);
	if (!strcmp(transport, "usb"))
		read_usb_serial(scan, disk, scan->paths[index]);
	if (!strcmp(transport, "virtio"))
		read_text(disk->serial, sizeof(disk->serial), scan->root, disk->name, "serial");
	read_scsi(scan, disk);
}
