/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of contents, the names they give them, and how many of them there are. */
#include "workload_fixture.h"

#include "workload/digest.h"
#include "workload/workers.h"

#include <pthread.h>

/* Contents with the given sizes, numbered from first on. */
static struct contents make_contents(const uint64_t *sizes, uint32_t count, uint64_t first)
{
	struct contents contents = { .list = calloc(count, sizeof(*contents.list)),
				     .count = count };

	assert_non_null(contents.list);
	for (uint32_t i = 0; i < count; i++) {
		contents.list[i].number = first + i;
		contents.list[i].size = sizes[i];
		contents.bytes += sizes[i];
	}
	return contents;
}

/* The digest of bytes as moss prints it: hex without leading zeros. */
static void expected_digest(char text[DIGEST_TEXT_BYTES], const void *bytes, size_t size)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, size);
	char padded[DIGEST_TEXT_BYTES];

	snprintf(padded, sizeof(padded), "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
		 (uint64_t)hash.low64);
	strcpy(text, padded + strspn(padded, "0"));
}

static void parts_are_parts_of_the_whole(void **state)
{
	enum { SIZE = 3 * 4096 + 21 };
	static const size_t lengths[] = { 1, 7, 8, 9, 511, 4088, 4096, 4097, 8192 };
	unsigned char whole[SIZE], part[SIZE + 1];

	(void)state;
	content_bytes(1, 2, SIZE, 0, whole, SIZE);
	for (size_t offset = 0; offset < SIZE; offset += 8) {
		for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++) {
			size_t left = SIZE - offset;
			size_t length = lengths[i] < left ? lengths[i] : left;

			part[length] = 0xa5;
			content_bytes(1, 2, SIZE, offset, part, length);
			assert_memory_equal(part, whole + offset, length);
			assert_int_equal(part[length], 0xa5);
		}
	}
}

static void seed_number_and_size_all_count(void **state)
{
	unsigned char bytes[4][64];

	(void)state;
	content_bytes(1, 2, 64, 0, bytes[0], 64);
	content_bytes(2, 2, 64, 0, bytes[1], 64);
	content_bytes(1, 3, 64, 0, bytes[2], 64);
	content_bytes(1, 2, 65, 0, bytes[3], 64);
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(bytes[i], bytes[j], 64);
}

/* A filesystem or a disk that finds equal blocks, or compresses, must find nothing to save. */
static void no_two_blocks_are_alike(void **state)
{
	enum { BLOCKS = 64, BLOCK_BYTES = 4096 };
	static unsigned char bytes[BLOCKS][BLOCK_BYTES];
	unsigned counts[256] = { 0 };

	(void)state;
	content_bytes(1, 2, sizeof(bytes), 0, bytes, sizeof(bytes));
	for (size_t i = 0; i < BLOCKS; i++) {
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(bytes[i], bytes[j], BLOCK_BYTES);
		for (size_t j = 0; j < BLOCK_BYTES; j++)
			counts[bytes[i][j]]++;
	}
	/* Each value of a byte is about as frequent as any other. */
	for (size_t i = 0; i < 256; i++)
		assert_in_range(counts[i], BLOCKS * BLOCK_BYTES / 256 / 2,
				BLOCKS * BLOCK_BYTES / 256 * 2);
}

/* Stores that different builds have filled must hold the same names. */
static void bytes_stay_the_same_from_build_to_build(void **state)
{
	const uint64_t sizes[] = { 100000 };
	struct contents contents = make_contents(sizes, 1, 5);

	(void)state;
	assert_int_equal(contents_name(&contents, 1, 2, NULL), 0);
	assert_string_equal(contents.list[0].digest, "34fdeef790152bd9e6e5d0dbd9376b20");
	contents_free(&contents);
}

static void names_are_digests_of_the_bytes(void **state)
{
	static const uint64_t sizes[] = {
		16, 17, 240, 241, 4096, 4097, 65535, 65536, 65537, 300001
	};
	struct contents contents = make_contents(sizes, ARRAY_LENGTH(sizes), 7);
	unsigned char *bytes = malloc(300001);
	char digest[DIGEST_TEXT_BYTES];

	(void)state;
	assert_int_equal(contents_name(&contents, 3, 2, NULL), 0);
	for (uint32_t i = 0; i < contents.count; i++) {
		content_bytes(3, 7 + i, sizes[i], 0, bytes, sizes[i]);
		expected_digest(digest, bytes, sizes[i]);
		assert_string_equal(contents.list[i].digest, digest);
	}
	free(bytes);
	contents_free(&contents);
}

