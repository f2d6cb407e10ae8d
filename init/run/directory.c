/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/directory.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/mounts.h"
#include "lib/sysfs.h"
#include "lib/tree.h"
#include "lib/values.h"
#include "run/caches.h"
#include "run/describe.h"
#include "run/held.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* --- what it is --- */

/* In .moss: what a run makes there. */
static const char *const made_in_moss[] = { "assets", "root", "handles", "inode-lists", NULL };
static const char *const made_in_directory[] = { ".moss", "usr", NULL };

/* A directory without other names than these. */
static bool holds_only(int parent, const char *path, const char *const *names)
{
	_cleanup_close_ int own = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_closedir_ DIR *listing = own < 0 ? NULL : fdopendir(own);
	bool only = listing;

	if (listing)
		take_fd(&own);
	for (const struct dirent *entry; only && (entry = readdir(listing));) {
		const char *const *name = names;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		while (*name && strcmp(*name, entry->d_name))
			name++;
		only = *name;
	}
	return only;
}

/* Nothing but what a run makes. The .moss of moss itself holds more. */
static bool is_left_over(int fd)
{
	return holds_only(fd, ".", made_in_directory) && holds_only(fd, ".moss", made_in_moss);
}

static int check_empty(const struct directory *directory)
{
	char name[TREE_NAME_BYTES], shown[SENTENCE_NAME_BYTES];
	long names = tree_names(directory->fd, name);

	if (names < 0)
		return error_set((int)names, "%s: cannot be read: %s", directory->shown,
				 strerror((int)-names));
	if (!names)
		return 0;
	if (is_left_over(directory->fd))
		return error_set(-ENOTEMPTY,
				 "%s: not empty, there is what another run has made: let it come to "
				 "its end, or, if it was killed, remove .moss and usr there",
				 directory->shown);
	return error_set(-ENOTEMPTY,
			 "%s: not empty, there is '%s' in it; make a new directory on that "
			 "filesystem",
			 directory->shown, escape_for_sentence(shown, name));
}

/* What is made is made by its path. */
static int check_same(const struct directory *directory)
{
	struct stat opened, named;

	if (!fstat(directory->fd, &opened) && !stat(directory->path, &named) &&
	    opened.st_dev == named.st_dev && opened.st_ino == named.st_ino)
		return 0;
	return error_set(-ESTALE,
			 "%s: not the directory any more that it was when the run began; leave it in its "
			 "place until the run ends",
			 directory->shown);
}

/* proc(5): the mount that a descriptor is on. */
static int mount_id(int fd)
{
	_cleanup_free_ char *text = sysfs_slurp("", "/proc/self/fdinfo/%d", fd);
	const char *line = text ? strstr(text, "mnt_id:") : NULL;

	return line ? atoi(line + strlen("mnt_id:")) : -1;
}

static bool take_mount(void *context, const struct mounted *mounted)
{
	struct directory *directory = context;

	if (mounted->id != directory->mount_id || !*mounted->type)
		return false;
	snprintf(directory->type, sizeof(directory->type), "%s", mounted->type);
	snprintf(directory->options, sizeof(directory->options), "%s", mounted->options);
	snprintf(directory->stat_path, sizeof(directory->stat_path), "/sys/dev/block/%u:%u/stat",
		 major(mounted->number), minor(mounted->number));
	directory->number = mounted->number;
	if (access(directory->stat_path, R_OK)) {
		directory->stat_path[0] = '\0';
		directory->number = 0;
	}
	return true;
}

static int find_mount(struct directory *directory)
{
	directory->mount_id = mount_id(directory->fd);
	mounts_each("", take_mount, directory);
	if (*directory->type)
		return 0;
	return error_set(-ENOENT, "%s: its mount is not in /proc/self/mountinfo", directory->shown);
}

/* Where it is none of the table: on the safe side about room, with the kernel's name of the inodes'
 * slab as most filesystems have it. */
static void describe_other(struct directory *directory)
{
	static const char *const slabs[][2] = {
		{ "tmpfs", "shmem_inode_cache" },
		{ "overlay", "ovl_inode" },
		{ "ext3", "ext4_inode_cache" },
		{ "jfs", "jfs_ip" },
	};

	snprintf(directory->slab, sizeof(directory->slab), "%s_inode_cache", directory->type);
	for (size_t i = 0; i < ARRAY_LENGTH(slabs); i++)
		if (!strcmp(slabs[i][0], directory->type))
			snprintf(directory->slab, sizeof(directory->slab), "%s", slabs[i][1]);
	directory->fs = (struct filesystem){
		.name = directory->type,
		.type = directory->type,
		.inode_slab = directory->slab,
		.inode_bytes = 512,
		.links_max = UINT64_MAX,
		.reflinks = true,
	};
}

/* A directory that only takes in (chattr +a) would keep what is made in it. */
static int check_attributes(const struct directory *directory)
{
	int flags;

	if (ioctl(directory->fd, FS_IOC_GETFLAGS, &flags) || !(flags & FS_APPEND_FL))
		return 0;
	return error_set(-EPERM,
			 "%s: append-only, so that nothing could be removed from it again; make a "
			 "new directory",
			 directory->shown);
}

