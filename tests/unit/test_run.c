/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run's own words and its end, without a machine of its own: what is asked, what counts as
 * saved. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/tree.h"
#include "run/run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct run run;
static char top[40];
static int top_fd;

static int begin(void **state)
{
	(void)state;
	strcpy(top, "/tmp/blitbench-run-XXXXXX");
	run_init(&run, NULL);
	if (!mkdtemp(top))
		return -1;
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return top_fd < 0;
}

static int end(void **state)
{
	(void)state;
	json_decref(run.report);
	journal_close(run.journal);
	close(top_fd);
	return tree_remove(AT_FDCWD, top);
}

static void labels_do_not_steer_the_screen(void **state)
{
	struct block_device devices[1] = { { .name = "sda1", .model = "Fast SSD", .number = 1 } };
	char text[1024];

	(void)state;
	run.devices = (struct device_list){ .devices = devices, .count = 1 };
	run.target.identity = devices[0];
	struct block_device *identity = &run.target.identity;
	strcpy(identity->partlabel, "\x1b[2Jnothing\nwill be lost");
	strcpy(identity->signature_type, "ext4");
	memset(identity->signature_label, '\x1b', sizeof(identity->signature_label) - 1);
	run_announcement(&run, text, sizeof(text));
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "\nwill be lost"));
	assert_non_null(strstr(text, "Fast SSD"));
	assert_non_null(strstr(text, "Everything on this partition will be lost.\n"));
}

static void start_journal(void)
{
	assert_int_equal(journal_create(&run.journal, top_fd), 0);
	run.results.run_fd = top_fd;
	run_ended(&run, RUN_ABORTED, "stopped");
}

static void what_is_written_counts_as_reported(void **state)
{
	(void)state;
	start_journal();
	assert_int_equal(run_report(&run), 0);
	assert_true(run.reported);
	assert_int_equal(faccessat(top_fd, "report.json", R_OK, 0), 0);
	assert_int_equal(faccessat(top_fd, "report.txt", R_OK, 0), 0);
}

static void a_report_that_could_not_be_written_does_not(void **state)
{
	(void)state;
	start_journal();
	assert_int_equal(mkdirat(top_fd, "report.json", 0755), 0);
	assert_true(run_report(&run) < 0);
	assert_false(run.reported);
	assert_non_null(strstr(error_text(), "report.json"));
	assert_non_null(run.report); /* for the consoles */
}

static void nothing_is_reported_to_no_volume(void **state)
{
	(void)state;
	run_ended(&run, RUN_ABORTED, "stopped");
	assert_int_equal(run_report(&run), 0);
	assert_false(run.reported);
	assert_non_null(run.report);
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(labels_do_not_steer_the_screen),
		test(what_is_written_counts_as_reported),
		test(a_report_that_could_not_be_written_does_not),
		test(nothing_is_reported_to_no_volume),
	};
	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
