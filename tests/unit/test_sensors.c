/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clock speed, temperatures and throttling of hand-written machines, what is flagged of them, and the
 * wait until one is cool and idle. */
#include "machine_fixture.h"
#include "skipping_clock.h"

#include "lib/error.h"
#include "lib/progress.h"
#include "machine/sensors.h"
#include "run/cool.h"
#include "run/vitals.h"

#include <errno.h>
#include <math.h>

#define DISK "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0"
#define OTHER "/sys/devices/pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0"
#define NVME "/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0"
#define STAT "/sys/dev/block/8:1/stat"

static struct sensor_readings readings;

static void read_sensors(const char *stat_path)
{
	sensors_read(&readings, stat_path, top);
}

static void put_number(const char *path, long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", number);
	put(path, text);
}

static void put_clock(unsigned policy, const char *file, long kilohertz)
{
	char path[128];

	snprintf(path, sizeof(path), CPU "cpufreq/policy%u/%s", policy, file);
	put_number(path, kilohertz);
}

/* The directory of a hwmon that belongs to a device, in sysfs's two places. */
static void put_hwmon(unsigned number, const char *device, const char *name)
{
	char path[256], target[256], line[64];

	snprintf(path, sizeof(path), "%s/hwmon/hwmon%u/name", device, number);
	snprintf(line, sizeof(line), "%s\n", name);
	put(path, line);
	snprintf(path, sizeof(path), "%s/hwmon/hwmon%u/device", device, number);
	put_link(path, "../..");
	snprintf(path, sizeof(path), "/sys/class/hwmon/hwmon%u", number);
	snprintf(target, sizeof(target), "../..%s/hwmon/hwmon%u", device + strlen("/sys"), number);
	put_link(path, target);
}

static void put_sensor(unsigned hwmon, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/hwmon/hwmon%u/%s", hwmon, file);
	put(path, text);
}

/* A partition of a disk, and its counters. */
static void put_disk(const char *device, const char *disk, const char *partition,
		     const char *number)
{
	char path[256], target[300];

	snprintf(path, sizeof(path), "%s/%s%s/%s/partition", device,
		 strstr(device, "nvme") ? "" : "block/", disk, partition);
	put(path, "1\n");
	snprintf(path, sizeof(path), "%s/%s%s/%s/stat", device,
		 strstr(device, "nvme") ? "" : "block/", disk, partition);
	put(path, "1 0 0 0 2 0 0 0 0 0 0 3 0 0 0 0 0\n");
	snprintf(path, sizeof(path), "%s/%s%s/device", device,
		 strstr(device, "nvme") ? "" : "block/", disk);
	put_link(path, strstr(device, "nvme") ? "../../nvme0" : "../../../0:0:0:0");
	snprintf(path, sizeof(path), "/sys/dev/block/%s", number);
	snprintf(target, sizeof(target), "../..%s/%s%s/%s", device + strlen("/sys"),
		 strstr(device, "nvme") ? "" : "block/", disk, partition);
	put_link(path, target);
}

/* --- readings --- */

static void nothing_told_is_nothing_known(void **state)
{
	(void)state;
	read_sensors(STAT);
	assert_true(isnan(readings.kilohertz) && isnan(readings.minimum_kilohertz) &&
		    isnan(readings.maximum_kilohertz) && isnan(readings.throttles));
	assert_true(isnan(readings.temperatures.package_celsius) &&
		    isnan(readings.temperatures.package_limit_celsius) &&
		    isnan(readings.temperatures.drive_celsius));
	read_sensors(NULL);
	assert_true(isnan(readings.temperatures.drive_celsius));
}

static void clocks_are_of_all_policies(void **state)
{
	(void)state;
	put_clock(0, "scaling_cur_freq", 3000000);
	put_clock(1, "scaling_cur_freq", 1000000);
	put_clock(10, "scaling_cur_freq", 4000000);
	read_sensors(NULL);
	assert_true(readings.kilohertz == 3000000);
	assert_true(readings.minimum_kilohertz == 1000000);
	assert_true(readings.maximum_kilohertz == 4000000);
	/* The better source wins where it has something to say; between two is the median. */
	put_clock(1, "cpuinfo_avg_freq", 3500000);
	put(CPU "cpufreq/policy10/scaling_cur_freq", "<unknown>\n");
	put(CPU "cpufreq/policy0/cpuinfo_avg_freq", "0\n");
	read_sensors(NULL);
	assert_true(readings.kilohertz == 3250000);
}

