/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fs/rows.h"

#include "lib/error.h"

#include <errno.h>

/* e2fsck(8): the sum of 1 (corrected), 2 (reboot), 4 (left uncorrected), and of 8 and more where it
 * could not do its work. */
static int check_status(int exit_status)
{
	if (exit_status == 0)
		return 0;
	return exit_status < 16 && exit_status & 7 ? 1 : -1;
}

/* Offsets: Documentation/filesystems/ext4/super.rst. Names: the kernel's fs/ext4/ext4.h, spelt as
 * in ext4(5). */
enum {
	SUPERBLOCK_OFFSET = 1024,
	SUPERBLOCK_BYTES = 1024,
	MAGIC = 0xef53,
	INODES_COUNT = 0x00,
	LOG_BLOCK_SIZE = 0x18,
	INODES_PER_GROUP = 0x28,
	MAGIC_AT = 0x38,
	INODE_SIZE = 0x58,
	COMPAT = 0x5c,
	INCOMPAT = 0x60,
	RO_COMPAT = 0x64,
	JOURNAL_SIZE_HIGH = 0x148,
	JOURNAL_SIZE = 0x14c,
	LOG_GROUPS_PER_FLEX = 0x174,
};

static const struct feature_name compat[] = {
	{ 0x1, "dir_prealloc" },   { 0x4, "has_journal" },
	{ 0x8, "ext_attr" },	   { 0x10, "resize_inode" },
	{ 0x20, "dir_index" },	   { 0x200, "sparse_super2" },
	{ 0x400, "fast_commit" },  { 0x800, "stable_inodes" },
	{ 0x1000, "orphan_file" }, { 0, NULL },
};

static const struct feature_name incompat[] = {
	{ 0x2, "filetype" },
	{ 0x4, "needs_recovery" },
	{ 0x10, "meta_bg" },
	{ 0x40, "extent" },
	{ 0x80, "64bit" },
	{ 0x100, "mmp" },
	{ 0x200, "flex_bg" },
	{ 0x400, "ea_inode" },
	{ 0x2000, "metadata_csum_seed" },
	{ 0x4000, "large_dir" },
	{ 0x8000, "inline_data" },
	{ 0x10000, "encrypt" },
	{ 0x20000, "casefold" },
	{ 0, NULL },
};

static const struct feature_name ro_compat[] = {
	{ 0x1, "sparse_super" },
	{ 0x2, "large_file" },
	{ 0x8, "huge_file" },
	{ 0x10, "uninit_bg" },
	{ 0x20, "dir_nlink" },
	{ 0x40, "extra_isize" },
	{ 0x100, "quota" },
	{ 0x200, "bigalloc" },
	{ 0x400, "metadata_csum" },
	{ 0x2000, "project" },
	{ 0x8000, "verity" },
	{ 0x10000, "orphan_present" },
	{ 0, NULL },
};

static int describe(json_t *features, const char *node, const char *mountpoint)
{
	unsigned char super[SUPERBLOCK_BYTES];
	int result = superblock_read(node, SUPERBLOCK_OFFSET, super, sizeof(super));

	(void)mountpoint;
	if (result)
		return result;
	if (le16_at(super, MAGIC_AT) != MAGIC || le32_at(super, LOG_BLOCK_SIZE) > 6)
		return error_set(-EINVAL, "%s holds no ext4 superblock", node);
	json_t *names = json_array();
	feature_names(names, le32_at(super, COMPAT), compat, "compat");
	feature_names(names, le32_at(super, INCOMPAT), incompat, "incompat");
	feature_names(names, le32_at(super, RO_COMPAT), ro_compat, "ro_compat");
	json_object_set_new(features, "features", names);
	json_object_set_new(features, "block_bytes",
			    json_integer(1024 << le32_at(super, LOG_BLOCK_SIZE)));
	json_object_set_new(features, "inode_bytes", json_integer(le16_at(super, INODE_SIZE)));
	json_object_set_new(features, "inodes", json_integer(le32_at(super, INODES_COUNT)));
	json_object_set_new(features, "inodes_per_group",
			    json_integer(le32_at(super, INODES_PER_GROUP)));
	json_object_set_new(features, "flex_groups",
			    json_integer(1LL << (super[LOG_GROUPS_PER_FLEX] & 31)));
	json_object_set_new(features, "log_bytes",
			    json_integer((json_int_t)le32_at(super, JOURNAL_SIZE_HIGH) << 32 |
					 le32_at(super, JOURNAL_SIZE)));
	return 0;
}

const struct filesystem filesystem_ext4 = {
	.name = "ext4",
	.type = "ext4",
	.variant = "default",
	/* Lazy initialisation would run behind the trials; below 512 MiB mke2fs would take 1 KiB
	   blocks; one discard for all. */
	.make = (const char *const[]){ "/sbin/mkfs.ext4", "-F", "-q", "-b", "4096", "-L",
				       FILESYSTEM_LABEL, "-E",
				       "lazy_itable_init=0,lazy_journal_init=0,nodiscard", NULL },
	.check = (const char *const[]){ "/sbin/e2fsck", "-f", "-n", NULL },
	.version = (const char *const[]){ "/sbin/mkfs.ext4", "-V", NULL },
	.mount_options = "nodiscard",
	.inode_slab = "ext4_inode_cache",
	.minimum_bytes = 1ULL << 30,
	/* Inode tables are made by mke2fs; of contents only short link texts lie in them.
	   mke2fs.conf: one inode for 16 KiB. EXT4_LINK_MAX in the kernel's fs/ext4/ext4.h. */
	.inline_link_bytes = 59,
	.bytes_per_inode = 16384,
	.links_max = 65000,
	.check_status = check_status,
	.describe = describe,
};
