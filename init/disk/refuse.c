/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/refuse.h"

#include "disk/words.h"
#include "lib/cleanup.h"

#include <string.h>
#include <strings.h>

/* The machine as one wish sees it. */
struct view {
	const struct device_list *list;
	const struct target_wish *wish;
	size_t matches;
	const struct block_device *target; /* the first match, else NULL */
	const struct block_device *disk;   /* of the target */
};

struct rule {
	const char *name;
	bool (*broken)(const struct view *view);
	void (*explain)(const struct view *view, struct words *reason, struct words *remedy);
};

static bool given(const char *text)
{
	return text && text[0];
}

static const struct block_device *disk_of(const struct device_list *list,
					  const struct block_device *device)
{
	return device->disk >= 0 && (size_t)device->disk < list->count
		       ? &list->devices[device->disk]
		       : NULL;
}

static void add_disk(struct words *words, const struct view *view,
		     const struct block_device *device)
{
	char text[400];

	words_add(words, "%s",
		  device_describe(view->list, (size_t)(device - view->list->devices), text,
				  sizeof(text)));
}

static void add_partition(struct words *words, const struct view *view,
			  const struct block_device *device)
{
	words_add(words, "%s", device->name);
	if (device->partlabel[0])
		words_add(words, " '%s'", device->partlabel);
	words_add(words, " on ");
	add_disk(words, view, device);
}

/* The end of "no partition has the ..." */
static void add_wish(struct words *words, const struct target_wish *wish)
{
	if (given(wish->partlabel))
		words_add(words, "GPT partition label '%s'", wish->partlabel);
	if (given(wish->partlabel) && given(wish->partuuid))
		words_add(words, " and the ");
	if (given(wish->partuuid))
		words_add(words, "PARTUUID %s", wish->partuuid);
}

/* How close a device comes to the wish: MATCH may become a target, the others help to explain. */
enum nearness {
	FAR,
	NO_PARTITIONS,
	OTHER_NAME,
	FILESYSTEM_LABEL,
	DISK_LABEL,
	NOT_GPT,
	TABLE_DIFFERS,
	OVERLAPS,
	OTHER_DISK,
	MATCH
};

/* A GPT of which the kernel shows nothing. It wants an intact first header and takes no partition
 * that reaches beyond the disk; of a disk that was cut off nothing is left but "PMBR". */
static bool without_partitions(const struct device_list *list, const struct block_device *disk)
{
	if (strcmp(disk->table_type, "gpt") && strcmp(disk->table_type, "PMBR"))
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (list->devices[i].is_partition && disk_of(list, &list->devices[i]) == disk)
			return false;
	return true;
}

/* But for case and for blanks at the ends, which nobody sees on a screen. */
static bool look_alike(const char *label, const char *other)
{
	label += strspn(label, " ");
	other += strspn(other, " ");
	size_t length = strlen(label), other_length = strlen(other);
	while (length && label[length - 1] == ' ')
		length--;
	while (other_length && other[other_length - 1] == ' ')
		other_length--;
	return length == other_length && !strncasecmp(label, other, length);
}

static enum nearness nearness(const struct view *view, const struct block_device *device)
{
	const struct target_wish *wish = view->wish;
	const struct block_device *disk = disk_of(view->list, device);
	bool label = given(wish->partlabel), uuid = given(wish->partuuid);
	bool on_filesystem = label && !strcmp(device->signature_label, wish->partlabel);

	if (!device->is_partition && !on_filesystem)
		return without_partitions(view->list, device) ? NO_PARTITIONS : FAR;
	if (!device->is_partition)
		return DISK_LABEL;
	bool named = (label || uuid) && (!label || !strcmp(device->partlabel, wish->partlabel)) &&
		     (!uuid || !strcasecmp(device->partuuid, wish->partuuid));
	if (!named && ((label && look_alike(device->partlabel, wish->partlabel)) ||
		       (uuid && !strcasecmp(device->partuuid, wish->partuuid))))
		return OTHER_NAME;
	if (!named)
		return on_filesystem ? FILESYSTEM_LABEL : FAR;
	if (!disk || strcmp(disk->table_type, "gpt"))
		return NOT_GPT;
	if (device->table_differs)
		return TABLE_DIFFERS;
	if (device->overlaps)
		return OVERLAPS;
	if ((given(wish->model) && strcmp(device->model, wish->model)) ||
	    (given(wish->serial) && strcmp(device->serial, wish->serial)))
		return OTHER_DISK;
	return MATCH;
}

