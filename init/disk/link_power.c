/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/link_power.h"

#include "disk/scan.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/values.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

/* "" where the disk does not hang on a port of SATA. */
static void find_file(struct link_power *link, dev_t number, const char *root)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", root, major(number), minor(number));
	_cleanup_free_ char *real = realpath(path, NULL);
	/* Only below root: a test's folder may be called anything. */
	const char *devices = real ? strstr(real, "/devices/") : NULL;
	int host = devices && scan_path_number(devices, "ata") >= 0
			   ? scan_path_number(devices, "host")
			   : -1;
	int length = snprintf(link->file, sizeof(link->file),
			      "%s/sys/class/scsi_host/host%d/link_power_management_policy", root,
			      host);

	if (host < 0 || length >= (int)sizeof(link->file))
		link->file[0] = '\0';
}

static int read_policy(const struct link_power *link, char policy[LINK_POWER_BYTES])
{
	policy[0] = '\0';
	return link->file[0] ? sysfs_read(policy, LINK_POWER_BYTES, "", "%s", link->file) : -ENOENT;
}

int link_power_hold(struct link_power *link, dev_t number, const char *wanted, const char *root)
{
	memset(link, 0, sizeof(*link));
	snprintf(link->requested, sizeof(link->requested), "%s", wanted);
	find_file(link, number, root);
	if (read_policy(link, link->before)) {
		link->file[0] = '\0';
		return 0;
	}
	if (!wanted[0] || !strcmp(link->before, wanted))
		return 0;
	int result = sysfs_write(wanted, "", "%s", link->file);
	link->changed = !result;
	return result ? error_prefix(result, "the link's power management") : 0;
}

bool link_power_held(const struct link_power *link)
{
	char policy[LINK_POWER_BYTES];

	return !link->requested[0] || read_policy(link, policy) || !strcmp(policy, link->requested);
}

void link_power_tell(const struct link_power *link, json_t *disk)
{
	char policy[LINK_POWER_BYTES];
	bool told = !read_policy(link, policy);

	json_object_set_new(disk, "link_power_policy", told ? json_text(policy) : json_null());
	json_object_set_new(disk, "link_power_policy_requested",
			    link->requested[0] ? json_text(link->requested) : json_null());
}

int link_power_release(struct link_power *link)
{
	bool changed = link->changed;

	link->changed = false;
	return changed ? sysfs_write(link->before, "", "%s", link->file) : 0;
}
