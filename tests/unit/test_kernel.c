/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel lacks, by its configuration and by what it shows, from hand-written trees. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "machine/kernel.h"

#include <string.h>

static char top[64], words[KERNEL_LACKS_BYTES];

static void shell(const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd %s && %s", top, command);
	assert_int_equal(system(line), 0);
}

#define BASE "CONFIG_BLOCK=y\\nCONFIG_EFI_PARTITION=y\\nCONFIG_NLS_CODEPAGE_437=y\\nCONFIG_NLS_ISO8859_1=y\\nCONFIG_VFAT_FS=y\\n"

/* A kernel that has all of it, and says so. */
static int begin(void **state)
{
	(void)state;
	if (scratch_make(top, "kernel"))
		return -1;
	shell("mkdir proc && printf 'nodev\\tsysfs\\n\\tvfat\\n\\text4\\n\\txfs\\n\\tf2fs\\n' > proc/filesystems && echo slabs > proc/slabinfo");
	shell("printf '" BASE "CONFIG_EXT4_FS=y\\nCONFIG_XFS_FS=y\\nCONFIG_F2FS_FS=y\\n' | gzip > proc/config.gz");
	return 0;
}

static int end(void **state)
{
	char line[96];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", top);
	return system(line);
}

static const char *const types[] = { "ext4", "xfs", "f2fs" };

static const char *lacks_for(bool cold)
{
	return kernel_lacks_for(words, types, ARRAY_LENGTH(types), cold, top);
}

static void one_that_has_all_lacks_nothing(void **state)
{
	(void)state;
	assert_string_equal(kernel_lacks(words, top), "");
	assert_string_equal(lacks_for(true), "");
	/* Neither where it does not tell its configuration. */
	shell("rm proc/config.gz");
	assert_string_equal(kernel_lacks(words, top), "");
	assert_string_equal(lacks_for(true), "");
	shell("echo 'this is no gzip' > proc/config.gz");
	assert_string_equal(lacks_for(true), "CONFIG_EXT4_FS (ext4), CONFIG_XFS_FS (xfs), CONFIG_F2FS_FS (f2fs)");
}

static void modules_and_parts_of_names_do_not_count(void **state)
{
	(void)state;
	shell("printf '" BASE "CONFIG_EXT4_FS=m\\n# CONFIG_XFS_FS is not set\\nXCONFIG_F2FS_FS=y\\nCONFIG_F2FS_FS=yes\\n' | gzip > proc/config.gz");
	assert_string_equal(lacks_for(true), "CONFIG_EXT4_FS (ext4), CONFIG_XFS_FS (xfs), CONFIG_F2FS_FS (f2fs)");
	shell("printf 'CONFIG_EFI_PARTITION=y\\nCONFIG_VFAT_FS=m\\n' | gzip > proc/config.gz");
	assert_string_equal(kernel_lacks(words, top), "CONFIG_BLOCK (disks), CONFIG_NLS_CODEPAGE_437 (the results volume's file names), "
						      "CONFIG_NLS_ISO8859_1 (the results volume's file names), CONFIG_VFAT_FS (the results volume)");
}

static void what_it_shows_counts_beside_what_it_tells(void **state)
{
	(void)state;
	shell("printf '\\tvfat2\\n\\text4\\n\\txfs-old\\n' > proc/filesystems && rm proc/slabinfo");
	assert_string_equal(kernel_lacks(words, top), "CONFIG_VFAT_FS (the results volume)");
	assert_string_equal(lacks_for(true), "CONFIG_XFS_FS (xfs), CONFIG_F2FS_FS (f2fs), "
					     "CONFIG_SLUB_DEBUG (/proc/slabinfo, which proves that caches are cold)");
	assert_string_equal(lacks_for(false), "CONFIG_XFS_FS (xfs), CONFIG_F2FS_FS (f2fs)");
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(one_that_has_all_lacks_nothing),
		test(modules_and_parts_of_names_do_not_count),
		test(what_it_shows_counts_beside_what_it_tells),
	};
	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
