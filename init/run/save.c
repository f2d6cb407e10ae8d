/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/save.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* A stick takes some seconds from being plugged in to having partitions. */
enum { AWAITED_SECONDS = 10, STEP_MILLISECONDS = 500, NAMES_MAX = 9 };

/* The kernel counts all disks that ever appear, and media that are changed. */
static uint64_t newest_disk(void)
{
	_cleanup_closedir_ DIR *directory = opendir("/sys/class/block");
	uint64_t newest = 0, sequence;

	for (const struct dirent *entry; directory && (entry = readdir(directory));)
		if (entry->d_name[0] != '.' &&
		    !sysfs_read_u64(&sequence, "", "/sys/class/block/%s/diskseq", entry->d_name) &&
		    sequence > newest)
			newest = sequence;
	return newest;
}

static int write_all(struct run *run, const char *name)
{
	int result = results_continue_run(&run->results, name);

	if (!result)
		result = journal_save(run->journal, run->results.run_fd);
	if (!result)
		result = report_write(run->report, run->results.run_fd);
	return result;
}

int save_write(struct run *run)
{
	char name[sizeof(run->id) + 8];
	int result = write_all(run, run->id);

	for (unsigned number = 2; result == -EEXIST && number <= NAMES_MAX; number++) {
		snprintf(name, sizeof(name), "%s-%u", run->id, number);
		result = write_all(run, name);
	}
	return result;
}

static int mount_again(struct run *run, const char *mountpoint)
{
	const struct results before = run->results;

	devices_free(&run->devices);
	int result = devices_scan(&run->devices, "");
	if (result)
		return result;
	int index = results_find_again(&run->devices, &before);
	if (index < 0)
		return index;
	result = results_mount(&run->results, &run->devices, (size_t)index, mountpoint, &before);
	if (result) {
		run->results = before; /* what it is known by stays */
		return result;
	}
	memcpy(run->results.run_path, before.run_path, sizeof(before.run_path));
	if (*run->results.repairs)
		progress_say(run->progress, "the results volume was repaired: %s",
			     run->results.repairs);
	return 0;
}

/* One attempt. -ENODEV: it is not there. */
static int save_again(struct run *run)
{
	char mountpoint[sizeof(run->results.mountpoint)], reason[512];
	int result = run->results.number ? results_finish(&run->results) : 0;

	/* One that is still mounted, since somebody keeps it busy, cannot be checked. */
	if (run->results.number)
		return result;
	memcpy(mountpoint, run->results.mountpoint, sizeof(mountpoint));
	result = mount_again(run, mountpoint);
	if (result)
		return result;
	int written = save_write(run);
	snprintf(reason, sizeof(reason), "%s", error_text());
	int left = results_finish(&run->results);
	if (written)
		return error_set(written, "%s", reason);
	if (left)
		return left;
	run->saved = !journal_unsaved(run->journal);
	return run->saved ? 0 : error_set(-ENOMEM, "a record was lost for want of memory");
}

static int await(struct run *run)
{
	const struct timespec step = { .tv_nsec = STEP_MILLISECONDS * 1000000L };
	double deadline = clock_seconds() + AWAITED_SECONDS;
	bool told = false;
	int result;

	while ((result = save_again(run)) == -ENODEV && clock_seconds() < deadline) {
		if (!told)
			progress_say(run->progress, "the results volume is gone: plug it in again");
		told = true;
		progress_update(run->progress, "waiting for the results volume", 0, 0);
		nanosleep(&step, NULL);
	}
	return result;
}

int save_finish(struct run *run)
{
	bool written = run->results.number && run->reported && !journal_unsaved(run->journal);
	int result = 0;

	journal_detach(run->journal);
	if (run->results.number)
		result = results_finish(&run->results);
	run->saved = written && !result;
	if (run->saved)
		return 0;
	if (!result)
		result = error_set(-EIO, "not all of the results are on a results volume");
	/* Where there never was one, or no folder for this run, nothing has been lost since. */
	if (!*run->results.run_path || !run->report)
		return result;
	progress_say(run->progress, "the results are not saved: %s; they are written again",
		     error_text());
	run->newest_disk = newest_disk();
	return await(run);
}

bool save_retry(struct run *run)
{
	double now = clock_seconds();

	if (run->saved || !*run->results.run_path || !run->report || now < run->retry_at)
		return run->saved;
	run->retry_at = now + 1;
	uint64_t newest = newest_disk();
	if (newest != run->newest_disk)
		run->retry_until = now + AWAITED_SECONDS;
	run->newest_disk = newest;
	if (now > run->retry_until)
		return false;
	int result = save_again(run);
	if (result && result != -ENODEV) {
		run->retry_until = 0;
		progress_say(run->progress, "the results could not be saved: %s", error_text());
	}
	return run->saved;
}
