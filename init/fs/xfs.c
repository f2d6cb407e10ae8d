/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fs/rows.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <string.h>
#include <sys/ioctl.h>

/* xfs_repair(8): with -n, 1 where it found corruption, else 0. */
static int check_status(int exit_status)
{
	return exit_status == 0 ? 0 : exit_status == 1 ? 1 : -1;
}

/* XFS_IOC_FSGEOMETRY and its flags: ioctl_xfs_fsgeometry(2) and the kernel's
 * fs/xfs/libxfs/xfs_fs.h. */
struct geometry {
	uint32_t block_bytes, rt_extent_blocks, ag_blocks, ag_count, log_blocks, sector_bytes,
		inode_bytes, inode_max_percent;
	uint64_t data_blocks, rt_blocks, rt_extents, log_start;
	unsigned char uuid[16];
	uint32_t stripe_unit, stripe_width;
	int32_t version;
	uint32_t flags, log_sector_bytes, rt_sector_bytes, directory_block_bytes, log_stripe_bytes;
	uint32_t sick, checked;
	uint64_t reserved[17];
};

_Static_assert(sizeof(struct geometry) == 256,
	       "the kernel's size of the structure is part of the ioctl's number");

#define GEOMETRY_REQUEST _IOR('X', 126, struct geometry)

static const struct feature_name flags[] = {
	{ 1U << 0, "attr" },
	{ 1U << 1, "nlink" },
	{ 1U << 2, "quota" },
	{ 1U << 3, "inode_alignment" },
	{ 1U << 4, "data_alignment" },
	{ 1U << 5, "shared" },
	{ 1U << 6, "extent_flag" },
	{ 1U << 7, "directory_v2" },
	{ 1U << 8, "log_v2" },
	{ 1U << 9, "sector" },
	{ 1U << 10, "attr2" },
	{ 1U << 11, "projid32bit" },
	{ 1U << 12, "ascii_ci" },
	{ 1U << 14, "lazy_count" },
	{ 1U << 15, "crc" },
	{ 1U << 16, "ftype" },
	{ 1U << 17, "finobt" },
	{ 1U << 18, "sparse_inodes" },
	{ 1U << 19, "rmapbt" },
	{ 1U << 20, "reflink" },
	{ 1U << 21, "bigtime" },
	{ 1U << 22, "inobtcount" },
	{ 1U << 23, "nrext64" },
	{ 1U << 24, "exchange" },
	{ 1U << 25, "parent" },
	{ 1U << 26, "metadir" },
	{ 0, NULL },
};

static int describe(json_t *features, const char *node, const char *mountpoint)
{
	struct geometry geometry = { 0 };

	(void)node;
	_cleanup_close_ int fd = open(mountpoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, GEOMETRY_REQUEST, &geometry))
		return error_set(-errno, "cannot ask xfs on %s for its geometry: %s", mountpoint,
				 strerror(errno));
	json_t *names = json_array();
	feature_names(names, geometry.flags, flags, "flag");
	json_object_set_new(features, "features", names);
	json_object_set_new(features, "block_bytes", json_integer(geometry.block_bytes));
	json_object_set_new(features, "inode_bytes", json_integer(geometry.inode_bytes));
	json_object_set_new(features, "inode_max_percent",
			    json_integer(geometry.inode_max_percent));
	json_object_set_new(features, "sector_bytes", json_integer(geometry.sector_bytes));
	json_object_set_new(features, "directory_block_bytes",
			    json_integer(geometry.directory_block_bytes));
	json_object_set_new(features, "agcount", json_integer(geometry.ag_count));
	json_object_set_new(features, "ag_bytes",
			    json_integer((json_int_t)geometry.ag_blocks * geometry.block_bytes));
	json_object_set_new(features, "log_bytes",
			    json_integer((json_int_t)geometry.log_blocks * geometry.block_bytes));
	return 0;
}

/* An inode of 512 bytes keeps 336 for names or a link text; a quarter more, since chunks of 64 are
 * not always full and are indexed. mkfs.xfs(8): inodes take at most a quarter of less than 1 TiB.
 * XFS_MAXLINK in the kernel's fs/xfs/libxfs/xfs_format.h. */
/* clang-format off */
#define XFS_ROW								\
	.type = "xfs",							\
	.check = (const char *const[]){ "/sbin/xfs_repair", "-n", NULL },	\
	.version = (const char *const[]){ "/sbin/mkfs.xfs", "-V", NULL },	\
	.mount_options = "nodiscard",					\
	.inode_slab = "xfs_inode",					\
	.minimum_bytes = 1ULL << 30,					\
	.bytes_per_inode = 4 * 512,					\
	.links_max = INT32_MAX,						\
	.reflinks = true, /* mkfs.xfs(8): by default */			\
	.check_status = check_status,					\
	.describe = describe
/* clang-format on */

const struct filesystem filesystem_xfs = {
	XFS_ROW,
	.name = "xfs",
	.variant = "default",
	.make = (const char *const[]){ "/sbin/mkfs.xfs", "-f", "-K", "-q", "-L", FILESYSTEM_LABEL,
				       NULL },
	.inode_bytes = 512 + 128,
	.inline_link_bytes = 300,
	.inline_names_bytes = 300,
};

/* As AerynOS makes it: each link also writes into its inode who its directory is and what it is
 * called there. */
const struct filesystem filesystem_xfs_parent = {
	XFS_ROW,
	.name = "xfs-parent",
	.variant = "parent",
	.make = (const char *const[]){ "/sbin/mkfs.xfs", "-f", "-K", "-q", "-L", FILESYSTEM_LABEL,
				       "-n", "parent=1", "-i", "exchange=1", NULL },
	/* That takes some of what names and texts have in the others, and of inodes with many links a
	   block outside. */
	.inode_bytes = 2 * (512 + 128),
	.inline_link_bytes = 200,
	.inline_names_bytes = 200,
};
