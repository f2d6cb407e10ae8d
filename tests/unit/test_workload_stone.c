/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading .stone packages: right ones, wrong ones, and damaged ones. */
#include "workload_fixture.h"

#include "workload/import.h"

#include "stone_writer.h"

#include <inttypes.h>

/* Beside the project's folder, where somebody put them; they are not part of it. */
#define REAL_FILES "../shared/cases"

static struct bytes file;
static struct stone stone;

static void start(void)
{
	memset(&file, 0, sizeof(file));
	memset(&stone, 0, sizeof(stone));
}

/* The file that was put together, imported as x.stone into out.mtree. */
static int import_file(struct import_counts *counts)
{
	char *archives[] = { (char *)put_bytes("x.stone", file.at, file.count) };
	const struct import_job job = {
		.base = { .archives = archives, .archive_count = 1, .output = in_top("out.mtree") }
	};

	return import_packages(&job, counts);
}

static void assert_imported(const char *expected)
{
	struct import_counts counts;
	_cleanup_free_ char *text = NULL;
	size_t size;

	if (import_file(&counts))
		fail_msg("%s", error_text());
	text = get_bytes(in_top("out.mtree"), &size);
	assert_string_equal(text, expected);
}

static void assert_refused(const char *sentence)
{
	struct import_counts counts;

	unlink(in_top("out.mtree"));
	assert_int_equal(import_file(&counts), -EINVAL);
	assert_int_equal(strncmp(error_text(), in_top("x.stone"), strlen(in_top("x.stone"))), 0);
	assert_sentence(sentence);
	assert_int_equal(access(in_top("out.mtree"), F_OK), -1);
}

/* --- what is right --- */

static void add_everything(void)
{
	add_file(&stone, "bin/tool", 04755, "the largest content of all", true);
	add_file(&stone, "bin/tool2", 0755, "the largest content of all", false);
	add_file(&stone, "share/a \377", 0644, "second", true);
	add_file(&stone, "share/empty", 0600, "", true);
	add_special(&stone, "bin/link", 0120777, SYMLINK, "tool");
	add_special(&stone, "lib/none", 040700, DIRECTORY, "");
	add_special(&stone, "share/null", 020666, CHARACTER, "");
	add_special(&stone, "share/sda", 060660, BLOCK, "");
	add_special(&stone, "share/pipe", 010644, FIFO, "");
	add_special(&stone, "share/socket", 0140755, SOCKET, "");
}

static const char everything[] =
	"#mtree\n"
	"./usr/bin/link type=link mode=0777 uid=0 gid=0 link=tool\n"
	"./usr/bin/tool type=file mode=4755 uid=0 gid=0 size=26 inode=1048576\n"
	"./usr/bin/tool2 type=file mode=0755 uid=0 gid=0 size=26 inode=1048576\n"
	"./usr/lib/none type=dir mode=0700 uid=0 gid=0\n"
	"./usr/share/a\\040\\377 type=file mode=0644 uid=0 gid=0 size=6 inode=1048577\n"
	"./usr/share/empty type=file mode=0600 uid=0 gid=0 size=0\n";

static void all_types_are_read(void **state)
{
	struct import_counts counts;

	(void)state;
	for (unsigned compression = NONE; compression <= ZSTD; compression++) {
		start();
		add_everything();
		put_stone(&file, &stone, compression);
		assert_imported(everything);
		assert_int_equal(import_file(&counts), 0);
		assert_int_equal(counts.archives.taken, 6);
		assert_int_equal(counts.archives.special, 4);
	}
}

static void old_files_count_nuls_in_lengths(void **state)
{
	struct bytes digest = { .count = 0 };

	(void)state;
	start();
	put_digest(&digest, "x", 1);
	put_raw(&digest, "", 1);
	add_record(&stone, &(struct record){ 7, 8, 0100644, REGULAR, digest.at, 17, "f\0", 2 });
	add_record(&stone, &(struct record){ 0, 0, 0120777, SYMLINK, "to\0", 3, "l\0\0", 3 });
	add_index(&stone, 0, 1, "x", 1);
	put_raw(&stone.content, "x", 1);
	put_stone(&file, &stone, ZSTD);
	assert_imported("#mtree\n"
			"./usr/f type=file mode=0644 uid=7 gid=8 size=1 inode=1048576\n"
			"./usr/l type=link mode=0777 uid=0 gid=0 link=to\n");
}