static void short_contents_are_named_by_their_identity(void **state)
{
	static const uint64_t sizes[] = { 1, 15 };
	struct contents contents = make_contents(sizes, ARRAY_LENGTH(sizes), 0x0102030405060708);
	/* Seed, number and size, lowest byte first. */
	unsigned char identity[24] = { 9, 0, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 1 };
	char digest[DIGEST_TEXT_BYTES];

	(void)state;
	assert_int_equal(contents_name(&contents, 9, 2, NULL), 0);
	expected_digest(digest, identity, sizeof(identity));
	assert_string_equal(contents.list[0].digest, digest);
	identity[8]++;
	identity[16] = 15;
	expected_digest(digest, identity, sizeof(identity));
	assert_string_equal(contents.list[1].digest, digest);
	contents_free(&contents);
}

static void digests_are_printed_as_moss_prints_them(void **state)
{
	char text[DIGEST_TEXT_BYTES];

	(void)state;
	digest_print(text, XXH3_128bits("", 0));
	assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
	digest_print(text, (XXH128_hash_t){ .high64 = 0x1, .low64 = 0x2 });
	assert_string_equal(text, "10000000000000002");
	digest_print(text, (XXH128_hash_t){ .high64 = 0, .low64 = 0xabc });
	assert_string_equal(text, "abc");
}

/* One in sixteen names has a leading zero, which is not printed: among a thousand there are some.
 */
static void names_are_not_padded(void **state)
{
	enum { COUNT = 1000 };
	uint64_t sizes[COUNT];
	struct contents contents;
	unsigned short_names = 0;
	char digest[DIGEST_TEXT_BYTES];
	unsigned char bytes[20];

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		sizes[i] = 20;
	contents = make_contents(sizes, COUNT, 0);
	assert_int_equal(contents_name(&contents, 1, 2, NULL), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		if (strlen(contents.list[i].digest) == 32)
			continue;
		short_names++;
		assert_int_not_equal(contents.list[i].digest[0], '0');
		content_bytes(1, i, 20, 0, bytes, 20);
		assert_int_equal(XXH3_128bits(bytes, 20).high64 >> 60, 0);
		expected_digest(digest, bytes, 20);
		assert_string_equal(contents.list[i].digest, digest);
	}
	assert_true(short_names > 0);
	contents_free(&contents);
}

/* A thousand contents of each size from 1 to 15, most of whose bytes must coincide: the names do
 * not. */
static void short_contents_have_distinct_names(void **state)
{
	enum { COUNT = 15000 };
	uint64_t *sizes = calloc(COUNT, sizeof(*sizes));
	struct contents contents;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		sizes[i] = 1 + i % 15;
	contents = make_contents(sizes, COUNT, 0);
	if (contents_name(&contents, 1, 2, NULL))
		fail_msg("%s", error_text());
	free(sizes);
	contents_free(&contents);
}

static void equal_names_are_refused(void **state)
{
	static const uint64_t sizes[] = { 3, 40, 40, 5 };
	struct contents contents = make_contents(sizes, ARRAY_LENGTH(sizes), 10);

	(void)state;
	contents.list[2].number = contents.list[1].number;
	assert_int_equal(contents_name(&contents, 1, 2, NULL), -EEXIST);
	assert_sentence("contents 11 and 11 would both be named ");
	assert_sentence("choose another seed");
	contents_free(&contents);
}

/* Names that are there already cost nothing and stay; they count as names all the same. */
static void only_what_has_no_name_is_named(void **state)
{
	static const uint64_t sizes[] = { 100, 200, 300 };
	struct contents contents = make_contents(sizes, ARRAY_LENGTH(sizes), 1);
	char digest[DIGEST_TEXT_BYTES];

	(void)state;
	strcpy(contents.list[1].digest, "abc");
	assert_int_equal(contents_name(&contents, 1, 1, NULL), 0);
	assert_string_equal(contents.list[1].digest, "abc");
	strcpy(digest, contents.list[0].digest);
	strcpy(contents.list[1].digest, digest);
	assert_int_equal(contents_name(&contents, 1, 1, NULL), -EEXIST);
	assert_sentence(digest);
	contents_free(&contents);
}

static void names_do_not_depend_on_the_threads(void **state)
{
	enum { COUNT = 3000 };
	uint64_t *sizes = calloc(COUNT, sizeof(*sizes));
	struct contents contents[3];
	static const unsigned threads[] = { 1, 3, WORKERS_MAX };

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		sizes[i] = 1 + i * 37 % 9000;
	for (size_t i = 0; i < ARRAY_LENGTH(threads); i++) {
		contents[i] = make_contents(sizes, COUNT, 0);
		assert_int_equal(contents_name(&contents[i], 1, threads[i], NULL), 0);
	}
	for (size_t i = 1; i < ARRAY_LENGTH(threads); i++)
		for (uint32_t j = 0; j < COUNT; j++)
			assert_string_equal(contents[i].list[j].digest, contents[0].list[j].digest);
	for (size_t i = 0; i < ARRAY_LENGTH(threads); i++)
		contents_free(&contents[i]);
	free(sizes);
}

