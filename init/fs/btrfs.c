/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fs/rows.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <string.h>

/* btrfs check has 0 and 1, whatever it found or could not do; that it cannot open the node is found
 * out before. */
static int check_status(int exit_status)
{
	return exit_status == 0 ? 0 : exit_status == 1 ? 1 : -1;
}

/* Offsets and bits: struct btrfs_super_block and BTRFS_FEATURE_* in the kernel's
 * include/uapi/linux/btrfs_tree.h and btrfs.h; names as in its sysfs and in mkfs.btrfs(8). */
enum {
	SUPERBLOCK_OFFSET = 65536,
	SUPERBLOCK_BYTES = 4096,
	MAGIC = 0x40,
	DEVICES = 0x88,
	SECTOR_BYTES = 0x90,
	NODE_BYTES = 0x94,
	COMPAT_RO = 0xb4,
	INCOMPAT = 0xbc,
	CHECKSUM = 0xc4,
};

static const char magic[] = "_BHRfS_M";

static const struct feature_name compat_ro[] = {
	{ 0x1, "free_space_tree" },
	{ 0x2, "free_space_tree_valid" },
	{ 0x4, "verity" },
	{ 0x8, "block_group_tree" },
	{ 0, NULL },
};

static const struct feature_name incompat[] = {
	{ 0x1, "mixed_backref" },
	{ 0x2, "default_subvol" },
	{ 0x4, "mixed_groups" },
	{ 0x8, "compress_lzo" },
	{ 0x10, "compress_zstd" },
	{ 0x20, "big_metadata" },
	{ 0x40, "extended_iref" },
	{ 0x80, "raid56" },
	{ 0x100, "skinny_metadata" },
	{ 0x200, "no_holes" },
	{ 0x400, "metadata_uuid" },
	{ 0x800, "raid1c34" },
	{ 0x1000, "zoned" },
	{ 0x2000, "extent_tree_v2" },
	{ 0x4000, "raid_stripe_tree" },
	{ 0x10000, "simple_quota" },
	{ 0, NULL },
};

static const char *checksum_name(uint32_t type)
{
	static const char *const names[] = { "crc32c", "xxhash64", "sha256", "blake2b" };

	return type < ARRAY_LENGTH(names) ? names[type] : "unknown";
}

static int describe(json_t *features, const char *node, const char *mountpoint)
{
	unsigned char super[SUPERBLOCK_BYTES];
	int result = superblock_read(node, SUPERBLOCK_OFFSET, super, sizeof(super));

	(void)mountpoint;
	if (result)
		return result;
	if (memcmp(super + MAGIC, magic, strlen(magic)))
		return error_set(-EINVAL, "%s holds no btrfs superblock", node);
	json_t *names = json_array();
	feature_names(names, le32_at(super, INCOMPAT), incompat, "incompat");
	feature_names(names, le32_at(super, COMPAT_RO), compat_ro, "compat_ro");
	json_object_set_new(features, "features", names);
	json_object_set_new(features, "block_bytes", json_integer(le32_at(super, SECTOR_BYTES)));
	json_object_set_new(features, "node_bytes", json_integer(le32_at(super, NODE_BYTES)));
	json_object_set_new(features, "devices", json_integer(le32_at(super, DEVICES)));
	json_object_set_new(features, "checksum",
			    json_string(checksum_name(le16_at(super, CHECKSUM))));
	return 0;
}

const struct filesystem filesystem_btrfs = {
	.name = "btrfs",
	.type = "btrfs",
	.variant = "default",
	.make = (const char *const[]){ "/sbin/mkfs.btrfs", "-f", "-K", "-q", "-L", FILESYSTEM_LABEL,
				       NULL },
	.check = (const char *const[]){ "/bin/btrfs", "check", "--readonly", NULL },
	.version = (const char *const[]){ "/sbin/mkfs.btrfs", "-V", NULL },
	.mount_options = "nodiscard",
	.inode_slab = "btrfs_inode",
	.minimum_bytes = 1ULL << 30,
	/* Everything is an item of a tree, written twice (mkfs.btrfs(8): metadata is DUP on one
	   device) into leaves that may be half full: 185 bytes for an inode; for a name three items
	   of 40 to 55 bytes and three times the name. BTRFS_LINK_MAX in the kernel's
	   include/uapi/linux/btrfs_tree.h. */
	.inode_bytes = 4 * 185,
	.name_bytes = 4 * 150,
	.name_copies = 4 * 3,
	.inline_link_bytes = 300,
	.links_max = 65535,
	/* Seen on Linux 6.12: after drop_caches and without a remount a blit reads nothing at all. */
	.cold_remounts = true,
	.reflinks = true,
	.check_status = check_status,
	.describe = describe,
};