int directory_open(struct directory *directory, const char *path)
{
	*directory = (struct directory){ .path = path };
	escape_for_sentence(directory->shown, path);
	directory->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory->fd < 0)
		return error_set(-errno, "%s: %s", directory->shown,
				 errno == ENOENT  ? "no such directory; make an empty one"
				 : errno == ENOTDIR ? "no directory"
						    : strerror(errno));
	int result = check_empty(directory);
	if (!result)
		result = check_attributes(directory);
	if (!result && faccessat(directory->fd, ".", W_OK | X_OK, AT_EACCESS))
		result = error_set(-errno, "%s: nothing can be made in it: %s",
				   directory->shown, strerror(errno));
	if (!result)
		result = find_mount(directory);
	if (result)
		return result;
	const struct filesystem *known = filesystem_find(directory->type);
	if (known)
		directory->fs = *known;
	else
		describe_other(directory);
	directory->fs.variant = "default";
	return 0;
}

void directory_close(struct directory *directory)
{
	int fd = take_fd(&directory->fd);

	if (fd >= 0)
		close(fd);
}

int directory_output(const struct directory *directory, const char *folder)
{
	char shown[SENTENCE_NAME_BYTES];

	escape_for_sentence(shown, folder);
	if (mkdir(folder, 0777))
		return error_set(-errno, "%s: the folder of the results cannot be made: %s", shown,
				 errno == EEXIST ? "there already; name a new one" : strerror(errno));
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set(-errno, "%s: cannot open the folder: %s", shown, strerror(errno));
	if (!check_empty(directory))
		return fd;
	close(fd);
	rmdir(folder);
	return error_set(-EINVAL,
			 "%s: in the directory that is left empty; name a folder elsewhere for the "
			 "results",
			 shown);
}

/* --- the run --- */

int directory_start(struct run *run)
{
	const struct directory *directory = run->directory;
	struct cache_counters now;

	run->plan.filesystems[0] = &directory->fs;
	run->plan.filesystem_count = 1;
	if (plan_has_cache(&run->plan, CACHE_COLD) &&
	    cache_counters_read(&now, directory->fs.inode_slab, ""))
		return error_prefix(-EINVAL, "cold cannot be proven on %s, leave it out of caches",
				    directory->shown);
	run_name(run);
	int result = journal_create(&run->journal, run->results.run_fd);
	if (result)
		return result;
	result = run_redact(run);
	if (result)
		return result;
	journal_append(run->journal, "run", describe_run(run));
	run->measured = directory->number;
	held_link(run);
	json_t *disk = json_object();
	link_power_tell(&run->link_power, disk);
	journal_append(run->journal, "target",
		       json_pack("{s:o,s:o}", "directory", json_text(directory->path), "disk", disk));
	progress_say(run->progress, "directory %s: %s (%s), not formatted", directory->shown,
		     directory->type, directory->options);
	return 0;
}

/* Nobody knows what the filesystem went through before; only what is done here is told. */
static void describe_session(const struct directory *directory,
			     const struct session_request *request, json_t *record)
{
	if (!request->plan->age)
		json_object_set_new(record, "age", json_null());
	json_object_set_new(record, "mount",
			    json_pack("{s:s,s:n,s:o}", "type", directory->type, "options",
				      "effective", json_text(directory->options)));
}

/* Of the directory that is open, wherever its name leads to meanwhile. */
static int check_room(const struct directory *directory, const struct session_request *request)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", directory->fd);
	return room_check(directory->room, request->fs, path);
}

static int enter(const struct session_place *place, const struct session_request *request,
		 json_t *record)
{
	struct run *run = place->context;
	struct directory *directory = run->directory;
	const struct cache_counters nothing = { .inodes = 0 };
	struct caches_drop_result drop;

	describe_session(directory, request, record);
	int result = check_same(directory);
	if (!result)
		result = check_empty(directory);
	if (!result)
		result = check_room(directory, request);
	if (result || !plan_has_cache(request->plan, CACHE_COLD))
		return result;
	result = caches_drop(&drop, request->fs->inode_slab, &nothing, &nothing, "");
	directory->pinned = drop.cold;
	return result;
}

/* What others may have put beside our own, or in the place of it before it was made, is theirs. */
static int leave(const struct session_place *place, const struct session_request *request,
		 unsigned made, json_t *record)
{
	static const struct {
		unsigned which;
		const char *name;
	} ours[] = { { SESSION_MADE_STORE, ".moss" }, { SESSION_MADE_USR, "usr" } };
	const struct run *run = place->context;
	char reason[512] = "";
	int result = 0;

	(void)record;
	progress_update(request->progress, "removing what was made", 0, 0);
	for (size_t i = 0; i < ARRAY_LENGTH(ours); i++) {
		int removed = made & ours[i].which ? tree_clear(run->directory->fd, ours[i].name) : 0;

		if (removed && !result)
			snprintf(reason, sizeof(reason), "%s", error_text());
		result = result ? result : removed;
	}
	return result ? error_set(result, "%s is not empty again: %s", run->directory->shown, reason)
		      : 0;
}

static int in_directory(struct run *run, const struct room *room, struct session_request *request)
{
	struct directory *directory = run->directory;
	const struct session_place place = {
		.enter = enter, .leave = leave, .context = run, .pinned = &directory->pinned
	};

	directory->room = room;
	request->path = directory->shown;
	request->directory_fd = directory->fd;
	request->stat_path = *directory->stat_path ? directory->stat_path : NULL;
	return session_run(request, &place);
}

int directory_sessions(struct run *run)
{
	mode_t before = umask(022);
	int result = run_sessions_in(run, in_directory);

	umask(before);
	return result;
}