static void throttles_are_added_up(void **state)
{
	(void)state;
	put_number(CPU "cpu0/thermal_throttle/core_throttle_count", 0);
	read_sensors(NULL);
	assert_true(readings.throttles == 0);
	put_number(CPU "cpu0/thermal_throttle/package_throttle_count", 5);
	put_number(CPU "cpu1/thermal_throttle/core_throttle_count", 7);
	put_number(CPU "cpuidle/thermal_throttle/core_throttle_count", 1000);
	read_sensors(NULL);
	assert_true(readings.throttles == 12);
}

static void the_package_of_each_driver(void **state)
{
	static const struct {
		const char *name;
		const char *labels[3]; /* NULL = the sensor has none */
		const char *inputs[3];
		const char *limit;
		double celsius;
	} cases[] = {
		{ "coretemp", { "Package id 0", "Core 0", "Core 1" }, { "51000", "55000", "49000" },
		  "100000", 51 },
		/* Older ones have no sensor for all of it. */
		{ "coretemp", { NULL, "Core 0", "Core 1" }, { NULL, "48000", "49500" }, "100000",
		  49.5 },
		{ "k10temp", { "Tctl", "Tdie", "Tccd1" }, { "77000", "50250", "60000" }, NULL,
		  50.25 },
		{ "k10temp", { "Tctl", "Tccd1", NULL }, { "52375", "60000", NULL }, NULL, 52.375 },
		{ "k10temp", { NULL, NULL, NULL }, { "-5000", NULL, NULL }, "70000", -5 },
		{ "acpitz", { NULL, NULL, NULL }, { "27800", NULL, NULL }, NULL, NAN },
		{ "coretemp", { "Package id 0", NULL, NULL }, { "hot", NULL, NULL }, NULL, NAN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		remove_top(NULL);
		make_top(NULL);
		put_hwmon(3, "/sys/devices/platform/sensor", cases[i].name);
		for (unsigned k = 0; k < 3; k++) {
			char file[32];

			snprintf(file, sizeof(file), "temp%u_label", k + 1);
			if (cases[i].labels[k])
				put_sensor(3, file, cases[i].labels[k]);
			snprintf(file, sizeof(file), "temp%u_input", k + 1);
			if (cases[i].inputs[k])
				put_sensor(3, file, cases[i].inputs[k]);
			snprintf(file, sizeof(file), "temp%u_crit", k + 1);
			if (cases[i].limit)
				put_sensor(3, file, cases[i].limit);
		}
		read_sensors(NULL);
		const struct temperatures *told = &readings.temperatures;
		assert_true(isnan(cases[i].celsius) ? isnan(told->package_celsius) :
						      told->package_celsius == cases[i].celsius);
		assert_int_equal(!isnan(told->package_limit_celsius), cases[i].limit != NULL);
	}
}

static void of_two_packages_the_hotter_one_counts(void **state)
{
	static const char *const celsius[] = { "40000", "85000", "60000" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		char device[64];

		snprintf(device, sizeof(device), "/sys/devices/platform/coretemp.%u", i);
		put_hwmon(i, device, "coretemp");
		put_sensor(i, "temp1_label", "Package id 0");
		put_sensor(i, "temp1_input", celsius[i]);
		put_sensor(i, "temp1_crit", i == 1 ? "90000" : "100000");
	}
	read_sensors(NULL);
	assert_true(readings.temperatures.package_celsius == 85);
	assert_true(readings.temperatures.package_limit_celsius == 90);
}

static void the_drive_is_the_target_s(void **state)
{
	(void)state;
	put_disk(DISK, "sda", "sda1", "8:1");
	put_hwmon(0, OTHER, "drivetemp");
	put_sensor(0, "temp1_input", "60000");
	read_sensors(STAT);
	assert_true(isnan(readings.temperatures.drive_celsius));
	put_hwmon(1, DISK, "drivetemp");
	put_sensor(1, "temp1_input", "31000");
	read_sensors(STAT);
	assert_true(readings.temperatures.drive_celsius == 31);
	/* Of the whole disk too; and nothing stands behind what has no device. */
	put_link("/sys/dev/block/8:0", "../../devices/pci0000:00/0000:00:17.0/ata1/host0/"
				       "target0:0:0/0:0:0:0/block/sda");
	put("/sys/dev/block/8:0/stat", "1\n");
	read_sensors("/sys/dev/block/8:0/stat");
	assert_true(readings.temperatures.drive_celsius == 31);
	read_sensors("/sys/dev/block/253:0/stat");
	assert_true(isnan(readings.temperatures.drive_celsius));
}

static void an_nvme_drive_s_sensor_is_its_controller_s(void **state)
{
	(void)state;
	put_disk(NVME, "nvme0n1", "nvme0n1p1", "259:1");
	put_hwmon(4, NVME, "nvme");
	put_sensor(4, "temp1_input", "45850");
	read_sensors("/sys/dev/block/259:1/stat");
	assert_true(readings.temperatures.drive_celsius == 45.85);
}

/* The disk belongs to a subsystem, which has links to its controllers. */
static void an_nvme_drive_with_several_paths(void **state)
{
	(void)state;
	put("/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/stat", "1\n");
	put_link("/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/device",
		 "../../nvme-subsys0");
	put_link("/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0",
		 "../../../pci0000:00/0000:01:00.0/nvme/nvme0");
	put_link("/sys/dev/block/259:0",
		 "../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1");
	put_hwmon(4, NVME, "nvme");
	put_sensor(4, "temp1_input", "39850");
	read_sensors("/sys/dev/block/259:0/stat");
	assert_true(readings.temperatures.drive_celsius == 39.85);
}

/* --- flags --- */

/* A trial during which this and that was read; cpu and seconds of its transaction. */
struct meanwhile {
	const char *governor;
	enum boost boost;
	double first, before, after; /* MHz */
	double throttles_before, throttles_after;
	double celsius, limit;
	double stolen, seconds;
	const char *flag; /* NULL = none */
	enum flag_level level;
};

/* Only what is of interest; the rest is nothing out of the ordinary. */
#define CALM                                                                                      \
	.governor = "performance", .first = 3000, .before = 3000, .after = 3000, .celsius = 50, \
	.limit = 100, .seconds = 1

static void flags_of_a_trial(void **state)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
	static const struct meanwhile cases[] = {
		{ CALM },
		{ CALM, .boost = BOOST_OFF },
		{ CALM, .boost = BOOST_OFF, .after = 3089 },
		{ CALM, .boost = BOOST_OFF, .after = 3091, .flag = "frequency-moved",
		  .level = FLAG_INVALID },
		{ CALM, .boost = BOOST_OFF, .after = 2909, .flag = "frequency-moved",
		  .level = FLAG_INVALID },
		{ CALM, .boost = BOOST_OFF, .before = 2909, .flag = "frequency-moved",
		  .level = FLAG_INVALID },
		/* It stood still, but elsewhere than before the first trial. */
		{ CALM, .boost = BOOST_OFF, .before = 2500, .after = 2500,
		  .flag = "frequency-moved", .level = FLAG_INVALID },
		{ CALM, .governor = "userspace", .after = 2800, .flag = "frequency-moved",
		  .level = FLAG_INVALID },
		{ CALM, .boost = BOOST_OFF, .first = NAN, .before = NAN, .after = NAN },
		{ CALM, .boost = BOOST_OFF, .after = NAN },
		/* Nobody asked for a fixed clock. */
		{ CALM, .after = 2701 },
		{ CALM, .after = 2699, .flag = "frequency-moved", .level = FLAG_NOTE },
		{ CALM, .boost = BOOST_ON, .after = 2699, .flag = "frequency-moved",
		  .level = FLAG_NOTE },
		{ CALM, .governor = "powersave", .boost = BOOST_OFF, .after = 800 },
		{ CALM, .governor = "", .boost = BOOST_OFF, .after = 800 },
		{ CALM, .throttles_before = 7, .throttles_after = 7 },
		{ CALM, .throttles_before = 7, .throttles_after = 8, .flag = "throttled",
		  .level = FLAG_NOTE },
		{ CALM, .boost = BOOST_OFF, .throttles_before = 7, .throttles_after = 8,
		  .flag = "throttled", .level = FLAG_INVALID },
		{ CALM, .throttles_before = NAN, .throttles_after = NAN },
		{ CALM, .celsius = 89 },
		{ CALM, .celsius = 90, .flag = "hot-cpu", .level = FLAG_NOTE },
		{ CALM, .celsius = 89, .limit = NAN },
		{ CALM, .celsius = 90, .limit = NAN, .flag = "hot-cpu", .level = FLAG_NOTE },
		{ CALM, .celsius = 62, .limit = 70, .flag = "hot-cpu", .level = FLAG_NOTE },
		{ CALM, .celsius = NAN, .limit = NAN },
		{ CALM, .stolen = 0.02 },
		{ CALM, .stolen = 0.03, .flag = "stolen-time", .level = FLAG_NOTE },
		/* One tick is no measure. */
		{ CALM, .stolen = 0.01, .seconds = 0.1 },
		{ CALM, .stolen = 0.02, .seconds = 0.1, .flag = "stolen-time", .level = FLAG_NOTE },
		{ CALM, .stolen = NAN },
	};
#pragma GCC diagnostic pop

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		const struct meanwhile *one = &cases[i];
		struct trial_record trial = { .details = json_object() };
		const struct transaction transaction = {
			.cpu.stolen_seconds = one->stolen,
			.durable_seconds = one->seconds / 2,
			.quiesced_seconds = one->seconds,
		};
		struct vitals vitals = vitals_new(one->governor, one->boost);

		vitals.reference_kilohertz = one->first * 1000;
		vitals.before = (struct sensor_readings){
			.kilohertz = one->before * 1000,
			.throttles = one->throttles_before,
			.temperatures = { one->celsius, one->limit, NAN },
		};
		vitals.after = vitals.before;
		vitals.after.kilohertz = one->after * 1000;
		vitals.after.throttles = one->throttles_after;
		vitals_tell(&vitals, &transaction, &trial);
		if (trial.flag_count != (one->flag != NULL))
			fail_msg("case %zu has %u flags (%s)", i, trial.flag_count,
				 trial.flags[0].name);
		if (one->flag) {
			assert_string_equal(trial.flags[0].name, one->flag);
			assert_int_equal(trial.flags[0].level, one->level);
			assert_null(strstr(trial.flags[0].detail, "nan"));
		}
		trial_record_free(&trial);
	}
}

