/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/details.h"
#include "report/fields.h"
#include "report/html_parts.h"
#include "report/html_write.h"

/* Of each flag and reason so many trials are named. */
enum { NAMED_MAX = 8 };

struct flagged {
	const struct page *page;
	const struct page_cell *cell;
	const json_t *trial;
};

/* Adds the trial to those of the flag of that level, name and detail. */
static void collect(json_t *flags, const char *level, const char *name, const char *detail,
		    const struct flagged *flagged)
{
	const json_t *cell = flagged->cell->cell, *trial = flagged->trial;
	_cleanup_free_ char *key = NULL;
	char subject[64], words[256];
	json_t *flag;

	if (asprintf(&key, "%s\n%s\n%s", level, name, detail) < 0) {
		key = NULL;
		return;
	}
	flag = json_object_get(flags, key);
	if (!flag) {
		flag = json_pack("{s:s, s:s, s:s, s:[]}", "level", level, "name", name, "detail",
				 detail, "trials");
		json_object_set_new_nocheck(flags, key, flag);
	}
	page_subject_label(subject, sizeof(subject), flagged->page, flagged->cell->subject);
	snprintf(words, sizeof(words), "%s %s %s, round %.0f trial %.0f", subject,
		 field_text(cell, "operation", ""), field_text(cell, "cache", ""),
		 field_number(trial, "round"), field_number(trial, "number"));
	json_array_append_new(json_object_get(flag, "trials"), json_string_nocheck(words));
}

static void collect_trial(json_t *flags, const struct flagged *flagged)
{
	const json_t *trial = flagged->trial, *flag;
	bool invalid = false;
	size_t index;

	json_array_foreach(field(trial, "flags"), index, flag) {
		const char *level = field_text(flag, "level", "");

		invalid = invalid || !strcmp(level, "invalid");
		collect(flags, level, field_text(flag, "name", ""), field_text(flag, "detail", ""),
			flagged);
	}
	/* Out of the figures without a flag that says so. */
	if (!invalid && !trial_counts(trial))
		collect(flags, "invalid", "not counted", trial_reason_without_flag(trial), flagged);
}

static void print_flag(FILE *out, const json_t *flag)
{
	const json_t *trials = field(flag, "trials");
	size_t count = json_array_size(trials);

	fputs("<tr>", out);
	html_cell(out, "th scope=row", "%s", field_text(flag, "name", ""));
	html_cell(out, "td class=words", "%s", field_text(flag, "level", ""));
	html_cell(out, "td class=words", "%s", field_text(flag, "detail", ""));
	fprintf(out, "<td>%zu<td class=words>", count);
	for (size_t i = 0; i < count && i < NAMED_MAX; i++)
		html_printf(out, "%s%s", i ? "; " : "",
			    json_string_value(json_array_get(trials, i)));
	if (count > NAMED_MAX)
		fprintf(out, "; and %zu more", count - NAMED_MAX);
	fputc('\n', out);
}

static void print_flags(FILE *out, json_t *flags)
{
	const char *key;
	json_t *flag;
	size_t left = 0;

	html_table_begin(out, "invalid: out of the figures; note: counts");
	fputs("<thead><tr><th class=words scope=col>flag<th class=words scope=col>level"
	      "<th class=words scope=col>why<th scope=col>trials<th class=words scope=col>which"
	      "</thead><tbody>\n",
	      out);
	json_object_foreach(flags, key, flag)
		if (html_fits(out, &left))
			print_flag(out, flag);
	html_table_end(out);
	html_left_out(out, left, "flags");
}

static void print_notes(FILE *out, const json_t *notes)
{
	const json_t *note;
	size_t index, left = 0;

	if (!json_array_size(notes))
		return;
	fputs("<h4>Notes of the run</h4><ul>\n", out);
	json_array_foreach(notes, index, note) {
		const char *text = json_string_value(note);

		if (html_fits(out, &left))
			html_cell(out, "li", "%s", text ? text : "");
	}
	fputs("</ul>\n", out);
	html_left_out(out, left, "notes");
}

void html_flags(FILE *out, const struct page *page)
{
	json_t *flags = json_object();

	html_fold_begin(out, "Flags and notes");
	for (size_t i = 0; i < page->cell_count; i++)
		for (size_t j = 0; j < page->cells[i].trial_count; j++)
			collect_trial(flags, &(struct flagged){ page, &page->cells[i],
								page->cells[i].trials[j] });
	if (json_object_size(flags))
		print_flags(out, flags);
	else
		fputs("<p>No trial was flagged.</p>\n", out);
	json_decref(flags);
	print_notes(out, field(page->report, "notes"));
	html_fold_end(out);
}