/* ---- nothing, or too much, has the name ---- */

static const struct block_device *whole_disk_match(const struct view *view)
{
	for (size_t i = 0; i < view->list->count; i++)
		if (nearness(view, &view->list->devices[i]) == DISK_LABEL)
			return &view->list->devices[i];
	return NULL;
}

static bool is_whole_disk(const struct view *view)
{
	return !view->matches && whole_disk_match(view);
}

static void explain_whole_disk(const struct view *view, struct words *reason, struct words *remedy)
{
	words_add(reason,
		  "'%s' is the label of a filesystem on a whole disk: ", view->wish->partlabel);
	add_disk(reason, view, whole_disk_match(view));
	words_add(remedy, "a target is a partition of a GPT disk: make one and label that '%s'",
		  view->wish->partlabel);
}

static bool no_match(const struct view *view)
{
	return !view->matches;
}

static void add_near_miss(struct words *reason, const struct view *view,
			  const struct block_device *device)
{
	enum nearness near = nearness(view, device);

	if (near == FAR || near == MATCH)
		return;
	words_add(reason, "; but ");
	add_partition(reason, view, device);
	if (near == NO_PARTITIONS)
		words_add(reason, " has a GPT that is empty, damaged or of a larger disk: "
				  "no partition of it can be seen");
	if (near == OTHER_NAME)
		words_add(reason, " is named otherwise: label '%s', PARTUUID %s", device->partlabel,
			  device->partuuid);
	if (near == FILESYSTEM_LABEL)
		words_add(reason, " has it as the label of its filesystem, not of the partition");
	if (near == DISK_LABEL)
		words_add(reason, " has it as the label of a filesystem on the whole disk");
	if (near == NOT_GPT)
		words_add(reason, " is not on a disk with a readable GPT");
	if (near == TABLE_DIFFERS)
		words_add(reason, " differs from the table on its disk: restart the machine");
	if (near == OVERLAPS)
		words_add(reason,
			  " shares bytes with another partition of its disk, or with its GPT");
	if (near == OTHER_DISK)
		words_add(reason, " is not on the disk asked for (model '%s', serial '%s')",
			  given(view->wish->model) ? view->wish->model : "any",
			  given(view->wish->serial) ? view->wish->serial : "any");
}

static void explain_no_match(const struct view *view, struct words *reason, struct words *remedy)
{
	size_t seen = 0;

	if (!given(view->wish->partlabel) && !given(view->wish->partuuid)) {
		words_add(reason, "no target was named");
		words_add(remedy, "set partlabel or partuuid");
		return;
	}
	words_add(reason, "no partition has the ");
	add_wish(reason, view->wish);
	for (size_t i = 0; i < view->list->count; i++)
		add_near_miss(reason, view, &view->list->devices[i]);
	for (size_t i = 0; i < view->list->count; i++) {
		const struct block_device *device = &view->list->devices[i];

		if (device->is_partition) {
			words_add(reason, ", %s '%s'", device->name, device->partlabel);
		} else if (device->size_bytes) {
			words_add(reason, "%s", seen++ ? "; " : ". Seen: ");
			add_disk(reason, view, device);
		}
	}
	if (!seen)
		words_add(reason, ". No disk was seen at all");
	words_add(remedy, "label the partition that may be overwritten so (sfdisk --part-label "
			  "DISK NUMBER LABEL), or name another one by partlabel or partuuid");
}

static bool two_matches(const struct view *view)
{
	return view->matches > 1;
}

