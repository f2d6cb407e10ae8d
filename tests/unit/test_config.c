/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration: sources and their order, mistakes, the printed forms of the table. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/tree.h"
#include "run/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static char top[64], path[128];
static struct config *config;

static int make_config(void **state)
{
	(void)state;
	if (scratch_make(top, "config"))
		return -1;
	config = config_new(plan_names);
	return config ? 0 : -1;
}

static int remove_config(void **state)
{
	(void)state;
	config_free(config);
	return tree_remove(AT_FDCWD, top);
}

static const char *file_of(const char *name, const char *text, size_t length)
{
	snprintf(path, sizeof(path), "%s/%s", top, name);
	_cleanup_fclose_ FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	return path;
}

static void conf_bytes(const char *text, size_t length)
{
	assert_int_equal(config_read_conf(config, file_of("blitbench.conf", text, length)), 0);
}

static void conf(const char *text)
{
	conf_bytes(text, strlen(text));
}

static void profile(const char *text)
{
	assert_int_equal(config_read_profile(config, file_of("seed.conf", text, strlen(text))), 0);
}

/* One key in an otherwise good conf of its own. */
static const char *mistakes_of(const char *line)
{
	static char copy[4096];
	char text[1024];

	config_free(config);
	config = config_new(plan_names);
	snprintf(text, sizeof(text), "[blitbench]\n%s\n", line);
	conf(text);
	snprintf(copy, sizeof(copy), "%s", config_mistakes(config));
	return copy;
}

static void every_default_is_allowed(void **state)
{
	(void)state;
	for (enum config_key key = 0; key < CONFIG_KEYS; key++) {
		char line[256];

		snprintf(line, sizeof(line), "%s = %s", config_key_name(key),
			 config_get(config, key));
		assert_string_equal(config_origin(config, key), "default");
		assert_string_equal(mistakes_of(line), "");
		assert_string_equal(config_origin(config, key), "blitbench.conf, line 2");
	}
}

static void the_printed_conf_is_all_defaults_with_its_hashes_taken_off_or_not(void **state)
{
	(void)state;
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	char key_line[64];

	config_print_conf(out, plan_names);
	fclose(out);
	conf(text);
	assert_string_equal(config_mistakes(config), "");
	for (enum config_key key = 0; key < CONFIG_KEYS; key++) {
		assert_string_equal(config_origin(config, key), "default");
		snprintf(key_line, sizeof(key_line), "\n#%s =", config_key_name(key));
		char *found = strstr(text, key_line);
		assert_non_null(found);
		found[1] = ' ';
	}
	_cleanup_free_ char *uncommented = take_pointer(text);
	struct config *again = config_new(plan_names);
	assert_int_equal(config_read_conf(again, file_of("blitbench.conf", uncommented,
							 strlen(uncommented))),
			 0);
	assert_string_equal(config_mistakes(again), "");
	for (enum config_key key = 0; key < CONFIG_KEYS; key++) {
		assert_non_null(strstr(config_origin(again, key), "blitbench.conf, line "));
		assert_string_equal(config_get(again, key), config_get(config, key));
	}
	config_free(again);
}

static void the_documentation_is_the_table(void **state)
{
	(void)state;
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	config_print_markdown(out, plan_names);
	fclose(out);
	_cleanup_free_ char *page = sysfs_slurp("", "docs/config.md");
	if (!page)
		page = strdup("there is no docs/config.md");
	assert_string_equal(page, text);
}

static void shipped_profiles_have_no_mistakes(void **state)
{
	static const char *const names[] = { "quick", "seed", "layouts", "engines" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		struct config *own = config_new(plan_names);

		snprintf(path, sizeof(path), "workloads/profiles/%s.conf", names[i]);
		assert_int_equal(config_read_profile(own, path), 0);
		assert_string_equal(config_mistakes(own), "");
		/* quick is what a run does that says nothing. */
		for (enum config_key key = 0; i == 0 && key < CONFIG_KEYS; key++)
			assert_string_equal(config_get(own, key), config_get(config, key));
		config_free(own);
	}
}

