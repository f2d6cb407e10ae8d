/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/describe.h"

#include "boot/watchdog.h"
#include "disk/controllers.h"
#include "lib/cleanup.h"
#include "lib/sysfs.h"
#include "lib/values.h"
#include "machine/build_id.h"
#include "machine/inventory.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <time.h>
#include <xxhash.h>

/* The current time as ISO 8601 in UTC. */
static const char *describe_time(char buffer[32])
{
	time_t now = time(NULL);
	struct tm parts;

	if (!gmtime_r(&now, &parts) || !strftime(buffer, 32, "%Y-%m-%dT%H:%M:%SZ", &parts))
		snprintf(buffer, 32, "1970-01-01T00:00:00Z");
	return buffer;
}

/* XXH3-128 of the running program, which tells one build from another. */
static json_t *program_digest(void)
{
	char bytes[65536], text[33];
	ssize_t got;

	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	XXH3_state_t *state = XXH3_createState();
	if (fd < 0 || !state) {
		XXH3_freeState(state);
		return json_null();
	}
	XXH3_128bits_reset(state);
	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		XXH3_128bits_update(state, bytes, (size_t)got);
	XXH128_hash_t digest = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	snprintf(text, sizeof(text), "%016llx%016llx", (unsigned long long)digest.high64,
		 (unsigned long long)digest.low64);
	return json_string(text);
}

/* Without what has no meaning in a directory. */
static json_t *describe_config(const struct run *run)
{
	json_t *object = json_object();

	for (int key = 0; run->config && key < CONFIG_KEYS; key++)
		if (!run->directory || !plan_is_for_targets(key))
			json_object_set_new(object, config_key_name(key),
					    json_text(config_get(run->config, key)));
	return object;
}

/* One that was read. */
static json_t *describe_profile(const struct run *run)
{
	if (!run->config ||
	    (run->directory && !config_is_on_command_line(run->config, KEY_PROFILE)))
		return json_null();
	return json_text(config_get(run->config, KEY_PROFILE));
}

json_t *describe_run(const struct run *run)
{
	char started[32], cmdline[2048], build_id[BUILD_ID_CHARACTERS];
	struct utsname kernel;

	uname(&kernel);
	sysfs_read(cmdline, sizeof(cmdline), "", "/proc/cmdline");
	return json_pack("{s:s,s:s,s:b,s:o,s:s,s:o,s:{s:s,s:o},s:{s:o,s:o,s:o},s:o}", "id", run->id, "mode",
			 run->directory ? "directory" : "target", "dry_run", run->plan.dry_run, "profile", describe_profile(run),
			 "started", describe_time(started), "boot_seconds",
			 run->directory ? json_null() : json_measured(run->began), "image", "version", BLITBENCH_VERSION,
			 "digest", program_digest(), "kernel", "release", json_text(kernel.release),
			 "build_id", *build_id_of_kernel(build_id, "") ? json_text(build_id) : json_null(), "cmdline", json_text(cmdline), "config", describe_config(run));
}

static json_t *describe_watchdog(void)
{
	const struct watchdog *watchdog = watchdog_started();

	return watchdog ? json_pack("{s:s,s:i,s:b}", "identity", watchdog->identity, "seconds",
				    (int)watchdog->seconds, "was_reset", watchdog->was_reset)
			: json_null();
}

json_t *describe_machine(const struct run *run)
{
	json_t *machine = inventory_machine("");

	json_object_set_new(machine, "storage_controllers", controllers_json(""));
	json_object_set_new(machine, "watchdog", describe_watchdog());
	json_object_set_new(machine, "cpufreq", run->hold ? hold_describe(run->hold) : json_null());
	return machine;
}

json_t *describe_target(const struct run *run)
{
	const struct block_device *identity = &run->target.identity;

	for (size_t i = 0; i < run->devices.count; i++) {
		if (run->devices.devices[i].number != identity->number)
			continue;
		json_t *disk = device_disk_json(&run->devices, i, "");
		link_power_tell(&run->link_power, disk);
		json_t *target = json_pack("{s:o,s:o,s:I,s:I,s:o}", "partlabel",
					   json_text(identity->partlabel), "partuuid",
					   json_text(identity->partuuid), "size_bytes",
					   (json_int_t)identity->size_bytes, "start_bytes",
					   (json_int_t)identity->start_bytes, "disk", disk);
		json_t *alignment = device_alignment_json(&run->devices, i, "");
		json_object_update(target, alignment);
		json_decref(alignment);
		return target;
	}
	return json_null();
}

json_t *describe_workload(const struct workload *workload, const struct plan *plan)
{
	const struct layout *layout = &workload->remove;

	return json_pack("{s:o,s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:I}", "name",
			 json_text(workload->name), "digest", json_text(workload->digest),
			 "entries", (json_int_t)layout->entry_count, "install_entries",
			 (json_int_t)workload->install.entry_count, "files",
			 (json_int_t)layout->file_count, "symlinks",
			 (json_int_t)layout->symlink_count, "directories",
			 (json_int_t)layout->directory_count, "assets",
			 (json_int_t)workload->contents.count, "bytes",
			 (json_int_t)workload->contents.bytes, "content", json_text(plan->content),
			 "special", (json_int_t)workload->special);
}
