/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is folded and not a table: method, machine, sessions, flags. */
#include <math.h>
#include <string.h>

#include "report/details.h"
#include "report/fields.h"
#include "report/html_object.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/setup.h"
#include "report/tables.h"

void html_method(FILE *out, const struct page *page)
{
	html_fold_begin(out, "How it was measured");
	fputs("<p>A package store keeps each file once, under a name made from its content. A "
	      "<dfn>blit</dfn> makes a whole /usr anew out of it: a directory, symlink or link for "
	      "each entry of a list. Two transactions alternate: <dfn>remove</dfn> makes the tree "
	      "without one package, <dfn>install</dfn> the tree with it.</p>\n"
	      "<p>The clock starts with the list in memory and stops when the last entry exists. "
	      "<dfn>Hot</dfn>: after an untimed blit of the same kind, and proven by the disk not "
	      "being read. <dfn>Cold</dfn>: the kernel's caches were emptied, and that was proven "
	      "by counting what is left in them. Every tree was compared with its list "
	      "afterwards. Nothing else ran while the clock did, and before each trial the disk "
	      "came to rest.</p>\n",
	      out);
	fprintf(out,
		"<p>A <dfn>session</dfn> is %s. Trials within one resemble each other, so a "
		"figure is the median of the sessions' medians, and an interval or a ranking "
		"needs six sessions or more. A trial with a flag of the level "
		"<i>invalid</i> is kept and shown, and out of the figures; a <i>note</i> "
		"counts.</p>\n",
		table_in_directory(page->report)
			? "one filling of the store in a directory of a filesystem that was there "
			  "already"
			: "one fresh filesystem: discarded, made, mounted, filled, measured, "
			  "checked");
	html_fold_end(out);
}

static void print_fold(FILE *out, const char *title, const json_t *object,
		       const char *const *without)
{
	if (!html_object_tells(object))
		return;
	html_fold_begin(out, title);
	html_object(out, object, without);
	html_fold_end(out);
}

void html_facts(FILE *out, const struct page *page)
{
	static const char *const apart[] = { "config", NULL };

	print_fold(out, "The machine", field(page->report, "machine"), NULL);
	print_fold(out, table_in_directory(page->report) ? "The directory" : "The target",
		   field(page->report, "target"), NULL);
	print_fold(out, "The workload", field(page->report, "workload"), NULL);
	print_fold(out, "The run and its software", field(page->report, "run"), apart);
	print_fold(out, "Configuration", field(page->report, "run.config"), NULL);
}

/* --- sessions --- */

/* What rounds have alike, as a rule. */
static const char *const recipe_keys[] = {
	"filesystem", "variant", "store", "age", "mount", "features", NULL
};

static const char *const told_in_table[] = {
	"round", "filesystem", "variant", "store", "status", "reason", "discard", "populate",
	"ageing", "fsck", "at_seconds", "seconds", "cooling", "drive", NULL
};

static bool same_recipe(const json_t *left, const json_t *right)
{
	return fields_equal(left, right, recipe_keys) &&
	       json_equal(field(left, "mkfs.argv"), field(right, "mkfs.argv"));
}

static bool told_before(const json_t *sessions, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_recipe(json_array_get(sessions, i), json_array_get(sessions, index)))
			return true;
	return false;
}

static void print_rounds(FILE *out, const json_t *sessions, size_t first)
{
	const json_t *session;
	const char *separator = "";
	size_t index;

	json_array_foreach(sessions, index, session) {
		if (!same_recipe(session, json_array_get(sessions, first)))
			continue;
		fputs(separator, out);
		html_count(out, field_number(session, "round"));
		separator = ", ";
	}
}

static void print_recipes(FILE *out, const json_t *sessions)
{
	const json_t *session;
	size_t index, left = 0;
	char name[64];

	json_array_foreach(sessions, index, session) {
		if (!html_fits(out, &left) || told_before(sessions, index))
			continue;
		filesystem_label(name, sizeof(name), session);
		html_cell(out, "h4", "%s, store %s", name, field_text(session, "store", ""));
		fputs(" <small>round ", out);
		print_rounds(out, sessions, index);
		fputs("</small></h4>\n", out);
		html_object(out, session, told_in_table);
	}
	html_left_out(out, left, "sessions");
}

static void print_session_row(FILE *out, const json_t *session)
{
	char name[64];

	filesystem_label(name, sizeof(name), session);
	fputs("<tr><td>", out);
	html_count(out, field_number(session, "round"));
	html_cell(out, "th scope=row", "%s", name);
	html_cell(out, "td", "%s", field_text(session, "store", ""));
	html_cell(out, "td class=words", "%s %s", field_text(session, "status", ""),
		  field_text(session, "reason", ""));
	html_cell(out, "td", "%s", field_text(session, "discard.result", "\u2013"));
	html_number_cell(out, field_number(session, "mkfs.seconds"));
	html_number_cell(out, field_number(session, "populate.seconds"));
	html_cell(out, "td", "%s", field_text(session, "cooling.result", "\u2013"));
	html_number_cell(out, field_number(session, "drive.before.temperature_celsius"));
	html_number_cell(out, field_number(session, "drive.after.temperature_celsius"));
	html_cell(out, "td", "%s", field_text(session, "fsck.status", "\u2013"));
	html_number_cell(out, field_number(session, "fsck.seconds"));
	fputc('\n', out);
}

void html_sessions(FILE *out, const struct page *page)
{
	const json_t *sessions = field(page->report, "sessions"), *session;
	size_t index, left = 0;

	if (!json_array_size(sessions))
		return;
	html_fold_begin(out, table_in_directory(page->report)
				     ? "Sessions: a store filled anew each"
				     : "Sessions: one fresh filesystem each");
	html_table_begin(out, "All sessions in order; seconds");
	fputs("<thead><tr><th scope=col>round<th class=words scope=col>filesystem"
	      "<th scope=col>store<th class=words scope=col>status<th scope=col>discard"
	      "<th scope=col>mkfs<th scope=col>fill<th scope=col>cooled"
	      "<th scope=col>drive \u00b0C before<th scope=col>after"
	      "<th scope=col>fsck<th scope=col>fsck seconds"
	      "</thead><tbody>\n",
	      out);
	json_array_foreach(sessions, index, session)
		if (html_fits(out, &left))
			print_session_row(out, session);
	html_table_end(out);
	html_left_out(out, left, "sessions");
	print_recipes(out, sessions);
	html_fold_end(out);
}