static void each_version_has_a_name_of_its_own(void **state)
{
	static const uint64_t sizes[] = { 5, 5000 };
	char digests[3][2][DIGEST_TEXT_BYTES];

	(void)state;
	for (uint32_t version = 0; version < 3; version++) {
		struct contents contents = make_contents(sizes, ARRAY_LENGTH(sizes), 1);

		contents.list[0].version = contents.list[1].version = version;
		assert_int_equal(contents_name(&contents, 1, 1, NULL), 0);
		for (uint32_t i = 0; i < 2; i++)
			strcpy(digests[version][i], contents.list[i].digest);
		contents_free(&contents);
	}
	for (uint32_t i = 0; i < 2; i++) {
		assert_string_not_equal(digests[0][i], digests[1][i]);
		assert_string_not_equal(digests[1][i], digests[2][i]);
		assert_string_not_equal(digests[0][i], digests[2][i]);
	}
}

static unsigned calls;
static pthread_t caller;

/* Goes on once, so that the stop comes while the threads are at work. */
static int stop_soon(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)context;
	assert_true(pthread_equal(pthread_self(), caller));
	assert_string_equal(phase, "name contents");
	assert_true(done <= total);
	return calls++ > 0;
}

/* A content that would take minutes is left in its middle. */
static void naming_can_be_stopped_in_the_middle_of_a_content(void **state)
{
	static const uint64_t sizes[] = { UINT64_C(1) << 40 };
	struct contents contents = make_contents(sizes, 1, 1);
	const struct progress progress = { .update = stop_soon };

	(void)state;
	caller = pthread_self();
	assert_int_equal(contents_name(&contents, 1, 2, &progress), -EINTR);
	assert_sentence("stopped while the contents were named");
	assert_int_equal(calls, 2);
	contents_free(&contents);
}

/* --- the cap --- */

static void a_cap_shortens_what_is_longer(void **state)
{
	static const char base[] = "./usr/a type=file size=10 inode=1\n"
				   "./usr/b type=file size=5000 inode=2\n"
				   "./usr/c type=file size=5000 inode=2\n"
				   "./usr/d type=file size=4096 inode=3\n"
				   "./usr/e type=file size=0\n";
	struct workload workload;
	char digest[DIGEST_TEXT_BYTES];
	unsigned char bytes[4096];

	(void)state;
	must_load(&workload, base, "./usr/f type=file size=70000 inode=4\n");
	assert_int_equal(workload_cap(&workload, 4096), 0);
	assert_int_equal(workload.contents.bytes, 10 + 3 * 4096);
	assert_int_equal(workload.remove.bytes, 10 + 3 * 4096);
	assert_int_equal(workload.install.bytes, 10 + 4 * 4096);
	assert_int_equal(contents_name(&workload.contents, 1, 2, NULL), 0);
	assert_int_equal(workload.contents.list[1].size, 4096);
	content_bytes(1, 2, 4096, 0, bytes, sizeof(bytes));
	expected_digest(digest, bytes, sizeof(bytes));
	assert_string_equal(workload.contents.list[1].digest, digest);
	workload_free(&workload);
}

/* Equal digests are equal work: a cap that nothing reaches changes nothing. */
static void a_cap_that_changes_the_work_changes_the_digest(void **state)
{
	static const uint64_t caps[] = { 5000, 4999, 10 };
	char digests[ARRAY_LENGTH(caps)][DIGEST_TEXT_BYTES], full[DIGEST_TEXT_BYTES];
	struct workload workload;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(caps); i++) {
		must_load(
			&workload,
			"./usr/a type=file size=10 inode=1\n./usr/b type=file size=5000 inode=2\n",
			NULL);
		strcpy(full, workload.digest);
		assert_int_equal(workload_cap(&workload, caps[i]), 0);
		strcpy(digests[i], workload.digest);
		assert_int_equal(workload.install.bytes, workload.remove.bytes);
		workload_free(&workload);
	}
	assert_string_equal(digests[0], full);
	assert_string_not_equal(digests[1], full);
	assert_string_not_equal(digests[2], full);
	assert_string_not_equal(digests[2], digests[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_parts_of_the_whole),
		cmocka_unit_test(seed_number_and_size_all_count),
		cmocka_unit_test(no_two_blocks_are_alike),
		cmocka_unit_test(bytes_stay_the_same_from_build_to_build),
		cmocka_unit_test(names_are_digests_of_the_bytes),
		cmocka_unit_test(short_contents_are_named_by_their_identity),
		cmocka_unit_test(digests_are_printed_as_moss_prints_them),
		cmocka_unit_test(names_are_not_padded),
		cmocka_unit_test(short_contents_have_distinct_names),
		cmocka_unit_test(equal_names_are_refused),
		cmocka_unit_test(only_what_has_no_name_is_named),
		cmocka_unit_test(names_do_not_depend_on_the_threads),
		cmocka_unit_test(each_version_has_a_name_of_its_own),
		cmocka_unit_test(naming_can_be_stopped_in_the_middle_of_a_content),
		cmocka_unit_test(a_cap_shortens_what_is_longer),
		cmocka_unit_test(a_cap_that_changes_the_work_changes_the_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