static void the_earlier_source_wins_in_whatever_order_they_are_read(void **state)
{
	(void)state;
	profile("[blitbench]\ntrials = 30\nrounds = 20\nstore = flat\n");
	conf("[blitbench]\n\ntrials = 4\nrounds = 9\n");
	config_read_command_line(config, "quiet blitbench.trials=7 root=/dev/sda1\n");
	assert_string_equal(config_mistakes(config), "");
	assert_string_equal(config_get(config, KEY_TRIALS), "7");
	assert_string_equal(config_origin(config, KEY_TRIALS), "the kernel command line");
	assert_string_equal(config_get(config, KEY_ROUNDS), "9");
	assert_string_equal(config_origin(config, KEY_ROUNDS), "blitbench.conf, line 4");
	assert_string_equal(config_get(config, KEY_STORE), "flat");
	assert_string_equal(config_origin(config, KEY_STORE), "profile seed, line 4");
	assert_string_equal(config_get(config, KEY_AFTER), "poweroff");
}

static void windows_files_are_fine(void **state)
{
	(void)state;
	conf("\xef\xbb\xbf; made with an editor\r\n[blitbench]\r\n\r\nfilesystems = xfs, ext4\r\n  \tmodel =  Fast  SSD \r\n"
	     "serial = S3Z9 ; on the label\r\ntrials: 5");
	assert_string_equal(config_mistakes(config), "");
	assert_string_equal(config_get(config, KEY_FILESYSTEMS), "xfs, ext4");
	assert_string_equal(config_get(config, KEY_MODEL), "Fast  SSD");
	assert_string_equal(config_get(config, KEY_SERIAL), "S3Z9");
	assert_string_equal(config_get(config, KEY_TRIALS), "5");
	assert_string_equal(config_origin(config, KEY_TRIALS), "blitbench.conf, line 7");
}

