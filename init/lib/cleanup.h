/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resources that are given back when the variable leaves its scope. take_fd and take_pointer hand
 * one out of it. */
#ifndef BLITBENCH_LIB_CLEANUP_H
#define BLITBENCH_LIB_CLEANUP_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void cleanup_closedir(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

#define _cleanup_close_ __attribute__((cleanup(cleanup_close)))
#define _cleanup_free_ __attribute__((cleanup(cleanup_free)))
#define _cleanup_fclose_ __attribute__((cleanup(cleanup_fclose)))
#define _cleanup_closedir_ __attribute__((cleanup(cleanup_closedir)))

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define take_pointer(pointer)                           \
	({                                              \
		__typeof__(pointer) taken_ = (pointer); \
		(pointer) = NULL;                       \
		taken_;                                 \
	})

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#endif