static void payloads_may_come_in_any_order(void **state)
{
	struct bytes nothing = { .count = 0 };

	(void)state;
	start();
	add_everything();
	put_file_header(&file, 5, TYPE_BINARY, 1);
	put_payload(&file, CONTENT, ZSTD, &stone.content, 99);
	put_payload(&file, ATTRIBUTES, ZSTD, &nothing, 0);
	put_payload(&file, INDEX, NONE, &stone.index, stone.index_records);
	put_payload(&file, LAYOUT, ZSTD, &stone.layout, stone.layout_records);
	put_payload(&file, META, NONE, &nothing, 0);
	assert_imported(everything);
}

/* The records are many times larger than the blocks in which they are unpacked. */
static void records_of_all_lengths(void **state)
{
	static char text[4000];
	struct import_counts counts;
	struct workload workload;

	(void)state;
	start();
	memset(text, 't', sizeof(text) - 1);
	for (unsigned i = 0; i < 180; i++) {
		char target[32];

		snprintf(target, sizeof(target), "share/%0*u", (int)(i % 20) + 1, i);
		add_record(&stone, &(struct record){ 0, 0, 0120777, SYMLINK, text, 3999 - i, target,
						     strlen(target) });
	}
	put_stone(&file, &stone, ZSTD);
	if (import_file(&counts) ||
	    workload_load(&workload, "x", in_top("out.mtree"), NULL, 1, NULL))
		fail_msg("%s", error_text());
	assert_int_equal(workload.remove.symlink_count, 180);
	for (uint32_t i = 0; i < workload.remove.entry_count; i++) {
		const struct entry *entry = &workload.remove.entries[i];

		if (entry->type == ENTRY_SYMLINK)
			assert_int_equal(strlen(entry_link_text(&workload.remove, entry)),
					 3999 - atoi(entry_name(&workload.remove, entry)));
	}
	workload_free(&workload);
}

static void the_real_files_are_read(void **state)
{
	static const struct {
		const char *name, *manifest;
	} files[] = {
		{ "italian-pizza-1-1-1-x86_64.stone",
		  "./usr/share/defaults/italian-pizza type=file mode=0644 uid=0 gid=0 size=0\n" },
		{ "pineapple-1-1-1-x86_64.stone",
		  "./usr/share/defaults/pienapple type=file mode=0644 uid=0 gid=0 size=0\n" },
	};

	(void)state;
	if (access(REAL_FILES, F_OK))
		skip();
	for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
		char path[PATH_MAX], expected[256];
		_cleanup_free_ char *bytes = NULL;

		snprintf(path, sizeof(path), REAL_FILES "/%s", files[i].name);
		bytes = get_bytes(path, &file.count);
		memcpy(file.at, bytes, file.count);
		snprintf(expected, sizeof(expected), "#mtree\n%s", files[i].manifest);
		assert_imported(expected);
	}
}

/* --- headers --- */

static void put_valid(void)
{
	start();
	add_everything();
	put_stone(&file, &stone, ZSTD);
}

/* Overwrites a number of the file. */
static void patch(size_t at, unsigned width, uint64_t value)
{
	struct bytes number = { .count = 0 };

	put_number(&number, value, width);
	memcpy(file.at + at, number.at, width);
}

