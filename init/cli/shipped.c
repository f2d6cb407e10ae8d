/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/shipped.h"

#include "lib/cleanup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *shipped_workloads(char folder[PATH_MAX])
{
	static const char *const places[] = { "../workloads", "../share/blitbench/workloads" };
	char self[PATH_MAX / 2], place[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
		snprintf(place, sizeof(place), "%s/%s", self, places[i]);
		if (realpath(place, folder) && !access(folder, X_OK))
			return folder;
	}
	return NULL;
}

void shipped_read_profile(struct config *config, const char *workloads)
{
	const char *profile = config_get(config, KEY_PROFILE);
	char path[PATH_MAX + CONFIG_VALUE_BYTES];

	snprintf(path, sizeof(path), "%.4000s/profiles/%s.conf", workloads ? workloads : "",
		 profile);
	if (!workloads || config_read_profile(config, path))
		config_mistake(config, KEY_PROFILE, "no such profile in %s",
			       workloads ? workloads : "the folder that --workloads would name");
}
