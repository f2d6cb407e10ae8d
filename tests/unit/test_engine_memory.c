/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What engines allocate inside the timed region: nothing for an entry, with and without timing each call. */
#include "engine_tree.h"

/* Of the address sanitizer, which the tests are built with. */
extern int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *,
									 size_t),
						     void (*free_hook)(const volatile void *))
	__attribute__((weak));

static unsigned allocations; /* atomic */
static bool counting;

static void note_allocation(const volatile void *memory, size_t size)
{
	(void)memory, (void)size;
	if (__atomic_load_n(&counting, __ATOMIC_RELAXED))
		__atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
}

static void note_free(const volatile void *memory)
{
	(void)memory;
}

/* Of the handle engine: its table, and that in order. */
static void allocates_at_most_twice(const struct blit_method *method)
{
	struct blit blit = blit_of(method);

	assert_int_equal(blit_begin(&blit), 0);
	if (method->engine->prepare)
		assert_int_equal(method->engine->prepare(&blit), 0);
	__atomic_store_n(&allocations, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&counting, true, __ATOMIC_RELAXED);
	int error = method->engine->blit(&blit);
	__atomic_store_n(&counting, false, __ATOMIC_RELAXED);
	assert_int_equal(error, 0);
	if (allocations > (method->engine->prepare ? 2 : 0))
		fail_msg("%s allocates %u times", method->engine->name, allocations);
	blit_end(&blit);
	assert_int_equal(tree_remove(site.staging_fd, "usr"), 0);
}

static void nothing_is_allocated_for_an_entry(void **state)
{
	(void)state;
	if (!__sanitizer_install_malloc_and_free_hooks) {
		print_message("skipped: only the address sanitizer counts allocations\n");
		skip();
	}
	assert_true(__sanitizer_install_malloc_and_free_hooks(note_allocation, note_free));
	make_site(in_top("site"));
	assert_true(each_method(allocates_at_most_twice) > 0);
	timed = true;
	assert_true(each_method(allocates_at_most_twice) > 0);
}

static int make(void **state)
{
	int error = make_engine_test(state);

	if (!error)
		load_tree();
	return error;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_allocated_for_an_entry, make,
						remove_engine_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