static void explain_two_matches(const struct view *view, struct words *reason, struct words *remedy)
{
	size_t told = 0;

	words_add(reason, "%zu partitions have the ", view->matches);
	add_wish(reason, view->wish);
	for (size_t i = 0; i < view->list->count; i++) {
		if (nearness(view, &view->list->devices[i]) != MATCH)
			continue;
		words_add(reason, "%s", told++ ? "; " : ": ");
		add_partition(reason, view, &view->list->devices[i]);
	}
	words_add(remedy, "take all but one away, rename them, or say which one by partuuid, "
			  "model or serial");
}

/* ---- exactly one has it ---- */

/* Partitions of our own stick. The label alone counts: this only ever refuses more. */
static bool is_of_the_image(const struct block_device *device)
{
	return device->is_partition && (!strcmp(device->partlabel, "BLITRESULTS") ||
					!strcmp(device->partlabel, "BLITBOOT"));
}

static bool on_results_disk(const struct view *view)
{
	bool seen = !view->wish->results;

	if (is_of_the_image(view->target) ||
	    (view->wish->results && view->target->number == view->wish->results))
		return true;
	if (view->wish->same_disk)
		return false;
	for (size_t i = 0; i < view->list->count; i++) {
		const struct block_device *device = &view->list->devices[i];
		bool results = view->wish->results && device->number == view->wish->results;

		seen |= results;
		if ((results || is_of_the_image(device)) && device->disk == view->target->disk)
			return true;
	}
	return !seen; /* not known where the results are: it could be here */
}

static void explain_results_disk(const struct view *view, struct words *reason,
				 struct words *remedy)
{
	bool itself = is_of_the_image(view->target) || view->target->number == view->wish->results;

	add_partition(reason, view, view->target);
	words_add(reason, itself ? " holds the image or the results itself"
				 : " is on the disk that holds the image or the results");
	words_add(remedy,
		  itself ? "name another partition"
			 : "use another disk, or set same_disk=yes if this one is really meant");
}

static bool in_use(const struct view *view)
{
	const struct block_device *target = view->target, *disk = view->disk;

	return target->mounted || target->swap || target->holders[0] || target->busy ||
	       disk->mounted || disk->swap;
}

static void explain_in_use(const struct view *view, struct words *reason, struct words *remedy)
{
	const struct block_device *target = view->target, *disk = view->disk;

	add_partition(reason, view, target);
	if (target->mounted || disk->mounted)
		words_add(reason, " is mounted");
	else if (target->swap || disk->swap)
		words_add(reason, " is swap space in use");
	else if (target->holders[0])
		words_add(reason, " is held by %s", target->holders);
	else
		words_add(reason, " is in use by another program or device");
	words_add(remedy, "unmount, swapoff or detach it; or name another partition");
}

static bool is_read_only(const struct view *view)
{
	return view->target->read_only || view->disk->read_only;
}

static void explain_read_only(const struct view *view, struct words *reason, struct words *remedy)
{
	add_partition(reason, view, view->target);
	words_add(reason, " is read-only");
	words_add(remedy, "look for a write-protect switch or a lock (blockdev --getro), or name "
			  "another partition");
}

static bool too_small(const struct view *view)
{
	return !view->target->size_bytes || view->target->size_bytes < view->wish->bytes_needed;
}

static void explain_too_small(const struct view *view, struct words *reason, struct words *remedy)
{
	add_partition(reason, view, view->target);
	words_add(reason, " has %s (%llu bytes), and the run needs %s (%llu bytes)",
		  size_binary(view->target->size_bytes).text,
		  (unsigned long long)view->target->size_bytes,
		  size_binary(view->wish->bytes_needed).text,
		  (unsigned long long)view->wish->bytes_needed);
	words_add(remedy, "make the partition larger, or choose a smaller workload");
}

/*
 * Ours, or nothing. What could not be read is not nothing. An unfinished run leaves a filesystem
 * with our label or remains that disagree, never one without a label (the tools write label and
 * signature at once): that would be its owner's, who has put the partition to another use since.
 */
