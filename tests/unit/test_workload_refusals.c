/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manifests that are refused, and what the sentence says; files that are cut off or damaged at
 * every byte. */
#include "workload_fixture.h"

#include <archive.h>
#include <archive_entry.h>

#define OK "./usr/ok type=file size=1\n"

struct refusal {
	const char *text;     /* of the base */
	const char *sentence; /* must follow the name of the file */
};

static const struct refusal refusals[] = {
	/* What leaves usr/. */
	{ OK "./usr/../etc/x type=file size=1\n",
	  ": line 2: \"./usr/../etc/x\": the path has \"..\" in it; write" },
	{ "./usr/\\056\\056/x type=file size=1\n",
	  ": line 1: \"./usr/../x\": the path has \"..\" in it" },
	{ "./usr/.\\056/x type=file size=1\n", "the path has \"..\" in it" },
	{ "../usr/x type=file size=1\n", "the path has \"..\" in it" },
	{ "usr/.. type=dir\n", "the path has \"..\" in it" },
	{ "\\056\\056 type=dir\n", "the path has \"..\" in it" },
	{ "usr type=dir\n\\056. type=dir\n", "the path has \"..\" in it" },
	{ "/usr/x type=file size=1\n",
	  ": line 1: \"/usr/x\": the path is absolute; write paths as ./usr/..." },
	{ "\\057usr/x type=file size=1\n", "\"/usr/x\": the path is absolute" },
	{ "//usr/x type=file size=1\n", "the path is absolute" },
	{ "etc/passwd type=file size=1\n", "\"etc/passwd\": the path does not lie below usr/" },
	{ "./usrx type=file size=1\n", "does not lie below usr/" },
	{ "./usrx/y type=file size=1\n", "does not lie below usr/" },
	{ "./us type=dir\n", "does not lie below usr/" },
	{ "bin type=dir\nls type=file size=1\n", "\"bin\": the path does not lie below usr/" },

	/* The tree. */
	{ OK "./usr/ok/x type=file size=1\n",
	  "\"./usr/ok/x\": \"ok\" above it is a file, and only a directory" },
	{ "./usr/l type=link link=/etc\n./usr/l/x/y type=file size=1\n",
	  "\"l\" above it is a symlink" },
	{ "./usr/a/x type=file size=1\n./usr/a type=file size=1\n",
	  "\"./usr/a\": it is a file here, but entries below" },
	{ "./usr/a/x type=file size=1\n./usr/a type=link link=b\n",
	  "it is a symlink here, but entries below" },
	{ "./usr type=file size=1\n", "usr is a file, but must be a directory" },
	{ OK "usr/ok type=file size=1\n",
	  "\"usr/ok\": the same path stands in another spelling further up" },
	{ OK "./usr//ok type=file size=1\n", "in another spelling" },
	{ OK "./usr/./ok type=file size=1\n", "in another spelling" },
	{ "./usr/d type=dir\n./usr/d/ type=dir\n", "in another spelling" },
	{ "./usr/d/x type=file size=1\nusr type=dir\nd type=dir\nx type=file size=1\n",
	  "in another spelling" },

	/* Values. */
	{ "./usr/x type=file size=-1\n", "\"./usr/x\": size=-1 is negative; correct it" },
	{ "./usr/x type=file size=-9223372036854775808\n", "is negative" },
	{ "./usr/x type=file\n", "\"./usr/x\": size= is missing; a file needs its size in bytes" },
	{ "./usr/x type=file size=\n", "size= is not a decimal number" },
	{ "./usr/x type=file size=12abc\n", "size=12abc is not a decimal number" },
	{ "./usr/x type=file size=0x10\n", "size=0x10 is not a decimal number" },
	{ "./usr/x type=file size=1099511627777\n",
	  "a size of 1099511627777 bytes is over the limit of 1099511627776" },
	{ "./usr/x type=file size=9223372036854775808\n",
	  "a size of 9223372036854775808 bytes is over the limit" },
	{ "./usr/x type=file size=18446744073709551616\n",
	  "size=18446744073709551616 is too large" },
	{ "./usr/x size=1\n", "\"./usr/x\": type= is missing" },
	{ "./usr/x type=pipe\n", "\"./usr/x\": type=pipe is no type that an entry can have" },
	{ "./usr/x type=char device=linux,1,3\n", ": it lists no entries" },
	{ "./usr/x type=file size=1 mode=u+x\n", "mode=u+x is not an octal number" },
	{ "./usr/x type=file size=1 mode=10000\n", "mode=10000 is too large" },
	{ "./usr/x type=file size=1 mode=0689\n", "mode=0689 is not an octal number" },
	{ "./usr/x type=file size=1 uid=-1\n", "uid=-1 is negative" },
	{ "./usr/x type=file size=1 gid=4294967295\n", "gid=4294967295 is too large" },
	{ "./usr/x type=file size=1 inode=4611686018427387904\n",
	  "inode=4611686018427387904 is not below 2^62" },
	{ "./usr/x type=file size=1 inode=5\n./usr/y type=file size=2 inode=5\n",
	  "\"./usr/y\": inode=5 means one content, but has size=2 here and size=1 before" },
	{ "./usr/x type=file size=0 inode=5\n./usr/y type=file size=2 inode=5\n",
	  "inode=5 means one content" },
	{ "./usr/x type=link\n", "a symlink with a text of 0 bytes cannot be made" },
	{ "./usr/x type=link link=\n", "a symlink with a text of 0 bytes" },
	{ "/set link=x\n./usr/x type=link\n", ": line 1: /set has link=" },
	{ "./usr/x\\000y type=file size=1\n", "a name with \\000 in it cannot exist" },
	{ "./usr/x type=link link=a\\000\n", "\"./usr/x\": a name with \\000" },
	{ "./usr/x\\9 type=file size=1\n", "begins with no escape that mtree knows" },
	{ "./usr/x\\47 type=file size=1\n", "begins with no escape that mtree knows" },

	/* What is no manifest. */
	{ "", ": the file is empty" },
	{ "#mtree\n\n# nothing\n", ": it lists no entries" },
	{ "#mtree\n. type=dir\n./ type=dir\n", ": only the root is listed" },
	{ "Dear reader,\n", ": line 1: \"Dear\": \"reader,\" is not of the form keyword=value" },
	{ OK "./usr/x type=file size=12",
	  ": line 2: the last line has no end, so the file seems to be cut off" },
	{ OK "./usr/x type=file \\\n",
	  ": line 3: the last line is continued, but nothing follows" },
};

