/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/announce.h"

#include "disk/words.h"
#include "lib/redact.h"

#include <string.h>

/* Labels are anybody's text, and must not steer the screen that asks for consent (words.h). */
static void add_disk(struct words *words, const struct run *run)
{
	char disk[512];
	size_t index = 0;

	while (index + 1 < run->devices.count &&
	       run->devices.devices[index].number != run->target.identity.number)
		index++;
	words_add(words, "%s", device_describe(&run->devices, index, disk, sizeof(disk)));
}

static void add_partition(struct words *words, const struct run *run)
{
	const struct block_device *identity = &run->target.identity;

	words_add(words, "partition %u, labelled '%s', %s, holding %s", identity->partition_number,
		  identity->partlabel, size_binary(identity->size_bytes).text,
		  *identity->signature_type ? identity->signature_type : "nothing that is known");
	if (*identity->signature_label)
		words_add(words, " labelled '%s'", identity->signature_label);
}

const char *run_announcement(const struct run *run, char buffer[ANNOUNCEMENT_BYTES])
{
	char disk[512], partition[640];
	struct words of_disk = words_start(disk, sizeof(disk));
	struct words of_partition = words_start(partition, sizeof(partition));

	add_disk(&of_disk, run);
	add_partition(&of_partition, run);
	snprintf(buffer, ANNOUNCEMENT_BYTES,
		 "target    %s\n"
		 "          %s\n"
		 "          Everything on this partition %s.\n",
		 disk, partition,
		 run->plan.dry_run
			 ? "would be lost; this is a dry run, and nothing is written to it"
			 : "will be lost");
	if (run->plan.redact)
		redact_buffer(&run->redactor, buffer, ANNOUNCEMENT_BYTES);
	return buffer;
}

int run_dry(struct run *run)
{
	const struct plan *plan = &run->plan;
	unsigned sessions = plan->rounds * plan_sessions(plan);
	char text[ANNOUNCEMENT_BYTES];
	struct words words = words_start(text, sizeof(text));

	words_add(&words,
		  "nothing was written to the target; but for dry_run it would have been formatted %u "
		  "time%s, as",
		  sessions, sessions == 1 ? "" : "s");
	for (unsigned i = 0; i < plan->filesystem_count; i++)
		words_add(&words, "%s%s", i ? ", " : " ", plan->filesystems[i]->name);
	words_add(&words, ": ");
	add_partition(&words, run);
	words_add(&words, ", of ");
	add_disk(&words, run);
	run_ended(run, RUN_COMPLETE, text);
	return 0;
}
