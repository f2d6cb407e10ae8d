/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/compare.h"

#include "cli/command.h"
#include "cli/compare_by.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/compare.h"
#include "report/setup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"Usage: blitbench compare [OPTION...] BASELINE REPORT...\n"
	"       blitbench compare --by KEY [--json] REPORT|FOLDER...\n"
	"\n"
	"Compares reports with a baseline, cell by cell: first what differs between the\n"
	"machines, kernels, images, features and settings, then the ratio of the times with\n"
	"its interval, and a star where the difference is significant. BASELINE and REPORT\n"
	"are report.json files or the folders of runs. BASELINE may also be the word\n"
	"published: the table published for moss in January 2025 (a file of this name is\n"
	"./published).\n"
	"What is not comparable is refused: another kind of machine, another workload.\n"
	"\n"
	"      --json                 print the comparison as JSON\n"
	"      --html                 print it as a page that needs nothing else\n"
	"      --only KEY=VALUE       only cells with this filesystem, variant, engine, strategy,\n"
	"                             threads, store, governor, cache or operation; may be\n"
	"                             given again. Fewer cells are tested, so that less is lost\n"
	"                             to the correction: choose before looking at the figures\n"
	"      --force                compare the incomparable; every line then says so\n"
	"      --fail-if-slower 10%   end with status 1 where a cell is significantly slower\n"
	"                             and its ratio above 1.10, with 3 where that cannot be told\n"
	"      --raw                  with --fail-if-slower: by the ratios alone, for fewer than\n"
	"                             six sessions; chance will raise alarms\n"
	"      --by KEY               instead, one table over all reports in the folders: how each\n"
	"                             machine.cpu.model (or what another key of the reports tells)\n"
	"                             does in each cell; runs are counted once\n"
	"      --help                 print this\n"
	"\n"
	"Exit status: 0 compared (and nothing is slower); 1 slower; 2 wrong usage, or a report\n"
	"that cannot be read; 3 too few sessions or cells missing; 4 not comparable.\n";

enum { STATUS_SLOWER = 1, STATUS_TROUBLE = 2, STATUS_UNKNOWN = 3, STATUS_INCOMPARABLE = 4 };

struct request {
	char *(*render)(const json_t *comparison);
	const char *limit_text;
	const char **names; /* the baseline first */
	const char **only;  /* KEY=VALUE */
	size_t count, only_count;
	double limit;
	bool force, raw;
};

static int set_render(struct request *request, char *(*render)(const json_t *comparison))
{
	if (request->render && request->render != render)
		return command_usage("compare", "--json and --html exclude each other");
	request->render = render;
	return 0;
}

static int add_only(struct request *request, int argc, char **argv, int *at)
{
	const char *given = NULL;
	int status = command_option("compare", &given, "KEY=VALUE", argc, argv, at);
	size_t length = given ? strcspn(given, "=") : 0;

	if (status)
		return status;
	for (size_t i = 0; cell_keys[i] && given[length]; i++)
		if (strlen(cell_keys[i]) == length && !strncmp(cell_keys[i], given, length)) {
			request->only[request->only_count++] = given;
			return 0;
		}
	return command_usage("compare", "--only: '%s' is no key of a cell and a value", given);
}

static int parse_option(struct request *request, int argc, char **argv, int *at)
{
	const char *option = argv[*at];

	if (!strcmp(option, "--json"))
		return set_render(request, compare_json);
	if (!strcmp(option, "--html"))
		return set_render(request, compare_html);
	if (!strcmp(option, "--fail-if-slower"))
		return command_option("compare", &request->limit_text, "a percentage, such as 10%",
				      argc, argv, at);
	if (!strcmp(option, "--only"))
		return add_only(request, argc, argv, at);
	if (strcmp(option, "--force") && strcmp(option, "--raw"))
		return command_usage("compare", "'%s' is no option of compare", option);
	request->force = request->force || !strcmp(option, "--force");
	request->raw = request->raw || !strcmp(option, "--raw");
	return 0;
}