static void each_has_its_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(refusals); i++) {
		struct workload workload;
		int error = load_text(&workload, refusals[i].text, NULL);

		if (error != -EINVAL)
			fail_msg("%d instead of -EINVAL for: %s", error, refusals[i].text);
		assert_int_equal(
			strncmp(error_text(), in_top("base.mtree"), strlen(in_top("base.mtree"))),
			0);
		assert_sentence(refusals[i].sentence);
		/* Nothing is left to free, and freeing it all the same does no harm. */
		workload_free(&workload);
	}
}

static void a_delta_is_named_in_its_sentences(void **state)
{
	struct workload workload;

	(void)state;
	assert_int_equal(load_text(&workload, OK, "./usr/ok/x type=file size=1\n"), -EINVAL);
	assert_sentence("delta.mtree: line 1: \"./usr/ok/x\": \"ok\" above it is a file");
	assert_int_equal(load_text(&workload, "./usr/a type=file size=1 inode=1\n",
				   "./usr/b type=file size=2 inode=1\n"),
			 -EINVAL);
	assert_sentence("delta.mtree: line 1: \"./usr/b\": inode=1 means one content");
	assert_int_equal(load_text(&workload, OK, ""), -EINVAL);
	assert_sentence("delta.mtree: the file is empty");
}

static void long_names_paths_and_lines(void **state)
{
	static char text[256 << 10];
	struct workload workload;

	(void)state;
	strcpy(text, "./usr/");
	memset(text + 6, 'n', 256);
	strcpy(text + 6 + 256, " type=dir\n");
	assert_int_equal(load_text(&workload, text, NULL), -EINVAL);
	assert_sentence("a name in the path has 256 bytes");

	strcpy(text, "./usr");
	for (int i = 0; i < 2046; i++)
		strcat(text, "/d");
	strcat(text, "/ee type=dir\n");
	assert_int_equal(load_text(&workload, text, NULL), -EINVAL);
	assert_sentence("the path has over 4095 bytes");

	strcpy(text, "./usr/l type=link link=");
	memset(text + strlen(text), 'l', 4096);
	strcat(text, "\n");
	assert_int_equal(load_text(&workload, text, NULL), -EINVAL);
	assert_sentence("a symlink with a text of 4096 bytes");
	memset(text, 0, sizeof(text));

	strcpy(text, "./usr/x type=file size=1 sha256digest=");
	memset(text + strlen(text), 'a', 64 << 10);
	strcat(text, "\n");
	assert_int_equal(load_text(&workload, text, NULL), -EINVAL);
	assert_sentence("the line has over 65535 bytes");
	memset(text, 0, sizeof(text));

	/* The older style adds up names; it ends at the same limit. */
	strcpy(text, "usr type=dir\n");
	for (int i = 0; i < 3000; i++)
		strcat(text, "d type=dir\n");
	assert_int_equal(load_text(&workload, text, NULL), -EINVAL);
	assert_sentence("line 2048");
	assert_sentence("the path has over 4095 bytes");
	memset(text, 0, sizeof(text));
}

