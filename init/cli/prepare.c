/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/prepare.h"

#include "cli/command.h"
#include "disk/words.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "prepare/choose.h"
#include "prepare/preparation.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

static const char usage[] =
	"Usage: blitbench prepare\n"
	"       blitbench prepare --model MODEL --serial SERIAL [--size SIZE] [--label LABEL] [--yes]\n"
	"       blitbench prepare --disk-image FILE [--size SIZE] [--label LABEL] [--yes]\n"
	"\n"
	"Makes the partition that the bootable image formats, in the largest free space of a GPT\n"
	"disk. Nothing that is there is shrunk, moved or deleted. Without a disk it lists the\n"
	"machine's disks and what free space they have. A disk is named by its model and serial\n"
	"number, both exactly as listed; none of its partitions may be in use. The table is shown\n"
	"before and after, and written only when the serial number has been typed.\n"
	"\n"
	"      --model MODEL     the disk's model ('' where it tells none)\n"
	"      --serial SERIAL   the disk's serial number\n"
	"      --disk-image FILE the file of a virtual machine's disk instead\n"
	"      --size SIZE       such as 20G (K, M, G, T are powers of 1024), 1G at least; default: all\n"
	"                        of the largest free space\n"
	"      --label LABEL     the partition's label, default blitbench-target (the key partlabel)\n"
	"      --yes             ask nothing\n"
	"      --help            print this\n";

struct request {
	const char *model, *serial, *image, *size, *label;
	uint64_t size_bytes;
	bool yes;
};

/* ---- the arguments ---- */

/* Digits and at most one letter; 0 where it is no size. */
static uint64_t parse_size(const char *text)
{
	static const char letters[] = "KMGT";
	char *end;

	if (!isdigit((unsigned char)*text))
		return 0;
	errno = 0;
	uint64_t value = strtoull(text, &end, 10);
	const char *letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
	unsigned shift = letter ? 10 * (unsigned)(letter - letters + 1) : 0;
	if (errno || (*end && (!letter || end[1])) || value > (uint64_t)INT64_MAX >> shift)
		return 0;
	return value << shift;
}

/* What any terminal shows and no table garbles. */
static bool valid_label(const char *label)
{
	size_t length = strlen(label);

	for (const char *at = label; *at; at++)
		if (*at < ' ' || *at > '~')
			return false;
	return length && length <= GPT_NAME_UNITS && label[0] != ' ' && label[length - 1] != ' ';
}

static int check_request(struct request *request)
{
	bool disk = request->model || request->serial;

	if (disk && request->image)
		return command_usage("prepare", "--disk-image excludes --model and --serial");
	if (disk && !(request->model && request->serial))
		return command_usage("prepare",
				     "a disk is named by --model and --serial, both of them");
	if (request->serial && !*request->serial)
		return command_usage("prepare",
				     "--serial is empty: a disk without one cannot be named "
				     "beyond doubt");
	if (!disk && !request->image && (request->yes || request->size || request->label))
		return command_usage("prepare", "no disk is named: give --model and --serial");
	if (request->size && !(request->size_bytes = parse_size(request->size)))
		return command_usage("prepare", "'%s' is no size such as 20G", request->size);
	if (!request->label)
		request->label = "blitbench-target";
	if (!valid_label(request->label))
		return command_usage("prepare",
				     "a label has 1 to %d ASCII characters, without blanks at "
				     "its ends",
				     GPT_NAME_UNITS);
	return 0;
}

static int parse(int argc, char **argv, struct request *request)
{
	const struct {
		const char *option, *needs;
		const char **value;
	} options[] = {
		{ "--model", "a disk's model", &request->model },
		{ "--serial", "a disk's serial number", &request->serial },
		{ "--disk-image", "a file", &request->image },
		{ "--size", "a size such as 20G", &request->size },
		{ "--label", "a partition label", &request->label },
	};

	*request = (struct request){ 0 };
	for (int i = 1; i < argc; i++) {
		size_t which = 0;

		while (which < ARRAY_LENGTH(options) && strcmp(argv[i], options[which].option))
			which++;
		if (which < ARRAY_LENGTH(options)) {
			int status = command_option("prepare", options[which].value,
						    options[which].needs, argc, argv, &i);
			if (status)
				return status;
		} else if (!strcmp(argv[i], "--yes")) {
			request->yes = true;
		} else {
			return command_usage("prepare", "'%s' is no option of prepare", argv[i]);
		}
	}
	return check_request(request);
}

/* ---- what is shown ---- */

static void print_row(unsigned number, uint64_t start, uint64_t size, const char *what)
{
	char text[256], place[16] = "";
	struct words words = words_start(text, sizeof(text));

	words_add(&words, "%s", what);
	if (number)
		snprintf(place, sizeof(place), "%u", number);
	printf("  %4s  at %12s  %12s  %s\n", place, size_binary(start).text, size_binary(size).text,
	       text);
}