static const json_t *reading(const json_t *details, const char *when, const char *key)
{
	return json_object_get(json_object_get(json_object_get(details, "machine"), when), key);
}

static void readings_are_told(void **state)
{
	const struct transaction transaction = { .cpu.stolen_seconds = 0.5, .durable_seconds = 100,
						 .quiesced_seconds = NAN };
	struct trial_record trial = { .details = json_object() };
	struct vitals vitals = vitals_new("performance", BOOST_KEEP);

	(void)state;
	put_clock(0, "scaling_cur_freq", 3000000);
	vitals_before(&vitals, NULL, top);
	put_number(CPU "cpu0/thermal_throttle/core_throttle_count", 3);
	put_clock(1, "scaling_cur_freq", 3100000);
	vitals_after(&vitals, NULL, top);
	vitals_before(&vitals, NULL, top);
	/* What is held against is the first. */
	assert_true(vitals.reference_kilohertz == 3000000);
	vitals_tell(&vitals, &transaction, &trial);
	assert_int_equal(trial.flag_count, 0);
	assert_true(json_number_value(reading(trial.details, "after", "kilohertz")) == 3050000);
	assert_true(json_number_value(reading(trial.details, "after", "minimum_kilohertz")) ==
		    3000000);
	assert_true(json_number_value(reading(trial.details, "after", "maximum_kilohertz")) ==
		    3100000);
	assert_int_equal(json_integer_value(reading(trial.details, "after", "throttles")), 3);
	assert_true(json_is_null(reading(trial.details, "before", "package_celsius")));
	assert_true(json_is_null(reading(trial.details, "before", "drive_celsius")));
	assert_true(json_number_value(json_object_get(json_object_get(trial.details, "machine"),
						      "stolen_seconds")) == 0.5);
	trial_record_free(&trial);
}

