/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/verify.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/tree.h"
#include "workload/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

struct verification {
	struct site *site;
	const struct blit_method *method;
	const struct layout *layout;
	uint32_t files, symlinks, directories; /* found */
	uint64_t mismatches;
	char first[TOLD_PATH_BYTES + 256];
};

static void mismatch(struct verification *check, uint32_t index, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void mismatch(struct verification *check, uint32_t index, const char *format, ...)
{
	char path[PATH_MAX], told[TOLD_PATH_BYTES], words[256];
	va_list arguments;

	if (check->mismatches++)
		return;
	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	layout_path(check->layout, index, path, sizeof(path));
	snprintf(check->first, sizeof(check->first), "%s %s", escape_path(told, path), words);
}

static void check_mode(struct verification *check, uint32_t index, const struct stat *status,
		       uint16_t wanted)
{
	if ((status->st_mode & 07777) != wanted)
		mismatch(check, index, "has mode %04o, not %04o", status->st_mode & 07777, wanted);
}

/* Files that share an asset have the mode that the last of several threads has set: one of them
 * must list what was found. */
enum { MODE_FOUND_LISTED = 1 << 14 };

static void check_link_mode(struct verification *check, uint32_t index, const struct stat *status)
{
	const struct entry *entry = &check->layout->entries[index];
	uint16_t *known = &check->site->asset_modes[entry->asset];
	uint16_t found = status->st_mode & 07777;

	if (!(*known & MODE_ANY_LISTED)) {
		check_mode(check, index, status, *known);
		return;
	}
	*known = (uint16_t)(MODE_ANY_LISTED | (*known & MODE_FOUND_LISTED) | found);
	if (entry->mode == found)
		*known |= MODE_FOUND_LISTED;
}

/* Once all have been seen: what none of them lists is told with the first of them. */
static void settle_link_modes(struct verification *check)
{
	for (uint32_t i = 0; i < check->layout->entry_count; i++) {
		const struct entry *entry = &check->layout->entries[i];

		if (entry->type != ENTRY_FILE || entry->asset == NO_ASSET)
			continue;
		uint16_t *known = &check->site->asset_modes[entry->asset], settled = *known;

		*known &= 07777;
		if (settled & MODE_ANY_LISTED && !(settled & MODE_FOUND_LISTED))
			mismatch(check, i, "has mode %04o, which no file of its content lists",
				 *known);
	}
}

static void check_file(struct verification *check, uint32_t index, const struct stat *status)
{
	const struct entry *entry = &check->layout->entries[index];
	uint16_t made = check->method->engine->made_mode(entry);

	check->files++;
	if (entry->asset == NO_ASSET) {
		if (status->st_size || status->st_nlink != 1)
			mismatch(
				check, index,
				"should be an empty file of its own, but has %lld bytes and %ju links",
				(long long)status->st_size, (uintmax_t)status->st_nlink);
		check_mode(check, index, status, made);
		return;
	}
	bool same_inode = status->st_ino == check->site->asset_inodes[entry->asset];
	if (same_inode != method_links(check->method))
		mismatch(check, index, "is %s as asset %s in the store",
			 same_inode ? "the same inode" : "not the same inode",
			 check->site->asset_paths[entry->asset]);
	if ((uint64_t)status->st_size != check->site->workload->contents.list[entry->asset].size)
		mismatch(check, index, "has %lld bytes, not %llu", (long long)status->st_size,
			 (unsigned long long)check->site->workload->contents.list[entry->asset]
				 .size);
	if (method_links(check->method))
		check_link_mode(check, index, status);
	else
		check_mode(check, index, status, made);
}

static void check_symlink(struct verification *check, uint32_t index, int parent, const char *name)
{
	const char *wanted = entry_link_text(check->layout, &check->layout->entries[index]);
	char text[PATH_MAX];
	ssize_t length = readlinkat(parent, name, text, sizeof(text) - 1);

	check->symlinks++;
	if (length < 0) {
		mismatch(check, index, "cannot be read as a link: %s", strerror(errno));
		return;
	}
	text[length] = '\0';
	char told[TOLD_PATH_BYTES], told_wanted[TOLD_PATH_BYTES];
	if (strcmp(text, wanted))
		mismatch(check, index, "points to '%.100s', not to '%.100s'",
			 escape_path(told, text), escape_path(told_wanted, wanted));
}

static void check_entry(struct verification *check, int parent, uint32_t index);

static void check_directory(struct verification *check, uint32_t index, int parent,
			    const char *name)
{
	const struct entry *entry = &check->layout->entries[index];

	check->directories++;
	_cleanup_close_ int fd =
		openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		mismatch(check, index, "cannot be opened: %s", strerror(errno));
		return;
	}
	for (uint32_t i = 0; i < entry->child_count; i++)
		check_entry(check, fd, entry->first_child + i);
	long names = tree_names(fd, NULL);
	if (names < 0)
		mismatch(check, index, "cannot be listed: %s", strerror((int)-names));
	else if (names != (long)entry->child_count)
		mismatch(check, index, "holds %ld names, not %u", names, entry->child_count);
}

static void check_entry(struct verification *check, int parent, uint32_t index)
{
	static const mode_t types[] = {
		[ENTRY_FILE] = S_IFREG, [ENTRY_SYMLINK] = S_IFLNK, [ENTRY_DIRECTORY] = S_IFDIR
	};
	const struct entry *entry = &check->layout->entries[index];
	const char *name = entry_name(check->layout, entry);
	struct stat status;

	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW)) {
		mismatch(check, index, "is not there: %s", strerror(errno));
		return;
	}
	if ((status.st_mode & S_IFMT) != types[entry->type]) {
		mismatch(check, index, "is of another type (%06o)", status.st_mode & S_IFMT);
		return;
	}
	switch ((enum entry_type)entry->type) {
	case ENTRY_FILE:
		check_file(check, index, &status);
		return;
	case ENTRY_SYMLINK:
		check_symlink(check, index, parent, name);
		return;
	case ENTRY_DIRECTORY:
		check_mode(check, index, &status, check->method->engine->made_mode(entry));
		check_directory(check, index, parent, name);
		return;
	}
}

int verify_tree(struct site *site, const struct blit_method *method, const struct layout *layout)
{
	_cleanup_free_ struct verification *check = calloc(1, sizeof(*check));

	if (!check)
		return error_set(-ENOMEM, "out of memory while verifying");
	*check = (struct verification){ .site = site, .method = method, .layout = layout };
	check_entry(check, site->view_fd, 0);
	site->settled = site->settled && !site->view_leaves_traces;
	settle_link_modes(check);
	if (!check->mismatches &&
	    (check->files != layout->file_count || check->symlinks != layout->symlink_count ||
	     check->directories != layout->directory_count))
		mismatch(check, 0,
			 "has %u files, %u symlinks and %u directories, not %u, %u and %u",
			 check->files, check->symlinks, check->directories, layout->file_count,
			 layout->symlink_count, layout->directory_count);
	if (!check->mismatches)
		return 0;
	if (check->mismatches == 1)
		return error_set(-EUCLEAN, "%s", check->first);
	return error_set(-EUCLEAN, "%s (and %llu more)", check->first,
			 (unsigned long long)check->mismatches - 1);
}