static void every_field_of_the_header(void **state)
{
	static const struct {
		size_t at;
		unsigned width;
		uint64_t value;
		const char *sentence;
	} cases[] = {
		{ 4, 2, 0, "at byte 32, behind the last payload, there is more" },
		{ 4, 2, 3, "behind the last payload, there is more" },
		{ 4, 2, 5, "the file is cut off: it ends at byte" },
		{ 4, 2, UINT16_MAX, "the file is cut off" },
		{ 8, 1, 9, "its header is damaged at bytes 0 to 26" },
		{ 26, 1, 0, "its header is damaged" },
		{ 27, 1, 0, "its type is 0 (byte 27), which is not known" },
		{ 27, 1, 2, "it is a delta, and no package" },
		{ 27, 1, 3, "it is a repository's index" },
		{ 27, 1, 4, "it is a build's manifest" },
		{ 27, 1, 255, "its type is 255" },
		{ 28, 4, 0, "its format has version 0" },
		{ 28, 4, UINT32_MAX, "its format has version 4294967295" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		put_valid();
		patch(cases[i].at, cases[i].width, cases[i].value);
		assert_refused(cases[i].sentence);
	}
}

/* Where the header of the payload of a kind begins. */
static size_t payload_at(unsigned kind)
{
	size_t at = STONE_HEADER_BYTES;

	while (file.at[at + 30] != kind) {
		uint64_t stored = 0;

		for (unsigned i = 0; i < 8; i++)
			stored = stored << 8 | file.at[at + i];
		at += 32 + stored;
	}
	return at;
}

static void every_field_of_a_payload_header(void **state)
{
	static const struct {
		unsigned kind;
		size_t at;
		unsigned width;
		uint64_t value;
		const char *sentence;
	} cases[] = {
		{ LAYOUT, 0, 8, 0, "checksum does not match" },
		{ LAYOUT, 0, 8, 1, "checksum does not match" },
		{ LAYOUT, 0, 8, UINT64_C(1) << 31, "the file is cut off" },
		{ LAYOUT, 0, 8, UINT64_C(1) << 63, "the file is cut off" },
		{ LAYOUT, 0, 8, UINT64_MAX, "the file is cut off" },
		{ LAYOUT, 8, 8, 0, "it unpacks to more than the 0 bytes that it announces" },
		{ LAYOUT, 8, 8, 1, "it unpacks to more than the 1 bytes" },
		{ LAYOUT, 8, 8, UINT64_C(1) << 31, "announces 2147483648" },
		{ LAYOUT, 8, 8, UINT64_C(1) << 63, "announces 9223372036854775808" },
		{ LAYOUT, 8, 8, UINT64_MAX, "announces 18446744073709551615" },
		{ LAYOUT, 16, 8, 0, "its checksum does not match; fetch the file again" },
		{ LAYOUT, 16, 8, UINT64_MAX, "its checksum does not match" },
		{ LAYOUT, 24, 4, 0, "it has 10 records and announces 0" },
		{ LAYOUT, 24, 4, UINT32_MAX, "it has 10 records and announces 4294967295" },
		{ INDEX, 24, 4, 2, "it has 3 records and announces 2" },
		{ LAYOUT, 28, 2, 0, "its version is 0, and only version 1 is known" },
		{ LAYOUT, 28, 2, UINT16_MAX, "its version is 65535" },
		{ LAYOUT, 30, 1, 0, "its kind is 0, and only 1 to 5 are known" },
		{ LAYOUT, 30, 1, 255, "its kind is 255" },
		{ LAYOUT, 30, 1, META, "it has no layout payload" },
		{ LAYOUT, 30, 1, CONTENT, "it is a second content payload" },
		{ INDEX, 30, 1, LAYOUT, "it is a second layout payload" },
		{ INDEX, 30, 1, META, "the package has no content of the digest" },
		{ CONTENT, 30, 1, INDEX, "it is a second index payload" },
		{ CONTENT, 30, 1, META, "it has an index and no content payload" },
		{ LAYOUT, 31, 1, 0, "its compression is 0, and only 1 (none) and 2 (zstd)" },
		{ LAYOUT, 31, 1, 255, "its compression is 255" },
		{ LAYOUT, 31, 1, NONE, "though it is not compressed" },
		{ CONTENT, 8, 8, 31, "it unpacks to more than the 31 bytes" },
		{ CONTENT, 8, 8, 33, "it unpacks to 32 bytes and announces 33" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		put_valid();
		patch(payload_at(cases[i].kind) + cases[i].at, cases[i].width, cases[i].value);
		assert_refused(cases[i].sentence);
	}
}

/* --- records --- */

static void a_layout_is_not_believed(void **state)
{
	static char name[300], path[4200];
	const struct {
		struct record record;
		const char *sentence;
	} cases[] = {
		{ { 0, 0, 040755, DIRECTORY, "", 0, "..", 2 }, "the path has \"..\" in it" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, "a/../../etc", 11 }, "\"..\"" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, "/etc", 4 },
		  "the path is not spelled plainly, as \"usr/etc\"" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, "a//b", 4 }, "not spelled plainly" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, "./a", 3 }, "not spelled plainly" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, "a/", 2 }, "not spelled plainly" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, "a\0b", 3 }, "a NUL byte within a path" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, name, 256 }, "a name in the path has 256" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, path, 4100 }, "the path has over 4095" },
		{ { 0, 0, 040755, DIRECTORY, "", 0, "lib/none", 8 }, "the path is listed twice" },
		{ { 0, 0, 0120777, SYMLINK, "", 0, "l", 1 }, "a symlink with a text of 0 bytes" },
		{ { 0, 0, 0120777, SYMLINK, "\0", 1, "l", 1 }, "a text of 0 bytes" },
		{ { 0, 0, 0120777, SYMLINK, path, 4096, "l", 1 }, "a text of 4096 bytes" },
		{ { 0, 0, 0120777, SYMLINK, "a\0b", 3, "l", 1 }, "a NUL byte within" },
		{ { 0, 0, 0100644, REGULAR, name, 15, "f", 1 }, "its digest has 15 bytes" },
		{ { 0, 0, 0100644, REGULAR, name, 17, "f", 1 }, "its digest has 17 bytes" },
		{ { 0, 0, 0100644, REGULAR, name, 0, "f", 1 }, "its digest has 0 bytes" },
		{ { 0, 0, 0100644, REGULAR, name, 16, "f", 1 },
		  "\"usr/f\": the package has no content of the digest 6e6e6e6e" },
		{ { 0, 0, 0100644, 0, "", 0, "f", 1 }, "its type is 0, and only 1 to 7" },
		{ { 0, 0, 0100644, 8, "", 0, "f", 1 }, "its type is 8" },
		{ { 0, 0, 0100644, 255, "", 0, "f", 1 }, "its type is 255" },
		{ { 0, 0, 0644, DIRECTORY, "", 0, "f", 1 },
		  "its type 3 and its mode 0644 do not agree" },
		{ { 0, 0, 0100644, SYMLINK, "", 0, "f", 1 }, "do not agree" },
		{ { 0, 0, 0x10000 | 040755, DIRECTORY, "", 0, "f", 1 }, "none that a filesystem" },
		{ { UINT32_MAX, 0, 040755, DIRECTORY, "", 0, "f", 1 },
		  "its owner 4294967295:0 cannot own" },
		{ { 0, UINT32_MAX, 040755, DIRECTORY, "", 0, "f", 1 }, "cannot own a file" },
		{ { 0, 0, 0100644, REGULAR, name, 16, "", 0 }, "the package has no content" },
		{ { 0, 0, 0120777, SYMLINK, "x", 1, "", 0 }, NULL },
	};

	(void)state;
	memset(name, 'n', sizeof(name));
	for (size_t i = 0; i < sizeof(path); i++)
		path[i] = i % 2 ? '/' : 'p';
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct import_counts counts;

		start();
		add_everything();
		add_record(&stone, &cases[i].record);
		put_stone(&file, &stone, ZSTD);
		if (cases[i].sentence) {
			assert_refused(cases[i].sentence);
			continue;
		}
		/* usr itself cannot be a symlink; as with all packages the directory stays. */
		assert_int_equal(import_file(&counts), 0);
		assert_int_equal(counts.kept_directories, 1);
	}
	/* The place is told. */
	start();
	add_special(&stone, "a", 040700, DIRECTORY, "");
	add_special(&stone, "b", 040700, 9, "");
	put_stone(&file, &stone, ZSTD);
	assert_refused(": record 2, at plain byte 33: its type is 9");
	/* What ends within a record. */
	for (size_t bytes = 34; bytes < stone.layout.count; bytes++) {
		memset(&file, 0, sizeof(file));
		stone.layout.count = bytes;
		put_stone(&file, &stone, ZSTD);
		assert_refused(
			"its plain bytes end within record 2, which begins at plain byte 33");
		stone.layout.count = 66;
	}
}

