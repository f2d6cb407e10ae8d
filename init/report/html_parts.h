/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of report.html, in the order of the page. Each prints nothing where it has no data. */
#ifndef BLITBENCH_REPORT_HTML_PARTS_H
#define BLITBENCH_REPORT_HTML_PARTS_H

#include "report/page.h"

#include <stdbool.h>
#include <stdio.h>

/* The first screen: which filesystem, by how much, how sure; or why there is no answer. */
void html_verdict(FILE *out, const struct page *page);

/* Hot and cold as bars with every trial, and the disk's reads beside them. */
void html_bars(FILE *out, const struct page *page);

/* What another engine or store would bring. */
void html_setups(FILE *out, const struct page *page);

/* Distributions of the time of single calls. */
void html_latency(FILE *out, const struct page *page);

/* What ran when, and the machine's state below it. */
void html_timeline(FILE *out, const struct page *page);

/* The table published for moss beside this one. */
void html_published(FILE *out, const struct page *page);

/* One sentence for each thing that this run did not measure. */
void html_not_measured(FILE *out, const struct page *page);

/* Folded: what was measured and how, on which machine, and all that the run said. */
void html_method(FILE *out, const struct page *page);
void html_facts(FILE *out, const struct page *page);
void html_sessions(FILE *out, const struct page *page);
void html_flags(FILE *out, const struct page *page);
void html_cells(FILE *out, const struct page *page);
void html_values(FILE *out, const struct page *page);
void html_other_bars(FILE *out, const struct page *page);

/* Whether the parts of those names print anything. */
bool html_has_latency(const struct page *page);
bool html_has_timeline(const struct page *page);
bool html_has_machine_readings(const struct page *page);

/* The style sheet, without its element. */
extern const char html_style[];

#endif
