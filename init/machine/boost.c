/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/boost.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "machine/policy.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static int read_switch(const struct boost_switch *one, bool *on, const char *root)
{
	uint64_t value;
	int result = sysfs_read_u64(&value, root, "%s", one->path);

	*on = !result && (bool)value != one->inverted;
	return result;
}

static void add(struct boost_switches *switches, const struct boost_switch *one, const char *root)
{
	struct boost_switch *added = &switches->list[switches->count];

	*added = *one;
	if (!read_switch(added, &added->before, root))
		switches->count++;
}

int boost_find(struct boost_switches *switches, const char *root)
{
	static const struct boost_switch for_all[] = {
		{ .path = "/sys/devices/system/cpu/intel_pstate/no_turbo", .inverted = true },
		{ .path = POLICY_DIRECTORY "/boost" },
	};
	_cleanup_free_ unsigned *numbers = NULL;
	size_t policies = sysfs_numbers(&numbers, "policy", root, POLICY_DIRECTORY);

	*switches = (struct boost_switches){
		.list = calloc(policies + ARRAY_LENGTH(for_all), sizeof(*switches->list)),
	};
	if (!switches->list)
		return error_set(-ENOMEM, "no memory for the switches of boost");
	for (size_t i = 0; i < ARRAY_LENGTH(for_all); i++)
		add(switches, &for_all[i], root);
	for (size_t i = 0; i < policies; i++) {
		struct boost_switch one = { .inverted = false };

		snprintf(one.path, sizeof(one.path), POLICY_PATH "/boost", numbers[i]);
		add(switches, &one, root);
	}
	return 0;
}

void boost_free(struct boost_switches *switches)
{
	free(switches->list);
	*switches = (struct boost_switches){ .list = NULL };
}

/* Nothing is written that stands there already. The switch for all sets those of the policies, and
 * while it is off they take nothing. */
static int put(const struct boost_switch *one, bool on, const char *root)
{
	bool now;

	if (!read_switch(one, &now, root) && now == on)
		return 0;
	return sysfs_write(on != one->inverted ? "1" : "0", root, "%s", one->path);
}

int boost_set(const struct boost_switches *switches, bool on, const char *root)
{
	int result = 0;

	if (!switches->count)
		return error_set(-EINVAL, "boost cannot be switched %s: the CPU frequency driver has "
					  "no switch for it; leave boost out",
				 on ? "on" : "off");
	for (size_t i = 0; !result && i < switches->count; i++)
		result = put(&switches->list[i], on, root);
	return result ? error_prefix(result, "boost cannot be switched %s", on ? "on" : "off") : 0;
}

int boost_restore(const struct boost_switches *switches, const char *root)
{
	int result = 0;

	for (size_t i = 0; i < switches->count; i++) {
		int one = put(&switches->list[i], switches->list[i].before, root);

		result = result ? result : one;
	}
	return result;
}

json_t *boost_json(const struct boost_switches *switches, const char *root)
{
	size_t on = 0;
	bool now;

	for (size_t i = 0; i < switches->count; i++) {
		if (read_switch(&switches->list[i], &now, root))
			return json_null();
		on += now;
	}
	if (!switches->count)
		return json_null();
	return on && on < switches->count ? json_string("mixed") : json_boolean(on);
}