static void an_index_is_not_believed(void **state)
{
	static const struct {
		uint64_t start, end;
		const char *sentence;
	} cases[] = {
		{ 1, 0, "record 4, at plain byte 96: its content begins at 1 and ends at 0" },
		{ UINT64_MAX, 0, "begins at 18446744073709551615" },
		{ 31, 40, "overlap" },
		{ 0, UINT64_MAX, "overlap" },
		{ 32, 33, "the index has a content that ends at 33" },
		{ 32, UINT64_C(1) << 31, "a content that ends at 2147483648" },
		{ 32, UINT64_C(1) << 63, "a content that ends at 9223372036854775808" },
		{ UINT64_C(1) << 63, UINT64_MAX, "ends at 18446744073709551615" },
		{ 32, 32, "the content at plain bytes 32 to 32 does not have the digest" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		start();
		add_everything();
		add_index(&stone, cases[i].start, cases[i].end, "some other content", 18);
		put_stone(&file, &stone, ZSTD);
		assert_refused(cases[i].sentence);
	}
	start();
	add_everything();
	add_index(&stone, 32, 38, "second", 6);
	put_raw(&stone.content, "second", 6);
	put_stone(&file, &stone, ZSTD);
	assert_refused("the index payload at byte");
	assert_sentence("the content at byte 32 is listed twice");
}

static void contents_must_have_their_digests(void **state)
{
	(void)state;
	for (unsigned early = 0; early < 2; early++) {
		start();
		add_everything();
		stone.content.at[27] ^= 1;
		put_file_header(&file, 3, TYPE_BINARY, 1);
		if (early)
			put_payload(&file, CONTENT, ZSTD, &stone.content, 0);
		put_payload(&file, LAYOUT, NONE, &stone.layout, stone.layout_records);
		put_payload(&file, INDEX, NONE, &stone.index, stone.index_records);
		if (!early)
			put_payload(&file, CONTENT, ZSTD, &stone.content, 0);
		assert_refused("the content payload at byte");
		assert_sentence("the content at plain bytes 26 to 32 does not have the digest");
	}
}

/* --- compression --- */

/* It is asked for with every content, however small; a system that hands out no more memory than it
 * has must not be asked for it. */
static void the_largest_window_costs_nothing(void **state)
{
	static unsigned char stored[4096];
	size_t count;

	(void)state;
	start();
	add_everything();
	put_file_header(&file, 3, TYPE_BINARY, 1);
	put_payload(&file, LAYOUT, ZSTD, &stone.layout, stone.layout_records);
	put_payload(&file, INDEX, ZSTD, &stone.index, stone.index_records);
	count = compress_stream(stored, sizeof(stored), stone.content.at, stone.content.count,
				LARGEST_WINDOW_LOG);
	put_stored(&file, CONTENT, ZSTD, stored, count, stone.content.count, 0);
	assert_imported(everything);
}

static void a_bomb_is_cut_short(void **state)
{
	enum { PLAIN_BYTES = 1 << 20, FRAMES = 512 };
	static unsigned char zeros[PLAIN_BYTES];
	unsigned char frame[4096];
	size_t frame_bytes =
		compress_stream(frame, sizeof(frame), zeros, PLAIN_BYTES, SMALL_WINDOW_LOG);
	struct bytes bomb = { .count = 0 };

	(void)state;
	for (unsigned i = 0; i < FRAMES; i++)
		put_raw(&bomb, frame, frame_bytes);
	start();
	add_everything();
	put_file_header(&file, 3, TYPE_BINARY, 1);
	put_payload(&file, LAYOUT, ZSTD, &stone.layout, stone.layout_records);
	put_payload(&file, INDEX, ZSTD, &stone.index, stone.index_records);
	/* Half a gigabyte, announced as 32 bytes. */
	put_stored(&file, CONTENT, ZSTD, bomb.at, bomb.count, 32, 0);
	assert_refused("it unpacks to more than the 32 bytes that it announces");
	/* And as a layout: zeros are no record, however many there are. */
	memset(&file, 0, sizeof(file));
	put_file_header(&file, 1, TYPE_BINARY, 1);
	put_stored(&file, LAYOUT, ZSTD, bomb.at, bomb.count, (uint64_t)PLAIN_BYTES * FRAMES,
		   UINT32_MAX);
	assert_refused("record 1, at plain byte 0: its type is 0");
}

static void compressed_data_that_end_early(void **state)
{
	static unsigned char stored[4096];
	size_t whole;

	(void)state;
	put_valid();
	whole = compress_stream(stored, sizeof(stored), stone.layout.at, stone.layout.count,
				SMALL_WINDOW_LOG);
	for (size_t bytes = 0; bytes < whole; bytes++) {
		memset(&file, 0, sizeof(file));
		put_file_header(&file, 1, TYPE_BINARY, 1);
		put_stored(&file, LAYOUT, ZSTD, stored, bytes, stone.layout.count,
			   stone.layout_records);
		assert_refused(bytes ? "its compressed data are cut off" : "it unpacks to 0 bytes");
	}
	memset(&file, 0, sizeof(file));
	put_file_header(&file, 1, TYPE_BINARY, 1);
	put_stored(&file, LAYOUT, ZSTD, "this is no zstd", 15, 100, 1);
	assert_refused("the layout payload at byte 32: zstd cannot unpack it (");
}

/* --- cut off and damaged --- */

static void files_cut_off_at_every_byte(void **state)
{
	size_t whole;

	(void)state;
	put_valid();
	whole = file.count;
	/* Fewer than four bytes are no .stone at all. */
	for (file.count = 0; file.count < whole; file.count++)
		assert_refused(file.count < 4 ? "it is no package or archive"
					      : "the file is cut off: it ends at byte");
}

static void files_damaged_at_every_byte(void **state)
{
	(void)state;
	put_valid();
	for (size_t at = 0; at < file.count; at++) {
		struct import_counts counts;
		int error;

		file.at[at] ^= (unsigned char)(1 << at % 8);
		error = import_file(&counts);
		if (error && error != -EINVAL)
			fail_msg("byte %zu: %d, %s", at, error, error_text());
		/* What nobody needs may be damaged: the number of records of other payloads. */
		if (!error)
			assert_imported(everything);
		file.at[at] ^= (unsigned char)(1 << at % 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_types_are_read),
		cmocka_unit_test(old_files_count_nuls_in_lengths),
		cmocka_unit_test(payloads_may_come_in_any_order),
		cmocka_unit_test(records_of_all_lengths),
		cmocka_unit_test(the_real_files_are_read),
		cmocka_unit_test(every_field_of_the_header),
		cmocka_unit_test(every_field_of_a_payload_header),
		cmocka_unit_test(a_layout_is_not_believed),
		cmocka_unit_test(an_index_is_not_believed),
		cmocka_unit_test(contents_must_have_their_digests),
		cmocka_unit_test(the_largest_window_costs_nothing),
		cmocka_unit_test(a_bomb_is_cut_short),
		cmocka_unit_test(compressed_data_that_end_early),
		cmocka_unit_test(files_cut_off_at_every_byte),
		cmocka_unit_test(files_damaged_at_every_byte),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