static int parse_limit(struct request *request)
{
	char *end;

	if (!request->limit_text)
		return request->raw ? command_usage("compare", "--raw needs --fail-if-slower") : 0;
	request->limit = strtod(request->limit_text, &end) / 100;
	/* As people write one: no sign, no blank, no hexadecimal. */
	if (!strchr("0123456789.", *request->limit_text) || strpbrk(request->limit_text, "xX") ||
	    end == request->limit_text || strcmp(end, "%") || !(request->limit >= 0) ||
	    request->limit > 100)
		return command_usage("compare",
				     "--fail-if-slower: '%s' is no percentage from 0%% to 10000%%",
				     request->limit_text);
	return 0;
}

static int parse(int argc, char **argv, struct request *request)
{
	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (argv[i][0] == '-')
			status = parse_option(request, argc, argv, &i);
		else
			request->names[request->count++] = argv[i];
		if (status)
			return status;
	}
	if (request->count < 2)
		return command_usage("compare", "compare needs a baseline and a report");
	for (size_t i = 1; i < request->count; i++)
		if (!strcmp(request->names[i], "published"))
			return command_usage("compare", "the published table can only be the "
							"baseline, which is named first");
	if (!request->render)
		request->render = compare_text;
	return parse_limit(request);
}

static int keep(struct saved *saved, const char *only)
{
	const char *equals = strchr(only, '=');
	_cleanup_free_ char *key = strndup(only, (size_t)(equals - only));

	return key ? saved_keep(saved, key, equals + 1) : error_set(-ENOMEM, "out of memory");
}

static int load(const struct request *request, struct saved *saved, size_t index)
{
	const char *name = request->names[index];
	int error = !index && !strcmp(name, "published") ? saved_published(saved)
							  : saved_read(saved, name);

	for (size_t i = 0; i < request->only_count && !error; i++)
		error = keep(saved, request->only[i]);
	return error;
}

static int status_of(const struct request *request, json_t *comparison)
{
	static const int statuses[] = {
		[COMPARE_FINE] = 0,
		[COMPARE_SLOWER] = STATUS_SLOWER,
		[COMPARE_UNKNOWN] = STATUS_UNKNOWN,
	};

	if (!request->limit_text)
		return 0;
	return statuses[compare_judge(comparison, request->limit, request->raw)];
}

static int failed(int status)
{
	command_failed();
	return status;
}

static int compare(const struct request *request, struct saved *saved)
{
	_cleanup_free_ char *text = NULL;
	json_t *comparison = NULL;
	int error = 0, status;

	for (size_t i = 0; i < request->count && !error; i++)
		error = load(request, &saved[i], i);
	if (!error)
		error = compare_build(&comparison, &saved[0], saved + 1, request->count - 1,
				      request->force);
	if (error)
		return failed(error == -EXDEV ? STATUS_INCOMPARABLE : STATUS_TROUBLE);
	status = status_of(request, comparison);
	text = request->render(comparison);
	json_decref(comparison);
	if (!text) {
		error_set(-ENOMEM, "out of memory");
		return failed(STATUS_TROUBLE);
	}
	fputs(text, stdout);
	return status;
}

int command_compare(int argc, char **argv)
{
	_cleanup_free_ const char **names = calloc((size_t)argc + 1, sizeof(*names));
	_cleanup_free_ const char **only = calloc((size_t)argc + 1, sizeof(*only));
	_cleanup_free_ struct saved *saved = calloc((size_t)argc + 1, sizeof(*saved));
	struct request request = { .names = names, .only = only };
	int status;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			return 0;
		}
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--by"))
			return compare_by(argc, argv);
	if (!names || !only || !saved) {
		error_set(-ENOMEM, "out of memory");
		return failed(STATUS_TROUBLE);
	}
	status = parse(argc, argv, &request);
	if (status)
		return status;
	status = compare(&request, saved);
	for (size_t i = 0; i < request.count; i++)
		saved_free(&saved[i]);
	return status;
}
