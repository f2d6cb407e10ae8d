/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fs/rows.h"

#include "lib/error.h"

#include <errno.h>

/*
 * fsck.f2fs has e2fsck's bits: 1 (would be corrected), 4 (left uncorrected), 8 and more where it
 * could not do its work. It gives up with 255 where checkpoint or superblock are beyond use, and
 * where it would ask a person about lost files, but not where it cannot open the node: that is 8.
 */
static int check_status(int exit_status)
{
	if (exit_status == 0)
		return 0;
	return exit_status < 8 || exit_status == 255 ? 1 : -1;
}

/* Offsets and bits: struct f2fs_super_block in include/linux/f2fs_fs.h and F2FS_FEATURE_* in
 * fs/f2fs/f2fs.h of the kernel. */
enum {
	SUPERBLOCK_OFFSET = 1024,
	SUPERBLOCK_BYTES = 3072,
	MAJOR = 4,
	MINOR = 6,
	LOG_BLOCK_SIZE = 16,
	LOG_BLOCKS_PER_SEGMENT = 20,
	SEGMENTS_PER_SECTION = 24,
	SECTIONS_PER_ZONE = 28,
	SECTIONS = 44,
	SEGMENTS = 48,
	SEGMENTS_MAIN = 68,
	FEATURE = 2180,
};

static const uint32_t MAGIC = 0xf2f52010;

static const struct feature_name bits[] = {
	{ 0x1, "encrypt" },
	{ 0x2, "blkzoned" },
	{ 0x4, "atomic_write" },
	{ 0x8, "extra_attr" },
	{ 0x10, "project_quota" },
	{ 0x20, "inode_checksum" },
	{ 0x40, "flexible_inline_xattr" },
	{ 0x80, "quota" },
	{ 0x100, "inode_crtime" },
	{ 0x200, "lost_found" },
	{ 0x400, "verity" },
	{ 0x800, "sb_checksum" },
	{ 0x1000, "casefold" },
	{ 0x2000, "compression" },
	{ 0x4000, "ro" },
	{ 0x8000, "device_alias" },
	{ 0, NULL },
};

static int describe(json_t *features, const char *node, const char *mountpoint)
{
	unsigned char super[SUPERBLOCK_BYTES];
	int result = superblock_read(node, SUPERBLOCK_OFFSET, super, sizeof(super));

	(void)mountpoint;
	if (result)
		return result;
	uint32_t log_block = le32_at(super, LOG_BLOCK_SIZE),
		 log_segment = le32_at(super, LOG_BLOCKS_PER_SEGMENT);
	if (le32_at(super, 0) != MAGIC || log_block > 16 || log_segment > 20)
		return error_set(-EINVAL, "%s holds no f2fs superblock", node);
	json_t *names = json_array();
	feature_names(names, le32_at(super, FEATURE), bits, "feature");
	json_object_set_new(features, "features", names);
	json_object_set_new(features, "format",
			    json_sprintf("%u.%u", le16_at(super, MAJOR), le16_at(super, MINOR)));
	json_object_set_new(features, "block_bytes", json_integer(1LL << log_block));
	json_object_set_new(features, "segment_bytes",
			    json_integer(1LL << (log_block + log_segment)));
	json_object_set_new(features, "segments", json_integer(le32_at(super, SEGMENTS)));
	json_object_set_new(features, "segments_main", json_integer(le32_at(super, SEGMENTS_MAIN)));
	json_object_set_new(features, "segments_per_section",
			    json_integer(le32_at(super, SEGMENTS_PER_SECTION)));
	json_object_set_new(features, "sections", json_integer(le32_at(super, SECTIONS)));
	json_object_set_new(features, "sections_per_zone",
			    json_integer(le32_at(super, SECTIONS_PER_ZONE)));
	return 0;
}

const struct filesystem filesystem_f2fs = {
	.name = "f2fs",
	.type = "f2fs",
	.variant = "default",
	/* -f: it refuses over an old filesystem; -t 0: no discard of its own. Its -q would silence
	   the errors too. */
	.make = (const char *const[]){ "/sbin/mkfs.f2fs", "-f", "-t", "0", "-l", FILESYSTEM_LABEL,
				       NULL },
	.check = (const char *const[]){ "/sbin/fsck.f2fs", "--dry-run", NULL },
	.version = (const char *const[]){ "/sbin/mkfs.f2fs", "-V", NULL },
	.mount_options = "nodiscard",
	.inode_slab = "f2fs_inode_cache",
	.minimum_bytes = 1ULL << 30,
	/* A node block of 4 KiB for each inode, which has place for 3,488 bytes of a file or a link
	   text, or for 182 times 8 bytes of names. F2FS_LINK_MAX in the kernel's
	   include/linux/f2fs_fs.h. */
	.inode_bytes = 4096,
	.inline_file_bytes = 3400,
	.inline_link_bytes = 3400,
	.inline_names_bytes = 1400,
	.links_max = UINT32_MAX,
	.check_status = check_status,
	.describe = describe,
};