static void binary_files_are_refused(void **state)
{
	static const char bytes[] = "./usr/x type=file\0 size=1\n";
	struct workload workload;

	(void)state;
	put_bytes("binary", bytes, sizeof(bytes) - 1);
	assert_int_equal(workload_load(&workload, "x", in_top("binary"), NULL, 1, NULL), -EINVAL);
	assert_sentence("line 1: there is a NUL byte; this is no mtree manifest");
	assert_int_equal(workload_load(&workload, "x", in_top("missing"), NULL, 1, NULL), -ENOENT);
	assert_sentence("missing: the file cannot be opened: No such file or directory");
	assert_int_equal(workload_load(&workload, "x", top, NULL, 1, NULL), -EISDIR);
}

static void sentences_cannot_disturb_a_console(void **state)
{
	char text[8192] = "./usr/\\033[2J\\233\\302\\233\n\\007\x9b type=pipe\033[2J\x9b"
			  "8\n";
	struct workload workload;

	(void)state;
	for (int part = 0; part < 2; part++) {
		assert_int_equal(load_text(&workload, text, NULL), -EINVAL);
		for (const char *at = error_text(); *at; at++)
			assert_true(*at >= ' ' && *at < 0x7f);
		/* And a path of any length leaves room for the reason. */
		memset(text, 0, sizeof(text));
		strcpy(text, "./usr");
		for (int i = 0; i < 500; i++)
			strcat(text, "/\\001\\001");
		strcat(text, " type=file size=-1\n");
	}
	assert_sentence("...\": size=-1 is negative");
}

/* --- cut off and damaged --- */

static const char whole[] =
	"#mtree\n./usr type=dir mode=0755\n/set type=file mode=0644 uid=0\n"
	"./usr/bin/a size=100 inode=4\n"
	"./usr/bin/b\\040c size=200 inode=5\n./usr/l type=link link=bin/a\n"
	"./usr/share/doc/\\303\\244/x size=0\n./usr/share/doc/y \\\n  size=100 inode=4\n";

static void plain_text_cut_at_every_byte(void **state)
{
	(void)state;
	for (size_t length = 0; length < strlen(whole); length++) {
		struct workload workload;
		int error;

		put_bytes("cut", whole, length);
		error = workload_load(&workload, "cut", in_top("cut"), NULL, 1, NULL);
		/* Only a cut right behind a whole line cannot be told; before the first entry
		 * nothing is there at all. */
		if (length > strlen("#mtree\n") && whole[length - 1] == '\n' &&
		    whole[length - 2] != '\\' && length != strlen("#mtree\n"))
			assert_int_equal(error, 0);
		else
			assert_int_equal(error, -EINVAL);
		workload_free(&workload);
	}
}

/* The manifest compressed by one of libarchive's filters, as lightly as it can: what unpacks it
 * then takes little memory. */
static size_t compress(char *out, size_t size, int (*add_filter)(struct archive *))
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used = 0;

	assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
	assert_int_equal(add_filter(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_set_filter_option(archive, NULL, "compression-level", "1"),
			 ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(archive, 1);
	assert_int_equal(archive_write_open_memory(archive, out, size, &used), ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, whole, strlen(whole)), strlen(whole));
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_entry_free(entry);
	archive_write_free(archive);
	return used;
}

static void compressed_text_cut_and_damaged_at_every_byte(void **state)
{
	int (*const filters[])(struct archive *) = {
		archive_write_add_filter_zstd,
		archive_write_add_filter_gzip,
		archive_write_add_filter_xz,
	};
	char digest[DIGEST_TEXT_BYTES];
	struct workload workload;

	(void)state;
	must_load(&workload, whole, NULL);
	strcpy(digest, workload.digest);
	workload_free(&workload);
	for (size_t i = 0; i < ARRAY_LENGTH(filters); i++) {
		char bytes[4096];
		size_t length = compress(bytes, sizeof(bytes), filters[i]);

		put_bytes("whole", bytes, length);
		assert_int_equal(workload_load(&workload, "whole", in_top("whole"), NULL, 1, NULL),
				 0);
		assert_string_equal(workload.digest, digest);
		workload_free(&workload);
		for (size_t cut = 0; cut < length; cut++) {
			put_bytes("cut", bytes, cut);
			assert_int_equal(
				workload_load(&workload, "cut", in_top("cut"), NULL, 1, NULL),
				-EINVAL);
		}
		for (size_t at = 0; at < length; at++) {
			int error;

			bytes[at] ^= (char)(1 << at % 8);
			put_bytes("damaged", bytes, length);
			/* Not every changed bit can be told, but none may do worse than this. */
			error = workload_load(&workload, "damaged", in_top("damaged"), NULL, 1,
					      NULL);
			assert_true(error == 0 || error == -EINVAL);
			workload_free(&workload);
			bytes[at] ^= (char)(1 << at % 8);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_sentence),
		cmocka_unit_test(a_delta_is_named_in_its_sentences),
		cmocka_unit_test(long_names_paths_and_lines),
		cmocka_unit_test(binary_files_are_refused),
		cmocka_unit_test(sentences_cannot_disturb_a_console),
		cmocka_unit_test(plain_text_cut_at_every_byte),
		cmocka_unit_test(compressed_text_cut_and_damaged_at_every_byte),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
