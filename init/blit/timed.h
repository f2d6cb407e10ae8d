/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls that a blit is made of, and how long each takes by kind. blit_linkat is linkat, and so
 * on for each line of the table. Where times are not wanted, that costs a call two instructions: a
 * comparison and a branch that is never taken (tests/bench/latency counts them). Where they are,
 * the clock is read right before and right after the call, and a histogram of the thread's own
 * takes what lies between.
 */
#ifndef BLITBENCH_BLIT_TIMED_H
#define BLITBENCH_BLIT_TIMED_H

#include "blit/calls.h"
#include "blit/handles.h"
#include "blit/inode_chunks.h"
#include "measure/latency.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

/* Kind, name in reports, type and name of the function, its parameters, the call. One system call
 * is several kinds where it does different things. */
#define TIMED_TABLE(CALL)                                                                        \
	CALL(MKDIRAT, "mkdirat", int, mkdirat,                                                   \
	     (int parent, const char *name, mode_t mode), (parent, name, mode),                  \
	     mkdirat(parent, name, mode))                                                        \
	CALL(OPEN_DIRECTORY, "openat (directory)", int, open_directory,                          \
	     (int parent, const char *name), (parent, name),                                     \
	     openat(parent, name, O_RDONLY | O_DIRECTORY))                                       \
	CALL(SYMLINKAT, "symlinkat", int, symlinkat,                                             \
	     (const char *text, int parent, const char *name), (text, parent, name),             \
	     symlinkat(text, parent, name))                                                      \
	CALL(OPEN_NEW, "openat (new file)", int, open_new,                                       \
	     (int parent, const char *name, int flags, mode_t mode),                             \
	     (parent, name, flags, mode), openat(parent, name, flags, mode))                     \
	CALL(OPEN_ASSET, "openat (asset)", int, open_asset,                                      \
	     (int store_fd, const char *path, int flags), (store_fd, path, flags),               \
	     openat(store_fd, path, flags))                                                      \
	CALL(READ_INODE, "open_by_handle_at (inode)", int, read_inode,                           \
	     (const struct handles *handles, int mount_fd, uint32_t asset),                      \
	     (handles, mount_fd, asset), handles_open(handles, mount_fd, asset, O_PATH))         \
	CALL(READ_CHUNK, "ioctl (XFS_IOC_BULKSTAT)", int, read_chunk, (int fd, uint64_t inode),  \
	     (fd, inode), inode_chunks_read(fd, inode))                                          \
	CALL(OPEN_BY_HANDLE_AT, "open_by_handle_at (asset)", int, open_by_handle_at,             \
	     (const struct handles *handles, int mount_fd, uint32_t asset),                      \
	     (handles, mount_fd, asset), handles_open(handles, mount_fd, asset, O_PATH))         \
	CALL(FSTAT, "fstat", int, fstat, (int fd, struct stat *status), (fd, status),            \
	     fstat(fd, status))                                                                  \
	CALL(FCHMOD, "fchmod", int, fchmod, (int fd, mode_t mode), (fd, mode), fchmod(fd, mode)) \
	CALL(FCHMODAT2, "fchmodat2", int, fchmodat2,                                             \
	     (int parent, const char *name, mode_t mode, int flags),                             \
	     (parent, name, mode, flags), call_fchmodat2(parent, name, mode, flags))             \
	CALL(FCHOWN, "fchown", int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid),      \
	     fchown(fd, uid, gid))                                                               \
	CALL(LINKAT, "linkat", int, linkat,                                                      \
	     (int from, const char *path, int parent, const char *name, int flags),              \
	     (from, path, parent, name, flags), linkat(from, path, parent, name, flags))         \
	CALL(FICLONE, "ioctl (FICLONE)", int, ficlone, (int source, int target),                 \
	     (source, target), ioctl(target, FICLONE, source))                                   \
	CALL(COPY_FILE_RANGE, "copy_file_range", ssize_t, copy_file_range,                       \
	     (int source, int target, size_t bytes), (source, target, bytes),                    \
	     copy_file_range(source, NULL, target, NULL, bytes, 0))                              \
	CALL(SENDFILE, "sendfile", ssize_t, sendfile, (int source, int target, size_t bytes),    \
	     (source, target, bytes), sendfile(target, source, NULL, bytes))                     \
	CALL(CLOSE, "close", int, close, (int fd), (fd), close(fd))

#define TIMED_KIND(kind, told, type, name, parameters, values, call) TIMED_##kind,
enum timed_kind { TIMED_TABLE(TIMED_KIND) TIMED_KINDS };

/* "linkat", "openat (new file)" */
const char *timed_name(enum timed_kind kind);

/* This thread's histograms, TIMED_KINDS of them; NULL while its calls are not timed. */
extern _Thread_local struct latency *timed_mine __attribute__((tls_model("local-exec")));

/* Can be set for the compiler, to see what the question costs. */
#ifndef TIMED_IS_ON
#define TIMED_IS_ON __builtin_expect(timed_mine != NULL, 0)
#endif

#define TIMED_FUNCTIONS(kind, told, type, name, parameters, values, call) \
	type timed_##name parameters;                                     \
	static inline type blit_##name parameters                         \
	{                                                                 \
		return TIMED_IS_ON ? timed_##name values : call;          \
	}
TIMED_TABLE(TIMED_FUNCTIONS)

static inline void cleanup_blit_close(int *fd)
{
	if (*fd >= 0)
		blit_close(*fd);
}

#define _cleanup_blit_close_ __attribute__((cleanup(cleanup_blit_close)))

/* What timing adds to a call, in nanoseconds, measured here and now on calls that fail at once. */
double timed_cost_nanoseconds(void);

#endif
