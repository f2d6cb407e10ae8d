/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/vitals.h"

#include "lib/cleanup.h"
#include "lib/values.h"

#include <math.h>
#include <string.h>

static enum clock_wish clock_wish(const char *governor, enum boost boost)
{
	if (!strcmp(governor, "userspace"))
		return CLOCK_FIXED;
	if (strcmp(governor, "performance"))
		return CLOCK_FREE;
	return boost == BOOST_OFF ? CLOCK_FIXED : CLOCK_HIGH;
}

struct vitals vitals_new(const char *governor, enum boost boost)
{
	return (struct vitals){ .wish = clock_wish(governor, boost), .reference_kilohertz = NAN };
}

void vitals_before(struct vitals *vitals, const char *stat_path, const char *root)
{
	sensors_read(&vitals->before, stat_path, root);
	if (isnan(vitals->reference_kilohertz))
		vitals->reference_kilohertz = vitals->before.kilohertz;
}

void vitals_after(struct vitals *vitals, const char *stat_path, const char *root)
{
	sensors_read(&vitals->after, stat_path, root);
}

static double percent_off(double value, double reference)
{
	return fabs(value - reference) / reference * 100;
}

static void judge_frequency(const struct vitals *vitals, struct trial_record *record)
{
	double reference = vitals->reference_kilohertz;
	double before = percent_off(vitals->before.kilohertz, reference);
	double after = percent_off(vitals->after.kilohertz, reference);
	bool fixed = vitals->wish == CLOCK_FIXED;

	if (vitals->wish == CLOCK_FREE || isnan(before) || isnan(after) ||
	    fmax(before, after) <= (fixed ? VITALS_FIXED_PERCENT : VITALS_HIGH_PERCENT))
		return;
	trial_flag(record, "frequency-moved", fixed ? FLAG_INVALID : FLAG_NOTE,
		   "%.0f MHz before the trial and %.0f MHz after it, %.0f MHz at first",
		   vitals->before.kilohertz / 1000, vitals->after.kilohertz / 1000,
		   reference / 1000);
}

static void judge_throttling(const struct vitals *vitals, struct trial_record *record)
{
	double throttled = vitals->after.throttles - vitals->before.throttles;

	if (throttled > 0)
		trial_flag(record, "throttled",
			   vitals->wish == CLOCK_FIXED ? FLAG_INVALID : FLAG_NOTE,
			   "processors were slowed down for heat %.0f times", throttled);
}

static bool is_hot(const struct temperatures *temperatures)
{
	double limit = temperatures->package_limit_celsius;

	return temperatures->package_celsius >=
	       (isnan(limit) ? VITALS_HOT_CELSIUS : limit - VITALS_HOT_MARGIN_CELSIUS);
}

static void judge_temperature(const struct vitals *vitals, struct trial_record *record)
{
	const struct temperatures *before = &vitals->before.temperatures;
	const struct temperatures *after = &vitals->after.temperatures;

	if (is_hot(before) || is_hot(after))
		trial_flag(record, "hot-cpu", FLAG_NOTE,
			   "the processor had %.0f C before the trial and %.0f C after it",
			   before->package_celsius, after->package_celsius);
}

static void judge_stolen_time(const struct transaction *transaction, struct trial_record *record)
{
	double stolen = transaction->cpu.stolen_seconds;
	/* The counters were read around all of it. */
	double seconds = isnan(transaction->quiesced_seconds) ? transaction->durable_seconds :
								transaction->quiesced_seconds;

	if (stolen * 1000 > VITALS_TICK_MILLISECONDS * 1.5 &&
	    stolen * 100 > seconds * VITALS_STOLEN_PERCENT)
		trial_flag(record, "stolen-time", FLAG_NOTE,
			   "the hypervisor ran something else for %.2f s of %.2f s", stolen,
			   seconds);
}

static json_t *readings_json(const struct sensor_readings *readings)
{
	const struct temperatures *temperatures = &readings->temperatures;

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "kilohertz",
			 json_measured(readings->kilohertz), "minimum_kilohertz",
			 json_measured(readings->minimum_kilohertz), "maximum_kilohertz",
			 json_measured(readings->maximum_kilohertz), "package_celsius",
			 json_measured(temperatures->package_celsius), "drive_celsius",
			 json_measured(temperatures->drive_celsius), "throttles",
			 isnan(readings->throttles) ? json_null() :
						      json_integer((json_int_t)readings->throttles));
}

void vitals_tell(const struct vitals *vitals, const struct transaction *transaction,
		struct trial_record *record)
{
	json_object_set_new(record->details, "machine",
			    json_pack("{s:o,s:o,s:o}", "before", readings_json(&vitals->before),
				      "after", readings_json(&vitals->after), "stolen_seconds",
				      json_measured(transaction->cpu.stolen_seconds)));
	judge_frequency(vitals, record);
	judge_throttling(vitals, record);
	judge_temperature(vitals, record);
	judge_stolen_time(transaction, record);
}
