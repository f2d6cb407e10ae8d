/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serial numbers, UUIDs and MAC addresses are left out, and nothing else is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "journal_fixture.h"

#include "lib/cleanup.h"
#include "lib/redact.h"
#include "lib/sysfs.h"
#include "report/journal.h"

#include <string.h>

static struct redactor redactor;

static int make_redactor(void **state)
{
	static const char *const secrets[] = { "S3Z9NB0K123", "S3Z9", "a b/7", "X\xff" "99",
					       "1234abcd-01" };

	(void)state;
	redactor = (struct redactor){ .secrets = NULL };
	for (size_t i = 0; i < ARRAY_LENGTH(secrets); i++)
		if (redactor_learn(&redactor, secrets[i]))
			return -1;
	return 0;
}

static int free_redactor(void **state)
{
	(void)state;
	redactor_free(&redactor);
	return 0;
}

static void becomes(const char *text, const char *expected)
{
	_cleanup_free_ char *fresh = redact_text(&redactor, text);

	assert_non_null(fresh);
	assert_string_equal(fresh, expected);
}

static void secrets_go_and_words_stay(void **state)
{
	(void)state;
	becomes("", "");
	becomes("nothing to hide", "nothing to hide");
	becomes("S3Z9NB0K123", "redacted");
	becomes("(serial S3Z9NB0K123), 500.1 GB", "(serial redacted), 500.1 GB");
	becomes("blitbench.serial=s3z9nb0k123 quiet", "blitbench.serial=redacted quiet");
	becomes("ata-Disk_S3Z9NB0K123-part1", "ata-Disk_redacted-part1");
	becomes("a b/7;a b/7", "redacted;redacted");
	becomes("X\xff" "99!", "redacted!");
	becomes("X\xef\xbf\xbd" "99!", "redacted!");
	/* the longest of those that fit */
	becomes("S3Z9 S3Z9NB0K123", "redacted redacted");
	/* within a word it is none */
	becomes("XS3Z9NB0K123", "XS3Z9NB0K123");
	becomes("S3Z9NB0K1234", "S3Z9NB0K1234");
	becomes("aS3Z9", "aS3Z9");
}

static void forms_are_known(void **state)
{
	(void)state;
	becomes("PARTUUID 01234567-89AB-cdef-0123-456789abcdef on", "PARTUUID redacted on");
	becomes("root=PARTUUID=1234abcd-01", "root=PARTUUID=redacted");
	becomes("01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcde");
	becomes("01234567-89ab-cdef-0123-456789abcdef0", "01234567-89ab-cdef-0123-456789abcdef0");
	becomes("ether 52:54:00:12:34:56.", "ether redacted.");
	becomes("0000:00:0e.0", "0000:00:0e.0");
	becomes("2001-02-03T04:05:06Z", "2001-02-03T04:05:06Z");
	/* digests, run names and versions are no secrets */
	becomes("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef");
	becomes("20010203-040506-beef", "20010203-040506-beef");
}

static void words_are_no_serial_numbers(void **state)
{
	static const char *const words[] = { "", "1", "123", "none", "unknown", "xfs" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
		size_t before = redactor.count;

		assert_int_equal(redactor_learn(&redactor, words[i]), 0);
		assert_int_equal(redactor.count, before);
	}
	becomes("1 of 123 is unknown, none is on xfs", "1 of 123 is unknown, none is on xfs");
	size_t before = redactor.count;
	assert_int_equal(redactor_learn(&redactor, "s3z9NB0K123"), 0);
	assert_int_equal(redactor.count, before);
}

static void cut_ones_go_too(void **state)
{
	char text[256];

	(void)state;
	becomes("Disk (serial S3Z9NB...", "Disk (serial redacted...");
	becomes("Disk (serial S3Z...", "Disk (serial S3Z...");
	becomes("Disk (serial S3Z9NB", "Disk (serial S3Z9NB"); /* short: it was not cut */
	memset(text, ' ', sizeof(text));
	strcpy(text + 200, "S3Z9NB0");
	redact_buffer(&redactor, text, sizeof(text));
	assert_string_equal(text + 200, "redacted");
	char small[12] = "a S3Z9 tail";
	redact_buffer(&redactor, small, sizeof(small));
	assert_string_equal(small, "a redacted ");
}

static void all_of_a_value_is_looked_at(void **state)
{
	json_t *value = json_pack("{s:s,s:s,s:n,s:{s:s,s:s,s:i},s:[s,[s],{s:s}],s:s}", "partuuid",
				  "x", "serial", "", "none", "config", "serial", "drive",
				  "other", "drive", "count", 7, "list", "S3Z9", "S3Z9 too", "text",
				  "not S3Z9", "model", "Disk");
	json_t *expected = json_pack("{s:s,s:s,s:n,s:{s:s,s:s,s:i},s:[s,[s],{s:s}],s:s}",
				     "partuuid", "redacted", "serial", "", "none", "config",
				     "serial", "redacted", "other", "drive", "count", 7, "list",
				     "redacted", "redacted too", "text", "not redacted", "model",
				     "Disk");

	(void)state;
	assert_int_equal(redact_json(&redactor, value), 0);
	assert_true(json_equal(value, expected));
	assert_int_equal(redact_json(&redactor, value), 0);
	assert_true(json_equal(value, expected));
	json_decref(value);
	json_decref(expected);
}

static void no_line_of_the_journal_has_one(void **state)
{
	void *made = NULL;
	struct journal *journal;

	(void)state;
	assert_int_equal(folder_make(&made), 0);
	const struct folder *folder = made;
	assert_int_equal(journal_create(&journal, folder->fd), 0);
	journal_redact(journal, &redactor);
	journal_append(journal, "target",
		       json_pack("{s:s,s:{s:s}}", "partuuid", "01234567-89ab-cdef-0123-456789abcdef",
				 "disk", "serial", "S3Z9NB0K123"));
	journal_append(journal, "note", json_pack("{s:s}", "text", "S3Z9NB0K123 is hot"));
	journal_verdict(journal, RUN_REFUSED, "no-match", "Seen: Disk (serial S3Z9NB0K123)");
	journal_close(journal);
	_cleanup_free_ char *text = sysfs_slurp("", "%s", folder->journal);
	assert_non_null(text);
	assert_null(strstr(text, "S3Z9"));
	assert_null(strstr(text, "01234567-89ab"));
	assert_non_null(strstr(text, "redacted is hot"));
	assert_non_null(strstr(text, "Seen: Disk (serial redacted)"));
	folder_remove(&made);
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_redactor, free_redactor)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(secrets_go_and_words_stay),
		test(forms_are_known),
		test(words_are_no_serial_numbers),
		test(cut_ones_go_too),
		test(all_of_a_value_is_looked_at),
		test(no_line_of_the_journal_has_one),
	};
	return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
