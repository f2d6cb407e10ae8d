/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fs/rows.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/mounts.h"
#include "lib/values.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <time.h>

enum {
	MAKE_LIMIT_SECONDS = 900,
	CHECK_LIMIT_SECONDS = 3600,
	VERSION_LIMIT_SECONDS = 30,
	UNMOUNT_LIMIT_SECONDS = 60,
	ARGV_MAX = 32,
};

/* A new filesystem is one row here; its file holds the row. */
static const struct filesystem *const table[] = { &filesystem_ext4, &filesystem_xfs,
						  &filesystem_xfs_parent, &filesystem_f2fs,
						  &filesystem_btrfs };

const struct filesystem *filesystem_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	return NULL;
}

const char *filesystem_names(void)
{
	static char names[256];

	names[0] = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", table[i]->name);
	}
	return names;
}

/* command and the node after it. */
static void join_argv(const char *argv[ARGV_MAX], const char *const *command, const char *node)
{
	size_t count = 0;

	while (command[count] && count < ARGV_MAX - 2) {
		argv[count] = command[count];
		count++;
	}
	argv[count] = node;
	argv[count + 1] = NULL;
}

int filesystem_make(const struct filesystem *fs, const char *node, struct child_result *result)
{
	const char *argv[ARGV_MAX];

	join_argv(argv, fs->make, node);
	return child_run(argv, MAKE_LIMIT_SECONDS, result);
}

/* The first word of a tool's output that is a number with points: "mke2fs 1.47.2 (1-Jan-2025)",
 * "btrfs-progs v6.14". NULL where there is none. */
static json_t *version_number(const char *output)
{
	for (const char *word = output; *word;) {
		word += word[0] == 'v' && word[1] >= '0' && word[1] <= '9';
		size_t length = strcspn(word, " \t\r\n");

		if (*word >= '0' && *word <= '9' && memchr(word, '.', length))
			return json_stringn(word, length);
		word += length;
		word += strspn(word, " \t\r\n");
	}
	return json_null();
}

json_t *filesystem_make_json(const struct filesystem *fs, const char *node)
{
	const char *argv[ARGV_MAX];
	struct child_result result;
	json_t *words = json_array();

	join_argv(argv, fs->make, node);
	for (size_t i = 0; argv[i]; i++)
		json_array_append_new(words, json_text(argv[i]));
	json_t *version = child_run(fs->version, VERSION_LIMIT_SECONDS, &result)
				  ? json_null()
				  : version_number(result.output);
	return json_pack("{s:o, s:o}", "argv", words, "version", version);
}

int filesystem_mount(const struct filesystem *fs, const char *node, const char *mountpoint)
{
	if (!mount(node, mountpoint, fs->type, fs->mount_flags, fs->mount_options))
		return 0;
	int code = errno;
	const char *hint = "";
	if (code == ENODEV)
		hint = "; this kernel has no such filesystem";
	else if (code == EINVAL)
		hint = "; is a feature that mkfs chose newer than this kernel? Its log says more";
	return error_set(-code, "cannot mount %s as %s on %s (%s): %s%s", node, fs->type,
			 mountpoint, fs->mount_options, strerror(code), hint);
}

struct effective {
	const char *mountpoint;
	json_t *options;
};

/* The last mount there is the one that is seen. */
static bool take_options(void *context, const struct mounted *mounted)
{
	struct effective *effective = context;

	if (strcmp(mounted->where, effective->mountpoint))
		return false;
	json_decref(effective->options);
	effective->options = json_text(mounted->options);
	return false;
}

static json_t *effective_options(const char *mountpoint)
{
	struct effective effective = { .mountpoint = mountpoint };

	mounts_each("", take_options, &effective);
	return effective.options ? effective.options : json_null();
}

json_t *filesystem_mount_json(const struct filesystem *fs, const char *mountpoint)
{
	return json_pack("{s:s, s:o}", "options", fs->mount_options, "effective",
			 effective_options(mountpoint));
}