/* In the order in which they lie on the disk. */
static void print_table(const struct gpt *gpt, unsigned fresh)
{
	uint64_t sector = gpt->sector_bytes, at = 0;
	struct gpt_partition partition, next;

	for (;;) {
		bool found = false;

		for (unsigned i = 0; i < gpt->entry_count; i++)
			if (gpt_partition(gpt, i, &partition) && partition.first >= at &&
			    (!found || partition.first < next.first)) {
				next = partition;
				found = true;
			}
		if (!found)
			break;
		char what[200];
		snprintf(what, sizeof(what), "'%s'%s", next.name,
			 next.number == fresh ? "  NEW" : "");
		print_row(next.number, next.first * sector, (next.last + 1 - next.first) * sector,
			  what);
		at = next.first + 1;
	}
	if (!at)
		puts("  no partition");
}

static void print_plan(const struct preparation *plan, const char *disk)
{
	printf("disk: %s\n\nnow:\n", disk);
	print_table(&plan->before, 0);
	puts("\nthen:");
	print_table(&plan->after, plan->number);
	printf("\nPartition %u is new; nothing else on the disk changes. What free space still holds of deleted\n"
	       "filesystems can be lost with it. The image formats whatever is labelled '%s'.\n",
	       plan->number, plan->addition.label);
}

/* ---- asking ---- */

/* One line, without its end. */
static bool answered(const char *expected)
{
	char line[256];

	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return false;
	line[strcspn(line, "\r\n")] = '\0';
	return !strcmp(line, expected);
}

static bool agreed(const struct request *request)
{
	if (request->yes)
		return true;
	if (request->image)
		printf("\nType yes to write this, anything else to stop: ");
	else
		printf("\nType the disk's serial number to write this, anything else to stop: ");
	return answered(request->image ? "yes" : request->serial);
}

/* From the first byte to the last nobody who presses Ctrl-C should stop it halfway. */
static int write_undisturbed(const struct preparation *plan, bool *told)
{
	const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

	for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
		signal(signals[i], SIG_IGN);
	return preparation_write(plan, told);
}

static int carry_out(const struct request *request, const struct preparation *plan)
{
	struct gpt_partition made;
	bool told;

	if (!agreed(request)) {
		error_set(-EINTR, "stopped: nothing was written");
		return command_failed();
	}
	if (write_undisturbed(plan, &told))
		return command_failed();
	gpt_partition(&plan->after, plan->number - 1, &made);
	printf("\nwritten: partition %u, labelled '%s', PARTUUID %s\n", made.number, made.name,
	       made.uuid);
	if (!told)
		puts("The kernel has not taken the new partition: restart the machine before using it.");
	return 0;
}

static int prepare_image(const struct request *request)
{
	struct preparation plan;
	int status = 1;

	if (preparation_of_image(&plan, request->image, request->label, request->size_bytes)) {
		command_failed();
	} else {
		print_plan(&plan, request->image);
		status = carry_out(request, &plan);
	}
	preparation_free(&plan);
	return status;
}

/* ---- the machine's disks ---- */

static void list_disk(const struct device_list *list, size_t disk)
{
	struct preparation plan;
	char text[400];

	if (preparation_of_disk(&plan, list, disk, "", "blitbench-target", 0)) {
		printf("  %s\n", error_text());
	} else {
		printf("  %s: %s free\n", device_describe(list, disk, text, sizeof(text)),
		       size_binary(plan.addition.place.size_bytes).text);
		struct words words = words_start(text, sizeof(text));
		words_add(&words, "blitbench prepare --model '%s' --serial '%s'", plan.disk.model,
			  plan.disk.serial);
		printf("      %s\n", text);
	}
	preparation_free(&plan);
}

static int list_disks(const struct device_list *list)
{
	unsigned seen = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct block_device *device = &list->devices[i];

		if (device->is_partition || !device->size_bytes || !*device->serial)
			continue;
		if (!seen++)
			puts("disks of this machine, and what free space they have for a target:");
		list_disk(list, i);
	}
	if (!seen)
		puts("no disk with a serial number was seen");
	return 0;
}

static int prepare_disk(const struct request *request, const struct device_list *list)
{
	struct preparation plan;
	char text[400];
	int index = choose_disk(list, request->model, request->serial), status = 1;

	if (index < 0)
		return command_failed();
	if (preparation_of_disk(&plan, list, (size_t)index, "", request->label,
				request->size_bytes)) {
		command_failed();
	} else {
		print_plan(&plan, device_describe(list, (size_t)index, text, sizeof(text)));
		status = carry_out(request, &plan);
	}
	preparation_free(&plan);
	return status;
}

int command_prepare(int argc, char **argv)
{
	struct request request;
	struct device_list list;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	int status = parse(argc, argv, &request);
	if (status)
		return status;
	signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error like others */
	if (request.image)
		return prepare_image(&request);
	if (geteuid()) {
		error_set(-EPERM, "only root can look at the machine's disks");
		return command_failed();
	}
	if (devices_scan(&list, ""))
		return command_failed();
	status = request.serial ? prepare_disk(&request, &list) : list_disks(&list);
	devices_free(&list);
	return status;
}
