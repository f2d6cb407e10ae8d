/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast, how hot and how throttled the machine is right now. Read between trials, never inside a
 * timed region. root as in lib/sysfs.h; NAN is what nothing tells.
 */
#ifndef BLITBENCH_MACHINE_SENSORS_H
#define BLITBENCH_MACHINE_SENSORS_H

struct temperatures {
	double package_celsius;       /* of the hottest processor: hwmon's coretemp, k10temp */
	double package_limit_celsius; /* where it says that it is in danger (tempN_crit) */
	double drive_celsius;         /* of the disk behind stat_path: hwmon's drivetemp, nvme */
};

struct sensor_readings {
	/* Of the cpufreq policies: median, least and greatest. cpuinfo_avg_freq, or scaling_cur_freq
	 * where a kernel has not got the former. */
	double kilohertz, minimum_kilohertz, maximum_kilohertz;
	struct temperatures temperatures;
	double throttles; /* times that CPUs were slowed for heat, all counters added up (Intel) */
};

/* stat_path as in measure/counters.h, of a disk or a partition; NULL where there is none. */
void sensors_temperatures(struct temperatures *temperatures, const char *stat_path,
			  const char *root);

/* The same and all else. Where the clock speed is told, all CPUs are kept busy for 30 ms first: of an
 * idle one the kernel tells its nominal clock, or none. */
void sensors_read(struct sensor_readings *readings, const char *stat_path, const char *root);

#endif
