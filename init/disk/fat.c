/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/fat.h"

#include "lib/error.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR_MIN = 512, SECTOR_MAX = 4096, COPY_SECTOR = 6 };

static unsigned number16(const unsigned char *at)
{
	return at[0] | (unsigned)at[1] << 8;
}

static uint32_t number32(const unsigned char *at)
{
	return number16(at) | (uint32_t)number16(at + 2) << 16;
}

static bool is_power_of_two(unsigned number)
{
	return number && !(number & (number - 1));
}

/* Is it one, and of a FAT that fits into the device? */
static bool is_boot_sector(const unsigned char *sector, uint64_t device_bytes)
{
	unsigned sector_bytes = number16(sector + 11);
	uint64_t sectors = number16(sector + 19) ? number16(sector + 19) : number32(sector + 32);

	return sector[510] == 0x55 && sector[511] == 0xaa && is_power_of_two(sector_bytes) &&
	       sector_bytes >= SECTOR_MIN && sector_bytes <= SECTOR_MAX &&
	       is_power_of_two(sector[13]) && number16(sector + 14) && sector[16] &&
	       sector[21] >= 0xf0 && (number16(sector + 22) || number32(sector + 36)) && sectors &&
	       sectors <= device_bytes / sector_bytes;
}

static bool is_fat32(const unsigned char *sector)
{
	return !number16(sector + 22);
}

static void take(const unsigned char *sector, struct fat *fat)
{
	const unsigned char *at = sector + (is_fat32(sector) ? 67 : 39);
	size_t length = sizeof(fat->label) - 1;

	fat->serial = number32(at);
	memcpy(fat->label, at + 4, length);
	while (length && fat->label[length - 1] == ' ')
		length--;
	fat->label[length] = '\0';
}

int fat_read(int fd, uint64_t device_bytes, struct fat *fat)
{
	unsigned char sector[SECTOR_MIN];
	ssize_t got = pread(fd, sector, sizeof(sector), 0);

	if (got < 0)
		return error_set(-errno, "its boot sector cannot be read: %s", strerror(errno));
	if (got != sizeof(sector) || !is_boot_sector(sector, device_bytes))
		return error_set(-EUCLEAN, "its boot sector is damaged");
	take(sector, fat);
	return 0;
}

/* How large its sectors are is told by the copy alone. */
static int read_copy(int fd, uint64_t device_bytes, unsigned char sector[SECTOR_MIN])
{
	for (unsigned size = SECTOR_MIN; size <= SECTOR_MAX; size *= 2)
		if (pread(fd, sector, SECTOR_MIN, (off_t)size * COPY_SECTOR) == SECTOR_MIN &&
		    is_boot_sector(sector, device_bytes) && is_fat32(sector) &&
		    number16(sector + 11) == size && number16(sector + 50) == COPY_SECTOR)
			return 0;
	return error_set(-EUCLEAN, "its boot sector is damaged, and there is no good copy of it");
}

int fat_read_copy(int fd, uint64_t device_bytes, struct fat *fat)
{
	unsigned char sector[SECTOR_MIN];
	int result = read_copy(fd, device_bytes, sector);

	if (!result)
		take(sector, fat);
	return result;
}

int fat_restore(int fd, uint64_t device_bytes)
{
	unsigned char sector[SECTOR_MIN];
	int result = read_copy(fd, device_bytes, sector);

	if (result)
		return result;
	if (pwrite(fd, sector, sizeof(sector), 0) != sizeof(sector) || fsync(fd))
		return error_set(-errno, "its boot sector cannot be written: %s", strerror(errno));
	return 0;
}
