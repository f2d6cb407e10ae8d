/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/latency.h"

#include "blit/timed.h"
#include "lib/cleanup.h"
#include "lib/sysfs.h"
#include "lib/values.h"
#include "report/latency.h"

#include <string.h>

bool latency_clock_is_cheap(const char *clocksource)
{
	/* Those that set a vdso_clock_mode in Linux 6.12: arch/x86, drivers/clocksource. */
	static const char *const cheap[] = { "tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
					     "arch_sys_counter", "riscv_clocksource" };

	for (size_t i = 0; i < ARRAY_LENGTH(cheap); i++)
		if (!strcmp(clocksource, cheap[i]))
			return true;
	return false;
}

static void read_source(char source[64], const char *root)
{
	sysfs_read(source, 64, root,
		   "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

void latency_judge_clock(struct trial_record *record, const char *root)
{
	char source[64];

	read_source(source, root);
	if (*source && !latency_clock_is_cheap(source))
		trial_flag(record, "clock-source", FLAG_NOTE,
			   "the clock source %s cannot be read without a system call", source);
}

void latency_tell(const struct latency *histograms, struct trial_record *record, const char *root)
{
	double cost = timed_cost_nanoseconds();
	json_t *calls = json_array();
	uint64_t count = 0;
	char source[64];

	for (unsigned kind = 0; kind < TIMED_KINDS; kind++) {
		count += histograms[kind].count;
		if (histograms[kind].count)
			json_array_append_new(
				calls, latency_call_json(timed_name(kind), &histograms[kind]));
	}
	read_source(source, root);
	json_object_set_new(record->details, "latency",
			    json_pack("{s:o,s:o,s:o,s:o}", "clocksource",
				      json_text(*source ? source : NULL), "cost_nanoseconds",
				      json_measured(cost), "cost_seconds",
				      json_measured(cost * (double)count / 1e9), "calls", calls));
}
