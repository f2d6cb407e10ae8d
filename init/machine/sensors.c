/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/sensors.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/sysfs.h"
#include "machine/policy.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu"
#define HWMON "/sys/class/hwmon"

/* The kernel keeps a sample of a CPU's clock for 20 ms and takes one at each tick (Linux 6.12,
 * arch/x86/kernel/cpu/aperfmperf.c). */
enum { BUSY_MILLISECONDS = 30 };

/* --- clock speed --- */

static void *keep_busy(void *cpu)
{
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET((size_t)(uintptr_t)cpu, &only);
	sched_setaffinity(0, sizeof(only), &only);
	uint64_t end = clock_nanoseconds() + BUSY_MILLISECONDS * 1000000ull;
	while (clock_nanoseconds() < end)
		;
	return NULL;
}

static void keep_all_busy(void)
{
	static pthread_t threads[CPU_SETSIZE];
	cpu_set_t ours;
	size_t count = 0;

	if (sched_getaffinity(0, sizeof(ours), &ours))
		return;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &ours) &&
		    !pthread_create(&threads[count], NULL, keep_busy, (void *)(uintptr_t)cpu))
			count++;
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double policy_kilohertz(unsigned number, const char *root)
{
	static const char *const files[] = { "cpuinfo_avg_freq", "scaling_cur_freq" };
	uint64_t value;

	for (size_t i = 0; i < ARRAY_LENGTH(files); i++)
		if (!sysfs_read_u64(&value, root, POLICY_PATH "/%s", number, files[i]) && value)
			return (double)value;
	return NAN;
}

static void read_clocks(struct sensor_readings *readings, const char *root)
{
	_cleanup_free_ unsigned *numbers = NULL;
	size_t count = sysfs_numbers(&numbers, "policy", root, POLICY_DIRECTORY), known = 0;
	_cleanup_free_ double *values = calloc(count + 1, sizeof(*values));

	if (!count || !values)
		return;
	keep_all_busy();
	for (size_t i = 0; i < count; i++) {
		values[known] = policy_kilohertz(numbers[i], root);
		known += !isnan(values[known]);
	}
	if (!known)
		return;
	qsort(values, known, sizeof(*values), by_value);
	readings->kilohertz = (values[(known - 1) / 2] + values[known / 2]) / 2;
	readings->minimum_kilohertz = values[0];
	readings->maximum_kilohertz = values[known - 1];
}

/* --- throttling --- */

static void read_throttles(struct sensor_readings *readings, const char *root)
{
	static const char *const files[] = { "core_throttle_count", "package_throttle_count" };
	_cleanup_free_ unsigned *cpus = NULL;
	size_t count = sysfs_numbers(&cpus, "cpu", root, CPUS);
	uint64_t value, sum = 0;
	bool told = false;

	for (size_t i = 0; i < count * ARRAY_LENGTH(files); i++) {
		if (sysfs_read_u64(&value, root, CPUS "/cpu%u/thermal_throttle/%s",
				   cpus[i / ARRAY_LENGTH(files)], files[i % ARRAY_LENGTH(files)]))
			continue;
		told = true;
		sum += value;
	}
	if (told)
		readings->throttles = (double)sum;
}

/* --- temperatures --- */

/* A file of hwmon in thousandths of a degree, which may be below zero. */
static double celsius(unsigned hwmon, unsigned sensor, const char *what, const char *root)
{
	char text[32], *end;

	if (sysfs_read(text, sizeof(text), root, HWMON "/hwmon%u/temp%u_%s", hwmon, sensor, what))
		return NAN;
	long value = strtol(text, &end, 10);
	return end == text || *end ? NAN : (double)value / 1000;
}

enum { SENSORS_MAX = 64 }; /* of one hwmon: coretemp has one for each core */

/* The number of the sensor whose label begins so; 0 where there is none. */
static unsigned find_label(unsigned hwmon, const char *label, const char *root)
{
	char text[64];

	for (unsigned sensor = 1; sensor <= SENSORS_MAX; sensor++)
		if (!sysfs_read(text, sizeof(text), root, HWMON "/hwmon%u/temp%u_label", hwmon,
				sensor) &&
		    !strncmp(text, label, strlen(label)))
			return sensor;
	return 0;
}