static bool may_be_lost(const struct view *view)
{
	static const char *const types[] = { "ext4", "xfs", "f2fs", "btrfs" };
	const struct block_device *target = view->target;
	bool unfinished = given(view->wish->unfinished_partuuid) &&
			  !strcasecmp(target->partuuid, view->wish->unfinished_partuuid);

	if (!target->signature_type[0])
		return true;
	if (unfinished && !strcmp(target->signature_type, "ambivalent"))
		return true;
	for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
		if (!strcmp(target->signature_type, types[i]))
			return !strcmp(target->signature_label, "blitbench");
	return false;
}

/* The whole disk counts too: beside a GPT it may be a member of a RAID that owns the partitions. */
static bool is_foreign(const struct view *view)
{
	const char *whole = view->disk->signature_type;

	return !view->wish->overwrite && (!may_be_lost(view) || whole[0]);
}

static void explain_foreign(const struct view *view, struct words *reason, struct words *remedy)
{
	const struct block_device *target = view->target, *disk = view->disk;
	const char *type = may_be_lost(view) ? disk->signature_type : target->signature_type;
	bool unreadable = !strcmp(type, "unreadable");

	add_partition(reason, view, target);
	if (may_be_lost(view) && unreadable)
		words_add(reason, " is on a disk whose beginning or end cannot be read, so it is "
				  "not known whether it is part of something");
	else if (may_be_lost(view))
		words_add(reason, " is part of a disk that is itself '%s'", type);
	else if (unreadable)
		words_add(reason, " cannot be read, so it is not known what is on it");
	else if (!strcmp(type, "ambivalent"))
		words_add(reason, " carries several signatures that disagree");
	else
		words_add(reason, " carries '%s'%s%s%s that is not of this program", type,
			  target->signature_label[0] ? " labelled '" : "", target->signature_label,
			  target->signature_label[0] ? "'" : "");
	if (unreadable)
		words_add(remedy, "take another disk, for this one may be failing, or set "
				  "overwrite=yes if all of it may be lost");
	else if (may_be_lost(view))
		words_add(remedy, "take a disk that is nobody's member, or set overwrite=yes if "
				  "the whole disk may be lost");
	else
		words_add(remedy, "save what is on it and clear the partition (wipefs --all on it "
				  "alone), or set overwrite=yes if all of it may be lost");
}

/*
 * In this order: first whether there is exactly one, then what cannot be helped by a key, and last
 * the one refusal that a key lifts, so that nobody is asked to agree to a loss that would have been
 * in vain.
 */
static const struct rule rules[] = {
	{ "whole-disk", is_whole_disk, explain_whole_disk },
	{ "no-match", no_match, explain_no_match },
	{ "two-matches", two_matches, explain_two_matches },
	{ "results-disk", on_results_disk, explain_results_disk },
	{ "in-use", in_use, explain_in_use },
	{ "read-only", is_read_only, explain_read_only },
	{ "too-small", too_small, explain_too_small },
	{ "foreign-signature", is_foreign, explain_foreign },
};

int target_choose(const struct device_list *list, const struct target_wish *wish,
		  struct refusal *refusal)
{
	struct view view = { .list = list, .wish = wish };

	for (size_t i = 0; i < list->count; i++) {
		if (nearness(&view, &list->devices[i]) != MATCH)
			continue;
		if (!view.matches++)
			view.target = &list->devices[i];
	}
	view.disk = view.target ? disk_of(list, view.target) : NULL;
	for (size_t i = 0; i < ARRAY_LENGTH(rules); i++) {
		if (!rules[i].broken(&view))
			continue;
		struct words reason = words_start(refusal->reason, sizeof(refusal->reason));
		struct words remedy = words_start(refusal->remedy, sizeof(refusal->remedy));
		refusal->rule = rules[i].name;
		rules[i].explain(&view, &reason, &remedy);
		return -1;
	}
	return (int)(view.target - list->devices);
}