/* --- cooling --- */

static void what_is_cool(void **state)
{
	static const struct {
		struct temperatures now;
		bool cool;
	} cases[] = {
		{ { NAN, NAN, NAN }, true },
		{ { COOL_PACKAGE_CELSIUS, 100, COOL_DRIVE_CELSIUS }, true },
		{ { COOL_PACKAGE_CELSIUS + 0.5, 100, 30 }, false },
		{ { 40, 100, COOL_DRIVE_CELSIUS + 0.5 }, false },
		{ { COOL_PACKAGE_CELSIUS + 0.5, NAN, NAN }, false },
		{ { NAN, NAN, COOL_DRIVE_CELSIUS + 0.5 }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		assert_int_equal(cool_enough(&cases[i].now), cases[i].cool);
}

static void put_processors(unsigned long busy_ticks)
{
	char text[128];

	snprintf(text, sizeof(text), "cpu  %lu 0 0 1000 0 0 0 0 0 0\n", busy_ticks);
	put("/proc/stat", text);
}

static void put_package(long thousandths)
{
	put_number("/sys/class/hwmon/hwmon0/temp1_input", thousandths);
}

static void put_warm_machine(long thousandths)
{
	put_processors(1000);
	put_disk(DISK, "sda", "sda1", "8:1");
	put_hwmon(0, "/sys/devices/platform/coretemp.0", "coretemp");
	put_sensor(0, "temp1_label", "Package id 0\n");
	put_package(thousandths);
}

/* What happens at the machine while somebody waits, one call after the other. */
struct visitor {
	unsigned calls, stop_at, cool_at;
	bool busy, writes;
	char phase[128], line[256];
};

static int visit(void *context, const char *phase, uint64_t done, uint64_t total)
{
	struct visitor *visitor = context;

	(void)done;
	(void)total;
	visitor->calls++;
	snprintf(visitor->phase, sizeof(visitor->phase), "%s", phase);
	if (visitor->calls == visitor->cool_at)
		put_package(45000);
	if (visitor->busy)
		put_processors(1000 + visitor->calls * 100000ul);
	if (visitor->writes) {
		char text[64];

		snprintf(text, sizeof(text), "1 0 0 0 %u 0 0 0 0 0 0 3 0 0 0 0 0\n",
			 2 + visitor->calls);
		put(DISK "/block/sda/sda1/stat", text);
	}
	return visitor->calls == visitor->stop_at;
}

static void hear(void *context, const char *line)
{
	struct visitor *visitor = context;

	snprintf(visitor->line, sizeof(visitor->line), "%s", line);
}

static int wait_for(struct cooling *cooling, struct visitor *visitor, double limit_seconds,
		    const char *stat_path)
{
	const struct progress progress = { .update = visit, .say = hear, .context = visitor };

	return cool_wait(cooling, limit_seconds, stat_path, &progress, "ext4", top);
}

static void a_machine_that_cools_down_is_awaited(void **state)
{
	struct visitor visitor = { .cool_at = 3 };
	struct cooling cooling;

	(void)state;
	put_warm_machine(80000);
	assert_int_equal(wait_for(&cooling, &visitor, 1000, STAT), 0);
	assert_string_equal(cooling.result, "cool");
	assert_true(cooling.idle);
	assert_true(cooling.temperatures.package_celsius == 45);
	assert_string_equal(visitor.line, "");
	assert_string_equal(visitor.phase, "ext4: waiting until the machine is idle, CPU 45 C");
}

static void one_that_does_not_is_not_awaited_for_ever(void **state)
{
	static const struct visitor visitors[] = { { .busy = true }, { .writes = true }, { .calls = 0 } };
	/* Long enough for one that is calm. */
	static const double limits_seconds[] = { 1.3, 1.3, 0.1 };
	struct cooling cooling;

	(void)state;
	put_warm_machine(45000);
	for (size_t i = 0; i < ARRAY_LENGTH(visitors); i++) {
		struct visitor visitor = visitors[i];

		if (!visitor.busy && !visitor.writes)
			put_package(80000);
		assert_int_equal(wait_for(&cooling, &visitor, limits_seconds[i], STAT), 0);
		assert_string_equal(cooling.result, "limit");
		assert_non_null(strstr(visitor.line, "ext4: not yet cool and idle after"));
	}
	assert_true(cooling.temperatures.package_celsius == 80);
}

static void without_sensors_idle_is_all_that_is_known(void **state)
{
	struct visitor visitor = { .calls = 0 };
	struct cooling cooling;

	(void)state;
	put_processors(1000);
	assert_int_equal(wait_for(&cooling, &visitor, 1000, NULL), 0);
	assert_string_equal(cooling.result, "unknown");
	assert_true(cooling.idle);
	assert_true(isnan(cooling.temperatures.package_celsius));
}

static void who_waits_can_stop(void **state)
{
	struct visitor visitor = { .stop_at = 2 };
	struct cooling cooling;

	(void)state;
	put_warm_machine(80000);
	assert_int_equal(wait_for(&cooling, &visitor, 1000, STAT), -EINTR);
	assert_int_equal(visitor.calls, 2);
	assert_string_equal(visitor.phase, "ext4: cooling down, CPU 80 C");
	/* And a machine that tells nothing at all is an error. */
	remove_top(NULL);
	make_top(NULL);
	assert_int_equal(wait_for(&cooling, &visitor, 1000, NULL), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_told_is_nothing_known),
		TEST(clocks_are_of_all_policies),
		TEST(throttles_are_added_up),
		TEST(the_package_of_each_driver),
		TEST(of_two_packages_the_hotter_one_counts),
		TEST(the_drive_is_the_target_s),
		TEST(an_nvme_drive_s_sensor_is_its_controller_s),
		TEST(an_nvme_drive_with_several_paths),
		TEST(flags_of_a_trial),
		TEST(readings_are_told),
		TEST(what_is_cool),
		TEST(a_machine_that_cools_down_is_awaited),
		TEST(one_that_does_not_is_not_awaited_for_ever),
		TEST(without_sensors_idle_is_all_that_is_known),
		TEST(who_waits_can_stop),
	};

	return cmocka_run_group_tests_name("sensors", tests, NULL, NULL);
}