int filesystem_unmount(const char *mountpoint)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
	double start = clock_seconds();

	while (umount2(mountpoint, UMOUNT_NOFOLLOW)) {
		int code = errno;

		if (code != EBUSY)
			return error_set(-code, "cannot unmount %s: %s", mountpoint,
					 strerror(code));
		if (clock_seconds() - start >= UNMOUNT_LIMIT_SECONDS)
			return error_set(-EBUSY, "cannot unmount %s: it was in use for %d seconds",
					 mountpoint, UNMOUNT_LIMIT_SECONDS);
		nanosleep(&pause, NULL);
	}
	return 0;
}

int superblock_read(const char *node, uint64_t offset, void *buffer, size_t size)
{
	_cleanup_close_ int fd = open(node, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(-errno, "cannot open %s: %s", node, strerror(errno));
	ssize_t got = pread(fd, buffer, size, (off_t)offset);
	if (got < 0)
		return error_set(-errno, "cannot read the superblock of %s: %s", node,
				 strerror(errno));
	return (size_t)got == size ? 0
				   : error_set(-EIO, "%s ends before its superblock does", node);
}

uint32_t le16_at(const unsigned char *bytes, size_t offset)
{
	return (uint32_t)bytes[offset] | (uint32_t)bytes[offset + 1] << 8;
}

uint32_t le32_at(const unsigned char *bytes, size_t offset)
{
	return le16_at(bytes, offset) | le16_at(bytes, offset + 2) << 16;
}

void feature_names(json_t *list, uint32_t bits, const struct feature_name *names, const char *word)
{
	for (; names->name; names++) {
		if (bits & names->bit)
			json_array_append_new(list, json_string(names->name));
		bits &= ~names->bit;
	}
	for (; bits; bits &= bits - 1)
		json_array_append_new(list, json_sprintf("%s 0x%" PRIx32, word, bits & -bits));
}

json_t *filesystem_features(const struct filesystem *fs, const char *node, const char *mountpoint)
{
	json_t *features = json_object();
	struct statvfs now;

	if (!statvfs(mountpoint, &now)) {
		json_object_set_new(features, "total_bytes",
				    json_integer((json_int_t)(now.f_blocks * now.f_frsize)));
		json_object_set_new(features, "free_bytes",
				    json_integer((json_int_t)(now.f_bfree * now.f_frsize)));
		json_object_set_new(features, "total_inodes",
				    json_integer((json_int_t)now.f_files));
		json_object_set_new(features, "free_inodes", json_integer((json_int_t)now.f_ffree));
	}
	if (fs->describe(features, node, mountpoint))
		json_object_set_new(features, "error", json_text(error_text()));
	return features;
}

int filesystem_check(const struct filesystem *fs, const char *node, json_t **check)
{
	static const char *const words[] = { "not-run", "clean", "errors" };
	const char *argv[ARGV_MAX];
	struct child_result result = { 0 };

	/* The tools do not tell a node that cannot be read from a damaged filesystem, so that is
	 * found out first. */
	_cleanup_close_ int fd = open(node, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		*check = json_pack("{s:s, s:n, s:n, s:o}", "status", words[0], "exit_status",
				   "seconds", "output",
				   json_sprintf("cannot open %s: %s", node, strerror(errno)));
		return 0;
	}
	join_argv(argv, fs->check, node);
	int error = child_run(argv, CHECK_LIMIT_SECONDS, &result);
	int status = error && error != -EIO ? -1 : fs->check_status(result.exit_status);
	*check = json_pack("{s:s, s:i, s:f}", "status", words[status + 1], "exit_status",
			   result.exit_status, "seconds", result.seconds);
	if (status)
		json_object_set_new(*check, "output",
				    json_text(result.output[0] ? result.output : error_text()));
	return error == -EBUSY ? error : 0;
}