static unsigned find_hottest(unsigned hwmon, const char *root)
{
	unsigned hottest = 0;
	double highest = -INFINITY;

	for (unsigned sensor = 1; sensor <= SENSORS_MAX; sensor++) {
		double now = celsius(hwmon, sensor, "input", root);

		if (now > highest) {
			highest = now;
			hottest = sensor;
		}
	}
	return hottest;
}

/* Documentation/hwmon/coretemp.rst and k10temp.rst: of an AMD processor Tctl may be shifted by some
 * degrees, and where it is, there is Tdie too. */
static unsigned package_sensor(unsigned hwmon, const char *root)
{
	static const struct {
		const char *driver, *label;
	} packages[] = {
		{ "coretemp", "Package id" },
		{ "k10temp", "Tdie" },
		{ "k10temp", "Tctl" },
	};
	char name[32];
	bool known = false;
	unsigned sensor = 0;

	if (sysfs_read(name, sizeof(name), root, HWMON "/hwmon%u/name", hwmon))
		return 0;
	for (size_t i = 0; !sensor && i < ARRAY_LENGTH(packages); i++) {
		if (strcmp(name, packages[i].driver))
			continue;
		known = true;
		sensor = find_label(hwmon, packages[i].label, root);
	}
	return known && !sensor ? find_hottest(hwmon, root) : sensor;
}

static void read_package(struct temperatures *temperatures, unsigned hwmon, const char *root)
{
	unsigned sensor = package_sensor(hwmon, root);
	double now = sensor ? celsius(hwmon, sensor, "input", root) : NAN;

	if (isnan(now) || now <= temperatures->package_celsius)
		return;
	temperatures->package_celsius = now;
	temperatures->package_limit_celsius = celsius(hwmon, sensor, "crit", root);
}

/* The device of the whole disk, as hwmon names its own. */
static bool find_disk(char device[PATH_MAX], const char *stat_path, const char *root)
{
	char block[PATH_MAX], path[PATH_MAX];
	int length = snprintf(block, sizeof(block), "%s%s", root, stat_path);
	char *slash = strrchr(block, '/');

	if (length >= PATH_MAX || !slash)
		return false;
	*slash = '\0';
	snprintf(path, sizeof(path), "%.4000s/partition", block);
	bool partition = !access(path, F_OK);
	snprintf(path, sizeof(path), "%.4000s/%sdevice", block, partition ? "../" : "");
	return realpath(path, device);
}

/* With NVMe multipath the disk's device is the subsystem, and a controller below it has the sensor. */
static bool is_of_disk(unsigned hwmon, const char *disk, const char *root)
{
	char path[PATH_MAX], device[PATH_MAX], below[PATH_MAX];

	snprintf(path, sizeof(path), "%.3000s" HWMON "/hwmon%u/device", root, hwmon);
	if (!realpath(path, device))
		return false;
	if (!strcmp(device, disk))
		return true;
	snprintf(path, sizeof(path), "%.3000s/%.1000s", disk, strrchr(device, '/') + 1);
	return realpath(path, below) && !strcmp(below, device);
}

void sensors_temperatures(struct temperatures *temperatures, const char *stat_path,
			  const char *root)
{
	_cleanup_free_ unsigned *numbers = NULL;
	size_t count = sysfs_numbers(&numbers, "hwmon", root, HWMON);
	char disk[PATH_MAX];
	bool has_disk = stat_path && find_disk(disk, stat_path, root);

	*temperatures = (struct temperatures){ NAN, NAN, NAN };
	for (size_t i = 0; i < count; i++) {
		read_package(temperatures, numbers[i], root);
		if (has_disk && is_of_disk(numbers[i], disk, root))
			temperatures->drive_celsius = celsius(numbers[i], 1, "input", root);
	}
}

void sensors_read(struct sensor_readings *readings, const char *stat_path, const char *root)
{
	*readings = (struct sensor_readings){
		.kilohertz = NAN,
		.minimum_kilohertz = NAN,
		.maximum_kilohertz = NAN,
		.throttles = NAN,
	};
	/* The processor gets warmer from what the clocks need. */
	sensors_temperatures(&readings->temperatures, stat_path, root);
	read_throttles(readings, root);
	read_clocks(readings, root);
}