static void bad_values_are_told_with_place_and_what_is_allowed(void **state)
{
	static const struct {
		const char *line, *allowed;
	} cases[] = {
		{ "trials = 0", "a number from 1 to 100" },
		{ "trials = 101", "a number from 1 to 100" },
		{ "trials = -1", "a number from 1 to 100" },
		{ "trials = +3", "a number from 1 to 100" },
		{ "trials = 3x", "a number from 1 to 100" },
		{ "trials = 0x10", "a number from 1 to 100" },
		{ "trials = 3 # three", "a number from 1 to 100" },
		{ "trials = 18446744073709551619", "a number from 1 to 100" },
		{ "trials = ", "a number from 1 to 100" },
		{ "order = largest", "one of: moss linear" },
		{ "writers = 0", "auto, or a number from 1 to 64" },
		{ "writers = 65", "auto, or a number from 1 to 64" },
		{ "age = 1001", "a number from 0 to 1000" },
		{ "age = auto", "a number from 0 to 1000" },
		{ "keep_states = all", "auto, or a number from 0 to 1000" },
		{ "content = half", "full, or capped:BYTES" },
		{ "content = capped", "full, or capped:BYTES" },
		{ "content = capped:", "full, or capped:BYTES" },
		{ "content = capped:0", "full, or capped:BYTES" },
		{ "content = capped:-1", "full, or capped:BYTES" },
		{ "content = capped:4k", "full, or capped:BYTES" },
		{ "content = capped:1000000001", "full, or capped:BYTES" },
		{ "trials = auto", "a number from 1 to 100" },
		{ "rounds = 1.5", "a number from 1 to 100" },
		{ "countdown = 3601", "auto, or a number of seconds from 0 to 3600" },
		{ "hold = soon", "auto, or a number of seconds from 0 to 86400" },
		{ "filesystems = ext4 zfs", "a list, each once, of: ext4, xfs, xfs-parent, f2fs, btrfs" },
		{ "filesystems = ext4 xfs ext4", "a list, each once, of: ext4, xfs, xfs-parent, f2fs, btrfs" },
		{ "filesystems = ", "a list, each once, of: ext4, xfs, xfs-parent, f2fs, btrfs" },
		{ "filesystems = , ,", "a list, each once, of: ext4, xfs, xfs-parent, f2fs, btrfs" },
		{ "filesystems = EXT4", "a list, each once, of: ext4, xfs, xfs-parent, f2fs, btrfs" },
		{ "caches = hot hot", "a list, each once, of: hot cold" },
		{ "caches = warm", "a list, each once, of: hot cold" },
		{ "operations = remove, remove", "a list, each once, of: remove install" },
		{ "cold = drop remount", "one of: drop remount drop+remount" },
		{ "engines = moss/2025", "a list, each once, of: moss-2025" },
		{ "engines = moss-2025 moss-1999", "a list, each once, of: moss-2025" },
		{ "engines = a-name-that-is-longer-than-any-engine-has",
		  "a list, each once, of: moss-2025" },
		{ "strategy = symlink", "a list, each once, of: auto hardlink reflink copy" },
		{ "strategy = auto auto", "a list, each once, of: auto hardlink reflink copy" },
		{ "threads = 0", "auto, or a number from 1 to 256" },
		{ "threads = 257", "auto, or a number from 1 to 256" },
		{ "store = 4x2", "a list, each once, of: 3x2, 2x2, 1x2, flat" },
		{ "store = 3x2 flat 3x2", "a list, each once, of: 3x2, 2x2, 1x2, flat" },
		{ "governor = ", "a list, each once, of keep and governors" },
		{ "governor = powersave powersave", "a list, each once, of keep and governors" },
		{ "governor = on/demand", "a list, each once, of keep and governors" },
		{ "epp = ", "keep, or a preference" },
		{ "epp = power performance", "keep, or a preference" },
		{ "boost = yes", "one of: keep on off" },
		{ "cool_down = auto", "a number of seconds from 0 to 3600" },
		{ "cool_down = 3601", "a number of seconds from 0 to 3600" },
		{ "link_power = performance", "one of: max_performance medium_power" },
		{ "link_power = keep keep", "one of: max_performance medium_power" },
		{ "redact = all", "yes or no" },
		{ "profile = ../seed", "the name of a profile" },
		{ "profile = .hidden", "the name of a profile" },
		{ "workload = a/../../b", "the name of a workload, or a path" },
		{ "workload = /etc/passwd", "the name of a workload, or a path" },
		{ "workload = ..", "the name of a workload, or a path" },
		{ "delta = ", "auto, none, the name of a delta, or a path" },
		{ "partuuid = 01234567-89ab-cdef-0123-456789abcde", "a UUID such as" },
		{ "partuuid = 01234567-89ab-cdef-0123-456789abcdeg", "a UUID such as" },
		{ "partuuid = sda1", "a UUID such as" },
		{ "overwrite = true", "yes or no" },
		{ "same_disk = 1", "yes or no" },
		{ "after = shutdown", "one of: poweroff reboot hold" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		const char *mistakes = mistakes_of(cases[i].line);
		char start[64], rest[256];

		snprintf(start, sizeof(start), "blitbench.conf, line 2: %.*s = \"",
			 (int)strcspn(cases[i].line, " ="), cases[i].line);
		snprintf(rest, sizeof(rest), "\": must be %s", cases[i].allowed);
		assert_ptr_equal(strstr(mistakes, start), mistakes);
		assert_non_null(strstr(mistakes, rest));
		assert_string_equal(strchr(mistakes, '\n'), "\n");
	}
	for (enum config_key key = 0; key < CONFIG_KEYS; key++)
		assert_string_equal(config_origin(config, key), "default");
	assert_string_equal(
		mistakes_of("trials = 0"),
		"blitbench.conf, line 2: trials = \"0\": must be a number from 1 to 100\n");
}

static void good_values_at_the_edges_are_taken(void **state)
{
	static const char *const lines[] = {
		"trials = 1",
		"trials = 100",
		"trials = 007",
		"countdown = 0",
		"countdown = 3600",
		"hold = auto",
		"hold = 86400",
		"filesystems = f2fs",
		"filesystems = f2fs,xfs",
		"cold = drop+remount",
		"partlabel = ",
		"partlabel = my disk",
		"workload = my/tree.mtree.zst",
		"workload = a..b/..c",
		"delta = none",
		"after = hold",
		"governor = keep",
		"governor = powersave, performance keep",
		"epp = balance_performance",
		"epp = 128",
		"boost = off",
		"cool_down = 0",
		"link_power = keep",
		"link_power = med_power_with_dipm",
		"redact = yes",
		"model = Größe 860 EVO",
		"partuuid = ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(lines); i++)
		assert_string_equal(mistakes_of(lines[i]), "");
	assert_string_equal(mistakes_of("partuuid = 01234567-89AB-CDEF-0123-456789abcdef"), "");
	assert_string_equal(config_get(config, KEY_PARTUUID),
			    "01234567-89ab-cdef-0123-456789abcdef");
}

static void an_unknown_key_is_told_with_the_one_that_was_meant(void **state)
{
	(void)state;
	assert_string_equal(
		mistakes_of("trails = 3"),
		"blitbench.conf, line 2: \"trails\" is not a key; did you mean trials?\n");
	assert_string_equal(
		mistakes_of("same-disk = no"),
		"blitbench.conf, line 2: \"same-disk\" is not a key; did you mean same_disk?\n");
	assert_string_equal(
		mistakes_of("Filesystem = xfs"),
		"blitbench.conf, line 2: \"Filesystem\" is not a key; did you mean filesystems?\n");
	const char *none = mistakes_of("xyzzyplugh = 1");
	assert_non_null(strstr(
		none,
		"\"xyzzyplugh\" is not a key; the keys are: profile workload delta filesystems "));
	assert_non_null(strstr(none, " report\n"));
}

static void lines_that_are_no_pairs_are_all_told(void **state)
{
	(void)state;
	conf("rounds = 2\n"
	     "[blitbench]\n"
	     "trials\n"
	     "  a continuation of nothing\n"
	     "[variant fast]\n"
	     "mkfs = -b 1024\n"
	     "[blitbench\n"
	     "[BLITBENCH]\n"
	     "[]\n"
	     "[blitbench]\n"
	     "= 3\n"
	     "trials = 2\n"
	     "trials = 2\n");
	assert_string_equal(
		config_mistakes(config),
		"blitbench.conf, line 1: \"rounds\" stands before the line [blitbench]; move it below\n"
		"blitbench.conf, line 3: is not of the form KEY = VALUE\n"
		"blitbench.conf, line 4: is not of the form KEY = VALUE\n"
		"blitbench.conf, line 5: \"[variant fast]\" is not a section; the only one is [blitbench]\n"
		"blitbench.conf, line 7: the ] of a section's name is missing\n"
		"blitbench.conf, line 8: \"[BLITBENCH]\" is not a section; the only one is [blitbench]\n"
		"blitbench.conf, line 9: \"[]\" is not a section; the only one is [blitbench]\n"
		"blitbench.conf, line 11: is not of the form KEY = VALUE\n"
		"blitbench.conf, line 13: trials = \"2\": line 12 has this key already; take one of the two out\n");
	assert_string_equal(config_get(config, KEY_TRIALS), "2");
}

static void damaged_bytes_are_told_with_their_line(void **state)
{
	static const char text[] =
		"[blitbench]\nmodel = a\0b\nserial = \xff\n# \xe9 in a comment is nobody's concern\n"
		"partlabel = red \x1b[31m\nmodel = \xc2\x9b\ntrials = 2\n\0\0\0\0";

	(void)state;
	conf_bytes(text, sizeof(text) - 1);
	assert_string_equal(
		config_mistakes(config),
		"blitbench.conf, line 2: holds a NUL byte; is the file damaged, or not plain text?\n"
		"blitbench.conf, line 3: holds bytes that are not printable UTF-8\n"
		"blitbench.conf, line 5: holds bytes that are not printable UTF-8\n"
		"blitbench.conf, line 6: holds bytes that are not printable UTF-8\n"
		"blitbench.conf, line 8: holds a NUL byte; is the file damaged, or not plain text?\n");
	assert_string_equal(config_get(config, KEY_TRIALS), "2");
}

/* The longest line is taken whole, CR and all; one byte more is a mistake and not a shorter value.
 */
static void long_lines_are_never_cut(void **state)
{
	enum { LONGEST = 197 };
	char text[512], value[256];

	(void)state;
	memset(value, 'w', sizeof(value));
	value[LONGEST - strlen("workload = ")] = '\0';
	snprintf(text, sizeof(text), "[blitbench]\r\nworkload = %s\r\ntrials = 9\r\n", value);
	conf(text);
	assert_string_equal(config_mistakes(config), "");
	assert_string_equal(config_get(config, KEY_WORKLOAD), value);
	assert_string_equal(config_origin(config, KEY_TRIALS), "blitbench.conf, line 3");

	snprintf(text, sizeof(text), "workload = w%s", value);
	assert_string_equal(mistakes_of(text),
			    "blitbench.conf, line 2: is longer than 197 bytes\n");

	config_free(config);
	config = config_new(plan_names);
	memset(value, 'w', 200);
	value[200] = '\0';
	snprintf(text, sizeof(text), "blitbench.workload=%s", value);
	config_read_command_line(config, text);
	assert_string_equal(
		config_mistakes(config),
		"the kernel command line: workload: its value is longer than 191 bytes\n");
}

static void files_that_are_no_conf_are_told_or_refused(void **state)
{
	(void)state;
	conf("");
	assert_string_equal(config_mistakes(config), "");
	conf_bytes("\xff\xfe[\0b\0l\0", 8);
	assert_string_equal(config_mistakes(config),
			    "blitbench.conf: is UTF-16; save it as plain text in UTF-8\n");
	config_free(config);
	config = config_new(plan_names);
	_cleanup_free_ char *large = malloc(70000);
	memset(large, '\n', 70000);
	conf_bytes(large, 70000);
	assert_string_equal(config_mistakes(config),
			    "blitbench.conf: is larger than 65536 bytes; is it the right file?\n");
	assert_int_equal(config_read_conf(config, "/nonexistent/blitbench.conf"), -ENOENT);
	assert_string_equal(error_text(),
			    "cannot open /nonexistent/blitbench.conf: No such file or directory");
	assert_int_equal(config_read_conf(config, top), -EISDIR);
	assert_int_equal(config_read_profile(config, "/nonexistent/seed.conf"), -ENOENT);
}

static void a_profile_cannot_name_a_profile(void **state)
{
	(void)state;
	profile("[blitbench]\nprofile = quick\n");
	assert_string_equal(
		config_mistakes(config),
		"profile seed, line 2: profile = \"quick\": a profile cannot name another one; take the line out\n");
}

static void the_command_line_is_split_as_the_kernel_does(void **state)
{
	(void)state;
	config_read_command_line(
		config,
		"console=ttyS0,115200 blitbench.filesystems=\"xfs ext4\" \"blitbench.caches=hot cold\" "
		"blitbench.operations=install,remove dyndbg=\"file a.c +p\"  blitbench.model=\"\" "
		"blitbench.trials=3 blitbench.trials=4 notblitbench.trials=5 blitbenchx=1\n");
	assert_string_equal(config_mistakes(config), "");
	assert_string_equal(config_get(config, KEY_FILESYSTEMS), "xfs ext4");
	assert_string_equal(config_get(config, KEY_CACHES), "hot cold");
	assert_string_equal(config_get(config, KEY_OPERATIONS), "install,remove");
	assert_string_equal(config_get(config, KEY_MODEL), "");
	assert_string_equal(config_origin(config, KEY_MODEL), "the kernel command line");
	assert_string_equal(config_get(config, KEY_TRIALS), "4");
}

static void mistakes_on_the_command_line(void **state)
{
	(void)state;
	config_read_command_line(
		config, "blitbench.trials blitbench.trials= blitbench.=x blitbench.model=\x80 "
			"blitbench.rounds=0 dyndbg=\"ok\"");
	const char *mistakes = config_mistakes(config);
	assert_non_null(strstr(
		mistakes,
		"the kernel command line: \"blitbench.trials\" has no value; write blitbench.KEY=VALUE\n"));
	assert_non_null(
		strstr(mistakes,
		       "the kernel command line: trials = \"\": must be a number from 1 to 100\n"));
	assert_non_null(
		strstr(mistakes, "the kernel command line: \"\" is not a key; the keys are: "));
	assert_non_null(strstr(
		mistakes,
		"a word that begins with blitbench. holds bytes that are not printable UTF-8\n"));
	assert_non_null(strstr(mistakes, "the kernel command line: rounds = \"0\": must be"));
	config_free(config);
	config = config_new(plan_names);
	config_read_command_line(config, "blitbench.model=\"Samsung blitbench.trials=3");
	assert_string_equal(config_mistakes(config),
			    "the kernel command line: a double quote is not closed\n");
	config_free(config);
	config = config_new(plan_names);
	config_read_command_line(config, "other=\"left open");
	config_read_command_line(config, "");
	assert_string_equal(config_mistakes(config), "");
}

static void mistakes_are_sorted_by_place(void **state)
{
	(void)state;
	profile("[blitbench]\nrounds = 0\n");
	conf("[blitbench]\ngovernor = slow\nafter = never\nfilesystems = zfs\n");
	config_read_command_line(config, "blitbench.trials=0");
	config_mistake(config, KEY_GOVERNOR, "must be one of: %s", "fast");
	config_mistake(config, KEY_STORE, "is not known");
	assert_string_equal(
		config_mistakes(config),
		"the kernel command line: trials = \"0\": must be a number from 1 to 100\n"
		"blitbench.conf, line 2: governor = \"slow\": must be one of: fast\n"
		"blitbench.conf, line 3: after = \"never\": must be one of: poweroff reboot hold\n"
		"blitbench.conf, line 4: filesystems = \"zfs\": must be a list, each once, of: ext4, xfs, xfs-parent, f2fs, btrfs\n"
		"profile seed, line 2: rounds = \"0\": must be a number from 1 to 100\n"
		"default: store = \"3x2\": is not known\n");
}

static void a_flood_of_mistakes_is_counted(void **state)
{
	enum { LINES = 5000, KEPT = 64 };

	(void)state;
	_cleanup_free_ char *text = calloc(LINES, 8);
	for (int i = 0; i < LINES; i++)
		strcpy(text + i * 5, "junk\n");
	conf(text);
	const char *mistakes = config_mistakes(config);
	int lines = 0;
	for (const char *at = mistakes; *at; at++)
		lines += *at == '\n';
	assert_int_equal(lines, KEPT + 1);
	assert_non_null(strstr(mistakes, "\nand 4936 more\n"));
}

static void lists_are_walked_word_by_word(void **state)
{
	const char *cursor = " ,ext4,, xfs\tf2fs ,";
	char word[CONFIG_WORD_BYTES];

	(void)state;
	assert_true(config_next_word(&cursor, word, sizeof(word)));
	assert_string_equal(word, "ext4");
	assert_true(config_next_word(&cursor, word, sizeof(word)));
	assert_string_equal(word, "xfs");
	assert_true(config_next_word(&cursor, word, sizeof(word)));
	assert_string_equal(word, "f2fs");
	assert_false(config_next_word(&cursor, word, sizeof(word)));
	assert_false(config_next_word(&cursor, word, sizeof(word)));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_config, remove_config)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_default_is_allowed),
		TEST(the_printed_conf_is_all_defaults_with_its_hashes_taken_off_or_not),
		TEST(the_documentation_is_the_table),
		TEST(shipped_profiles_have_no_mistakes),
		TEST(the_earlier_source_wins_in_whatever_order_they_are_read),
		TEST(windows_files_are_fine),
		TEST(bad_values_are_told_with_place_and_what_is_allowed),
		TEST(good_values_at_the_edges_are_taken),
		TEST(an_unknown_key_is_told_with_the_one_that_was_meant),
		TEST(lines_that_are_no_pairs_are_all_told),
		TEST(damaged_bytes_are_told_with_their_line),
		TEST(long_lines_are_never_cut),
		TEST(files_that_are_no_conf_are_told_or_refused),
		TEST(a_profile_cannot_name_a_profile),
		TEST(the_command_line_is_split_as_the_kernel_does),
		TEST(mistakes_on_the_command_line),
		TEST(mistakes_are_sorted_by_place),
		TEST(a_flood_of_mistakes_is_counted),
		TEST(lists_are_walked_word_by_word),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
